#pragma once
// A strict XML document as a small tree in which every element, attribute name and attribute value knows its
// place. Only xml_document.cpp knows the XML library. A DOCTYPE is refused, so the user cannot define
// entities.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "xml/placed_text.h"
#include "xml/source_text.h"

namespace pileus {

/// Offsets are counted in bytes from the start of the document's source text.
struct XmlAttribute {
  std::string name;
  std::string value;  ///< entities resolved; line ends and tabs are blanks
  std::size_t name_at = 0;
  std::size_t value_at = 0;      ///< the first byte after the quote
  std::size_t written_size = 0;  ///< size of the value as it is written
};

/// Text between elements, without blanks at its ends.
struct XmlText {
  std::string text;
  std::size_t at = 0;
};

struct XmlElement {
  std::string name;
  std::size_t at = 0;  ///< offset of the "<"
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  std::vector<XmlText> texts;
  std::vector<XmlText> comments;  ///< only the readers of dialects keep them
  bool is_complete = false;       ///< its end was read

  const XmlAttribute* find(std::string_view attribute_name) const;
};

class XmlDocument {
 public:
  /// Elements that lie deeper are left out of the tree; none of our languages is that deep.
  static constexpr std::size_t kMaxDepth = 16;
  static constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
  /// Most elements, attributes and texts that are read: ten times those of the largest configurations.
  static constexpr std::size_t kMostParts = 500'000;

  /// Reads all of `text`. If it is not well-formed there is one finding, and the tree ends at that place.
  /// REQUIRES: what `text` views outlives the document.
  XmlDocument(std::string_view text, std::string file_name, Findings& findings);
  /// Does the same, and keeps the text.
  XmlDocument(std::unique_ptr<std::string> text, std::string file_name, Findings& findings);
  /// Holds the tree that the reader of another dialect has made; its offsets are into `text`.
  XmlDocument(std::unique_ptr<PlacedText> text, std::string file_name, XmlElement root, bool is_complete);

  /// nullptr if there is no element at all.
  const XmlElement* root() const { return root_ ? &*root_ : nullptr; }
  bool is_complete() const { return is_complete_; }
  const SourceText& source() const { return source_; }

  Location where(std::size_t offset) const {
    return placed_ ? placed_->where(offset) : source_.where(offset);
  }
  /// The place in the source of byte `index` of the attribute's resolved value.
  Location where_in_value(const XmlAttribute& attribute, std::size_t index) const;

 private:
  void read(Findings& findings);

  std::unique_ptr<std::string> kept_;   ///< the text, if the document keeps it
  std::unique_ptr<PlacedText> placed_;  ///< the text of another dialect, perhaps of several files
  SourceText source_;
  std::optional<XmlElement> root_;
  bool is_complete_ = false;
};

}  // namespace pileus
