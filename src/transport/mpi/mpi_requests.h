#pragma once
// Non-blocking operations under way, each with what has to stay alive until it is complete.

#include <cstddef>
#include <utility>
#include <vector>

#include "transport/mpi/mpi_call.h"

namespace pileus {

template <class Held>
class MpiRequests {
 public:
  bool is_empty() const { return requests_.empty(); }

  void add(MPI_Request request, Held held) {
    requests_.push_back(request);
    held_.push_back(std::move(held));
  }

  /// What is complete now; never waits.
  std::vector<Held> take_completed() {
    std::vector<Held> completed;
    if (requests_.empty()) return completed;
    indices_.resize(requests_.size());
    statuses_.resize(requests_.size());
    int count = 0;
    const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                  indices_.data(), statuses_.data());
    if (code == MPI_ERR_IN_STATUS) {
      for (int i = 0; i < count; ++i) check_mpi(statuses_[i].MPI_ERROR, "MPI_Testsome");
    }
    check_mpi(code, "MPI_Testsome");
    if (count <= 0) return completed;
    for (int i = 0; i < count; ++i) completed.push_back(std::move(held_[indices_[i]]));
    remove_completed();
    return completed;
  }

  /// Lets go of what is not complete. MPI may still read and write what was held, so that is never freed.
  void abandon() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
    if (!held_.empty()) new std::vector<Held>(std::move(held_));
    requests_.clear();
    held_.clear();
  }

 private:
  void remove_completed() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      if (kept != i) {
        requests_[kept] = requests_[i];
        held_[kept] = std::move(held_[i]);
      }
      ++kept;
    }
    requests_.resize(kept);
    held_.resize(kept);
  }

  std::vector<MPI_Request> requests_;
  std::vector<Held> held_;
  std::vector<int> indices_;  // room for MPI_Testsome's answers
  std::vector<MPI_Status> statuses_;
};

}  // namespace pileus
