#include "transport/mpi/mpi_endpoint.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "transport/mpi/mpi_call.h"

// What holds for every transport is in contract_test.cpp.
namespace pileus {
namespace {

TEST(MpiEndpoint, refuses_pieces_that_mpi_cannot_count) {
  const int world = MPI_Comm_c2f(MPI_COMM_WORLD);

  EXPECT_THROW(make_mpi_endpoint(world, {.piece_bytes = std::size_t{1} << 31}), UsageError);
  EXPECT_THROW(make_mpi_endpoint(world, {.piece_bytes = 0}), UsageError);
}

TEST(MpiEndpoint, refuses_a_communicator_that_is_none) {
  EXPECT_THROW(make_mpi_endpoint(MPI_Comm_c2f(MPI_COMM_NULL)), UsageError);
}

/// As much memory as the process has and 16 MiB, as long as it lives.
class LittleMemory {
 public:
  LittleMemory() {
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    ::getrlimit(RLIMIT_AS, &before_);
    rlimit less = before_;
    less.rlim_cur = static_cast<rlim_t>(pages * ::sysconf(_SC_PAGESIZE)) + (rlim_t{16} << 20U);
    ::setrlimit(RLIMIT_AS, &less);
  }
  ~LittleMemory() { ::setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  rlimit before_ = {};
};

TEST(MpiEndpoint, loses_no_letter_for_which_there_is_no_memory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end the process where there is no memory";
#endif
  constexpr std::size_t kLong = std::size_t{64} << 20U;
  for (const std::size_t piece_bytes : {std::size_t{1} << 20U, kLong * 2}) {
    const auto endpoint = make_mpi_endpoint(MPI_Comm_c2f(MPI_COMM_WORLD), {.piece_bytes = piece_bytes});
    if (endpoint->self() == 0) {
      for (const std::size_t size : {std::size_t{10}, kLong, std::size_t{20}}) {
        auto slot = endpoint->claim(1, kControl, size);
        ASSERT_NE(slot, nullptr);
        std::ranges::fill(slot->bytes(), static_cast<std::byte>(size % 251));
        endpoint->commit(std::move(slot));
      }
      while (!endpoint->is_all_sent()) endpoint->rest(std::chrono::milliseconds(1));
    }
    if (endpoint->self() == 1) {
      bool has_lacked = false;
      std::vector<std::shared_ptr<Message>> received;
      while (received.size() < 3) {
        std::optional<LittleMemory> little;
        if (!has_lacked) little.emplace();
        try {
          if (auto message = endpoint->receive()) received.push_back(std::move(message));
          endpoint->rest(std::chrono::milliseconds(1));
        } catch (const std::bad_alloc&) {
          has_lacked = true;
        }
      }
      EXPECT_TRUE(has_lacked);
      EXPECT_EQ(received[0]->bytes().size(), 10U);
      EXPECT_EQ(received[1]->bytes().size(), kLong);
      EXPECT_EQ(received[2]->bytes().size(), 20U);
      const auto is_right = [](std::byte one) { return one == static_cast<std::byte>(kLong % 251); };
      EXPECT_TRUE(std::ranges::all_of(received[1]->bytes(), is_right));
    }
    check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  }
}

TEST(MpiEndpoint, names_the_call_that_failed_and_the_reason_that_mpi_gives) {
  char reason[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(MPI_ERR_RANK, reason, &length);

  try {
    check_mpi(MPI_ERR_RANK, "MPI_Isend");
    FAIL() << "no error";
  } catch (const TransportError& e) {
    EXPECT_EQ(std::string(e.what()), "MPI_Isend: " + std::string(reason, length));
  }
}

}  // namespace
}  // namespace pileus
