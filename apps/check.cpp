#include "apps/check.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "analytics/operators/list.h"
#include "config/read_config.h"
#include "plan/make_plan.h"

namespace pileus::apps {

int check(const std::vector<std::string>& files,
          const std::vector<std::pair<std::string, std::string>>& settings) {
  const std::map<std::string, std::string> options(settings.begin(), settings.end());
  int status = 0;
  for (const std::string& file : files) {
    try {
      Findings findings;
      const Config config = read_config(read_text_file(file), file, builtin_catalogue(), options, findings,
                                        false, includes_on_disk());
      check_config(config, findings);
      if (!findings.all().empty()) std::cout << findings.text() << '\n';
      const auto errors = std::ranges::count(findings.all(), Severity::error, &Finding::severity);
      if (errors > 0) {
        std::cout << file << ": " << errors << (errors == 1 ? " error\n" : " errors\n");
        status = std::max(status, 1);
      } else {
        std::cout << file << ": no errors\n";
      }
    } catch (const ConfigError& error) {
      std::cerr << error.what() << '\n';
      status = 2;
    }
  }
  return status;
}

}  // namespace pileus::apps
