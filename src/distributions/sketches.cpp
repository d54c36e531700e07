#include "distributions/sketches.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "distributions/lanes.h"
#include "distributions/order_statistics.h"

namespace pileus::distributions {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr std::uint32_t kFirstSign = std::uint32_t{1} << 31;
constexpr int kKeyAt = 32;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const double kAbsent = std::bit_cast<double>(std::uint64_t{0x7FF850494C455553});  // waits for nobody

/// In the order of numbers, and 0 once.
std::uint64_t in_order(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
double number(std::uint64_t ordered) {
  return std::bit_cast<double>((ordered & kSign) != 0 ? ordered & ~kSign : ~ordered);
}

bool is_absent(double value) {
  return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(kAbsent);
}

Classes& classes_in(std::uint32_t* kept) { return *reinterpret_cast<Classes*>(kept); }
const Classes& classes_in(const std::uint32_t* kept) { return *reinterpret_cast<const Classes*>(kept); }

void put_first_bits(std::span<const double> numbers, std::int32_t* to) {
  for (std::size_t i = 0; i < numbers.size(); ++i) to[i] = first_bits(numbers[i]);
}

/// The number in the middle of those that have the first bits `key`.
double middle(std::int32_t key, int dropped) {
  const std::uint64_t first = std::uint64_t{(static_cast<std::uint32_t>(key) << dropped) ^ kFirstSign}
                              << kKeyAt;
  const std::uint64_t last = first | ((std::uint64_t{1} << (kKeyAt + dropped)) - 1);
  const double low = number(first), high = number(last);
  if (low == 0 || !std::isfinite(high)) return std::isnan(low) ? high : low;
  return std::isfinite(low) ? low / 2 + high / 2 : high;
}

}  // namespace

Sketches::Sketches(std::size_t series) : size_(series), tiles_((series + kWidth - 1) / kWidth) {
  for (std::size_t t = 0; t < tiles_.size(); ++t)
    tiles_[t].states.resize(std::min(kWidth, series - t * kWidth));
  clear();
}

void Sketches::clear() {
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    std::ranges::fill(tiles_[t].states, State());
    tiles_[t].waiting.clear();
    tiles_[t].most_waiting = 1 + t * 11 % kWaiting;  // so that not all settle in the same step
  }
}

void Sketches::add(std::span<const double> numbers, std::optional<double> absent) {
  for (Tile& tile : tiles_) {
    const std::size_t width = tile.states.size(), begin = tile.waiting.size();
    tile.waiting.resize(begin + width);
    double* const to = tile.waiting.data() + begin;
    for (std::size_t i = 0; i < width; ++i) to[i] = std::isnan(numbers[i]) ? kNan : numbers[i] + 0.0;
    if (absent)
      for (std::size_t i = 0; i < width; ++i) to[i] = numbers[i] == *absent ? kAbsent : to[i];
    numbers = numbers.subspan(width);
    if (tile.waiting.size() >= tile.most_waiting * width) settle(tile);
  }
}

/// For all that waits.
void Sketches::make_room(Tile& tile) {
  const auto most = std::ranges::max(tile.states, {}, &State::count).count;
  const bool has_classes =
      std::ranges::any_of(tile.states, [](const State& one) { return one.form != Form::numbers; });
  const std::size_t numbers = has_classes ? kMost : most + tile.waiting.size() / tile.states.size();
  const std::size_t words = std::min(kWords, 2 * std::bit_ceil(std::max(numbers, kWaiting)));
  if (words <= tile.words) return;
  std::vector<std::uint32_t> kept(words * tile.states.size());
  for (std::size_t i = 0; i < tile.states.size() && tile.words > 0; ++i)
    std::copy_n(tile.kept.data() + i * tile.words, tile.words, kept.data() + i * words);
  tile.kept = std::move(kept);
  tile.words = words;
}

void Sketches::settle(Tile& tile) {
  constexpr std::size_t kTogether = 8;  // series in a cache line of each step
  make_room(tile);
  const std::size_t width = tile.states.size(), steps = tile.waiting.size() / width;
  double numbers[kTogether][kWaiting];
  for (std::size_t begin = 0; begin < width; begin += kTogether) {
    const std::size_t series = std::min(kTogether, width - begin);
    for (std::size_t s = 0; s < steps; ++s)
      for (std::size_t i = 0; i < series; ++i) numbers[i][s] = tile.waiting[s * width + begin + i];
    for (std::size_t i = 0; i < series; ++i)
      add_to(tile.states[begin + i], tile.kept.data() + (begin + i) * tile.words, {numbers[i], steps});
  }
  tile.waiting.clear();
  tile.most_waiting = kWaiting;
}

/// REQUIRES: at most kWaiting numbers, and room for them.
void Sketches::add_to(State& state, std::uint32_t* kept, std::span<const double> numbers) {
  if (state.has_nan) return;
  double present[kWaiting];
  if (std::ranges::any_of(numbers, [](double value) { return std::isnan(value); })) {
    const auto end = std::ranges::remove_copy_if(numbers, present, is_absent).out;
    numbers = {present, static_cast<std::size_t>(end - present)};
    if (std::ranges::any_of(numbers, [](double value) { return std::isnan(value); })) {
      state = State();
      state.has_nan = true;
      return;
    }
  }
  const std::size_t before = state.count, count = before + numbers.size();
  auto* const bits = reinterpret_cast<std::int32_t*>(kept);
  if (state.form == Form::numbers) {
    if (count <= kMost) {
      std::memcpy(kept + 2 * before, numbers.data(), numbers.size_bytes());
    } else {
      state.form = Form::first_bits;
      for (std::size_t i = 0; i < before; ++i) {
        double value;
        std::memcpy(&value, kept + 2 * i, sizeof value);
        bits[i] = first_bits(value);
      }
    }
  }
  if (state.form == Form::first_bits) {
    if (count <= kWords)
      put_first_bits(numbers, bits + before);
    else
      make_classes(state, kept, numbers);
  } else if (state.form == Form::classes) {
    std::int32_t more[kWaiting];
    put_first_bits(numbers, more);
    best_class_loops().add(classes_in(kept), state.classes, {more, numbers.size()});
  }
  state.count = count;
}

/// Of first bits and of more numbers.
void Sketches::make_classes(State& state, std::uint32_t* kept, std::span<const double> more) {
  std::int32_t bits[kWords + kWaiting], other[kWords + kWaiting];
  std::copy_n(kept, state.count, bits);
  put_first_bits(more, bits + state.count);
  best_class_loops().make(classes_in(kept), state.classes, {bits, state.count + more.size()}, other);
  state.form = Form::classes;
}

void Sketches::take(const Tile& tile, std::size_t place, Whole& whole) const {
  whole.state = tile.states[place];
  const std::uint32_t* const kept = tile.kept.data() + place * tile.words;
  if (whole.state.form == Form::numbers)
    std::copy_n(kept, 2 * whole.state.count, whole.kept);
  else
    std::copy_n(kept, kWords, whole.kept);
  double numbers[kWaiting];
  const std::size_t width = tile.states.size(), steps = tile.waiting.size() / width;
  for (std::size_t s = 0; s < steps; ++s) numbers[s] = tile.waiting[s * width + place];
  add_to(whole.state, whole.kept, {numbers, steps});
  if (whole.state.form == Form::first_bits) make_classes(whole.state, whole.kept, {});
}

double Sketches::quantile_of_classes(const Whole& whole, double share) {
  const Classes& classes = classes_in(whole.kept);
  const ClassesState state = whole.state.classes;
  const Place place(static_cast<std::int64_t>(whole.state.count), share);
  auto below = static_cast<std::uint64_t>(place.below);
  for (std::size_t i = 0; i < state.used; ++i) {
    const std::uint32_t count = classes.counts[i];
    if (below >= count) {
      below -= count;
      continue;
    }
    const bool is_same = below + 1 < count || i + 1 == state.used;
    return on_line(middle(classes.keys[i], state.dropped),
                   middle(classes.keys[is_same ? i : i + 1], state.dropped), place.beyond);
  }
  return kNan;
}

double Sketches::quantile(Whole& whole, double share, double of_none) {
  const State& state = whole.state;
  if (state.has_nan || state.count == 0) return state.has_nan ? kNan : of_none;
  if (state.form == Form::classes) return quantile_of_classes(whole, share);
  double numbers[kMost];
  std::memcpy(numbers, whole.kept, state.count * sizeof(double));
  return find_quantile({numbers, state.count}, share);
}

/// Side by side where as many numbers are kept of each.
void Sketches::quantiles(double share, double of_none, std::span<double> to) const {
  std::array<Whole, kLanes> wholes;
  std::optional<LaneQuantiles> lanes;
  std::vector<double> rows(kMost * kLanes);
  for (std::size_t begin = 0; begin < size_; begin += kLanes) {
    const std::size_t some = std::min(kLanes, size_ - begin);
    const auto is_alike = [&](const Whole& one) {
      return one.state.form == Form::numbers && one.state.count == wholes[0].state.count;
    };
    for (std::size_t i = 0; i < some; ++i)
      take(tiles_[(begin + i) / kWidth], (begin + i) % kWidth, wholes[i]);
    const std::size_t count = wholes[0].state.count;
    if (some < kLanes || count == 0 || !std::ranges::all_of(wholes, is_alike)) {
      for (std::size_t i = 0; i < some; ++i) to[begin + i] = quantile(wholes[i], share, of_none);
      continue;
    }
    if (!lanes || lanes->numbers() != count) lanes.emplace(count, std::span(&share, 1));
    for (std::size_t i = 0; i < kLanes; ++i)
      for (std::size_t n = 0; n < count; ++n)
        std::memcpy(&rows[n * kLanes + i], wholes[i].kept + 2 * n, sizeof(double));
    lanes->find(rows.data(), &to[begin]);
  }
}

std::size_t Sketches::allocated_bytes() const {
  std::size_t bytes = tiles_.capacity() * sizeof(Tile);
  for (const Tile& tile : tiles_)
    bytes += tile.states.capacity() * sizeof(State) + tile.waiting.capacity() * sizeof(double) +
             tile.kept.capacity() * sizeof(std::uint32_t);
  return bytes;
}

bool Sketches::encode(std::size_t series, Bytes& out) const {
  Whole whole;
  take(tiles_[series / kWidth], series % kWidth, whole);
  const State& state = whole.state;
  const bool has_classes = state.form == Form::classes;
  const std::size_t size = has_classes ? state.classes.used : state.count;
  Encoder encoder(out);
  encoder.put(state.count);
  encoder.put(state.classes.dropped);
  encoder.put(has_classes);
  encoder.put(state.has_nan);
  encoder.put(static_cast<std::uint64_t>(size));
  const Classes& classes = classes_in(whole.kept);
  for (std::size_t i = 0; i < size; ++i) {
    if (has_classes) {
      const std::uint32_t first = static_cast<std::uint32_t>(classes.keys[i]) << state.classes.dropped;
      encoder.put(std::uint64_t{(first ^ kFirstSign) >> state.classes.dropped} << kKeyAt | classes.counts[i]);
    } else {
      double value;
      std::memcpy(&value, whole.kept + 2 * i, sizeof value);
      encoder.put(in_order(value));
    }
  }
  return state.has_nan || state.count > 0;
}

void Sketches::decode(std::size_t series, std::span<const std::byte>& in) {
  const auto require = [](bool is_right) {
    if (!is_right) throw TransportError("the state of a percentile is damaged");
  };
  Decoder decoder(in);
  Tile& tile = tiles_[series / kWidth];
  State state;
  state.count = decoder.get<std::uint64_t>();
  state.classes.dropped = decoder.get<std::uint8_t>();
  state.form = decoder.get<std::uint8_t>() != 0 ? Form::classes : Form::numbers;
  state.has_nan = decoder.get<std::uint8_t>() != 0;
  const auto size = decoder.get<std::uint64_t>();
  require(size <= kMost && state.classes.dropped < kKeyAt);
  Whole whole;
  Classes& classes = classes_in(whole.kept);
  classes.keys.fill(Classes::kUnused);
  classes.counts.fill(0);
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto one = decoder.get<std::uint64_t>();
    if (state.form == Form::classes) {
      const auto first = static_cast<std::uint32_t>(one >> kKeyAt) << state.classes.dropped;
      classes.keys[i] = static_cast<std::int32_t>(first ^ kFirstSign) >> state.classes.dropped;
      total += classes.counts[i] = static_cast<std::uint32_t>(one);
      require(i == 0 || classes.keys[i] > classes.keys[i - 1]);
    } else {
      const double value = number(one);
      require(!std::isnan(value));
      std::memcpy(whole.kept + 2 * i, &value, sizeof value);
      ++total;
    }
  }
  in = decoder.rest();
  state.classes.used = static_cast<std::uint16_t>(state.form == Form::classes ? size : 0);
  if (state.has_nan) {
    state = State();
    state.has_nan = true;
  }
  require(state.has_nan || total == state.count);
  tile.states[series % kWidth] = state;
  make_room(tile);
  std::copy_n(whole.kept, state.form == Form::classes ? kWords : 2 * state.count,
              tile.kept.data() + series % kWidth * tile.words);
}

}  // namespace pileus::distributions
