#include "transport/mpi/mpi_endpoint.h"

#include <gtest/gtest.h>

#include <string>

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
