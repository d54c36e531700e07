#pragma once
// A file system that notes in a trace what each write, sync and publication took. Another one does them.

#include <memory>

#include "disk/file_system.h"
#include "report/trace.h"

namespace pileus {

/// REQUIRES: both outlive it.
std::unique_ptr<FileSystem> make_traced_files(FileSystem& files, Trace& trace);

}  // namespace pileus
