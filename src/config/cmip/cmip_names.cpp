#include "config/cmip/cmip_names.h"

#include <algorithm>
#include <array>

namespace pileus {
std::vector<std::string> names_in_template(const std::string& pattern) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = pattern.find('<', at)) != pattern.npos;) {
    const std::size_t end = pattern.find('>', at);
    if (end == pattern.npos) break;
    names.push_back(pattern.substr(at + 1, end - at - 1));
    at = end;
  }
  return names;
}

std::string by_template(const std::string& pattern, const CmipValues& values, const std::string& between,
                        std::string& missing) {
  std::string out;
  for (const std::string& name : names_in_template(pattern)) {
    const auto found = values.find(name);
    if (found == values.end() || found->second.empty()) {
      missing = name;
      continue;
    }
    out += (out.empty() ? "" : between) + found->second;
  }
  return out;
}

bool add_indices(const std::string& label, bool with_letters, CmipValues& values) {
  constexpr std::array<std::pair<char, const char*>, 4> kIndices = {{{'r', "realization_index"},
                                                                     {'i', "initialization_index"},
                                                                     {'p', "physics_index"},
                                                                     {'f', "forcing_index"}}};
  std::size_t at = 0;
  for (const auto& [letter, name] : kIndices) {
    if (at >= label.size() || label[at] != letter) return false;
    const std::size_t begin = ++at;
    at = std::min(label.find_first_not_of("0123456789", at), label.size());
    if (at == begin || at - begin > 8) return false;
    // CMIP7 has "i202101a" too.
    if (letter == 'i' && with_letters && at < label.size() && label[at] >= 'a' && label[at] <= 'e') ++at;
    values[name] = (with_letters ? std::string(1, letter) : "") + label.substr(begin, at - begin);
  }
  return at == label.size();
}

bool add_branding(const std::string& branded, CmipValues& values) {
  const std::size_t line = branded.find('_');
  if (line == branded.npos) return false;
  std::string suffix = branded.substr(line + 1);
  values["branded_variable"] = branded;
  values["branding_suffix"] = suffix;
  for (const char* const label : {"temporal_label", "vertical_label", "horizontal_label", "area_label"}) {
    const std::size_t end = std::min(suffix.find('-'), suffix.size());
    if (end == 0) return false;
    values[label] = suffix.substr(0, end);
    suffix.erase(0, end + 1);
  }
  return suffix.empty();
}

}  // namespace pileus
