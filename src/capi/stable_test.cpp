// Whole runs of one process whose model leaves its arrays alone until the next step, and spoils them then.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <pileus/pileus.hpp>
#include <string>
#include <thread>
#include <vector>

#include "capi/testing/test_directory.h"

namespace {

using pileus::testing::TestDirectory;

constexpr int kFields = 3, kSteps = 12, kLevels = 8, kColumns = 300;
constexpr const char* kConfiguration = R"xml(<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="f0" type="array" data_type="double" size="x,z" collective="true"/>
    <field name="f1" type="array" data_type="double" size="x,z" collective="true"/>
    <field name="f2" type="array" data_type="double" size="x,z" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="total" expression="sum[x,z](f0*f1)"/>
    <diagnostic field="profile" expression="mean[x](f1)"/>
  </data-handling>
  <data-writing>
    <file name="all.nc" write_time_frequency="6">
      <include field="total" time_manipulation="none"/>
      <include field="profile" time_manipulation="averaged" output_frequency="3"/>
      <include field="f2" time_manipulation="averaged" output_frequency="3"/>
      <include field="f0" time_manipulation="instantaneous" output_frequency="4"/>
    </file>
  </data-writing>
</io-configuration>)xml";

enum class How { copied, stable, stable_of_threads };

/// Runs the model, and returns its files by name.
std::map<std::string, std::string> files_of(How how) {
  const TestDirectory directory(kConfiguration);
  std::vector<pileus::StableArray<double>> arrays;
  {
    pileus::Run run({directory.configuration_path(), std::nullopt, directory.path()});
    run.dimension("x", kColumns);
    run.dimension("z", kLevels);
    std::vector<pileus::Field<double>> fields;
    for (int i = 0; i < kFields; ++i) {
      fields.push_back(run.field<double>("f" + std::to_string(i), {{"x", 0, kColumns}, {"z", 0, kLevels}}));
      arrays.push_back(run.allocate<double>(kColumns * kLevels));
    }
    run.commit();
    const auto put = [&](int i, int step) {
      for (std::size_t j = 0; j < arrays[i].size(); ++j)
        arrays[i][j] = 1e3 * i + static_cast<double>((j * 7 + static_cast<std::size_t>(step) * 13) % 101);
      how == How::copied ? run.put(fields[i], arrays[i].span()) : run.put_stable(fields[i], arrays[i].span());
    };
    for (int step = 1; step <= kSteps; ++step) {
      run.begin(step, step, 1,
                (how == How::stable_of_threads ? PILEUS_THREADS : 0) | (step == kSteps ? PILEUS_FINAL : 0));
      for (const auto& array : arrays) std::ranges::fill(array.span(), -1e99);
      if (how == How::stable_of_threads) {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kFields; ++i) threads.emplace_back([&, i] { put(i, step); });
      } else {
        for (int i = 0; i < kFields; ++i) put(i, step);
      }
      EXPECT_TRUE(run.end()) << run.absent();
    }
    run.finish();
  }
  for (const auto& array : arrays) std::ranges::fill(array.span(), 0.0);  // which outlives the run
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    if (entry.path().extension() != ".nc") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().filename().string()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return files;
}

TEST(StableArrays, make_the_files_of_arrays_that_are_copied) {
  setenv("SOURCE_DATE_EPOCH", "0", 1);
  const auto copied = files_of(How::copied);

  ASSERT_EQ(copied.size(), 2U);
  EXPECT_TRUE(files_of(How::stable) == copied);
  EXPECT_TRUE(files_of(How::stable_of_threads) == copied);
}

TEST(StableArrays, have_memory_that_is_given_back_once) {
  const TestDirectory directory(kConfiguration);
  pileus_settings settings = PILEUS_SETTINGS_INIT;
  const std::string path = directory.configuration_path();
  settings.configuration = path.c_str();
  pileus_run* run = nullptr;
  ASSERT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_OK);
  void* memory = nullptr;

  EXPECT_EQ(pileus_allocate(run, 8, nullptr), PILEUS_ERROR_USAGE);
  EXPECT_NE(std::string(pileus_error(run)).find("pileus_allocate"), std::string::npos);
  EXPECT_EQ(pileus_allocate(run, SIZE_MAX, &memory), PILEUS_ERROR_INTERNAL);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(pileus_allocate(nullptr, 8, &memory), PILEUS_ERROR_USAGE);
  ASSERT_EQ(pileus_allocate(run, 0, &memory), PILEUS_OK);
  EXPECT_NE(memory, nullptr);
  void* other = nullptr;
  ASSERT_EQ(pileus_allocate(run, 10'000, &other), PILEUS_OK);
  pileus_free(run);
  static_cast<char*>(other)[9999] = 1;

  EXPECT_EQ(pileus_deallocate(other), PILEUS_OK);
  EXPECT_EQ(pileus_deallocate(memory), PILEUS_OK);
  EXPECT_EQ(pileus_deallocate(nullptr), PILEUS_OK);
  char mine[8];
  EXPECT_EQ(pileus_deallocate(mine + 1), PILEUS_ERROR_USAGE);
}

}  // namespace
