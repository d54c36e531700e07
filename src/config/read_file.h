#pragma once
// <file> and its <include>s, each by itself. Whether their names clash with others, or name anything, the
// reader of the whole configuration finds out.

#include <string>

#include "config/config.h"
#include "config/element_reader.h"

namespace pileus {

/// Without its includes.
FileConfig read_file_alone(const ElementReader& element);

/// `scope`: the namespaces around what is included.
FileIncludeConfig read_include(const ElementReader& include, std::string scope, bool is_of_checkpoints);

/// An include with state="io" says when a file is written, and nothing else.
void check_state(const ElementReader& include);

}  // namespace pileus
