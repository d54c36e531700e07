#include "weights/station_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <span>

#include "core/error.h"

namespace pileus {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed_of(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

[[noreturn]] void refuse(int line, const std::string& what) {
  throw UsageError("line " + std::to_string(line) + ": " + what);
}

/// What stands between the separators; within quotes they divide nothing, and two quotes are one.
std::vector<std::string> columns_of(std::string_view line, char separator, int number) {
  std::vector<std::string> columns;
  for (std::size_t at = 0;; ++at) {
    while (at < line.size() && kBlanks.find(line[at]) != kBlanks.npos && line[at] != separator) ++at;
    std::string column;
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at >= line.size()) refuse(number, "a quote has no end");
        if (line[at] != '"') {
          column += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          column += line[at++];
        } else {
          break;
        }
      }
      const std::size_t end = std::min(line.find(separator, ++at), line.size());
      if (!trimmed_of(line.substr(at, end - at)).empty()) refuse(number, "text stands behind a quote's end");
      at = end;
    } else {
      const std::size_t end = std::min(line.find(separator, at), line.size());
      column = trimmed_of(line.substr(at, end - at));
      at = end;
    }
    columns.push_back(std::move(column));
    if (at >= line.size()) return columns;
  }
}

char separator_of(std::string_view head) {
  const std::size_t first = head.find_first_of(",;\t");
  return first == head.npos ? ',' : head[first];
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return c < 0x80 ? std::tolower(c) : c; });
  return text;
}

/// Of several the one whose name stands first.
std::optional<std::size_t> column_named(std::span<const std::string> head,
                                        std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < head.size(); ++i)
      if (!name.empty() && (head[i] == name || lower(head[i]) == name)) return i;
  }
  return std::nullopt;
}

double number_of(const std::string& text, const std::string& column, int line) {
  double number = 0;
  const char* const first = text.data() + (text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0);
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    refuse(line, column + " \"" + text + "\" is no number" +
                     (text.find(',') == text.npos ? "" : "; write a decimal point"));
  return number;
}

class Reader {
 public:
  Reader(std::string_view y_name, std::string_view x_name, bool is_on_sphere)
      : y_name_(y_name), x_name_(x_name), is_on_sphere_(is_on_sphere) {}

  void read(std::string_view line, int number) {
    if (head_.empty()) return read_head(line, number);
    const std::vector<std::string> columns = columns_of(line, separator_, number);
    if (columns.size() != head_.size()) {
      refuse(number, std::to_string(columns.size()) + " columns, where the first line has " +
                         std::to_string(head_.size()));
    }
    const std::string& name = columns[name_];
    if (name.empty()) refuse(number, "a station has no name");
    if (!seen_.insert(name).second) refuse(number, "\"" + name + "\" is there twice");
    table_.names.push_back(name);
    table_.y.push_back(number_of(columns[y_], head_[y_], number));
    table_.x.push_back(number_of(columns[x_], head_[x_], number));
    if (altitude_) table_.altitude.push_back(number_of(columns[*altitude_], head_[*altitude_], number));
  }

  StationTable table() {
    if (head_.empty())
      throw UsageError("it is empty: the first line names columns, \"name,latitude,longitude\"");
    if (table_.names.empty()) throw UsageError("there is no station in it, only the names of its columns");
    return std::move(table_);
  }

 private:
  void read_head(std::string_view line, int number) {
    separator_ = separator_of(line);
    head_ = columns_of(line, separator_, number);
    const auto needed = [&](std::initializer_list<std::string_view> names, const std::string& what) {
      const auto found = column_named(head_, {names.begin(), names.size()});
      if (!found) refuse(number, "no column is named \"" + what + "\": the first line names the columns");
      return *found;
    };
    name_ = needed({"name", "station", "station_name", "id"}, "name");
    if (is_on_sphere_) {
      y_ = needed({y_name_, "latitude", "lat", "y"}, "latitude");
      x_ = needed({x_name_, "longitude", "lon", "x"}, "longitude");
    } else {
      y_ = needed({y_name_, "y"}, std::string(y_name_));
      x_ = needed({x_name_, "x"}, std::string(x_name_));
    }
    constexpr std::string_view kAltitudes[] = {"altitude", "alt", "elevation", "height"};
    altitude_ = column_named(head_, kAltitudes);
    if (y_ == x_) refuse(number, "one column cannot be both coordinates");
  }

  std::string_view y_name_, x_name_;
  bool is_on_sphere_;
  char separator_ = ',';
  std::vector<std::string> head_;
  std::size_t name_ = 0, y_ = 0, x_ = 0;
  std::optional<std::size_t> altitude_;
  std::set<std::string> seen_;
  StationTable table_;
};

}  // namespace

StationTable read_station_table(std::string_view text, std::string_view y_name, std::string_view x_name,
                                bool is_on_sphere) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Reader reader(y_name, x_name, is_on_sphere);
  int number = 1;
  for (std::size_t from = 0; from < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view line = text.substr(from, end - from);
    from = end + 1;
    const std::string_view shown = trimmed_of(line);
    if (!shown.empty() && shown.front() != '#') reader.read(line, number);
  }
  return reader.table();
}

}  // namespace pileus
