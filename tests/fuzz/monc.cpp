// Any text as a configuration of MONC: it becomes a Config or findings, and where there is no error its
// strict form says the same. What it includes is what stands in it behind a line of "%%% PATH".

#include <cstdio>

#include "core/error.h"
#include "monc/test_support.h"
#include "plan/make_plan.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {
namespace {

constexpr std::string_view kMark = "\n%%% ";

Texts files_in(std::string_view text) {
  Texts files;
  std::string name = "io.xml";
  while (true) {
    const std::size_t mark = std::min(text.find(kMark), text.size());
    files[name] = std::string(text.substr(0, mark));
    if (mark == text.size()) return files;
    text.remove_prefix(mark + kMark.size());
    const std::size_t end = std::min(text.find('\n'), text.size());
    name = std::string(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

[[noreturn]] void differs(const std::string& strict, const std::string& a, const std::string& b) {
  std::fprintf(stderr, "the strict form\n%s\nis not the same:\n%s\n%s\n", strict.c_str(), a.c_str(),
               b.c_str());
  __builtin_trap();
}

}  // namespace

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
      "<group name=\"g\"><member name='w'></group>// x\n//y\n<!-- a > <b/> -->"};
}

}  // namespace pileus::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pileus;
  using namespace pileus::testing;
  static const Catalogue catalogue = builtin_catalogue();
  const Options options = {{"x_size", "4"}, {"y_size", "4"}, {"t", "60"}, {"q_field_names", "a,b"}};
  const Texts files = files_in({reinterpret_cast<const char*>(data), size});
  const FindInclude find = among(files);
  Findings findings, strict_findings;
  const Config config = read_config(files.at("io.xml"), "io.xml", catalogue, options, findings, false, find,
                                    all_dialects("monc"));
  check_config(config, findings);
  if (findings.has_errors()) return 0;
  const std::string strict = converted(files.at("io.xml"), "io.xml", options, find);
  const Config again = read_config(strict, "strict.xml", catalogue, options, strict_findings);
  check_config(again, strict_findings);
  if (dump(config) != dump(again)) differs(strict, dump(config), dump(again));
  if (strict_findings.has_errors()) differs(strict, findings.text(), strict_findings.text());
  return 0;
}
