#include <gtest/gtest.h>

#include "config/cmip/cmip_names.h"
#include "config/cmip/cmip_time.h"
#include "config/cmip/patterns.h"
#include "config/cmip/tables.h"
#include "core/error.h"

namespace pileus {
namespace {

TEST(CmipNames, a_variant_label_has_four_indices) {
  CmipValues values;
  EXPECT_TRUE(add_indices("r1i20p3f4", false, values));
  EXPECT_EQ(values["initialization_index"], "20");
  EXPECT_TRUE(add_indices("r1i202101ap3f4", true, values));
  EXPECT_EQ(values["initialization_index"], "i202101a");
  for (const char* const wrong : {"", "r1", "r1i1p1", "r1i1p1f", "r1i1p1f1x", "i1r1p1f1"})
    EXPECT_FALSE(add_indices(wrong, false, values)) << wrong;
}

TEST(CmipNames, a_branded_name_has_four_labels) {
  CmipValues values;
  EXPECT_TRUE(add_branding("tas_tavg-h2m-hxy-u", values));
  EXPECT_EQ(values["branding_suffix"], "tavg-h2m-hxy-u");
  EXPECT_EQ(values["vertical_label"], "h2m");
  EXPECT_EQ(values["area_label"], "u");
  for (const char* const wrong : {"tas", "tas_", "tas_tavg-h2m-hxy", "tas_tavg-h2m-hxy-u-u"})
    EXPECT_FALSE(add_branding(wrong, values)) << wrong;
}

TEST(CmipNames, templates_name_what_is_missing) {
  std::string missing;
  EXPECT_EQ(by_template("<a><b>", {{"a", "x"}, {"b", "y"}}, "_", missing), "x_y");
  EXPECT_EQ(missing, "");
  by_template("<a><c>", {{"a", "x"}}, "_", missing);
  EXPECT_EQ(missing, "c");
}

std::string manipulation(const std::string& frequency, const std::string& methods) {
  std::string why_not;
  const auto time = time_of_cmip(frequency, methods, {}, why_not);
  if (!time) return why_not;
  return (time->stages.empty() ? "" : time->stages.front().name + ", ") + time->manipulation + time->range;
}

TEST(CmipTime, cell_methods_say_what_is_done) {
  EXPECT_EQ(manipulation("mon", "area: time: mean"), "averaged{months}");
  EXPECT_EQ(manipulation("mon", "time: mean"), "averaged{months}");
  EXPECT_EQ(manipulation("day", "area: mean time: maximum"), "maximum{days}");
  EXPECT_EQ(manipulation("6hrPt", "area: mean time: point"), "instantaneous{minutes_each_6h}");
  EXPECT_EQ(manipulation("mon", "area: mean where sea time: mean"), "averaged{months}");
  EXPECT_EQ(manipulation("yr", "area: time: mean where sea_ice (comment: mask=siconc)"), "averaged{years}");
  EXPECT_EQ(manipulation("mon", "area: mean time: maximum within days time: mean over days"),
            "maximum, averaged{months}");
  EXPECT_EQ(manipulation("fx", "area: mean"), "none");
}

TEST(CmipTime, what_is_not_made_is_refused) {
  EXPECT_NE(manipulation("monC", "time: mean").find("not made"), std::string::npos);
  EXPECT_NE(manipulation("mon", "area: mean time: mean within years time: mean over years").find("not made"),
            std::string::npos);
  EXPECT_NE(manipulation("mon", "area: mean time: sum").find("not made"), std::string::npos);
  EXPECT_NE(manipulation("mon", "area: mean").find("not made"), std::string::npos);
}

TEST(CmipVocabulary, lists_tables_and_patterns_say_what_is_allowed) {
  const CmipVocabulary cv(
      R"({"CV": {"a": ["x", "^v[[:digit:]]\\{1,\\}$"], "b": {"k": {"inner": ["one"]}}}})");
  EXPECT_TRUE(cv.allows("a", "x"));
  EXPECT_TRUE(cv.allows("a", "v12"));
  EXPECT_FALSE(cv.allows("a", "v"));
  EXPECT_TRUE(cv.allows("b", "k"));
  EXPECT_FALSE(cv.allows("b", "l"));
  EXPECT_TRUE(cv.allows("unknown", "l"));
  EXPECT_EQ(cv.words("a"), std::vector<std::string>{"x"});
  EXPECT_EQ(cv.of("b", "k", "inner"), "one");
  EXPECT_EQ(cv.list_of("b", "k", "other").size(), 0U);
}

TEST(CmipVocabulary, patterns_are_those_of_posix_and_take_no_longer_than_they_should) {
  EXPECT_TRUE(fits_pattern("^r[[:digit:]]\\{1,\\}$", "r12"));
  EXPECT_FALSE(fits_pattern("^r[[:digit:]]\\{1,\\}$", "r12a"));
  EXPECT_TRUE(fits_pattern("^[[:digit:]]\\{4\\}[[:digit:]]\\{2\\}[abcde]\\{0,\\}$", "202101a"));
  EXPECT_TRUE(fits_pattern("hdl:21.14100/.*", "hdl:21.14100/x"));
  EXPECT_TRUE(fits_pattern("\\(", "what cannot be read forbids nothing"));
  EXPECT_FALSE(fits_pattern("a", std::string(5000, 'a')));
  const std::string many(3000, 'a');
  EXPECT_FALSE(fits_pattern("^\\(a*\\)*b$", many));
  EXPECT_TRUE(fits_pattern("\\(a*\\)*\\1b", many)) << "it refers back";
  EXPECT_TRUE(fits_pattern("\\(\\(a\\{1,200\\}\\)\\{1,200\\}\\)\\{1,200\\}b", many));
  EXPECT_TRUE(fits_pattern("a\\{99999999999999999999\\}b", many));
}

TEST(CmipTables, text_that_is_too_large_or_too_deep_is_refused) {
  EXPECT_THROW(CmipTable{std::string(100000, '[')}, UsageError);
  EXPECT_THROW(
      CmipTable{"{\"variable_entry\": {}, \"x\": " + std::string(40, '[') + std::string(40, ']') + "}"},
      UsageError);
  EXPECT_THROW(CmipTable{std::string((16 << 20) + 1, ' ')}, UsageError);
  EXPECT_NO_THROW(CmipTable{R"({"variable_entry": {}, "x": "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\"})"});
}

TEST(CmipTables, text_that_is_no_table_is_refused) {
  for (const char* const wrong : {"", "[", "3", "{}", R"({"variable_entry": 3})"})
    EXPECT_THROW(CmipTable{wrong}, UsageError) << wrong;
  for (const char* const wrong : {"", "{}", R"({"CV": []})"}) EXPECT_THROW(CmipVocabulary{wrong}, UsageError);
  const CmipTable table(R"({"variable_entry": {"x": {"units": 3, "positive": "up"}}})");
  EXPECT_EQ(table.variable("x")->positive, "up");
  EXPECT_EQ(table.variable("x")->units, "");
  EXPECT_FALSE(table.variable("y"));
}

}  // namespace
}  // namespace pileus
