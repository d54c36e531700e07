#pragma once
// What a configuration asks of the model, as a model rank hears it before it registers anything. Names stand
// as they are written; nothing here knows whether the model has the fields.

#include <cstdint>
#include <string>
#include <vector>

#include "core/encoder.h"

namespace pileus {

/// How often a file gets a record of something.
struct WantedOutput {
  double seconds = 0;       ///< model time from one record to the next; 0: the file decides, or every sample
  std::int64_t months = 0;  ///< 0: `seconds` count
  friend bool operator==(const WantedOutput&, const WantedOutput&) = default;
};

struct WantedDefinition {
  std::string name, scope;        ///< the scope is its namespaces; "" for none
  std::int64_t frequency = 1;     ///< steps from one hand-over to the next; 0: in the final step only
  double frequency_s = 0;         ///< model time from one hand-over to the next; 0: `frequency` counts
  bool is_sent_at_end = false;    ///< the final step hands it over whatever its index
  std::uint32_t first_field = 0;  ///< index into Wants::fields
  std::uint32_t field_count = 0;
  friend bool operator==(const WantedDefinition&, const WantedDefinition&) = default;
};

struct WantedField {
  std::string name;                ///< with its namespaces
  std::uint32_t definition = 0;    ///< index into Wants::definitions
  std::string kind, data_type;     ///< words of the configuration; "" where it leaves them open
  std::vector<std::string> sizes;  ///< names of dimensions, fastest first
  bool has_sizes = false;          ///< the configuration names the dimensions, or says that it is a scalar
  bool is_optional = false, is_collective = false, is_static = false;
  std::vector<WantedOutput> outputs;  ///< each once; empty: no file needs the field
  friend bool operator==(const WantedField&, const WantedField&) = default;
};

struct Wants {
  std::vector<WantedDefinition> definitions;
  std::vector<WantedField> fields;  ///< definition by definition

  void encode(Encoder& out) const;
  static Wants decode(Decoder& in);
  friend bool operator==(const Wants&, const Wants&) = default;
};

}  // namespace pileus
