// The calls for inputs as C has them, in a run that is attached to its process.

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <pileus/pileus.hpp>
#include <string>
#include <vector>

#include "capi/testing/test_directory.h"

namespace {

using pileus::testing::TestDirectory;

constexpr const char* kConfiguration = R"xml(<io-configuration>
  <data-reading><input name="w" file="forcing.nc" ahead="1"/></data-reading>
  <data-definition name="state" frequency="1"><field name="u"/></data-definition>
  <data-writing>
    <file name="u.nc" write_time_frequency="1e6" write_on_terminate="true">
      <include field="u" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>)xml";

/// The classic format of netCDF, in which numbers stand with their largest byte first.
class ClassicFile {
 public:
  void number(std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes_ += static_cast<char>(value >> shift);
  }
  void name(const std::string& text) {
    number(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
    while (bytes_.size() % 4 != 0) bytes_ += '\0';
  }
  void value(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    number(static_cast<std::uint32_t>(bits >> 32U));
    number(static_cast<std::uint32_t>(bits));
  }
  void tag(const char* four) { bytes_.append(four, 4); }
  std::size_t size() const { return bytes_.size(); }
  void write(const std::string& path) const { std::ofstream(path, std::ios::binary) << bytes_; }

 private:
  std::string bytes_;
};

constexpr std::uint32_t kDimensions = 10, kVariables = 11, kAttributes = 12, kChars = 2, kDoubles = 6;

/// w(time, z) has 10 t + z at t = 0, 1, 2 s; there are 2 levels.
void write_forcing(const std::string& path) {
  const auto head = [](std::uint32_t begin) {
    ClassicFile file;
    file.tag("CDF\1");
    file.number(0);
    file.number(kDimensions);
    file.number(2);
    file.name("time");
    file.number(3);
    file.name("z");
    file.number(2);
    file.number(0);
    file.number(0);
    file.number(kVariables);
    file.number(2);
    file.name("time");
    file.number(1);
    file.number(0);
    file.number(kAttributes);
    file.number(1);
    file.name("units");
    file.number(kChars);
    file.name("s");
    file.number(kDoubles);
    file.number(24);
    file.number(begin);
    file.name("w");
    file.number(2);
    file.number(0);
    file.number(1);
    file.number(0);
    file.number(0);
    file.number(kDoubles);
    file.number(48);
    file.number(begin + 24);
    return file;
  };
  ClassicFile file = head(static_cast<std::uint32_t>(head(0).size()));
  for (const double t : {0, 1, 2}) file.value(t);
  for (const double t : {0, 1, 2})
    for (const double z : {0, 1}) file.value(10 * t + z);
  file.write(path);
}

class CInputs : public testing::Test {
 protected:
  CInputs() : directory_(kConfiguration) { write_forcing(directory_.path() + "/forcing.nc"); }
  TestDirectory directory_;
};

TEST_F(CInputs, are_interpolated_between_the_records_of_a_file) {
  pileus::Run run({directory_.configuration_path(), std::nullopt, directory_.path()});
  run.dimension("z", 2);
  const auto field = run.field<double>("u");
  const auto w = run.input<double>("w", {{"z", 0, 2}});
  const auto other = run.input<float>("other");
  run.commit();
  std::vector<double> values(2), spread(4, -1);

  EXPECT_TRUE(run.is_brought(w));
  EXPECT_FALSE(run.is_brought(other));
  run.get(w, 0, values);
  EXPECT_EQ(values, (std::vector<double>{0, 1}));
  run.begin(1, 1.5, 1.5, PILEUS_FINAL);
  run.get(w, 1.5, values);
  EXPECT_EQ(values, (std::vector<double>{15, 16}));
  const std::int64_t strides[] = {-2};
  run.get(w, 2, spread.data() + 3, strides);
  EXPECT_EQ(spread, (std::vector<double>{-1, 21, -1, 20}));
  run.put(field, values[0]);
  run.end();
  run.finish();
  EXPECT_GT(run.times().waiting_s, 0);
}

TEST_F(CInputs, say_what_is_wrong_and_the_run_goes_on) {
  pileus::Run run({directory_.configuration_path(), std::nullopt, directory_.path()});
  run.dimension("z", 2);
  const auto field = run.field<double>("u");
  const auto w = run.input<double>("w", {{"z", 0, 2}});
  const auto other = run.input<double>("other");
  double values[2];
  const auto problem = [&](auto call) {
    try {
      call();
    } catch (const pileus::Error& error) {
      EXPECT_EQ(error.status(), PILEUS_ERROR_USAGE);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(problem([&] { run.get(w, 0, values); }).find("pileus_get was called before pileus_commit"),
            std::string::npos);
  run.commit();
  EXPECT_NE(problem([&] { run.get(w, 3, values); }).find("the file covers model time 0 s to 2 s and not 3 s"),
            std::string::npos);
  EXPECT_NE(problem([&] { run.get(other, 3, std::span(values, 1)); }).find("brings no input \"other\""),
            std::string::npos);
  run.begin(1, 1, 1, PILEUS_FINAL);
  run.put(field, 1.0);
  run.end();
  run.finish();
  EXPECT_NE(problem([&] { run.get(w, 0, values); }).find("after pileus_finish"), std::string::npos);
}

TEST_F(CInputs, of_another_size_are_refused_by_commit) {
  pileus::Run run({directory_.configuration_path(), std::nullopt, directory_.path()});
  run.dimension("z", 3);
  run.field<double>("u");
  run.input<double>("w", {{"z", 0, 3}});

  try {
    run.commit();
    FAIL() << "it was taken";
  } catch (const pileus::Error& error) {
    EXPECT_EQ(error.status(), PILEUS_ERROR_CONFIG);
    EXPECT_NE(std::string(error.what()).find("has (z 2) beside time, and the model takes (z 3)"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
