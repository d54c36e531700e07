#include <cstdlib>

#include "transport/contract_test.h"
#include "transport/mpi/mpi_call.h"
#include "transport/mpi/mpi_endpoint.h"
#include "transport/mpi/node_endpoint.h"
#include "transport/shared/shared_endpoint.h"

namespace pileus {
namespace {

/// The ranks of MPI_COMM_WORLD: run() is collective.
class Ranks : public ContractWorld {
 public:
  using Make = std::unique_ptr<Endpoint> (*)(int fortran_communicator, MpiEndpointSettings settings);
  explicit Ranks(MpiEndpointSettings settings, Make make = &make_mpi_endpoint)
      : settings_(settings), make_(make) {}

  Peer size() const override {
    int size = 0;
    check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    return static_cast<Peer>(size);
  }
  void meet() override { check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); }
  void run(const std::function<void(Endpoint&)>& body) override {
    const auto endpoint = make_(MPI_Comm_c2f(MPI_COMM_WORLD), settings_);
    MPI_Request everyone = MPI_REQUEST_NULL;
    const auto end = [&everyone] { check_mpi(MPI_Ibarrier(MPI_COMM_WORLD, &everyone), "MPI_Ibarrier"); };
    const auto have_all_ended = [&everyone] {
      int is_complete = 0;
      check_mpi(MPI_Test(&everyone, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
      return is_complete != 0;
    };
    run_peer(*endpoint, body, end, have_all_ended);
  }

 private:
  MpiEndpointSettings settings_;
  Make make_;
};

/// An endpoint of ranks on one node that have memory with each other already.
std::unique_ptr<Endpoint> make_sharer(int fortran_communicator, MpiEndpointSettings settings) {
  setenv("PILEUS_SHARED_MEMORY", "yes", 1);
  std::unique_ptr<Endpoint> endpoint = make_node_endpoint(fortran_communicator, settings);
  auto& shared = dynamic_cast<SharedEndpoint&>(*endpoint);
  for (Peer to = 0; to < shared.size(); ++to) shared.set_budget(to, kDefaultBudgetBytes);
  MPI_Request all_share = MPI_REQUEST_NULL;
  for (int do_all = 0; do_all == 0;) {
    EXPECT_EQ(shared.receive(), nullptr);
    bool shares = true;
    for (Peer to = 0; to < shared.size(); ++to)
      shares = shares && (to == shared.self() || shared.shares_memory_with(to));
    if (shares && all_share == MPI_REQUEST_NULL)
      check_mpi(MPI_Ibarrier(MPI_COMM_WORLD, &all_share), "MPI_Ibarrier");
    if (all_share != MPI_REQUEST_NULL)
      check_mpi(MPI_Test(&all_share, &do_all, MPI_STATUS_IGNORE), "MPI_Test");
    shared.rest(std::chrono::microseconds(100));
  }
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");  // nobody sends while another one still looks
  return endpoint;
}

std::unique_ptr<ContractWorld> make_ranks() { return std::make_unique<Ranks>(MpiEndpointSettings{}); }
/// Pieces of 100 kB stand for those of 1 GiB, and no buffer is kept.
std::unique_ptr<ContractWorld> make_ranks_that_send_pieces() {
  return std::make_unique<Ranks>(MpiEndpointSettings{.piece_bytes = 100'000, .kept_bytes = 0});
}

std::unique_ptr<ContractWorld> make_ranks_that_share() {
  return std::make_unique<Ranks>(MpiEndpointSettings{}, &make_sharer);
}

INSTANTIATE_TEST_SUITE_P(mpi, EndpointContract, testing::Values(&make_ranks));
INSTANTIATE_TEST_SUITE_P(mpi_in_pieces, EndpointContract, testing::Values(&make_ranks_that_send_pieces));
INSTANTIATE_TEST_SUITE_P(shared_memory, EndpointContract, testing::Values(&make_ranks_that_share));

}  // namespace
}  // namespace pileus
