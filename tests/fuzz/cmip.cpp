// Takes any text as the vocabulary, the table and the coordinates of CMIP of a configuration, which is read,
// checked and planned. Every finding must have a place that exists, and what the check finds right must have
// a plan.

#include "apps/unit_check.h"
#include "config/cmip/tables.h"
#include "layout/make_plan.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {
namespace {

constexpr const char* kConfiguration = R"xml(<io-configuration>
<time calendar="noleap" epoch="2000-01-01"/>
<dimension name="x" axis="X" standard_name="longitude" units="degrees_east"/>
<dimension name="y" axis="Y" standard_name="latitude" units="degrees_north"/>
<data-definition name="d" frequency="1">
<field name="t" size="x,y" collective="true" units="K"/>
<field name="a" size="x,y,z" collective="true" units="m2"/>
</data-definition>
<data-writing>
<cmip-dataset tables="T" cv="io.xml" experiment_id="e" source_id="s" institution_id="i"
variant_label="r1i1p1f1" grid_label="g" nominal_resolution="100 km"
version="v1" write_time_frequency="1 year" license="l">
<cmip table="A" variable="tas" field="t"/>
<cmip table="A" variable="ta" field="a" positive="up" frequency="mon"/>
</cmip-dataset>
</data-writing>
</io-configuration>)xml";

}  // namespace

std::vector<std::string> seeds() {
  const std::string drs =
      R"("DRS": {"directory_path_template": "<mip_era><variable_id>",
"filename_template": "<variable_id><table_id>"})";
  const std::string table =
      "\n%%% T_A.json\n"
      R"({"Header": {"Conventions": "CF-1.7", "missing_value": "1e20", "generic_levels": "alevel"},
"variable_entry": {
"tas": {"frequency": "mon", "units": "K", "cell_methods": "area: time: mean",
"dimensions": "longitude latitude time height2m",
"cell_measures": "area: areacella", "out_name": "tas", "standard_name": "air_temperature", "positive": ""},
"ta": {"frequency": "", "units": "km2", "cell_methods": "time: maximum within days time: mean over days",
"dimensions": ["longitude", "latitude", "alevel", "time"], "out_name": "ta", "positive": "down"}}})"
      "\n%%% T_coordinate.json\n"
      R"({"axis_entry": {"height2m": {"out_name": "height", "value": "2.",
"units": "m", "axis": "Z", "positive": "up", "type": "double"},
"longitude": {"out_name": "lon", "standard_name": "longitude", "must_have_bounds": "yes", "axis": "X"},
"latitude": {"out_name": "lat", "standard_name": "latitude", "must_have_bounds": "yes", "axis": "Y"},
"lev": {"out_name": "lev", "generic_level_name": "alevel", "requested": ["1", "2"], "axis": "Z"}}})";
  return {R"({"CV": {"required_global_attributes": ["mip_era"], "mip_era": "CMIP6", )" + drs + "}}" + table,
          R"({"CV": {"branding_suffix": "<a>", "mip_era": ["CMIP7"], "license": {"license_id": {"l": {}}},
"variant_label": ["^r[[:digit:]]\\{1,\\}"], "experiment_id": {"e": {"activity_id": ["CMIP"],
"parent_experiment_id": ["no parent"],
"required_model_components": []}}, )" +
              drs + "}}" + table};
}

std::vector<std::string> words() {
  return {"\"CV\"",
          "\"variable_entry\"",
          "\"axis_entry\"",
          "\"units\"",
          "\"value\"",
          "\"bounds_values\"",
          "{",
          "}",
          "[",
          "]",
          "\"frequency\"",
          "\"dimensions\"",
          "null",
          "1e999",
          "\"type\"",
          "\"out_name\"",
          "\"character\"",
          "\"requested\"",
          "\"fx\"",
          "<variable_id>",
          "../",
          "\\\\{1,\\\\}",
          "[[:digit:]]",
          "time: point"};
}

}  // namespace pileus::testing

namespace {

/// Only a model knows which levels it has.
bool are_levels_requested(const pileus::Config& config) {
  for (const pileus::FileConfig& file : config.files)
    if (file.cmip)
      for (const pileus::CmipDimension& dimension : file.cmip->dimensions)
        for (const pileus::CmipCoordinate& one : dimension.entries)
          if (!one.requested.empty()) return true;
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pileus;
  using namespace pileus::testing;
  static const UnitSystem units;
  Input input({reinterpret_cast<const char*>(data), size});
  for (const auto& [name, text] : input.files) {
    try {
      const CmipTable table(text);
      for (const std::string& one : table.names()) (void)table.variable(one);
    } catch (const UsageError&) {
      // It says what is wrong.
    }
  }
  Findings findings;
  Input shown = input;
  shown.files["run.xml"] = kConfiguration;
  const Config config = read_config(kConfiguration, "run.xml", catalogue(), {}, findings, false,
                                    among(input.files), all_dialects());
  check_config(config, findings, true);
  apps::check_units(config, units, findings);
  require_real_places(findings, shown);
  Findings with_model;
  make_plan(config, model_of(config), 2, with_model);
  require_real_places(with_model, shown);
  if (!are_levels_requested(config) && !findings.has_errors() && with_model.has_errors())
    end("the check finds nothing, but the plan: " + with_model.text());
  return 0;
}
