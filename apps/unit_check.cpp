#include "apps/unit_check.h"

#include <string>

#include "apps/unit_clashes.h"
#include "config/messages.h"
#include "config/values.h"
#include "rules/graph.h"

namespace pileus::apps {
namespace {

class UnitCheck {
 public:
  UnitCheck(const Config& config, const UnitSystem& system, Findings& findings)
      : config_(config), system_(system), findings_(findings) {}

  void check(const Text& units) {
    const bool is_open = units.value.find('{') != std::string::npos;
    if (!units.is_given() || units.value.empty() || is_open) return;
    if (!system_.parse(units.value)) report(units);
  }

 private:
  /// Reports the first word of the units that is no unit by itself, or else all of them.
  void report(const Text& units) {
    std::string what = "units=" + in_quotes(units.value) + ": ";
    if (units.value.size() > UnitSystem::kLongest) return findings_.warning(units.where, what + kNoUnit);
    std::size_t at = 0;
    for (const std::string& word : split_words(units.value)) {
      at = units.value.find(word, at);
      if (!system_.parse(word)) {
        if (word != units.value) what += in_quotes(word) + " is ";
        return findings_.warning(planning::inside(config_, units, at), what + kNoUnit);
      }
      at += word.size();
    }
    findings_.warning(units.where, what + kNoUnit);
  }

  static constexpr const char* kNoUnit =
      "no unit that UDUNITS knows, as CF asks for; write, for example, kg m-2 s-1";

  const Config& config_;
  const UnitSystem& system_;
  Findings& findings_;
};

}  // namespace

void check_units(const Config& config, Findings& findings) { check_units(config, UnitSystem(), findings); }

void check_units(const Config& config, const UnitSystem& system, Findings& findings) {
  if (!system.is_there())
    return findings.note({}, "units are not checked: the units of UDUNITS are not installed");
  UnitCheck check(config, system, findings);
  for (const DimensionConfig& dimension : config.dimensions) check.check(dimension.units);
  for (const DataGroupConfig& group : config.data_groups) {
    for (const FieldConfig& field : group.fields) check.check(field.metadata.units);
  }
  for (const DiagnosticConfig& diagnostic : config.diagnostics) check.check(diagnostic.metadata.units);
  check_unit_clashes(config, system, findings);
}

}  // namespace pileus::apps
