// Windows that were kept in the middle, cut along one decomposition and put together along another, give the
// bits of those that were not.

#include "time/window_state.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

#include "core/error.h"
#include "core/missing.h"
#include "time/manipulations/list.h"
#include "time/window.h"

namespace pileus {
namespace {

/// A plane of 5 x 4, fastest first.
const Region kPlane{{0, 0}, {5, 4}};
using Decomposition = std::vector<Region>;
const Decomposition kWhole = {kPlane};
const Decomposition kRows = {{{0, 0}, {5, 1}}, {{0, 1}, {5, 2}}, {{0, 3}, {5, 1}}};
const Decomposition kBlocks = {{{0, 0}, {2, 3}}, {{2, 0}, {3, 3}}, {{0, 3}, {2, 1}}, {{2, 3}, {3, 1}}};

double value_at(Index x, Index y, int step) {
  std::mt19937_64 random(static_cast<std::uint64_t>(x * 97 + y * 7 + step * 1009 + 1));
  const double values[] = {
      std::uniform_real_distribution<>(-1e8, 1e8)(random), 1e-9, -0.0, 1e17, -1e17 + 3, 0.1};
  return values[random() % 6];
}

template <class T>
Array numbers(const Region& region, int step, ElementType type) {
  std::vector<T> values;
  for (Index y = region.start[1]; y < region.start[1] + region.count[1]; ++y) {
    for (Index x = region.start[0]; x < region.start[0] + region.count[0]; ++x)
      values.push_back(static_cast<T>(value_at(x, y, step)));
  }
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const auto* first = reinterpret_cast<const std::byte*>(owner->data());
  return {type, region.count, std::shared_ptr<const std::byte>(owner, first)};
}

/// The region's sample of a step: numbers of several types, or Partials.
Sample sample_of(const Region& region, int step, ElementType type, bool is_partial) {
  if (!is_partial) {
    return type == ElementType::float32 ? numbers<float>(region, step, type)
                                        : numbers<double>(region, step, ElementType::float64);
  }
  std::vector<Partial> partials;
  const Array values = numbers<double>(region, step, ElementType::float64);
  for (const double value : values.as<double>()) {
    Partial& partial = partials.emplace_back(Reduction::mean);
    partial.add(value);
    partial.add(1.0 / 3);
    partial.multiply(0.1);
  }
  return PartialArray{region.count, std::make_shared<Partials>(Reduction::mean, partials)};
}

SampleTime time_of(int step) { return {0.1 + 0.7 * (step % 3) + 1.0 / step, 2.5 * step}; }

struct Case {
  Manipulation manipulation;
  bool is_exact;
  std::optional<double> missing;
  ElementType type = ElementType::float64;
  bool is_partial = false;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (Manipulation manipulation : all_manipulations()) {
    if (manipulation->is_of_segments) continue;  // segments_window_test.cpp has these
    for (bool is_exact : {false, true}) {
      for (std::optional<double> missing : {std::optional<double>(), std::optional<double>(0.1)}) {
        all.push_back({manipulation, is_exact, missing});
        all.push_back({manipulation, is_exact, missing, ElementType::float32});
        all.push_back({manipulation, is_exact, missing, ElementType::float64, true});
      }
    }
  }
  return all;
}

std::string text_of(const Case& one) {
  return std::string(one.manipulation->name) + (one.is_exact ? " exact" : " running") +
         (one.missing ? " with missing" : "") + (one.is_partial ? " of Partials" : "") + " " +
         std::string(name(one.type));
}

/// `record_after`: the step with which a record was taken, if any. A window may have no state then.
std::vector<std::optional<WindowState>> kept(const Case& one, const Decomposition& decomposition, int steps,
                                             int record_after = 0) {
  std::vector<std::optional<WindowState>> states;
  for (const Region& region : decomposition) {
    const auto window = make_window(one.manipulation, one.is_exact, one.missing);
    for (int step = 1; step <= steps; ++step) {
      window->add(sample_of(region, step, one.type, one.is_partial), time_of(step));
      if (step == record_after) window->take_record(3);
    }
    const std::optional<WindowState> state = window->state();
    EXPECT_TRUE(state || record_after == steps) << text_of(one);
    states.emplace_back();
    if (!state) continue;
    Bytes bytes;
    Encoder out(bytes);
    state->encode(out);
    Decoder in(bytes);
    states.back() = WindowState::decode(in);
    EXPECT_TRUE(in.is_at_end());
  }
  return states;
}

std::string record_bytes(Window& window) {
  const std::optional<Array> record = window.take_record(7);
  if (!record) return "";
  return std::string(name(record->type)) +
         std::string(reinterpret_cast<const char*>(record->bytes.get()), record->size_bytes());
}

/// `record_after`: the step with which a record was taken, if any.
void expect_same_bits_on_any_decomposition(const Case& one, int record_after) {
  constexpr int kCut = 4, kSteps = 9;
  for (const Decomposition* before : {&kWhole, &kRows, &kBlocks}) {
    const std::vector<std::optional<WindowState>> states = kept(one, *before, kCut, record_after);
    for (const Decomposition* after : {&kWhole, &kRows, &kBlocks}) {
      for (const Region& region : *after) {
        std::vector<WindowPiece> pieces;
        for (std::size_t i = 0; i < states.size(); ++i) {
          if (states[i] && common((*before)[i], region).size() > 0)
            pieces.push_back(cut_for(*states[i], (*before)[i], region));
        }
        const auto whole = make_window(one.manipulation, one.is_exact, one.missing);
        const auto restored = make_window(one.manipulation, one.is_exact, one.missing);
        if (!pieces.empty()) restored->restore(region.count, pieces);
        for (int step = 1; step <= kSteps; ++step) {
          const Sample sample = sample_of(region, step, one.type, one.is_partial);
          whole->add(sample, time_of(step));
          if (step == record_after) whole->take_record(3);
          if (step > kCut) restored->add(sample, time_of(step));
        }
        ASSERT_EQ(record_bytes(*restored), record_bytes(*whole)) << text_of(one) << text(region);
      }
    }
  }
}

TEST(WindowState, kept_after_some_steps_goes_on_with_the_same_bits_on_any_decomposition) {
  for (const Case& one : cases()) expect_same_bits_on_any_decomposition(one, 0);
}

TEST(WindowState, kept_after_a_record_goes_on_with_the_same_bits_on_any_decomposition) {
  for (const Case& one : cases()) {
    expect_same_bits_on_any_decomposition(one, 2);
    expect_same_bits_on_any_decomposition(one, 4);
  }
}

TEST(WindowState, of_nothing_is_nothing) {
  for (const Case& one : cases()) {
    const auto window = make_window(one.manipulation, one.is_exact, one.missing);
    EXPECT_FALSE(window->state()) << text_of(one);
    window->add(Absent{}, 1);
    EXPECT_FALSE(window->state()) << text_of(one);
    window->add(sample_of(kPlane, 1, ElementType::float64, false), 1);
    EXPECT_TRUE(window->state()) << text_of(one);
    window->take_record();
    if (const std::optional<WindowState> state = window->state()) {  // it compares windows
      const auto restored = make_window(one.manipulation, one.is_exact, one.missing);
      restored->restore(kPlane.count, {cut_for(*state, kPlane, kPlane)});
      EXPECT_FALSE(restored->take_record()) << text_of(one);
    }
  }
}

std::vector<double> doubles_of(Window& window) {
  const std::optional<Array> record = window.take_record();
  const auto values = record.value().as<double>();
  return {values.begin(), values.end()};
}

/// Two halves of a row of two, of which only the first had a sample before the cut.
TEST(WindowState, has_elements_that_took_nothing_where_a_part_was_absent) {
  const auto restored = [](Manipulation manipulation, int times) {
    const auto half = make_window(manipulation, false);
    half->add(make_array({6}, {1}), 1);
    WindowState state = half->state().value();
    Region from{{0}, {1}};
    auto window = make_window(manipulation, false);
    for (int i = 0; i < times; ++i) {  // kept again, in one piece
      window = make_window(manipulation, false);
      window->restore({2}, {cut_for(state, from, {{0}, {2}})});
      state = window->state().value();
      from = {{0}, {2}};
    }
    return window;
  };

  for (int times : {1, 2}) {
    for (Manipulation manipulation :
         {manipulations::averaged(), manipulations::accumulated(), manipulations::minimum(),
          manipulations::maximum(), manipulations::variance()}) {
      EXPECT_EQ(doubles_of(*restored(manipulation, times))[1], kMissing);
    }
    const auto with_sample = [&](Manipulation manipulation) {
      const auto window = restored(manipulation, times);
      window->add(make_array({4, 4}, {2}), 3);
      return doubles_of(*window);
    };
    EXPECT_EQ(with_sample(manipulations::averaged()), (std::vector<double>{4.5, 4}));  // (6 + 3·4) / 4
    EXPECT_EQ(with_sample(manipulations::accumulated()), (std::vector<double>{18, 12}));
    EXPECT_EQ(with_sample(manipulations::minimum()), (std::vector<double>{4, 4}));
    EXPECT_EQ(with_sample(manipulations::maximum()), (std::vector<double>{6, 4}));
    EXPECT_EQ(with_sample(manipulations::variance()),
              (std::vector<double>{0.75, 0}));  // (36 + 48) / 4 - 4.5²
  }
}

TEST(WindowState, of_another_form_is_refused) {
  const auto average = make_window(manipulations::averaged(), false);
  average->add(make_array({1, 2}, {2}), 1);
  const WindowPiece piece = cut_for(*average->state(), {{0}, {2}}, {{0}, {2}});

  EXPECT_THROW(make_window(manipulations::maximum(), false)->restore({2}, {piece}), TransportError);
  EXPECT_THROW(make_window(manipulations::averaged(), true)->restore({2}, {piece}), TransportError);
  EXPECT_THROW(make_window(manipulations::variance(), false)->restore({2}, {piece}), TransportError);
}

TEST(WindowState, cut_short_anywhere_or_with_a_wrong_byte_is_an_error_or_another_state) {
  for (const Case& one : cases()) {
    Bytes bytes;
    Encoder out(bytes);
    kept(one, kRows, 3)[0]->encode(out);
    const auto read = [&](const Bytes& damaged) {
      try {
        Decoder in(damaged);
        const WindowState state = WindowState::decode(in);
        if (state.extents != kRows[0].count) return;
        make_window(one.manipulation, one.is_exact, one.missing)
            ->restore({5, 1}, {cut_for(state, kRows[0], kRows[0])});
      } catch (const TransportError&) {
      }
    };
    for (std::size_t at = 0; at < bytes.size(); at += 1 + at / 100) {
      const std::span<const std::byte> all(bytes);
      Decoder cut(all.first(at));
      EXPECT_THROW(WindowState::decode(cut), TransportError) << at;
      Bytes damaged = bytes;
      damaged[at] ^= std::byte{0x81};
      read(damaged);
    }
  }
}

}  // namespace
}  // namespace pileus
