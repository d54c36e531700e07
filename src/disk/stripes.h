#pragma once
// Over how many disks of Lustre a file lies: said by the site's `lfs` before anything is in the file, as it
// stays so then.

#include <string>

#include "formats/kinds/on_disk.h"

namespace pileus {

/// Makes the file `path` with these stripes, where some are wanted and its folder is on Lustre, or
/// PILEUS_LUSTRE=yes says so. Where that fails, or takes longer than 10 s, it warns once in this process and
/// leaves it be: the file has the stripes of its folder then. Thread-safe.
void set_stripes(const std::string& path, const OnDisk& on_disk);

}  // namespace pileus
