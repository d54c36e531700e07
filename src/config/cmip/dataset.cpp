#include "config/cmip/dataset.h"

#include <algorithm>
#include <utility>

#include "config/messages.h"
#include "config/read_attributes.h"
#include "config/values.h"

namespace pileus {
namespace {

/// What files say until each gets its own (files/file_attributes.h).
constexpr const char* kNoUuid = "00000000-0000-0000-0000-000000000000";
constexpr const char* kNoDate = "0000-00-00T00:00:00Z";

/// The attributes that are read as they stand, and looked up under their names.
constexpr const char* kSaid[] = {
    "experiment_id", "source_id",   "institution_id", "variant_label",     "grid_label", "nominal_resolution",
    "source_type",   "activity_id", "region",         "sub_experiment_id", "grid"};

/// The text that CMIP6 asks for, with what the vocabulary knows of the model.
std::string license(const CmipDataset& dataset) {
  if (dataset.element.is_given("license")) return dataset.element.text("license").value;
  return "CMIP6 model data produced by " + dataset.value("institution_id") +
         " is licensed under a Creative Commons Attribution 4.0 International License "
         "(https://creativecommons.org/licenses/by/4.0/). Consult "
         "https://pcmdi.llnl.gov/CMIP6/TermsOfUse for terms of use governing CMIP6 output, including "
         "citation requirements and proper acknowledgment. Further information about this data, including "
         "some limitations, can be found via the further_info_url (recorded as a global attribute in this "
         "file). The data producers and data providers make no warranty, either express or implied, "
         "including, but not limited to, warranties of merchantability and fitness for a particular "
         "purpose. All liabilities arising from the supply of the information (including any liability "
         "arising in negligence) are excluded to the fullest extent permitted by law.";
}

void read_values(CmipDataset& dataset) {
  for (const char* const name : kSaid) {
    if (!dataset.element.is_usable(name)) continue;
    const Text said = dataset.element.text(name);
    dataset.values[name] = said.value;
    if (std::string_view(name) == "source_type") {
      for (const std::string& word : split_words(said.value)) dataset.require(name, word, said.where);
    } else if (std::string_view(name) == "variant_label" &&
               !add_indices(said.value, dataset.is_cmip7(), dataset.values)) {
      dataset.is_wrong = true;
      dataset.element.error(said.where,
                            "variant_label=" + in_quotes(said.value) + ": expected such as \"r1i1p1f1\"");
    } else {
      dataset.require(name, said.value, said.where);
    }
  }
  dataset.values["version"] = dataset.element.text("version").value;
  dataset.values["mip_era"] = dataset.vocabulary->text("mip_era");
  dataset.values["product"] = "model-output";
  dataset.values.try_emplace("sub_experiment_id", "none");
  dataset.values["sub_experiment"] =
      dataset.vocabulary->of("sub_experiment_id", dataset.values["sub_experiment_id"]);
  if (dataset.values["sub_experiment"].empty()) dataset.values["sub_experiment"] = "none";
  const std::string label = dataset.values["variant_label"];
  const std::string& sub = dataset.values["sub_experiment_id"];
  dataset.values["member_id"] = (sub == "none" ? "" : sub + "-") + label;
  dataset.values["experiment"] =
      dataset.vocabulary->of("experiment_id", dataset.values["experiment_id"], "experiment");
  dataset.values["source"] = dataset.vocabulary->of("source_id", dataset.values["source_id"], "source");
  dataset.values["institution"] = dataset.vocabulary->of("institution_id", dataset.values["institution_id"]);
  dataset.values.try_emplace("grid", dataset.vocabulary->of("grid_label", dataset.values["grid_label"]));
  dataset.values.try_emplace("activity_id",
                             joined_words(dataset.vocabulary->list_of(
                                 "experiment_id", dataset.values["experiment_id"], "activity_id")));
  dataset.values["creation_date"] = kNoDate;
  if (dataset.is_cmip7()) {
    dataset.values.try_emplace("region", "glb");
    dataset.values["drs_specs"] = dataset.vocabulary->text("drs_specs");
    dataset.values["data_specs_version"] = dataset.vocabulary->text("data_specs_version");
    dataset.values["license_id"] = dataset.element.text("license").value;
    dataset.values["tracking_id"] = dataset.vocabulary->text("tracking_prefix") + "/" + kNoUuid;
  } else {
    dataset.values["license"] = license(dataset);
    dataset.values["tracking_id"] = std::string("hdl:21.14100/") + kNoUuid;
    dataset.values["further_info_url"] = "https://furtherinfo.es-doc.org/" + dataset.values["mip_era"] + "." +
                                         dataset.values["institution_id"] + "." +
                                         dataset.values["source_id"] + "." + dataset.values["experiment_id"] +
                                         "." + sub + "." + label;
    if (dataset.element.is_given("license"))
      dataset.require("license", dataset.values["license"], dataset.element.text("license").where);
  }
}

}  // namespace

std::string CmipDataset::value(const std::string& name) const {
  const auto found = values.find(name);
  return found == values.end() ? "" : found->second;
}

bool CmipDataset::says(const std::string& name) const {
  return std::ranges::any_of(said, [&](const AttributeConfig& one) { return one.name.value == name; });
}

bool CmipDataset::require(const std::string& name, const std::string& said_so, const Location& where) {
  if (vocabulary->allows(name, said_so)) return true;
  const std::vector<std::string> words = vocabulary->words(name);
  is_wrong = true;
  element.error(where, name + "=" + in_quotes(said_so) + " is not in the controlled vocabulary" +
                           (words.empty() ? std::string() : suggestion_or_known(said_so, words)));
  return false;
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::optional<std::string> text_beside(const ElementReader& element, const FindInclude& find_file,
                                       const Location& where, const std::string& path) {
  if (!find_file) return {};
  try {
    return find_file(where.file, path).text;
  } catch (const ConfigError& error) {
    const Finding& why = error.findings().all().front();
    element.error(where, (why.where.file.empty() ? "" : why.where.text() + ": ") + why.what);
    return {};
  }
}

std::optional<CmipDataset> read_cmip_dataset(const ElementReader& element, const FindInclude& find_file) {
  std::vector<AttributeConfig> said = read_attributes(element, AttributeHome::all_files);
  const Text tables = element.text("tables");
  const bool has_own = element.is_given("cv");
  const Text path = has_own ? element.text("cv") : Text{tables.value + "_CV.json", tables.where};
  if (!element.is_usable(has_own ? "cv" : "tables")) return {};
  CmipDataset dataset{element, parsed_table<CmipVocabulary>(element, find_file, path.where, path.value),
                      std::move(said)};
  if (!dataset.vocabulary) return {};
  read_values(dataset);
  return dataset;
}

}  // namespace pileus
