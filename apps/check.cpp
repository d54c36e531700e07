#include "apps/check.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "analytics/operators/list.h"
#include "config/read_config.h"
#include "monc/dialect.h"
#include "plan/make_plan.h"

namespace pileus::apps {
namespace {

std::string errors_of(const Findings& findings) {
  const auto errors = std::ranges::count(findings.all(), Severity::error, &Finding::severity);
  return errors == 0 ? "no errors" : std::to_string(errors) + (errors == 1 ? " error" : " errors");
}

/// False if there are errors.
bool check_one(const std::string& file, const ReadSettings& settings) {
  const std::map<std::string, std::string> options(settings.options.begin(), settings.options.end());
  Findings findings;
  const Config config = read_config(read_text_file(file), file, builtin_catalogue(), options, findings, false,
                                    includes_on_disk(presets_directory(), folders_of(settings.include_path)),
                                    all_dialects(settings.dialect));
  check_config(config, findings);
  if (!findings.all().empty()) std::cout << findings.text() << '\n';
  std::cout << file << ": " << errors_of(findings) << '\n';
  return !findings.has_errors();
}

}  // namespace

int check(const std::vector<std::string>& files, const ReadSettings& settings) {
  int status = 0;
  for (const std::string& file : files) {
    try {
      status = std::max(status, check_one(file, settings) ? 0 : 1);
    } catch (const ConfigError& error) {
      std::cerr << error.what() << '\n';
      status = 2;
    }
  }
  return status;
}

}  // namespace pileus::apps
