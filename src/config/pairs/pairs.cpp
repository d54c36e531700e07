#include "config/pairs/pairs.h"

#include <map>
#include <utility>

#include "config/namespaces.h"
#include "core/units_of_products.h"

namespace pileus {
namespace {

class Pairs {
 public:
  Pairs(Config& config, const std::map<std::string, std::string>& units) : config_(config), units_(units) {}

  void make(FileIncludeConfig& include) {
    const std::string field = include.field.value, with = include.with.value;
    const std::string& manipulation = include.time_manipulation.value;
    const auto [name, is_new] =
        named(include.scope,
              std::string(last_name(field)) + "_" + manipulation + "_" + std::string(last_name(with)),
              field + " " + manipulation + " " + with);
    const std::string first = "first_of_" + name;
    const Location& where = include.with.where;
    if (is_new) {
      add(include, first, "paired(" + field + ", " + with + ")");
      DiagnosticConfig& other = add(include, name, "paired(" + first + ", " + with + ", take=with)");
      const std::string units = units_of(include.scope, field);
      const bool is_product = manipulation == "covariance";
      other.metadata.units = {is_product ? units_of_product(units, units_of(include.scope, with)) : units,
                              where};
      other.metadata.long_name = {field + " with " + with, where};
    }
    include.field.value = name;
  }

 private:
  /// The name, behind which others of that name get underscores, and whether there was no such pair.
  std::pair<std::string, bool> named(const std::string& scope, std::string name, const std::string& pair) {
    for (;; name += "_") {
      const auto [known, is_new] = known_.try_emplace(full_name(scope, name), pair);
      if (is_new || known->second == pair) return {name, is_new};
    }
  }

  DiagnosticConfig& add(const FileIncludeConfig& include, const std::string& name, const std::string& text) {
    DiagnosticConfig& made = config_.diagnostics.emplace_back();
    made.field = {name, include.with.where};
    made.expression = {text, include.with.where};
    made.where = include.with.where;
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
  std::map<std::string, std::string> known_;  ///< pairs by the names that they got
};

}  // namespace

void make_pairs(Config& config, const std::map<std::string, std::string>& units) {
  Pairs pairs(config, units);
  for (FileConfig& file : config.files) {
    for (FileIncludeConfig& include : file.includes)
      if (include.with.is_given() && include.field.is_given()) pairs.make(include);
  }
}

}  // namespace pileus
