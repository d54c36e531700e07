#include "apps/standard_names.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

#include "config/messages.h"
#include "config/read_config.h"
#include "core/suggest.h"
#include "rules/graph.h"
#include "xml/xml_document.h"

namespace pileus::apps {
namespace {

namespace fs = std::filesystem;

/// Words that may stand behind a standard name (CF, appendix C).
constexpr std::array<std::string_view, 4> kModifiers = {"detection_minimum", "number_of_observations",
                                                        "standard_error", "status_flag"};

/// That of the package beside the program: bin/compliance-checker, lib/python3.11/site-packages/...
std::string table_beside(const fs::path& program) {
  std::error_code error;
  const fs::path lib = fs::absolute(program, error).parent_path().parent_path() / "lib";
  for (const auto& entry : fs::directory_iterator(lib, error)) {
    if (!entry.path().filename().string().starts_with("python")) continue;
    for (const char* const packages : {"site-packages", "dist-packages"}) {
      const fs::path table =
          entry.path() / packages / "compliance_checker" / "data" / "cf-standard-name-table.xml";
      if (fs::is_regular_file(table, error)) return table.string();
    }
  }
  return "";
}

std::string text_in(const XmlElement& element, std::string_view child) {
  for (const XmlElement& one : element.children)
    if (one.name == child) return one.texts.empty() ? "" : one.texts.front().text;
  return "";
}

std::unique_ptr<std::string> text_of(const std::string& path) {
  try {
    return std::make_unique<std::string>(read_text_file(path));
  } catch (const ConfigError& error) {
    throw UsageError(path + ": " + error.findings().all().front().what);
  }
}

class Table {
 public:
  /// Errors: UsageError.
  explicit Table(const std::string& path) {
    Findings findings;
    const XmlDocument document(text_of(path), path, findings);
    const XmlElement* const root = document.root();
    if (root == nullptr || root->name != "standard_name_table" || findings.has_errors())
      throw UsageError(path + ": it is no table of CF's standard names");
    version_ = text_in(*root, "version_number");
    for (const XmlElement& one : root->children) {
      const XmlAttribute* const id = one.find("id");
      if (id == nullptr) continue;
      if (one.name == "entry") units_[id->value] = text_in(one, "canonical_units");
      if (one.name == "alias") aliases_[id->value] = text_in(one, "entry_id");
    }
    if (units_.empty()) throw UsageError(path + ": there are no standard names in it");
    for (const auto& [name, units] : units_) names_.push_back(name);
  }

  const std::string& version() const { return version_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Null where the table has no such name.
  const std::string* units_of(const std::string& name) const { return found(units_, name); }
  /// What the name was called before; null where it is no alias.
  const std::string* alias(const std::string& name) const { return found(aliases_, name); }

 private:
  static const std::string* found(const std::map<std::string, std::string>& among, const std::string& name) {
    const auto place = among.find(name);
    return place == among.end() ? nullptr : &place->second;
  }
  std::string version_;
  std::map<std::string, std::string> units_, aliases_;
  std::vector<std::string> names_;
};

class NameCheck {
 public:
  NameCheck(const Table& table, const UnitSystem& system, Findings& findings)
      : table_(table), system_(system), findings_(findings) {}

  void check(const Text& standard_name, const Text& units) {
    const bool is_open = standard_name.value.find('{') != std::string::npos;
    if (!standard_name.is_given() || standard_name.value.empty() || is_open) return;
    const std::string said = "standard_name=" + in_quotes(standard_name.value) + ": ";
    std::istringstream words(standard_name.value);
    std::string name, modifier, rest;
    words >> name >> modifier >> rest;
    const bool is_modifier = modifier.empty() || std::ranges::find(kModifiers, modifier) != kModifiers.end();
    if (!is_modifier || !rest.empty()) {
      return findings_.warning(standard_name.where, said + in_quotes(modifier) +
                                                        " is no modifier that CF lets stand behind a name");
    }
    if (const std::string* const alias = table_.alias(name); alias != nullptr)
      return findings_.warning(standard_name.where, said + "CF calls it " + in_quotes(*alias) + " now");
    const std::string* const canonical = table_.units_of(name);
    if (canonical == nullptr) {
      return findings_.warning(standard_name.where, said + "it is not in CF's table " + table_.version() +
                                                        did_you_mean(name, table_.names()));
    }
    if (modifier.empty() || modifier == "standard_error") check_units(name, *canonical, units);
  }

 private:
  void check_units(const std::string& name, const std::string& canonical, const Text& units) {
    const bool is_open = units.value.find('{') != std::string::npos;
    if (units.value.empty() || canonical.empty() || is_open) return;
    const Unit ours = system_.parse(units.value), theirs = system_.parse(canonical);
    if (!ours || !theirs || are_convertible(ours, theirs)) return;
    findings_.warning(units.where, "units=" + in_quotes(units.value) + ": " + name + " is in units such as " +
                                       in_quotes(canonical));
  }

  const Table& table_;
  const UnitSystem& system_;
  Findings& findings_;
};

}  // namespace

std::string standard_name_table() {
  if (const char* const named = std::getenv("PILEUS_STANDARD_NAMES"); named != nullptr) return named;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code error;
    const fs::path program = fs::path(folder) / "compliance-checker";
    if (folder.empty() || !fs::exists(program, error)) continue;
    if (const std::string table = table_beside(program); !table.empty()) return table;
    if (const std::string table = table_beside(fs::canonical(program, error)); !table.empty()) return table;
  }
  return "";
}

void check_standard_names(const Config& config, const std::string& path, const UnitSystem& system,
                          Findings& findings) {
  static std::map<std::string, Table> known;  // many files may be checked
  const Table& table = known.try_emplace(path, path).first->second;
  NameCheck check(table, system, findings);
  for (const DimensionConfig& dimension : config.dimensions) {
    check.check(dimension.standard_name, dimension.units);
    check.check(dimension.computed_standard_name, {});
  }
  for (const DataGroupConfig& group : config.data_groups)
    for (const FieldConfig& field : group.fields)
      check.check(field.metadata.standard_name, field.metadata.units);
  for (const DiagnosticConfig& diagnostic : config.diagnostics)
    check.check(diagnostic.metadata.standard_name, diagnostic.metadata.units);
}

}  // namespace pileus::apps
