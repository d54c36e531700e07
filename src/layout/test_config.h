#pragma once
// Small configurations and models for the tests of this room, without XML. Every text gets a line of its own,
// so that a test can say by a text where a finding has to be.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "layout/make_plan.h"
#include "time/manipulations/list.h"

namespace pileus::planning_test {

/// The rules that the plan itself knows, without their parameters: in production a Config has been checked
/// against a catalogue.
inline Catalogue small_catalogue() {
  Catalogue catalogue;
  catalogue.operators = {{"arithmetic", "", {}, RuleKind::arithmetic},
                         {"localreduce", "", {}, RuleKind::localreduce}};
  catalogue.communications = {{"reduction", "", {}, RuleKind::reduction}};
  catalogue.time_manipulations = all_manipulations();
  return catalogue;
}

/// Makes texts with places: each has its own line, and column 10.
class ConfigBuilder {
 public:
  ConfigBuilder() { config.catalogue = small_catalogue(); }
  Text text(std::string value) { return {std::move(value), {"io.xml", ++line_, 10}}; }
  Location place() { return {"io.xml", ++line_, 1}; }

  ConfigBuilder& group(const std::string& name, std::int64_t frequency = 1) {
    config.data_groups.push_back({text(name), frequency, {}, place()});
    return *this;
  }
  /// A field of the last group. `size` is "z,y,x", "" for a scalar, or "?" for an array whose size is not
  /// given.
  FieldConfig& field(const std::string& name, const std::string& size = "", bool is_collective = false) {
    FieldConfig field;
    field.name = text(name);
    field.type = text(size.empty() ? "scalar" : "array");
    field.has_size = !size.empty() && size != "?";
    if (field.has_size) field.size = split(size);
    field.is_collective = is_collective;
    field.where = place();
    config.data_groups.back().fields.push_back(std::move(field));
    return config.data_groups.back().fields.back();
  }
  DiagnosticConfig& diagnostic(const std::string& name) {
    DiagnosticConfig diagnostic;
    diagnostic.field = text(name);
    diagnostic.where = place();
    config.diagnostics.push_back(std::move(diagnostic));
    return config.diagnostics.back();
  }
  /// The functions below add a rule to the last diagnostic.
  RuleConfig& localreduce(const std::string& word, const std::string& field, const std::string& result,
                          const std::string& dimensions = "") {
    RuleConfig& added = rule(false, "localreduce", result);
    added.parameters = {{"operator", text(word)}, {"field", text(field)}};
    added.parameters["dimensions"] = dimensions.empty() ? Text{} : text(dimensions);
    return added;
  }
  RuleConfig& reduction(const std::string& word, const std::string& field, const std::string& result,
                        const std::string& root = "auto") {
    RuleConfig& added = rule(true, "reduction", result);
    added.parameters = {{"operator", text(word)}, {"field", text(field)}, {"root", text(root)}};
    return added;
  }
  RuleConfig& arithmetic(const std::string& equation, const std::string& result) {
    RuleConfig& added = rule(false, "arithmetic", result);
    added.parameters = {{"equation", text(equation)}};
    return added;
  }
  /// Adds a rule of any kind to the last diagnostic, without parameters.
  RuleConfig& rule(bool is_communication, const std::string& name, const std::string& result) {
    RuleConfig rule;
    rule.is_communication = is_communication;
    rule.name = text(name);
    rule.result = text(result);
    rule.where = place();
    config.diagnostics.back().rules.push_back(std::move(rule));
    return config.diagnostics.back().rules.back();
  }
  ConfigBuilder& members(const std::string& name, const std::vector<std::string>& names) {
    GroupConfig group{text(name), {}, place()};
    for (const std::string& member : names) group.members.push_back(text(member));
    config.groups.push_back(std::move(group));
    return *this;
  }
  ConfigBuilder& file(const std::string& name, double write_frequency_s = 100) {
    FileConfig file;
    file.name = text(name);
    file.write_time_frequency.seconds = write_frequency_s;
    file.where = place();
    config.files.push_back(std::move(file));
    return *this;
  }
  FileIncludeConfig& include(const std::string& field, const std::string& manipulation = "instantaneous",
                             double output_frequency_s = 10) {
    FileIncludeConfig include;
    include.field = text(field);
    include.time_manipulation = text(manipulation);
    if (manipulation != "none") include.output_frequency = Duration{output_frequency_s};
    include.where = place();
    config.files.back().includes.push_back(std::move(include));
    return config.files.back().includes.back();
  }
  FileIncludeConfig& include_group(const std::string& group, const std::string& manipulation,
                                   double frequency_s) {
    FileIncludeConfig& added = include("", manipulation, frequency_s);
    added.group = std::exchange(added.field, Text{});
    added.group.value = group;
    return added;
  }

  Config config;

 private:
  std::vector<Text> split(const std::string& list) {
    std::vector<Text> parts;
    for (std::size_t from = 0; from <= list.size();) {
      const std::size_t end = std::min(list.find(',', from), list.size());
      parts.push_back(text(list.substr(from, end - from)));
      from = end + 1;
    }
    return parts;
  }

  int line_ = 0;
};

/// A model on `rank_count` ranks; fields are registered rank by rank or on all of them.
class ModelBuilder {
 public:
  explicit ModelBuilder(std::size_t rank_count) { model.ranks.resize(rank_count); }

  ModelBuilder& dimension(const std::string& name, Index size) {
    for (RankDescription& rank : model.ranks) rank.dimensions.push_back({name, size, {}, ""});
    return *this;
  }
  /// Registers a field that is the same on every rank: a scalar, or an array over all of the named
  /// dimensions.
  ModelBuilder& field(const std::string& name, const std::vector<std::string>& dimensions = {},
                      ElementType type = ElementType::float64) {
    for (RankDescription& rank : model.ranks) {
      Region region;
      for (const std::string& dimension : dimensions) {
        region.start.push_back(0);
        region.count.push_back(size_of(rank, dimension));
      }
      rank.fields.push_back({name, type, dimensions, region});
    }
    return *this;
  }
  /// Registers a field that is spread evenly over the ranks along the last dimension, whose size must be a
  /// multiple of the number of ranks.
  ModelBuilder& distributed(const std::string& name, const std::vector<std::string>& dimensions,
                            ElementType type = ElementType::float64) {
    field(name, dimensions, type);
    const auto ranks = static_cast<Index>(model.ranks.size());
    for (Index rank = 0; rank < ranks; ++rank) {
      Region& region = model.ranks[static_cast<std::size_t>(rank)].fields.back().region;
      region.count.back() /= ranks;
      region.start.back() = rank * region.count.back();
    }
    return *this;
  }
  /// Registers an array without named dimensions, of `counts[rank]` elements.
  ModelBuilder& nameless(const std::string& name, const std::vector<Index>& counts) {
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      model.ranks[rank].fields.push_back({name, ElementType::float64, {}, {{0}, {counts[rank]}}});
    }
    return *this;
  }
  ModelField& registered(std::size_t rank, const std::string& name) {
    auto& fields = model.ranks[rank].fields;
    return *std::find_if(fields.begin(), fields.end(),
                         [&](const ModelField& field) { return field.name == name; });
  }

  ModelDescription model;

 private:
  static Index size_of(const RankDescription& rank, const std::string& name) {
    for (const ModelDimension& dimension : rank.dimensions) {
      if (dimension.name == name) return dimension.size;
    }
    return 0;
  }
};

struct Planned {
  Plan plan;
  Findings findings;
};

inline Planned plan_of(const ConfigBuilder& config, const ModelBuilder& model, ServerRank servers = 1) {
  Planned planned;
  planned.plan = make_plan(config.config, model.model, servers, planned.findings);
  return planned;
}

inline Findings checked(const ConfigBuilder& config) {
  Findings findings;
  check_config(config.config, findings);
  return findings;
}

inline const Value& value_of(const Plan& plan, const std::string& variable) {
  for (const Variable& one : plan.variables) {
    if (one.name == variable) return plan[one.value];
  }
  throw std::runtime_error("no variable " + variable);
}

inline const PlannedField& field_of(const Plan& plan, const std::string& name) {
  for (const PlannedField& field : plan.fields) {
    if (field.name == name) return field;
  }
  throw std::runtime_error("no field " + name);
}

inline std::string attribute(const std::vector<Attribute>& attributes, const std::string& name) {
  for (const Attribute& one : attributes) {
    if (one.name == name) return std::get<std::string>(one.value);
  }
  return "(none)";
}

/// Expects exactly one finding of this severity at this place, whose text contains `part`.
inline void expect_finding(const Findings& findings, Severity severity, const Location& where,
                           const std::string& part) {
  const auto is_it = [&](const Finding& finding) {
    return finding.severity == severity && finding.where == where &&
           finding.what.find(part) != std::string::npos;
  };
  EXPECT_EQ(std::count_if(findings.all().begin(), findings.all().end(), is_it), 1)
      << "expected \"" << part << "\" at " << where.text() << "; found\n"
      << findings.text();
}

inline void expect_only_error(const Findings& findings, const Location& where, const std::string& part) {
  expect_finding(findings, Severity::error, where, part);
  const auto is_error = [](const Finding& finding) { return finding.severity == Severity::error; };
  EXPECT_EQ(std::count_if(findings.all().begin(), findings.all().end(), is_error), 1) << findings.text();
}

}  // namespace pileus::planning_test
