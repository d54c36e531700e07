#include "report/event.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "messaging/frames.h"
#include "report/series_progress.h"

namespace pileus {
namespace {

Plan plan_of_one_file(Frequency every, std::int64_t steps) {
  Plan plan;
  plan.layout = {1, 2};
  PlannedFile file;
  file.name = "w.nc";
  file.write_frequency = every;
  file.write_frequency_steps = steps;
  plan.files.push_back(file);
  return plan;
}

Event decoded(const Event& event, const Plan& plan) {
  const Bytes frame = encode(event);
  Decoder in(frame);
  EXPECT_EQ(in.get<ServerFrame>(), ServerFrame::event);
  return decode_event(in, plan);
}

TEST(Event, passes_between_servers) {
  const Plan plan = plan_of_one_file(10.0, 0);
  const Event event{Event::Kind::published, FileId(0),    3,         4, 2, 21, 30, 30, 0.5,
                    "out/w_30.nc",          "id/w_30.nc", "nothing", 1};

  const Event got = decoded(event, plan);

  EXPECT_EQ(encode(got), encode(event));
  EXPECT_EQ(got.path, "out/w_30.nc");
  EXPECT_EQ(got.last_record_s, 30);
  EXPECT_EQ(got.dropped, 2);
}

TEST(Event, that_cannot_be_is_refused) {
  const Plan plan = plan_of_one_file(10.0, 0);
  const auto refused = [&](const std::function<void(Event&)>& change) {
    Event event;
    event.file = FileId(0);
    change(event);
    EXPECT_THROW(decoded(event, plan), TransportError);
  };

  refused([](Event& event) { event.file = FileId(1); });
  refused([](Event& event) { event.file = {}; });
  refused([](Event& event) { event.dropped = -1; });
  refused([](Event& event) {
    event.kind = Event::Kind::dropped;
    event.file = {};
  });
  for (const auto kind :
       {Event::Kind::waiting, Event::Kind::came, Event::Kind::overloaded, Event::Kind::overload_over,
        Event::Kind::spilling, Event::Kind::spilled, Event::Kind::spill_failed})
    refused([kind](Event& event) { event.kind = kind; });
  refused([](Event& event) {
    event.kind = Event::Kind::late;
    event.file = {};
  });
  refused([](Event& event) { event.kind = static_cast<Event::Kind>(21); });
  refused([](Event& event) { event.records = -1; });
  refused([](Event& event) { event.bytes = -1; });
  refused([](Event& event) { event.server = 2; });
}

TEST(Event, that_ends_early_is_refused) {
  const Plan plan = plan_of_one_file(10.0, 0);
  Event event;
  event.file = FileId(0);
  const Bytes frame = encode(event);

  for (std::size_t length = 4; length < frame.size(); ++length) {
    Decoder in(std::span<const std::byte>(frame.data(), length));
    in.get<ServerFrame>();
    EXPECT_THROW(decode_event(in, plan), TransportError) << length;
  }
}

SeriesProgress after_steps(const PlannedFile& file, std::initializer_list<Step> steps) {
  SeriesProgress progress(file);
  for (const Step& step : steps) progress.advance(step, 5);
  return progress;
}

TEST(SeriesProgress, ends_with_the_last_period_that_is_published) {
  const Plan plan = plan_of_one_file(10.0, 0);

  SeriesProgress progress = after_steps(plan.files[0], {{1, 12, 7}, {2, 24, 12}});

  EXPECT_EQ(progress.through_s(1), 10);
  EXPECT_EQ(progress.through_s(2), 20);
  EXPECT_EQ(progress.through_s(INT64_MAX), 24) << "the end of the run";
}

TEST(SeriesProgress, is_nothing_before_the_start_of_the_run) {
  const Plan plan = plan_of_one_file(5.0, 0);

  EXPECT_EQ(SeriesProgress(plan.files[0]).through_s(3), -INFINITY);
  EXPECT_EQ(after_steps(plan.files[0], {{1, 12, 7}}).through_s(1), -INFINITY) << "the run starts at 5 s";
  EXPECT_EQ(after_steps(plan.files[0], {{1, 12, 7}}).through_s(INT64_MIN), -INFINITY);
}

TEST(SeriesProgress, counts_files_by_steps_to_the_time_of_their_last_step) {
  const Plan plan = plan_of_one_file({}, 2);

  SeriesProgress progress = after_steps(plan.files[0], {{1, 7, 2}, {2, 9, 2}, {4, 13, 4}, {5, 15, 2}});

  EXPECT_EQ(progress.through_s(0), -INFINITY);
  EXPECT_EQ(progress.through_s(1), 9);   // steps 1 and 2
  EXPECT_EQ(progress.through_s(2), 13);  // step 4
}

TEST(SeriesProgress, of_one_file_for_the_run_is_nothing_until_its_end) {
  const Plan plan = plan_of_one_file({}, 0);

  SeriesProgress progress = after_steps(plan.files[0], {{1, 7, 2}, {2, 9, 2}});

  EXPECT_EQ(progress.through_s(0), -INFINITY);
  EXPECT_EQ(progress.through_s(INT64_MAX), 9);
}

}  // namespace
}  // namespace pileus
