#include "requests/request.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "config/messages.h"
#include "requests/csv.h"

namespace pileus {
namespace {

/// A column, and what tools call it too.
struct Column {
  std::string name;
  std::vector<std::string> also;
};

const std::vector<Column>& columns_of_requests() {
  static const std::vector<Column> all = {
      {"variable", {"variable_id", "branded_variable", "branded_name", "branded_variable_name", "cmor_name"}},
      {"compound_name", {"cmip7_compound_name", "cmip6_compound_name"}},
      {"table", {"table_id", "mip_table", "cmor_table"}},
      {"frequency", {}},
      {"region", {}},
      {"experiment", {"experiment_id", "experiments"}},
      {"member", {"variant_label", "member_id", "members"}},
      {"field", {}},
      {"positive", {}}};
  return all;
}

const std::vector<Column>& columns_of_fields() {
  static const std::vector<Column> all = {
      {"variable", {"variable_id", "branded_variable", "branded_name", "branded_variable_name", "cmor_name"}},
      {"field", {}},
      {"table", {"table_id", "mip_table", "cmor_table"}},
      {"positive", {}},
      {"units", {}},
      {"size", {}}};
  return all;
}

bool is_blank(char c) { return c == ' ' || c == ',' || c == ';' || c == '\t' || c == '\n' || c == '\r'; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && !is_blank(text[at])) ++at;
    if (at > begin) words.emplace_back(text.substr(begin, at - begin));
    while (at < text.size() && is_blank(text[at])) ++at;
  }
  return words;
}

/// A table whose columns are known by name.
class Table {
 public:
  Table(std::string_view text, const std::string& file, const std::vector<Column>& columns,
        Findings& findings)
      : file_(file), findings_(findings), rows_(read_csv(text, file, findings)) {
    if (findings.has_errors()) rows_.clear();
    if (rows_.empty()) {
      if (!findings.has_errors())
        findings.error({file}, "it is empty: its first line names the columns, such as \"" +
                                   columns.front().name + "\"");
      return;
    }
    for (std::size_t i = 0; i < rows_.front().size(); ++i) place(rows_.front()[i], i, columns);
  }

  std::size_t rows() const { return rows_.empty() ? 0 : rows_.size() - 1; }
  bool has(const std::string& column) const { return places_.contains(column); }
  bool is_there() const { return !rows_.empty(); }
  std::string text(std::size_t row, const std::string& column) const {
    const auto found = places_.find(column);
    return found == places_.end() ? "" : rows_[row + 1][found->second].text;
  }
  /// Of a cell; of the row where there is no such column.
  Location where(std::size_t row, const std::string& column = "") const {
    const auto found = places_.find(column);
    const CsvCell& cell = rows_[row + 1][found == places_.end() ? 0 : found->second];
    return {file_, cell.line, found == places_.end() ? 0 : cell.column};
  }
  Location where_columns_are() const { return {file_, rows_.front().front().line, 0}; }
  const std::vector<std::string>& unused() const { return unused_; }

  /// The text of a cell that is a name; reports what is none.
  std::string name(std::size_t row, const std::string& column, bool has_namespaces = false) {
    const std::string found = text(row, column);
    if (!found.empty() && !is_plain_name(found, has_namespaces))
      findings_.error(where(row, column), "the " + column + " " + in_quotes(found) +
                                              ": expected letters, digits, \"_\", \"-\" and \".\"");
    return found;
  }

  std::string direction(std::size_t row) {
    const std::string said = text(row, "positive");
    if (said.empty() || said == "up" || said == "down") return said;
    findings_.error(where(row, "positive"), "positive " + in_quotes(said) + R"(: expected "up" or "down")");
    return "";
  }

 private:
  void place(const CsvCell& cell, std::size_t at, const std::vector<Column>& columns) {
    const std::string written = column_name(cell.text);
    const auto known = std::ranges::find_if(columns, [&](const Column& one) {
      return one.name == written || std::ranges::find(one.also, written) != one.also.end();
    });
    if (known == columns.end()) {
      if (!cell.text.empty()) unused_.push_back(cell.text);
    } else if (!places_.try_emplace(known->name, at).second) {
      findings_.error({file_, cell.line, cell.column}, "a second column for the " + known->name + ": " +
                                                           in_quotes(cell.text) +
                                                           "; give one of them another name");
    }
  }

  const std::string& file_;
  Findings& findings_;
  std::vector<std::vector<CsvCell>> rows_;
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> unused_;
};

void report_lack(const Table& table, const std::string& column, const std::vector<Column>& columns,
                 Findings& findings) {
  if (!table.is_there()) return;
  std::vector<std::string> known, written;
  for (const Column& one : columns) known.push_back(in_quotes(one.name));
  for (const std::string& one : table.unused()) written.push_back(in_quotes(one));
  std::string meant;
  for (const std::string& one : table.unused()) {
    const std::vector<std::string> only = {column};
    if (meant.empty()) meant = suggestion(column_name(one), only);
  }
  findings.error(table.where_columns_are(),
                 "no column " + in_quotes(column) +
                     (written.empty() ? std::string() : ", but " + some_listed(written)) +
                     (meant.empty() ? "; columns are " + listed(known, " and ") : meant));
}

std::string shown(const RequestedVariable& one) {
  std::string text = one.table.empty() ? one.variable : one.table + " " + one.variable;
  for (const std::string& more : {one.frequency, one.region}) text += more.empty() ? "" : " " + more;
  return text;
}

/// Rows of one variable are one, for all that they are asked for.
class Variables {
 public:
  explicit Variables(Findings& findings) : findings_(findings) {}

  void add(RequestedVariable made) {
    const auto [known, is_new] =
        places_.try_emplace({made.table, made.variable, made.frequency, made.region}, all_.size());
    if (is_new) {
      all_.push_back(std::move(made));
      return;
    }
    RequestedVariable& first = all_[known->second];
    if (first.field != made.field || first.positive != made.positive)
      return findings_.error(made.where, in_quotes(shown(made)) +
                                             " once more, with another field or sign than "
                                             "in line " +
                                             std::to_string(first.where.line) + ": remove one of them");
    join(made.experiments, first.experiments);
    join(made.members, first.members);
  }
  std::vector<RequestedVariable> take() { return std::move(all_); }

 private:
  /// An empty list is of all there are.
  static void join(const std::vector<std::string>& more, std::vector<std::string>& words) {
    if (words.empty() || more.empty()) return words.clear();
    for (const std::string& one : more)
      if (std::ranges::find(words, one) == words.end()) words.push_back(one);
  }

  Findings& findings_;
  std::vector<RequestedVariable> all_;
  std::map<std::array<std::string, 4>, std::size_t> places_;
};

void take_compound_name(Table& table, std::size_t row, RequestedVariable& made, Findings& findings) {
  const std::string compound = table.name(row, "compound_name");
  if (compound.empty()) return;
  RequestedVariable of_name;
  if (!add_compound_name(compound, of_name))
    return findings.error(
        table.where(row, "compound_name"),
        in_quotes(compound) + R"(: expected such as "atmos.tas.tavg-h2m-hxy-u.mon.glb" or "Amon.tas")");
  // Cells of their own count: tools list the root of a branded name, or the realm, in other columns.
  made.variable = of_name.variable;
  if (made.table.empty()) made.table = of_name.table;
  if (made.frequency.empty()) made.frequency = of_name.frequency;
  if (made.region.empty()) made.region = of_name.region;
}

}  // namespace

std::string column_name(std::string_view written) {
  std::string name;
  for (const char c : written) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_letter) {
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  return name;
}

bool is_plain_name(std::string_view text, bool has_namespaces) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || (has_namespaces && c == ':');
  });
}

bool add_compound_name(std::string_view text, RequestedVariable& variable) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (std::ranges::find(parts, "") != parts.end()) return false;
  if (parts.size() != 2 && parts.size() != 5) return false;
  variable.table = parts[0];
  variable.variable = parts[1];
  if (parts.size() == 2) return true;
  variable.variable += "_" + parts[2];
  variable.frequency = parts[3];
  variable.region = parts[4];
  return true;
}

Request read_request(std::string_view text, const std::string& file, Findings& findings) {
  const std::vector<Column>& columns = columns_of_requests();
  Table table(text, file, columns, findings);
  if (!table.has("variable") && !table.has("compound_name")) {
    report_lack(table, "variable", columns, findings);
    return {};
  }
  Variables variables(findings);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    RequestedVariable made;
    made.where = table.where(row);
    made.table = table.name(row, "table");
    made.variable = table.name(row, "variable");
    made.frequency = table.name(row, "frequency");
    made.region = table.name(row, "region");
    made.field = table.name(row, "field", true);
    made.positive = table.direction(row);
    made.experiments = words_of(table.text(row, "experiment"));
    made.members = words_of(table.text(row, "member"));
    take_compound_name(table, row, made, findings);
    if (made.variable.empty()) {
      const std::string column = table.has("compound_name") ? "compound_name" : "variable";
      if (table.text(row, column).empty())
        findings.error(table.where(row), "the row names no variable: fill its cell, or remove the row");
      continue;
    }
    variables.add(std::move(made));
  }
  return {variables.take(), table.unused()};
}

std::vector<FieldOfVariable> read_fields_of_variables(std::string_view text, const std::string& file,
                                                      Findings& findings) {
  const std::vector<Column>& columns = columns_of_fields();
  Table table(text, file, columns, findings);
  for (const char* const needed : {"variable", "field"}) {
    if (table.has(needed)) continue;
    report_lack(table, needed, columns, findings);
    return {};
  }
  std::vector<FieldOfVariable> all;
  std::map<std::pair<std::string, std::string>, int> lines;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    FieldOfVariable made{
        table.name(row, "table"), table.name(row, "variable"), table.name(row, "field", true),
        table.direction(row),     table.text(row, "units"),    table.text(row, "size"),
        table.where(row)};
    if (made.field.empty()) continue;  // the model has none
    if (made.variable.empty()) {
      findings.error(made.where, "the row names no variable: fill its cell, or remove the row");
      continue;
    }
    const auto [known, is_new] = lines.try_emplace({made.table, made.variable}, made.where.line);
    if (!is_new) {
      findings.error(made.where, in_quotes(made.variable) + " once more, as in line " +
                                     std::to_string(known->second) +
                                     ": remove one of them, or say the table");
      continue;
    }
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace pileus
