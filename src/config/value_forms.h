#pragma once
// The forms that values have, in words for people and as patterns for editors. What a reader accepts is in
// value_check.h; tests hold the two against each other.

#include <string>

#include "config/schema.h"

namespace pileus {

struct ValueForm {
  const char* name;     ///< of the type in the XML schema
  const char* meaning;  ///< what a person writes there; "" for a word, whose words say it
  std::string pattern;  ///< regular expression of XML Schema, blanks collapsed; "": anything
};

/// REQUIRES: not `word`, whose values are the attribute's own.
ValueForm form_of(ValueKind kind);

/// "true or false", or the words that are possible.
std::string form_in_words(const AttributeSchema& attribute);

}  // namespace pileus
