#pragma once
// Translates the elements of a MONC file into those of strict XML with the same meaning. All differences
// between the two languages are here and in the files named below. Where the result differs on purpose, a
// note says so.

#include "config/dialect.h"
#include "monc/fork.h"
#include "xml/xml_document.h"

namespace pileus::monc {

/// The data that the steps of a translation share.
struct Translation {
  XmlElement& root;
  const PlacedText& text;
  DialectReading reading;
  Fork fork;

  Findings& findings() const { return reading.findings; }
  /// The place of an attribute's value.
  Location where(const XmlAttribute& attribute) const { return text.where(attribute.value_at); }
  /// The value with its options substituted, as far as they are known.
  std::string resolved(const XmlAttribute& attribute) const;
  /// The same value of an attribute that may be missing: it is "" then.
  std::string resolved(const XmlElement& element, std::string_view attribute) const;
};

/// The attribute of the element; nullptr if it is not there.
XmlAttribute* find_attribute(XmlElement& element, std::string_view name);
/// Gives an attribute another value in the place of the old one, or adds it.
void set_attribute(XmlElement& element, std::string_view name, std::string value);
void remove_attribute(XmlElement& element, std::string_view name);
/// All elements of that name directly inside `element`.
std::vector<XmlElement*> children(XmlElement& element, std::string_view name);

void translate(const Translation& translation);

/// Translates groups and things that are declared twice (groups.cpp).
void translate_names(const Translation& translation);
/// Reads how often files are written and records are due (frequencies.cpp).
void translate_frequencies(const Translation& translation);
/// What MONC reads a number without a point as: "0.60" for "60".
std::string hundredths(std::string_view digits);
/// Translates files and their includes (files.cpp). Comes after translate_names.
void translate_files(const Translation& translation);
/// Notes files that get fewer records in the newer fork, because of their title (titles.cpp). Comes after
/// translate_names.
void note_titles(const Translation& translation);
/// Notes fields that MONC writes as often in one file as in another (shared_records.cpp).
void note_shared_records(const Translation& translation);
/// Splits each field whose last dimension is qfields or tfields into one field for each q field or tracer
/// (q_fields.cpp). Comes after translate_names.
void split_q_fields(const Translation& translation);
/// Reads a declared size with the name of the vertical that its rules make (sizes.cpp).
void rename_sizes(const Translation& translation);
/// Whether the model steps onto the times at which records are due, by an option of the newer fork.
bool lands_on_output(const Translation& translation);
/// With the option time_basis, frequencies in steps are seconds in the newer fork (time_basis.cpp).
void count_in_seconds(const Translation& translation);
/// The places of files that hold the state of MONC's servers. Comes before translate_files.
std::vector<std::size_t> files_with_state(const Translation& translation);
/// Where a bridge hands it over, adds what MONC's servers write into every file (own_variables.cpp). Comes
/// last.
void add_own_variables(const Translation& translation, const std::vector<std::size_t>& with_state);
/// Notes where MONC computes something else with the equation of an arithmetic rule (equations.cpp).
void note_equation(const Translation& translation, const XmlElement& rule);

}  // namespace pileus::monc
