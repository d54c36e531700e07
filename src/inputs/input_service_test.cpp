#include "inputs/input_service.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/error.h"

namespace pileus {
namespace {

/// Runs tasks when it is told to.
class LateExecutor : public Executor {
 public:
  void submit(Task task) override { tasks_.push_back(std::move(task)); }
  bool is_idle() const override { return tasks_.empty(); }
  void run() {
    for (std::deque<Task> tasks = std::exchange(tasks_, {}); !tasks.empty(); tasks.pop_front())
      tasks.front()();
  }

 private:
  std::deque<Task> tasks_;
};

/// Element i of record r is 100 r + its index.
class CountingSource : public InputSource {
 public:
  explicit CountingSource(double missing_from) : missing_from_(missing_from) {}
  InputHeader header(const std::string&) override { return {}; }
  void read(const InputHeader&, Index record, const Region& part, std::span<double> values) override {
    if (record == 5) throw UsageError("f.nc: broken");
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] =
          100.0 * static_cast<double>(record) + static_cast<double>(part.start[0]) + static_cast<double>(i);
      if (values[i] >= missing_from_) values[i] = NAN;
    }
  }

 private:
  double missing_from_;
};

class InputServiceTest : public testing::Test {
 protected:
  struct Got {
    ClientRank client;
    RecordHead head;
    std::vector<double> values;
  };

  static std::shared_ptr<ServedInput> input(Index first, Index count) {
    auto served = std::make_shared<ServedInput>();
    served->input.name = "w";
    served->brought = {InputAxis({0, 1, 2, 3, 4, 5, 6}, 6, true), 2, ElementType::float64, "f.nc: w"};
    served->header.file = "f.nc";
    served->header.variable = "w";
    served->header.has_time = true;
    served->part = served->input.region = {{first}, {count}};
    return served;
  }
  void serve(InputService::Inputs inputs) {
    InputService::Outside outside;
    outside.send = [this](ClientRank client, const Bytes& frame) {
      Decoder in(frame);
      in.get<std::uint32_t>();
      const RecordHead head = RecordHead::decode(in);
      std::vector<double> values(in.rest().size() / 8);
      std::memcpy(values.data(), in.rest().data(), in.rest().size());
      got.push_back({client, head, values});
    };
    outside.fail = [this](const std::string& why) { failures.push_back(why); };
    const auto open = [this](const std::string&) {
      ++opened;
      return std::make_unique<CountingSource>(missing_from);
    };
    service = std::make_unique<InputService>(std::move(inputs), open, library, std::move(outside));
  }
  void run() {
    for (int i = 0; i < 3; ++i) {
      service->poll();
      library.run();
    }
    service->poll();
  }

  LateExecutor library;
  std::vector<Got> got;
  std::vector<std::string> failures;
  double missing_from = 1e9;
  int opened = 0;
  std::unique_ptr<InputService> service;
};

TEST_F(InputServiceTest, each_rank_gets_its_part_of_the_records_in_order) {
  serve({{3, {nullptr, input(0, 2)}}, {4, {input(2, 1)}}});
  service->take_wanted(3, {1, 0, 2});
  service->take_wanted(4, {0, 1, 1});
  EXPECT_FALSE(service->is_idle());

  run();

  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(got[0].client, 3U);
  EXPECT_EQ(got[0].head.input, 1U);
  EXPECT_EQ(got[0].values, (std::vector<double>{0, 1}));
  EXPECT_EQ(got[1].head.record, 1);
  EXPECT_EQ(got[1].values, (std::vector<double>{100, 101}));
  EXPECT_EQ(got[2].client, 4U);
  EXPECT_EQ(got[2].values, (std::vector<double>{102}));
  EXPECT_EQ(opened, 1);
  EXPECT_TRUE(service->is_idle());
  EXPECT_EQ(service->sent().records, 3);
  EXPECT_EQ(service->most_bytes(), 4U * 8U * 3U);
}

TEST_F(InputServiceTest, the_lane_never_waits_for_the_file) {
  serve({{0, {input(0, 1)}}});
  service->take_wanted(0, {0, 0, 1});

  EXPECT_FALSE(service->poll());
  EXPECT_FALSE(service->poll());
  EXPECT_TRUE(got.empty());
  EXPECT_FALSE(service->is_idle());
  EXPECT_EQ(service->wait_text(), "records of f.nc: w for model rank 0 are being read");
  library.run();
  EXPECT_TRUE(service->poll());
  EXPECT_EQ(got.size(), 1U);
  EXPECT_EQ(service->wait_text(), "");
}

TEST_F(InputServiceTest, a_rank_that_has_finished_gets_nothing_more) {
  serve({{0, {input(0, 1)}}, {1, {input(0, 1)}}});
  service->take_wanted(0, {0, 0, 3});
  service->take_wanted(1, {0, 0, 1});
  service->poll();
  service->finish_client(0);
  service->take_wanted(0, {0, 3, 1});

  library.run();
  run();

  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].client, 1U);
  EXPECT_TRUE(service->is_idle());
}

TEST_F(InputServiceTest, what_cannot_be_read_is_said_once_and_ends_all) {
  serve({{0, {input(0, 1)}}});
  service->take_wanted(0, {0, 4, 3});

  run();

  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0], "an input cannot be read: f.nc: broken");
  EXPECT_TRUE(service->is_idle());
}

TEST_F(InputServiceTest, missing_values_are_named_or_handed_over_as_the_input_says) {
  missing_from = 202;
  auto lacking = input(1, 3), careless = input(1, 3);
  careless->may_lack = true;
  serve({{0, {careless, lacking}}});
  service->take_wanted(0, {0, 2, 1});
  run();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].values[0], 201);
  EXPECT_TRUE(std::isnan(got[0].values[1]));

  service->take_wanted(0, {1, 2, 1});
  run();

  ASSERT_EQ(failures.size(), 1U);
  EXPECT_NE(failures[0].find("variable \"w\" of record 2 has no value at [2]"), std::string::npos)
      << failures[0];
}

TEST_F(InputServiceTest, values_become_those_of_the_models_units) {
  auto other = input(0, 2);
  other->factor = 2;
  other->offset = -1;
  serve({{0, {other}}});
  service->take_wanted(0, {0, 1, 1});

  run();

  EXPECT_EQ(got.at(0).values, (std::vector<double>{199, 201}));
}

TEST_F(InputServiceTest, records_that_nobody_can_ask_for_are_errors) {
  serve({{0, {input(0, 1), nullptr}}});

  EXPECT_THROW(service->take_wanted(0, {0, 6, 2}), TransportError);
  EXPECT_THROW(service->take_wanted(0, {0, -1, 1}), TransportError);
  EXPECT_THROW(service->take_wanted(0, {0, 0, 0}), TransportError);
  EXPECT_THROW(service->take_wanted(0, {1, 0, 1}), TransportError);
  EXPECT_THROW(service->take_wanted(0, {2, 0, 1}), TransportError);
  EXPECT_THROW(service->take_wanted(1, {0, 0, 1}), TransportError);
}

}  // namespace
}  // namespace pileus
