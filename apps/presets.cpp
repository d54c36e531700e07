#include "apps/presets.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "config/messages.h"
#include "config/read_config.h"
#include "core/suggest.h"

namespace pileus::apps {
namespace {

namespace fs = std::filesystem;

/// The lines of the first comment, without blanks around them.
std::vector<std::string> comment_of(const std::string& text) {
  const std::size_t begin = text.find("<!--"), end = text.find("-->");
  std::vector<std::string> lines;
  if (begin == text.npos || end == text.npos || end < begin + 4) return lines;
  std::istringstream in(text.substr(begin + 4, end - begin - 4));
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    lines.push_back(first == line.npos ? "" : line.substr(first, line.find_last_not_of(" \t\r") + 1 - first));
  }
  return lines;
}

/// "w 3d: upward_air_velocity".
std::optional<PresetField> field_of(const std::string& line) {
  const std::size_t blank = line.find(' '), colon = line.find(':');
  if (blank == line.npos || colon != blank + 3 || line[blank + 2] != 'd') return {};
  const char digit = line[blank + 1];
  const std::string key = line.substr(0, blank);
  const bool is_key = std::ranges::all_of(
      key, [](unsigned char c) { return c < 0x80 && (std::isalnum(c) != 0 || c == '_'); });
  if (digit < '0' || digit > '9' || key.empty() || !is_key) return {};
  PresetField field{key, static_cast<std::size_t>(digit - '0'), {}};
  std::istringstream names(line.substr(colon + 1));
  for (std::string name; names >> name;) field.standard_names.push_back(name);
  return field;
}

void add_words(std::string& text, const std::string& line) {
  if (!line.empty()) text += (text.empty() ? "" : " ") + line;
}

std::string stem(const Preset& preset) { return fs::path(preset.file).stem().string(); }

void print(const Preset& preset) {
  std::cout << preset.file << ": " << preset.summary << "\n\n";
  std::cout << "Fields that it needs, each by the option that names it:\n";
  for (const PresetField& field : preset.fields) {
    std::cout << "  " << field.key << ": " << field.dimensions << " dimensions, "
              << listed(field.standard_names) << '\n';
  }
  std::cout << "Other options:\n";
  for (const OptionOfText& option : preset.options) {
    const bool is_field =
        std::ranges::any_of(preset.fields, [&](const PresetField& field) { return field.key == option.key; });
    if (!is_field)
      std::cout << "  " << option.key << ": " << option.otherwise.value_or("has to be given") << '\n';
  }
  if (!preset.more.empty()) std::cout << preset.more << '\n';
  std::cout << "\nIn a configuration that has the fields:\n  <include file=\"" << preset.file << "\"";
  if (!preset.fields.empty()) std::cout << " set=\"" << preset.fields.front().key << "=name_of_the_field\"";
  std::cout << "/>\n";
}

}  // namespace

Preset preset_of(const std::string& file, const std::string& text) {
  Preset preset{file, "", "", {}, options_with_defaults(text)};
  bool is_summary = true;
  for (const std::string& line : comment_of(text)) {
    if (auto field = field_of(line)) {
      preset.fields.push_back(std::move(*field));
      is_summary = false;
    } else if (line.empty()) {
      is_summary = is_summary && preset.summary.empty();
    } else {
      add_words(is_summary ? preset.summary : preset.more, line);
    }
  }
  return preset;
}

std::vector<Preset> all_presets() {
  const fs::path folder = presets_directory();
  if (folder.empty() || !fs::is_directory(folder))
    throw std::runtime_error("there is no folder of presets beside this program; PILEUS_PRESETS names one");
  std::vector<Preset> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".xml") continue;
    try {
      all.push_back(preset_of(entry.path().filename().string(), read_text_file(entry.path().string())));
    } catch (const ConfigError& error) {
      std::cerr << error.what() << '\n';
    }
  }
  if (all.empty()) throw std::runtime_error("there are no presets in " + folder.string());
  std::ranges::sort(all, {}, &Preset::file);
  return all;
}

int presets(const std::string& name) {
  const std::vector<Preset> all = all_presets();
  if (name.empty()) {
    for (const Preset& one : all) std::cout << stem(one) << ": " << one.summary << '\n';
    std::cout << "\npileus presets NAME tells what one needs; pileus init MODEL.json finds those that fit.\n";
    return 0;
  }
  std::vector<std::string> names;
  for (const Preset& one : all) {
    names.push_back(stem(one));
    if (name != stem(one) && name != one.file) continue;
    print(one);
    return 0;
  }
  std::cerr << "there is no preset " << in_quotes(name) << suggestion_or_known(name, names) << '\n';
  return 2;
}

}  // namespace pileus::apps
