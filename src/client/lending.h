#pragma once
// Which of the model's arrays its server can read where they lie: the rank asks once for each memory that
// Pileus gave, and once for all others. Until the answer has come arrays are copied.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "client/server_link.h"
#include "transport/shared/model_memory.h"
#include "transport/shared/single_copy.h"

namespace pileus {

class Lending {
 public:
  /// REQUIRES: the link outlives it.
  explicit Lending(ServerLink& link) : link_(link) {}

  /// Memory for the model's arrays, all zero. Errors: std::bad_alloc.
  void* allocate(std::size_t bytes);

  /// Where an array lies, for Loan.
  struct Place {
    std::uint64_t memory = 0;  ///< the token; 0: in none that Pileus gave
    std::uint64_t offset = 0;
  };
  /// nullopt: the server cannot read it, or is not known to. Any thread.
  std::optional<Place> find(const std::byte* first, std::size_t bytes);

  /// Whether the process of the server has ended, as far as that can be seen from here.
  bool has_server_gone() const { return is_server_seen_ && !may_copy_from(server_); }

  /// Asks what is to be asked, takes answers, and lets go of memory that the model has given back.
  /// REQUIRES: the run is committed, and nothing is lent.
  void go_on();

 private:
  enum class Answer { not_asked, wanted, asked, yes, no };
  struct Memory {
    std::shared_ptr<ModelMemory> memory;
    Answer answer = Answer::not_asked;
    std::uint64_t token = 0;
  };
  void ask();
  void take_answers();
  void let_go();

  ServerLink& link_;
  std::mutex mutex_;  ///< guards what follows: threads that put look for their arrays while others allocate
  std::vector<Memory> memories_;
  Answer elsewhere_ = Answer::not_asked;
  CopyProbe server_ = {};
  bool is_server_seen_ = false;
};

}  // namespace pileus
