#include "formats/netcdf/known_series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace pileus::netcdf {
namespace {

/// A file of the bytes of a text.
class TextFile : public SourceFile {
 public:
  explicit TextFile(std::string text) : text_(std::move(text)) {}
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
    ASSERT_LE(offset + bytes.size(), text_.size());
    std::memcpy(bytes.data(), text_.data() + offset, bytes.size());
  }
  std::uint64_t size_bytes() override { return text_.size(); }

 private:
  std::string text_;
};

FileImage image_of(const std::string& text, const DataRanges& data = {}) {
  TextFile file(text);
  return FileImage::read(file, data, text.size()).value();
}

/// "OFFSET:LENGTH " for each.
std::string text_of(const std::vector<Patch>& patches) {
  std::string text;
  for (const Patch& patch : patches)
    text += std::to_string(patch.offset) + ":" + std::to_string(patch.bytes.size()) + " ";
  return text;
}

TEST(FileImage, has_no_changes_since_itself) {
  const FileImage image = image_of(std::string(5000, 'a'));

  EXPECT_EQ(text_of(image.changes_since(image)), "");
}

TEST(FileImage, takes_blocks_of_1024_bytes_with_a_change_and_joins_neighbours) {
  std::string text(5000, 'a');
  const FileImage before = image_of(text);
  text[1023] = text[1024] = text[4999] = 'b';

  const std::vector<Patch> changes = image_of(text).changes_since(before);

  EXPECT_EQ(text_of(changes), "0:2048 4096:904 ");
  EXPECT_EQ(changes[1].bytes.back(), std::byte{'b'});
}

TEST(FileImage, leaves_data_out_and_what_is_zero_at_the_end) {
  const std::string text = std::string(100, 'a') + std::string(50, 'd') + std::string(2000, '\0') + "e";

  const FileImage image = image_of(text, {{100, 50}});

  // From 150 on: 1024 zeros, then 976 of them and the last byte.
  EXPECT_EQ(text_of(image.changes_since({})), "0:100 1174:977 ");
}

TEST(FileImage, compares_across_pieces_that_lie_otherwise) {
  const std::string text = std::string(100, 'a') + std::string(50, 'd') + std::string(100, 'c');
  const FileImage before = image_of(text, {{100, 50}});

  const FileImage after = image_of(text + std::string(10, 'n') + "tail", {{100, 50}, {250, 10}});

  EXPECT_EQ(text_of(after.changes_since(before)), "260:4 ");
}

TEST(FileImage, is_not_read_where_it_is_too_large) {
  TextFile file(std::string(1000, 'a'));

  EXPECT_FALSE(FileImage::read(file, {}, 999).has_value());
  EXPECT_TRUE(FileImage::read(file, {{10, 1}}, 999).has_value());
}

FileDefinition definition_named(const std::string& name) {
  FileDefinition definition;
  definition.axes = {{name, false, {}, 1}};
  definition.is_of_series = true;
  return definition;
}

KnownChange change(std::optional<std::uint32_t> axis, char byte) {
  return {axis, 10, {{0, {static_cast<std::byte>(byte)}}}, {1, 2}};
}

MemoryToKeep memory(std::uint64_t bytes) { return std::make_shared<std::uint64_t>(bytes); }

TEST(KnownSeries, believes_what_two_files_agree_in) {
  KnownSeries series(definition_named("a"), memory(100000));
  EXPECT_TRUE(series.learn(0, change({}, 'a')));
  EXPECT_EQ(series.find(0, {}), nullptr);

  EXPECT_TRUE(series.learn(0, change({}, 'a')));

  ASSERT_NE(series.find(0, {}), nullptr);
  EXPECT_EQ(*series.find(0, {}), change({}, 'a'));
  EXPECT_EQ(series.find(0, 0), nullptr) << "another call";
  EXPECT_EQ(series.find(1, 0), nullptr) << "nobody came so far";
}

TEST(KnownSeries, never_believes_what_two_files_differ_in_nor_what_follows) {
  KnownSeries series(definition_named("a"), memory(100000));
  for (int file = 0; file < 2; ++file) {
    series.learn(0, change({}, 'a'));
    series.learn(1, change(0, 'b'));
    series.learn(2, change(0, 'c'));
  }
  ASSERT_NE(series.find(2, 0), nullptr);

  EXPECT_FALSE(series.learn(1, change(0, 'x')));
  EXPECT_FALSE(series.learn(2, change(0, 'c'))) << "of a file that is still on the old way";
  EXPECT_FALSE(series.learn(1, change(0, 'x')));

  EXPECT_NE(series.find(0, {}), nullptr);
  EXPECT_EQ(series.find(1, 0), nullptr);
  EXPECT_EQ(series.find(2, 0), nullptr);
}

TEST(KnownSeries, keeps_no_more_than_fits_and_gives_it_back) {
  const MemoryToKeep left = memory(10000);
  {
    KnownSeries series(definition_named("a"), left);  // 2 * 2048 bytes for the definition and an axis
    EXPECT_EQ(*left, 10000U - 4096U);
    KnownChange large = change({}, 'a');
    large.patches.front().bytes.resize(10000);

    EXPECT_FALSE(series.learn(0, large));
    EXPECT_TRUE(series.learn(0, change({}, 'a')));

    EXPECT_LT(*left, 10000U - 4096U);
  }
  EXPECT_EQ(*left, 10000U);
}

TEST(KnownSeries, learns_a_bounded_number_of_changes) {
  KnownSeries series(definition_named("a"), memory(1000000));
  std::size_t place = 0;

  while (place < 1000 && series.learn(place, change(0, 'a'))) ++place;

  EXPECT_EQ(place, 12U);
}

TEST(AllKnownSeries, has_one_for_each_definition_and_none_for_a_file_alone) {
  AllKnownSeries all;
  FileDefinition alone = definition_named("a");
  alone.is_of_series = false;

  const auto a = all.of(definition_named("a")), b = all.of(definition_named("b"));

  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  EXPECT_EQ(a, all.of(definition_named("a")));
  EXPECT_EQ(all.of(alone), nullptr);
}

TEST(AllKnownSeries, have_none_for_a_definition_that_is_not_equal_to_itself) {
  FileDefinition definition = definition_named("a");
  definition.attributes = {{"nan", std::nan("")}};

  EXPECT_EQ(AllKnownSeries().of(definition), nullptr);
}

TEST(AllKnownSeries, are_no_more_than_16_mib) {
  AllKnownSeries all;
  int kept = 0;

  for (int i = 0; i < 10000; ++i) kept += all.of(definition_named(std::to_string(i))) != nullptr ? 1 : 0;

  EXPECT_EQ(kept, (16 << 20) / 4096);
}

}  // namespace
}  // namespace pileus::netcdf
