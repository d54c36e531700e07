#include "config/cmip/tables.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/cmip/patterns.h"
#include "config/values.h"
#include "core/error.h"

namespace pileus {
namespace {

using Json = nlohmann::json;

/// More than any table of CMIP has.
constexpr std::size_t kMostTableBytes = std::size_t{16} << 20;
constexpr int kDeepest = 32;

/// How deep lists and groups lie in one another.
int depth_of(const std::string& text) {
  int depth = 0, most = 0;
  bool is_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') is_text = !is_text;
    if (is_text) {
      i += c == '\\' ? 1 : 0;
      continue;
    }
    if (c == '{' || c == '[') most = std::max(most, ++depth);
    if (c == '}' || c == ']') --depth;
  }
  return most;
}

Json parsed(const std::string& text) {
  if (text.size() > kMostTableBytes)
    throw UsageError("it has more than " + std::to_string(kMostTableBytes >> 20) + " MiB");
  if (depth_of(text) > kDeepest)
    throw UsageError("what it has lies more than " + std::to_string(kDeepest) + " deep");
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw UsageError("it is no JSON");
  if (!json.is_object()) throw UsageError("expected {...}");
  return json;
}

std::string text_in(const Json& json, const std::string& key) {
  if (!json.is_object()) return "";
  const auto found = json.find(key);
  if (found == json.end()) return "";
  const Json& value = found->is_array() && !found->empty() ? found->front() : *found;
  return value.is_string() ? value.get<std::string>() : "";
}

std::vector<std::string> texts_in(const Json& json) {
  if (json.is_string()) return {json.get<std::string>()};
  std::vector<std::string> out;
  if (!json.is_array()) return out;
  for (const Json& one : json)
    if (one.is_string()) out.push_back(one.get<std::string>());
  return out;
}

/// Names in a list, or in a text with blanks between them.
std::vector<std::string> names_in(const Json& json, const std::string& key) {
  const auto found = json.find(key);
  if (found == json.end()) return {};
  return found->is_string() ? split_words(found->get<std::string>()) : texts_in(*found);
}

/// Numbers in a list of texts, or in a text; {} where one is none.
std::vector<double> numbers_in(const Json& json, const std::string& key) {
  std::vector<double> numbers;
  for (const std::string& word : names_in(json, key)) {
    const std::optional<double> number = parse_number(word);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

CmipCoordinate coordinate(const std::string& name, const Json& json) {
  const auto get = [&](const char* key) { return text_in(json, key); };
  CmipCoordinate out{name,
                     get("out_name"),
                     get("standard_name"),
                     get("long_name"),
                     get("units"),
                     get("axis"),
                     get("positive"),
                     get("type") == "character",
                     get("must_have_bounds") == "yes",
                     get("value"),
                     {},
                     {}};
  if (out.name.empty()) out.name = name;
  out.bounds = numbers_in(json, "bounds_values");
  if (out.bounds.size() != 2 || out.is_text) out.bounds.clear();
  if (!out.is_text) out.requested = numbers_in(json, "requested");
  // A number that is none is no value.
  if (!out.is_text && !out.value.empty() && !parse_number(out.value)) out.value.clear();
  return out;
}

}  // namespace

struct CmipTable::Parsed {
  Json json;
};

CmipTable::CmipTable(const std::string& json) : parsed_(std::make_unique<Parsed>(Parsed{parsed(json)})) {
  const auto found = parsed_->json.find("variable_entry");
  if (found == parsed_->json.end() || !found->is_object())
    throw UsageError(R"("variable_entry" is missing: it is no table of CMIP)");
}
CmipTable::~CmipTable() = default;

std::string CmipTable::header(const std::string& key) const {
  const auto found = parsed_->json.find("Header");
  return found == parsed_->json.end() ? "" : text_in(*found, key);
}

std::vector<std::string> CmipTable::names() const {
  std::vector<std::string> out;
  for (const auto& [name, entry] : parsed_->json["variable_entry"].items()) out.push_back(name);
  return out;
}

std::optional<CmipVariable> CmipTable::variable(const std::string& name) const {
  const Json& all = parsed_->json["variable_entry"];
  const auto found = all.find(name);
  if (found == all.end()) return {};
  const auto get = [&](const char* key) { return text_in(*found, key); };
  CmipVariable out{get("out_name"),
                   get("frequency"),
                   get("modeling_realm"),
                   get("standard_name"),
                   get("long_name"),
                   get("units"),
                   get("cell_methods"),
                   get("cell_measures"),
                   get("comment"),
                   get("positive"),
                   {}};
  if (out.cell_measures.starts_with("--")) out.cell_measures.clear();  // "--MODEL": each model has its own
  if (out.name.empty()) out.name = name.substr(0, name.find('_'));
  if (found->is_object()) out.dimensions = names_in(*found, "dimensions");
  return out;
}

struct CmipCoordinates::Parsed {
  Json json;
};

CmipCoordinates::CmipCoordinates(const std::string& json) {
  Json all = parsed(json);
  const auto found = all.find("axis_entry");
  if (found == all.end() || !found->is_object())
    throw UsageError(R"("axis_entry" is missing: it is no table of coordinates)");
  parsed_ = std::make_unique<Parsed>(Parsed{std::move(*found)});
}
CmipCoordinates::~CmipCoordinates() = default;

std::vector<CmipCoordinate> CmipCoordinates::entries(const std::string& name) const {
  const auto found = parsed_->json.find(name);
  if (found != parsed_->json.end()) return {coordinate(name, *found)};
  std::vector<CmipCoordinate> all;
  for (const auto& [entry, json] : parsed_->json.items())
    if (text_in(json, "generic_level_name") == name) all.push_back(coordinate(entry, json));
  return all;
}

struct CmipCellMeasures::Parsed {
  Json json;
};

CmipCellMeasures::CmipCellMeasures(const std::string& json) {
  Json all = parsed(json);
  const auto found = all.find("cell_measures");
  if (found == all.end() || !found->is_object())
    throw UsageError(R"("cell_measures" is missing: it is no table of them)");
  parsed_ = std::make_unique<Parsed>(Parsed{std::move(*found)});
}
CmipCellMeasures::~CmipCellMeasures() = default;

std::string CmipCellMeasures::of(const std::string& compound_name) const {
  return text_in(parsed_->json, compound_name);
}

struct CmipVocabulary::Parsed {
  Json json;
  const Json* find(const std::string& key) const {
    const auto found = json.find(key);
    return found == json.end() ? nullptr : &*found;
  }
};

CmipVocabulary::CmipVocabulary(const std::string& json) {
  Json all = parsed(json);
  const auto found = all.find("CV");
  if (found == all.end() || !found->is_object())
    throw UsageError(R"("CV" is missing: it is no controlled vocabulary of CMIP)");
  parsed_ = std::make_unique<Parsed>(Parsed{std::move(*found)});
}
CmipVocabulary::~CmipVocabulary() = default;

bool CmipVocabulary::has(const std::string& key) const { return parsed_->find(key) != nullptr; }
std::string CmipVocabulary::text(const std::string& key) const { return text_in(parsed_->json, key); }

std::vector<std::string> CmipVocabulary::list(const std::string& key) const {
  const Json* const found = parsed_->find(key);
  return found ? texts_in(*found) : std::vector<std::string>();
}

std::vector<std::string> CmipVocabulary::words(const std::string& key) const {
  const Json* const found = parsed_->find(key);
  std::vector<std::string> out;
  if (found == nullptr) return out;
  if (found->is_object()) {
    for (const auto& [word, meaning] : found->items()) out.push_back(word);
    return out;
  }
  out = texts_in(*found);
  std::erase_if(out, is_pattern);
  return out;
}

bool CmipVocabulary::allows(const std::string& key, const std::string& value) const {
  const Json* const found = parsed_->find(key);
  if (found == nullptr) return true;
  if (found->is_object()) return found->contains(value);
  const std::vector<std::string> all = texts_in(*found);
  return std::ranges::any_of(all, [&](const std::string& one) {
    return one == value || (is_pattern(one) && fits_pattern(one, value));
  });
}

std::string CmipVocabulary::of(const std::string& key, const std::string& value,
                               const std::string& inner) const {
  const Json* const found = parsed_->find(key);
  if (found == nullptr || !found->is_object() || !found->contains(value)) return "";
  return inner.empty() ? text_in(*found, value) : text_in((*found)[value], inner);
}

std::vector<std::string> CmipVocabulary::list_of(const std::string& key, const std::string& value,
                                                 const std::string& inner) const {
  const Json* const found = parsed_->find(key);
  if (found == nullptr || !found->is_object() || !found->contains(value)) return {};
  const Json& entry = (*found)[value];
  const auto list = entry.is_object() ? entry.find(inner) : entry.end();
  return entry.is_object() && list != entry.end() ? texts_in(*list) : std::vector<std::string>();
}

}  // namespace pileus
