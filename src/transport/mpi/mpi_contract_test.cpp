#include "transport/contract_test.h"
#include "transport/mpi/mpi_call.h"
#include "transport/mpi/mpi_endpoint.h"

namespace pileus {
namespace {

/// The ranks of MPI_COMM_WORLD: run() is collective.
class Ranks : public ContractWorld {
 public:
  explicit Ranks(MpiEndpointSettings settings) : settings_(settings) {}

  Peer size() const override {
    int size = 0;
    check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    return static_cast<Peer>(size);
  }
  void meet() override { check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); }
  void run(const std::function<void(Endpoint&)>& body) override {
    const auto endpoint = make_mpi_endpoint(MPI_Comm_c2f(MPI_COMM_WORLD), settings_);
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
};

std::unique_ptr<ContractWorld> make_ranks() { return std::make_unique<Ranks>(MpiEndpointSettings{}); }
/// Pieces of 100 kB stand for those of 1 GiB, and no buffer is kept.
std::unique_ptr<ContractWorld> make_ranks_that_send_pieces() {
  return std::make_unique<Ranks>(MpiEndpointSettings{.piece_bytes = 100'000, .kept_bytes = 0});
}

INSTANTIATE_TEST_SUITE_P(mpi, EndpointContract, testing::Values(&make_ranks));
INSTANTIATE_TEST_SUITE_P(mpi_in_pieces, EndpointContract, testing::Values(&make_ranks_that_send_pieces));

}  // namespace
}  // namespace pileus
