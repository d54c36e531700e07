#pragma once
// Memory that Pileus gives to a model for its arrays, so that a server of the node can read them where they
// lie. It belongs to the model until that gives it back, whatever becomes of the run.

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>

#include "transport/shared/shared_memory.h"

namespace pileus {

class ModelMemory {
 public:
  /// Of `bytes` bytes, all zero, from the beginning of a page. `is_to_share`: other processes of the node may
  /// open it, where the system gives such memory; otherwise it is memory as any other. The model has it until
  /// give_back(), and whoever else holds the pointer longer. Errors: std::bad_alloc.
  static std::shared_ptr<ModelMemory> make(std::size_t bytes, bool is_to_share);
  ~ModelMemory();
  ModelMemory(const ModelMemory&) = delete;
  ModelMemory& operator=(const ModelMemory&) = delete;

  std::byte* first() const;
  bool has(const void* first, std::size_t bytes) const;
  /// Where other processes find it, with what lies before first(); nullopt where they do not.
  std::optional<MemoryAddress> address() const;
  std::size_t offset_of(const void* first) const;
  /// Nobody else opens it any more. It takes a descriptor of the process until then.
  void close() {
    if (shared_) shared_->close();
  }
  bool is_given_back() const { return is_given_back_.load(std::memory_order_acquire); }

  /// The model needs no memory any more that it got as `first`. False if it is none, or was given back.
  static bool give_back(void* first) noexcept;

 private:
  struct Header;
  ModelMemory(std::size_t bytes, bool is_to_share);
  Header* header() const;

  std::unique_ptr<SharedMemory> shared_;
  std::byte* page_ = nullptr;  ///< the one before first()
  std::size_t size_ = 0;       ///< with that page
  std::atomic<bool> is_given_back_ = false;
};

}  // namespace pileus
