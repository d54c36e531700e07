#pragma once
// The arrays of the last step that the model has promised to leave alone until its next one, and that its
// server reads where they lie. Before the model goes on they are all its own again.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "client/parcel_writer.h"
#include "client/server_link.h"

namespace pileus {

class Loans {
 public:
  /// Room for what one more parcel lends, so that add() does not fail.
  void expect(std::size_t loans);
  /// `kept`: keeps the parcel that the loans lie in.
  void add(const std::vector<LentField>& lent, std::shared_ptr<void> kept) noexcept;

  /// Takes back what the server has not claimed, into the parcels, and waits for what it reads, unless
  /// `has_server_gone` says that nobody reads. Errors: OutputError if this rank gives its server up.
  void settle(ServerLink& link, const std::function<bool()>& has_server_gone);
  /// The first part of it. Does not wait.
  void take_back() noexcept;
  bool are_settled() const;
  /// The server is done with everything.
  void forget() noexcept;

  std::uint64_t lent_bytes() const { return lent_bytes_; }
  std::uint64_t taken_back_bytes() const { return taken_back_bytes_; }
  std::chrono::nanoseconds waited() const { return waited_; }

 private:
  std::vector<LentField> lent_;
  std::vector<std::shared_ptr<void>> kept_;
  std::uint64_t lent_bytes_ = 0, taken_back_bytes_ = 0;
  std::chrono::nanoseconds waited_{0};
};

}  // namespace pileus
