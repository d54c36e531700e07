#include "apps/unit_check.h"

#include <udunits2.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config/messages.h"
#include "config/values.h"
#include "plan/graph.h"

namespace pileus::apps {
namespace {

class UnitSystem {
 public:
  UnitSystem() {
    ut_set_error_message_handler(ut_ignore);
    system_.reset(ut_read_xml(nullptr));
  }

  bool is_there() const { return system_ != nullptr; }

  bool knows(const std::string& text) const {
    const std::unique_ptr<ut_unit, decltype(&ut_free)> unit(ut_parse(system_.get(), text.c_str(), UT_UTF8),
                                                            ut_free);
    return unit != nullptr;
  }

 private:
  std::unique_ptr<ut_system, decltype(&ut_free_system)> system_{nullptr, ut_free_system};
};

class UnitCheck {
 public:
  UnitCheck(const Config& config, Findings& findings) : config_(config), findings_(findings) {}

  void check(const Text& units) {
    const bool is_open = units.value.find('{') != std::string::npos;
    if (!units.is_given() || units.value.empty() || is_open) return;
    if (!system_) system_.emplace();
    if (!system_->is_there()) {
      if (!std::exchange(is_said_, true))
        findings_.note({}, "units are not checked: the units of UDUNITS are not installed");
      return;
    }
    if (!system_->knows(units.value)) report(units);
  }

 private:
  /// The first word of them that is no unit by itself is what is wrong, if there is one.
  void report(const Text& units) {
    std::string what = "units=" + in_quotes(units.value) + ": ";
    std::size_t at = 0;
    for (const std::string& word : split_words(units.value)) {
      at = units.value.find(word, at);
      if (!system_->knows(word)) {
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
  Findings& findings_;
  std::optional<UnitSystem> system_;
  bool is_said_ = false;
};

}  // namespace

void check_units(const Config& config, Findings& findings) {
  UnitCheck check(config, findings);
  for (const DimensionConfig& dimension : config.dimensions) check.check(dimension.units);
  for (const DataGroupConfig& group : config.data_groups) {
    for (const FieldConfig& field : group.fields) check.check(field.metadata.units);
  }
  for (const DiagnosticConfig& diagnostic : config.diagnostics) check.check(diagnostic.metadata.units);
}

}  // namespace pileus::apps
