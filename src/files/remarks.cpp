#include "files/remarks.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace pileus {
namespace {

constexpr int kDecimals = 10;
constexpr std::size_t kZerosAtEnd = 2;

std::string moncs_number(double number) {
  std::array<char, 400> digits;  // more than the largest number has
  const auto written =
      std::to_chars(digits.begin(), digits.end(), number, std::chars_format::fixed, kDecimals);
  std::string text(digits.begin(), written.ptr);
  const std::size_t zeros = text.size() - 1 - text.find_last_not_of('0');
  text.resize(text.size() - (zeros - std::min(zeros, kZerosAtEnd)));
  return text;
}

}  // namespace

std::vector<Remark> remarks_of_end(const PlannedFile& file, const LastStep& last) {
  if (!file.says_when_ended) return {};
  return {{"MONC time", moncs_number(last.time_s)}, {"MONC timestep", std::to_string(last.index)}};
}

}  // namespace pileus
