#include "transport/mpi/mpi_start.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

/// All ranks divided: those in `serves` are servers.
MpiWorld divided(const std::vector<Peer>& servers) { return MpiMeeting(all_ranks(), false).divide(servers); }

void leave(MpiWorld& world) {
  leave_world(world);
  leave_model(world);
}

TEST(MpiMeeting, lists_clients_and_servers_in_the_order_of_their_ranks) {
  const Peer rank = rank_of(MPI_COMM_WORLD);
  const Peer size = size_of(MPI_COMM_WORLD);
  std::vector<Peer> odd;
  for (Peer i = 1; i < size; i += 2) odd.push_back(i);

  MpiWorld world = divided(odd);

  EXPECT_EQ(world.world_rank, rank);
  EXPECT_EQ(world.world_size, size);
  EXPECT_EQ(world.is_server, rank % 2 == 1);
  EXPECT_EQ(world.index, rank / 2);
  EXPECT_EQ(world.clients.size(), (size + 1) / 2);
  EXPECT_EQ(world.servers, odd);
  for (Peer i = 0; i < world.clients.size(); ++i) EXPECT_EQ(world.clients[i], 2 * i);
  leave(world);
}

TEST(MpiMeeting, has_meetings_of_some_of_its_ranks_in_their_order) {
  const MpiMeeting all(all_ranks(), false);
  const bool is_odd = all.rank() % 2 == 1;

  const std::unique_ptr<MpiMeeting> odd = all.among(is_odd);

  ASSERT_EQ(odd != nullptr, is_odd);
  if (!odd) return;
  EXPECT_EQ(odd->rank(), all.rank() / 2);
  EXPECT_EQ(odd->size(), all.size() / 2);
  MpiWorld world = odd->divide({});
  EXPECT_EQ(world.clients.size(), all.size() / 2);
  leave(world);
}

TEST(MpiMeeting, gives_the_model_a_communicator_of_its_own_ranks) {
  const Peer rank = rank_of(MPI_COMM_WORLD);
  const bool is_server = rank == 0;

  MpiWorld world = divided({0});

  const MPI_Comm model = MPI_Comm_f2c(world.model_communicator);
  EXPECT_EQ(model == MPI_COMM_NULL, is_server);
  if (!is_server) {
    EXPECT_EQ(size_of(model), size_of(MPI_COMM_WORLD) - 1);
    EXPECT_EQ(rank_of(model), rank - 1);
  }
  leave(world);
  EXPECT_EQ(MPI_Comm_f2c(world.model_communicator), MPI_COMM_NULL);
  EXPECT_EQ(MPI_Comm_f2c(world.world_communicator), MPI_COMM_NULL);
  leave(world);  // once more does nothing
}

TEST(MpiMeeting, lets_a_model_serve_itself) {
  MpiWorld world = divided({});

  EXPECT_TRUE(world.servers.empty());
  EXPECT_EQ(world.clients.size(), world.world_size);
  leave(world);
}

TEST(MpiMeeting, tells_every_rank_what_each_says) {
  const MpiMeeting meeting(all_ranks(), false);
  const std::int64_t mine[] = {10 + meeting.rank(), -1};

  const std::vector<std::int64_t> all = meeting.gathered(mine);

  ASSERT_EQ(all.size(), 2 * meeting.size());
  for (Peer rank = 0; rank < meeting.size(); ++rank) EXPECT_EQ(all[2 * rank], 10 + rank);
  const Peer last = meeting.size() - 1;
  EXPECT_EQ(meeting.text_of(last, "rank " + std::to_string(meeting.rank())), "rank " + std::to_string(last));
  EXPECT_EQ(meeting.text_of(0, ""), "");
}

TEST(MpiMeeting, finds_who_shares_a_node) {
  const MpiMeeting meeting(all_ranks(), false);

  // These tests run on one machine.
  EXPECT_EQ(meeting.lowest_on_node(), std::vector<Peer>(meeting.size(), 0));
}

TEST(MpiMeeting, refuses_a_communicator_that_is_none) {
  EXPECT_THROW(MpiMeeting(MPI_Comm_c2f(MPI_COMM_NULL), false), UsageError);
}

TEST(MpiStart, knows_that_mpi_is_running) { EXPECT_TRUE(is_mpi_running()); }

}  // namespace
}  // namespace pileus
