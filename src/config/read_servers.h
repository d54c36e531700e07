#pragma once
// Reads <servers>: how many ranks of the model's program serve. It is read twice: before the ranks are
// divided, when nothing else of the configuration matters, and with everything else when that is checked.

#include <optional>
#include <string>
#include <string_view>

#include "config/dialect.h"
#include "config/element_reader.h"
#include "core/server_count.h"

namespace pileus {

/// Nothing if the element is wrong; the findings then say why.
std::optional<ServerCount> read_servers(const ElementReader& servers);

/// Reads <checkpoint>, with defaults for items that are missing or wrong.
CheckpointConfig read_checkpoint(const ElementReader& checkpoint);

/// The number of servers that a whole configuration asks for; nothing if it does not ask. An {option} cannot
/// stand there, as the model gives its options later. A file of one of the `dialects` never asks. What a
/// component asks for counts in place of what stands outside; `component` is the name of one, or "".
/// Errors: ConfigError if <server-configuration> is wrong, or the text is not well-formed.
ServerCount read_server_count(std::string_view text, const std::string& file_name,
                              const Dialects& dialects = {}, const std::string& component = "");

/// A folder where servers lay things aside and a file that asks for it belong together.
void check_spill(const Config& config, Findings& findings);

}  // namespace pileus
