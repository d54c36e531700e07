#include "streams/read_parcel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <utility>

#include "client/extracts.h"
#include "client/frames.h"
#include "core/encoder.h"
#include "core/error.h"

namespace pileus {
namespace {

class FakeMessage : public Message {
 public:
  explicit FakeMessage(Bytes bytes) : bytes_(std::move(bytes)) {}
  Peer from() const override { return 0; }
  std::span<const std::byte> bytes() const override { return bytes_; }

 private:
  Bytes bytes_;
};

/// One group of three fields; rank 1 holds two numbers of u, three of v and a scalar dt.
Plan small_plan() {
  Plan plan;
  plan.groups = {{"silent", 1, {}}, {"fields", 2, {FieldId(1), FieldId(0), FieldId(2)}}};
  plan.fields = {{"v", GroupId(1), ElementType::float32, ValueId(0), false, true},
                 {"u", GroupId(1), ElementType::float64, ValueId(1), false, true},
                 {"dt", GroupId(1), ElementType::int32, ValueId(2), true, true}};
  plan.regions = std::vector<std::vector<Region>>{{{{0}, {9}}, {{0}, {9}}, {{}, {}}},
                                                  {{{9}, {3}}, {{4}, {2}}, {{}, {}}}};
  return plan;
}

/// A parcel of rank 1 that is right: u at 128, v at 192, dt was not put.
struct Sent {
  ParcelHeader header;
  std::vector<FieldEntry> entries;
  std::size_t length = 204;

  Sent() {
    header.group = 1;
    header.step = {6, 30, 5};
    header.start_time_s = 2;
    header.field_count = 3;
    for (const FieldEntry& entry :
         {FieldEntry{0, Held::whole, 128, 16}, {1, Held::whole, 192, 12}, {2, Held::nothing, 0, 0}})
      entries.push_back(entry);
  }
  std::shared_ptr<const Message> message() const {
    Bytes bytes(256);
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, entries.data(), entries.size() * sizeof(FieldEntry));
    const std::vector<double> u = {1.5, -2};
    const std::vector<float> v = {7, 8, 9};
    std::memcpy(bytes.data() + 128, u.data(), 16);
    std::memcpy(bytes.data() + 192, v.data(), 12);
    bytes.resize(length);
    return std::make_shared<FakeMessage>(std::move(bytes));
  }
  std::string refusal() const {
    try {
      read_parcel(small_plan(), 1, {}, message());
    } catch (const TransportError& error) {
      return error.what();
    }
    return "";
  }
};

static_assert(sizeof(ParcelHeader) + 3 * sizeof(FieldEntry) <= 128);

/// The first multiple of 64 behind the entries.
Sent right_parcel() {
  Sent sent;
  const std::size_t first = (sizeof(ParcelHeader) + 3 * sizeof(FieldEntry) + 63) / 64 * 64;
  EXPECT_EQ(first, 128U);
  return sent;
}

TEST(ReadParcel, finds_the_fields_that_were_put_and_those_that_were_not) {
  const Parcel parcel = read_parcel(small_plan(), 1, {}, right_parcel().message());

  EXPECT_EQ(parcel.group, GroupId(1));
  EXPECT_EQ(parcel.step, (Step{6, 30, 5}));
  EXPECT_EQ(parcel.start_time_s, 2);
  ASSERT_EQ(parcel.fields.size(), 3U);
  EXPECT_EQ(parcel.fields[0].first, FieldId(1));
  const auto& u = std::get<Array>(parcel.fields[0].second);
  EXPECT_EQ(u.extents, (std::vector<Index>{2}));
  EXPECT_EQ(u.as<double>()[1], -2);
  EXPECT_EQ(parcel.fields[1].first, FieldId(0));
  const auto& v = std::get<Array>(parcel.fields[1].second);
  EXPECT_EQ(v.type, ElementType::float32);
  EXPECT_EQ(v.as<float>()[2], 9);
  EXPECT_EQ(parcel.fields[2].first, FieldId(2));
  EXPECT_TRUE(is_absent(parcel.fields[2].second));
}

TEST(ReadParcel, its_fields_keep_the_message_and_let_it_go) {
  std::shared_ptr<const Message> message = right_parcel().message();
  const std::weak_ptr<const Message> watch = message;
  Parcel parcel = read_parcel(small_plan(), 1, {}, std::move(message));
  parcel.fields.pop_back();
  parcel.fields.pop_back();

  EXPECT_FALSE(watch.expired());
  parcel.fields.clear();

  EXPECT_TRUE(watch.expired());
}

TEST(ReadParcel, a_parcel_without_fields_is_a_step) {
  Sent sent;
  sent.header.group = 0;
  sent.header.field_count = 0;
  sent.length = sizeof(ParcelHeader);

  EXPECT_TRUE(read_parcel(small_plan(), 1, {}, sent.message()).fields.empty());
}

TEST(ReadParcel, every_truncation_is_refused) {
  for (std::size_t length = 0; length < 204; ++length) {
    Sent sent = right_parcel();
    sent.length = length;

    EXPECT_TRUE(sent.refusal().starts_with("model rank 1 sent a parcel that ")) << length;
  }
}

TEST(ReadParcel, what_is_lent_is_refused_where_nothing_can_be_read) {
  Sent sent = right_parcel();
  sent.entries[0].held = Held::first_loan;
  EXPECT_EQ(sent.refusal(),
            "model rank 1 sent a parcel that lends \"u\" where it cannot: there is no loan of it");

  Lender lender;
  EXPECT_THROW(read_parcel(small_plan(), 1, {}, sent.message(), &lender), TransportError) << "not asked";
  lender.is_readable(own_copy_probe());
  EXPECT_EQ(read_parcel(small_plan(), 1, {}, sent.message(), &lender).lent.size(), 1U);
  sent.entries[0].held = held_by_loan(100);
  EXPECT_THROW(read_parcel(small_plan(), 1, {}, sent.message(), &lender), TransportError) << "beyond the end";
}

TEST(ReadParcel, an_unknown_group_and_an_unknown_field_are_refused) {
  Sent group, field;
  group.header.group = 2;
  field.entries[1].field = 3;

  EXPECT_EQ(group.refusal(), "model rank 1 sent a parcel that is of an unknown group");
  EXPECT_EQ(field.refusal(), "model rank 1 sent a parcel that holds an unknown field");
}

TEST(ReadParcel, more_fields_than_the_group_has_are_refused) {
  for (std::uint32_t count : {4U, UINT32_MAX}) {
    Sent sent;
    sent.header.field_count = count;

    EXPECT_EQ(sent.refusal(), "model rank 1 sent a parcel that ends early");
  }
}

TEST(ReadParcel, a_wrong_size_or_place_of_a_field_is_refused) {
  const auto refusal_of = [](const FieldEntry& wrong) {
    Sent sent;
    sent.entries[0] = wrong;
    return sent.refusal();
  };
  const auto says = [](const std::string& what) {
    return "model rank 1 sent a parcel that holds " + what + " of \"u\"";
  };
  const Held whole = Held::whole;

  EXPECT_EQ(refusal_of({0, whole, 128, 8}), says("a wrong size"));                // one number only
  EXPECT_EQ(refusal_of({0, whole, 128, 24}), says("a wrong size"));               // one too many
  EXPECT_EQ(refusal_of({0, whole, 136, 16}), says("a wrong place"));              // not aligned
  EXPECT_EQ(refusal_of({0, whole, 256, 16}), says("a wrong place"));              // behind the end
  EXPECT_EQ(refusal_of({0, whole, UINT64_MAX - 63, 16}), says("a wrong place"));  // aligned, far behind
  EXPECT_EQ(refusal_of({0, whole, 128, UINT64_MAX}), says("a wrong place"));
  EXPECT_EQ(refusal_of({0, Held::extracts, 128, 16}), says("extracts that nobody wants"));
}

// ---- extracts ----

/// As small_plan, but of u model ranks hand over its second number and its sum, for a mean and a sum.
Plan plan_with_extracts() {
  Plan plan = small_plan();
  plan.values.resize(6);
  for (std::size_t f = 0; f < 3; ++f) plan.values[f].field = FieldId(f);
  for (const auto& [value, rule] : {std::pair{3, 0}, {4, 1}, {5, 2}})
    plan.values[static_cast<std::size_t>(value)].rule = RuleId(static_cast<std::size_t>(rule));
  plan.rules.resize(3);
  plan.rules[0].action = Apply{};
  plan.rules[1].action = LocalReduce{Reduction::mean, {0}};
  plan.rules[2].action = LocalReduce{Reduction::sum, {0}};
  plan.fields[1].extracts = {{{ValueId(3)}}, {{ValueId(4), ValueId(5)}, ElementType::float64, 0, true}};
  return plan;
}

FieldExtracts extracts_of_u() {
  ExtractDemand second, sum;
  second.needs = sum.needs = {0};
  second.first = {1};
  second.count = second.extents = second.step = {1};
  sum.is_reduced = true;
  sum.axes = {0};
  return {{FieldId(1), {second, sum}}};
}

/// A parcel of rank 1 with the extracts of u = 1.5, -2 alone.
Bytes parcel_of_extracts() {
  const std::vector<double> u = {1.5, -2};
  const Extents counts{2};
  FieldDemand demand;
  demand.name = "u";
  demand.extracts = extracts_of_u().at(FieldId(1));
  NeedTracker needs({Need{1, 0}}, 0.0);
  needs.advance({1, 1, 1});
  Bytes bytes(128 + extract_offsets(demand.extracts, counts).back());
  ParcelHeader header;
  header.group = 1;
  header.field_count = 1;
  const FieldEntry entry{0, Held::extracts, 128, bytes.size() - 128};
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &entry, sizeof entry);
  write_extracts(
      {reinterpret_cast<const std::byte*>(u.data()), ElementType::float64, {counts.begin(), 1}, {}}, demand,
      needs, bytes.data() + 128);
  return bytes;
}

TEST(ReadParcel, extracts_are_the_results_of_the_rules_that_they_are_for) {
  const Parcel parcel = read_parcel(plan_with_extracts(), 1, extracts_of_u(),
                                    std::make_shared<FakeMessage>(parcel_of_extracts()));

  EXPECT_TRUE(parcel.fields.empty());
  ASSERT_EQ(parcel.made.size(), 3U);
  EXPECT_EQ(parcel.made[0].first, ValueId(3));
  EXPECT_EQ(std::get<Array>(parcel.made[0].second).as<double>()[0], -2);
  EXPECT_EQ(parcel.made[1].first, ValueId(4));
  EXPECT_EQ(to_doubles(parcel.made[1].second), std::vector<double>{-0.25});
  EXPECT_EQ(parcel.made[2].first, ValueId(5));
  EXPECT_EQ(to_doubles(parcel.made[2].second), std::vector<double>{-0.5});
}

TEST(ReadParcel, damaged_extracts_are_refused_or_are_others) {
  std::mt19937_64 random(5);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = parcel_of_extracts();
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes)
      bytes[128 + random() % (bytes.size() - 128)] = static_cast<std::byte>(random());
    try {
      read_parcel(plan_with_extracts(), 1, extracts_of_u(), std::make_shared<FakeMessage>(std::move(bytes)));
    } catch (const TransportError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace pileus
