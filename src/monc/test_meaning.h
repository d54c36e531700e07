#pragma once
// Helpers of the tests of MONC's meaning: pieces of its files, and their strict form.

#include <gtest/gtest.h>

#include <string>

#include "monc/test_support.h"

namespace pileus::testing {

inline std::string strict_of(const std::string& text, const Options& options = {}) {
  Findings findings;
  return dump(read_config("<io-configuration>" + text + "</io-configuration>", "io.xml", builtin_catalogue(),
                          options, findings, true));
}

inline void expect_means(const std::string& monc, const std::string& strict, const std::string& said,
                         const Options& options = {}) {
  const auto result = read_monc(monc, options);
  EXPECT_EQ(dump(result.config), strict_of(strict, options));
  EXPECT_EQ(result.said(), said.empty() ? "" : "io.xml:" + said);
}

inline std::string data(const std::string& fields, const std::string& more = "") {
  return "<data-definition name=\"d\" frequency=\"2\"" + more + ">" + fields + "</data-definition>\n";
}

inline std::string group(const std::string& name, const std::string& members, const std::string& more = "") {
  return "<group name=\"" + name + "\"" + more + ">" + members + "</group>\n";
}

inline std::string file(const std::string& includes, const std::string& more = "") {
  return "<data-writing><file name=\"f.nc\" write_time_frequency=\"6.\" title=\"t\"" + more + ">" + includes +
         "</file></data-writing>";
}

inline const std::string kMoncs = " naming=\"monc\"";
inline const std::string kWithNone = " time_manipulation=\"none\"/>";
inline const std::string kW = "<field name=\"w\" type=\"array\" data_type=\"double\" size=\"z\"/>";

inline MoncResult read_newer(const std::string& text, const Options& options = {}) {
  return read_monc(testing::Texts{{"io.xml", text}}, "io.xml", options, "monc-epcc");
}

}  // namespace pileus::testing
