// A server takes registrations of its own version and component, and refuses others.

#include <gtest/gtest.h>

#include "client/frames.h"
#include "core/error.h"
#include "server/commit.h"

namespace pileus {
namespace {

std::string refusal_of(std::uint32_t version, std::uint32_t component) {
  Bytes frame;
  Encoder out(frame);
  out.put(version);
  out.put(component);
  RankDescription().encode(out);
  Registrations registrations(1);
  Decoder in(frame);
  try {
    registrations.add(3, in);
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

}  // namespace
}  // namespace pileus
