#include "apps/init.h"

#include <algorithm>
#include <array>
#include <cctype>
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

/// As names in files are.
bool is_name(const std::string& text) {
  const auto is_letter = [](unsigned char c) { return c < 0x80 && std::isalpha(c) != 0; };
  return !text.empty() && is_letter(static_cast<unsigned char>(text.front())) &&
         std::ranges::all_of(text, [](unsigned char c) {
           return (c < 0x80 && std::isalnum(c) != 0) || c == '_' || c == '-' || c == '.';
         });
}

bool can_be_named(const ModelField& field) {
  return is_name(field.name) && std::ranges::all_of(field.dimensions, is_name);
}

/// No comment of XML may have two of them in a row.
std::string without_double_dashes(std::string text) {
  for (std::size_t at = text.find("--"); at != text.npos; at = text.find("--", at))
    text.replace(at, 2, "- -");
  return text;
}

/// At least so close is a field that CF calls as it should be.
constexpr int kCalledSo = 3;

/// How well a field is what is needed: by what CF calls it, or else by its name. 0: not at all.
int closeness(const PresetField& needed, const ModelField& field) {
  if (field.dimensions.size() != needed.dimensions && !(field.points && needed.dimensions > 1)) return 0;
  if (!can_be_named(field) || field.is_static || field.type == ElementType::character) return 0;
  const bool is_called_so =
      std::ranges::find(needed.standard_names, field.metadata.standard_name) != needed.standard_names.end();
  if (!field.metadata.standard_name.empty() && !is_called_so) return 0;
  if (is_called_so) return field.name == needed.key ? kCalledSo + 1 : kCalledSo;
  return field.name == needed.key ? 2 : field.name.starts_with(needed.key + "_") ? 1 : 0;
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

/// Names of one letter are anybody's: something has to be called so, or by a word.
bool is_sure(const Preset& preset, const std::vector<const ModelField*>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const PresetField& needed = preset.fields[i];
    if (needed.key.size() > 1 || closeness(needed, *fields[i]) >= kCalledSo) return true;
  }
  return false;
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
  constexpr std::array kWords = {"lev",     "height", "depth",  "plev",     "altitude",
                                 "bottom_", "layer",  "hybrid", "vertical", "z_"};
  const bool is_short_z = dimension.starts_with('z') && dimension.size() <= 3;  // zn, zt, zw
  return dimension == "k" || is_short_z ||
         std::ranges::any_of(kWords, [&](std::string_view word) { return dimension.starts_with(word); });
}

bool is_northward(const std::string& dimension) {
  return dimension.starts_with('y') || dimension.starts_with("lat") || dimension.starts_with("south_") ||
         dimension == "j";
}

/// What stands for the options that name dimensions: "vertical", "horizontal" and "across". Where several
/// dimensions are vertical by their names, none is.
std::map<std::string, std::string> directions(const Names& dimensions) {
  std::map<std::string, std::string> found = {{"vertical", ""}, {"horizontal", ""}, {"across", ""}};
  Names vertical, horizontal;
  for (const std::string& one : dimensions) (is_vertical(one) ? vertical : horizontal).push_back(one);
  if (vertical.size() == 1) found["vertical"] = vertical.front();
  if (horizontal.empty() || vertical.size() != 1) return found;
  for (const std::string& one : horizontal)
    found["horizontal"] += (found["horizontal"].empty() ? "" : ",") + one;
  const auto northward = std::ranges::find_if(horizontal, is_northward);
  found["across"] = northward == horizontal.end() ? horizontal.back() : *northward;
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

void add_settings(FittedPreset& fit, const RankDescription& model) {
  std::map<std::string, std::string> said = directions(fit.fields.front()->dimensions);
  for (std::size_t i = 0; i < fit.fields.size(); ++i) said[fit.preset->fields[i].key] = fit.fields[i]->name;
  for (const OptionOfText& option : fit.preset->options) {
    const std::string otherwise = option.otherwise.value_or("");
    const auto found = said.find(option.key);
    if (found == said.end()) {
      // The model's own option of that name would stand there.
      if (model.options.contains(option.key)) fit.settings.emplace_back(option.key, otherwise);
    } else if (found->second.empty()) {
      fit.lacks = "a dimension that is " + option.key + " by its name";
    } else if (!is_same_list(otherwise, found->second) || model.options.contains(option.key)) {
      fit.settings.emplace_back(option.key, found->second);
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

bool can_be_averaged(const ModelField& field) {
  return field.type != ElementType::character && !field.is_static && can_be_named(field);
}

/// Errors: std::runtime_error where there is no field to average.
std::string means_of_all(const RankDescription& model, std::string& fields) {
  std::string text =
      "  <data-writing>\n    <file name=\"means.nc\" write_time_frequency=\"1 d\" "
      "write_on_terminate=\"true\">\n";
  for (const ModelField& field : model.fields) {
    if (!can_be_averaged(field)) continue;
    fields += declared(field);
    text += "      <include field=\"" + field.name +
            "\" time_manipulation=\"averaged\" output_frequency=\"1 h\"/>\n";
  }
  if (fields.empty())
    throw std::runtime_error(
        "the model has no field that a configuration could average: numbers that change, with names of "
        "letters, digits, \"_\", \"-\" and \".\"");
  return text + "    </file>\n  </data-writing>\n";
}

std::string included(const FittedPreset& fit) {
  std::string text = "  <!-- " + without_double_dashes(fit.preset->summary) + " -->\n  <include file=\"" +
                     fit.preset->file + "\"";
  for (std::size_t i = 0; i < fit.settings.size(); ++i) {
    text += (i == 0 ? " set=\"" : "; ") + fit.settings[i].first + "=" + fit.settings[i].second;
    if (i + 1 == fit.settings.size()) text += "\"";
  }
  return text + "/>\n";
}

ModelFile read_model(const std::string& path) { return read_model_file(read_text_file(path), path); }

/// The fields of all ranks, each once, and what the first rank says of the rest.
RankDescription all_of(const ModelDescription& model) {
  RankDescription all = model.ranks.front();
  std::set<std::string> known;
  for (const ModelField& field : all.fields) known.insert(field.name);
  for (const RankDescription& rank : model.ranks) {
    for (const ModelField& field : rank.fields)
      if (known.insert(field.name).second) all.fields.push_back(field);
  }
  return all;
}

int write(const std::string& text, const InitSettings& settings) {
  ReadSettings reading;
  reading.model = settings.model;
  if (settings.output.empty()) {
    std::cout << text;
    const Findings findings = findings_in(text, "the configuration", reading);
    if (findings.has_errors()) std::cerr << findings.text() << '\n';
    return findings.has_errors() ? 1 : 0;
  }
  if (std::filesystem::exists(settings.output))
    throw std::runtime_error(settings.output + " exists already; name another file by --output");
  std::ofstream file(settings.output, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(settings.output + " cannot be written");
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
    if (is_sure(preset, fit.fields)) {
      add_settings(fit, model);
    } else {
      fit.lacks = "standard names: names of one letter may be anything";
    }
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
      lacks += "       " + without_double_dashes(fit.preset->file + " lacks " + fit.lacks) + "\n";
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
  const RankDescription model = all_of(file.model);
  const std::vector<Preset> all = all_presets();
  std::vector<FittedPreset> fits;
  for (const Preset& one : all) fits.push_back(fitted(one, model));
  return write(first_configuration(fits, model), settings);
}

}  // namespace pileus::apps
