#pragma once
// What Linux says of the processors of this node, in the files of /sys/devices/system. Tests give a folder of
// their own. A file that is missing or makes no sense is as if the system did not say it.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "start/rank_place.h"

namespace pileus {

/// "0-3,8,10-11\n" as numbers that rise; none for an empty list. nullopt if the text is no such list, or has
/// numbers that no processor has.
std::optional<std::vector<std::int64_t>> read_processor_list(std::string_view text);

/// Where a process runs that may use these processors, which rise. `node` is not set. None: nothing is known.
RankPlace place_of(std::span<const std::int64_t> processors,
                   const std::filesystem::path& system = "/sys/devices/system");

}  // namespace pileus
