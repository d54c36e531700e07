#pragma once
// The one table of the elements and attributes of the configuration. Validation, suggestions and the
// reference come from it; no other code knows which elements there are.

#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue.h"

namespace pileus {

enum class ValueKind {
  text,
  name,             ///< names something of ours: letters, digits, "_", "-", "."
  reference,        ///< refers to such a name, perhaps with namespaces: "dynamics::w"
  references,       ///< several of them, separated by commas
  file_name,        ///< no folders; {time} and the like stand for its write period
  plain_file_name,  ///< no folders
  whole_path,       ///< from the root of a host's files
  names,            ///< names of dimensions, separated by commas
  order,            ///< names of dimensions in the order of a file; time may come first
  word,             ///< one of `words`
  stages,           ///< one of `words`, or stages of these in time: "maximum over 1 d, averaged"
  boolean,          ///< true or false
  integer,          ///< positive
  level,            ///< a whole number from 0 to 9
  bits,             ///< a whole number from 1 to 52
  packed_bits,      ///< a whole number from 1 to 32
  places,           ///< a whole number from -20 to 20
  error,            ///< "absolute 0.01 K", "relative 1e-4"
  calendar,         ///< one of CF
  date,             ///< 2000-01-01 00:00:00
  signals,          ///< words of core/signals.h, separated by blanks
  count,            ///< a whole number from 0
  counts,           ///< whole numbers from 0, separated by commas
  number,           ///< finite
  numbers,          ///< finite, separated by blanks or commas; or "file:" and the path of a file with them
  table,            ///< "file:" and the path of a text file, of which the operator gets the text
  duration,         ///< positive, with an optional unit
  duration_or_0,
  cadence,          ///< a whole number of steps from 0, or a time with its unit
  wall_time,        ///< a duration that is not in months
  bytes,            ///< positive, with an optional unit
  path,             ///< the path of another file; not empty
  expression,       ///< not empty
  attribute_value,  ///< not empty
  server            ///< "auto" or the number of a server, from 0
};

struct AttributeSchema {
  std::string name;
  ValueKind kind = ValueKind::text;
  bool is_required = false;
  std::string default_value = {};
  std::string help = {};  ///< one line, with units
  std::vector<std::string> words = {};
};

struct ElementSchema {
  std::string name;
  std::string parent;                       ///< "" for the root; "file/include" where several elements have
                                            ///< the name
  std::string help;                         ///< one line
  std::vector<AttributeSchema> attributes;  ///< the one that names the element comes first
  bool is_unique = false;                   ///< at most once inside its parent
  bool needs_child = false;                 ///< needs at least one element inside, or the text
  std::string text = {};                    ///< text inside stands for this attribute

  const AttributeSchema* find(std::string_view attribute) const;
  std::vector<std::string> attribute_names() const;
};

/// All elements, the root first.
const std::vector<ElementSchema>& configuration_schema();

/// nullptr if `parent` may not hold such an element.
const ElementSchema* find_schema(std::string_view parent, std::string_view name);
const ElementSchema* find_schema(const ElementSchema& parent, std::string_view name);
/// The names of the elements that may stand inside `parent`, in the order of the table.
std::vector<std::string> child_names(const ElementSchema& parent);
/// The same names without <attribute>, which describes an element and is not part of its content.
std::vector<std::string> content_names(const ElementSchema& parent);
/// The parent of `element`, as messages call it.
std::string parent_name(const ElementSchema& element);

inline constexpr std::string_view kAttributeElement = "attribute";

/// The schema of one operator or communication: that of the element, with the parameters that `declaration`
/// adds.
ElementSchema with_parameters(const ElementSchema& rule, const Declaration& declaration);

}  // namespace pileus
