#include "xml/malformed.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "config/messages.h"
#include "xml/utf8.h"

namespace pileus {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";
/// The entities that XML knows without a DOCTYPE.
const std::vector<std::string> kEntities = {"amp", "lt", "gt", "quot", "apos"};

/// Whether something that begins with `first` before the end of `before` is still without its `last`.
bool is_inside(std::string_view before, std::string_view first, std::string_view last) {
  const std::size_t opened = before.rfind(first);
  return opened != before.npos && before.find(last, opened + first.size()) == before.npos;
}

/// Position of the "&" of an entity that breaks off at the end of the text; npos if there is none.
std::size_t open_entity(std::string_view before) {
  const std::size_t at = before.rfind('&');
  const bool is_open = at != before.npos && before.find_first_of(" \t\r\n\"'<>;", at) == before.npos;
  return is_open ? at : before.npos;
}

/// A tag that has begun and not ended, and perhaps a quote in it.
struct OpenTag {
  std::size_t tag = 0, quote = std::string_view::npos;
  bool is_open = true;
  std::size_t last_quote = 0;  ///< the last quote that was closed
};

OpenTag open_tag(std::string_view before) {
  OpenTag found{before.rfind('<')};
  if (found.tag == before.npos) return {0, before.npos, false};
  for (std::size_t i = found.tag; i < before.size(); ++i) {
    if (found.quote != before.npos) {
      if (before[i] == before[found.quote]) found.last_quote = std::exchange(found.quote, before.npos);
    } else if (before[i] == '"' || before[i] == '\'') {
      found.quote = i;
    } else if (before[i] == '>') {
      found.is_open = false;
    }
  }
  return found;
}

/// "of line 3 " if that line is not the one of `at`.
std::string of_line(const SourceText& source, std::size_t place, std::size_t at) {
  const int line = source.where(place).line;
  return line == source.where(at).line ? "" : "of line " + std::to_string(line) + " ";
}

/// The beginning of the tag: "<field".
std::string_view tag_name(std::string_view text, const OpenTag& open, std::size_t at) {
  const std::size_t end = std::min(text.find_first_of(" \t\r\n<", open.tag + 1), at);
  return text.substr(open.tag, end - open.tag);
}

std::string bracket_in_tag(const SourceText& source, const OpenTag& open, std::size_t at) {
  const std::string_view text = source.text();
  if (open.quote != text.npos)
    return "\"<\" in the value of an attribute: write &lt; or close the quote " +
           of_line(source, open.quote, at) + "before it";
  return "\"<\" in the tag " + in_quotes(tag_name(text, open, at)) + " " + of_line(source, open.tag, at) +
         "before it, which is not closed; it ends with > or />";
}

/// Why it cannot stand among the attributes of a tag; "" if no reason is known.
std::string in_attributes(const SourceText& source, const OpenTag& open, std::size_t at) {
  const char last = source.text()[at - 1], found = source.text()[at];
  if (found == '"' || found == '\'') return "put \"=\" between the name of an attribute and its value";
  if (last == '"' || last == '\'') {
    const std::string line = of_line(source, open.last_quote, at);
    if (!line.empty()) return "the quote " + line + "is closed before it; close it where its value ends";
    return "put a blank between attributes; a quote in a value is written &quot;";
  }
  if (found == '>' || found == '/') return "an attribute needs a value: NAME=\"VALUE\"";
  return "";
}

}  // namespace

std::string why_invalid(const SourceText& source, std::size_t at) {
  const std::string_view text = source.text(), before = text.substr(0, at);
  if (at >= text.size()) return "it breaks off";
  const auto byte = static_cast<unsigned char>(text[at]);
  const bool is_blank = kWhiteSpace.find(text[at]) != kWhiteSpace.npos;
  if (byte < 0x20 && !is_blank) return "a control character, which no XML may hold";
  if (byte >= 0x80 && character_size(text.substr(at)) == 0)
    return "bytes that are no UTF-8; save the file as UTF-8";
  const std::size_t last = before.find_last_not_of(kWhiteSpace);
  if (last != before.npos && before[last] == '=') return "put the value of the attribute in quotes";
  if (const std::size_t entity = open_entity(before); entity != before.npos) {
    const std::string name(before.substr(entity));
    return name == "&" ? "\"&\" is written &amp;"
                       : in_quotes(name) + " needs a \";\" behind it; \"&\" itself is written &amp;";
  }
  if (is_inside(before, "<!--", "-->")) return "a comment must not hold \"--\"";
  if (before.ends_with('<')) return "\"<\" begins an element; elsewhere it is written &lt;";
  const std::size_t mark = before.rfind("<!");
  if (mark != before.npos && before.find('>', mark) == before.npos)
    return "what begins with \"<!\" is a comment, <!-- ... -->, or a text, <![CDATA[ ... ]]>";
  if (before.ends_with("]]")) return "\"]]>\" ends no <![CDATA[ here; it is written ]]&gt;";
  const OpenTag open = open_tag(before);
  if (open.is_open && text[at] == '<') return bracket_in_tag(source, open, at);
  const std::string why = open.is_open ? in_attributes(source, open, at) : "";
  if (!why.empty()) return why;
  const std::string character =
      in_quotes(text.substr(at, std::max<std::size_t>(character_size(text.substr(at)), 1)));
  if (!open.is_open) return character + " cannot stand here";
  return character + " cannot stand in the tag " + in_quotes(tag_name(text, open, at)) + " " +
         of_line(source, open.tag, at) + "before it, which ends with > or />";
}

std::size_t place_of_undefined(const SourceText& source, std::size_t at) {
  const std::string_view text = source.text();
  for (std::size_t i = text.find('&', at); i != text.npos; i = text.find('&', i + 1)) {
    const std::string_view name = text.substr(i + 1, text.find(';', i) - i - 1);
    if (!name.starts_with('#') && std::ranges::find(kEntities, name) == kEntities.end()) return i;
  }
  return at;
}

std::string why_undefined(const SourceText& source, std::size_t at) {
  const std::string_view text = source.text();
  const bool is_there = text.substr(at).starts_with('&');
  const std::string name(is_there ? text.substr(at + 1, text.find(';', at) - at - 1) : std::string_view());
  const std::string near = name.size() > kLongestQuote ? "" : nearest(name, kEntities);
  return (is_there ? "undefined entity " + in_quotes("&" + name + ";") : "undefined entity") +
         "; known are &amp; &lt; &gt; &quot; &apos; and numbers such as &#960;" +
         (near.empty() ? "" : did_you_mean("&" + near + ";"));
}

}  // namespace pileus
