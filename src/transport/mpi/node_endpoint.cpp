#include "transport/mpi/node_endpoint.h"

#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/log.h"
#include "transport/mpi/mpi_call.h"
#include "transport/shared/shared_endpoint.h"
#include "transport/shared/single_copy.h"

namespace pileus {
namespace {

/// The ranks of the communicator that run on this node.
class Node {
 public:
  explicit Node(MPI_Comm world) {
    int rank = 0;
    check_mpi(MPI_Comm_rank(world, &rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node_),
              "MPI_Comm_split_type");
    int size = 0;
    check_mpi(MPI_Comm_size(node_, &size), "MPI_Comm_size");
    std::vector<int> all(static_cast<std::size_t>(size));
    check_mpi(MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, node_), "MPI_Allgather");
    ranks_.assign(all.begin(), all.end());
  }
  ~Node() { MPI_Comm_free(&node_); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::vector<Peer>& ranks() const { return ranks_; }
  int least_of_all(int mine) const {
    int of_all = 0;
    check_mpi(MPI_Allreduce(&mine, &of_all, 1, MPI_INT, MPI_MIN, node_), "MPI_Allreduce");
    return of_all;
  }
  /// Of the rank behind this one, and for the last one of the first.
  CopyProbe next_probe() const {
    int rank = 0;
    check_mpi(MPI_Comm_rank(node_, &rank), "MPI_Comm_rank");
    const int size = static_cast<int>(ranks_.size());
    const CopyProbe mine = own_copy_probe();
    CopyProbe next;
    check_mpi(MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, (rank + size - 1) % size, 0, &next, sizeof next,
                           MPI_BYTE, (rank + 1) % size, 0, node_, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
    return next;
  }

 private:
  MPI_Comm node_ = MPI_COMM_NULL;
  std::vector<Peer> ranks_;
};

/// Open MPI can be told to copy twice, as containers without the right to copy at once are often advised.
bool is_mpi_told_to_copy_twice() {
  const char* const text = std::getenv("OMPI_MCA_btl_vader_single_copy_mechanism");
  return text != nullptr && std::string_view(text) == "none";
}

/// When ranks of the node share memory; nullopt: never. The same on all of them.
std::optional<SharedEndpoint::Offers> sharing_of(const Node& node) {
  const auto asked = static_cast<SharesMemory>(node.least_of_all(static_cast<int>(shares_memory())));
  if (asked == SharesMemory::no) return std::nullopt;
  if (asked == SharesMemory::yes) return SharedEndpoint::Offers::when_budget_is_set;
  const bool copies_once = may_copy_from(node.next_probe()) && !is_mpi_told_to_copy_twice();
  return node.least_of_all(copies_once ? 1 : 0) == 0 ? SharedEndpoint::Offers::when_budget_is_set
                                                     : SharedEndpoint::Offers::when_asked;
}

std::shared_ptr<SharedMemory> memory_for_a_bell() {
  try {
    return std::make_shared<SharedMemory>(Bell::kBytes);
  } catch (const std::exception& error) {
    log::debug(std::string(error.what()) + "; messages within the node go by MPI");
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<Endpoint> make_node_endpoint(int fortran_communicator, MpiEndpointSettings settings) {
  const Node node(MPI_Comm_f2c(fortran_communicator));
  settings.near = node.ranks();
  std::unique_ptr<Endpoint> mpi = make_mpi_endpoint(fortran_communicator, settings);
  if (node.ranks().size() == 1) return mpi;
  const std::optional<SharedEndpoint::Offers> sharing = sharing_of(node);
  if (!sharing) return mpi;
  std::shared_ptr<SharedMemory> memory = memory_for_a_bell();
  if (node.least_of_all(memory != nullptr ? 1 : 0) == 0) return mpi;
  return std::make_unique<SharedEndpoint>(std::move(mpi), node.ranks(), std::move(memory), *sharing,
                                          settings.meanwhile);
}

}  // namespace pileus
