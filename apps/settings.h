#pragma once
// Command-line options that several programs share.

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pileus::apps {

/// Reads the "key=value" of --set. Errors: std::invalid_argument that says what was expected.
inline std::vector<std::pair<std::string, std::string>> parse_settings(
    const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw std::invalid_argument("--set " + text + ": expected key=value");
    }
    settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

}  // namespace pileus::apps
