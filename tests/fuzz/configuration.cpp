// Takes any text as a configuration with its includes, reads and checks it, and plans it for a model with the
// fields that it declares. Every finding must have a place that exists, and what the check finds right must
// have a plan.

#include "apps/unit_check.h"
#include "layout/make_plan.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {

std::vector<std::string> seeds() {
  return {small_run().configuration_text,
          "<io-configuration>\n<include file=\"io/a.xml\" namespace=\"n\"/>\n<include file=\"b.xml\"/>\n"
          "<data-writing><file name=\"f.nc\" write_time_frequency=\"{t}\"><include field=\"n::w\" "
          "time_manipulation=\"none\"/><include field=\"m\" time_manipulation=\"averaged\" "
          "output_frequency=\"10\"/></file></data-writing></io-configuration>\n%%% io/a.xml\n"
          "<io-configuration><data-definition name=\"d\" frequency=\"1\"><field name=\"w\" size=\"z,y,x\" "
          "collective=\"true\" units=\"m s-1\"/></data-definition></io-configuration>\n%%% b.xml\n"
          "<io-configuration><data-handling><diagnostic field=\"m\" units=\"K\"><![CDATA[mean[y,x](n::w | "
          "n::w > {o:0})]]></diagnostic></data-handling></io-configuration>\n%%% --set\nt=20\no=1\n"};
}

std::vector<std::string> words() { return words_of_configurations(); }

}  // namespace pileus::testing

namespace {

/// Only a model knows which dimensions the fields have where sizes lack.
bool has_all_sizes(const pileus::Config& config) {
  for (const pileus::DataGroupConfig& data : config.data_groups) {
    for (const pileus::FieldConfig& field : data.fields) {
      if (field.size.empty() && field.type.value != "scalar") return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pileus;
  using namespace pileus::testing;
  static const UnitSystem units;
  Input input({reinterpret_cast<const char*>(data), size});
  if (input.options.empty()) input.options = {{"x_size", "6"}, {"y_size", "4"}, {"end_time", "600"}};
  Findings findings;
  const Config config = read_config(input.text(), Input::kMain, catalogue(), input.options, findings, false,
                                    among(input.files), all_dialects());
  check_config(config, findings, true);
  apps::check_units(config, units, findings);
  require_real_places(findings, input);
  Findings with_model;
  make_plan(config, model_of(config), 2, with_model);
  require_real_places(with_model, input);
  if (has_all_sizes(config) && !findings.has_errors() && with_model.has_errors())
    end("the check finds nothing, but the plan: " + with_model.text());
  return 0;
}
