#include "config/schema/cmip_schema.h"

namespace pileus {

std::vector<ElementSchema> cmip_elements() {
  using Kind = ValueKind;
  const auto attribute = [](std::string name, Kind kind, bool is_required, std::string help) {
    return AttributeSchema{std::move(name), kind, is_required, "", std::move(help)};
  };
  const auto period = [&](const std::string& more) {
    return attribute("write_time_frequency", Kind::duration, false,
                     "model time that one file covers, for example \"10 years\"" + more);
  };
  return {
      {"cmip-dataset",
       "data-writing",
       "what the files of a CMIP experiment say of themselves; each cmip in it is a series of files",
       {attribute("experiment_id", Kind::text, true,
                  "of the controlled vocabulary, for example \"historical\""),
        attribute("tables", Kind::path, true,
                  "path of the tables up to what tells them apart: \"Tables/CMIP6\" stands for "
                  "Tables/CMIP6_Amon.json and its neighbours"),
        attribute("cv", Kind::path, false,
                  "path of the controlled vocabulary; that of the tables and \"_CV.json\" otherwise"),
        attribute("source_id", Kind::text, true, "the model"),
        attribute("institution_id", Kind::text, true, "who ran it"),
        attribute("variant_label", Kind::text, true, "of the member, for example \"r1i1p1f1\""),
        attribute("grid_label", Kind::text, true, "for example \"gn\""),
        attribute("nominal_resolution", Kind::text, true, "for example \"100 km\""),
        attribute("version", Kind::text, true, "of the dataset in its folders, for example \"v20270131\""),
        attribute("source_type", Kind::text, false, "components of the model, for example \"AOGCM AER\""),
        attribute("activity_id", Kind::text, false, "that of the experiment otherwise, if it has one"),
        attribute("sub_experiment_id", Kind::text, false, "\"none\" otherwise"),
        attribute("grid", Kind::text, false, "the grid in words"),
        attribute("region", Kind::text, false, "of CMIP7; \"glb\" otherwise"),
        attribute("license", Kind::text, false, "its text, and of CMIP7 its license_id"),
        attribute("folder", Kind::path, false, "before the folders of the data reference syntax"),
        period("")}},
      {"cmip",
       "cmip-dataset",
       "one variable of CMIP: its name, units, sign and what is done in time are those of the table",
       {attribute("variable", Kind::text, true,
                  "its name in the table: \"tas\", or of CMIP7 \"tas_tavg-h2m-hxy-u\""),
        attribute("table", Kind::text, true, "for example \"Amon\", or of CMIP7 \"atmos\""),
        attribute("field", Kind::reference, true, "the field or diagnostic that has its values"),
        {"positive",
         Kind::word,
         false,
         "",
         "which way the field counts as positive, where the table says one",
         {"up", "down"}},
        attribute("frequency", Kind::text, false, "of CMIP7, whose tables have none: \"mon\""),
        attribute("namespace", Kind::reference, false, "where names are looked up first"),
        period("; that of the dataset otherwise")}}};
}

}  // namespace pileus
