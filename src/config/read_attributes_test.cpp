#include "config/read_attributes.h"

#include <gtest/gtest.h>

#include "config/config_test_support.h"

namespace pileus::testing {
namespace {

/// A configuration with attributes in each place where they may stand.
std::string with(const std::string& all, const std::string& file, const std::string& field,
                 const std::string& diagnostic, const std::string& include) {
  return "<io-configuration><data-definition name='raw' frequency='1'><field name='w'>" + field +
         "</field></data-definition>\n<data-handling><diagnostic field='d' expression='w'>" + diagnostic +
         "</diagnostic></data-handling>\n<data-writing>" + all +
         "<file name='f.nc' write_time_frequency='1'>" + file +
         "<include field='d' time_manipulation='none'>" + include +
         "</include></file></data-writing></io-configuration>";
}

std::string attribute(const std::string& name, const std::string& value = "a", const std::string& more = "") {
  return "<attribute name='" + name + "' value='" + value + "'" + more + "/>";
}

TEST(Attributes, stand_at_files_fields_diagnostics_and_includes) {
  const ReadResult result =
      read(with(attribute("institution", " Leeds "), attribute("source"), attribute("comment", "f"),
                attribute("comment", "d"), attribute("long_name", "rising")));

  EXPECT_EQ(result.text(), "");
  EXPECT_EQ(result.config.attributes.at(0).name.value, "institution");
  EXPECT_EQ(result.config.attributes.at(0).value.value, "Leeds");
  const FileConfig& file = result.config.files.at(0);
  EXPECT_EQ(file.attributes.at(0).name.value, "source");
  EXPECT_EQ(file.includes.at(0).attributes.at(0).value.value, "rising");
  EXPECT_EQ(result.config.data_groups.at(0).fields.at(0).metadata.attributes.at(0).value.value, "f");
  EXPECT_EQ(result.config.diagnostics.at(0).metadata.attributes.at(0).value.value, "d");
}

TEST(Attributes, are_texts_unless_they_or_cf_say_otherwise) {
  const std::string all = attribute("version", "2", " type='integer'") +
                          attribute("ratio", "0.5, 2", " type='double'") +
                          attribute("level", "3", " type='float'") + attribute("valid_range", "0, 1e3") +
                          attribute("number", "7");

  const ReadResult result = read(with("", "", all, "", ""));

  EXPECT_EQ(result.text(), "");
  std::vector<AttributeType> types;
  for (const AttributeConfig& one : result.config.data_groups.at(0).fields.at(0).metadata.attributes)
    types.push_back(one.type);
  using enum AttributeType;
  EXPECT_EQ(types, (std::vector{integer, float64, float32, as_variable, text}));
}

/// What is said about one attribute in each of its places; "" where it may stand.
struct Refused {
  const char* name;
  const char* files;
  const char* field;
  const char* diagnostic;
  const char* include;
};

TEST(Attributes, that_pileus_writes_or_readers_take_for_something_else_are_refused) {
  const Refused examples[] = {
      {"_FillValue", "begin with", "begin with", "begin with", "begin with"},
      {"-a", "a letter or a digit", "a letter or a digit", "a letter or a digit", "a letter or a digit"},
      {"CLASS", "file library", "file library", "file library", "file library"},
      {"history", "Pileus writes it", "Pileus writes it", "Pileus writes it", "Pileus writes it"},
      {"units", "of variables", "units=\\\"...\\\" of the field", "of the diagnostic",
       "units of their field"},
      {"long_name", "of variables", "of the field", "of the diagnostic", ""},
      {"cell_methods", "of variables", "Pileus writes it", "of the diagnostic", "Pileus writes it"},
      {"missing_value", "of variables", "_FillValue", "_FillValue", "_FillValue"},
      {"scale_factor", "of variables", "other numbers", "other numbers", "other numbers"},
      {"axis", "of variables", "<dimension>", "<dimension>", "<dimension>"},
      {"valid_min", "of variables", "", "", ""},
      {"coordinates", "of variables", "", "", ""},
      {"title", "", "", "", ""}};
  for (const Refused& example : examples) {
    const std::string one = attribute(example.name, "1");
    const std::pair<std::string, const char*> homes[] = {{with(one, "", "", "", ""), example.files},
                                                         {with("", "", one, "", ""), example.field},
                                                         {with("", "", "", one, ""), example.diagnostic},
                                                         {with("", "", "", "", one), example.include}};
    for (const auto& [text, expected] : homes) {
      const std::string said = read(text).text();

      std::string part = expected;
      for (std::size_t at; (at = part.find('\\')) != part.npos;) part.erase(at, 1);
      EXPECT_EQ(said.empty(), part.empty()) << example.name << ": " << said;
      EXPECT_NE(said.find(part), said.npos) << example.name << ": " << said;
    }
  }
}

TEST(Attributes, of_a_file_leave_its_title_to_the_file) {
  const std::string said = read(with("", attribute("title"), "", "", "")).text();

  EXPECT_NE(said.find("attribute \"title\" of file \"f.nc\" cannot be set: write it as the attribute title"),
            said.npos)
      << said;
}

TEST(Attributes, that_are_there_twice_or_are_no_numbers_are_errors_at_their_places) {
  const auto said = [](const std::string& attributes) {
    return read(with("", "", attributes, "", "")).text();
  };

  EXPECT_NE(
      said(attribute("a") + attribute("a")).find("a second attribute \"a\" of field \"w\"; the first is"),
      std::string::npos);
  EXPECT_NE(
      said(attribute("a", "1.5", " type='integer'")).find("expected whole numbers, separated by commas"),
      std::string::npos);
  EXPECT_NE(said(attribute("valid_min", "low")).find("value=\"low\": expected numbers"), std::string::npos);
  EXPECT_NE(said(attribute("valid_min", "1", " type='double'")).find("has the type of its variable"),
            std::string::npos);
  EXPECT_NE(said("<attribute name='a' value=' '/>").find("expected a text or a number"), std::string::npos);
}

TEST(Attributes, are_no_contents_of_what_they_describe) {
  const std::string said = read(R"(<io-configuration><data-handling><diagnostic field='d'><attribute name='a'
      value='b'/></diagnostic></data-handling><data-writing><file name='f' write_time_frequency='1'><attribute
      name='a' value='b'/></file></data-writing></io-configuration>)")
                               .text();

  EXPECT_NE(said.find("diagnostic \"d\" is empty; it needs at least one <operator> or <communication>"),
            said.npos)
      << said;
  EXPECT_NE(said.find("file \"f\" is empty; it needs at least one <include>"), said.npos) << said;
}

TEST(Attributes, belong_in_no_included_file_as_a_whole) {
  const std::string said =
      read("<io-configuration><include file='a.xml'>" + attribute("a") + "</include></io-configuration>")
          .text();

  EXPECT_NE(
      said.find("<attribute> cannot stand in include; it belongs in <data-writing>, <cmip-dataset>, <file>, "
                "<field>, <diagnostic> or <include>"),
      said.npos)
      << said;
}

TEST(Attributes, a_name_belongs_to_one_field_and_not_to_a_group) {
  const ReadResult result = read(
      "<io-configuration><data-definition name='raw' frequency='1'><field name='w'/></data-definition>\n"
      "<group name='all'><member name='w'/></group><data-writing><file name='f' write_time_frequency='1'>\n"
      "<include field='w' name='wind' time_manipulation='none'/>\n"
      "<include group='all' name='many' time_manipulation='none'/>\n"
      "</file></data-writing></io-configuration>");

  EXPECT_EQ(result.config.files.at(0).includes.at(0).name.value, "wind");
  EXPECT_EQ(result.text(),
            "io.xml:4:28: error: name=\"many\" names one variable, and a group may have several; include its "
            "fields one by one to name them");
}

}  // namespace
}  // namespace pileus::testing
