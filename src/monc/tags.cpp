#include "monc/tags.h"

#include <algorithm>
#include <set>

#include "config/messages.h"
#include "config/values.h"
#include "xml/utf8.h"

namespace pileus::monc {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
/// A file with more findings is not one of MONC's.
constexpr std::size_t kMostFindings = 10'000;

bool is_full(const Findings& findings) { return findings.all().size() > kMostFindings; }

/// Reads the attributes between the name of a tag and its end.
class AttributeScanner {
 public:
  AttributeScanner(const PlacedText& text, std::size_t begin, std::size_t end, Findings& findings)
      : text_(text), all_(std::string_view(text.text()).substr(0, end)), at_(begin), findings_(findings) {}

  std::vector<XmlAttribute> read() {
    while (skip_blanks() && attributes_.size() <= XmlDocument::kMostParts && !is_full(findings_)) {
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
    if (!names_.insert(attribute.name).second) {
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
  std::set<std::string> names_;
};

/// Finds the next occurrence of one string in a text. Callers ask at increasing places, and it finds none of
/// them twice, so that a text full of beginnings without ends is read only once.
class Next {
 public:
  Next(std::string_view all, std::string_view what) : all_(all), what_(what) {}

  /// The first occurrence at or after `begin`; the size of the text if there is none.
  std::size_t at(std::size_t begin) {
    if (begin < from_ || begin > found_) {
      from_ = begin;
      found_ = std::min(all_.find(what_, begin), all_.size());
    }
    return found_;
  }

 private:
  std::string_view all_, what_;
  std::size_t from_ = std::string_view::npos, found_ = 0;
};

class TagScanner {
 public:
  TagScanner(const PlacedText& text, Fork fork, Findings& findings)
      : text_(text),
        fork_(fork),
        all_(text.text()),
        findings_(findings),
        opens_(all_, "<"),
        closes_(all_, ">"),
        comment_opens_(all_, "<!--"),
        comment_closes_(all_, "-->") {}

  std::vector<Tag> read() {
    for (std::size_t open; (open = opens_.at(at_)) < all_.size();) {
      if (parts_ > XmlDocument::kMostParts || is_full(findings_)) return broken_off();
      note_text(at_, open);
      if (all_.substr(open, 2) == "<!") {
        read_comment(open);
      } else {
        read_tag(open);
      }
    }
    note_text(at_, all_.size());
    if (parts_ > XmlDocument::kMostParts || is_full(findings_)) return broken_off();
    return std::move(tags_);
  }

 private:
  /// Stops reading at the same bound as the strict reader.
  std::vector<Tag> broken_off() {
    const std::string most = is_full(findings_)
                                 ? std::to_string(kMostFindings) + " things are to be said of it"
                                 : std::to_string(XmlDocument::kMostParts) + " elements and attributes";
    findings_.error({text_.where(0).file}, "more than " + most + ": this is not a configuration");
    return {};
  }

  void note_text(std::size_t begin, std::size_t end) {
    const std::string_view text = all_.substr(begin, end - begin);
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == text.npos) return;
    // One version of MONC ends a comment at its first ">", and takes the rest of it as text.
    if (trimmed(text) == "-->" && !tags_.empty() && tags_.back().kind == Tag::Kind::comment) return;
    static const std::vector<std::string> kMarks = {"#include"};
    const std::string_view word = trimmed(text).substr(0, trimmed(text).find_first_of(" \t\r\n\""));
    findings_.warning(text_.where(begin + first),
                      "the text " + in_quotes(trimmed(text)) +
                          " between elements means nothing; remove it, or begin its line with ! or //" +
                          (word.starts_with('#') ? suggestion(word, kMarks) : ""));
  }

  /// Whether the newer fork drops the line that begins with this comment.
  bool is_of_whole_lines(std::size_t open) const {
    if (fork_ != Fork::epcc || !all_.substr(open).starts_with("<!--")) return false;
    const Location place = text_.where(open);
    const std::size_t indent = place.column > 0 ? static_cast<std::size_t>(place.column) - 1 : 0;
    return indent <= open && all_.substr(open - indent, indent).find_first_not_of(' ') == all_.npos;
  }

  /// Reads a comment that ends with the line in which it is closed.
  void read_whole_lines(std::size_t open) {
    ++parts_;
    const std::size_t close = std::min(comment_closes_.at(open + 2), all_.size());
    const std::size_t begin = std::min(open + 4, close);
    tags_.push_back({Tag::Kind::comment, open, std::string(trimmed(all_.substr(begin, close - begin))), {}});
    at_ = std::min(all_.find('\n', close), all_.size());
    const std::size_t rest_at = std::min(close + 3, at_);
    const std::string_view rest = trimmed(all_.substr(rest_at, at_ - rest_at));
    if (rest.empty()) return;
    findings_.warning(text_.where(rest_at), in_quotes(rest) +
                                                " behind a comment that begins its line is not read: this "
                                                "fork of MONC drops the whole line");
  }

  void read_comment(std::size_t open) {
    if (is_of_whole_lines(open)) return read_whole_lines(open);
    ++parts_;
    const std::size_t first = closes_.at(open);
    std::size_t end = first;  // where the comment's text ends
    at_ = std::min(first + 1, all_.size());
    if (all_.substr(open).starts_with("<!--")) {
      const std::size_t close = comment_closes_.at(open + 4);
      const bool is_shut_before = first < close && comment_opens_.at(first) < close;
      const bool has_tags = opens_.at(first) < close;
      if (close < all_.size() && !is_shut_before && has_tags) report_tags(open, opens_.at(first));
      if (close < all_.size() && !is_shut_before && (fork_ == Fork::unknown || !has_tags)) {
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

  /// Reports a tag in a comment that both forks end at its first ">", but for the lines that the newer drops.
  void report_tags(std::size_t open, std::size_t tag) {
    const std::string what = "this is in the comment that begins at " + text_.where(open).text();
    if (fork_ == Fork::unknown) {
      return findings_.error(text_.where(tag), what +
                                                   ", which the older fork of MONC ends at its first \">\", "
                                                   "and the newer does not where it begins a line: " +
                                                   kAskForFork);
    }
    findings_.warning(text_.where(tag), what +
                                            ", and is read nevertheless: MONC ends this comment at its first "
                                            "\">\"; begin the line with ! or //, or remove it");
  }

  void read_tag(std::size_t open) {
    ++parts_;
    const std::size_t close = closes_.at(open);
    const std::size_t next = opens_.at(open + 1);
    const bool is_cut = next < close;
    const std::size_t end = std::min(close, next);
    at_ = is_cut ? next : std::min(close + 1, all_.size());
    if (close == all_.size() || is_cut) {
      const std::string_view tag = all_.substr(open, end - open);
      findings_.error(text_.where(open), "the tag " + in_quotes(tag.substr(0, tag.find_first_of(" \r\n"))) +
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
    const std::string_view tag_text = all_.substr(0, stop);
    inside = std::min(tag_text.find_first_not_of(kBlanks, inside), stop);
    const std::size_t name_end = std::min(tag_text.find_first_of(kBlanks, inside), stop);
    tag.name = std::string(all_.substr(inside, name_end - inside));
    if (tag.name.empty())
      return findings_.error(text_.where(open), "\"<\" without the name of an element behind it");
    if (tag.kind == Tag::Kind::start)
      tag.attributes = AttributeScanner(text_, name_end, stop, findings_).read();
    parts_ += tag.attributes.size();
    tags_.push_back(std::move(tag));
  }

  const PlacedText& text_;
  Fork fork_;
  std::string_view all_;
  Findings& findings_;
  Next opens_, closes_, comment_opens_, comment_closes_;
  std::size_t at_ = 0, parts_ = 0;
  std::vector<Tag> tags_;
};

}  // namespace

std::vector<Tag> read_tags(const PlacedText& text, Fork fork, Findings& findings) {
  return TagScanner(text, fork, findings).read();
}

}  // namespace pileus::monc
