#include <gtest/gtest.h>

#include "requests/csv.h"
#include "requests/request.h"

namespace pileus {
namespace {

/// The cells between bars, a line for each row; or what is wrong.
std::string cells(std::string_view text) {
  Findings findings;
  const auto rows = read_csv(text, "a.csv", findings);
  if (findings.has_errors()) return findings.text();
  std::string out;
  for (const auto& row : rows) {
    for (const CsvCell& cell : row) out += cell.text + "|";
    out += "/";
  }
  return out;
}

TEST(Csv, cells_lie_between_separators_of_any_kind) {
  EXPECT_EQ(cells("a,b\n1,2\n"), "a|b|/1|2|/");
  EXPECT_EQ(cells("a;b;c,d\r\n1;2;3"), "a|b|c,d|/1|2|3|/");
  EXPECT_EQ(cells("a\tb\r1\t2"), "a|b|/1|2|/");
  EXPECT_EQ(cells("\xEF\xBB\xBF a , b \n"), "a|b|/");
  EXPECT_EQ(cells("a\n"), "a|/");
}

TEST(Csv, quotes_hold_separators_ends_of_lines_and_quotes) {
  EXPECT_EQ(cells("a,b\n\"1,\n2\",\"say \"\"no\"\"\"\n"), "a|b|/1,\n2|say \"no\"|/");
  EXPECT_EQ(cells("a,b\n \"1\" ,2"), "a|b|/1|2|/");
  EXPECT_EQ(cells("a,b\r\n\"1\r\n2\",3\r\n"), "a|b|/1\n2|3|/");
}

TEST(Csv, what_says_nothing_is_passed_over) {
  EXPECT_EQ(cells(""), "");
  EXPECT_EQ(cells("# of a request\n\n\na,b\n,\n#1,2\n3\n"), "a|b|/3||/");
  EXPECT_EQ(cells("a,b\n1,2,,\n"), "a|b|/1|2|/");
}

TEST(Csv, mistakes_say_where) {
  EXPECT_EQ(cells("a\n\n\"1\n2"), "a.csv:3:1: error: the quote that begins here has no end");
  EXPECT_NE(cells("a,b\n1,\"2\"3").find("a.csv:2:3: error: more text behind"), std::string::npos);
  EXPECT_NE(cells("a,b\n1,2,3").find("a.csv:2:5: error: a row of 3 cells under 2"), std::string::npos);
  EXPECT_NE(cells("a,b\n1,\xE4").find("a.csv:2:3: error: a control character, or bytes"), std::string::npos);
  EXPECT_NE(cells(std::string_view("a\n\0", 3)).find("a.csv:2:1"), std::string::npos);
  EXPECT_NE(cells("\xFF\xFE"
                  "a")
                .find("UTF-16"),
            std::string::npos);
  EXPECT_NE(cells("PK\x03\x04").find("spreadsheet"), std::string::npos);
}

TEST(Csv, more_than_is_read_is_refused) {
  EXPECT_NE(cells(std::string(kMostCsvBytes + 1, 'a')).find("more than 16 MiB"), std::string::npos);
  EXPECT_NE(cells(std::string(kMostCsvColumns + 1, ',')).find("more than 1000 cells"), std::string::npos);
  std::string rows = "a\n";
  for (std::size_t i = 0; i < kMostCsvRows; ++i) rows += "1\n";
  EXPECT_EQ(cells(rows).size(), 3 + 3 * kMostCsvRows);
  EXPECT_NE(cells(rows + "1\n").find("a.csv:100002:1: error: more than 100000 rows"), std::string::npos);
}

std::string shown(const Request& request) {
  std::string out;
  for (const RequestedVariable& one : request.variables) {
    for (const std::string& word :
         {one.table, one.variable, one.frequency, one.region, one.field, one.positive})
      out += word + "|";
    for (const std::string& word : one.experiments) out += word + ";";
    for (const std::string& word : one.members) out += word + ";";
    out += "/";
  }
  return out;
}

std::string request(std::string_view text) {
  Findings findings;
  const Request read = read_request(text, "r.csv", findings);
  return findings.has_errors() ? findings.text() : shown(read);
}

TEST(Request, columns_go_by_any_of_their_names) {
  EXPECT_EQ(request("MIP table,Variable ID,experiment\nAmon,tas,\"amip, historical\""),
            "Amon|tas|||||amip;historical;/");
  EXPECT_EQ(request("CMIP7 Compound Name\natmos.tas.tavg-h2m-hxy-u.mon.glb"),
            "atmos|tas_tavg-h2m-hxy-u|mon|glb|||/");
  EXPECT_EQ(request("compound_name,frequency\nAmon.tas,mon"), "Amon|tas|mon||||/");
  EXPECT_EQ(request("variable,field,positive,member\nhfls,a::b,up,r1i1p1f1"), "|hfls|||a::b|up|r1i1p1f1;/");
}

TEST(Request, a_variable_that_comes_twice_is_one) {
  EXPECT_EQ(request("table,variable,experiment\nAmon,tas,amip\nAmon,tas,historical"),
            "Amon|tas|||||amip;historical;/");
  EXPECT_EQ(request("table,variable,experiment\nAmon,tas,amip\nAmon,tas,"), "Amon|tas|||||/");
  EXPECT_NE(request("variable,field\ntas,a\ntas,b").find("r.csv:3: error: \"tas\" once more"),
            std::string::npos);
}

TEST(Request, mistakes_say_where_and_what_to_do) {
  const auto has = [](std::string_view text, const std::string& what) {
    EXPECT_NE(request(text).find(what), std::string::npos) << request(text);
  };
  has("", "r.csv: error: it is empty");
  has("table,varable\n",
      "r.csv:1: error: no column \"variable\", but \"varable\"; did you mean \"variable\"?");
  has("table,units\n", "columns are \"variable\", \"compound_name\", \"table\"");
  has("variable,variable_id\n", "r.csv:1:10: error: a second column for the variable");
  has("table,variable\nAmon,\n", "r.csv:2: error: the row names no variable");
  has("variable\nt s", "r.csv:2:1: error: the variable \"t s\": expected letters");
  has("variable,positive\nhfls,upward", "r.csv:2:6: error: positive \"upward\": expected");
  has("compound_name\natmos.tas.mon", "r.csv:2:1: error: \"atmos.tas.mon\": expected such as");
  has("compound_name\natmos..", "expected such as");
}

TEST(FieldsOfVariables, one_row_says_one_field) {
  Findings findings;
  const auto rows = read_fields_of_variables("variable,field,units\ntas,t,K\npr,,\n", "f.csv", findings);
  ASSERT_EQ(rows.size(), 1U) << findings.text();
  EXPECT_EQ(rows[0].field + rows[0].units, "tK");
  (void)read_fields_of_variables("variable,field\ntas,t\ntas,u\n", "f.csv", findings);
  EXPECT_NE(findings.text().find("f.csv:3: error: \"tas\" once more, as in line 2"), std::string::npos);
  Findings none;
  (void)read_fields_of_variables("variable,fields\n", "f.csv", none);
  EXPECT_NE(none.text().find("no column \"field\""), std::string::npos);
}

}  // namespace
}  // namespace pileus
