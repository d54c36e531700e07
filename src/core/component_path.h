#pragma once
// Names of files that every component of a job writes for itself: figures, events, traces, logs.

#include <string>

namespace pileus {

/// "out/report.json" of the component "ocean" is "out/report.ocean.json"; the path itself where either is "".
inline std::string path_of_component(const std::string& path, const std::string& component) {
  if (path.empty() || component.empty()) return path;
  const std::size_t folder = path.rfind('/');
  const std::size_t name = folder == std::string::npos ? 0 : folder + 1;
  const std::size_t dot = path.rfind('.');
  const bool has_ending = dot != std::string::npos && dot > name;
  return has_ending ? path.substr(0, dot) + "." + component + path.substr(dot) : path + "." + component;
}

}  // namespace pileus
