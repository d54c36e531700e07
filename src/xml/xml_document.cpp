#include "xml/xml_document.h"

#include <expat.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "config/messages.h"
#include "xml/malformed.h"

namespace pileus {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// Finds the places of the attributes in the text of a start tag that the XML library has accepted.
class TagScanner {
 public:
  TagScanner(std::string_view text, std::size_t tag_at) : text_(text), at_(tag_at) {
    at_ = find_first_of(" \t\r\n/>");
  }

  /// Sets the offsets of the next attribute.
  void place(XmlAttribute& attribute) {
    at_ = text_.find_first_not_of(kBlanks, at_);
    attribute.name_at = std::min(at_, text_.size());
    at_ = find_first_of("\"'");
    attribute.value_at = std::min(at_ + 1, text_.size());
    const char quote = at_ < text_.size() ? text_[at_] : '"';
    at_ = std::min(text_.find(quote, attribute.value_at), text_.size());
    attribute.written_size = at_ - attribute.value_at;
    at_ = std::min(at_ + 1, text_.size());
  }

 private:
  std::size_t find_first_of(const char* characters) const {
    return std::min(text_.find_first_of(characters, at_), text_.size());
  }

  std::string_view text_;
  std::size_t at_;
};

/// Turns what the XML library reports into a tree.
class TreeBuilder {
 public:
  TreeBuilder(const SourceText& source, std::optional<XmlElement>& root, Findings& findings)
      : source_(source),
        root_(root),
        findings_(findings),
        parser_(XML_ParserCreate("UTF-8"), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), on_doctype);
    XML_SetXmlDeclHandler(parser_.get(), on_declaration);
  }

  /// False if the document is not well-formed or was refused.
  bool build() {
    const std::string_view text = source_.text();
    const XML_Status status = XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
    if (failure_) std::rethrow_exception(failure_);
    if (status == XML_STATUS_OK) return true;
    if (!is_refused_) report_not_well_formed();
    if (is_too_large_) root_.reset();  // its parts need no findings
    return false;
  }

 private:
  // The library is C: no exception may pass through it.
  template <class Action>
  static void guarded(void* self, Action action) {
    auto& builder = *static_cast<TreeBuilder*>(self);
    if (builder.failure_ || builder.is_refused_) return;
    try {
      action(builder);
    } catch (...) {
      builder.failure_ = std::current_exception();
      XML_StopParser(builder.parser_.get(), XML_FALSE);
    }
  }
  static void on_start(void* self, const char* name, const char** attributes) {
    guarded(self, [&](TreeBuilder& builder) { builder.start(name, attributes); });
  }
  static void on_end(void* self, const char*) {
    guarded(self, [](TreeBuilder& builder) { builder.end(); });
  }
  static void on_text(void* self, const char* text, int size) {
    guarded(self, [&](TreeBuilder& builder) { builder.text({text, static_cast<std::size_t>(size)}); });
  }
  static void on_doctype(void* self, const char*, const char*, const char*, int) {
    guarded(self, [](TreeBuilder& builder) {
      // The library may have read on already, past the names in the declaration.
      const std::size_t at = builder.source_.text().rfind("<!DOCTYPE", builder.offset());
      builder.refuse(at, "a DOCTYPE is not allowed in a configuration; remove it");
    });
  }
  static void on_declaration(void* self, const char* version, const char* encoding, int) {
    guarded(self, [&](TreeBuilder& builder) {
      builder.check_version(version ? version : "1.0");
      if (!builder.is_refused_) builder.check_encoding(encoding ? encoding : "UTF-8");
    });
  }

  void start(const char* name, const char** attributes) {
    end_text();
    if (open_.size() >= XmlDocument::kMaxDepth) {
      ++ignored_depth_;
      return;
    }
    const std::size_t at = offset();
    if (++parts_ > XmlDocument::kMostParts) return refuse_parts(at);
    XmlElement& element = open_.empty() ? root_.emplace() : open_.back()->children.emplace_back();
    element.name = name;
    element.at = at;
    TagScanner tag(source_.text(), element.at);
    for (; *attributes; attributes += 2) {
      if (++parts_ > XmlDocument::kMostParts) return refuse_parts(at);
      XmlAttribute& attribute = element.attributes.emplace_back();
      attribute.name = attributes[0];
      attribute.value = attributes[1];
      tag.place(attribute);
    }
    open_.push_back(&element);
  }

  void end() {
    end_text();
    if (ignored_depth_ > 0) {
      --ignored_depth_;
      return;
    }
    open_.back()->is_complete = true;
    open_.pop_back();
  }

  // The library may give one text in several parts, at line ends and entities.
  void text(std::string_view part) {
    if (ignored_depth_ > 0) return;
    if (is_in_text_) {
      open_.back()->texts.back().text += part;
      return;
    }
    const std::size_t first = part.find_first_not_of(kBlanks);
    if (first == part.npos) return;
    if (++parts_ > XmlDocument::kMostParts) return refuse_parts(offset() + first);
    open_.back()->texts.push_back({std::string(part.substr(first)), offset() + first});
    is_in_text_ = true;
  }

  void end_text() {
    if (!std::exchange(is_in_text_, false)) return;
    std::string& text = open_.back()->texts.back().text;
    text.resize(text.find_last_not_of(kBlanks) + 1);
  }

  /// The library refuses what version 1.1 allows beyond 1.0, but its words do not say why.
  void check_version(std::string_view version) {
    if (version != "1.0")
      refuse(offset(), "XML " + shortened(version) + " is not supported; write <?xml version=\"1.0\"?>");
  }

  void check_encoding(std::string_view encoding) {
    std::string upper(encoding);
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (upper == "UTF-8" || upper == "US-ASCII" || upper == "ASCII") return;
    refuse(offset(), "the encoding " + in_quotes(encoding) + " is not supported; save the file as UTF-8");
  }

  void refuse_parts(std::size_t at) {
    is_too_large_ = true;
    refuse(at, "more than " + std::to_string(XmlDocument::kMostParts) +
                   " elements and attributes: this is not a configuration");
  }

  void refuse(std::size_t at, std::string what) {
    findings_.error(source_.where(at), std::move(what));
    is_refused_ = true;
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void report_not_well_formed() {
    const XML_Error code = XML_GetErrorCode(parser_.get());
    // The library gives the place where the tag begins, and for a text the place where the document ends.
    const std::string_view text = source_.text();
    const std::size_t closed = std::min(text.rfind("]]>"), text.size());
    const std::size_t at =
        code == XML_ERROR_UNDEFINED_ENTITY ? place_of_undefined(source_, offset())
        : code == XML_ERROR_UNCLOSED_CDATA_SECTION
            ? std::min(text.find("<![CDATA[", closed == text.size() ? 0 : closed), text.size())
            : offset();
    findings_.error(source_.where(at), "not well-formed XML: " + reason(code, at));
  }

  std::string reason(XML_Error code, std::size_t at) const {
    switch (code) {
      case XML_ERROR_INVALID_TOKEN: return why_invalid(source_, at);
      case XML_ERROR_UNDEFINED_ENTITY: return why_undefined(source_, at);
      case XML_ERROR_UNCLOSED_CDATA_SECTION: return "this <![CDATA[ is never closed; it ends with ]]>";
      case XML_ERROR_DUPLICATE_ATTRIBUTE: return "an attribute is given twice in one element";
      case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
        return "something follows the end of <" + shortened(root_->name) + ">; a document has one root";
      default: break;
    }
    if (source_.text().substr(at).starts_with("<!--"))
      return "this comment is never closed; it ends with -->";
    if (code == XML_ERROR_NO_ELEMENTS && !root_) return "there is no element in the document";
    if (open_.empty()) return XML_ErrorString(code);
    const Location opened = source_.where(open_.back()->at);
    return std::string(XML_ErrorString(code)) + "; <" + shortened(open_.back()->name) + "> of line " +
           std::to_string(opened.line) + " is not closed yet";
  }

  std::size_t offset() const {
    const XML_Index index = XML_GetCurrentByteIndex(parser_.get());
    return index < 0 ? source_.text().size() : static_cast<std::size_t>(index);
  }

  const SourceText& source_;
  std::optional<XmlElement>& root_;
  Findings& findings_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser_;
  std::vector<XmlElement*> open_;  ///< from the root to the innermost; only the last one's children grow
  std::size_t ignored_depth_ = 0;
  std::size_t parts_ = 0;
  bool is_too_large_ = false;
  bool is_in_text_ = false;
  bool is_refused_ = false;
  std::exception_ptr failure_;
};

std::size_t utf8_size(unsigned long code_point) {
  return code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
}

/// Sizes in bytes of one piece of a value: as it is written, and as it is resolved.
struct Piece {
  std::size_t written = 1, resolved = 1;
};

Piece first_piece(std::string_view raw) {
  if (raw.starts_with("\r\n")) return {2, 1};
  if (!raw.starts_with("&")) return {1, 1};
  const std::size_t end = std::min(raw.find(';'), raw.size() - 1);
  if (!raw.starts_with("&#")) return {end + 1, 1};
  const bool is_hexadecimal = raw.starts_with("&#x");
  const std::size_t digits = is_hexadecimal ? 3 : 2;
  unsigned long code_point = 0;
  std::from_chars(raw.data() + std::min(digits, end), raw.data() + end, code_point, is_hexadecimal ? 16 : 10);
  return {end + 1, utf8_size(code_point)};
}

}  // namespace

const XmlAttribute* XmlElement::find(std::string_view attribute_name) const {
  for (const XmlAttribute& attribute : attributes) {
    if (attribute.name == attribute_name) return &attribute;
  }
  return nullptr;
}

XmlDocument::XmlDocument(std::string_view text, std::string file_name, Findings& findings)
    : source_(text, std::move(file_name)) {
  read(findings);
}

XmlDocument::XmlDocument(std::unique_ptr<std::string> text, std::string file_name, Findings& findings)
    : kept_(std::move(text)), source_(*kept_, std::move(file_name)) {
  read(findings);
}

void XmlDocument::read(Findings& findings) {
  const std::string_view text = source_.text();
  if (text.size() > kMaxBytes) {
    findings.error({source_.file_name()}, "larger than 16 MiB: this is not a configuration");
    return;
  }
  // The XML library would read it, but places in it would be wrong.
  constexpr std::string_view kLittleEndian("<\0", 2), kBigEndian("\0<", 2);  // without a byte order mark
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || text.starts_with(kLittleEndian) ||
      text.starts_with(kBigEndian)) {
    findings.error(where(0), "the encoding UTF-16 is not supported; save the file as UTF-8");
    return;
  }
  is_complete_ = TreeBuilder(source_, root_, findings).build();
}

XmlDocument::XmlDocument(std::unique_ptr<PlacedText> text, std::string file_name, XmlElement root,
                         bool is_complete)
    : placed_(std::move(text)),
      source_(placed_->text(), std::move(file_name)),
      root_(std::move(root)),
      is_complete_(is_complete) {}

Location XmlDocument::where_in_value(const XmlAttribute& attribute, std::size_t index) const {
  std::size_t at = attribute.value_at;
  if (placed_) return where(at + std::min(index, attribute.written_size));
  // A resolved entity is shorter than its text, so a value of the same size has none.
  if (attribute.written_size == attribute.value.size()) return where(at + index);
  std::size_t resolved = 0;
  while (at < source_.text().size()) {
    const Piece piece = first_piece(source_.text().substr(at));
    if (resolved + piece.resolved > index) break;
    resolved += piece.resolved;
    at += piece.written;
  }
  return where(at);
}

}  // namespace pileus
