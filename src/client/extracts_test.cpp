#include "client/extracts.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "client/client.h"
#include "client/testing/fake_server.h"
#include "core/error.h"
#include "core/rounding.h"
#include "math/partials.h"

namespace pileus {
namespace {

using Random = std::mt19937_64;

/// A tracker whose need 0 the step meets, and need 1 not.
NeedTracker needs_of_step() {
  NeedTracker needs({Need{1, 0}, Need{2, 0}}, 0.0);
  needs.advance({1, 1, 1});
  return needs;
}

/// The bytes of the place of a field, made of memory that holds rubbish.
Bytes extracts_of(const StridedArray& array, const FieldDemand& demand) {
  const Extents counts(array.counts.begin(), array.counts.end());
  require_extracts(demand, counts);
  Bytes place(extract_offsets(demand.extracts, counts).back(), std::byte{0xEE});
  write_extracts(array, demand, needs_of_step(), place.data());
  return place;
}

ExtractEntry entry_of(const Bytes& place, std::size_t i) {
  ExtractEntry entry;
  std::memcpy(&entry, place.data() + i * sizeof entry, sizeof entry);
  return entry;
}

template <class T>
std::vector<T> elements_of(const Bytes& place, std::size_t i) {
  const ExtractEntry entry = entry_of(place, i);
  std::vector<T> values(entry.size_bytes / sizeof(T));
  std::memcpy(values.data(), place.data() + entry.offset, entry.size_bytes);
  return values;
}

Partials partials_of(const Bytes& place, std::size_t i, std::size_t size) {
  const ExtractEntry entry = entry_of(place, i);
  std::span<const std::byte> in = std::span(place).subspan(entry.offset, entry.size_bytes);
  return Partials::decode(in, size);
}

ExtractDemand picked(Extents first, Extents count, Extents step, ElementType type) {
  ExtractDemand extract;
  extract.needs = {0};
  extract.type = type;
  extract.first = first;
  extract.extents = extract.count = count;
  extract.step = step;
  return extract;
}

ExtractDemand reduced(Reduction reduction, std::vector<std::int32_t> axes, Extents extents, Extents start) {
  ExtractDemand extract;
  extract.needs = {0};
  extract.is_reduced = true;
  extract.reduction = reduction;
  extract.axes = std::move(axes);
  extract.extents = extents;
  extract.start = start;
  return extract;
}

FieldDemand demand_of(std::vector<ExtractDemand> extracts, ElementType type = ElementType::float64) {
  FieldDemand demand;
  demand.name = "u";
  demand.type = type;
  demand.extracts = std::move(extracts);
  return demand;
}

/// A 3 × 4 array with a halo of one on each side: element (x, y) is 10 y + x.
struct Haloed {
  std::array<double, 5 * 6> memory{};
  std::array<Index, 2> counts{3, 4}, strides{8, 40};
  Haloed() {
    for (int y = -1; y <= 4; ++y)
      for (int x = -1; x <= 3; ++x) memory[static_cast<std::size_t>(5 * (y + 1) + x + 1)] = 10 * y + x;
  }
  StridedArray array() const {
    return {reinterpret_cast<const std::byte*>(&memory[6]), ElementType::float64, counts, strides};
  }
};

TEST(Extracts, are_elements_of_a_box_with_steps) {
  const Haloed field;
  const Bytes place =
      extracts_of(field.array(), demand_of({picked({1, 0}, {2, 2}, {1, 3}, ElementType::float64),
                                            picked({2, 0}, {1, 4}, {1, 1}, ElementType::float32)}));

  EXPECT_EQ(elements_of<double>(place, 0), (std::vector<double>{1, 2, 31, 32}));
  EXPECT_EQ(elements_of<float>(place, 1), (std::vector<float>{2, 12, 22, 32}));
}

TEST(Extracts, are_the_whole_rounded_and_cast) {
  const std::array<double, 3> values{1.0 + 0x1p-8 + 0x1p-40, -1e300, 3e-45};
  const std::array<Index, 1> counts{3};
  ExtractDemand whole;
  whole.needs = {0};
  whole.type = ElementType::float32;
  whole.significant_bits = 7;

  const Bytes place =
      extracts_of({reinterpret_cast<const std::byte*>(values.data()), ElementType::float64, counts, {}},
                  demand_of({whole}));

  // The first lies just above the middle of two numbers of 7 bits. Its cast alone would lie on the middle,
  // and would then be rounded to the even one below.
  EXPECT_EQ(elements_of<float>(place, 0),
            (std::vector<float>{1.0F + 0x1p-7F, static_cast<float>(-1e300), 2 * 0x1p-149F}));
}

TEST(Extracts, that_a_step_does_not_need_are_not_there) {
  const Haloed field;
  ExtractDemand other = picked({0, 0}, {3, 1}, {1, 1}, ElementType::float64);
  other.needs = {1};

  const Bytes place =
      extracts_of(field.array(), demand_of({other, picked({0, 3}, {3, 1}, {1, 1}, ElementType::float64)}));

  EXPECT_EQ(entry_of(place, 0).offset, 0U);
  EXPECT_EQ(elements_of<double>(place, 1), (std::vector<double>{30, 31, 32}));
}

/// Numbers of all magnitudes, of which some sums fit into no columns.
double wild(Random& random) {
  if (random() % 9 == 0) return -999.25;
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
  return std::ldexp(unit, static_cast<int>(random() % 2000) - 1000);
}

template <class T>
void expect_right_partials(ElementType type, Random& random) {
  const auto up_to_9 = [&] { return 1 + static_cast<Index>(random() % 9); };
  const std::array<Index, 3> counts{up_to_9(), up_to_9(), up_to_9()};
  const Index gap = static_cast<Index>(random() % 3), step = 1 + static_cast<Index>(random() % 2);
  const Index line = (counts[0] * step + gap) * static_cast<Index>(sizeof(T));
  const std::array<Index, 3> strides{step * static_cast<Index>(sizeof(T)), line, line * (counts[1] + gap)};
  const auto shift = static_cast<std::size_t>(random() % 3 == 0 ? 1 : 0);  // odd addresses
  std::vector<std::byte> memory(static_cast<std::size_t>(strides[2] * counts[2]) + 8);
  ExtractDemand extract = reduced(random() % 2 == 0 ? Reduction::sum : Reduction::max, {}, {}, {});
  if (random() % 2 == 0) extract.missing = -999.25;
  for (std::size_t d = 0; d < 3; ++d) {
    if (random() % 2 == 0) {
      extract.axes.push_back(static_cast<std::int32_t>(d));
    } else {
      extract.start.push_back(static_cast<Index>(random() % 3));
      extract.extents.push_back(extract.start.back() + counts[d] + static_cast<Index>(random() % 2));
    }
  }
  const auto size = static_cast<std::size_t>(Region{{}, extract.extents}.size());
  std::vector<Partial> expected(size, Partial(extract.reduction));
  for (Index z = 0; z < counts[2]; ++z) {
    for (Index y = 0; y < counts[1]; ++y) {
      for (Index x = 0; x < counts[0]; ++x) {
        const T value = std::is_integral_v<T> ? static_cast<T>(random() % 256) : static_cast<T>(wild(random));
        const Index at = x * strides[0] + y * strides[1] + z * strides[2];
        std::memcpy(memory.data() + shift + static_cast<std::size_t>(at), &value, sizeof(T));
        const std::array<Index, 3> index{x, y, z};
        std::size_t target = 0, stride = 1;
        for (std::size_t d = 0, kept = 0; d < 3; ++d) {
          if (std::ranges::count(extract.axes, static_cast<std::int32_t>(d)) > 0) continue;
          target += stride * static_cast<std::size_t>(extract.start[kept] + index[d]);
          stride *= static_cast<std::size_t>(extract.extents[kept++]);
        }
        const std::span<const T> one(&value, 1);
        extract.missing ? expected[target].add_present(one, *extract.missing) : expected[target].add(one);
      }
    }
  }
  const Bytes place = extracts_of({memory.data() + shift, type, counts, strides}, demand_of({extract}, type));
  const Partials partials = partials_of(place, 0, size);
  EXPECT_EQ(partials.reduction(), extract.reduction);
  const auto bytes = [](const Partial& partial) {
    Bytes out;
    partial.encode(out);
    return out;
  };
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(bytes(partials[i]), bytes(expected[i])) << i;
}

TEST(Extracts, are_the_partials_of_their_elements_however_these_lie) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    expect_right_partials<double>(ElementType::float64, random);
    expect_right_partials<float>(ElementType::float32, random);
    expect_right_partials<std::int32_t>(ElementType::int32, random);
    expect_right_partials<std::int64_t>(ElementType::int64, random);
    if (HasFailure()) return;
  }
}

TEST(Extracts, of_a_model_that_holds_another_type_are_those_of_the_type_on_the_wire) {
  // As doubles the number is another one; as a float that is rounded once it would be a third.
  const std::array<std::int64_t, 1> value{(std::int64_t{1} << 61) + (std::int64_t{1} << 37) + 1};
  const std::array<Index, 1> counts{1};
  ExtractDemand whole;
  whole.needs = {0};
  whole.type = ElementType::float32;
  const StridedArray array{reinterpret_cast<const std::byte*>(value.data()), ElementType::int64, counts, {}};

  const Bytes place = extracts_of(array, demand_of({whole, reduced(Reduction::sum, {0}, {}, {})}));

  EXPECT_EQ(elements_of<float>(place, 0)[0], static_cast<float>(static_cast<double>(value[0])));
  EXPECT_EQ(partials_of(place, 1, 1).values()[0], static_cast<double>(value[0]));
}

TEST(Extracts, leave_no_byte_of_old_memory) {
  Random random(3);
  const Haloed field;
  ExtractDemand unwanted = picked({0, 0}, {3, 4}, {1, 1}, ElementType::float64);
  unwanted.needs = {1};

  const Bytes place =
      extracts_of(field.array(), demand_of({reduced(Reduction::sum, {0, 1}, {}, {}), unwanted,
                                            picked({0, 1}, {1, 1}, {1, 1}, ElementType::float64)}));

  for (std::size_t i = 0; i < place.size(); ++i) EXPECT_NE(place[i], std::byte{0xEE}) << i;
}

TEST(Extracts, that_cannot_be_made_of_a_part_are_refused) {
  const Extents part{3, 4};
  const auto is_refused = [&](ExtractDemand extract) {
    try {
      require_extracts(demand_of({std::move(extract)}), part);
    } catch (const TransportError&) {
      return true;
    }
    return false;
  };
  const ElementType type = ElementType::float64;

  EXPECT_FALSE(is_refused(picked({2, 3}, {1, 1}, {1, 1}, type)));
  EXPECT_FALSE(is_refused(picked({0, 0}, {0, 0}, {1, 1}, type)));
  EXPECT_TRUE(is_refused(picked({3, 0}, {1, 1}, {1, 1}, type)));
  EXPECT_TRUE(is_refused(picked({-1, 0}, {1, 1}, {1, 1}, type)));
  EXPECT_TRUE(is_refused(picked({0, 0}, {3, 3}, {1, 2}, type)));
  EXPECT_TRUE(is_refused(picked({0, 0}, {2, 2}, {1, INT64_MAX}, type)));
  EXPECT_TRUE(is_refused(picked({0, 0}, {1, 1}, {1, 0}, type)));
  EXPECT_TRUE(is_refused(picked({0}, {1}, {1}, type)));
  EXPECT_TRUE(is_refused(picked({0, 0}, {1, 1}, {1, 1}, ElementType::int32)));
  EXPECT_FALSE(is_refused(reduced(Reduction::sum, {0}, {9}, {5})));
  EXPECT_TRUE(is_refused(reduced(Reduction::sum, {0}, {9}, {6})));
  EXPECT_TRUE(is_refused(reduced(Reduction::sum, {0}, {9}, {-1})));
  EXPECT_TRUE(is_refused(reduced(Reduction::sum, {}, {9}, {0})));
  EXPECT_TRUE(is_refused(reduced(Reduction::sum, {}, {INT64_MAX, INT64_MAX}, {0, 0})));
  EXPECT_TRUE(is_refused(reduced(Reduction::variance, {0, 1}, {}, {})));
}

// ---- in a parcel ----

class ClientOfExtracts : public testing::Test {
 protected:
  void start(bool is_far, bool needs_far) {
    server.is_far = is_far;
    client.emplace(server, 1, 0);
    client->field({"u", ElementType::float64, {}, {{0, 0}, {3, 4}}});
    FieldDemand demand = demand_of({picked({1, 2}, {2, 1}, {1, 1}, ElementType::float64)});
    demand.needs = {0};
    demand.is_for_far_servers = needs_far;
    server.reply_demand(demand_for({demand}));
    client->commit();
    server.sent.clear();
  }
  Held held() const { return server.sent.at(1).entry(0).held; }
  std::vector<double> elements() const {
    const SentMessage& parcel = server.sent.at(1);
    const FieldEntry entry = parcel.entry(0);
    return elements_of<double>(
        {parcel.bytes.begin() + static_cast<std::ptrdiff_t>(entry.offset), parcel.bytes.end()}, 0);
  }
  FakeServer server;
  std::optional<Client> client;
  const Haloed field;
};

TEST_F(ClientOfExtracts, hands_them_over_in_place_of_the_field) {
  start(false, false);
  client->begin({1, 1, 1}, false);
  client->put(0, field.array());
  client->end();

  EXPECT_EQ(held(), Held::extracts);
  EXPECT_EQ(elements(), (std::vector<double>{21, 22}));
}

TEST_F(ClientOfExtracts, hands_those_for_far_servers_over_to_these_alone) {
  start(false, true);
  client->begin({1, 1, 1}, false);
  client->put(0, field.array());
  client->end();
  EXPECT_EQ(held(), Held::whole);

  server.sent.clear();
  server.replies.clear();
  start(true, true);
  client->begin({1, 1, 1}, false);
  client->put(0, field.array());
  client->end();
  EXPECT_EQ(held(), Held::extracts);
}

TEST_F(ClientOfExtracts, makes_them_of_a_field_that_comes_in_parts_once_it_is_whole) {
  start(false, false);
  const auto put_part = [&](Index part) {
    const StridedArray whole = field.array();
    client->put_part(0, part,
                     {whole.first + part * whole.byte_strides[1], whole.type, whole.counts.first(1),
                      whole.byte_strides.first(1)});
  };
  client->begin({1, 1, 1}, false);
  for (const Index part : {2, 0, 3, 1}) put_part(part);
  client->end();
  EXPECT_EQ(elements(), (std::vector<double>{21, 22}));

  server.sent.clear();
  client->begin({2, 2, 1}, false);
  for (const Index part : {0, 1, 3}) put_part(part);
  EXPECT_EQ(client->end(), (std::vector<std::string>{"u, part 3 of 4"}));
  EXPECT_EQ(held(), Held::nothing);

  server.sent.clear();
  client->begin({3, 3, 1}, false);
  client->put(0, field.array());
  client->end();
  EXPECT_EQ(elements(), (std::vector<double>{21, 22}));
}

}  // namespace
}  // namespace pileus
