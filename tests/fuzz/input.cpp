#include "tests/fuzz/input.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "config/namespaces.h"
#include "config/schema/schema.h"
#include "core/calendar.h"
#include "expression/expression_words.h"

namespace pileus::testing {
namespace {

constexpr std::string_view kMark = "\n%%% ";
constexpr const char* kOptions = "--set";

/// Takes the text up to the next `end` off `text`, and the `end` with it.
std::string_view take(std::string_view& text, std::string_view end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + end.size(), text.size()));
  return taken;
}

/// The lengths of the lines, which end as in XML.
std::vector<std::size_t> lines_of(std::string_view text) {
  std::vector<std::size_t> lengths = {0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_first_of_two = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    const bool is_end = text[i] == '\n' || (text[i] == '\r' && !is_first_of_two);
    if (is_end) {
      lengths.push_back(0);
    } else {
      ++lengths.back();
    }
  }
  return lengths;
}

void add_kind(const FieldConfig& field, ModelField& made, RankDescription& rank, int of_ranks) {
  constexpr Index kSize = 4, kLength = 8;
  for (const ElementType type : {ElementType::float64, ElementType::float32, ElementType::int32,
                                 ElementType::int64, ElementType::boolean, ElementType::character}) {
    if (name(type) == field.data_type.value) made.type = type;
  }
  const bool is_map = field.type.value == "map";
  if (is_map) made.type = ElementType::character;
  const auto add = [&](const std::string& dimension, Index size) {
    if (made.dimensions.size() == kMaxRank) return;
    const bool is_known = std::ranges::any_of(
        rank.dimensions, [&](const ModelDimension& one) { return one.name == dimension; });
    if (!is_known) rank.dimensions.push_back({dimension, size, {}, ""});
    for (Index i = 0; !is_known && i < size; ++i)
      rank.dimensions.back().coordinates.push_back(static_cast<double>(i));
    made.dimensions.push_back(dimension);
    made.region.start.push_back(0);
    made.region.count.push_back(size);
  };
  const bool is_nameless = !is_map && field.size.empty() && field.type.value == "array";
  if (made.type == ElementType::character && !is_nameless) add("length_8", kLength);
  if (is_map) add(std::string(kPairDimension), 2);
  for (const Text& one : field.size) add(one.value, kSize);
  if (is_nameless) {
    made.region.start.push_back(0);
    made.region.count.push_back(kSize);
  }
  const bool is_divided = field.is_collective || field.parts.value == "distributed";
  if (!is_divided || field.size.empty()) return;
  made.region.count.back() = kSize / 2;
  made.region.start.back() = of_ranks * kSize / 2;
}

}  // namespace

Input::Input(std::string_view text) {
  std::string name = kMain;
  files[name] = std::string(take(text, kMark));
  while (!text.empty()) {
    name = std::string(take(text, "\n"));
    std::string_view inside = take(text, kMark);
    if (name != kOptions) {
      files.try_emplace(name, inside);
      continue;
    }
    while (!inside.empty()) {
      std::string_view line = take(inside, "\n");
      const std::string key(take(line, "="));
      options[key] = std::string(line);
    }
  }
}

const Catalogue& catalogue() {
  static const Catalogue catalogue = [] {
    Catalogue all = builtin_catalogue();
    all.load_operators = [](const std::string& path) -> std::vector<Declaration> {
      throw PluginError("there is no library " + path);
    };
    return all;
  }();
  return catalogue;
}

void end(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  __builtin_trap();
}

void require_real_places(const Findings& findings, const Input& input) {
  std::map<std::string, std::vector<std::size_t>> lines;
  for (const Finding& finding : findings.all()) {
    const Location& where = finding.where;
    if (where.line == 0 && where.column == 0) continue;
    const auto file = input.files.find(where.file);
    if (file == input.files.end()) end("there is no such file: " + finding.text());
    std::vector<std::size_t>& lengths = lines[where.file];
    if (lengths.empty()) lengths = lines_of(file->second);
    const auto line = static_cast<std::size_t>(where.line);
    if (where.line < 1 || line > lengths.size()) end("there is no such line: " + finding.text());
    const auto column = static_cast<std::size_t>(where.column);
    if (where.column < 0 || column > lengths[line - 1] + 1) end("there is no such column: " + finding.text());
  }
}

ModelDescription model_of(const Config& config) {
  ModelDescription model;
  for (int number = 0; number < 2; ++number) {
    RankDescription& rank = model.ranks.emplace_back();
    std::set<std::string> known;
    for (const DataGroupConfig& data : config.data_groups) {
      for (const FieldConfig& field : data.fields) {
        ModelField made;
        made.name = full_name(data.scope, field.name.value);
        if (!known.insert(made.name).second) continue;
        add_kind(field, made, rank, number);
        rank.fields.push_back(std::move(made));
      }
    }
  }
  return model;
}

std::vector<std::string> words_of_configurations() {
  std::set<std::string> words = {"<!--",  "-->",   "<![CDATA[", "]]>", "</", "/>",
                                 "&lt;",  "&#10;", "{",         "}",   "::", "%%% io/fields.xml\n",
                                 "z,y,x", "time"};
  for (const ElementSchema& element : configuration_schema()) {
    words.insert({"<" + element.name, "</" + element.name + ">"});
    for (const AttributeSchema& attribute : element.attributes) {
      words.insert(" " + attribute.name + "=\"");
      words.insert(attribute.words.begin(), attribute.words.end());
    }
  }
  for (const auto* all : {&catalogue().operators, &catalogue().communications}) {
    for (const Declaration& one : *all) {
      words.insert(one.name);
      for (const ParameterDeclaration& parameter : one.parameters) {
        words.insert(" " + parameter.name + "=\"");
        words.insert(parameter.words.begin(), parameter.words.end());
      }
    }
  }
  for (const char* unit : {"min", "h", "d", "month", "years", "KiB", "GiB"}) words.insert(unit);
  words.insert(calendar_words().begin(), calendar_words().end());
  return {words.begin(), words.end()};
}

std::vector<std::string> words_of_expressions() {
  std::vector<std::string> words = {"and",  "or", "not", "lt",  "le",     "gt", "ge", "eq",
                                    "ne",   "<=", ">=",  "==",  "!=",     "|",  "^",  "[y,x](",
                                    "[z](", "%",  "::",  "{o}", "1e-300", ".5", "("};
  for (const std::string& word : planning::function_words(true)) words.push_back(word + "(");
  return words;
}

}  // namespace pileus::testing
