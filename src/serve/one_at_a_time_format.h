#pragma once
// A file format for several attached runs in one process. Each run has a lane of its own for the format's
// library, which bears no two threads: here they take turns, whichever run they belong to.

#include <memory>

#include "formats/format.h"

namespace pileus {

std::unique_ptr<FileFormat> one_at_a_time(std::unique_ptr<FileFormat> format);

}  // namespace pileus
