#include "capi/answered_wants.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "core/error.h"

namespace pileus {
namespace {

int kind_of(const std::string& word) {
  if (word == "scalar") return PILEUS_KIND_SCALAR;
  if (word == "array") return PILEUS_KIND_ARRAY;
  if (word == "map") return PILEUS_KIND_MAP;
  return PILEUS_KIND_OPEN;
}

int type_of_word(const std::string& word) {
  if (word == "double") return PILEUS_DOUBLE;
  if (word == "float") return PILEUS_FLOAT;
  if (word == "integer") return PILEUS_INT32;
  if (word == "boolean") return PILEUS_BOOL;
  if (word == "string") return PILEUS_TEXT;
  return -1;
}

/// `known` is ours; the caller's structure may be that of an older or newer header, and keeps its size.
template <class Description>
void give(const Description& known, Description* given, std::size_t smallest, const char* call) {
  if (given == nullptr) throw UsageError(std::string(call) + ": the place for the answer is NULL");
  const std::size_t size = given->size;
  if (size < smallest || size > 64 * sizeof known)
    throw UsageError(std::string(call) + ": the structure has a size of " + std::to_string(size) +
                     " bytes; set it to its sizeof before the call");
  std::memset(static_cast<void*>(given), 0, size);
  std::memcpy(static_cast<void*>(given), &known, std::min(size, sizeof known));
  given->size = size;
}

void require_number(int number, int count, const char* call, const char* what) {
  if (number >= 0 && number < count) return;
  throw UsageError(std::string(call) + ": there is no " + what + " " + std::to_string(number) +
                   "; pileus_wants says how many there are, and they are numbered from 0");
}

}  // namespace

AnsweredWants::AnsweredWants(Wants wants) : wants_(std::move(wants)) {
  if (std::max(wants_.fields.size(), wants_.definitions.size()) >
      static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw UsageError("pileus_wants: the configuration has too many fields");
  for (const WantedDefinition& one : wants_.definitions) {
    definitions_.push_back({sizeof(pileus_definition), one.name.c_str(), one.scope.c_str(), one.frequency,
                            one.frequency_s, one.is_sent_at_end, static_cast<int>(one.first_field),
                            static_cast<int>(one.field_count)});
  }
  for (const WantedField& field : wants_.fields) add_field(field);
}

void AnsweredWants::add_field(const WantedField& field) {
  auto& dimensions = dimensions_.emplace_back();
  for (const std::string& size : field.sizes) dimensions.push_back(size.c_str());
  auto& seconds = seconds_.emplace_back();
  auto& months = months_.emplace_back();
  for (const WantedOutput& output : field.outputs) {
    seconds.push_back(output.seconds);
    months.push_back(output.months);
  }
  pileus_wanted_field out{};
  out.size = sizeof out;
  out.name = field.name.c_str();
  out.definition = static_cast<int>(field.definition);
  out.kind = kind_of(field.kind);
  out.type = type_of_word(field.data_type);
  out.rank = field.has_sizes ? static_cast<int>(dimensions.size()) : -1;
  out.dimensions = dimensions.data();
  out.is_optional = field.is_optional;
  out.is_collective = field.is_collective;
  out.is_static = field.is_static;
  out.outputs = static_cast<int>(seconds.size());
  out.output_s = seconds.data();
  out.output_months = months.data();
  fields_.push_back(out);
}

void AnsweredWants::describe(int number, pileus_definition* definition) const {
  require_number(number, definitions(), "pileus_wants_definition", "data-definition");
  give(definitions_[static_cast<std::size_t>(number)], definition, sizeof(pileus_definition),
       "pileus_wants_definition");
}

void AnsweredWants::describe(int number, pileus_wanted_field* field) const {
  require_number(number, fields(), "pileus_wants_field", "field");
  give(fields_[static_cast<std::size_t>(number)], field, sizeof(pileus_wanted_field), "pileus_wants_field");
}

}  // namespace pileus
