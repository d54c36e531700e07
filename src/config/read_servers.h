#pragma once
// <servers>: how many ranks of the model's program serve. Read twice: before the ranks are divided, when
// nothing else of the configuration matters yet, and with everything else when it is checked.

#include <optional>
#include <string>
#include <string_view>

#include "config/dialect.h"
#include "config/element_reader.h"
#include "core/server_count.h"

namespace pileus {

/// Nothing if the element does not say it properly; why is among the findings then.
std::optional<ServerCount> read_servers(const ElementReader& servers);

/// <checkpoint>, with the defaults for what it leaves open or says wrong.
CheckpointConfig read_checkpoint(const ElementReader& checkpoint);

/// What a whole configuration asks for, and nothing if it says nothing of it. An {option} cannot stand there:
/// the model gives its options later.
/// A file of one of the `dialects` never does.
/// Errors: ConfigError if <server-configuration> is wrong, or the text is not well-formed.
ServerCount read_server_count(std::string_view text, const std::string& file_name,
                              const Dialects& dialects = {});

}  // namespace pileus
