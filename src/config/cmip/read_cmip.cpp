#include "config/cmip/read_cmip.h"

#include <algorithm>
#include <set>
#include <utility>

#include "config/cmip/cmip_names.h"
#include "config/cmip/cmip_time.h"
#include "config/cmip/tables.h"
#include "config/messages.h"
#include "config/namespaces.h"
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

/// What a branched experiment says of its parent.
constexpr const char* kOfParent[] = {"branch_method",    "branch_time_in_child", "branch_time_in_parent",
                                     "parent_mip_era",   "parent_activity_id",   "parent_experiment_id",
                                     "parent_source_id", "parent_variant_label", "parent_time_units"};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

/// The text of a file beside the configuration; nothing after an error.
std::optional<std::string> text_of(const ElementReader& element, const FindInclude& find_file,
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

template <class Parsed>
std::unique_ptr<Parsed> parsed(const ElementReader& element, const FindInclude& find_file,
                               const Location& where, const std::string& path) {
  const std::optional<std::string> text = text_of(element, find_file, where, path);
  if (!text) return nullptr;
  try {
    return std::make_unique<Parsed>(*text);
  } catch (const UsageError& error) {
    element.error(where, path + ": " + error.what());
    return nullptr;
  }
}

class DatasetReader {
 public:
  DatasetReader(const ElementReader& dataset, const std::string& scope,
                const std::map<std::string, std::string>& units, const FindInclude& find_file)
      : dataset_(dataset), scope_(scope), units_(units), find_file_(find_file) {}

  CmipFiles read() {
    const std::vector<ElementReader> variables =
        dataset_.children("cmip");  // checked whatever the tables are
    said_ = read_attributes(dataset_, AttributeHome::all_files);
    const Text tables = dataset_.text("tables");
    const bool has_cv = dataset_.is_given("cv");
    const Text cv = has_cv ? dataset_.text("cv") : Text{tables.value + "_CV.json", tables.where};
    if (!dataset_.is_usable(has_cv ? "cv" : "tables")) return {};
    cv_ = parsed<CmipVocabulary>(dataset_, find_file_, cv.where, cv.value);
    if (!cv_) return {};
    read_values();
    check_experiment();
    for (const ElementReader& one : variables) read_variable(one);
    return std::move(made_);
  }

 private:
  bool is_cmip7() const { return cv_->has("branding_suffix"); }

  void read_values() {
    for (const char* const name : kSaid) {
      if (!dataset_.is_usable(name)) continue;
      const Text said = dataset_.text(name);
      values_[name] = said.value;
      if (std::string_view(name) == "source_type") {
        for (const std::string& word : split_words(said.value)) require(name, word, said.where);
      } else if (std::string_view(name) == "variant_label" && !add_indices(said.value, is_cmip7(), values_)) {
        is_wrong_ = true;
        dataset_.error(said.where,
                       "variant_label=" + in_quotes(said.value) + ": expected such as \"r1i1p1f1\"");
      } else {
        require(name, said.value, said.where);
      }
    }
    values_["version"] = dataset_.text("version").value;
    values_["mip_era"] = cv_->text("mip_era");
    values_["product"] = "model-output";
    values_.try_emplace("sub_experiment_id", "none");
    values_["sub_experiment"] = cv_->of("sub_experiment_id", values_["sub_experiment_id"]);
    if (values_["sub_experiment"].empty()) values_["sub_experiment"] = "none";
    const std::string label = values_["variant_label"];
    const std::string& sub = values_["sub_experiment_id"];
    values_["member_id"] = (sub == "none" ? "" : sub + "-") + label;
    values_["experiment"] = cv_->of("experiment_id", values_["experiment_id"], "experiment");
    values_["source"] = cv_->of("source_id", values_["source_id"], "source");
    values_["institution"] = cv_->of("institution_id", values_["institution_id"]);
    values_.try_emplace("grid", cv_->of("grid_label", values_["grid_label"]));
    values_.try_emplace("activity_id",
                        joined(cv_->list_of("experiment_id", values_["experiment_id"], "activity_id")));
    values_["creation_date"] = kNoDate;
    if (is_cmip7()) {
      values_.try_emplace("region", "glb");
      values_["drs_specs"] = cv_->text("drs_specs");
      values_["data_specs_version"] = cv_->text("data_specs_version");
      values_["license_id"] = dataset_.text("license").value;
      values_["tracking_id"] = cv_->text("tracking_prefix") + "/" + kNoUuid;
    } else {
      values_["license"] = license();
      values_["tracking_id"] = std::string("hdl:21.14100/") + kNoUuid;
      values_["further_info_url"] = "https://furtherinfo.es-doc.org/" + values_["mip_era"] + "." +
                                    values_["institution_id"] + "." + values_["source_id"] + "." +
                                    values_["experiment_id"] + "." + sub + "." + label;
      if (dataset_.is_given("license"))
        require("license", values_["license"], dataset_.text("license").where);
    }
  }

  /// The text that CMIP6 asks for, with what the vocabulary knows of the model.
  std::string license() const {
    if (dataset_.is_given("license")) return dataset_.text("license").value;
    return "CMIP6 model data produced by " + value("institution_id") +
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

  std::string value(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? "" : found->second;
  }

  bool require(const std::string& name, const std::string& said, const Location& where) {
    if (cv_->allows(name, said)) return true;
    const std::vector<std::string> words = cv_->words(name);
    is_wrong_ = true;
    dataset_.error(where, name + "=" + in_quotes(said) + " is not in the controlled vocabulary" +
                              (words.empty() ? std::string() : suggestion_or_known(said, words)));
    return false;
  }

  void check_experiment() const {
    const std::string experiment = value("experiment_id"), source = value("source_id");
    const auto one_of = [&](const char* name, const std::vector<std::string>& allowed,
                            const std::string& of) {
      const std::string said = value(name);
      if (allowed.empty() || said.empty() || std::ranges::find(allowed, said) != allowed.end()) return;
      const Text where = dataset_.text(name);
      dataset_.error(where.is_given() ? where.where : dataset_.where(),
                     std::string(name) + "=" + in_quotes(said) + ": " + of + " has " + some_listed(allowed));
    };
    one_of("institution_id", cv_->list_of("source_id", source, "institution_id"),
           "source_id " + in_quotes(source));
    one_of("sub_experiment_id", cv_->list_of("experiment_id", experiment, "sub_experiment_id"),
           "experiment_id " + in_quotes(experiment));
    if (dataset_.is_given("activity_id"))
      one_of("activity_id", cv_->list_of("experiment_id", experiment, "activity_id"),
             "experiment_id " + in_quotes(experiment));
    const std::vector<std::string> types = split_words(value("source_type"));
    for (const std::string& needed : cv_->list_of("experiment_id", experiment, "required_model_components")) {
      if (std::ranges::find(types, needed) == types.end())
        dataset_.error(
            dataset_.is_given("source_type") ? dataset_.text("source_type").where : dataset_.where(),
            "source_type: experiment_id " + in_quotes(experiment) + " needs " + in_quotes(needed));
    }
    check_parent(experiment);
  }

  void check_parent(const std::string& experiment) const {
    std::vector<std::string> parents = cv_->list_of("experiment_id", experiment, "parent_experiment_id");
    std::erase(parents, "no parent");
    std::erase(parents, "");
    if (parents.empty()) return;
    for (const char* const name : kOfParent) {
      const auto said =
          std::ranges::find_if(said_, [&](const AttributeConfig& one) { return one.name.value == name; });
      if (said == said_.end()) {
        return dataset_.error(
            dataset_.where(),
            "experiment_id " + in_quotes(experiment) + " branches from " + in_quotes(parents.front()) +
                ": cmip-dataset needs <attribute name=" + in_quotes(name) + " value=\"...\"/>");
      }
      const bool is_id = std::string_view(name) == "parent_experiment_id";
      if (is_id && std::ranges::find(parents, said->value.value) == parents.end())
        dataset_.error(said->value.where, "parent_experiment_id " + in_quotes(said->value.value) +
                                              suggestion_or_known(said->value.value, parents));
    }
  }

  const CmipTable* table_of(const ElementReader& element) {
    const Text table = element.text("table");
    if (!element.is_usable("table")) return nullptr;
    const auto [known, is_new] = tables_.try_emplace(table.value);
    if (is_new)
      known->second = parsed<CmipTable>(element, find_file_, table.where,
                                        dataset_.text("tables").value + "_" + table.value + ".json");
    return known->second.get();
  }

  void read_variable(const ElementReader& element) {
    const CmipTable* const table = table_of(element);
    if (table == nullptr || !element.is_usable("variable") || !element.is_usable("field")) return;
    const Text name = element.text("variable");
    std::optional<CmipVariable> variable = table->variable(name.value);
    if (!variable)
      return element.error(name.where, "table " + in_quotes(element.text("table").value) +
                                           " has no variable " + in_quotes(name.value) +
                                           suggestion_or_known(name.value, table->names()));
    if (element.is_given("frequency") || variable->frequency.empty())
      variable->frequency = element.text("frequency").value;
    if (variable->frequency.empty())
      return element.error(element.where(), element.label() +
                                                " needs the attribute \"frequency\", for "
                                                "example \"mon\": its table says none");
    if (!cv_->allows("frequency", variable->frequency)) {
      require("frequency", variable->frequency, element.text("frequency").where);
      return;
    }
    std::string why_not;
    const auto time = time_of_cmip(variable->frequency, variable->cell_methods, element.where(), why_not);
    if (!time) return element.error(name.where, in_quotes(name.value) + ": " + why_not);
    if (!check_sign(element, *variable)) return;
    CmipValues values = values_of(element, *table, *variable, name.value);
    make_file(element, *variable, *time, values);
  }

  static bool check_sign(const ElementReader& element, const CmipVariable& variable) {
    const bool is_said = !element.text("positive").value.empty();
    if (is_said == !variable.positive.empty()) return true;
    if (is_said)
      element.error(element.text("positive").where,
                    element.label() + ": the table says no direction for it: remove positive");
    else
      element.error(element.where(), element.label() + " is positive " + variable.positive +
                                         R"(: say by positive="up" or positive="down" which way the field )"
                                         "counts; its sign is changed where that is the other one");
    return false;
  }

  CmipValues values_of(const ElementReader& element, const CmipTable& table, const CmipVariable& variable,
                       const std::string& name) {
    CmipValues values = values_;
    values["variable_id"] = variable.name;
    values["table_id"] = element.text("table").value;
    values["frequency"] = variable.frequency;
    values["realm"] = variable.realm;
    const std::string conventions = table.header("Conventions");
    values["Conventions"] = conventions.empty() ? "CF-1.11" : conventions;
    if (!table.header("data_specs_version").empty())
      values["data_specs_version"] = table.header("data_specs_version");
    values["external_variables"] = external(variable.cell_measures);
    if (is_cmip7() && !add_branding(name, values))
      element.error(element.text("variable").where,
                    in_quotes(name) + R"( is no branded name such as "tas_tavg-h2m-hxy-u")");
    return values;
  }

  /// The variables of other files that cell_measures names.
  static std::string external(const std::string& cell_measures) {
    std::vector<std::string> names;
    for (const std::string& word : split_words(cell_measures))
      if (!word.ends_with(':')) names.push_back(word);
    return joined(names);
  }

  void make_file(const ElementReader& element, const CmipVariable& variable, const CmipTime& time,
                 const CmipValues& values) {
    FileConfig file;
    file.where = element.where();
    std::string missing;
    const std::string folders = by_template(cv_->of("DRS", "directory_path_template"), values, "/", missing);
    std::string base = by_template(cv_->of("DRS", "filename_template"), values, "_", missing);
    for (const std::string& name : cv_->required())
      if (values.find(name) == values.end() || values.at(name).empty()) missing = name;
    if (is_wrong_) return;  // what follows from it is missing too
    if (!missing.empty() && !is_said(missing))
      return element.error(dataset_.where(), "cmip-dataset: the controlled vocabulary asks for " +
                                                 in_quotes(missing) +
                                                 ", and nothing gives it: say it by an "
                                                 "attribute, or an <attribute>");
    const std::string before = dataset_.text("folder").value;
    if (!time.is_fixed) base += "_" + time.range;
    file.name = {(before.empty() ? "" : before + "/") + folders + "/" + base + ".nc", element.where()};
    if (const std::string problem = file_path_problem(file.name.value); !problem.empty())
      return element.error(element.where(), "the file " + in_quotes(file.name.value) + ": " + problem);
    const bool has_period = element.is_given("write_time_frequency");
    const auto period = (has_period ? element : dataset_).duration("write_time_frequency");
    if (!time.is_fixed && !period)
      return element.error(element.where(), element.label() +
                                                " needs the attribute \"write_time_frequency\""
                                                " (model time that one file covers), or the "
                                                "cmip-dataset does");
    if (!time.is_fixed) file.write_time_frequency = *period;
    for (const auto& [name, text] : values) add_attribute(name, text, element.where(), file.attributes);
    add_attribute("_cmip", "times", element.where(), file.attributes);
    std::ranges::copy(said_, std::back_inserter(file.attributes));
    file.title = {values.at("source_id") + " output prepared for " + values.at("mip_era"), element.where()};
    file.storage.precision = {"float", element.where()};
    file.includes.push_back(include_of(element, variable, time));
    made_.files.push_back(std::move(file));
  }

  bool is_said(const std::string& name) const {
    return std::ranges::any_of(said_, [&](const AttributeConfig& one) { return one.name.value == name; });
  }

  /// Names that only stand in those of folders are no attributes.
  static void add_attribute(const std::string& name, const std::string& text, const Location& where,
                            std::vector<AttributeConfig>& attributes) {
    if (text.empty() || name == "version" || name == "member_id") return;
    const bool is_number = name.ends_with("_index") && text.find_first_not_of("0123456789") == text.npos;
    attributes.push_back(
        {{name, where}, {text, where}, is_number ? AttributeType::integer : AttributeType::text});
  }

  FileIncludeConfig include_of(const ElementReader& element, const CmipVariable& variable,
                               const CmipTime& time) {
    const Location where = element.where();
    FileIncludeConfig include;
    include.where = where;
    include.scope =
        element.is_usable("namespace") ? full_name(scope_, element.text("namespace").value) : scope_;
    include.field = element.text("field");
    include.name = {variable.name, where};
    include.time_manipulation = {time.manipulation, where};
    include.stages = time.stages;
    if (!time.is_fixed) include.output_frequency = time.frequency;
    include.units = {variable.units, where};
    const std::pair<const char*, std::string> said[] = {{"standard_name", variable.standard_name},
                                                        {"long_name", variable.long_name},
                                                        {"comment", variable.comment},
                                                        {"cell_methods", variable.cell_methods},
                                                        {"cell_measures", variable.cell_measures},
                                                        {"positive", variable.positive}};
    for (const auto& [name, text] : said) add_attribute(name, text, where, include.attributes);
    if (variable.positive != element.text("positive").value) turn(element, include);
    return include;
  }

  /// The field with the other sign.
  void turn(const ElementReader& element, FileIncludeConfig& include) {
    DiagnosticConfig turned;
    turned.where = element.where();
    turned.scope = include.scope;
    turned.field = {"minus_" + std::string(last_name(include.field.value)), element.where()};
    turned.expression = {"-" + include.field.value, element.text("field").where};
    for (const std::string& full : meanings(include.scope, include.field.value)) {
      const auto found = units_.find(full);
      if (found == units_.end()) continue;
      turned.metadata.units = {found->second, element.where()};
      break;
    }
    include.field.value = turned.field.value;
    if (turned_.insert(full_name(turned.scope, turned.field.value)).second)
      made_.diagnostics.push_back(std::move(turned));
  }

  const ElementReader& dataset_;
  const std::string& scope_;
  const std::map<std::string, std::string>& units_;
  const FindInclude& find_file_;
  std::unique_ptr<CmipVocabulary> cv_;
  std::map<std::string, std::unique_ptr<CmipTable>> tables_;
  std::vector<AttributeConfig> said_;
  CmipValues values_;
  std::set<std::string> turned_;
  bool is_wrong_ = false;  ///< what the dataset says is not in the vocabulary, which has been reported
  CmipFiles made_;
};

}  // namespace

CmipFiles read_cmip(const ElementReader& dataset, const std::string& scope,
                    const std::map<std::string, std::string>& units, const FindInclude& find_file) {
  return DatasetReader(dataset, scope, units, find_file).read();
}

}  // namespace pileus
