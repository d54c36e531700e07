#include "formats/grib/level.h"

#include <libaec.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "formats/grib/octets.h"

namespace pileus::grib {
namespace {

// What ecCodes writes, too.
constexpr unsigned kBlockSize = 32, kReferenceInterval = 128;
constexpr std::uint8_t kFlagsInMessage = AEC_DATA_PREPROCESS | AEC_DATA_MSB | AEC_DATA_3BYTE;
constexpr int kLowestExponent = -1000;

/// How whole numbers become values.
struct Scale {
  float reference = 0;  ///< R
  int binary = 0;       ///< E
  int decimal = 0;      ///< D
  int bits = 0;

  double step() const { return std::ldexp(1.0, binary); }
};

/// 10^D as readers have it.
double power_of_ten(int exponent) {
  double power = 1;
  for (int i = 0; i < std::abs(exponent); ++i) power *= 10;
  return exponent < 0 ? 1 / power : power;
}

/// The largest float that is not above; none of those below the normal ones.
float float_below(double value) {
  auto below = static_cast<float>(value);
  if (static_cast<double>(below) > value) below = std::nextafter(below, -FLT_MAX);
  if (below != 0 && std::abs(below) < FLT_MIN) return value < 0 ? -FLT_MIN : 0;
  return below;
}

/// The smallest binary exponent with which so many bits reach from 0 to the range.
int exponent_for(double range, int bits) {
  const double most = std::ldexp(1.0, bits) - 1;
  int exponent = 0;
  std::frexp(range, &exponent);
  exponent = std::max(exponent - bits - 1, kLowestExponent);
  while (std::ldexp(range, -exponent) > most) ++exponent;
  return exponent;
}

/// `least`, `most`: of the values times 10^D. `first`: one of the values.
Scale scale_of(double least, double most, double first, const Compression& compression) {
  Scale scale;
  if (least == most) {
    // Without bits readers differ in whether they take D (ecCodes 2.28 does not, with CCSDS).
    const auto nearest = static_cast<float>(first);
    const double error = std::abs(static_cast<double>(nearest) - first);
    if (!compression.decimals || error * power_of_ten(*compression.decimals) <= 0.5) {
      scale.reference = std::abs(nearest) < FLT_MIN ? 0 : nearest;
      return scale;
    }
  }
  scale.decimal = compression.decimals.value_or(0);
  if (compression.decimals) {
    scale.bits = 1;
    const double whole = std::floor(least);
    scale.reference = std::abs(whole) <= 0x1p24 ? static_cast<float>(whole) : float_below(least);
    const double range = std::floor(most - scale.reference + 0.5);
    while (scale.bits < kMostBits && std::ldexp(1.0, scale.bits) - 1 < range) ++scale.bits;
    if (std::ldexp(1.0, scale.bits) - 1 < range) scale.binary = exponent_for(range, scale.bits);
    return scale;
  }
  scale.bits = compression.bits;
  scale.reference = float_below(least);
  scale.binary = exponent_for(most - scale.reference, scale.bits);
  return scale;
}

std::vector<std::uint32_t> whole_numbers(const std::vector<double>& values, const Scale& scale) {
  std::vector<std::uint32_t> whole(values.size(), 0);
  if (scale.bits == 0) return whole;
  const double power = power_of_ten(scale.decimal), by = 1 / scale.step();
  const double most = std::ldexp(1.0, scale.bits) - 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double steps = (values[i] * power - scale.reference) * by;
    whole[i] = static_cast<std::uint32_t>(std::clamp(std::floor(steps + 0.5), 0.0, most));
  }
  return whole;
}

/// Sums squares with twice the digits, so that nothing of them is lost.
class Squares {
 public:
  void add(double value) {
    const double square = value * value, rest = std::fma(value, value, -square);
    const double sum = high_ + square, back = sum - high_;
    low_ += ((high_ - (sum - back)) + (square - back)) + rest;
    high_ = sum;
  }
  double mean(std::size_t count) const { return (high_ + low_) / static_cast<double>(count); }

 private:
  double high_ = 0, low_ = 0;
};

/// By reading what was written, as readers do.
Loss loss_of(const std::vector<double>& values, const std::vector<std::uint32_t>& whole, const Scale& scale,
             std::size_t all) {
  Loss loss;
  loss.missing = static_cast<std::int64_t>(all - values.size());
  if (values.empty()) return loss;
  const double step = scale.step(), power = power_of_ten(-scale.decimal);
  Squares squares;
  double largest_value = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double read = (static_cast<double>(whole[i]) * step + static_cast<double>(scale.reference)) * power;
    const double error = std::abs(read - values[i]);
    loss.largest = std::max(loss.largest, error);
    squares.add(error);
    largest_value = std::max(largest_value, std::abs(values[i]));
  }
  loss.rms = std::sqrt(squares.mean(values.size()));
  const double half = scale.bits > 0 ? 0.5 * step : std::max(largest_value * 0x1p-24, FLT_MIN * 1.0);
  loss.bound = half * power + largest_value * 0x1p-51;
  return loss;
}

std::vector<std::uint8_t> as_bits(const std::vector<std::uint32_t>& whole, int bits) {
  std::vector<std::uint8_t> out;
  out.reserve((whole.size() * static_cast<std::size_t>(bits) + 7) / 8);
  std::uint64_t held = 0;
  int count = 0;
  for (const std::uint32_t one : whole) {
    held = held << static_cast<unsigned>(bits) | one;
    count += bits;
    for (; count >= 8; count -= 8)
      out.push_back(static_cast<std::uint8_t>(held >> static_cast<unsigned>(count - 8)));
  }
  if (count > 0) out.push_back(static_cast<std::uint8_t>(held << static_cast<unsigned>(8 - count)));
  return out;
}

template <class Sample>
std::vector<std::uint8_t> compressed_as(const std::vector<std::uint32_t>& whole, int bits) {
  std::vector<Sample> samples(whole.size());
  std::ranges::transform(whole, samples.begin(), [](std::uint32_t one) { return static_cast<Sample>(one); });
  std::vector<std::uint8_t> out(samples.size() * sizeof(Sample) * 67 / 64 + 256);  // libaec's bound
  aec_stream stream = {};
  stream.bits_per_sample = static_cast<unsigned>(bits);
  stream.block_size = kBlockSize;
  stream.rsi = kReferenceInterval;
  stream.flags = AEC_DATA_PREPROCESS | (std::endian::native == std::endian::big ? AEC_DATA_MSB : 0U);
  stream.next_in = reinterpret_cast<const unsigned char*>(samples.data());
  stream.avail_in = samples.size() * sizeof(Sample);
  stream.next_out = out.data();
  stream.avail_out = out.size();
  if (const int status = aec_buffer_encode(&stream); status != AEC_OK)
    throw OutputError("CCSDS could not compress: libaec says " + std::to_string(status));
  out.resize(stream.total_out);
  return out;
}

std::vector<std::uint8_t> compressed(const std::vector<std::uint32_t>& whole, int bits) {
  if (bits <= 8) return compressed_as<std::uint8_t>(whole, bits);
  return bits <= 16 ? compressed_as<std::uint16_t>(whole, bits) : compressed_as<std::uint32_t>(whole, bits);
}

void put_section_5(Octets& out, const Scale& scale, std::size_t count, bool is_ccsds) {
  out.put(is_ccsds ? 25 : 21, 4);
  out.put(5, 1);
  out.put(count, 4);
  out.put(is_ccsds ? 42 : 0, 2);
  out.put(std::bit_cast<std::uint32_t>(scale.reference), 4);
  out.put_signed(scale.binary, 2);
  out.put_signed(scale.decimal, 2);
  out.put(static_cast<std::uint64_t>(scale.bits), 1);
  out.put(0, 1);  // floating-point numbers
  if (!is_ccsds) return;
  out.put(kFlagsInMessage, 1);
  out.put(kBlockSize, 1);
  out.put(kReferenceInterval, 2);
}

void put_section_6(Octets& out, const std::vector<bool>& is_there, bool has_all) {
  constexpr unsigned kNone = 255;
  out.put(6 + (has_all ? 0 : (is_there.size() + 7) / 8), 4);
  out.put(6, 1);
  out.put(has_all ? kNone : 0, 1);
  if (has_all) return;
  for (std::size_t i = 0; i < is_there.size(); i += 8) {
    unsigned octet = 0;
    for (std::size_t k = 0; k < 8; ++k)
      octet = octet << 1U | (i + k < is_there.size() && is_there[i + k] ? 1U : 0U);
    out.put(octet, 1);
  }
}

template <class T>
void take_numbers(std::span<const std::byte> elements, ElementType type, std::vector<double>& out) {
  const T missing = std::visit([](auto one) { return static_cast<T>(one); }, missing_value(type));
  for (std::size_t at = 0; at < elements.size(); at += sizeof(T)) {
    T one;
    std::memcpy(&one, elements.data() + at, sizeof one);
    out.push_back(one == missing ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(one));
  }
}

}  // namespace

std::vector<double> numbers_of(std::span<const std::byte> elements, ElementType type) {
  std::vector<double> out;
  out.reserve(elements.size() / size_bytes(type));
  switch (type) {
    case ElementType::float64: take_numbers<double>(elements, type, out); break;
    case ElementType::float32: take_numbers<float>(elements, type, out); break;
    case ElementType::int32: take_numbers<std::int32_t>(elements, type, out); break;
    case ElementType::int64: take_numbers<std::int64_t>(elements, type, out); break;
    case ElementType::boolean: take_numbers<std::int8_t>(elements, type, out); break;
    case ElementType::character: throw UsageError("texts have no place in messages of GRIB");
  }
  return out;
}

PackedChunk pack_level(std::span<const double> values, const Compression& compression) {
  const double power = power_of_ten(compression.decimals.value_or(0));
  std::vector<bool> is_there(values.size());
  std::vector<double> numbers;
  numbers.reserve(values.size());
  double least = 0, most = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double scaled = values[i] * power;
    is_there[i] = std::abs(scaled) <= static_cast<double>(FLT_MAX) && std::isfinite(values[i]);
    if (!is_there[i]) continue;
    least = numbers.empty() ? scaled : std::min(least, scaled);
    most = numbers.empty() ? scaled : std::max(most, scaled);
    numbers.push_back(values[i]);
  }
  const bool is_ccsds = compression.codec == &codecs::ccsds();
  Scale scale;
  if (!numbers.empty()) scale = scale_of(least, most, numbers[0], compression);
  const std::vector<std::uint32_t> whole = whole_numbers(numbers, scale);
  Octets out;
  put_section_5(out, scale, numbers.size(), is_ccsds);
  put_section_6(out, is_there, numbers.size() == values.size());
  std::vector<std::uint8_t> data;
  if (scale.bits > 0) data = is_ccsds ? compressed(whole, scale.bits) : as_bits(whole, scale.bits);
  out.put(5 + data.size(), 4);
  out.put(7, 1);
  out.put_all(std::as_bytes(std::span(data)));
  PackedChunk packed{out.take(), 0};
  packed.loss = loss_of(numbers, whole, scale, values.size());
  return packed;
}

}  // namespace pileus::grib
