#pragma once
// From the elements as MONC means them to those of strict XML that mean the same. All differences between
// the two languages are here and in the files that this one names; what differs in the result on purpose is
// a note.

#include "config/dialect.h"
#include "config/xml_document.h"

namespace pileus::monc {

/// What the steps of a translation share.
struct Translation {
  XmlElement& root;
  const PlacedText& text;
  DialectReading reading;

  Findings& findings() const { return reading.findings; }
  /// Where an attribute's value stands.
  Location where(const XmlAttribute& attribute) const { return text.where(attribute.value_at); }
  /// The value with its options, as far as they are known.
  std::string resolved(const XmlAttribute& attribute) const;
  /// The same of an attribute that may be missing: "" then.
  std::string resolved(const XmlElement& element, std::string_view attribute) const;
};

/// Of the element; nullptr if it is not there.
XmlAttribute* find_attribute(XmlElement& element, std::string_view name);
/// Gives an attribute another value, which stands where the old one did, or adds it.
void set_attribute(XmlElement& element, std::string_view name, std::string value);
void remove_attribute(XmlElement& element, std::string_view name);
/// All elements of that name directly inside.
std::vector<XmlElement*> children(XmlElement& element, std::string_view name);

void translate(const Translation& translation);

/// Groups and what is declared twice (groups.cpp).
void translate_names(const Translation& translation);
/// Files and what is included in them (files.cpp). After translate_names.
void translate_files(const Translation& translation);
/// Fields with a dimension qfields become one for each q field (q_fields.cpp). After translate_names.
void split_q_fields(const Translation& translation);

}  // namespace pileus::monc
