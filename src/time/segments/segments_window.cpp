#include "time/segments/segments_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/missing.h"
#include "core/shortest.h"
#include "time/manipulations/missing_elements.h"
#include "time/manipulations/state_bytes.h"

namespace pileus {
namespace {

constexpr const char* kForm = "segments";
/// Times are even where they differ from that by no more than this share of the interval.
constexpr double kEven = 1e-3;
/// So many times that are not even say that the interval is wrong: that of the step that passes the end of a
/// record's interval says nothing.
constexpr std::uint8_t kWrong = 2;

std::int64_t modes_of(const Segments& segments) { return segments.samples / 2 + 1; }

}  // namespace

SegmentsWindow::SegmentsWindow(Segments segments, Index modes, std::size_t inputs, Extents extents,
                               std::optional<double> missing, Compute compute)
    : segments_(segments),
      modes_(modes),
      extents_(std::move(extents)),
      size_(static_cast<std::size_t>(Region{{}, extents_}.size())),
      missing_(missing),
      compute_(std::move(compute)),
      samples_(inputs) {}

void SegmentsWindow::take(const Sample& sample, const Sample* other, SampleTime time) {
  if (time.weight_s <= 0) return;
  const bool is_there = !is_absent(sample) && (other == nullptr || !is_absent(*other));
  for (const Sample* one : {&sample, other})
    if (is_there && one != nullptr && pileus::extents(*one) != extents_)
      throw UsageError("the shape of a field has changed within a window");
  make_room();
  go_on_to(time.end_s);
  if (!is_there) return skip();
  put(0, sample);
  if (other != nullptr) put(1, *other);
  end_place();
}

void SegmentsWindow::make_room() {
  if (std::exchange(has_begun_, true)) return;
  for (std::vector<double>& one : samples_) one.resize(size_ * static_cast<std::size_t>(segments_.samples));
  sums_.assign(size_ * static_cast<std::size_t>(modes_), 0);
  counts_.assign(size_, 0);
  last_end_s_ = -std::numeric_limits<double>::infinity();
}

/// Places between this sample and the one before have no value.
void SegmentsWindow::go_on_to(double end_s) {
  const double gap_s = end_s - std::exchange(last_end_s_, end_s);
  if (std::isinf(gap_s)) return;
  const double places = std::round(gap_s / segments_.interval_s);
  const bool is_even = places >= 1 && std::abs(gap_s / segments_.interval_s - places) <= kEven;
  if (!is_even || places > static_cast<double>(segments_.samples)) {
    filled_ = 0;
    if (!is_even && uneven_++ == 0) gap_s_ = gap_s;
    uneven_ = std::min<std::uint8_t>(uneven_, kWrong);
    return;
  }
  has_even_ = true;
  for (auto lacking = static_cast<std::int64_t>(places) - 1; lacking > 0; --lacking) skip();
}

double* SegmentsWindow::place(std::size_t input, std::int64_t sample) {
  return samples_[input].data() + static_cast<std::size_t>(sample) * size_;
}

void SegmentsWindow::put(std::size_t input, const Sample& sample) {
  const std::optional<double> missing = missing_in(sample, missing_);
  const std::vector<double> values = to_doubles(sample, missing);
  double* const to = place(input, filled_);
  for (std::size_t i = 0; i < size_; ++i) to[i] = values[i] == missing ? kMissing : values[i];
}

void SegmentsWindow::skip() {
  for (std::size_t input = 0; input < samples_.size(); ++input)
    std::fill_n(place(input, filled_), size_, kMissing);
  end_place();
}

void SegmentsWindow::end_place() {
  if (++filled_ < segments_.samples) return;
  end_segment();
  filled_ = segments_.are_overlapping ? segments_.samples / 2 : 0;
  for (std::vector<double>& one : samples_)
    std::copy(one.end() - static_cast<std::ptrdiff_t>(static_cast<std::size_t>(filled_) * size_), one.end(),
              one.begin());
}

void SegmentsWindow::end_segment() {
  has_segment_ = true;
  if (size_ == 0) return;
  operators::Region taken{Extents(extents_.size() + 1, 0), extents_}, made = taken;
  taken.count.push_back(segments_.samples);
  made.count.push_back(modes_);
  std::vector<operators::Part> parts;
  for (const std::vector<double>& one : samples_)
    parts.push_back({operators::Type::float64, one.data(), taken});
  std::vector<double> of_segment(sums_.size(), 0);
  compute_(parts, {operators::Type::float64, of_segment.data(), made});
  for (std::size_t i = 0; i < size_; ++i) counts_[i] += of_segment[i] != kMissing ? 1 : 0;
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += of_segment[i] != kMissing ? of_segment[i] : 0;
}

void SegmentsWindow::begin_anew() {
  has_begun_ = has_segment_ = has_even_ = false;
  uneven_ = 0;
  filled_ = 0;
}

std::optional<Array> SegmentsWindow::take_record(double) {
  const bool has_segment = has_segment_, is_uneven = uneven_ == kWrong && !has_even_;
  std::vector<double> record;
  if (has_segment) {
    record = sums_;
    for (std::size_t begin = 0; begin < record.size(); begin += size_)
      for (std::size_t i = 0; i < size_; ++i) {
        double& one = record[begin + i];
        one = counts_[i] == 0 ? kMissing : one / static_cast<double>(counts_[i]);
      }
  }
  begin_anew();
  if (!has_segment && is_uneven) {
    throw UsageError("no samples are " + shortest(segments_.interval_s) +
                     " s apart, as the interval has it: one came " + shortest(gap_s_) + " s after another");
  }
  if (!has_segment) return std::nullopt;
  Extents extents = extents_;
  extents.push_back(modes_);
  return make_array(std::move(record), std::move(extents));
}

std::size_t SegmentsWindow::most_bytes() const {
  std::size_t bytes = counts_.capacity() * sizeof(std::uint64_t) + 2 * sums_.capacity() * sizeof(double);
  for (const std::vector<double>& one : samples_) bytes += one.capacity() * sizeof(double);
  return bytes;
}

Bytes SegmentsWindow::common() const {
  Bytes bytes;
  Encoder out(bytes);
  out.put(uneven_);
  out.put(has_even_);
  out.put(has_segment_);
  out.put(filled_);
  out.put(last_end_s_);
  out.put(gap_s_);
  return bytes;
}

std::optional<WindowState> SegmentsWindow::state() const {
  if (!has_begun_) return std::nullopt;
  WindowState kept{kForm, extents_, common(), 0, {}, {}};
  Bytes element;
  for (std::size_t i = 0; i < size_; ++i) {
    element.clear();
    Encoder out(element);
    out.put(counts_[i]);
    for (std::size_t at = i; at < sums_.size(); at += size_) out.put(sums_[at]);
    for (const std::vector<double>& one : samples_)
      for (std::size_t n = 0; n < static_cast<std::size_t>(filled_); ++n) out.put(one[n * size_ + i]);
    kept.add(element);
  }
  return kept;
}

void SegmentsWindow::restore(const Extents& extents, const std::vector<WindowPiece>& pieces) {
  if (extents != extents_) throw TransportError("a window has the shape of another region");
  make_room();
  for (std::vector<double>& one : samples_) std::ranges::fill(one, kMissing);
  for (const WindowPiece& piece : pieces) {
    require_form(piece, kForm);
    require_whole(piece.state.common == pieces.front().state.common);
    Decoder in(piece.state.common);
    uneven_ = in.get<std::uint8_t>();
    has_even_ = in.get<std::uint8_t>() != 0;
    has_segment_ = in.get<std::uint8_t>() != 0;
    filled_ = in.get<std::int64_t>();
    last_end_s_ = in.get<double>();
    gap_s_ = in.get<double>();
    require_whole(uneven_ <= kWrong && filled_ >= 0 && filled_ < segments_.samples);
    for_each_element(piece, extents, [&](std::size_t i, std::span<const std::byte> bytes) {
      Decoder element(bytes);
      counts_[i] = element.get<std::uint64_t>();
      for (std::size_t at = i; at < sums_.size(); at += size_) sums_[at] = element.get<double>();
      for (std::vector<double>& one : samples_)
        for (std::size_t n = 0; n < static_cast<std::size_t>(filled_); ++n)
          one[n * size_ + i] = element.get<double>();
      require_whole(element.rest().empty());
    });
  }
}

std::unique_ptr<Window> make_segments_window(const Plan& plan, const Variable& variable,
                                             const Extents& extents, std::optional<double> missing) {
  const Rule& rule = plan[plan[variable.value].rule];
  return std::make_unique<SegmentsWindow>(variable.segments, modes_of(variable.segments), rule.inputs.size(),
                                          extents, missing, std::get<Apply>(rule.action).prepared->compute);
}

std::uint64_t segments_bytes_of_element(const Variable& variable) {
  const std::uint64_t inputs = variable.first_of_pair.is_valid() ? 2 : 1;
  return sizeof(double) * (inputs * static_cast<std::uint64_t>(variable.segments.samples) +
                           2 * static_cast<std::uint64_t>(modes_of(variable.segments)) + 1);
}

}  // namespace pileus
