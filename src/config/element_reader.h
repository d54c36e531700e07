#pragma once
// Reads one element of the configuration: checks it against its schema, and then gives its values.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/include_files.h"
#include "config/schema/schema.h"
#include "config/substitution.h"
#include "core/error.h"
#include "xml/xml_document.h"

namespace pileus {

/// The data that all readers of one document share.
struct Reading {
  const XmlDocument* document;
  const Catalogue& catalogue;
  const Options& options;
  bool allow_missing_options;
  Findings& findings;
  std::map<std::string, bool>* options_used = nullptr;  ///< by key: whether it is missing
  const FindInclude* find_file = nullptr;               ///< other files of the configuration
};

/// The constructor reports everything that is wrong with the element itself: its attributes and their values,
/// text in it, and which elements stand in it. A wrong value then reads as its default, so that reading can
/// go on.
class ElementReader {
 public:
  /// REQUIRES: all arguments outlive this object.
  ElementReader(Reading& reading, const XmlElement& element, const ElementSchema& schema);

  const XmlElement& element() const { return element_; }
  Location where() const { return reading_.document->where(element_.at); }
  /// `field "w"`, or `include` if nothing names the element.
  const std::string& label() const { return label_; }

  /// True if the attribute is there, right or wrong.
  bool is_given(std::string_view attribute) const { return element_.find(attribute) != nullptr; }
  /// True if an unknown attribute was probably meant to be this one.
  bool was_misspelt(std::string_view attribute) const;
  /// True if the attribute is there, its value is right, and no {key} in it was left unreplaced.
  bool is_usable(std::string_view attribute) const;

  /// The value, or the default, which has no place in the file.
  Text text(std::string_view attribute) const;
  std::vector<Text> names(std::string_view attribute) const;
  std::optional<std::int64_t> integer(std::string_view attribute, std::int64_t smallest = 1) const;
  std::optional<double> number(std::string_view attribute) const;
  std::optional<std::int64_t> bytes(std::string_view attribute) const;
  std::optional<Duration> duration(std::string_view attribute) const;
  /// A number of steps, or a time with its unit; every step where it is missing or wrong.
  Cadence cadence(std::string_view attribute) const;
  bool boolean(std::string_view attribute) const;

  /// The elements called `name` inside this one; each is checked when its reader is made.
  std::vector<ElementReader> children(std::string_view name) const;

  void error(const Location& where, const std::string& what) const { reading_.findings.error(where, what); }
  void note(const Location& where, const std::string& what) const { reading_.findings.note(where, what); }

 private:
  struct Value {
    Text text;
    bool is_usable = false;
    std::vector<Text> items;  ///< the items of a list
  };

  /// Whether text inside the element stands for an attribute that is not given.
  bool has_value_as_text() const;
  void read_attribute(const XmlAttribute& attribute);
  Value read_value(const XmlAttribute& attribute, const AttributeSchema& schema) const;
  void read_items(const XmlAttribute& attribute, const Substituted& value, std::size_t first,
                  Value& out) const;
  void report_missing_attributes() const;
  void report_misplaced_children() const;
  void report_text() const;

  Reading& reading_;
  const XmlElement& element_;
  const ElementSchema& schema_;
  std::string label_;
  std::map<std::string, Value, std::less<>> values_;
  std::vector<std::string> misspelt_;  ///< attributes that an unknown one was probably meant to be
};

}  // namespace pileus
