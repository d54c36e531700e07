// Texts and maps that a client sends from C strings and from arrays that are padded with blanks.

#include "client/texts.h"

#include <gtest/gtest.h>

#include <functional>

#include "client/testing/fake_server.h"

namespace pileus {
namespace {

std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// Rank 0 in its first step, with the names of two stations and a map of at most two pairs. Texts have 6
/// bytes.
class TextsTest : public testing::Test {
 protected:
  TextsTest() {
    client.dimension({"station", 2, {}, ""});
    client.text_field({"name", ElementType::character, {"station"}, {{0}, {2}}}, 6);
    client.map_field("options", 6, "station");
    client.field({"u", ElementType::float64, {}, {}});
    Demand demand;
    demand.needs = {{1, 0}};
    demand.budget_bytes = 1 << 20;
    demand.groups = {{"state",
                      1,
                      {{"name", ElementType::character, true, true, {0}},
                       {"options", ElementType::character, true, true, {0}}}}};
    server.reply_demand(demand);
    client.commit();
    client.begin({1, 1, 1}, false);
  }
  /// The bytes that were sent of field `place`, with a dot for each NUL.
  std::string sent(std::size_t place) {
    client.end();
    const SentMessage& parcel = server.sent.back();
    const FieldEntry entry = parcel.entry(place);
    std::string text(reinterpret_cast<const char*>(parcel.bytes.data()) + entry.offset, entry.size_bytes);
    for (char& c : text) c = c == '\0' ? '.' : c;
    return text;
  }
  void put(const char* bytes, const std::vector<Index>& counts, const std::vector<Index>& strides = {}) {
    client.put(0, {reinterpret_cast<const std::byte*>(bytes), ElementType::character, counts, strides});
  }
  FakeServer server;
  Client client{server, 1, 0};
};

TEST_F(TextsTest, go_padded_with_nul) {
  client.put_texts(0, std::vector<std::string_view>{"Graz", "Exeter"});

  EXPECT_EQ(sent(0), "Graz..Exeter");
}

TEST_F(TextsTest, of_an_array_lose_their_padding) {
  put("Ulm     Bern\0xx ", {8, 2});

  EXPECT_EQ(sent(0), "Ulm...Bern..");
}

TEST_F(TextsTest, of_a_section_are_found_where_they_lie) {
  const char* names = "abc  def  ghi  ";

  put(names + 10, {3, 2}, {1, -10});

  EXPECT_EQ(sent(0), "ghi...abc...");
}

TEST_F(TextsTest, keep_blanks_inside_and_in_front) {
  put(" a b  c     ", {6, 2});

  EXPECT_EQ(sent(0), " a b..c.....");
}

TEST_F(TextsTest, of_no_characters_are_empty) {
  put("", {0, 2});

  EXPECT_EQ(sent(0), "............");
}

TEST_F(TextsTest, put_by_their_address_have_the_registered_length) {
  client.put(0, "a     bcdefgh", nullptr);

  EXPECT_EQ(sent(0), "a.....bcdefg");
}

TEST_F(TextsTest, of_a_map_alternate_and_missing_pairs_are_empty) {
  client.put_map(1, std::vector<std::string_view>{"dt", "4"});

  EXPECT_EQ(sent(1), "dt....4.................");
}

TEST_F(TextsTest, that_do_not_fit_are_named_and_may_be_put_again) {
  EXPECT_EQ(
      complaint([&] {
        client.put_texts(0, std::vector<std::string_view>{"Graz", "Reading"});
      }),
      "pileus_put: field \"name\": the text \"Reading\" has 7 bytes; it was registered with a length of "
      "6");
  EXPECT_EQ(complaint([&] { client.put_texts(0, std::vector<std::string_view>{"Graz"}); }),
            "pileus_put: field \"name\" has 2 texts on this rank, the array has 1");
  EXPECT_EQ(complaint([&] {
              put("abcdef", {2, 3});
            }),
            "pileus_put: field \"name\" was registered as texts of 2, the array is texts of 3");
  EXPECT_EQ(complaint([&] { put("abcdef", {2}); }),
            "pileus_put: field \"name\" was registered as texts of 2, the array is a single text");
  EXPECT_EQ(complaint([&] {
              put("abcdef", {2, 2}, {2, 1});
            }),
            "pileus_put: field \"name\": the characters of a text have to lie together");
  EXPECT_EQ(complaint([&] {
              put("abcdef", {-3, 2});
            }),
            "pileus_put: field \"name\": the array has texts of -3 characters");
  EXPECT_EQ(complaint([&] { put(nullptr, {3, 2}); }), "pileus_put: the array of field \"name\" is NULL");
  client.put_texts(0, std::vector<std::string_view>{"", ""});

  EXPECT_EQ(sent(0), "............");
}

TEST_F(TextsTest, of_maps_and_of_fields_are_not_mixed_up) {
  const std::vector<std::string_view> four = {"a", "b", "c", "d"}, six = {"a", "b", "c", "d", "e", "f"};

  EXPECT_EQ(complaint([&] { client.put_texts(1, four); }),
            "pileus_put: field \"options\" is a map; put it with pileus_put_map");
  EXPECT_EQ(complaint([&] { client.put_map(0, four); }),
            "pileus_put: field \"name\" is no map; register it with pileus_map_field");
  EXPECT_EQ(complaint([&] { client.put_texts(2, four); }),
            "pileus_put: field \"u\" was not registered for texts; put it with pileus_put");
  EXPECT_EQ(complaint([&] { client.put_map(1, six); }),
            "pileus_put: field \"options\" takes 2 pairs, but there are 3; give its dimension a larger "
            "size");
  EXPECT_EQ(complaint([&] {
              client.put(2, {reinterpret_cast<const std::byte*>("a"), ElementType::character, {}, {}});
            }),
            "pileus_put: field \"u\" was registered as a single double, the array is a single string");
}

}  // namespace
}  // namespace pileus
