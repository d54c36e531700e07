#include "requests/csv.h"

#include <algorithm>
#include <cstdio>

#include "xml/utf8.h"

namespace pileus {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of UTF-8, as Excel writes it

/// What is wrong with the text as a whole; "" for nothing.
std::string problem_of(std::string_view text) {
  if (text.size() > kMostCsvBytes)
    return "it has more than " + std::to_string(kMostCsvBytes >> 20) + " MiB: take a part of it";
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return "it is UTF-16: save it as CSV in UTF-8";
  if (text.starts_with("PK\x03\x04")) return "it is no text, but perhaps a spreadsheet: save it as CSV";
  return "";
}

/// Rows of cells, with the place of each.
class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& file, Findings& findings)
      : text_(text), file_(file), findings_(findings) {}

  std::vector<std::vector<CsvCell>> read() {
    std::vector<std::vector<CsvCell>> rows;
    separator_ = separator();
    while (at_ < text_.size()) {
      if (is_left_out()) continue;
      std::vector<CsvCell> row = read_row();
      const bool is_empty = std::ranges::all_of(row, [](const CsvCell& cell) { return cell.text.empty(); });
      if (is_broken_) return rows;
      if (is_empty) continue;
      if (rows.size() > kMostCsvRows) {
        error(row.front(), "more than " + std::to_string(kMostCsvRows) + " rows: take a part of it");
        return rows;
      }
      if (!rows.empty() && !has_its_length(row, rows.front().size())) continue;
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  void error(const CsvCell& where, const std::string& what) {
    findings_.error({file_, where.line, where.column}, what);
  }

  /// What the first row that counts has most of, outside quotes.
  char separator() const {
    std::string_view rest = text_;
    while (rest.starts_with('#') || rest.starts_with('\n') || rest.starts_with('\r'))
      rest.remove_prefix(std::min(rest.find_first_of("\r\n"), rest.size() - 1) + 1);
    std::size_t commas = 0, semicolons = 0, tabs = 0;
    bool is_quoted = false;
    for (const char c : rest) {
      if (c == '"') is_quoted = !is_quoted;
      if (is_quoted) continue;
      if (c == '\n' || c == '\r') break;
      commas += c == ',' ? 1 : 0;
      semicolons += c == ';' ? 1 : 0;
      tabs += c == '\t' ? 1 : 0;
    }
    return semicolons > commas && semicolons >= tabs ? ';' : tabs > commas ? '\t' : ',';
  }

  bool is_end_of_line() const { return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }

  /// Passes over the end of a line.
  void end_line() {
    if (at_ == text_.size()) return;
    at_ += text_.substr(at_).starts_with("\r\n") ? 2 : 1;
    ++line_;
    line_begin_ = at_;
  }

  /// An empty line or a comment, which it passes over.
  bool is_left_out() {
    if (text_[at_] != '#' && !is_end_of_line()) return false;
    at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    end_line();
    return true;
  }

  std::vector<CsvCell> read_row() {
    std::vector<CsvCell> row;
    while (true) {
      row.push_back(read_cell());
      if (is_broken_) return row;
      if (is_end_of_line()) break;
      ++at_;  // the separator
      if (row.size() < kMostCsvColumns) continue;
      error(row.back(), "a row of more than " + std::to_string(kMostCsvColumns) + " cells");
      is_broken_ = true;
      return row;
    }
    end_line();
    return row;
  }

  CsvCell read_cell() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    CsvCell cell{"", line_, static_cast<int>(at_ - line_begin_) + 1};
    if (at_ < text_.size() && text_[at_] == '"') {
      read_quoted(cell);
    } else {
      const char ends[] = {separator_, '\r', '\n'};
      const std::size_t end = std::min(text_.find_first_of({ends, sizeof ends}, at_), text_.size());
      cell.text = text_.substr(at_, end - at_);
      at_ = end;
    }
    cell.text.erase(cell.text.find_last_not_of(" \t") + 1);
    cell.text.erase(0, std::min(cell.text.find_first_not_of(" \t"), cell.text.size()));
    check(cell);
    return cell;
  }

  void read_quoted(CsvCell& cell) {
    ++at_;
    while (true) {
      if (at_ == text_.size()) {
        error(cell, "the quote that begins here has no end");
        is_broken_ = true;
        return;
      }
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        if (at_ == text_.size() || text_[at_] != '"') break;
      }
      if (c == '\n' || c == '\r') {
        cell.text += '\n';
        end_line();
      } else {
        cell.text += c;
        ++at_;
      }
    }
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (is_end_of_line() || text_[at_] == separator_) return;
    error(cell, "more text behind a cell in quotes: a quote inside them is doubled, as in \"a \"\"b\"\" c\"");
    is_broken_ = true;
  }

  void check(const CsvCell& cell) {
    for (std::string_view rest = cell.text; !rest.empty();) {
      const std::size_t size = character_size(rest);
      if (size == 0)
        return error(cell, "a control character, or bytes that are no UTF-8; save the file as UTF-8");
      rest.remove_prefix(size);
    }
  }

  /// Fills a short row up.
  bool has_its_length(std::vector<CsvCell>& row, std::size_t length) {
    const bool is_longer =
        std::any_of(row.begin() + static_cast<std::ptrdiff_t>(std::min(length, row.size())), row.end(),
                    [](const CsvCell& cell) { return !cell.text.empty(); });
    if (is_longer)
      error(row[length], "a row of " + std::to_string(row.size()) + " cells under " + std::to_string(length) +
                             " names of columns: put a cell that holds a separator in quotes");
    row.resize(length, {"", row.front().line, 0});
    return !is_longer;
  }

  std::string_view text_;
  const std::string& file_;
  Findings& findings_;
  char separator_ = ',';
  std::size_t at_ = 0, line_begin_ = 0;
  int line_ = 1;
  bool is_broken_ = false;  ///< what follows cannot be understood
};

}  // namespace

std::vector<std::vector<CsvCell>> read_csv(std::string_view text, const std::string& file,
                                           Findings& findings) {
  if (const std::string problem = problem_of(text); !problem.empty()) {
    findings.error({file}, problem);
    return {};
  }
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return CsvReader(text, file, findings).read();
}

}  // namespace pileus
