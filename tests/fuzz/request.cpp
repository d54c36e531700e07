// Takes any bytes as a CSV table, a data request and a list of fields. Every finding must have a line that
// exists. A table without mistakes that is written out must be read again as the same.

#include <algorithm>

#include "requests/csv.h"
#include "requests/request.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {

std::vector<std::string> seeds() {
  return {"table,variable,field,positive\nAmon,tas,t,\nAmon,hfls,latent,up\n",
          "\xEF\xBB\xBF"
          "CMIP7 Compound "
          "Name;experiment;member\r\natmos.tas.tavg-h2m-hxy-u.mon.glb;\"amip;\r\n\"\"x\"\"\";r1i1p1f1\r\n",
          "# fields\nvariable\tfield\tunits\tsize\ntas\ta::t\tK\t\"lat,lon\"\n"};
}

std::vector<std::string> words() {
  return {"table,", "variable,",   "compound_name,", "frequency,", "region,",      "experiment,", "member,",
          "field,", "positive,",   "units,",         "size",       "\r\n",         "\"\"",        ";",
          "\t",     "atmos.tas.x", "Amon",           "tas",        "\xEF\xBB\xBF", "\xFF\xFE",    "up"};
}

namespace {

constexpr const char* kName = "a.csv";

void require_real_lines(const Findings& findings, std::string_view text) {
  const auto lines = 1 + std::ranges::count(text, '\n') + std::ranges::count(text, '\r');
  for (const Finding& one : findings.all())
    if (one.where.file != kName || one.where.line > lines || one.where.column < 0)
      end("a finding has a place that is not there: " + findings.text());
}

std::string written(const std::vector<std::vector<CsvCell>>& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (const CsvCell& cell : row) {
      text += &cell == &row.front() ? "\"" : ",\"";
      for (const char c : cell.text) text += c == '"' ? "\"\"" : std::string(1, c);
      text += "\"";
    }
    text += "\n";
  }
  return text;
}

void require_the_same(const std::vector<std::vector<CsvCell>>& rows) {
  Findings findings;
  const std::string text = written(rows);
  const auto again = read_csv(text, kName, findings);
  const bool is_same = std::ranges::equal(rows, again, [](const auto& a, const auto& b) {
    return std::ranges::equal(a, b, {}, &CsvCell::text, &CsvCell::text);
  });
  if (!is_same || findings.has_errors()) end("it is not read again: " + text + findings.text());
}

}  // namespace
}  // namespace pileus::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pileus;
  using namespace pileus::testing;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Findings of_table, of_request, of_fields;
  const auto rows = read_csv(text, kName, of_table);
  require_real_lines(of_table, text);
  if (!of_table.has_errors()) require_the_same(rows);
  const Request request = read_request(text, kName, of_request);
  require_real_lines(of_request, text);
  for (const RequestedVariable& one : request.variables)
    if (!of_request.has_errors() && one.variable.empty()) end("a variable has no name");
  (void)read_fields_of_variables(text, kName, of_fields);
  require_real_lines(of_fields, text);
  return 0;
}
