#include "config/pairs/pairs.h"

#include <map>
#include <utility>

#include "config/namespaces.h"
#include "core/shortest.h"
#include "core/units_of_products.h"

namespace pileus {
namespace {

const std::string kPair = "pair_of_";

class Pairs {
 public:
  Pairs(Config& config, const std::map<std::string, std::string>& units) : config_(config), units_(units) {}

  void make(FileIncludeConfig& include) {
    if (include.with.is_given()) return make_pair(include);
    if (include.segments.samples > 0) make_segments(include);
  }

 private:
  void make_pair(FileIncludeConfig& include) {
    const std::string field = include.field.value, with = include.with.value;
    const std::string& manipulation = include.time_manipulation.value;
    const bool is_spectrum = include.segments.samples > 0;
    const auto [name, is_new] = named(include.scope, (is_spectrum ? kPair : "") + name_of(include, field),
                                      field + manipulation + with);
    const std::string first = "first_of_" + name;
    const Location& where = include.with.where;
    if (is_new) {
      add(include, where, first, "paired(" + field + ", " + with + ")");
      DiagnosticConfig& other = add(include, where, name, "paired(" + first + ", " + with + ", take=with)");
      const std::string units = units_of(include.scope, field);
      const bool is_product = manipulation == "covariance";
      other.metadata.units = {is_product ? units_of_product(units, units_of(include.scope, with)) : units,
                              where};
      other.metadata.long_name = {field + " with " + with, where};
    }
    if (!is_spectrum) {
      include.field.value = name;
      return;
    }
    const std::string units = units_of_product(units_of(include.scope, field), units_of(include.scope, with));
    make_segments(include, "time_cospectrum(" + first + ", " + name, units, field + " with " + with);
  }

  void make_segments(FileIncludeConfig& include) {
    const std::string field = include.field.value, units = units_of(include.scope, field);
    make_segments(include, "time_spectrum(" + field, units_of_product(units, units), field);
  }

  /// What a file has of segments. `rule`: what makes it, without the end.
  void make_segments(FileIncludeConfig& include, const std::string& rule, const std::string& units,
                     const std::string& long_name) {
    const SegmentsConfig& segments = include.segments;
    const Location& where = include.field.where;  // what may be wrong is the field
    const std::string text = rule + ", samples=" + std::to_string(segments.samples) +
                             ", interval=" + shortest(segments.interval_s) + ", window=" + segments.window +
                             ", detrend=" + segments.detrend + ", dimension=" + frequencies(segments) + ")";
    const auto [name, is_new] = named(include.scope, name_of(include, include.field.value), text);
    if (is_new) {
      DiagnosticConfig& made = add(include, where, name, text);
      made.metadata.units = {units_of_product(units, "s"), where};
      made.metadata.long_name = {long_name, where};
    }
    include.field.value = name;
  }

  static std::string name_of(const FileIncludeConfig& include, const std::string& field) {
    const std::string name = std::string(last_name(field)) + "_" + include.time_manipulation.value;
    return include.with.is_given() ? name + "_" + std::string(last_name(include.with.value)) : name;
  }

  /// Dimensions of the same name are the same everywhere.
  std::string frequencies(const SegmentsConfig& segments) {
    const std::pair<std::int64_t, double> coordinates(segments.samples, segments.interval_s);
    const std::size_t number = frequencies_.try_emplace(coordinates, frequencies_.size() + 1).first->second;
    return number == 1 ? "frequency" : "frequency_" + std::to_string(number);
  }

  /// The name, behind which others of that name get underscores, and whether there was no such pair.
  std::pair<std::string, bool> named(const std::string& scope, std::string name, const std::string& pair) {
    for (;; name += "_") {
      const auto [known, is_new] = known_.try_emplace(full_name(scope, name), pair);
      if (is_new || known->second == pair) return {name, is_new};
    }
  }

  DiagnosticConfig& add(const FileIncludeConfig& include, const Location& where, const std::string& name,
                        const std::string& text) {
    DiagnosticConfig& made = config_.diagnostics.emplace_back();
    made.field = {name, where};
    made.expression = {text, where};
    made.where = where;
    made.scope = include.scope;
    return made;
  }

  std::string units_of(const std::string& scope, const std::string& name) const {
    for (const std::string& full : meanings(scope, name))
      if (const auto found = units_.find(full); found != units_.end()) return found->second;
    return "";
  }

  Config& config_;
  const std::map<std::string, std::string>& units_;
  std::map<std::string, std::string> known_;  ///< pairs and spectra by the names that they got
  std::map<std::pair<std::int64_t, double>, std::size_t> frequencies_;  ///< numbers of their dimensions
};

}  // namespace

void make_pairs(Config& config, const std::map<std::string, std::string>& units) {
  Pairs pairs(config, units);
  for (FileConfig& file : config.files) {
    for (FileIncludeConfig& include : file.includes)
      if (include.field.is_given()) pairs.make(include);
  }
}

}  // namespace pileus
