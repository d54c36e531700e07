// Any text as a configuration: it is read, and becomes a Plan or findings. The first byte says whether the
// model gives options.

#include "core/error.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {

std::vector<std::string> seeds() {
  const std::string text = small_run().configuration_text;
  return {"o" + text, "n" + text};
}

}  // namespace pileus::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  pileus::RunDescription run = pileus::testing::small_run();
  if (data[0] % 2 == 0) run.options.clear();
  run.configuration_text.assign(reinterpret_cast<const char*>(data + 1), size - 1);
  pileus::Findings findings;
  try {
    plan_run(run, 2, findings);
  } catch (const pileus::ConfigError&) {
    // The findings of a wrong configuration.
  }
  return 0;
}
