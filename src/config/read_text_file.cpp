#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "config/read_config.h"
#include "core/file_kind.h"

namespace pileus {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& why) {
  Findings findings;
  findings.error({path.string()}, "cannot be read: " + why);
  throw ConfigError(std::move(findings));
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Opens a file and nothing else: a pipe may have nobody at its other end, and a terminal nobody before it.
File open_file(const std::filesystem::path& path) {
  const std::string_view kind = kind_if_no_file(path);
  if (!kind.empty()) fail(path, "it is " + std::string(kind) + ", and no file");
  // It may have become a pipe since the check.
  const int number = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (number < 0) fail(path, std::strerror(errno));
  File file(::fdopen(number, "rb"), std::fclose);
  if (!file) fail(path, std::strerror(errno));
  return file;
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
  const File file = open_file(path);
  std::string text;
  char buffer[65536];
  // A larger text is refused later as too large, so there is no need to read to its end, if it has one.
  constexpr std::size_t kEnough = 17 << 20;
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, size);
    if (text.size() > kEnough) break;
  }
  if (std::ferror(file.get())) fail(path, std::strerror(errno));
  return text;
}

}  // namespace pileus
