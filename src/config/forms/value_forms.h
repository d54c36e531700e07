#pragma once
// The forms of values, described for people and as patterns for editors. value_check.h decides what a reader
// accepts; tests compare the two.

#include <string>

#include "config/schema/schema.h"

namespace pileus {

struct ValueForm {
  const char* name;     ///< the name of the type in the XML schema
  const char* meaning;  ///< what a person writes there; "" for a word, as its words say it
  std::string pattern;  ///< a regular expression of XML Schema for the value with blanks collapsed; "":
                        ///< anything
};

/// REQUIRES: `kind` is not `word`, whose values depend on the attribute.
ValueForm form_of(ValueKind kind);

/// "true or false", or the words that are possible.
std::string form_in_words(const AttributeSchema& attribute);

}  // namespace pileus
