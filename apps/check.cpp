#include "apps/check.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analytics/operators/list.h"
#include "apps/standard_names.h"
#include "apps/unit_check.h"
#include "config/components.h"
#include "config/messages.h"
#include "config/read_config.h"
#include "core/suggest.h"
#include "description/model_file.h"
#include "formats/netcdf/grid_file.h"
#include "formats/netcdf/input_values.h"
#include "inputs/declared/planned_inputs.h"
#include "layout/make_plan.h"
#include "layout/model_metadata.h"
#include "monc/dialect.h"

namespace pileus::apps {
namespace {

using Json = nlohmann::ordered_json;

struct Checked {
  std::string file, component;  ///< "" where the file has none
  int status = 0;
  Findings findings;
  std::vector<std::string> keys;  ///< the options that it uses
};

/// Checks a text and returns what could be read of it. `keys` gets the options that it uses.
void check_text(const std::string& text, const std::string& file, const ReadSettings& settings,
                const std::optional<ModelFile>& model, Findings& findings, std::vector<std::string>& keys) {
  std::map<std::string, std::string> options;
  if (model) options = model->model.ranks.front().options;
  for (const auto& [key, value] : settings.options) options[key] = value;
  Config config = read_config(text, file, builtin_catalogue(read_and_check_grid), options, findings, false,
                              includes_on_disk(presets_directory(), folders_of(settings.include_path)),
                              all_dialects(settings.dialect), settings.component);
  if (model) take_metadata(model->model, config, findings);
  check_config(config, findings, true);
  const UnitSystem units;
  check_units(config, units, findings);
  if (!settings.standard_names.empty())
    check_standard_names(config, settings.standard_names, units, findings);
  const bool is_planned = model && !findings.has_errors();
  std::optional<InputClock> clock = clock_of(config.time);
  if (is_planned) clock = clock_of(make_plan(config, model->model, model->servers, findings).time);
  if (!findings.has_errors()) (void)plan_inputs(config, clock, open_netcdf_input, findings);
  if (config.files.empty() && !config.is_broken_off && !findings.has_errors())
    findings.note({file}, "there is no <file> in it: a run would write nothing");
  keys = config.keys;
}

Checked check_one(const std::string& file, const ReadSettings& settings,
                  const std::optional<ModelFile>& model) {
  Checked out{file, settings.component, 0, {}, {}};
  try {
    check_text(read_text_file(file), file, settings, model, out.findings, out.keys);
    if (out.findings.has_errors()) out.status = 1;
  } catch (const ConfigError& error) {
    out.findings = error.findings();
    out.status = 2;
  }
  return out;
}

/// A file is checked for each of its components.
std::vector<Checked> check_each(const std::string& file, const ReadSettings& settings,
                                const std::optional<ModelFile>& model) {
  std::vector<std::string> components;
  try {
    if (settings.component.empty())
      components = component_names(read_text_file(file), file, all_dialects(settings.dialect));
  } catch (const ConfigError&) {
    // check_one says that it cannot be read.
  }
  if (components.empty()) return {check_one(file, settings, model)};
  if (model && components.size() > 1)
    throw UsageError(file + " is for the components " + listed(components, " and ") +
                     ", and a model is one of them: say which with --component");
  std::vector<Checked> all;
  for (const std::string& component : components) {
    ReadSettings one = settings;
    one.component = component;
    all.push_back(check_one(file, one, model));
  }
  return all;
}

/// "; so in lines 4, 7, 9 and 35 others"
std::string text_of_others(std::vector<int> lines) {
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  if (lines.size() < 2) return "";  // the first line has more of it
  lines.erase(lines.begin());
  const std::size_t named = lines.size() > 4 ? 3 : lines.size();
  std::string text = lines.size() > 1 ? "; so in lines " : "; so in line ";
  for (std::size_t i = 0; i < named; ++i)
    text += (i == 0 ? "" : i + 1 == lines.size() ? " and " : ", ") + std::to_string(lines[i]);
  return named < lines.size() ? text + " and " + std::to_string(lines.size() - named) + " others" : text;
}

/// Prints a warning that a file has in many places only at the first of them.
void print_findings(const Findings& findings) {
  std::map<std::pair<std::string, std::string>, std::vector<int>> lines;
  const std::vector<Finding> sorted = findings.sorted();
  for (const Finding& finding : sorted) {
    if (finding.severity != Severity::error && finding.where.line > 0)
      lines[{finding.where.file, finding.what}].push_back(finding.where.line);
  }
  std::set<const std::vector<int>*> said;
  for (const Finding& finding : sorted) {
    const auto known = lines.find({finding.where.file, finding.what});
    const bool is_one_of_many = known != lines.end() && known->second.size() > 1 &&
                                finding.severity != Severity::error && finding.where.line > 0;
    if (is_one_of_many && !said.insert(&known->second).second) continue;
    std::cout << findings.text(finding);
    if (is_one_of_many) std::cout << text_of_others(known->second);
    std::cout << '\n';
  }
}

void print(const Checked& one) {
  if (one.status == 2) {
    std::cerr << one.findings.text() << '\n';
    return;
  }
  print_findings(one.findings);
  const auto errors = std::ranges::count(one.findings.all(), Severity::error, &Finding::severity);
  std::cout << one.file << ": ";
  if (!one.component.empty()) std::cout << "component \"" << one.component << "\": ";
  if (errors > 0) {
    std::cout << errors << (errors == 1 ? " error\n" : " errors\n");
  } else {
    std::cout << "no errors\n";
  }
}

/// Lines and columns count from 1. Null stands for the file as a whole.
Json json_of(const Location& where) {
  Json out = {{"file", where.file}, {"line", nullptr}, {"column", nullptr}};
  if (where.line > 0) out["line"] = where.line;
  if (where.line > 0 && where.column > 0) out["column"] = where.column;
  return out;
}

Json json_of(const Finding& finding, const Findings& all) {
  constexpr const char* kWords[] = {"note", "warning", "error"};
  Json out = json_of(finding.where);
  out["severity"] = kWords[static_cast<int>(finding.severity)];
  out["message"] = finding.what;
  const std::string suggested = suggested_in(finding.what);
  out["suggestion"] = suggested.empty() ? Json() : Json(suggested);
  out["included_at"] = Json::array();
  for (const Location& place : all.included_at(finding.where.file))
    out["included_at"].push_back(json_of(place));
  return out;
}

Json json_of(const Checked& one) {
  Json out = {{"file", one.file}, {"status", one.status}, {"findings", Json::array()}};
  if (!one.component.empty()) out["component"] = one.component;
  for (const Finding& finding : one.findings.sorted())
    out["findings"].push_back(json_of(finding, one.findings));
  return out;
}

}  // namespace

Findings findings_in(const std::string& text, const std::string& name, const ReadSettings& settings,
                     const std::optional<ModelFile>& model) {
  Findings findings;
  std::vector<std::string> keys;
  check_text(text, name, settings, model, findings, keys);
  return findings;
}

int check(const std::vector<std::string>& files, const ReadSettings& settings, bool as_json) {
  std::vector<Checked> all;
  std::set<std::string> keys;
  std::optional<ModelFile> model;
  if (!settings.model.empty()) model = read_model_file(read_text_file(settings.model), settings.model);
  int status = 0;
  for (const std::string& file : files) {
    for (Checked& one : check_each(file, settings, model)) {
      status = std::max(status, one.status);
      keys.insert(one.keys.begin(), one.keys.end());
      all.push_back(std::move(one));
    }
  }
  // Several files may share their options, and a file with errors may use more than was understood.
  if (status == 0) {
    warn_of_unused_settings(settings.options, std::vector(keys.begin(), keys.end()), files.front(),
                            all.front().findings);
  }
  Json out = Json::array();
  for (const Checked& one : all) {
    if (as_json) {
      out.push_back(json_of(one));
    } else {
      print(one);
    }
  }
  if (as_json) std::cout << out.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  return status;
}

}  // namespace pileus::apps
