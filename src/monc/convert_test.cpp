// MONC's files, written again in their strict form.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "layout/test_config.h"
#include "monc/test_support.h"

namespace pileus::testing {
namespace {

namespace fs = std::filesystem;

TEST(MoncConvert, keeps_comments_and_names_the_files_that_elements_came_from) {
  const Texts files = {{"io.xml",
                        "<io-configuration>\n<!-- - a > b - -->\n#include \"g.xml\"\n"
                        "<group name=\"h\">\n<member name=\"a&b\"/>\n</group></io-configuration>"},
                       {"g.xml", "<group name=g><member name=w></group>"}};

  EXPECT_EQ(
      converted(files.at("io.xml"), "io.xml", {}, among(files)),
      "<io-configuration>\n  <!-- a > b -->\n  <!-- g.xml -->\n  <group name=\"g\">\n    <member "
      "name=\"w\"/>\n  </group>\n  <!-- io.xml -->\n  <group name=\"h\">\n    <member name=\"a&amp;b\"/>\n  "
      "</group>\n</io-configuration>\n");
}

TEST(MoncConvert, says_what_is_wrong_instead) {
  EXPECT_EQ(converted("<group", "io.xml", {}, among({})),
            "io.xml:1:1: error: the tag \"<group\" is not closed; it ends with > or />\nio.xml:1:1: error: "
            "<group> is not closed; it ends with </group>");
}

/// Options as a model would give them: a number for each missing key, and different names for all files.
Options with_options(const fs::path& path, const FindInclude& find) {
  Findings findings;
  read_config(read_text_file(path), path.string(), builtin_catalogue(), {}, findings, false, find,
              all_dialects("monc"));
  Options options;
  if (const char* const fork = std::getenv("PILEUS_MONC_DIALECT")) options["pileus_dialect"] = fork;
  for (const Finding& one : findings.all()) {
    if (!one.what.starts_with("no option \"")) continue;
    const std::size_t begin = one.what.find('"') + 1;
    const std::string key = one.what.substr(begin, one.what.find('"', begin) - begin);
    options[key] = key.find("file") != key.npos && key.find("profile") == key.npos ? key + ".nc" : "60";
  }
  return options;
}

/// The files that the MONC model ships are not part of this source. PILEUS_MONC_FILES names a copy of MONC's
/// root, and PILEUS_MONC_DIALECT its fork.
TEST(MoncConvert, gives_the_same_plan_for_every_file_that_monc_ships) {
  const char* const root = std::getenv("PILEUS_MONC_FILES");
  if (!root) GTEST_SKIP() << "PILEUS_MONC_FILES names no folder";
  const FindInclude find = includes_on_disk({}, {});
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".xml") continue;
    const std::string name = entry.path().string();
    for (const char* names : {"vapour,cloud_liquid_mass", ""}) {
      Options options = with_options(entry.path(), find);
      if (*names) options["q_field_names"] = names;
      Findings findings, strict_findings;
      const Config config = read_config(read_text_file(entry.path()), name, builtin_catalogue(), options,
                                        findings, false, find, all_dialects("monc"));
      check_config(config, findings);
      if (findings.text().find("there is no file") != std::string::npos)
        continue;  // not there in MONC either
      EXPECT_FALSE(findings.has_errors()) << name << '\n' << findings.text();

      const std::string strict = converted(read_text_file(entry.path()), name, options, find);
      const Config again =
          read_config(strict, "strict.xml", builtin_catalogue(), options, strict_findings, false);
      check_config(again, strict_findings);
      EXPECT_FALSE(strict_findings.has_errors()) << name << '\n' << strict_findings.text();
      EXPECT_EQ(dump(config), dump(again)) << name;
      ++count;
    }
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace pileus::testing
