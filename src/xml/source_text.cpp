#include "xml/source_text.h"

#include <algorithm>

namespace pileus {
namespace {

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

}  // namespace

SourceText::SourceText(std::string_view text, std::string file_name)
    : text_(without_byte_order_mark(text)), file_name_(std::move(file_name)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const bool lone_return = text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n');
    if (text_[i] == '\n' || lone_return) line_starts_.push_back(i + 1);
  }
}

Location SourceText::where(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next_line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = next_line - line_starts_.begin();
  const std::size_t column = offset - *(next_line - 1) + 1;
  return {file_name_, static_cast<int>(line), static_cast<int>(column)};
}

}  // namespace pileus
