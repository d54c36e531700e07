#include "config/components.h"

#include <gtest/gtest.h>

#include "config/read_config.h"
#include "config/read_servers.h"

namespace pileus {
namespace {

std::string file_named(const std::string& name) {
  return "<data-writing>\n<file name=\"" + name + "\" write_time_frequency=\"60\">" +
         "<include field=\"t\" time_manipulation=\"averaged\" "
         "output_frequency=\"10\"/></file></data-writing>";
}

std::string fields(const std::string& name) {
  return "<data-definition name=\"" + name + "\" frequency=\"1\"><field name=\"t\" type=\"array\"/>" +
         "</data-definition>";
}

std::string component(const std::string& name, const std::string& contents) {
  return "<component name=\"" + name + "\">" + contents + "</component>\n";
}

struct Read {
  Config config;
  Findings findings;
};

Read read(const std::string& contents, const std::string& of_component, const FindInclude& find = {}) {
  Read out;
  out.config = read_config("<io-configuration>" + contents + "</io-configuration>", "run.xml", Catalogue{},
                           {}, out.findings, false, find, {}, of_component);
  return out;
}

const std::string kTwo = component("ocean", fields("o") + file_named("o.nc")) +
                         component("atmosphere", fields("a") + file_named("a.nc"));

TEST(Components, are_read_one_by_one_with_what_stands_outside_of_them) {
  const std::string outside =
      "<server-configuration><thread_pool number=\"3\"/><checkpoint steps=\"5\"/></server-configuration>"
      "<time calendar=\"noleap\"/>";
  const std::string inside = "<server-configuration><checkpoint steps=\"7\"/></server-configuration>";

  const Read ocean = read(outside + kTwo, "ocean");
  const Read ice = read(outside + kTwo + component("ice", inside), "ice");

  EXPECT_TRUE(ocean.findings.all().empty()) << ocean.findings.text();
  ASSERT_EQ(ocean.config.files.size(), 1);
  EXPECT_EQ(ocean.config.files[0].name.value, "o.nc");
  EXPECT_EQ(ocean.config.data_groups[0].name.value, "o");
  EXPECT_EQ(ocean.config.threads, 3);
  EXPECT_EQ(ocean.config.checkpoint.steps, 5);
  EXPECT_EQ(ice.config.checkpoint.steps, 7);
  EXPECT_TRUE(ice.config.files.empty());
}

TEST(Components, that_are_not_there_are_an_error_with_those_that_are) {
  EXPECT_NE(read(kTwo, "sea")
                .findings.text()
                .find("no component \"sea\"; the configuration has ocean and atmosphere"),
            std::string::npos);
  EXPECT_NE(read(kTwo, "Ocean").findings.text().find("did you mean \"ocean\"?"), std::string::npos);
  EXPECT_NE(
      read(kTwo, "").findings.text().find("this configuration is for the components ocean and atmosphere"),
      std::string::npos);
}

TEST(Components, may_have_files_of_their_own) {
  const Read ocean = read(fields("o") + file_named("o.nc"), "ocean");

  EXPECT_TRUE(ocean.findings.all().empty()) << ocean.findings.text();
  EXPECT_EQ(ocean.config.files.size(), 1);
}

TEST(Components, do_not_write_a_file_of_the_same_name) {
  const std::string same = component("ocean", fields("o") + file_named("x.nc")) +
                           component("atmosphere", fields("a") + file_named("x.nc"));
  const std::string common = fields("d") + file_named("x.nc") + component("ocean", "") + component("ice", "");

  EXPECT_NE(read(same, "ocean")
                .findings.text()
                .find("run.xml:2:1: error: file \"x.nc\" of component \"ocean\" is written by component "
                      "\"atmosphere\" too, at run.xml:4:1"),
            std::string::npos)
      << read(same, "ocean").findings.text();
  EXPECT_NE(read(common, "ice").findings.text().find("would be written by each of the components"),
            std::string::npos);
}

TEST(Components, stand_for_a_key_in_names_of_files) {
  const std::string common =
      fields("d") + file_named("{component}.nc") + component("ocean", "") + component("ice", "");

  const Read ice = read(common, "ice");

  EXPECT_TRUE(ice.findings.all().empty()) << ice.findings.text();
  ASSERT_EQ(ice.config.files.size(), 1);
  EXPECT_EQ(ice.config.files[0].name.value, "ice.nc");
}

TEST(Components, include_files_but_are_not_in_them) {
  const auto find = [](const std::string& from, const std::string& written) -> IncludedFile {
    const std::string contents = written == "o.xml" ? fields("o") : component("ocean", "");
    return {from, written, written, "<io-configuration>" + contents + "</io-configuration>"};
  };

  const Read right = read(component("ocean", "<include file=\"o.xml\"/>"), "ocean", find);
  const Read wrong = read("<include file=\"p.xml\"/>", "ocean", find);

  EXPECT_TRUE(right.findings.all().empty()) << right.findings.text();
  EXPECT_EQ(right.config.data_groups.size(), 1);
  EXPECT_NE(wrong.findings.text().find("belongs in the file that the run is started with"),
            std::string::npos);
}

TEST(Components, ask_for_servers_of_their_own) {
  const std::string servers = "<server-configuration><servers total=\"2\"/></server-configuration>";
  const std::string more = "<server-configuration><servers total=\"3\"/></server-configuration>";
  const std::string text = "<io-configuration>" + servers + component("ocean", more) + component("ice", "") +
                           "</io-configuration>";

  EXPECT_EQ(read_server_count(text, "run.xml", {}, "ocean").total, 3);
  EXPECT_EQ(read_server_count(text, "run.xml", {}, "ice").total, 2);
  EXPECT_EQ(read_server_count(text, "run.xml", {}, "other").total, 2);
}

TEST(Components, do_not_write_a_file_of_the_same_name_where_they_include_it) {
  const auto find = [](const std::string& from, const std::string& written) -> IncludedFile {
    return {from, written, written,
            "<io-configuration>" + fields(written) + file_named("x.nc") + "</io-configuration>"};
  };
  const std::string both =
      component("ocean", "<include file=\"o\"/>") + component("ice", "<include file=\"i\"/>");

  EXPECT_NE(read(both, "ice", find).findings.text().find("is written by component \"ocean\" too, at o:"),
            std::string::npos)
      << read(both, "ice", find).findings.text();
}

TEST(Components, may_have_names_of_files_that_differ_by_options) {
  const std::string both = component("ocean", fields("o") + file_named("x_{member}.nc")) +
                           component("ice", fields("i") + file_named("x_{member}.nc"));

  const Findings findings = read(both, "ice").findings;
  EXPECT_EQ(findings.text().find("error: file"), std::string::npos) << findings.text();
  EXPECT_NE(findings.text().find("unless its options have other values there"), std::string::npos)
      << findings.text();
}

TEST(Components, share_memory_unless_it_is_given_to_one) {
  const std::string budget = "<server-configuration><memory budget=\"1 GiB\"/></server-configuration>";

  EXPECT_FALSE(read(budget + kTwo, "ocean").config.is_memory_of_component);
  EXPECT_TRUE(read(component("ocean", budget), "ocean").config.is_memory_of_component);
}

TEST(Components, are_listed_without_reading_the_rest) {
  EXPECT_EQ(component_names("<io-configuration>" + kTwo + "</io-configuration>", "run.xml"),
            (std::vector<std::string>{"ocean", "atmosphere"}));
  EXPECT_TRUE(component_names("<io-configuration/>", "run.xml").empty());
}

}  // namespace
}  // namespace pileus
