#include "core/log.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {

RunDescription small_run() {
  log::set_level(log::Level::error);
  RunDescription run;
  run.configuration_name = "run.xml";
  run.configuration_text = R"xml(<io-configuration>
  <data-definition name="state" frequency="2">
    <field name="w" type="array" data_type="double" size="y,x" collective="true" units="m s-1"/>
    <field name="path" type="array" data_type="double"/>
    <field name="dt" type="scalar" data_type="double"/>
  </data-definition>
  <data-handling>
    <diagnostic field="path_mean" units="kg m-2">
      <operator name="localreduce" operator="sum" field="path" result="path_local"/>
      <communication name="reduction" operator="sum" field="path_local" result="path_sum" root="auto"/>
      <operator name="arithmetic" equation="path_sum/({x_size}*4)" result="path_mean"/>
    </diagnostic>
    <diagnostic field="w_max">
      <operator name="localreduce" operator="max" dimensions="x" field="w" result="w_local"/>
      <communication name="reduction" operator="max" field="w_local" result="w_max"/>
    </diagnostic>
    <diagnostic field="w_scaled">
      <operator name="arithmetic" result="w_scaled" equation="2*w - dt^2/3"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="a.nc" write_time_frequency="20">
      <include field="w" time_manipulation="averaged" output_frequency="10"/>
      <include field="path_mean" time_manipulation="instantaneous" output_frequency="5"/>
    </file>
    <file name="b.nc" write_time_frequency="40">
      <include field="w_scaled" time_manipulation="none"/>
      <include field="w_max" time_manipulation="none"/>
      <include field="dt" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
)xml";
  run.options = {{"x_size", "6"}};
  for (Index rank = 0; rank < 2; ++rank) {
    RankDescription one;
    one.options = run.options;
    one.dimensions = {{"y", 4, {1, 2, 3, 4}, "m"}, {"x", 6, {}, ""}};
    one.fields = {{"w", ElementType::float64, {"y", "x"}, {{0, 3 * rank}, {4, 3}}},
                  {"path", ElementType::float64, {}, {{0}, {5}}},
                  {"dt", ElementType::float64, {}, {}}};
    run.model.add(one);
  }
  run.identity = {"0123456789abcdef", "2000-01-01T00:00:00Z"};
  run.directory = ".";
  return run;
}

}  // namespace pileus::testing
