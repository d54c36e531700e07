#include "config/read_servers.h"

#include <gtest/gtest.h>

#include "config/config_test_support.h"

namespace pileus::testing {
namespace {

std::string with(const std::string& element) {
  return "<io-configuration>\n<server-configuration>" + element +
         "<thread_pool number=\"2\"/></server-configuration>\n</io-configuration>";
}

std::string refusal(const std::string& text) {
  try {
    read_server_count(text, "io.xml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReadServers, takes_a_ratio_a_number_on_each_node_or_a_total) {
  EXPECT_EQ(read_server_count(with("<servers ratio=\"12\"/>"), "io.xml"), (ServerCount{12, 0, 0}));
  EXPECT_EQ(read_server_count(with("<servers per_node=\"2\"/>"), "io.xml"), (ServerCount{0, 2, 0}));
  EXPECT_EQ(read_server_count(with("<servers total=\"5\"/>"), "io.xml"), (ServerCount{0, 0, 5}));
  EXPECT_EQ(read_server_count(with("<servers per_socket=\"2\"/>"), "io.xml"), (ServerCount{.per_socket = 2}));
  EXPECT_EQ(read_server_count(with("<servers per_numa=\"3\"/>"), "io.xml"), (ServerCount{.per_numa = 3}));
}

TEST(ReadServers, asks_for_none_where_nothing_is_said) {
  EXPECT_FALSE(read_server_count(with(""), "io.xml").is_given());
  EXPECT_FALSE(read_server_count("<io-configuration/>", "io.xml").is_given());
}

TEST(ReadServers, refuses_two_at_once_and_none_at_all) {
  EXPECT_EQ(refusal(with("<servers ratio=\"12\" total=\"2\"/>")),
            "io.xml:2:23: error: servers needs one of the attributes \"ratio\", \"per_node\", "
            "\"per_socket\", \"per_numa\" and \"total\", "
            "and no second one");
  EXPECT_EQ(refusal(with("<servers/>")),
            "io.xml:2:23: error: servers needs one of the attributes \"ratio\", \"per_node\", "
            "\"per_socket\", \"per_numa\" and \"total\"");
}

TEST(ReadServers, refuses_numbers_below_one_and_words) {
  EXPECT_EQ(refusal(with("<servers ratio=\"0\"/>")).find("io.xml:2:39: error: ratio=\"0\""), 0U);
  EXPECT_EQ(refusal(with("<servers total=\"few\"/>")).find("io.xml:2:39: error: total=\"few\""), 0U);
}

TEST(ReadServers, refuses_an_option_that_nobody_can_have_given_yet) {
  EXPECT_EQ(refusal(with("<servers ratio=\"{ratio}\"/>")).find("io.xml:2:39: error: no option \"ratio\""),
            0U);
}

TEST(ReadServers, refuses_what_is_not_well_formed) {
  EXPECT_EQ(refusal("<io-configuration><server-configuration>").find("io.xml:1:"), 0U);
}

TEST(ReadServers, leaves_mistakes_elsewhere_to_the_reading_of_everything) {
  const std::string text =
      "<io-configuration><nonsense/><server-configuration><servers total=\"3\"/>"
      "</server-configuration></io-configuration>";

  EXPECT_EQ(read_server_count(text, "io.xml").total, 3);
  EXPECT_TRUE(read(text).findings.has_errors());
  EXPECT_EQ(read(text).config.servers, (ServerCount{0, 0, 3}));
}

}  // namespace
}  // namespace pileus::testing
