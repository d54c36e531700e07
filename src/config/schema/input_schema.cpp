#include "config/schema/input_schema.h"

namespace pileus {

std::vector<ElementSchema> input_elements() {
  using Kind = ValueKind;
  return {
      {"data-reading",
       "io-configuration",
       "what servers read from files for the model: initial fields, forcing, climatologies",
       {},
       false,
       true},
      {"input",
       "data-reading",
       "a variable of a NetCDF file, whose records model ranks get before they need them",
       {{"name", Kind::name, true, "", "as the model asks for it"},
        {"file", Kind::path, true, "", "path of the file, from the configuration's folder"},
        {"field", Kind::text, false, "", "the variable in the file; one called as the input otherwise"},
        {"interpolate",
         Kind::word,
         false,
         "",
         "between two records: linear, which is so where nothing is said, or none: the earlier one holds",
         {"linear", "none"}},
        {"cycle", Kind::duration, false, "",
         "after how long the records come round, for example \"1 year\" of a climatology"},
        {"ahead", Kind::count, false, "2", "records that a model rank gets before it needs them"},
        {"weights", Kind::path, false, "",
         "file of weights that lead from its points to the model's, from the configuration's folder"},
        {"missing",
         Kind::word,
         false,
         "error",
         "what becomes of missing values: error: the run stops; nan: the model gets NaN",
         {"error", "nan"}}}},
  };
}

}  // namespace pileus
