#include "core/file_kind.h"

namespace pileus {

std::string_view kind_if_no_file(const std::filesystem::path& path) {
  std::error_code problem;
  switch (std::filesystem::status(path, problem).type()) {
    case std::filesystem::file_type::directory: return "a folder";
    case std::filesystem::file_type::fifo: return "a pipe";
    case std::filesystem::file_type::socket: return "a socket";
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::character: return "a device";
    default: return "";
  }
}

}  // namespace pileus
