#include "start/processors.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace pileus {
namespace {

using Processors = std::vector<std::int64_t>;

constexpr std::int64_t kMostProcessors = 1 << 16;
constexpr std::size_t kLongestFile = 1 << 20;

/// "" where there is none. A file here has no size that could be asked for.
std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text;
  for (std::istreambuf_iterator<char> at(file), end; at != end && text.size() < kLongestFile; ++at)
    text.push_back(*at);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

/// The whole of the text as a number from 0.
std::optional<std::int64_t> read_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end || number < 0 || number >= kMostProcessors) return std::nullopt;
  return number;
}

/// Of all that are given, where they agree.
class Agreed {
 public:
  void add(std::optional<std::int64_t> value) {
    if (!value || (value_ != kUnknown && *value != value_)) differs_ = true;
    if (value) value_ = *value;
  }
  bool differs() const { return differs_; }
  std::int64_t value() const { return differs_ ? kUnknown : value_; }

 private:
  std::int64_t value_ = kUnknown;
  bool differs_ = false;
};

std::filesystem::path folder_of(const std::filesystem::path& system, std::int64_t processor) {
  return system / "cpu" / ("cpu" + std::to_string(processor)) / "topology";
}

std::int64_t socket_of(std::span<const std::int64_t> processors, const std::filesystem::path& system) {
  Agreed socket;
  for (auto at = processors.begin(); at != processors.end() && !socket.differs(); ++at)
    socket.add(read_number(text_of(folder_of(system, *at) / "physical_package_id")));
  return socket.value();
}

/// A domain without processors, which has memory alone, is nobody's. Nor is one that shares a processor with
/// another, which is nonsense.
std::int64_t numa_of(std::span<const std::int64_t> processors, const std::filesystem::path& system) {
  Agreed domain;
  std::error_code error;
  for (std::filesystem::directory_iterator at(system / "node", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename();
    const auto number = name.starts_with("node") ? read_number(name.substr(4)) : std::nullopt;
    const auto list = number ? read_processor_list(text_of(at->path() / "cpulist")) : std::nullopt;
    if (!list) continue;
    const auto is_there = [&](std::int64_t one) { return std::ranges::binary_search(*list, one); };
    const auto count = std::ranges::count_if(processors, is_there);
    if (count > 0) domain.add(count == std::ssize(processors) ? number : std::nullopt);
  }
  return domain.value();
}

std::int64_t core_of(std::span<const std::int64_t> processors, const std::filesystem::path& system) {
  const auto siblings =
      read_processor_list(text_of(folder_of(system, processors.front()) / "thread_siblings_list"));
  if (!siblings || !std::ranges::includes(*siblings, processors)) return kUnknown;
  return siblings->front();
}

}  // namespace

std::optional<std::vector<std::int64_t>> read_processor_list(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  Processors processors;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    const std::size_t dash = range.find('-');
    const auto first = read_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : read_number(range.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    if (!processors.empty() && *first <= processors.back()) return std::nullopt;
    for (std::int64_t one = *first; one <= *last; ++one) processors.push_back(one);
    if (range.size() == text.size()) return processors;
    text.remove_prefix(range.size() + 1);
    if (text.empty()) return std::nullopt;  // a comma at the end
  }
  return processors;
}

RankPlace place_of(std::span<const std::int64_t> processors, const std::filesystem::path& system) {
  RankPlace place;
  if (processors.empty()) return place;
  place.socket = socket_of(processors, system);
  place.numa = numa_of(processors, system);
  const auto online = read_processor_list(text_of(system / "cpu" / "online"));
  place.is_bound = online && !std::ranges::includes(processors, *online);
  if (!place.is_bound) return place;
  place.core = core_of(processors, system);
  if (processors.size() == 1) place.processor = processors.front();
  return place;
}

}  // namespace pileus
