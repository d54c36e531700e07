#pragma once
// A model on a volume and random configurations for it: most uses of fields can be made of what model ranks
// hand over in place of them.

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "server/testing/simulated_run.h"

namespace pileus::testing {

inline constexpr Index kVolumeNz = 4, kVolumeNy = 40, kVolumeNx = 32;

using Random = std::mt19937_64;

/// As if every peer were on another node.
class FarEndpoint : public Endpoint {
 public:
  explicit FarEndpoint(std::unique_ptr<Endpoint> below) : below_(std::move(below)) {}
  Peer self() const override { return below_->self(); }
  Peer size() const override { return below_->size(); }
  bool is_near(Peer) const override { return false; }
  void set_budget(Peer to, std::size_t bytes) override { below_->set_budget(to, bytes); }
  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override {
    return below_->claim(to, channel, bytes);
  }
  void commit(std::unique_ptr<Slot> slot) override { below_->commit(std::move(slot)); }
  std::shared_ptr<Message> receive() override { return below_->receive(); }
  void rest(std::chrono::microseconds limit) override { below_->rest(limit); }
  bool is_all_sent() override { return below_->is_all_sent(); }
  bool has_anything_under_way() const override { return below_->has_anything_under_way(); }

 private:
  std::unique_ptr<Endpoint> below_;
};

/// Mixes all bits of a number; the finalizer of SplitMix64.
inline std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

/// Doubles of many magnitudes, with some that are missing, none and infinite.
inline double volume_value_at(Index z, Index y, Index x, std::int64_t step, std::uint64_t salt) {
  const auto place = static_cast<std::uint64_t>(((z * 64 + y) * 64 + x) * 64 + step);
  const std::uint64_t random = mixed((place << 8) + salt + 1);
  const std::uint64_t kind = random % 400;
  if (kind == 0) return -999.25;
  if (kind == 1 && salt % 5 == 0) return std::numeric_limits<double>::quiet_NaN();
  if (kind == 2 && salt % 7 == 0) return 1e300;
  if (kind == 3) return 1e-310;
  const double unit = static_cast<double>(random >> 11) * 0x1p-53;
  return (unit - 0.4) * std::pow(10.0, static_cast<double>(mixed(random) % 30) - 12.0);
}

/// Hands a double, a float and a whole number over on a z,y,x volume. Some ranks have arrays with halos, and
/// some hand fields over in parts.
struct VolumeModel {
  ClientRank ranks = 1;
  bool is_uneven = false;
  std::uint64_t salt = 0;
  std::int64_t steps = 9;
  std::function<bool(int field, std::int64_t step)> leaves_out = {};  ///< optional fields, from 0
  std::function<void(std::int64_t step, ClientRank rank)> before_step = {};
  bool puts_from_threads = false;
  std::int64_t checkpoint = -1;  ///< the step after which the state is kept
  std::optional<std::int64_t> continue_after = {};

  template <class T>
  void hand_over(Client& client, int field, ElementType type, const Region& part, std::int64_t step,
                 std::uint64_t way) const {
    if (!client.wanted(field)) return;
    const Index halo = way % 3 == 0 ? 2 : 0;
    const Extents lines{part.count[0] + halo, part.count[1] + halo, part.count[2]};
    std::vector<T> values(static_cast<std::size_t>(lines[0] * lines[1] * lines[2]) + 1);
    for (Index x = 0; x < part.count[2]; ++x)
      for (Index y = 0; y < part.count[1]; ++y)
        for (Index z = 0; z < part.count[0]; ++z)
          values[static_cast<std::size_t>(z + lines[0] * (y + lines[1] * x))] =
              as<T>(volume_value_at(part.start[0] + z, part.start[1] + y, part.start[2] + x, step, salt));
    const Index size = sizeof(T);
    const std::array<Index, 3> strides{size, size * lines[0], size * lines[0] * lines[1]};
    const auto* first = reinterpret_cast<const std::byte*>(values.data());
    if (way % 4 != 1) return client.put(field, StridedArray{first, type, part.count, strides});
    for (Index i = part.count[2]; i-- > 0;)
      client.put_part(
          field, i,
          {first + i * strides[2], type, std::span(part.count).first(2), std::span(strides).first(2)});
  }

  template <class T>
  static T as(double value) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(std::fmod(std::isfinite(value) ? value : 1.0, 1e9));
    } else {
      return static_cast<T>(value);
    }
  }

  void operator()(Client& client, ClientRank rank) const {
    const Region plane = part_of_plane(kVolumeNy, kVolumeNx, rank, ranks, is_uneven);
    const Region part{{0, plane.start[0], plane.start[1]}, {kVolumeNz, plane.count[0], plane.count[1]}};
    client.dimension({"z", kVolumeNz, {}, ""});
    client.dimension({"y", kVolumeNy, {}, ""});
    client.dimension({"x", kVolumeNx, {}, ""});
    const std::array types{ElementType::float64, ElementType::float32, ElementType::int32,
                           ElementType::float64};
    for (std::size_t f = 0; f < types.size(); ++f)
      client.field({std::string(1, static_cast<char>('a' + f)), types[f], {"z", "y", "x"}, part});
    if (continue_after) client.continue_after(*continue_after);
    client.commit();
    double time = 0;
    for (std::int64_t n = 1; n <= steps; ++n) {
      const double length = 1.5 + static_cast<double>(n % 4);
      Step step{n, time += length, length};
      if (n <= continue_after.value_or(0)) continue;
      if (before_step) before_step(n, rank);
      step.is_checkpoint = n == checkpoint;
      client.begin(step, n == steps, puts_from_threads);
      hand_all_over(client, part, n, salt + rank + static_cast<std::uint64_t>(n));
      client.end();
    }
    client.finish();
  }

 private:
  void hand_all_over(Client& client, const Region& part, std::int64_t step, std::uint64_t way) const {
    const std::array<std::function<void()>, 4> puts{
        [&] { hand_over<double>(client, 0, ElementType::float64, part, step, way); },
        [&] { hand_over<float>(client, 1, ElementType::float32, part, step, way + 1); },
        [&] { hand_over<std::int32_t>(client, 2, ElementType::int32, part, step, way + 2); },
        [&] { hand_over<double>(client, 3, ElementType::float64, part, step, way + 3); }};
    std::vector<std::thread> threads;
    for (std::size_t f = 0; f < puts.size(); ++f) {
      if (leaves_out && leaves_out(static_cast<int>(f), step)) continue;
      if (puts_from_threads) {
        threads.emplace_back(puts[f]);
      } else {
        puts[f]();
      }
    }
    for (std::thread& thread : threads) thread.join();
  }
};

/// A configuration of some uses of each field, of which most can be made of extracts.
struct RandomConfiguration {
  std::string diagnostics, includes, averaged;
  int made = 0;

  void add_use(const std::string& field, Random& random) {
    const std::string name = field + std::to_string(made++);
    const char* const dimensions[] = {"y,x", "z,y,x", "x", "z"};
    const char* const reductions[] = {"mean", "sum", "min", "max", "count", "var"};
    const std::string reduction = reductions[random() % (random() % 4 == 0 ? 6 : 5)];
    const std::uint64_t kind = random() % 10;
    if (kind < 5) {
      diagnostics += "<diagnostic field=\"" + name + "\" expression=\"" + reduction + "[" +
                     dimensions[random() % 4] + "](" + field + ")\"/>\n";
    } else if (kind < 7) {
      diagnostics += "<diagnostic field=\"" + name + "\"><operator name=\"field_coarsener\" field=\"" +
                     field + "\" dimension=\"y,x\" period=\"" + std::to_string(2 + random() % 3) + "," +
                     std::to_string(1 + random() % 5) + "\" result=\"" + name + "\"/></diagnostic>\n";
    } else if (kind < 9) {
      diagnostics += "<diagnostic field=\"" + name + "\"><operator name=\"field_slicer\" field=\"" + field +
                     "\" dimension=\"" + (random() % 2 == 0 ? "z\" index=\"2" : "x\" index=\"7") +
                     "\" result=\"" + name + "\"/></diagnostic>\n";
    }
    const std::string written = kind < 9 ? name : field;
    const char* const times[] = {"none", "instantaneous\" output_frequency=\"4",
                                 "averaged\" output_frequency=\"6"};
    const std::string include =
        "<include field=\"" + written + "\" time_manipulation=\"" + times[random() % 3] + "\"/>\n";
    std::string& of_file = include.find("averaged") == std::string::npos ? includes : averaged;
    if (of_file.find(include) == std::string::npos) of_file += include;
  }

  /// `server`: elements of the server's configuration; `of_files`: attributes of the file of what
  /// is not averaged, which then has one of its own.
  static std::string text(std::uint64_t seed, const std::string& server = "",
                          const std::string& of_files = "", bool has_optional = false) {
    Random random(seed);
    RandomConfiguration one;
    std::string fields;
    for (const std::string name : {"a", "b", "c", "d"}) {
      fields += "<field name=\"" + name + "\" size=\"z,y,x\" collective=\"true\"";
      if (name != "c" && random() % 3 == 0) fields += " missing_value=\"-999.25\"";
      if (name != "c" && random() % 2 == 0) fields += " precision=\"float\"";
      if (name != "c" && random() % 3 == 0) fields += " significant_bits=\"7\"";
      if (name == "d") fields += " data_type=\"double\"";
      if (has_optional && name != "a") fields += " optional=\"true\"";
      fields += "/>\n";
      for (std::uint64_t uses = 1 + random() % 3; uses > 0; --uses) one.add_use(name, random);
    }
    return "<io-configuration>\n<server-configuration><pushdown budget=\"10 s\"/>" + server +
           "</server-configuration>\n"
           "<data-definition name=\"state\" frequency=\"1\">\n" +
           fields + "</data-definition>\n<data-handling>\n" + one.diagnostics +
           "</data-handling>\n<data-writing>\n" +
           (of_files.empty() ? file("out", "", one.includes + one.averaged)
                             : file("out", of_files, one.includes) + file("means", "", one.averaged)) +
           "</data-writing>\n</io-configuration>\n";
  }
  static std::string file(const std::string& name, const std::string& attributes,
                          const std::string& variables) {
    if (variables.empty()) return "";
    return "<file name=\"" + name + ".nc\" write_time_frequency=\"11\"" + attributes + ">\n" + variables +
           "</file>\n";
  }
};

}  // namespace pileus::testing
