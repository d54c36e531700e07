#include "apps/cmip.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "apps/cmip_fields.h"
#include "apps/cmip_tables.h"
#include "apps/cmip_text.h"
#include "config/messages.h"
#include "config/read_config.h"
#include "config/schema/schema.h"
#include "description/model_file.h"
#include "requests/request.h"

namespace pileus::apps {
namespace {

/// Findings about a text go by the name of what it will be.
constexpr const char* kOnStandardOutput = "the configuration";
/// Few errors hide others; then check goes on to find some.
constexpr int kMostPasses = 20;

/// Of the files that it is asked for, in an order that fits the amounts of records.
std::string usual_period(const std::string& frequency) {
  if (frequency == "fx" || frequency.empty()) return "";
  if (frequency.starts_with("yr")) return "50 years";
  if (frequency.starts_with("mon")) return "10 years";
  return frequency.starts_with("day") ? "5 years" : "1 year";
}

std::string location(const RequestedVariable& variable) {
  return variable.where.file + ":" + std::to_string(variable.where.line);
}

class Composer {
 public:
  Composer(const ReadSettings& reading, const CmipSettings& settings, std::optional<ModelFile> model,
           Request request, std::vector<FieldOfVariable> mapping)
      : reading_(reading),
        settings_(settings),
        model_(std::move(model)),
        request_(std::move(request)),
        tables_(settings.tables),
        text_(settings.output) {
    text_.set_dataset(settings.tables, settings.cv, settings.attributes);
    fields_ = std::make_unique<FieldsOfModel>(findings_, std::move(mapping), model_,
                                              text_.included(settings.included), reading, name());
  }

  int compose() {
    choose();
    if (findings_.has_errors()) return say_findings();
    for (const RequestedVariable& one : request_.variables) resolve(one);
    if (findings_.has_errors()) return say_findings();
    const Findings last = settle();
    say_what_is_left_out();
    write();
    if (!last.all().empty()) std::cerr << last.text() << '\n';
    return last.has_errors() ? 1 : 0;
  }

 private:
  std::string name() const { return settings_.output.empty() ? kOnStandardOutput : settings_.output; }

  int say_findings() const {
    std::cerr << findings_.text() << '\n';
    return 1;
  }

  /// Leaves out what other experiments and members are asked for. What the command does not say, and the
  /// request says of all rows alike, goes to the dataset.
  void choose() {
    choose("experiment_id", &RequestedVariable::experiments);
    choose("variant_label", &RequestedVariable::members);
  }

  void choose(const std::string& attribute, std::vector<std::string> RequestedVariable::*words) {
    std::set<std::string> all;
    for (const RequestedVariable& one : request_.variables)
      all.insert((one.*words).begin(), (one.*words).end());
    if (all.empty()) return;
    const std::vector<std::string> known(all.begin(), all.end());
    std::string chosen = text_.attribute(attribute);
    if (chosen.empty() && all.size() > 1) {
      findings_.error({settings_.request}, "it is of " + some_listed(known) +
                                               ", and a run is one of them: say which by --attribute " +
                                               attribute + "=" + *all.begin());
      return;
    }
    if (chosen.empty()) text_.set_attribute(attribute, chosen = *all.begin());
    if (chosen.find('{') != chosen.npos) return;  // the run says which
    std::erase_if(request_.variables, [&](const RequestedVariable& one) {
      const auto& of_row = one.*words;
      return !of_row.empty() && std::ranges::find(of_row, chosen) == of_row.end();
    });
    if (request_.variables.empty())
      findings_.error({settings_.request}, "nothing in it is for " + attribute + " " + in_quotes(chosen) +
                                               suggestion_or_known(chosen, known));
  }

  void leave_out(const RequestedVariable& one, const std::string& table, const std::string& why) {
    left_out_[one.where.line] =
        location(one) + ": " + (table.empty() ? "" : table + " ") + one.variable + ": " + why;
  }

  void resolve(const RequestedVariable& one) {
    std::string why;
    const std::string table = one.table.empty() ? tables_.table_of(one.variable, why) : one.table;
    const std::optional<CmipVariable> variable =
        table.empty() ? std::nullopt : tables_.find(table, one.variable, why);
    if (!variable) return leave_out(one, one.table, why);
    const bool has_frequency = !variable->frequency.empty();
    if (has_frequency && !one.frequency.empty() && one.frequency != variable->frequency)
      return leave_out(one, table,
                       "the table has it for the frequency " + in_quotes(variable->frequency) + ", not " +
                           in_quotes(one.frequency));
    if (!has_frequency && one.frequency.empty())
      return leave_out(one, table, "its table says no frequency: say one in a column \"frequency\"");
    const std::optional<FieldOfVariable> field = fields_->find(one, table, *variable, why);
    if (!field) return leave_out(one, table, why);
    CmipEntry entry{one.where.line,
                    one.region,
                    table,
                    one.variable,
                    field->field,
                    field->positive,
                    has_frequency ? "" : one.frequency,
                    usual_period(has_frequency ? variable->frequency : one.frequency)};
    if (entry.positive.empty() && !variable->positive.empty())
      return leave_out(one, table,
                       "it is positive " + variable->positive +
                           R"(: say "up" or "down" in a column "positive", as the field )" +
                           in_quotes(entry.field) + " counts");
    if (variable->positive.empty()) entry.positive.clear();
    text_.add(std::move(entry));
  }

  std::set<std::string> used_fields() const {
    std::set<std::string> used;
    for (const CmipEntry& one : text_.entries()) used.insert(one.field);
    return used;
  }

  /// Leaves out variables that the check refuses, until it refuses none; returns what it says then.
  Findings settle() {
    ReadSettings reading = reading_;
    const std::set<std::string> open = text_.add_open_keys(reading.options);
    text_.set_declarations(fields_->declarations(used_fields()));
    if (!open.empty()) {
      std::cerr << "not given, so that the variables are not checked: "
                << some_listed(std::vector(open.begin(), open.end()))
                << "; say them by --attribute NAME=..., or by --set where the configuration is used\n";
      return {};
    }
    for (int pass = 1;; ++pass) {
      text_.set_declarations(fields_->declarations(used_fields()));
      const Findings found = findings_in(text_.text(said()), name(), reading, model_);
      bool is_any = false;
      for (const Finding& one : found.all()) {
        if (one.severity != Severity::error || one.where.file != name()) continue;
        const std::optional<CmipEntry> removed = text_.remove_at(one.where.line);
        if (!removed) continue;
        is_any = true;
        left_out_[removed->line] = settings_.request + ":" + std::to_string(removed->line) + ": " +
                                   removed->table + " " + removed->variable + ": " + one.what;
      }
      if (!is_any || pass == kMostPasses) return found;
    }
  }

  std::vector<std::string> said() const {
    std::vector<std::string> all;
    for (const auto& [line, text] : left_out_) all.push_back(text);
    return all;
  }

  void say_what_is_left_out() const {
    for (const std::string& column : request_.unused_columns)
      std::cerr << settings_.request << ": the column " << in_quotes(column) << " is not used\n";
    for (const std::string& one : said()) std::cerr << one << '\n';
    std::cerr << text_.entries().size() << " of " << request_.variables.size() << " variables\n";
  }

  void write() {
    const std::string text = text_.text(said());
    if (settings_.output.empty()) {
      std::cout << text;
      return;
    }
    std::ofstream file(settings_.output, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw std::runtime_error(settings_.output + " cannot be written");
  }

  const ReadSettings& reading_;
  const CmipSettings& settings_;
  std::optional<ModelFile> model_;
  Request request_;
  CmipTables tables_;
  CmipText text_;
  Findings findings_;
  std::unique_ptr<FieldsOfModel> fields_;
  std::map<int, std::string> left_out_;  ///< by line of the request
};

}  // namespace

CLI::App* add_cmip(CLI::App& app, CmipSettings& settings, std::string& model) {
  CLI::App* cmip = app.add_subcommand(
      "cmip",
      "Writes a configuration for a data request of CMIP, and says what the model lacks for it. Exit status: "
      "0 done, 1 the request has mistakes, or check finds errors in the configuration, 2 a file cannot be "
      "read or written");
  cmip->add_option("request", settings.request,
                   "a CSV file with columns such as table and variable, or compound_name")
      ->required();
  cmip->add_option("--tables", settings.tables,
                   "path of the tables up to what tells them apart: Tables/CMIP6 for Tables/CMIP6_Amon.json")
      ->required();
  cmip->add_option("--cv", settings.cv,
                   "path of the controlled vocabulary (default: that of the tables and _CV.json)");
  cmip->add_option("--fields", settings.fields,
                   "a CSV file with the columns variable and field, and perhaps table, positive, units and "
                   "size: which field of the model is which variable");
  cmip->add_option("--model", model, "a description of the model, as a run writes it: its fields count");
  cmip->add_option("--include", settings.included,
                   "an XML file with the fields and diagnostics of the model, which is included")
      ->allow_extra_args(false);
  cmip->add_option("--attribute", settings.attributes,
                   "name=value: an attribute of <cmip-dataset>, such as experiment_id=amip, or another that "
                   "its files are to have")
      ->allow_extra_args(false);
  cmip->add_option("-o,--output", settings.output, "where it is written (default: the standard output)");
  return cmip;
}

int cmip(const ReadSettings& reading, const CmipSettings& settings) {
  if (!settings.output.empty() && std::filesystem::exists(settings.output))
    throw std::runtime_error(settings.output + " exists already; name another file by --output");
  if (settings.fields.empty() && settings.included.empty() && reading.model.empty())
    throw UsageError("say which fields the model has: by --model, --include or --fields");
  std::optional<ModelFile> model;
  if (!reading.model.empty()) model = read_model_file(read_text_file(reading.model), reading.model);
  Findings findings;
  Request request = read_request(read_text_file(settings.request), settings.request, findings);
  std::vector<FieldOfVariable> mapping;
  if (!settings.fields.empty())
    mapping = read_fields_of_variables(read_text_file(settings.fields), settings.fields, findings);
  if (findings.has_errors()) {
    std::cerr << findings.text() << '\n';
    return 1;
  }
  return Composer(reading, settings, std::move(model), std::move(request), std::move(mapping)).compose();
}

}  // namespace pileus::apps
