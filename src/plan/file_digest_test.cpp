// Files are known again by pieces of them.

#include "plan/sha256.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/temporary_directory.h"

namespace pileus::planning {
namespace {

class FileDigest : public ::testing::Test {
 protected:
  std::string digest_of(const std::string& content) {
    const std::string path = folder_.path("w.nc");
    std::ofstream(path, std::ios::binary) << content;
    return digest_of_file(path);
  }

 private:
  TemporaryDirectory folder_;
};

TEST_F(FileDigest, follows_from_the_content_and_the_length) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{70'000}, std::size_t{5'000'000}}) {
    const std::string content(size, 'a');
    std::string last = content, first = content;
    last.back() = first.front() = 'b';

    EXPECT_EQ(digest_of(content), digest_of(content)) << size;
    EXPECT_NE(digest_of(content), digest_of(last)) << size;
    EXPECT_NE(digest_of(content), digest_of(first)) << size;
    EXPECT_NE(digest_of(content), digest_of(content + "a")) << size;
  }
}

TEST_F(FileDigest, is_empty_where_there_is_no_file) { EXPECT_EQ(digest_of_file("/no/such/w.nc"), ""); }

}  // namespace
}  // namespace pileus::planning
