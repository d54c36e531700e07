#pragma once
// Writes the parcel of one group in one step in place: a header, an entry for each field that the step wants
// of this rank, and the fields. Each field begins at a multiple of kFieldAlignment, a long one at a multiple
// of kLongFieldAlignment. Between entries and fields is a Loan for each field that may be lent.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "client/frames.h"
#include "transport/endpoint.h"
#include "transport/shared/loan.h"

namespace pileus {

/// A field of a sealed parcel that is lent.
struct LentField {
  Loan* loan = nullptr;
  std::byte* place = nullptr;  ///< in the parcel, for the array if it is taken back
  const std::byte* array = nullptr;
  std::size_t size_bytes = 0;
};

class ParcelWriter {
 public:
  /// `sizes_bytes`: the size of what this rank sends, for each field of the group. `shortest_loan`: a shorter
  /// field is never lent.
  explicit ParcelWriter(std::vector<std::uint64_t> sizes_bytes, std::uint64_t shortest_loan = kShortestLoan);

  /// Begins a step whose parcel holds `fields`, by increasing index. Allocates nothing.
  void lay_out(std::span<const std::uint32_t> fields);
  std::uint64_t size_bytes() const { return size_bytes_; }

  bool has_slot() const { return slot_ != nullptr; }
  /// REQUIRES: the slot has size_bytes().
  void set_slot(std::unique_ptr<Slot> slot);
  /// Marks the field as present and returns where to write it. REQUIRES: has_slot(), and the field is in the
  /// layout.
  std::byte* place(std::uint32_t field, Held held = Held::whole);
  /// Where to write it, of a field that is not marked before all of it is there. REQUIRES: as place().
  std::byte* part_place(std::uint32_t field);

  /// Nothing of the field is sent, whatever was written of it. REQUIRES: the field is in the layout.
  void take_out(std::uint32_t field) { entries_[entry_of_[field]].held = Held::nothing; }

  /// Whether the field is long enough to be lent.
  bool may_lend(std::uint32_t field) const { return sizes_bytes_[field] >= shortest_loan_; }
  /// Whether the receiver sees what is written into the parcel after it was sent. REQUIRES: has_slot().
  bool stays() const { return slot_->stays(); }
  /// Marks the field as lent, in place of placing it. `memory`, `offset`: as in Loan.
  /// REQUIRES: as place(), may_lend() and stays().
  void lend(std::uint32_t field, const std::byte* array, std::uint64_t memory, std::uint64_t offset);
  std::size_t lent() const;

  /// Fills in header, entries and loans, and writes zeros where nothing was placed. REQUIRES: has_slot().
  std::unique_ptr<Slot> seal(ParcelHeader header);
  /// What was lent in the parcel that was sealed last and begins at `first`.
  std::vector<LentField> loans(std::byte* first) const;

 private:
  struct Source {
    const std::byte* array = nullptr;
    std::uint64_t memory = 0, offset = 0;
  };
  std::uint64_t place_of_loan(const FieldEntry& entry) const {
    return first_loan(entries_.size()) + entry.loan() * kLoanBytes;
  }

  std::vector<std::uint64_t> sizes_bytes_;
  std::uint64_t shortest_loan_;
  std::vector<Source> sources_;         ///< by entry, of those that are lent
  std::vector<std::uint32_t> loan_of_;  ///< by entry: its number, of those that may be lent
  std::uint32_t loans_ = 0;
  std::vector<std::uint32_t> entry_of_;  ///< by field; stale for fields that are not in the layout
  std::vector<FieldEntry> entries_;
  std::uint64_t size_bytes_ = 0;
  std::unique_ptr<Slot> slot_;
};

}  // namespace pileus
