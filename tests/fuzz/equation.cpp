// Any text as an equation, as a condition, and as an expression that becomes a plan.

#include "analytics/operators/list.h"
#include "config/read_config.h"
#include "plan/expression.h"
#include "plan/make_plan.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {

std::vector<std::string> seeds() {
  return {"a+b",
          "-x^2",
          "2*(w - dt^2/3) % 4",
          "a*-b/--c",
          "1.5e-3*x_1",
          "((((a))))",
          "a / b / c^d^e",
          "1e308*1e308 - 0.1",
          "ns::w + 1",
          "w > 0 and not (p <= 1 or p ne 2)",
          "mean[y,x](w * theta)",
          "mean[y,x](any[z](w > 1e-5))",
          "max[z](w | theta > 1 and w > 0) - min(profile)",
          "w - mean[y,x](w)",
          "where(count[z](w > {o}) == 0, sqrt(abs(p)), exp(log(p)) % 3)",
          "sum(local) / min(p, dt, 2)"};
}

}  // namespace pileus::testing

namespace pileus {
namespace {

Config configuration() {
  Findings findings;
  return read_config(R"(<io-configuration><data-definition name="d" frequency="1">
      <field name="w" size="z,y,x" collective="true"/><field name="theta" size="z,y,x" collective="true"/>
      <field name="p" size="y,x" collective="true"/><field name="profile" size="z" parts="same"/>
      <field name="local"/><field name="dt" type="scalar"/></data-definition>
    <data-handling><diagnostic field="e" expression="w"/></data-handling><data-writing>
      <file name="f.nc" write_time_frequency="10"><include field="e" time_manipulation="none"/></file>
    </data-writing></io-configuration>)",
                     "fuzz.xml", builtin_catalogue(), {}, findings);
}

/// Two ranks with parts of x; z is not divided.
ModelDescription model() {
  ModelDescription model;
  for (Index rank = 0; rank < 2; ++rank) {
    RankDescription& one = model.ranks.emplace_back();
    one.dimensions = {{"z", 3, {}, ""}, {"y", 2, {}, ""}, {"x", 4, {}, ""}};
    const Region volume{{0, 0, 2 * rank}, {3, 2, 2}}, plane{{0, 2 * rank}, {2, 2}};
    one.fields = {{"w", ElementType::float64, {"z", "y", "x"}, volume},
                  {"theta", ElementType::float32, {"z", "y", "x"}, volume},
                  {"p", ElementType::float64, {"y", "x"}, plane},
                  {"profile", ElementType::float64, {"z"}, {{0}, {3}}},
                  {"local", ElementType::float64, {}, {{0}, {5 + rank}}},
                  {"dt", ElementType::float64, {}, {}}};
  }
  return model;
}

void parse(std::string_view text) {
  using namespace planning;
  for (const auto language : {Language::equation, Language::condition, Language::expression}) {
    try {
      parse_tree(text, language);
    } catch (const ExpressionError& error) {
      if (error.offset() > text.size()) __builtin_trap();  // where the caret stands
    }
  }
}

void plan(std::string_view text) {
  static const Config before = configuration();
  static const ModelDescription two_ranks = model();
  Config config = before;
  config.diagnostics.front().expression.value = text;
  Findings findings;
  check_config(config, findings);
  Findings more;
  make_plan(config, two_ranks, 2, more);
}

}  // namespace
}  // namespace pileus

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  pileus::parse(text);
  pileus::plan(text);
  return 0;
}
