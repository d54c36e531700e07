// The main program of tests that run under mpirun: every rank runs every test, rank 0 reports, the others
// tell only what failed, and a failure on any rank fails the program.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "transport/mpi/mpi_call.h"
#include "transport/mpi/mpi_start.h"

namespace {

class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  // Within it GoogleTest may not be asked which test runs: it holds its lock.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s\n%s:%d: %s\n", rank_, test_.c_str(),
                 result.file_name() ? result.file_name() : "", result.line_number(), result.message());
  }

 private:
  int rank_;
  std::string test_;
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
