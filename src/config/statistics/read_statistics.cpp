#include "config/statistics/read_statistics.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "config/first_places.h"
#include "config/messages.h"
#include "config/namespaces.h"
#include "config/number_file.h"
#include "core/units_of_products.h"

namespace pileus {
namespace {

/// What a statistic is made once for.
enum class Per { condition, field, field_and_condition };
/// Its units, from those of the field and of the one that carries it.
enum class Units { one, field, squared, flux };

/// In the texts $f stands for the field, $g for the one that carries it, $c for the condition, $d for the
/// dimensions, $w for the weight and $n for the part of all where the condition holds.
struct Statistic {
  const char* word;
  Per per;
  Units units;
  const char *name, *long_name, *expression;
  bool is_flux() const { return units == Units::flux; }
};

/// Diagnostics of one <statistics>.
constexpr std::size_t kMostAtOnce = 10000;

/// A mask counts where it is not 0, as behind a bar.
constexpr const char* kPart = "mean[$d](($c) != 0$w)";
constexpr std::array kStatistics = {
    Statistic{"fraction", Per::condition, Units::one, "$c_fraction", "part of all where $c", kPart},
    Statistic{"mean", Per::field_and_condition, Units::field, "$f_in_$c", "mean of $f where $c",
              "mean[$d]($f$w | $c)"},
    Statistic{"deviation", Per::field_and_condition, Units::field, "$f_deviation_in_$c",
              "mean of $f where $c, less that of all", "mean[$d]($f$w | $c) - mean[$d]($f$w)"},
    Statistic{"minimum", Per::field_and_condition, Units::field, "$f_minimum_in_$c", "minimum of $f where $c",
              "min[$d]($f | $c)"},
    Statistic{"maximum", Per::field_and_condition, Units::field, "$f_maximum_in_$c", "maximum of $f where $c",
              "max[$d]($f | $c)"},
    Statistic{"variance", Per::field_and_condition, Units::squared, "$f_variance_in_$c",
              "variance of $f where $c", "var[$d]($f$w | $c)"},
    Statistic{"standard_deviation", Per::field_and_condition, Units::field, "$f_standard_deviation_in_$c",
              "standard deviation of $f where $c", "std[$d]($f$w | $c)"},
    Statistic{"flux", Per::field, Units::flux, "$f_flux", "flux of $f by $g", "cov[$d]($g, $f$w)"},
    Statistic{"flux_within", Per::field_and_condition, Units::flux, "$f_flux_within_$c",
              "flux of $f by $g within $c", "where($n > 0, $n * cov[$d]($g, $f$w | $c), 0)"},
    Statistic{"flux_between", Per::field_and_condition, Units::flux, "$f_flux_between_$c",
              "flux of $f by $g, of the means where $c",
              "where($n > 0, $n * (mean[$d]($g$w | $c) - mean[$d]($g$w)) * (mean[$d]($f$w | $c) - "
              "mean[$d]($f$w)), 0)"},
};

const Statistic* find_statistic(std::string_view word) {
  const auto* const found =
      std::ranges::find_if(kStatistics, [&](const Statistic& one) { return one.word == word; });
  return found == kStatistics.end() ? nullptr : found;
}

/// What the marks of a text stand for.
struct Marks {
  std::string field, carrier, condition, dimensions, weight;

  std::string put_into(std::string_view text) const {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '$' && i + 1 < text.size()) {
        out += value_of(text[++i]);
      } else {
        out += text[i];
      }
    }
    return out;
  }

 private:
  std::string value_of(char mark) const {
    switch (mark) {
      case 'f': return field;
      case 'g': return carrier;
      case 'c': return condition;
      case 'd': return dimensions;
      case 'w': return weight;
      default: return put_into(kPart);
    }
  }
};

class StatisticsReader {
 public:
  StatisticsReader(const ElementReader& element, const std::string& scope, const UnitsByName& known)
      : element_(element), scope_(scope), known_(known) {
    std::set<std::string> names;
    for (const auto& [name, units] : known_) names.insert(std::string(last_name(name)));
    names_.assign(names.begin(), names.end());
  }

  Statistics read() {
    out_.group = {element_.text("name"), {}, element_.where(), scope_};
    if (element_.is_usable("weight") && !weight_is_whole())
      element_.error(element_.text("weight").where, element_.label() + ": the parentheses of weight=" +
                                                        in_quotes(element_.text("weight").value) +
                                                        " do not close each other");
    const std::vector<const Statistic*> asked = statistics();
    const std::vector<Text> fields = known_of("fields"), conditions = known_of("conditions");
    carrier_ = element_.text("flux_by");
    check_carrier(asked);
    std::size_t number = 0;
    for (const Statistic* const one : asked)
      number +=
          (one->per == Per::condition ? 1 : fields.size()) * (one->per == Per::field ? 1 : conditions.size());
    if (are_too_many(number)) return std::move(out_);
    for (const Statistic* const one : asked) {
      if (one->is_flux() && !carrier_.is_given()) continue;
      if (one->per == Per::condition) {
        for (const Text& condition : conditions) add(*one, condition, nullptr, &condition);
        continue;
      }
      if (fields.empty() && !element_.is_given("fields")) report_no_fields(*one);
      for (const Text& field : fields) add_of_field(*one, field, conditions);
    }
    return std::move(out_);
  }

 private:
  bool are_too_many(std::size_t number) const {
    if (number <= kMostAtOnce) return false;
    element_.error(element_.where(), element_.label() + " makes " + std::to_string(number) +
                                         " diagnostics, and at most " + std::to_string(kMostAtOnce) +
                                         " are made by one; divide it");
    return true;
  }

  void add_of_field(const Statistic& statistic, const Text& field, const std::vector<Text>& conditions) {
    // What carries the others is not carried itself.
    if (statistic.is_flux() && field.value == carrier_.value) return;
    if (statistic.per == Per::field) return add(statistic, field, &field, nullptr);
    for (const Text& condition : conditions) add(statistic, field, &field, &condition);
  }

  void add(const Statistic& statistic, const Text& where, const Text* field, const Text* condition) {
    Marks marks = marks_of(field, condition);
    DiagnosticConfig made;
    made.scope = scope_;
    made.where = element_.where();
    made.expression = {marks.put_into(statistic.expression), where.where};
    if (const std::string units = units_of(statistic, field); !units.empty())
      made.metadata.units = {units, where.where};
    for (std::string* const name : {&marks.field, &marks.carrier, &marks.condition})
      *name = std::string(last_name(*name));
    made.field = {marks.put_into(statistic.name), where.where};
    made.metadata.long_name = {marks.put_into(statistic.long_name), where.where};
    if (const auto before = made_.before(made.field)) {
      element_.error(where.where, element_.label() + " makes " + in_quotes(made.field.value) +
                                      " twice; first at " + before->text());
      return;
    }
    out_.group.members.push_back(made.field);
    out_.diagnostics.push_back(std::move(made));
  }

  Marks marks_of(const Text* field, const Text* condition) const {
    Marks marks{field ? field->value : "", carrier_.value, condition ? condition->value : "", "", ""};
    for (const Text& dimension : element_.names("dimensions"))
      marks.dimensions += (marks.dimensions.empty() ? "" : ",") + dimension.value;
    if (element_.is_usable("weight") && weight_is_whole())
      marks.weight = ", weight=(" + element_.text("weight").value + ")";
    return marks;
  }

  /// Its parentheses close each other: what is put into others stays by itself.
  bool weight_is_whole() const {
    int open = 0;
    for (const char c : element_.text("weight").value) {
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (open < 0) return false;
    }
    return open == 0;
  }

  std::string units_of(const Statistic& statistic, const Text* field) const {
    if (statistic.units == Units::one) return "1";
    const std::string units = units_of(*field);
    if (statistic.units == Units::field) return units;
    return units_of_product(units, statistic.units == Units::squared ? units : units_of(carrier_));
  }

  std::string units_of(const Text& name) const {
    const auto found = find(name);
    return found == known_.end() ? "" : found->second;
  }

  UnitsByName::const_iterator find(const Text& name) const {
    for (const std::string& meaning : meanings(scope_, name.value)) {
      if (const auto found = known_.find(meaning); found != known_.end()) return found;
    }
    return known_.end();
  }

  /// The names of a list that there are.
  std::vector<Text> known_of(const char* attribute) const {
    if (!element_.is_usable(attribute)) return {};
    std::vector<Text> found = element_.names(attribute);
    std::erase_if(found, [&](const Text& name) { return !is_known(name, attribute); });
    return found;
  }

  bool is_known(const Text& name, const std::string& attribute) const {
    if (find(name) != known_.end()) return true;
    element_.error(name.where, element_.label() + ": no field, diagnostic or condition " +
                                   in_quotes(name.value) + " for " + attribute +
                                   suggestion(name.value, names_));
    return false;
  }

  std::vector<const Statistic*> statistics() const {
    std::vector<const Statistic*> found;
    if (!element_.is_given("of")) return {find_statistic("fraction"), find_statistic("mean")};
    if (!element_.is_usable("of")) return {};
    const std::vector<Text> words = element_.names("of");
    for (const Text& word : words) {
      if (const Statistic* const one = find_statistic(word.value)) {
        found.push_back(one);
      } else {
        element_.error(word.where, element_.label() + ": no statistic " + in_quotes(word.value) +
                                       suggestion_or_known(word.value, statistic_words()));
      }
    }
    return found;
  }

  void check_carrier(const std::vector<const Statistic*>& asked) {
    const auto flux = std::ranges::find_if(asked, &Statistic::is_flux);
    if (flux == asked.end() && carrier_.is_given()) {
      element_.error(carrier_.where, element_.label() +
                                         " has flux_by, but no flux: add flux, flux_within or flux_between "
                                         "to \"of\"");
    } else if (flux != asked.end() && !element_.is_given("flux_by")) {
      element_.error(element_.where(), element_.label() + ": " + (*flux)->word +
                                           " needs what carries the fields: flux_by=\"w\"");
    }
    if (carrier_.is_given() && !is_known(carrier_, "flux_by")) carrier_ = {};
  }

  void report_no_fields(const Statistic& statistic) {
    if (has_reported_) return;
    has_reported_ = true;
    element_.error(element_.where(),
                   element_.label() + ": " + statistic.word + " needs fields: fields=\"w,theta\"");
  }

  const ElementReader& element_;
  const std::string& scope_;
  const UnitsByName& known_;
  std::vector<std::string> names_;
  Text carrier_;
  FirstPlaces made_;
  Statistics out_;
  bool has_reported_ = false;
};

}  // namespace

DiagnosticConfig read_condition(const Reading& reading, const ElementReader& condition) {
  DiagnosticConfig out;
  out.where = condition.where();
  out.field = condition.text("name");
  out.expression = condition.text("expression");
  if (!out.expression.is_given()) {
    out.unread_results = {out.field.value};
    if (condition.element().texts.empty() && !condition.was_misspelt("expression"))
      condition.error(condition.where(), condition.label() +
                                             " says nothing; write it as text inside, or as "
                                             "expression=\"w > 0\"");
  }
  if (reading.find_file != nullptr) find_number_files(out.expression, *reading.find_file);
  out.metadata.units = {"1", condition.where()};
  out.metadata.long_name = condition.text("long_name");
  if (!out.metadata.long_name.is_given() && out.expression.is_given())
    out.metadata.long_name = {"1 where " + out.expression.value, out.expression.where};
  return out;
}

UnitsByName units_by_name(const Config& config) {
  UnitsByName all;
  for (const DataGroupConfig& group : config.data_groups) {
    for (const FieldConfig& field : group.fields)
      all.emplace(full_name(group.scope, field.name.value), field.metadata.units.value);
  }
  for (const DiagnosticConfig& one : config.diagnostics)
    all.emplace(full_name(one.scope, one.field.value), one.metadata.units.value);
  return all;
}

Statistics read_statistics(const ElementReader& statistics, const std::string& scope,
                           const UnitsByName& known) {
  return StatisticsReader(statistics, scope, known).read();
}

std::vector<std::string> statistic_words() {
  std::vector<std::string> words;
  for (const Statistic& one : kStatistics) words.emplace_back(one.word);
  return words;
}

}  // namespace pileus
