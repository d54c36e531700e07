#include "steering/control_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/error_text.h"
#include "core/log.h"
#include "messaging/frames.h"

namespace pileus {
namespace {

constexpr std::chrono::seconds kBetweenLooks(1);
constexpr std::size_t kMostAtOnce = 65536;  // bytes; a longer line is none

Bytes encode(std::uint64_t through, std::string_view line) {
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::control);
  out.put(through);
  out.put(line);
  return frame;
}

}  // namespace

std::string control_path(const std::string& directory, const std::string& component) {
  const std::string name = kControlFile;
  const std::size_t end = name.rfind('.');
  return directory + "/" +
         (component.empty() ? name : name.substr(0, end) + "-" + component + name.substr(end));
}

std::uint64_t size_of_requests(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

ControlRequest decode_request(Decoder& in) {
  const auto through = in.get<std::uint64_t>();
  ControlRequest request = read_request(in.get_text());
  request.through = through;
  return request;
}

ControlFile::ControlFile(std::string path, std::uint64_t begin, Messages& messages, Executor& readers)
    : path_(std::move(path)), through_(begin), messages_(messages), readers_(readers) {}

void ControlFile::poll(Clock::time_point now) {
  if (looked_ && now - *looked_ < kBetweenLooks) return;
  if (is_reading_.exchange(true)) return;
  looked_ = now;
  readers_.submit([this] {
    try {
      read();
    } catch (...) {
      log::warning(path_ + " cannot be read: " + text_of_current_exception());
    }
    is_reading_ = false;
  });
}

/// Whole lines alone: the last one may still be written. A file that has become shorter begins anew.
void ControlFile::read() {
  const std::uint64_t size = size_of_requests(path_);
  if (size < through_) through_ = 0;
  if (size == through_) return;
  std::string text(std::min<std::uint64_t>(size - through_, kMostAtOnce), '\0');
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(through_));
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) return;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    through_ += line.size() + 1;
    const bool is_rest = std::exchange(is_in_long_line_, false);
    if (!is_rest && line.find_first_not_of(" \t\r") != line.npos) messages_.send(0, encode(through_, line));
  }
  if (begin > 0 || text.size() < kMostAtOnce) return;
  through_ += text.size();
  is_in_long_line_ = true;
}

}  // namespace pileus
