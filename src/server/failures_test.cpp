#include "server/failures.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace pileus {
namespace {

TEST(Failures, keep_the_first_reason_and_list_the_others) {
  ErrorList errors;
  Failures failures(errors);
  EXPECT_FALSE(failures.is_any());

  for (const char* const what : {"it rains", "it pours"}) {
    try {
      throw std::runtime_error(what);
    } catch (...) {
      failures.add_current("a task failed: ");
    }
  }

  EXPECT_TRUE(failures.is_any());
  EXPECT_EQ(failures.first(), "a task failed: it rains");
  EXPECT_EQ(errors.all(), std::vector<std::string>{"a task failed: it pours"});
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/// Leaves the process nothing that it could still get.
void take_all_memory() {
  constexpr std::size_t kMoreBytes = std::size_t{16} << 20, kSmallestBytes = 16;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t limit = pages * 4096 + kMoreBytes;
  const rlimit address_space = {limit, limit};
  setrlimit(RLIMIT_AS, &address_space);
  static void* volatile kept = nullptr;  // so that no compiler leaves it out
  for (std::size_t bytes = kMoreBytes; bytes >= kSmallestBytes; bytes /= 2) {
    do kept = std::malloc(bytes);
    while (kept != nullptr);
  }
}

/// 0 if a failure for want of memory has its text, and most of what was held back can be taken after it.
int status_without_memory() {
  ErrorList errors;
  Failures failures(errors);
  take_all_memory();
  try {
    throw std::bad_alloc();
  } catch (...) {
    failures.add_current("a task failed, as there is no memory for what it makes of this step: ");
  }
  if (!failures.is_any()) return 1;
  if (!failures.first().starts_with("a task failed, as there is no memory")) return 2;
  return std::malloc(kHeldBackBytes / 2) != nullptr ? 0 : 3;
}

TEST(FailuresDeathTest, give_back_what_was_kept_for_them_where_there_is_no_memory) {
  EXPECT_EXIT(std::_Exit(status_without_memory()), ::testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace pileus
