// Whole runs of one process whose model puts the fields of a step from several threads.

#include <gtest/gtest.h>

#include <barrier>
#include <cstdlib>
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

constexpr int kFields = 12, kSteps = 20, kLevels = 4, kColumns = 60;

std::string configuration() {
  std::string fields, includes;
  for (int i = 0; i < kFields; ++i) {
    const std::string name = "f" + std::to_string(i);
    fields += "<field name=\"" + name + R"(" type="array" data_type="double" size="x,z" collective="true"/>)";
    includes += "<include field=\"" + name + "\" time_manipulation=\"" +
                (i % 2 == 0 ? "averaged" : "instantaneous") + "\" output_frequency=\"5\"/>";
  }
  return "<io-configuration><data-definition name=\"state\" frequency=\"1\">" + fields +
         "</data-definition><data-writing><file name=\"all.nc\" write_time_frequency=\"10\">" + includes +
         "</file></data-writing></io-configuration>";
}

using Numbers = std::vector<pileus::Field<double>>;

/// Runs the model, whose fields `hand_over(run, fields, step)` puts, and returns its files by name.
template <class HandOver>
std::map<std::string, std::string> files_of(int flags, const HandOver& hand_over) {
  const TestDirectory directory(configuration().c_str());
  {
    pileus::Run run({directory.configuration_path(), std::nullopt, directory.path()});
    run.dimension("x", kColumns);
    run.dimension("z", kLevels);
    Numbers fields;
    for (int i = 0; i < kFields; ++i)
      fields.push_back(run.field<double>("f" + std::to_string(i), {{"x", 0, kColumns}, {"z", 0, kLevels}}));
    run.commit();
    for (int step = 1; step <= kSteps; ++step) {
      run.begin(step, step, 1, flags | (step == kSteps ? PILEUS_FINAL : 0));
      hand_over(run, fields, step);
      EXPECT_TRUE(run.end()) << run.absent();
    }
    run.finish();
  }
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    if (entry.path().extension() != ".nc") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename()] = {std::istreambuf_iterator(in), {}};
  }
  return files;
}

void put(pileus::Run& run, const Numbers& fields, int field, int step) {
  std::vector<double> values(kColumns * kLevels);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 1.0 / static_cast<double>(1 + i) + 100.0 * field + 0.1 * step;
  const auto& number = fields[static_cast<std::size_t>(field)];
  if (field % 3 != 0) return run.put(number, values);
  for (int z = kLevels; z-- > 0;) run.put_part(number, z, std::span(values).subspan(z * kColumns, kColumns));
}

TEST(ThreadsOfTheModel, make_the_files_that_one_thread_makes) {
  ::setenv("SOURCE_DATE_EPOCH", "0", 1);  // the time in the history of files
  const auto of_one = files_of(0, [](pileus::Run& run, const Numbers& fields, int step) {
    for (int i = 0; i < kFields; ++i) put(run, fields, i, step);
  });
  ASSERT_EQ(of_one.size(), 2U);

  for (const int threads : {1, 2, 6}) {
    const auto of_several =
        files_of(PILEUS_THREADS, [threads](pileus::Run& run, const Numbers& fields, int step) {
          std::vector<std::jthread> running;
          for (int t = 0; t < threads; ++t)
            running.emplace_back([&, t] {
              for (int i = t; i < kFields; i += threads) put(run, fields, kFields - 1 - i, step);
            });
        });
    EXPECT_TRUE(of_several == of_one) << threads << " threads";
  }
}

TEST(ThreadsOfTheModel, get_their_own_errors_and_texts) {
  files_of(PILEUS_THREADS, [](pileus::Run& run, const Numbers& fields, int step) {
    std::vector<std::string> said(4), texts(4);
    std::barrier all(4);
    {
      std::vector<std::jthread> running;
      for (int t = 0; t < 4; ++t)
        running.emplace_back([&, t] {
          try {
            run.put(pileus::Field<double>{100 + t, {}}, std::vector<double>(1));
          } catch (const pileus::Error& error) {
            said[t] = error.what();
          }
          all.arrive_and_wait();  // all have failed
          texts[t] = run.text();
          for (int i = t; i < kFields; i += 4) put(run, fields, i, step);
        });
    }
    for (int t = 0; t < 4; ++t) {
      EXPECT_EQ(said[t].find("pileus_put: there is no field 10" + std::to_string(t)), 0U) << said[t];
      EXPECT_EQ(texts[t], said[t]);
    }
    EXPECT_EQ(run.text(), "");  // this thread's calls did not fail
  });
}

}  // namespace
