#include "apps/cmip_text.h"

#include <algorithm>
#include <filesystem>

#include "config/schema/schema.h"
#include "core/error.h"

namespace pileus::apps {
namespace {

namespace fs = std::filesystem;

std::string attribute_text(const std::string& name, const std::string& value) {
  return value.empty() ? "" : " " + name + "=\"" + escaped(value) + "\"";
}

const ElementSchema& schema_of_datasets() {
  return *std::ranges::find(configuration_schema(), "cmip-dataset", &ElementSchema::name);
}

/// No comment of XML may have two dashes in a row, or end with one.
std::string for_comment(std::string text) {
  for (std::size_t at = text.find("--"); at != text.npos; at = text.find("--", at))
    text.replace(at, 2, "- -");
  return text;
}

/// The keys in a text such as "{member}"; those with a default of their own are none.
std::set<std::string> keys_in(const std::string& text) {
  std::set<std::string> keys;
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    const std::string key = text.substr(at + 1, text.find('}', at) - at - 1);
    if (key.find(':') == key.npos) keys.insert(key);
  }
  return keys;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string CmipText::path_from_output(const std::string& path) const {
  const fs::path folder = fs::path(output_).parent_path();
  if (folder.empty() || fs::path(path).is_absolute()) return path;
  return fs::proximate(fs::absolute(path), fs::absolute(folder)).string();
}

void CmipText::set_dataset(const std::string& tables, const std::string& cv,
                           const std::vector<std::string>& given) {
  const ElementSchema& schema = schema_of_datasets();
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    if (equals == one.npos || equals == 0) throw UsageError("--attribute " + one + ": expected name=value");
    const std::string name = one.substr(0, equals), value = one.substr(equals + 1);
    if (schema.find(name) != nullptr)
      attributes_[name] = value;
    else
      of_files_.emplace_back(name, value);
  }
  attributes_["tables"] = path_from_output(tables);
  if (!cv.empty()) attributes_["cv"] = path_from_output(cv);
}

std::string CmipText::attribute(const std::string& name) const {
  const auto found = attributes_.find(name);
  return found == attributes_.end() ? "" : found->second;
}

const std::string& CmipText::included(const std::vector<std::string>& files) {
  for (const std::string& file : files)
    included_ += "  <include file=\"" + escaped(path_from_output(file)) + "\"/>\n";
  return included_;
}

std::optional<CmipEntry> CmipText::remove_at(int line) {
  const auto known = lines_.find(line);
  if (known == lines_.end()) return {};
  const auto found = std::ranges::find(entries_, known->second, &CmipEntry::line);
  if (found == entries_.end()) return {};
  CmipEntry removed = *found;
  entries_.erase(found);
  return removed;
}

std::set<std::string> CmipText::add_open_keys(
    const std::vector<std::pair<std::string, std::string>>& options) {
  for (const AttributeSchema& one : schema_of_datasets().attributes)
    if (one.is_required) attributes_.try_emplace(one.name, "{" + one.name + "}");
  std::set<std::string> open;
  for (const auto& [name, value] : attributes_) open.merge(keys_in(value));
  for (const auto& [name, value] : of_files_) open.merge(keys_in(value));
  for (const auto& [key, value] : options) open.erase(key);
  return open;
}

void CmipText::add_dataset(const std::string& region, std::string& text) {
  text += "    <cmip-dataset";
  for (const AttributeSchema& one : schema_of_datasets().attributes) {
    const bool is_region = one.name == "region" && !region.empty();
    if (const std::string value = is_region ? region : attribute(one.name); !value.empty())
      text += "\n       " + attribute_text(one.name, value);
  }
  text += ">\n";
  for (const auto& [name, value] : of_files_)
    text += "      <attribute" + attribute_text("name", name) + attribute_text("value", value) + "/>\n";
  int line = 1 + static_cast<int>(std::ranges::count(text, '\n'));
  for (const CmipEntry& one : entries_) {
    if (one.region != region) continue;
    text += "      <cmip" + attribute_text("table", one.table) + attribute_text("variable", one.variable) +
            attribute_text("field", one.field) + attribute_text("positive", one.positive) +
            attribute_text("frequency", one.frequency) +
            (attribute("write_time_frequency").empty() ? attribute_text("write_time_frequency", one.period)
                                                       : "") +
            "/>\n";
    lines_[line++] = one.line;
  }
  text += "    </cmip-dataset>\n";
}

std::string CmipText::text(const std::vector<std::string>& left_out) {
  lines_.clear();
  std::string text = "<!-- The files of a data request of CMIP, made by pileus cmip.";
  if (!left_out.empty()) text += "\n     What is left out, and why:";
  for (const std::string& one : left_out) text += "\n       " + for_comment(one);
  text += " -->\n<io-configuration>\n" + included_ + declarations_ + "  <data-writing>\n";
  std::set<std::string> regions;
  for (const CmipEntry& one : entries_) regions.insert(one.region);
  for (const std::string& region : regions) add_dataset(region, text);
  return text + "  </data-writing>\n</io-configuration>\n";
}

}  // namespace pileus::apps
