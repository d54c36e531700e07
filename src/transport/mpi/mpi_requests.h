#pragma once
// Non-blocking operations under way, each with what has to stay alive until it is complete.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "transport/mpi/mpi_call.h"

namespace pileus {

template <class Held>
class MpiRequests {
 public:
  bool is_empty() const { return requests_.empty(); }

  /// So many calls of add() need no memory.
  void reserve_for(std::size_t count = 1) {
    const std::size_t needed = requests_.size() + count;
    if (needed > requests_.capacity()) requests_.reserve(needed + requests_.size() + kWindow);
    if (needed > held_.capacity()) held_.reserve(needed + held_.size() + kWindow);
  }

  /// A small message is often complete at once, and then not kept; a large one is not, and asking costs.
  /// Returns whether it was complete.
  bool add(MPI_Request request, std::size_t bytes, Held held) {
    int is_complete = 0;
    if (bytes <= kSmallBytes) check_mpi(MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_complete) return true;
    requests_.push_back(request);
    held_.push_back(std::move(held));
    return false;
  }

  /// Some of what is complete now; never waits. A few at a time are looked at, in turn: with thousands under
  /// way the looking would cost more than the sending. Valid until the next call.
  std::span<Held> take_completed() {
    completed_.clear();
    if (requests_.empty()) return {};
    if (next_ >= requests_.size()) next_ = 0;
    const std::size_t window = std::min(kWindow, requests_.size() - next_);
    completed_.reserve(window);
    int count = 0;
    const int code =
        MPI_Testsome(static_cast<int>(window), &requests_[next_], &count, indices_.data(), statuses_.data());
    if (code == MPI_ERR_IN_STATUS) {
      for (int i = 0; i < count; ++i) check_mpi(statuses_[i].MPI_ERROR, "MPI_Testsome");
    }
    check_mpi(code, "MPI_Testsome");
    for (int i = 0; i < count; ++i) completed_.push_back(std::move(held_[next_ + indices_[i]]));
    remove_completed(window);
    return completed_;
  }

  /// Lets go of what is not complete. MPI may still read and write what was held, so that is never freed.
  void abandon() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
    if (!held_.empty()) new std::vector<Held>(std::move(held_));
    requests_.clear();
    held_.clear();
  }

 private:
  static constexpr std::size_t kWindow = 64;
  static constexpr std::size_t kSmallBytes = 4096;

  /// Fills the gaps in the window from the end, and goes on behind the window.
  void remove_completed(std::size_t window) {
    for (std::size_t i = next_ + window; i-- > next_;) {
      if (requests_[i] != MPI_REQUEST_NULL) continue;
      requests_[i] = requests_.back();
      if (i + 1 != held_.size()) held_[i] = std::move(held_.back());
      requests_.pop_back();
      held_.pop_back();
    }
    next_ += window;
  }

  std::vector<MPI_Request> requests_;
  std::vector<Held> held_;
  std::vector<Held> completed_;
  std::size_t next_ = 0;              // where the next window begins
  std::array<int, kWindow> indices_;  // for MPI_Testsome's answers
  std::array<MPI_Status, kWindow> statuses_;
};

}  // namespace pileus
