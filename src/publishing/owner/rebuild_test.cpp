// A continued file takes over what the run before wrote, to the bit.

#include "publishing/owner/rebuild.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "core/temporary_directory.h"
#include "state/manifest.h"

namespace pileus {
namespace {

/// 30 bytes: the letters of a record of 10 at 5, one of 5 in two pieces at 18 and 25.
class KeptRecords : public ::testing::Test {
 protected:
  KeptRecords() {
    std::ofstream(path_, std::ios::binary) << text_;
    state_.axes = {"time"};
    state_.records = {{0, {1, 0, 10, 10, 10}, {{{5, 10}}, sum_of("fghijklmno"), true}},
                      {0, {1, 1, 20, 20, 20}, {{{18, 2}, {25, 3}}, sum_of("stz{|"), true}}};
  }
  static std::uint32_t sum_of(const std::string& bytes) { return checksum(std::as_bytes(std::span(bytes))); }
  void flip(std::size_t at) {
    text_[at] = static_cast<char>(text_[at] ^ 4);
    std::ofstream(path_, std::ios::binary) << text_;
  }
  template <class Check>
  static std::string error_of(Check check) {
    try {
      check();
    } catch (const OutputError& error) {
      return error.what();
    }
    return "";
  }
  std::string records_error() {
    return error_of([&] { require_records(*files_, path_, state_); });
  }

  TemporaryDirectory root_;
  std::string path_ = root_.path("p.nc");
  std::string text_ = "abcdefghijklmnopqrstuvwxyz{|}~";
  std::unique_ptr<FileSystem> files_ = posix_file_system();
  FileUnderWay state_;
};

TEST_F(KeptRecords, are_taken_as_they_were_written) { EXPECT_EQ(records_error(), ""); }

TEST_F(KeptRecords, are_refused_by_file_and_number_where_a_bit_is_another) {
  flip(14);
  EXPECT_EQ(records_error().find(path_ + ": could not continue it: record 0 of time is not what"), 0U)
      << records_error();
  flip(14);
  flip(27);
  EXPECT_EQ(records_error().find(path_ + ": could not continue it: record 1 of time is not what"), 0U)
      << records_error();
}

TEST_F(KeptRecords, may_have_anything_between_them) {
  for (std::size_t at : {4U, 15U, 17U, 20U, 24U, 28U}) flip(at);
  EXPECT_EQ(records_error(), "");
}

TEST_F(KeptRecords, are_refused_likewise_where_they_are_compressed) {
  const std::vector<LaidChunk> chunks = {{"w", 7, {5, 10}, sum_of("fghijklmno")}};
  const auto error = [&] { return error_of([&] { require_chunks(*files_, path_, chunks); }); };
  EXPECT_EQ(error(), "");
  flip(5);
  EXPECT_NE(error().find("record 7 of w"), std::string::npos) << error();
}

}  // namespace
}  // namespace pileus
