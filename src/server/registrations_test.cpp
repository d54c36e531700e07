// A server takes registrations of its own version and component, and refuses others.

#include <gtest/gtest.h>

#include "client/frames.h"
#include "core/error.h"
#include "plan/sha256.h"
#include "server/registrations.h"

namespace pileus {
namespace {

std::string digest_of(const Bytes& bytes) {
  return planning::sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// What a rank sends that lies at `start`, in a model whose coordinate is `z`.
struct Sent {
  explicit Sent(Index start, double z = 1) {
    RankDescription rank;
    rank.dimensions = {{"z", 1, {z}, "m"}, {"x", 100, {}, ""}};
    rank.fields = {{"w", ElementType::float64, {"z", "x"}, {{0, start}, {1, 10}}}};
    code = encode_rank(rank);
    Encoder out(frame);
    out.put(kWireVersion);
    out.put(kOnlyComponent.index);
    out.put(digest_of(code.kind));
    out.put_raw(code.place);
  }
  bool register_with(Registrations& registrations, ClientRank client) const {
    Decoder in(frame);
    return registrations.add(client, in);
  }
  void describe_to(Registrations& registrations, ClientRank client) const {
    Decoder in(code.kind);
    registrations.add_description(client, in);
  }
  RankCode code;
  Bytes frame;
};

std::string refusal_of(std::uint32_t version, std::uint32_t component) {
  Bytes frame;
  Encoder out(frame);
  const RankCode code = encode_rank({});
  out.put(version);
  out.put(component);
  out.put(digest_of(code.kind));
  out.put_raw(code.place);
  Registrations registrations(1);
  Decoder in(frame);
  try {
    if (!registrations.add(3, in) || registrations.is_complete()) return "takes it unseen";
    Decoder kind(code.kind);
    registrations.add_description(3, kind);
    return registrations.is_complete() ? "" : "is incomplete";
  } catch (const TransportError& error) {
    return error.what();
  }
}

TEST(Registrations, take_the_one_component_of_this_version_alone) {
  EXPECT_EQ(refusal_of(kWireVersion, kOnlyComponent.index), "");
  EXPECT_EQ(refusal_of(kWireVersion, 1),
            "model rank 3 registers for component 1, but the servers of a run serve one component, 0");
  EXPECT_EQ(refusal_of(kWireVersion - 1, 0),
            "model rank 3 speaks version " + std::to_string(kWireVersion - 1) +
                " of the wire, the servers speak version " + std::to_string(kWireVersion) +
                ": link the model with the Pileus of the servers");
}

TEST(Registrations, ask_one_rank_for_what_is_the_same_on_all) {
  Registrations registrations(3);

  EXPECT_TRUE(Sent(10).register_with(registrations, 1));
  EXPECT_FALSE(Sent(0).register_with(registrations, 0));
  EXPECT_TRUE(Sent(20, 2).register_with(registrations, 2));
  Sent(10).describe_to(registrations, 1);
  EXPECT_FALSE(registrations.is_complete());
  Sent(20, 2).describe_to(registrations, 2);

  ASSERT_TRUE(registrations.is_complete());
  const ModelRanks model = registrations.model();
  ASSERT_EQ(model.size(), 3U);
  EXPECT_EQ(model.region(1, 0), (Region{{0, 10}, {1, 10}}));
  EXPECT_EQ(model.common_of(0).dimensions[0].coordinates, (std::vector<double>{1}));
  EXPECT_EQ(model.common_of(2).dimensions[0].coordinates, (std::vector<double>{2}));
}

TEST(Registrations, refuse_a_description_of_another_hash) {
  Registrations registrations(1);
  ASSERT_TRUE(Sent(0, 1).register_with(registrations, 0));

  EXPECT_THROW(Sent(0, 2).describe_to(registrations, 0), TransportError);
}

TEST(Registrations, of_servers_below_have_what_is_the_same_once) {
  Registrations below(2), all(3);
  const bool is_asked = Sent(0).register_with(below, 0) && !Sent(10).register_with(below, 1);
  ASSERT_TRUE(is_asked);
  Sent(0).describe_to(below, 0);
  ASSERT_TRUE(Sent(20).register_with(all, 2));
  Sent(20).describe_to(all, 2);

  const Bytes frame = below.encode(ServerFrame::registrations);
  Decoder in(frame);
  in.get<ServerFrame>();
  all.add_all(in, [](ClientRank client) { return client < 2; });

  ASSERT_TRUE(all.is_complete());
  EXPECT_EQ(all.model().kind_count(), 1U);
  EXPECT_EQ(all.model().region(1, 0), (Region{{0, 10}, {1, 10}}));
}

TEST(Registrations, of_ranks_for_which_the_server_cannot_speak_are_refused) {
  Registrations below(1), all(2);
  ASSERT_TRUE(Sent(0).register_with(below, 1));
  Sent(0).describe_to(below, 1);
  const Bytes frame = below.encode(ServerFrame::registrations);
  Decoder in(frame);
  in.get<ServerFrame>();

  EXPECT_THROW(all.add_all(in, [](ClientRank client) { return client == 0; }), TransportError);
}

}  // namespace
}  // namespace pileus
