// What model ranks hand over in place of fields, in random configurations and layouts: the files are the
// bytes of a run that hands over whole fields.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "core/log.h"
#include "server/testing/orders.h"
#include "server/testing/simulated_run.h"

namespace pileus::testing {
namespace {

constexpr Index kNz = 4, kNy = 40, kNx = 32;
constexpr int kSteps = 9;

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
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

/// Doubles of many magnitudes, with some that are missing, none and infinite.
double value_at(Index z, Index y, Index x, std::int64_t step, std::uint64_t salt) {
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
              as<T>(value_at(part.start[0] + z, part.start[1] + y, part.start[2] + x, step, salt));
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
    const Region plane = part_of_plane(kNy, kNx, rank, ranks, is_uneven);
    const Region part{{0, plane.start[0], plane.start[1]}, {kNz, plane.count[0], plane.count[1]}};
    client.dimension({"z", kNz, {}, ""});
    client.dimension({"y", kNy, {}, ""});
    client.dimension({"x", kNx, {}, ""});
    const auto field = [&](const char* name, ElementType type) {
      return client.field({name, type, {"z", "y", "x"}, part});
    };
    const int a = field("a", ElementType::float64), b = field("b", ElementType::float32),
              c = field("c", ElementType::int32), d = field("d", ElementType::float64);
    client.commit();
    double time = 0;
    for (int n = 1; n <= kSteps; ++n) {
      const double length = 1.5 + (n % 4);
      client.begin({n, time += length, length}, n == kSteps);
      const std::uint64_t way = salt + rank + static_cast<std::uint64_t>(n);
      hand_over<double>(client, a, ElementType::float64, part, n, way);
      hand_over<float>(client, b, ElementType::float32, part, n, way + 1);
      hand_over<std::int32_t>(client, c, ElementType::int32, part, n, way + 2);
      hand_over<double>(client, d, ElementType::float64, part, n, way + 3);
      client.end();
    }
    client.finish();
  }
};

/// A configuration of some uses of each field, of which most can be made of extracts.
struct RandomConfiguration {
  std::string diagnostics, includes;
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
    if (includes.find(include) == std::string::npos) includes += include;
  }

  static std::string text(std::uint64_t seed) {
    Random random(seed);
    RandomConfiguration one;
    std::string fields;
    for (const std::string name : {"a", "b", "c", "d"}) {
      fields += "<field name=\"" + name + "\" size=\"z,y,x\" collective=\"true\"";
      if (name != "c" && random() % 3 == 0) fields += " missing_value=\"-999.25\"";
      if (name != "c" && random() % 2 == 0) fields += " precision=\"float\"";
      if (name != "c" && random() % 3 == 0) fields += " significant_bits=\"7\"";
      if (name == "d") fields += " data_type=\"double\"";
      fields += "/>\n";
      for (std::uint64_t uses = 1 + random() % 3; uses > 0; --uses) one.add_use(name, random);
    }
    return "<io-configuration>\n<server-configuration><pushdown budget=\"10 s\"/></server-configuration>\n"
           "<data-definition name=\"state\" frequency=\"1\">\n" +
           fields + "</data-definition>\n<data-handling>\n" + one.diagnostics +
           "</data-handling>\n<data-writing>\n<file name=\"out.nc\" write_time_frequency=\"11\">\n" +
           one.includes + "</file>\n</data-writing>\n</io-configuration>\n";
  }
};

class PushdownTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }

  static std::map<std::string, std::string> files_of(const std::string& configuration, ClientRank ranks,
                                                     ServerRank servers, std::uint64_t seed, bool is_far) {
    SimulatedRun run;
    run.configuration = configuration;
    run.ranks = ranks;
    run.servers = servers;
    run.seed = seed;
    run.model = VolumeModel{ranks, seed % 2 == 0, seed % 8};
    if (is_far) {
      run.change_endpoint = [](std::unique_ptr<Endpoint> below) {
        return std::make_unique<FarEndpoint>(std::move(below));
      };
    }
    SimulatedResult result = simulate(run);
    std::filesystem::remove_all(result.directory);
    EXPECT_EQ(result.errors, "");
    bytes_ = 0;
    for (const RunReport::Client& client : result.figures.clients) bytes_ += client.end.bytes;
    return result.files;
  }

  static void expect_same(const std::map<std::string, std::string>& whole,
                          const std::map<std::string, std::string>& extracts) {
    ASSERT_EQ(whole.size(), extracts.size());
    for (const auto& [name, bytes] : whole) {
      const std::string& other = extracts.at(name);
      ASSERT_EQ(bytes.size(), other.size()) << name;
      const auto differs = std::ranges::mismatch(bytes, other).in1 - bytes.begin();
      const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, differs - 40));
      EXPECT_EQ(differs, std::ssize(bytes)) << name << "\n"
                                            << bytes.substr(from, 80) << "\n"
                                            << other.substr(from, 80);
    }
  }

  static inline std::uint64_t bytes_ = 0;  ///< that ranks handed over in the last run
};

TEST_F(PushdownTest, gives_the_bytes_of_whole_fields_whatever_the_configuration_and_the_layout) {
  std::uint64_t whole_bytes = 0, extract_bytes = 0;
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(60); ++seed) {
    const std::string configuration = RandomConfiguration::text(seed);
    const auto ranks = static_cast<ClientRank>(1 + seed % 6);
    const auto servers = static_cast<ServerRank>(1 + seed % 3);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + configuration);
    setenv("PILEUS_PUSHDOWN", "no", 1);
    const auto whole = files_of(configuration, ranks, servers, seed, false);
    whole_bytes += bytes_;
    unsetenv("PILEUS_PUSHDOWN");
    const auto extracts = files_of(configuration, ranks, servers, seed, true);
    extract_bytes += bytes_;
    ASSERT_FALSE(whole.empty());
    expect_same(whole, extracts);
    if (HasFailure()) return;
  }
  // Otherwise nothing was tried.
  EXPECT_LT(extract_bytes, whole_bytes / 4 * 3);
}

}  // namespace
}  // namespace pileus::testing
