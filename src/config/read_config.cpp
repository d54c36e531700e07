#include "config/read_config.h"

#include <algorithm>
#include <iterator>

#include "config/element_reader.h"
#include "config/first_places.h"
#include "config/messages.h"
#include "config/read_diagnostic.h"
#include "config/read_servers.h"
#include "config/read_storage.h"

namespace pileus {
namespace {

/// Reads the sections one kind after the other, so that their order in the document does not matter.
class ConfigReader {
 public:
  ConfigReader(Reading& reading, const ElementReader& root, Config& config)
      : reading_(reading), root_(root), config_(config) {}

  void read() {
    for (const ElementReader& server : root_.children("server-configuration")) read_server(server);
    for (const ElementReader& time : root_.children("time")) config_.time = read_time(time);
    for (const ElementReader& dimension : root_.children("dimension")) {
      if (is_first(dimension, "name", dimensions_)) config_.dimensions.push_back(read_dimension(dimension));
    }
    for (const ElementReader& data : root_.children("data-definition")) read_data_group(data);
    for (const ElementReader& handling : root_.children("data-handling")) {
      for (const ElementReader& diagnostic : handling.children("diagnostic")) add_diagnostic(diagnostic);
    }
    for (const ElementReader& group : root_.children("group")) read_group(group);
    for (const ElementReader& writing : root_.children("data-writing")) {
      for (const ElementReader& file : writing.children("file")) read_file(file);
    }
  }

 private:
  void read_server(const ElementReader& server) {
    for (const ElementReader& servers : server.children("servers")) config_.servers = read_servers(servers);
    for (const ElementReader& pool : server.children("thread_pool")) config_.threads = pool.integer("number");
    for (const ElementReader& memory : server.children("memory"))
      config_.memory_budget_bytes = memory.bytes("budget");
  }

  void read_data_group(const ElementReader& data) {
    DataGroupConfig group{data.text("name"), data.integer("frequency").value_or(1), {}, data.where()};
    is_first(data, "name", data_groups_);
    for (const ElementReader& field : data.children("field")) {
      if (is_first(field, "name", fields_)) group.fields.push_back(read_field(field));
    }
    keep(std::move(group));
  }

  /// The fields of a second group of the same name go to the first, so that what uses them is still
  /// understood.
  void keep(DataGroupConfig group) {
    const auto same =
        std::find_if(config_.data_groups.begin(), config_.data_groups.end(),
                     [&](const DataGroupConfig& one) { return one.name.value == group.name.value; });
    if (same == config_.data_groups.end()) {
      config_.data_groups.push_back(std::move(group));
    } else {
      std::move(group.fields.begin(), group.fields.end(), std::back_inserter(same->fields));
    }
  }

  static FieldConfig read_field(const ElementReader& field) {
    FieldConfig out;
    read_description(field, out);
    out.name = field.text("name");
    out.is_collective = field.boolean("collective");
    out.is_optional = field.boolean("optional");
    return out;
  }

  void add_diagnostic(const ElementReader& element) {
    DiagnosticConfig diagnostic = read_diagnostic(reading_, element);
    if (const auto field = fields_.find(diagnostic.field.value); field && element.is_given("field")) {
      element.error(diagnostic.field.where, element.label() + " has the name of a field, declared at " +
                                                field->text() + "; choose another name");
    } else if (is_first(element, "field", diagnostics_)) {
      config_.diagnostics.push_back(std::move(diagnostic));
    }
  }

  void read_group(const ElementReader& element) {
    GroupConfig group{element.text("name"), {}, element.where()};
    FirstPlaces members;
    for (const ElementReader& member : element.children("member")) {
      if (is_first(member, "name", members)) group.members.push_back(member.text("name"));
    }
    if (element.is_given("name") && !element.is_usable("name")) has_open_group_ = true;
    if (!is_first(element, "name", groups_)) return;
    group_names_.push_back(group.name.value);
    config_.groups.push_back(std::move(group));
  }

  void read_file(const ElementReader& element) {
    FileConfig file;
    file.name = element.text("name");
    file.write_time_frequency_s = element.seconds("write_time_frequency").value_or(0);
    file.title = element.text("title");
    file.may_overwrite = element.boolean("overwrite");
    file.storage = read_storage(element);
    file.where = element.where();
    const bool is_new = is_first(element, "name", files_);
    for (const ElementReader& include : element.children("include"))
      file.includes.push_back(read_include(include));
    if (is_new) config_.files.push_back(std::move(file));
  }

  FileIncludeConfig read_include(const ElementReader& include) {
    FileIncludeConfig out;
    out.where = include.where();
    out.field = include.text("field");
    out.group = include.text("group");
    out.time_manipulation = include.text("time_manipulation");
    out.output_frequency_s = include.seconds("output_frequency");
    out.storage = read_storage(include);
    check_what_is_included(include, out);
    check_output_frequency(include, out);
    return out;
  }

  void check_what_is_included(const ElementReader& include, const FileIncludeConfig& out) {
    const bool has_field = include.is_given("field");
    const bool has_group = include.is_given("group");
    if (has_field && has_group) {
      include.error(out.group.where, "include has a field and a group; write two includes");
    } else if (!has_field && !has_group) {
      include.error(out.where, "include needs the attribute \"field\" or \"group\": what is written");
    }
    // Another group may have followed where the document broke off, or have a name that is not known yet.
    if (!include.is_usable("group") || has_open_group_ || !reading_.document.is_complete()) return;
    if (groups_.find(out.group.value)) return;
    include.error(out.group.where, "no group " + in_quotes(out.group.value) +
                                       suggestion_or_known(out.group.value, group_names_));
  }

  static void check_output_frequency(const ElementReader& include, const FileIncludeConfig& out) {
    if (include.is_given("time_manipulation") && !include.is_usable("time_manipulation")) return;
    const std::string& manipulation = out.time_manipulation.value;
    const bool is_given = include.is_given("output_frequency");
    if (manipulation == "none" && is_given) {
      include.error(
          include.text("output_frequency").where,
          "time_manipulation=\"none\" writes every value: remove output_frequency, or choose averaged or "
          "instantaneous");
    } else if (manipulation != "none" && !is_given) {
      include.error(include.where(),
                    "include needs the attribute \"output_frequency\" (model time between two " +
                        manipulation + " values, in s), or time_manipulation=\"none\"");
    }
  }

  /// Reports a name that was given before. A missing name is no name: it was reported already.
  static bool is_first(const ElementReader& element, const std::string& attribute, FirstPlaces& places) {
    const Text name = element.text(attribute);
    if (name.value.empty()) return false;
    const auto before = places.before(name);
    if (before)
      element.error(name.where, "a second " + element.label() + "; the first is at " + before->text());
    return !before;
  }

  Reading& reading_;
  const ElementReader& root_;
  Config& config_;
  FirstPlaces dimensions_, data_groups_, fields_, diagnostics_, groups_, files_;
  std::vector<std::string> group_names_;
  bool has_open_group_ = false;
};

/// False if the root is something else altogether, and there is no sense in reading on.
bool check_root(const XmlDocument& document, Findings& findings) {
  const ElementSchema& schema = configuration_schema().front();
  const std::string& name = document.root()->name;
  if (name == schema.name) return true;
  const std::vector<std::string> known = {schema.name};
  const std::string suggested = suggestion(name, known);
  findings.error(document.where(document.root()->at),
                 "the root element is " + in_quotes(name) +
                     (suggested.empty() ? "; put everything inside <" + schema.name + ">" : suggested));
  return !suggested.empty();
}

}  // namespace

Config read_config(std::string_view text, const std::string& file_name, const Catalogue& catalogue,
                   const std::map<std::string, std::string>& options, Findings& findings,
                   bool allow_missing_options) {
  Config config;
  config.catalogue = catalogue;
  config.options = options;
  config.text = text;
  const XmlDocument document(text, file_name, findings);
  config.is_broken_off = !document.is_complete();
  if (!document.root() || !check_root(document, findings)) return config;
  Reading reading{document, catalogue, options, allow_missing_options, findings};
  const ElementReader root(reading, *document.root(), configuration_schema().front());
  ConfigReader(reading, root, config).read();
  return config;
}

}  // namespace pileus
