// The main program of tests that run under mpirun: every rank runs every test, rank 0 reports, the others
// tell only what failed, and a failure on any rank fails the program.

#include <gtest/gtest.h>

#include <cstdio>

#include "transport/mpi/mpi_call.h"
#include "transport/mpi/mpi_start.h"

namespace {

class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::fprintf(stderr, "rank %d: %s.%s\n%s:%d: %s\n", rank_, test ? test->test_suite_name() : "",
                 test ? test->name() : "", result.file_name() ? result.file_name() : "", result.line_number(),
                 result.message());
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  pileus::MpiProgram mpi(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(rank));
  }

  const int has_failed_here = RUN_ALL_TESTS();
  int has_failed = 0;
  MPI_Allreduce(&has_failed_here, &has_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return has_failed;
}
