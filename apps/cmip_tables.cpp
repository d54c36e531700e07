#include "apps/cmip_tables.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "config/messages.h"
#include "config/read_config.h"

namespace pileus::apps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".json";

/// The names of the tables that are there, in alphabetical order.
std::vector<std::string> names_of(const std::string& path) {
  const fs::path beside = fs::path(path).parent_path();
  const std::string first = fs::path(path).filename().string() + "_";
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& one : fs::directory_iterator(beside.empty() ? "." : beside, none)) {
    const std::string name = one.path().filename().string();
    if (name.starts_with(first) && name.ends_with(kExtension))
      names.push_back(name.substr(first.size(), name.size() - first.size() - std::string(kExtension).size()));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

const CmipTable* CmipTables::table(const std::string& name, std::string& why) {
  const auto [known, is_new] = known_.try_emplace(name);
  if (is_new) {
    const std::string path = path_ + "_" + name + kExtension;
    std::error_code none;
    if (!fs::exists(path, none)) {
      problems_[name] = "there is no table " + path + suggestion(name, names_of(path_));
    } else {
      try {
        known->second = std::make_unique<CmipTable>(read_text_file(path));
      } catch (const UsageError& error) {
        problems_[name] = path + ": " + error.what();
      }
    }
  }
  if (!known->second) why = problems_[name];
  return known->second.get();
}

std::optional<CmipVariable> CmipTables::find(const std::string& table, const std::string& variable,
                                             std::string& why) {
  const CmipTable* const found = this->table(table, why);
  if (found == nullptr) return {};
  std::optional<CmipVariable> entry = found->variable(variable);
  if (!entry) why = "the table has no such variable" + suggestion(variable, found->names());
  return entry;
}

std::string CmipTables::table_of(const std::string& variable, std::string& why) {
  std::vector<std::string> having;
  for (const std::string& name : names_of(path_)) {
    std::string no_table;
    const CmipTable* const one = table(name, no_table);
    if (one != nullptr && one->variable(variable)) having.push_back(name);
  }
  if (having.size() == 1) return having.front();
  why = having.empty() ? "no table " + path_ + "_*" + kExtension + " has it"
                       : "the tables " + some_listed(having) + " have it: say which in a column \"table\"";
  return "";
}

}  // namespace pileus::apps
