#include "apps/version.h"

#include "commit.h"

#ifdef __clang__
#define PILEUS_COMPILER "Clang " __clang_version__
#else
#define PILEUS_COMPILER "GCC " __VERSION__
#endif

namespace pileus::apps {

std::string version_text(const std::string& program, const std::vector<std::string>& libraries) {
  std::string text = program + " " PILEUS_VERSION;
  if (*PILEUS_COMMIT != '\0') text += " (commit " PILEUS_COMMIT ")";
  text += '\n';
  for (const std::string& library : libraries) text += "  " + library + '\n';
  return text + "  compiler: " PILEUS_COMPILER "\n";
}

}  // namespace pileus::apps
