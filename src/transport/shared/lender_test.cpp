#include "transport/shared/lender.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "core/error.h"
#include "transport/shared/model_memory.h"

namespace pileus {
namespace {

TEST(ModelMemory, is_zero_and_begins_with_a_page_and_lasts_until_it_is_given_back) {
  for (const bool is_to_share : {true, false}) {
    std::shared_ptr<ModelMemory> memory = ModelMemory::make(5000, is_to_share);
    const std::weak_ptr<ModelMemory> watched = memory;
    std::byte* const first = memory->first();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 4096, 0U);
    EXPECT_TRUE(std::all_of(first, first + 5000, [](std::byte byte) { return byte == std::byte{0}; }));
    EXPECT_TRUE(memory->has(first, 5000));
    EXPECT_TRUE(memory->has(first + 4999, 1));
    EXPECT_FALSE(memory->has(first - 1, 2));
    EXPECT_FALSE(memory->has(first + 4999, 4096));
    EXPECT_EQ(memory->address().has_value(), is_to_share);

    memory.reset();
    EXPECT_FALSE(watched.expired()) << "the model has it";
    first[4999] = std::byte{1};
    memory = watched.lock();
    EXPECT_TRUE(ModelMemory::give_back(first));
    EXPECT_TRUE(memory->is_given_back());
    EXPECT_EQ(first[4999], std::byte{1}) << "somebody still reads it";
    EXPECT_FALSE(ModelMemory::give_back(first)) << "for the second time";
    memory.reset();
    EXPECT_TRUE(watched.expired());
  }
}

TEST(ModelMemory, takes_nothing_else_back) {
  alignas(4096) static std::byte pages[2 * 4096];
  EXPECT_FALSE(ModelMemory::give_back(pages + 4096));
  EXPECT_FALSE(ModelMemory::give_back(pages + 5000));
  EXPECT_FALSE(ModelMemory::give_back(nullptr));
}

Loan loan_of(const void* array, std::uint64_t memory = 0, std::uint64_t offset = 0) {
  return Loan{Loan::offered, 0, reinterpret_cast<std::uintptr_t>(array), memory, offset};
}

TEST(Lender, is_read_in_place_within_a_process) {
  const std::vector<double> array = {1, 2, 3};
  Lender lender;
  EXPECT_THROW(lender.bytes_of(loan_of(array.data()), 24), TransportError) << "it was not asked";

  EXPECT_TRUE(lender.is_readable(own_copy_probe()));

  EXPECT_EQ(static_cast<const void*>(lender.bytes_of(loan_of(array.data()), 24).here), array.data());
}

TEST(Lender, is_read_in_memory_that_both_have) {
  const std::shared_ptr<ModelMemory> memory = ModelMemory::make(4096, true);
  const MemoryAddress address = memory->address().value();
  const double values[] = {4, 5};
  std::memcpy(memory->first() + 8, values, sizeof values);
  const auto loan = loan_of(nullptr, address.token, memory->offset_of(memory->first() + 8));
  Lender lender;
  EXPECT_THROW(lender.bytes_of(loan, 16), TransportError) << "it is not open";

  ASSERT_TRUE(lender.open(address));
  const LentBytes bytes = lender.bytes_of(loan, 16);
  double found[2] = {};
  bytes.copy(std::as_writable_bytes(std::span(found)));

  EXPECT_TRUE(std::ranges::equal(found, values));
  EXPECT_NE(bytes.here, memory->first() + 8) << "another view of it";
  EXPECT_THROW(lender.bytes_of(loan, 4096), TransportError) << "beyond its end";
  EXPECT_THROW(lender.bytes_of(loan_of(nullptr, address.token, SIZE_MAX), 16), TransportError);
  lender.close(address.token);
  EXPECT_THROW(lender.bytes_of(loan, 16), TransportError);
  EXPECT_EQ(*reinterpret_cast<const double*>(bytes.here), 4) << "who has it keeps it";
  EXPECT_TRUE(ModelMemory::give_back(memory->first()));
}

TEST(Lender, is_not_open_where_there_is_no_such_memory) {
  const std::shared_ptr<ModelMemory> memory = ModelMemory::make(4096, true);
  MemoryAddress address = memory->address().value();
  ++address.token;
  EXPECT_FALSE(Lender().open(address));
  EXPECT_TRUE(ModelMemory::give_back(memory->first()));
}

/// Another process, which has an array of its own.
class OtherProcess {
 public:
  OtherProcess() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    process_ = fork();
    if (process_ == 0) {
      for (std::size_t i = 0; i < std::size(numbers_); ++i) numbers_[i] = static_cast<double>(i) + 0.5;
      const CopyProbe probe = own_copy_probe();
      _exit(write(ends[1], &probe, sizeof probe) == sizeof probe ? pause() : 1);
    }
    EXPECT_EQ(read(ends[0], &probe, sizeof probe), static_cast<ssize_t>(sizeof probe));
    close(ends[0]);
    close(ends[1]);
  }
  ~OtherProcess() { end(); }
  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  const double* numbers() const { return numbers_; }
  CopyProbe probe;

 private:
  static double numbers_[1000];
  pid_t process_ = 0;
};
double OtherProcess::numbers_[1000] = {};

TEST(Lender, is_copied_from_another_process_and_no_more_when_that_has_gone) {
  OtherProcess other;
  Lender lender;
  if (!lender.is_readable(other.probe)) GTEST_SKIP() << "the system does not let one process copy another's";
  const LentBytes bytes = lender.bytes_of(loan_of(other.numbers()), 8000);
  EXPECT_EQ(bytes.here, nullptr);
  std::vector<double> found(1000);

  bytes.copy(std::as_writable_bytes(std::span(found)));

  EXPECT_EQ(found[0], 0.5);
  EXPECT_EQ(found[999], 999.5);
  other.end();
  EXPECT_THROW(bytes.copy(std::as_writable_bytes(std::span(found))), TransportError);
  EXPECT_FALSE(lender.is_readable(other.probe));
}

TEST(Loan, is_claimed_or_taken_back_and_never_both) {
  Loan claimed{Loan::offered};
  EXPECT_EQ(claimed.claim(), Loan::read);
  EXPECT_EQ(claimed.claim(), Loan::none) << "for the second time";
  EXPECT_FALSE(claimed.begin_taking_back());
  EXPECT_FALSE(claimed.is_settled());
  claimed.give_back();
  EXPECT_TRUE(claimed.is_settled());

  Loan taken{Loan::offered};
  EXPECT_TRUE(taken.begin_taking_back());
  EXPECT_FALSE(taken.is_settled());
  EXPECT_TRUE(taken.end_taking_back());
  EXPECT_TRUE(taken.is_settled());
  EXPECT_EQ(taken.claim(), Loan::taken_back);

  Loan claimed_meanwhile{Loan::offered};
  EXPECT_TRUE(claimed_meanwhile.begin_taking_back());
  EXPECT_EQ(claimed_meanwhile.claim(), Loan::read_while_copying);
  EXPECT_FALSE(claimed_meanwhile.end_taking_back());
  EXPECT_FALSE(claimed_meanwhile.is_settled());
  claimed_meanwhile.give_back();
  EXPECT_TRUE(claimed_meanwhile.is_settled());
}

/// A lender that spoils its array as soon as it has it back, and a borrower that is now early and now late.
TEST(Loan, has_the_numbers_that_were_lent_whoever_comes_first) {
  constexpr int kLoans = 3000;
  std::array<double, 64> array = {}, place = {};
  Loan loan;
  std::atomic<int> offered = 0, done = 0;
  int wrong = 0;
  std::array<int, Loan::over + 1> claims = {};
  std::thread borrower([&] {
    for (int i = 1; i <= kLoans; ++i) {
      for (int now = offered; now < i; now = offered) offered.wait(now);
      if (i % 3 == 0) std::this_thread::yield();
      const Loan::State state = loan.claim();
      ++claims[state];
      const std::array<double, 64> found = state == Loan::taken_back ? place : array;
      if (state != Loan::taken_back) loan.give_back();
      wrong += static_cast<int>(std::ranges::count_if(found, [&](double number) { return number != i; }));
      done = i;
      done.notify_one();
    }
  });
  for (int i = 1; i <= kLoans; ++i) {
    array.fill(i);
    loan.state.store(Loan::offered, std::memory_order_relaxed);
    offered = i;
    offered.notify_one();
    if (i % 2 == 0) std::this_thread::yield();
    if (loan.begin_taking_back()) {
      std::ranges::copy(array, place.begin());
      loan.end_taking_back();
    }
    while (!loan.is_settled()) std::this_thread::yield();
    array.fill(-1);
    for (int now = done; now < i; now = done) done.wait(now);
  }
  borrower.join();

  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(claims[Loan::read] + claims[Loan::read_while_copying] + claims[Loan::taken_back], kLoans);
}

}  // namespace
}  // namespace pileus
