#include "transport/mpi/mpi_start.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/error.h"
#include "transport/mpi/mpi_call.h"

namespace pileus {
namespace {

int all_ranks() { return MPI_Comm_c2f(MPI_COMM_WORLD); }

Peer rank_of(MPI_Comm communicator) {
  int rank = -1;
  MPI_Comm_rank(communicator, &rank);
  return static_cast<Peer>(rank);
}

Peer size_of(MPI_Comm communicator) {
  int size = -1;
  MPI_Comm_size(communicator, &size);
  return static_cast<Peer>(size);
}

TEST(MpiStart, lists_clients_and_servers_in_the_order_of_their_ranks) {
  const Peer rank = rank_of(MPI_COMM_WORLD);
  const Peer size = size_of(MPI_COMM_WORLD);

  // Rank 0 is a client; of the others the odd ones are servers.
  MpiWorld world = join_world(all_ranks(), rank % 2 == 1);

  EXPECT_EQ(world.world_rank, rank);
  EXPECT_EQ(world.world_size, size);
  EXPECT_EQ(world.is_server, rank % 2 == 1);
  EXPECT_EQ(world.index, rank / 2);
  EXPECT_EQ(world.clients.size(), (size + 1) / 2);
  EXPECT_EQ(world.servers.size(), size / 2);
  for (Peer i = 0; i < world.clients.size(); ++i) EXPECT_EQ(world.clients[i], 2 * i);
  for (Peer i = 0; i < world.servers.size(); ++i) EXPECT_EQ(world.servers[i], 2 * i + 1);
  leave_world(world);
}

TEST(MpiStart, gives_the_model_a_communicator_of_its_own_ranks) {
  const Peer rank = rank_of(MPI_COMM_WORLD);
  const bool is_server = rank == 0;

  MpiWorld world = join_world(all_ranks(), is_server);

  const MPI_Comm model = MPI_Comm_f2c(world.model_communicator);
  EXPECT_EQ(model == MPI_COMM_NULL, is_server);
  if (!is_server) {
    EXPECT_EQ(size_of(model), size_of(MPI_COMM_WORLD) - 1);
    EXPECT_EQ(rank_of(model), rank - 1);
  }
  leave_world(world);
  EXPECT_EQ(MPI_Comm_f2c(world.model_communicator), MPI_COMM_NULL);
  EXPECT_EQ(MPI_Comm_f2c(world.world_communicator), MPI_COMM_NULL);
}

TEST(MpiStart, lets_a_model_serve_itself) {
  MpiWorld world = join_world(all_ranks(), false);

  EXPECT_TRUE(world.servers.empty());
  EXPECT_EQ(world.clients.size(), world.world_size);
  leave_world(world);
}

TEST(MpiStart, says_what_is_missing_when_there_are_only_servers) {
  try {
    join_world(all_ranks(), true);
    FAIL() << "no error";
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("none is a model rank"), std::string::npos);
  }
}

TEST(MpiStart, finds_who_shares_a_node) {
  const auto lowest = lowest_rank_on_node(all_ranks());

  // These tests run on one machine.
  EXPECT_EQ(lowest, std::vector<Peer>(size_of(MPI_COMM_WORLD), 0));
}

TEST(MpiStart, knows_that_mpi_is_running) { EXPECT_TRUE(is_mpi_running()); }

}  // namespace
}  // namespace pileus
