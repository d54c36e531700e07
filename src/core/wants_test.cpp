#include "core/wants.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace pileus {
namespace {

Wants small_wants() {
  Wants wants;
  wants.definitions = {{"grid", "", 0, 0, true, 0, 0}, {"state", "a::b", 1, 30, false, 0, 1}};
  wants.fields = {{"a::b::w", 1, "array", "double", {"z", "y"}, true, true, false, true, {{10, 0}, {0, 3}}}};
  return wants;
}

Wants travelled(const Wants& wants) {
  Bytes bytes;
  Encoder out(bytes);
  wants.encode(out);
  Decoder in(bytes);
  return Wants::decode(in);
}

TEST(Wants, arrive_as_they_left) { EXPECT_EQ(travelled(small_wants()), small_wants()); }

TEST(Wants, that_name_what_is_not_there_are_refused) {
  Wants wants = small_wants();

  wants.definitions[1].field_count = 2;
  EXPECT_THROW(travelled(wants), TransportError);

  wants = small_wants();
  wants.fields[0].definition = 2;
  EXPECT_THROW(travelled(wants), TransportError);
}

}  // namespace
}  // namespace pileus
