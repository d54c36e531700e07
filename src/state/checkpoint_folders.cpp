#include "state/checkpoint_folders.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "core/error.h"

namespace pileus {
namespace {

constexpr std::string_view kPrefix = "step-";

[[noreturn]] void fail(const std::filesystem::path& folder, const std::error_code& why) {
  throw OutputError("cannot look for checkpoints in " + folder.string() + ": " + why.message());
}

}  // namespace

std::string checkpoint_name(std::int64_t step) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%010lld", static_cast<long long>(step));
  return std::string(kPrefix) + digits;
}

std::optional<std::int64_t> step_of_checkpoint(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = name.substr(kPrefix.size());
  std::int64_t step = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  const bool is_number = problem == std::errc() && end == digits.data() + digits.size() && step >= 0;
  return is_number && checkpoint_name(step) == name ? std::optional(step) : std::nullopt;
}

std::filesystem::path checkpoint_folder(const CheckpointHome& home, std::int64_t step) {
  return home.folder() / checkpoint_name(step);
}

std::vector<std::int64_t> complete_checkpoints(const CheckpointHome& home) {
  const std::filesystem::path& directory = home.directory;
  std::error_code problem;
  const bool is_there = std::filesystem::is_directory(directory, problem);
  if (!is_there) fail(directory, problem ? problem : std::make_error_code(std::errc::not_a_directory));
  const std::filesystem::path all = home.folder();
  std::vector<std::int64_t> steps;
  std::filesystem::directory_iterator entry(all, problem);
  if (problem == std::errc::no_such_file_or_directory) return steps;
  while (!problem && entry != std::filesystem::directory_iterator()) {
    const auto step = step_of_checkpoint(entry->path().filename().string());
    std::error_code ignored;
    if (step && std::filesystem::is_regular_file(entry->path() / kManifestName, ignored))
      steps.push_back(*step);
    entry.increment(problem);
  }
  if (problem) fail(all, problem);
  std::ranges::sort(steps);
  return steps;
}

std::vector<std::string> components_with_checkpoints(const std::filesystem::path& directory) {
  std::vector<std::string> components;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(directory / kCheckpointsFolder, problem)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(".") && !name.starts_with(kPrefix) && entry.is_directory(problem))
      components.push_back(name);
  }
  std::ranges::sort(components);
  return components;
}

}  // namespace pileus
