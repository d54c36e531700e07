#include "apps/init.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

#include "apps/check.h"
#include "config/messages.h"
#include "config/read_config.h"
#include "core/suggest.h"
#include "description/model_file.h"

namespace pileus::apps {
namespace {

using Names = std::vector<std::string>;

/// How well a field is what is needed: by what CF calls it, or else by its name. 0: not at all.
int closeness(const PresetField& needed, const ModelField& field) {
  if (field.dimensions.size() != needed.dimensions && !(field.points && needed.dimensions > 1)) return 0;
  const bool is_called_so =
      std::ranges::find(needed.standard_names, field.metadata.standard_name) != needed.standard_names.end();
  if (!field.metadata.standard_name.empty() && !is_called_so) return 0;
  if (field.name == needed.key) return is_called_so ? 4 : 3;
  return is_called_so ? 2 : field.name.starts_with(needed.key + "_") ? 1 : 0;
}

const ModelField* closest(const PresetField& needed, const RankDescription& model,
                          const Names* dimensions = nullptr) {
  const ModelField* best = nullptr;
  int most = 0;
  for (const ModelField& field : model.fields) {
    if (dimensions != nullptr && field.dimensions != *dimensions) continue;
    if (const int close = closeness(needed, field); close > most) {
      most = close;
      best = &field;
    }
  }
  return best;
}

/// All that is needed on the same dimensions, or nothing.
std::vector<const ModelField*> together(const Preset& preset, const RankDescription& model,
                                        const Names& dimensions) {
  std::vector<const ModelField*> fields;
  for (const PresetField& needed : preset.fields) {
    const ModelField* const found = closest(needed, model, &dimensions);
    if (found == nullptr) return {};
    fields.push_back(found);
  }
  return fields;
}

/// Names say which way a dimension runs; nothing else of a description does.
bool is_vertical(const std::string& dimension) {
  constexpr std::array kWords = {"z", "lev", "height", "depth", "plev", "altitude", "layer", "hybrid", "k"};
  return std::ranges::any_of(kWords, [&](std::string_view word) {
    return dimension == word || (word.size() > 1 && dimension.starts_with(word)) ||
           (word == "z" && dimension.starts_with("z_"));
  });
}

/// What stands for the options that name dimensions: "vertical", "horizontal" (slowest first) and "across".
std::map<std::string, std::string> directions(const Names& dimensions) {
  std::map<std::string, std::string> found;
  for (const std::string& one : dimensions) {
    if (is_vertical(one)) {
      found["vertical"] = one;
    } else {
      const std::string before = found["horizontal"];
      found["horizontal"] = before.empty() ? one : one + "," + before;
    }
  }
  const std::string horizontal = found["horizontal"];
  found["across"] = horizontal.substr(0, horizontal.find(','));
  return found;
}

/// Names may stand in another order.
bool is_same_list(const std::string& a, const std::string& b) {
  const auto names = [](std::string text) {
    std::ranges::replace(text, ',', ' ');
    std::istringstream in(text);
    std::set<std::string> all;
    for (std::string name; in >> name;) all.insert(name);
    return all;
  };
  return names(a) == names(b);
}

void add_settings(FittedPreset& fit) {
  const auto otherwise = [&](const std::string& key) -> std::optional<std::string> {
    for (const OptionOfText& option : fit.preset->options) {
      if (option.key == key) return option.otherwise.value_or("");
    }
    return {};
  };
  for (std::size_t i = 0; i < fit.fields.size(); ++i) {
    const std::string& key = fit.preset->fields[i].key;
    if (otherwise(key) != fit.fields[i]->name) fit.settings.emplace_back(key, fit.fields[i]->name);
  }
  for (const auto& [key, dimensions] : directions(fit.fields.front()->dimensions)) {
    const auto known = otherwise(key);
    if (!known) continue;
    if (dimensions.empty()) {
      fit.lacks = "a dimension for its option " + key;
    } else if (!is_same_list(*known, dimensions)) {
      fit.settings.emplace_back(key, dimensions);
    }
  }
}

std::string size_of(const ModelField& field) {
  std::string size;
  for (const std::string& one : field.dimensions) size += (size.empty() ? "" : ",") + one;
  return size;
}

std::string declared(const ModelField& field) {
  std::string text = "    <field name=\"" + field.name + "\"";
  if (!field.dimensions.empty()) text += " size=\"" + size_of(field) + "\" collective=\"true\"";
  if (field.is_static) text += " static=\"true\"";
  return text + "/>\n";
}

bool is_number(const ModelField& field) { return field.type != ElementType::character; }

std::string means_of_all(const RankDescription& model, std::string& fields) {
  std::string text =
      "  <data-writing>\n    <file name=\"means.nc\" write_time_frequency=\"1 d\" "
      "write_on_terminate=\"true\">\n";
  for (const ModelField& field : model.fields) {
    if (!is_number(field)) continue;
    fields += declared(field);
    text += "      <include field=\"" + field.name + "\" time_manipulation=" +
            (field.is_static ? "\"none\"/>\n" : "\"averaged\" output_frequency=\"1 h\"/>\n");
  }
  return text + "    </file>\n  </data-writing>\n";
}

std::string included(const FittedPreset& fit) {
  std::string text = "  <!-- " + fit.preset->summary + " -->\n  <include file=\"" + fit.preset->file + "\"";
  for (std::size_t i = 0; i < fit.settings.size(); ++i) {
    text += (i == 0 ? " set=\"" : "; ") + fit.settings[i].first + "=" + fit.settings[i].second;
    if (i + 1 == fit.settings.size()) text += "\"";
  }
  return text + "/>\n";
}

ModelFile read_model(const std::string& path) { return read_model_file(read_text_file(path), path); }

int write(const std::string& text, const InitSettings& settings) {
  if (settings.output.empty()) {
    std::cout << text;
    return 0;
  }
  if (std::filesystem::exists(settings.output))
    throw std::runtime_error(settings.output + " exists already; name another file by --output");
  std::ofstream file(settings.output, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(settings.output + " cannot be written");
  ReadSettings reading;
  reading.model = settings.model;
  return check({settings.output}, reading, false);
}

}  // namespace

FittedPreset fitted(const Preset& preset, const RankDescription& model) {
  FittedPreset fit{&preset, {}, {}, ""};
  if (preset.fields.empty()) fit.lacks = "a list of the fields that it needs";
  for (const ModelField& field : model.fields) {
    if (fit.fields.empty() && !preset.fields.empty() && closeness(preset.fields.front(), field) > 0)
      fit.fields = together(preset, model, field.dimensions);
  }
  if (!fit.fields.empty()) {
    add_settings(fit);
    return fit;
  }
  for (const PresetField& needed : preset.fields) {
    if (closest(needed, model) != nullptr) continue;
    fit.lacks += (fit.lacks.empty() ? "" : ", ") + needed.key + " (" + listed(needed.standard_names) + ")";
  }
  if (fit.lacks.empty()) fit.lacks = "its fields on the same dimensions";
  return fit;
}

std::string first_configuration(const std::vector<FittedPreset>& fits, const RankDescription& model) {
  std::string fields, rest, lacks;
  std::set<std::string> known;
  for (const FittedPreset& fit : fits) {
    if (!fit.lacks.empty()) {
      lacks += "       " + fit.preset->file + " lacks " + fit.lacks + "\n";
      continue;
    }
    for (const ModelField* const field : fit.fields) {
      if (known.insert(field->name).second) fields += declared(*field);
    }
    rest += included(fit);
  }
  if (rest.empty()) rest = means_of_all(model, fields);
  std::string text =
      "<!-- A first configuration, made by pileus init. pileus presets NAME tells what the "
      "options of a preset\n     are; pileus help configuration what else may stand here.";
  if (!lacks.empty()) text += "\n     What does not fit the model:\n" + lacks + "     ";
  return text + " -->\n<io-configuration>\n  <data-definition name=\"model\" frequency=\"1\">\n" + fields +
         "  </data-definition>\n" + rest + "</io-configuration>\n";
}

int init(const InitSettings& settings) {
  const ModelFile file = read_model(settings.model);
  if (file.model.ranks.empty()) throw std::runtime_error(settings.model + " describes no rank");
  const RankDescription& model = file.model.ranks.front();
  const std::vector<Preset> all = all_presets();
  std::vector<FittedPreset> fits;
  for (const Preset& one : all) fits.push_back(fitted(one, model));
  return write(first_configuration(fits, model), settings);
}

}  // namespace pileus::apps
