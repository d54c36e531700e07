#include "config/read_config.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "config/first_places.h"
#include "config/messages.h"
#include "config/namespaces.h"
#include "config/read_diagnostic.h"
#include "config/read_servers.h"
#include "config/read_storage.h"
#include "config/sources.h"

namespace pileus {
namespace {

/// Reads the sections one kind after the other, so that their order in the document does not matter.
class ConfigReader {
 public:
  ConfigReader(const Sources& sources, Config& config) : sources_(sources), config_(config) {}

  void read() {
    for_each("server-configuration", [this](const ElementReader& server) { read_server(server); });
    for_each("time", [this](const ElementReader& time) {
      const auto before = times_.before({"", time.where()});
      if (before && before->file != time.where().file)
        time.error(time.where(), "a second <time>; the first is at " + before->text());
      config_.time = read_time(time);
    });
    for_each("dimension", [this](const ElementReader& dimension) {
      if (is_first(dimension, "name", "", dimensions_))
        config_.dimensions.push_back(read_dimension(dimension));
    });
    for_each("data-definition", [this](const ElementReader& data) { read_data_group(data); });
    for_each("data-handling", [this](const ElementReader& handling) {
      for (const ElementReader& diagnostic : handling.children("diagnostic"))
        add_diagnostic(diagnostic, scope_in(handling));
    });
    for_each("group", [this](const ElementReader& group) { read_group(group); });
    for_each("data-writing", [this](const ElementReader& writing) {
      for (const ElementReader& file : writing.children("file")) read_file(file);
    });
  }

 private:
  void for_each(std::string_view name, const std::function<void(const ElementReader&)>& read) {
    for (const std::unique_ptr<Source>& source : sources_) {
      source_ = source.get();
      if (!source->root()) continue;
      for (const ElementReader& element : source->root()->children(name)) read(element);
    }
  }

  /// The namespaces around what stands in `element`.
  std::string scope_in(const ElementReader& element) const {
    const std::string inner = element.text("namespace").value;
    return inner.empty() ? source_->scope : full_name(source_->scope, inner);
  }

  void read_server(const ElementReader& server) {
    if (source_ != sources_.front().get()) {
      return server.error(
          server.where(),
          "<server-configuration> belongs in the file that the run is started with, not in one "
          "that is included");
    }
    for (const ElementReader& servers : server.children("servers")) config_.servers = read_servers(servers);
    for (const ElementReader& pool : server.children("thread_pool")) config_.threads = pool.integer("number");
    for (const ElementReader& memory : server.children("memory"))
      config_.memory_budget_bytes = memory.bytes("budget");
  }

  void read_data_group(const ElementReader& data) {
    DataGroupConfig group{
        data.text("name"), data.integer("frequency").value_or(1), {}, data.where(), scope_in(data)};
    is_first(data, "name", group.scope, data_groups_);
    for (const ElementReader& field : data.children("field")) {
      if (is_first(field, "name", group.scope, fields_)) group.fields.push_back(read_field(field));
    }
    keep(std::move(group));
  }

  /// The fields of a second group of the same name go to the first, so that what uses them is still
  /// understood.
  void keep(DataGroupConfig group) {
    const auto same =
        std::find_if(config_.data_groups.begin(), config_.data_groups.end(), [&](const DataGroupConfig& one) {
          return one.name.value == group.name.value && one.scope == group.scope;
        });
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

  void add_diagnostic(const ElementReader& element, const std::string& scope) {
    DiagnosticConfig diagnostic = read_diagnostic(source_->reading, element);
    diagnostic.scope = scope;
    const auto field = fields_.find(full_name(scope, diagnostic.field.value));
    if (field && element.is_given("field")) {
      element.error(diagnostic.field.where, element.label() + " has the name of a field, declared at " +
                                                field->text() + "; choose another name");
    } else if (is_first(element, "field", scope, diagnostics_)) {
      config_.diagnostics.push_back(std::move(diagnostic));
    }
  }

  void read_group(const ElementReader& element) {
    GroupConfig group{element.text("name"), {}, element.where(), scope_in(element)};
    FirstPlaces members;
    for (const ElementReader& member : element.children("member")) {
      if (is_first(member, "name", "", members)) group.members.push_back(member.text("name"));
    }
    if (element.is_given("name") && !element.is_usable("name")) has_open_group_ = true;
    if (!is_first(element, "name", group.scope, groups_)) return;
    group_names_.push_back(full_name(group.scope, group.name.value));
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
    const bool is_new = is_first(element, "name", "", files_);
    for (const ElementReader& include : element.children("include"))
      file.includes.push_back(read_include(include));
    if (is_new) config_.files.push_back(std::move(file));
  }

  FileIncludeConfig read_include(const ElementReader& include) {
    FileIncludeConfig out;
    out.where = include.where();
    out.scope = scope_in(include);
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
    if (!include.is_usable("group") || has_open_group_ || config_.is_broken_off) return;
    for (const std::string& name : meanings(out.scope, out.group.value)) {
      if (groups_.find(name)) return;
    }
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
  static bool is_first(const ElementReader& element, const std::string& attribute, const std::string& scope,
                       FirstPlaces& places) {
    const Text name = element.text(attribute);
    if (name.value.empty()) return false;
    const auto before = places.before({full_name(scope, name.value), name.where});
    if (before)
      element.error(name.where, "a second " + element.label() + "; the first is at " + before->text());
    return !before;
  }

  const Sources& sources_;
  Source* source_ = nullptr;  ///< that is being read
  Config& config_;
  FirstPlaces times_, dimensions_, data_groups_, fields_, diagnostics_, groups_, files_;
  std::vector<std::string> group_names_;
  bool has_open_group_ = false;
};

}  // namespace

Config read_config(std::string_view text, const std::string& file_name, const Catalogue& catalogue,
                   const std::map<std::string, std::string>& options, Findings& findings,
                   bool allow_missing_options, const FindInclude& find_include) {
  Config config;
  config.catalogue = catalogue;
  config.options = options;
  config.text = text;
  const Reading shared{nullptr, catalogue, options, allow_missing_options, findings};
  const Sources sources = read_sources(text, file_name, shared, find_include, config);
  ConfigReader(sources, config).read();
  return config;
}

}  // namespace pileus
