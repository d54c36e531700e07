#include "monc/tags.h"

#include <algorithm>

#include "config/messages.h"
#include "config/utf8.h"
#include "config/values.h"

namespace pileus::monc {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// The attributes between the name of a tag and its end.
class AttributeScanner {
 public:
  AttributeScanner(const PlacedText& text, std::size_t begin, std::size_t end, Findings& findings)
      : text_(text), all_(std::string_view(text.text()).substr(0, end)), at_(begin), findings_(findings) {}

  std::vector<XmlAttribute> read() {
    while (skip_blanks()) {
      const std::size_t name_at = at_;
      const std::size_t name_end = std::min(all_.find_first_of(" \t\r\n=", at_), all_.size());
      at_ = name_end;
      const std::string name(all_.substr(name_at, name_end - name_at));
      if (!skip_blanks() || all_[at_] != '=') {
        warn_of_word(name, name_at);
        continue;
      }
      ++at_;
      add({name, "", name_at, at_, 0});
    }
    return std::move(attributes_);
  }

 private:
  bool skip_blanks() {
    at_ = std::min(all_.find_first_not_of(kBlanks, at_), all_.size());
    return at_ < all_.size();
  }

  void warn_of_word(const std::string& word, std::size_t at) {
    findings_.warning(text_.where(at),
                      in_quotes(word) + " has no value, so it is not read; write NAME=VALUE");
  }

  void add(XmlAttribute attribute) {
    if (attribute.name.empty()) {
      findings_.error(text_.where(attribute.name_at), "\"=\" without the name of an attribute before it");
      at_ = std::min(all_.find_first_of(kBlanks, at_), all_.size());
      return;
    }
    skip_blanks();
    const char quote = at_ < all_.size() ? all_[at_] : ' ';
    std::size_t end = 0;
    if (quote == '"' || quote == '\'') {
      attribute.value_at = at_ + 1;
      end = all_.find(quote, attribute.value_at);
      at_ = end == all_.npos ? all_.size() : end + 1;
      if (end == all_.npos) {
        findings_.error(text_.where(attribute.value_at - 1),
                        "the quote is not closed before the next \">\", which ends the tag in MONC's files");
        end = all_.size();
      }
    } else {
      attribute.value_at = std::min(at_, all_.size());
      at_ = end = std::min(all_.find_first_of(kBlanks, at_), all_.size());
    }
    attribute.written_size = end - attribute.value_at;
    attribute.value = std::string(all_.substr(attribute.value_at, attribute.written_size));
    std::ranges::replace_if(
        attribute.value, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    check_characters(attribute);
    const auto is_same = [&](const XmlAttribute& one) { return one.name == attribute.name; };
    if (std::ranges::any_of(attributes_, is_same)) {
      findings_.error(text_.where(attribute.name_at),
                      "the attribute " + in_quotes(attribute.name) +
                          " is given twice in one element; MONC takes the first, remove one of them");
      return;
    }
    attributes_.push_back(std::move(attribute));
  }

  void check_characters(const XmlAttribute& attribute) {
    for (std::size_t i = 0; i < attribute.value.size();) {
      const std::size_t size = character_size(std::string_view(attribute.value).substr(i));
      if (size == 0) {
        findings_.error(text_.where(attribute.value_at + i),
                        "a control character, or bytes that are no UTF-8; save the file as UTF-8");
        return;
      }
      i += size;
    }
  }

  const PlacedText& text_;
  std::string_view all_;  ///< up to the end of the tag
  std::size_t at_;
  Findings& findings_;
  std::vector<XmlAttribute> attributes_;
};

class TagScanner {
 public:
  TagScanner(const PlacedText& text, Findings& findings)
      : text_(text), all_(text.text()), findings_(findings) {}

  std::vector<Tag> read() {
    for (std::size_t open; (open = find('<', at_)) < all_.size();) {
      note_text(at_, open);
      if (all_.substr(open, 2) == "<!") {
        read_comment(open);
      } else {
        read_tag(open);
      }
    }
    note_text(at_, all_.size());
    return std::move(tags_);
  }

 private:
  std::size_t find(std::string_view what, std::size_t at) const {
    return std::min(all_.find(what, at), all_.size());
  }
  std::size_t find(char what, std::size_t at) const { return std::min(all_.find(what, at), all_.size()); }

  void note_text(std::size_t begin, std::size_t end) {
    const std::string_view text = all_.substr(begin, end - begin);
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == text.npos) return;
    // One version of MONC ends a comment at its first ">": the rest of it is text there.
    if (trimmed(text) == "-->" && !tags_.empty() && tags_.back().kind == Tag::Kind::comment) return;
    static const std::vector<std::string> kMarks = {"#include"};
    const std::string_view word = trimmed(text).substr(0, trimmed(text).find_first_of(" \t\r\n\""));
    findings_.warning(text_.where(begin + first),
                      "the text " + in_quotes(trimmed(text)) +
                          " between elements means nothing; remove it, or begin its line with ! or //" +
                          (word.starts_with('#') ? suggestion(word, kMarks) : ""));
  }

  void read_comment(std::size_t open) {
    const std::size_t first = find('>', open);
    std::size_t end = first;  // of its text
    at_ = std::min(first + 1, all_.size());
    if (all_.substr(open).starts_with("<!--")) {
      const std::size_t close = find("-->", open + 4);
      const bool is_shut_before = first < close && find("<!--", first) < close;
      if (close < all_.size() && !is_shut_before) {
        warn_of_tags(open, first, close);
        end = close;
        at_ = close + 3;
      } else if (first > open + 4 && all_.substr(first - 2, 2) == "--") {
        end = first - 2;
      }
    }
    if (first == all_.size()) {
      findings_.error(text_.where(open), "this comment is never closed; it ends with -->");
      at_ = all_.size();
    }
    const std::size_t begin = std::min(open + (all_.substr(open).starts_with("<!--") ? 4U : 2U), end);
    tags_.push_back({Tag::Kind::comment, open, std::string(trimmed(all_.substr(begin, end - begin))), {}});
  }

  /// One version of MONC ends a comment at its first ">", and reads what follows.
  void warn_of_tags(std::size_t open, std::size_t first, std::size_t close) {
    const std::size_t tag = find('<', first);
    if (tag >= close) return;
    findings_.warning(text_.where(tag), "this is in the comment that begins at " + text_.where(open).text() +
                                            ", and is not read; a MONC that ends comments at their first "
                                            "\">\" does read it: remove it, or begin its line with ! or //");
  }

  void read_tag(std::size_t open) {
    const std::size_t close = find('>', open);
    const std::size_t next = find('<', open + 1);
    const bool is_cut = next < close;
    const std::size_t end = std::min(close, next);
    at_ = is_cut ? next : std::min(close + 1, all_.size());
    if (close == all_.size() || is_cut) {
      const std::size_t line_end = std::min(all_.find_first_of(" \r\n", open), end);
      findings_.error(text_.where(open), "the tag " + in_quotes(all_.substr(open, line_end - open)) +
                                             " is not closed; it ends with > or />");
    }
    if (all_.substr(open, 2) == "<?") return;  // an XML declaration
    Tag tag{Tag::Kind::start, open, "", {}};
    std::size_t inside = open + 1;
    if (inside < end && all_[inside] == '/') {
      tag.kind = Tag::Kind::end;
      ++inside;
    }
    std::size_t stop = end;
    if (tag.kind == Tag::Kind::start && stop > inside && all_[stop - 1] == '/' && !is_cut) {
      tag.is_closed = true;
      --stop;
    }
    inside = std::min(all_.find_first_not_of(kBlanks, inside), stop);
    const std::size_t name_end = std::min(all_.find_first_of(kBlanks, inside), stop);
    tag.name = std::string(all_.substr(inside, name_end - inside));
    if (tag.name.empty())
      return findings_.error(text_.where(open), "\"<\" without the name of an element behind it");
    if (tag.kind == Tag::Kind::start)
      tag.attributes = AttributeScanner(text_, name_end, stop, findings_).read();
    tags_.push_back(std::move(tag));
  }

  const PlacedText& text_;
  std::string_view all_;
  Findings& findings_;
  std::size_t at_ = 0;
  std::vector<Tag> tags_;
};

}  // namespace

std::vector<Tag> read_tags(const PlacedText& text, Findings& findings) {
  return TagScanner(text, findings).read();
}

}  // namespace pileus::monc
