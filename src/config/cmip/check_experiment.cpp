#include <algorithm>

#include "config/cmip/dataset.h"
#include "config/messages.h"
#include "config/values.h"

namespace pileus {
namespace {

/// What a branched experiment says of its parent.
constexpr const char* kOfParent[] = {"branch_method",    "branch_time_in_child", "branch_time_in_parent",
                                     "parent_mip_era",   "parent_activity_id",   "parent_experiment_id",
                                     "parent_source_id", "parent_variant_label", "parent_time_units"};

void check_parent(const CmipDataset& dataset, const std::string& experiment) {
  std::vector<std::string> parents =
      dataset.vocabulary->list_of("experiment_id", experiment, "parent_experiment_id");
  std::erase(parents, "no parent");
  std::erase(parents, "");
  if (parents.empty()) return;
  for (const char* const name : kOfParent) {
    const auto said = std::ranges::find_if(
        dataset.said, [&](const AttributeConfig& one) { return one.name.value == name; });
    if (said == dataset.said.end()) {
      return dataset.element.error(
          dataset.element.where(),
          "experiment_id " + in_quotes(experiment) + " branches from " + in_quotes(parents.front()) +
              ": cmip-dataset needs <attribute name=" + in_quotes(name) + " value=\"...\"/>");
    }
    const bool is_id = std::string_view(name) == "parent_experiment_id";
    if (is_id && std::ranges::find(parents, said->value.value) == parents.end())
      dataset.element.error(said->value.where, "parent_experiment_id " + in_quotes(said->value.value) +
                                                   suggestion_or_known(said->value.value, parents));
  }
}

}  // namespace

void check_experiment(const CmipDataset& dataset) {
  const std::string experiment = dataset.value("experiment_id"), source = dataset.value("source_id");
  const auto one_of = [&](const char* name, const std::vector<std::string>& allowed, const std::string& of) {
    const std::string said = dataset.value(name);
    if (allowed.empty() || said.empty() || std::ranges::find(allowed, said) != allowed.end()) return;
    const Text where = dataset.element.text(name);
    dataset.element.error(
        where.is_given() ? where.where : dataset.element.where(),
        std::string(name) + "=" + in_quotes(said) + ": " + of + " has " + some_listed(allowed));
  };
  one_of("institution_id", dataset.vocabulary->list_of("source_id", source, "institution_id"),
         "source_id " + in_quotes(source));
  one_of("sub_experiment_id", dataset.vocabulary->list_of("experiment_id", experiment, "sub_experiment_id"),
         "experiment_id " + in_quotes(experiment));
  if (dataset.element.is_given("activity_id"))
    one_of("activity_id", dataset.vocabulary->list_of("experiment_id", experiment, "activity_id"),
           "experiment_id " + in_quotes(experiment));
  const std::vector<std::string> types = split_words(dataset.value("source_type"));
  for (const std::string& needed :
       dataset.vocabulary->list_of("experiment_id", experiment, "required_model_components")) {
    if (std::ranges::find(types, needed) == types.end())
      dataset.element.error(
          dataset.element.is_given("source_type") ? dataset.element.text("source_type").where
                                                  : dataset.element.where(),
          "source_type: experiment_id " + in_quotes(experiment) + " needs " + in_quotes(needed));
  }
  check_parent(dataset, experiment);
}

}  // namespace pileus
