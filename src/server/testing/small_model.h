#pragma once
// A small model for simulated runs: a few fields on a y,x plane with values that expose any change of order
// or of decomposition, and a step that varies.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/testing/simulated_run.h"

namespace pileus::testing {

inline constexpr Index kNz = 3, kNy = 7, kNx = 11;

/// Steps of irregular length: some within a window, some that span windows and files.
inline std::vector<Step> varying_steps(int count) {
  std::vector<Step> steps;
  double time = 0;
  for (int n = 1; n <= count; ++n) {
    const double length = 1.25 + 0.75 * (n % 5) + (n % 7 == 0 ? 9.5 : 0.0);
    time += length;
    steps.push_back({n, time, length});
  }
  return steps;
}

/// Values over many magnitudes, of both signs.
inline double value_at(Index z, Index y, Index x, std::int64_t step) {
  const auto n = static_cast<double>((z * 31 + y * 17 + x * 7 + step * 13) % 101);
  return (n - 50.0) * std::pow(10.0, static_cast<double>((z + y + x + step) % 9) - 4.0) + 0.1;
}

struct SmallModel {
  std::vector<Step> steps = varying_steps(30);
  ClientRank ranks = 1;
  bool is_uneven = false;
  Index held_x = kNx;  ///< no rank holds what lies beyond
  std::function<void(const Step&)> before_step = {};
  std::optional<std::int64_t> continue_after = {};
  std::int64_t done_before =
      -1;  ///< the last step of the runs before, where the checkpoint has another index
  std::int64_t counted_from = 0;  ///< the model's own index of the step that the indices begin anew after
  bool has_kinds = false;         ///< texts, a map and an integer, too
  std::set<std::int64_t> checkpoints = {};  ///< steps
  bool closes = false;                      ///< it says of the last step only afterwards that it was the last
  std::optional<Calendar> calendar = {};    ///< with model time 0 in it on 1850-01-01

  std::string describe_model = {};
  std::function<void(const Step&)> on_begun = {};   ///< as the servers know the step
  std::map<std::string, std::string> options = {};  ///< beside the sizes

  /// It puts its arrays as stable, and spoils them as soon as a step has begun.
  bool lends = false;

  void operator()(Client& client, ClientRank rank) const {
    Arrays arrays;
    if (lends) client.lend_from(1);
    Region plane = part_of_plane(kNy, kNx, rank, ranks, is_uneven);
    plane.count[1] = std::clamp<Index>(held_x - plane.start[1], 0, plane.count[1]);
    for (const auto& [key, value] : options) client.option(key, value);
    client.option("x_size", std::to_string(kNx));
    client.option("y_size", std::to_string(kNy));
    client.dimension({"z", kNz, {10, 20, 30}, "m"});
    client.dimension({"y", kNy, {}, ""});
    client.dimension({"x", kNx, {}, ""});
    const Region volume{{0, plane.start[0], plane.start[1]}, {kNz, plane.count[0], plane.count[1]}};
    const int w = client.field({"w", ElementType::float64, {"z", "y", "x"}, volume});
    const int vwp = client.field({"vwp_local", ElementType::float64, {"y", "x"}, plane});
    const int dt = client.field({"dt", ElementType::float64, {}, {}});
    std::optional<int> label, options, last;
    if (has_kinds) {
      client.dimension({"option", 2, {}, ""});
      label = client.text_field({"label", ElementType::character, {}, {}}, 12);
      options = client.map_field("options_database", 8, "option");
      last = client.field({"checksum", ElementType::int32, {}, {}});
    }
    if (calendar) client.calendar(std::string(name(*calendar)), "1850-01-01");
    if (continue_after) client.continue_after(*continue_after);
    if (counted_from > 0) client.count_anew();
    client.describe_model(describe_model);
    client.commit();
    const auto hand_all_over = [&](const Step& step) {
      hand_over(client, w, vwp, dt, plane, step, arrays);
      if (label && client.wanted(*label)) client.put_texts(*label, std::vector<std::string_view>{"a label"});
      const std::string value = std::to_string(step.index % 3);
      if (options && client.wanted(*options))
        client.put_map(*options, std::vector<std::string_view>{"step", value});
      const auto number = static_cast<std::int32_t>(step.index);
      if (last && client.wanted(*last)) client.put(*last, &number, nullptr);
      client.end();
    };
    for (Step step : steps) {
      if (step.index <= (counted_from > 0 ? done_before : continue_after.value_or(-1))) continue;
      if (before_step) before_step(step);
      step.is_checkpoint = checkpoints.contains(step.index);
      Step numbered = step;
      numbered.index -= counted_from;
      client.begin(numbered, !closes && step.index == steps.back().index);
      arrays.spoil();
      if (on_begun) on_begun(client.step());
      hand_all_over(step);
    }
    if (closes && client.state() == RunState::between_steps) {
      client.begin_closing();
      arrays.spoil();
      hand_all_over(steps.back());
    }
    client.finish();
  }

 private:
  struct Arrays {
    std::vector<double> volume, column;
    void spoil() {
      for (std::vector<double>* array : {&volume, &column}) std::ranges::fill(*array, 1e222);
    }
  };

  void hand_over(Client& client, int w, int vwp, int dt, const Region& plane, const Step& step,
                 Arrays& arrays) const {
    arrays.volume.clear();
    arrays.column.clear();
    for (Index x = plane.start[1]; x < plane.start[1] + plane.count[1]; ++x) {
      for (Index y = plane.start[0]; y < plane.start[0] + plane.count[0]; ++y) {
        for (Index z = 0; z < kNz; ++z) arrays.volume.push_back(value_at(z, y, x, step.index));
        arrays.column.push_back(value_at(0, y, x, step.index) + 3.0);
      }
    }
    const auto lasting = lends ? Client::Lasting::until_next_step : Client::Lasting::in_put;
    if (client.wanted(w)) client.put(w, arrays.volume.data(), nullptr, lasting);
    if (client.wanted(vwp)) client.put(vwp, arrays.column.data(), nullptr, lasting);
    if (client.wanted(dt)) client.put(dt, &step.length, nullptr);
  }
};

}  // namespace pileus::testing
