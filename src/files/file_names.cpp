#include "files/file_names.h"

#include "files/file_layout.h"

namespace pileus {

std::string FileNames::name(FilePeriod file) const {
  return file_name(plan_[file.file], plan_.time, file.period, extension_);
}

std::string FileNames::temporary_path(FilePeriod file) const {
  return directory_ + "/" + temporary_name(name(file), run_);
}

}  // namespace pileus
