#include "xml/write_xml.h"

#include <algorithm>

#include "xml/utf8.h"

namespace pileus {
namespace {

std::string escaped_value(std::string_view value) {
  std::string out;
  for (const char c : value) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

/// The text for a comment, in which "--" and a "-" at the end may not stand. Lines of dashes around it are
/// left out.
std::string comment(std::string_view text) {
  constexpr std::string_view kFrame = " \t\r\n-";
  std::string out;
  if (text.ends_with("<!--")) text.remove_suffix(4);
  text.remove_prefix(std::min(text.find_first_not_of(kFrame), text.size()));
  text = text.substr(0, text.find_last_not_of(kFrame) + 1);
  while (!text.empty()) {
    if (text.front() == '-' && out.ends_with('-')) out += ' ';
    const std::size_t size = character_size(text);
    out += size == 0              ? std::string_view("?")
           : text.front() == '\r' ? std::string_view()
                                  : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out.empty() ? "" : "<!-- " + out + " -->";
}

class Writer {
 public:
  explicit Writer(const XmlDocument& document) : document_(document), file_(document.source().file_name()) {}

  std::string write() {
    write_element(*document_.root(), 0);
    return std::move(out_);
  }

 private:
  void line(int depth, const std::string& text) {
    if (!text.empty()) out_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text + "\n";
  }

  void write_element(const XmlElement& element, int depth) {
    std::string tag = "<" + element.name;
    for (const XmlAttribute& one : element.attributes)
      tag += " " + one.name + "=\"" + escaped_value(one.value) + "\"";
    const bool is_empty = element.children.empty() && element.comments.empty();
    line(depth, tag + (is_empty ? "/>" : ">"));
    if (is_empty) return;
    auto next_comment = element.comments.begin();
    for (const XmlElement& child : element.children) {
      for (; next_comment != element.comments.end() && next_comment->at < child.at; ++next_comment)
        line(depth + 1, comment(next_comment->text));
      if (depth == 0) name_file(child);
      write_element(child, depth + 1);
    }
    for (; next_comment != element.comments.end(); ++next_comment)
      line(depth + 1, comment(next_comment->text));
    line(depth, "</" + element.name + ">");
  }

  void name_file(const XmlElement& child) {
    const std::string file = document_.where(child.at).file;
    if (file == file_) return;
    file_ = file;
    line(1, comment(file));
  }

  const XmlDocument& document_;
  std::string file_;  ///< the file that the last element came from
  std::string out_;
};

}  // namespace

std::string strict_text(const XmlDocument& document) { return Writer(document).write(); }

}  // namespace pileus
