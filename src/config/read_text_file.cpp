#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "config/read_config.h"

namespace pileus {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int system_error) {
  Findings findings;
  findings.error({path.string()}, std::string("cannot be read: ") + std::strerror(system_error));
  throw ConfigError(std::move(findings));
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail(path, errno);

  std::string text;
  char buffer[65536];
  // What is larger than any configuration is refused later, and not read to its end, if it has one.
  constexpr std::size_t kEnough = 17 << 20;
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, size);
    if (text.size() > kEnough) break;
  }
  if (std::ferror(file.get())) fail(path, errno);
  return text;
}

}  // namespace pileus
