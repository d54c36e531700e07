// Takes any text as a configuration of MONC and of each of its forks, which becomes a Config or findings. If
// there is no error, its strict form must be read without one and say the same, without any other error or
// warning.

#include <set>

#include "apps/unit_check.h"
#include "layout/make_plan.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"
#include "xml/xml_document.h"

namespace pileus::testing {

std::vector<std::string> seeds() {
  return {
      R"xml(<io-configuration>
  <server-configuration>
    <thread_pool number=10/>
  </server-configuration>
! a line
#include "io/fields.xml"
<data-writing>
  <file name="out/f.nc" write_time_frequency="{t}">
    <include group="g" time_manipulation="averaged" output_frequency=5 />i
    <include state="io"/>
  </file>
</data-writing>
</io-configuration>
%%% io/fields.xml
<!-- -- box
<!-- -->
<data-definition name="d" frequency="2" namespace=n>
  <field name="w" type="array" data_type="double" size="z,y,x" collective=true optional=true/>
  <field name="q" type="array" data_type="double" size="z,y,x,qfields" collective=true>
  <field name="z" type="array" data_type="double" size="z"/>
  <field name="options" type="map" data_type="string" size="number_options"/>
</data-definition>
<data-handling namespace=n>
  <diagnostic field="m" type="scalar" data_type="double" units="m s-1">
    <operator name="arithmetic" result="m" equation="a-l+b/({x_size}*{y_size})"/>
    <communication name="reduction" operator="mean" result="a" field="l" root="auto"/>
    <operator name="localreduce" operator="sum" result="l" field="w"/>
  </diagnostic>
  <diagnostic field="c" type="array" data_type="double" size="z,y-auto,x-auto" collective=true>
    <operator name="field_coarsener" result="c" field="w" dimension="y,x" period="2,2"/>
  </diagnostic>
</data-handling>
<group name="g" namespace=n>
  <member name="m"/><member name="q"/><member name="z"/><member name="time"/>
</group>
)xml",
      R"xml(<!-- <field name="v"/>
#include "io/none.xml" -->
<data-definition name="d" frequency="2"><field name="w" type="array" data_type="double" size="zn,y,x"/>
  <field name="t" type="array" data_type="double" size="z,y,x,tfields"/></data-definition>
<data-handling><diagnostic field="m" type="array" data_type="double" size="z,y_2,x">
<operator name="arithmetic" result="m" equation="w*100"/></diagnostic></data-handling>
<data-writing><file name="a.b.nc" write_timestep_frequency=30 title="Checkpoint" write_precision=FLOAT
 write_on_terminate=true><include field="t" time_manipulation="instantaneous" output_frequency=60 />
<include field="m" time_manipulation="averaged" output_frequency=60 /></file></data-writing>
%%% --set
tracer_names=a,b
time_basis=.true.
)xml",
      "<group name=\"g\"><member name='w'></group>// x\n//y\n<!-- a > <b/> -->"};
}

std::vector<std::string> words() {
  std::vector<std::string> all = words_of_configurations();
  for (const char* word :
       {"\n#include \"io/fields.xml\"\n", "\n! ", "\n// ", "=true/>", "number=2/>", "x-auto", "y-auto", "x_2",
        "qfields", "tfields", "<!--", "-->", "{q}", "title=Checkpoint", "write_precision=float", "\n<!--",
        "zn", "force_output_on_interval=1"})
    all.emplace_back(word);
  return all;
}

namespace {

[[noreturn]] void differs(const std::string& strict, const std::string& a, const std::string& b) {
  end("the strict form\n" + strict + "\nis not the same:\n" + a + "\n" + b);
}

/// The warnings and errors without their places.
std::multiset<std::string> said_in(const Findings& findings) {
  std::multiset<std::string> all;
  for (const Finding& one : findings.all()) {
    if (one.severity != Severity::note) all.insert(one.what);
  }
  return all;
}

/// What the bridge says of the model must not make MONC's out of a well-formed text.
void check_recognition(const Input& input) {
  const Options bridge = {{"pileus_dialect", "monc-epcc"}};
  const bool is_monc = monc_dialect().is_in(input.text(), {}),
             is_monc_there = monc_dialect().is_in(input.text(), bridge);
  Findings findings;
  const XmlDocument strict(input.text(), Input::kMain, findings);
  if (is_monc != is_monc_there && !findings.has_errors()) end("well-formed, and taken for MONC's");
}

void check_reading(const Input& input, const Options& options) {
  static const UnitSystem units;
  const FindInclude find = among(input.files);
  Findings findings, strict_findings, with_model;
  const Config config = read_config(input.text(), Input::kMain, catalogue(), options, findings, false, find,
                                    all_dialects("monc"));
  check_config(config, findings, true);
  apps::check_units(config, units, findings);
  require_real_places(findings, input);
  if (findings.has_errors()) return;
  make_plan(config, model_of(config), 2, with_model);
  require_real_places(with_model, input);
  const std::string strict = converted(input.text(), Input::kMain, options, find);
  const Config again = read_config(strict, "strict.xml", catalogue(), options, strict_findings);
  if (dump(config) != dump(again)) differs(strict, dump(config), dump(again));
  check_config(again, strict_findings, true);
  apps::check_units(again, units, strict_findings);
  for (const std::string& one : said_in(strict_findings)) {
    if (!said_in(findings).contains(one)) differs(strict, findings.text(), strict_findings.text());
  }
}

}  // namespace
}  // namespace pileus::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pileus;
  using namespace pileus::testing;
  Input input({reinterpret_cast<const char*>(data), size});
  if (input.options.empty())
    input.options = {{"x_size", "4"}, {"y_size", "4"}, {"t", "60"}, {"q_field_names", "a,b"}};
  check_recognition(input);
  check_reading(input, input.options);
  for (const char* fork : {"monc-leeds", "monc-epcc"}) {
    Options options = input.options;
    options["pileus_dialect"] = fork;
    check_reading(input, options);
  }
  return 0;
}
