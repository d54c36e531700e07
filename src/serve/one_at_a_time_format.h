#pragma once
// A file format for several attached runs in one process. Each run calls the format's library on a lane of
// its own, but two threads must not call it at once: here they take turns, whichever run they belong to.

#include <memory>

#include "formats/format.h"

namespace pileus {

std::unique_ptr<FileFormat> one_at_a_time(std::unique_ptr<FileFormat> format);

}  // namespace pileus
