#include "config/cmip/read_cmip.h"

#include <algorithm>
#include <set>
#include <utility>

#include "config/cmip/dataset.h"
#include "config/cmip/variable_file.h"
#include "config/messages.h"
#include "config/namespaces.h"
#include "config/values.h"

namespace pileus {
namespace {

bool is_time(const std::string& dimension) { return dimension.starts_with("time"); }

class DatasetReader {
 public:
  DatasetReader(CmipDataset dataset, const std::string& scope,
                const std::map<std::string, std::string>& units, const FindInclude& find_file)
      : dataset_(std::move(dataset)), scope_(scope), units_(units), find_file_(find_file) {}

  CmipFiles read(const std::vector<ElementReader>& variables) {
    check_experiment(dataset_);
    for (const ElementReader& one : variables) read_variable(one);
    return std::move(made_);
  }

 private:
  /// The path of the table that ends so.
  Text path_of(const std::string& end) const {
    const Text tables = dataset_.element.text("tables");
    return {tables.value + "_" + end + ".json", tables.where};
  }

  const CmipTable* table_of(const ElementReader& element) {
    const Text table = element.text("table");
    if (!element.is_usable("table")) return nullptr;
    const auto [known, is_new] = tables_.try_emplace(table.value);
    if (is_new)
      known->second = parsed_table<CmipTable>(element, find_file_, table.where, path_of(table.value).value);
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
    if (!dataset_.vocabulary->allows("frequency", variable->frequency)) {
      dataset_.require("frequency", variable->frequency, element.text("frequency").where);
      return;
    }
    std::string why_not;
    const auto time = time_of_cmip(variable->frequency, variable->cell_methods, element.where(), why_not);
    if (!time) return element.error(name.where, in_quotes(name.value) + ": " + why_not);
    if (!check_sign(element, *variable)) return;
    const std::optional<CmipFile> coordinates = coordinates_of(*variable, *table, *time);
    if (!coordinates || !check_names(element, *variable, *coordinates)) return;
    CmipValues values = values_of(element, *table, *variable, name.value);
    add(element, {element, *variable, *time, std::move(values), *coordinates});
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

  /// Nothing where the table of coordinates cannot be read, which is reported once.
  std::optional<CmipFile> coordinates_of(const CmipVariable& variable, const CmipTable& table,
                                         const CmipTime& time) {
    CmipFile file;
    file.is_fixed = time.is_fixed;
    file.missing_value = parse_number(table.header("missing_value")).value_or(file.missing_value);
    const auto is_of_space = [](const std::string& one) { return !is_time(one); };
    if (!coordinates_ && std::ranges::any_of(variable.dimensions, is_of_space)) {
      const Text path = path_of("coordinate");
      if (!std::exchange(has_asked_, true))
        coordinates_ = parsed_table<CmipCoordinates>(dataset_.element, find_file_, path.where, path.value);
      if (!coordinates_) return {};
    }
    for (const std::string& name : variable.dimensions) {
      if (is_time(name)) continue;
      std::vector<CmipCoordinate> entries = coordinates_->entries(name);
      if (entries.size() == 1 && !entries.front().value.empty())
        file.scalars.push_back(std::move(entries.front()));
      else
        file.dimensions.push_back({name, std::move(entries)});
    }
    return file;
  }

  /// Whether all that the tables bring into the file has names of its own there.
  static bool check_names(const ElementReader& element, const CmipVariable& variable, const CmipFile& file) {
    std::set<std::string> taken = {variable.name, "time", "time_bnds", "bnds"};
    const auto is_right = [&](const CmipCoordinate& one, bool has_bounds) {
      std::string why_not = name_problem(one.name);
      if (one.name.starts_with('-') || one.name.starts_with('.'))
        why_not = "names in files begin with a letter, a digit or \"_\"";
      for (const char* const end : {"", "_bnds"})
        if (why_not.empty() && (*end == '\0' || has_bounds) && !taken.insert(one.name + end).second)
          why_not = in_quotes(one.name + end) + " is another's name there";
      if (why_not.empty()) return true;
      element.error(element.text("variable").where, in_quotes(variable.name) +
                                                        ": its file cannot have the coordinate " +
                                                        in_quotes(one.name) + ", as the table calls " +
                                                        in_quotes(one.entry) + ": " + why_not);
      return false;
    };
    for (const CmipCoordinate& one : file.scalars)
      if (!is_right(one, !one.bounds.empty())) return false;
    for (const CmipDimension& dimension : file.dimensions) {
      // Of several the dimension is one.
      const std::set<std::string> before = taken;
      std::set<std::string> after = taken;
      for (const CmipCoordinate& one : dimension.entries) {
        taken = before;
        if (!is_right(one, one.needs_bounds)) return false;
        if (dimension.entries.size() == 1) after = taken;
      }
      taken = std::move(after);
    }
    return true;
  }

  CmipValues values_of(const ElementReader& element, const CmipTable& table, CmipVariable& variable,
                       const std::string& name) {
    CmipValues values = dataset_.values;
    values["variable_id"] = variable.name;
    values["table_id"] = element.text("table").value;
    values["frequency"] = variable.frequency;
    values["realm"] = variable.realm;
    const std::string conventions = table.header("Conventions");
    values["Conventions"] = conventions.empty() ? "CF-1.11" : conventions;
    if (!table.header("data_specs_version").empty())
      values["data_specs_version"] = table.header("data_specs_version");
    if (dataset_.is_cmip7() && !add_branding(name, values))
      element.error(element.text("variable").where,
                    in_quotes(name) + R"( is no branded name such as "tas_tavg-h2m-hxy-u")");
    if (variable.cell_measures.empty()) variable.cell_measures = measures_of(values);
    values["external_variables"] = external(variable.cell_measures);
    return values;
  }

  /// By the table that CMIP7 has for them, where it is there.
  std::string measures_of(const CmipValues& values) {
    if (!dataset_.is_cmip7() || !find_file_) return "";
    if (!std::exchange(has_asked_for_measures_, true)) {
      const Text path = path_of("cell_measures");
      try {
        measures_ = std::make_unique<CmipCellMeasures>(find_file_(path.where.file, path.value).text);
      } catch (const ConfigError&) {
        // It is not there.
      } catch (const UsageError& error) {
        dataset_.element.error(path.where, path.value + ": " + error.what());
      }
    }
    if (!measures_) return "";
    std::string name;
    for (const char* const part : {"table_id", "variable_id", "branding_suffix", "frequency", "region"}) {
      const auto found = values.find(part);
      name += (name.empty() ? "" : ".") + (found == values.end() ? "" : found->second);
    }
    return measures_->of(name);
  }

  /// The variables of other files that cell_measures names.
  static std::string external(const std::string& cell_measures) {
    std::vector<std::string> names;
    for (const std::string& word : split_words(cell_measures))
      if (!word.ends_with(':')) names.push_back(word);
    return joined_words(names);
  }

  void add(const ElementReader& element, const CmipRequest& request) {
    const std::string scope =
        element.is_usable("namespace") ? full_name(scope_, element.text("namespace").value) : scope_;
    std::optional<FileConfig> file = file_of(dataset_, request, scope);
    if (!file) return;
    if (request.variable.positive != element.text("positive").value) turn(element, file->includes.front());
    made_.files.push_back(std::move(*file));
  }

  /// Puts the field with the other sign in its place.
  void turn(const ElementReader& element, FileIncludeConfig& include) {
    DiagnosticConfig turned;
    turned.where = element.where();
    turned.scope = include.scope;
    std::string plain = include.field.value;
    for (std::size_t at = plain.find(kNamespaceMark); at != plain.npos; at = plain.find(kNamespaceMark))
      plain.replace(at, kNamespaceMark.size(), "_");
    turned.field = {"minus_" + plain, element.where()};
    turned.expression = {"-" + include.field.value, element.text("field").where};
    for (const std::string& full : meanings(include.scope, include.field.value)) {
      const auto found = units_.find(full);
      if (found == units_.end()) continue;
      turned.metadata.units = {found->second, element.where()};
      break;
    }
    include.field.value = turned.field.value;
    made_.diagnostics.push_back(std::move(turned));
  }

  CmipDataset dataset_;
  const std::string& scope_;
  const std::map<std::string, std::string>& units_;
  const FindInclude& find_file_;
  std::map<std::string, std::unique_ptr<CmipTable>> tables_;
  std::unique_ptr<CmipCoordinates> coordinates_;
  std::unique_ptr<CmipCellMeasures> measures_;
  bool has_asked_ = false, has_asked_for_measures_ = false;
  CmipFiles made_;
};

}  // namespace

CmipFiles read_cmip(const ElementReader& dataset, const std::string& scope,
                    const std::map<std::string, std::string>& units, const FindInclude& find_file) {
  const std::vector<ElementReader> variables = dataset.children("cmip");  // checked whatever the tables are
  std::optional<CmipDataset> read = read_cmip_dataset(dataset, find_file);
  if (!read) return {};
  return DatasetReader(std::move(*read), scope, units, find_file).read(variables);
}

}  // namespace pileus
