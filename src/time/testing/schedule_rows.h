#pragma once
// A table of runs and the records that a schedule makes of them, as texts. The tests of the cursor share it.

#include <gtest/gtest.h>

#include <cstdio>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "time/manipulations/list.h"
#include "time/schedule_cursor.h"

namespace pileus::testing {

inline const Manipulation kMean = manipulations::averaged();
inline const Manipulation kInstant = manipulations::instantaneous();
inline const Manipulation kNone = manipulations::none();

struct Row {
  const char* name;
  Manipulation manipulation;
  double output_s, write_s;
  double start_s;
  std::vector<double> times;  // of the steps; a length is the distance to the time before
  std::vector<std::string> expected;
  std::int64_t cadence = 1;
  std::int64_t first_index = 1;
  bool has_final = false;
};

inline void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

inline std::string number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

/// The text says what a server would do with the actions. A mean is "file.record (begin,end] sample*weight
/// ...", and 3-5*2 says that samples 3, 4 and 5 count 2 s each; a point in time is "file.record @time by
/// sample".
class Journal {
 public:
  void note(std::int64_t sample, const std::vector<SampleAction>& actions) {
    for (const SampleAction& action : actions) {
      if (action.weight_s != 0) count(sample, number(action.weight_s, 6));
      if (action.ends_record) end_record(sample, action.mark);
    }
  }
  const std::vector<std::string>& records() const { return records_; }

 private:
  struct Share {
    std::int64_t first, last;
    std::string weight;
  };
  void count(std::int64_t sample, std::string weight) {
    if (!shares_.empty() && shares_.back().weight == weight && shares_.back().last + 1 == sample) {
      shares_.back().last = sample;
    } else {
      shares_.push_back({sample, sample, std::move(weight)});
    }
  }
  void end_record(std::int64_t sample, const RecordMark& mark) {
    std::string text = std::to_string(mark.period) + "." + std::to_string(mark.record);
    if (mark.begin_s == mark.end_s) {
      text += " @" + number(mark.time_s, 12) + " by " + std::to_string(sample);
    } else {
      text += " (" + number(mark.begin_s, 12) + "," + number(mark.end_s, 12) + "]";
    }
    for (const Share& share : shares_) {
      text += " " + std::to_string(share.first);
      if (share.last > share.first) text += "-" + std::to_string(share.last);
      text += "*" + share.weight;
    }
    EXPECT_EQ(mark.time_s, mark.end_s) << text;
    records_.push_back(text);
    shares_.clear();
  }

  std::vector<Share> shares_;
  std::vector<std::string> records_;
};

inline std::vector<std::string> records_of(const Row& row) {
  ScheduleCursor cursor({FileId(0), row.manipulation, row.output_s, row.cadence, "time"}, row.write_s,
                        row.start_s);
  Journal journal;
  double before = row.start_s;
  std::int64_t index = row.first_index;
  for (const double& time : row.times) {
    const bool is_final = row.has_final && &time == &row.times.back();
    journal.note(index, cursor.advance({index, time, time - before, is_final}));
    before = time;
    ++index;
  }
  journal.note(index, cursor.finish());
  return journal.records();
}

/// `count` times, each the one before plus `length_s`, with the rounding that this brings.
inline std::vector<double> steps_of(double start_s, double length_s, int count) {
  std::vector<double> times;
  for (double time = start_s; static_cast<int>(times.size()) < count;) times.push_back(time += length_s);
  return times;
}

class ScheduleCursorRow : public ::testing::TestWithParam<Row> {};

inline std::string name_of(const ::testing::TestParamInfo<Row>& row) { return row.param.name; }

}  // namespace pileus::testing
