#include "streams/lent_array.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/error.h"

namespace pileus {
namespace {

/// A message in memory that both sides write, with the place of three doubles.
class SharedBytes : public Message {
 public:
  Peer from() const override { return 0; }
  std::span<const std::byte> bytes() const override { return std::as_bytes(std::span(place)); }
  double place[3] = {};
};

class LentArrayTest : public testing::Test {
 protected:
  LentArray lent(LentBytes bytes) {
    return {message, loan, std::move(bytes), std::as_writable_bytes(std::span(message->place))};
  }
  LentBytes here() const { return {reinterpret_cast<const std::byte*>(array.data())}; }
  static std::vector<double> numbers(const std::shared_ptr<const std::byte>& bytes) {
    std::vector<double> numbers(3);
    std::memcpy(numbers.data(), bytes.get(), 24);
    return numbers;
  }
  const void* place() const { return message->place; }

  std::vector<double> array = {1, 2, 3};
  std::shared_ptr<SharedBytes> message = std::make_shared<SharedBytes>();
  Loan loan{Loan::offered};
};

TEST_F(LentArrayTest, is_read_where_it_lies_and_given_back_when_nobody_reads_it) {
  std::shared_ptr<const std::byte> bytes = lent(here()).claim(false);
  std::shared_ptr<const std::byte> another = bytes;

  EXPECT_EQ(static_cast<const void*>(bytes.get()), array.data());
  EXPECT_EQ(LentArray::message_of(bytes).get(), message.get());
  bytes.reset();
  EXPECT_FALSE(loan.is_settled());
  another.reset();
  EXPECT_TRUE(loan.is_settled());
  EXPECT_EQ(message.use_count(), 1);
}

TEST_F(LentArrayTest, is_copied_into_its_message_if_it_is_kept) {
  const std::shared_ptr<const std::byte> bytes = lent(here()).claim(true);
  const std::vector<double> lent = array;

  EXPECT_TRUE(loan.is_settled());
  array[0] = -1;
  EXPECT_EQ(static_cast<const void*>(bytes.get()), place());
  EXPECT_EQ(numbers(bytes), lent);
  EXPECT_EQ(LentArray::message_of(bytes), bytes);
}

TEST_F(LentArrayTest, lies_in_its_message_once_it_is_taken_back) {
  ASSERT_TRUE(loan.begin_taking_back());
  message->place[2] = 7;
  ASSERT_TRUE(loan.end_taking_back());

  EXPECT_EQ(numbers(lent(here()).claim(false)), (std::vector<double>{0, 0, 7}));
  EXPECT_EQ(numbers(lent(here()).claim(true)), (std::vector<double>{0, 0, 7}));
}

TEST_F(LentArrayTest, is_copied_elsewhere_while_its_rank_writes_into_the_message) {
  ASSERT_TRUE(loan.begin_taking_back());

  const std::shared_ptr<const std::byte> bytes = lent(here()).claim(true);

  EXPECT_NE(static_cast<const void*>(bytes.get()), place());
  EXPECT_EQ(numbers(bytes), array);
  EXPECT_TRUE(loan.is_settled());
  EXPECT_FALSE(loan.end_taking_back());
}

TEST_F(LentArrayTest, is_given_back_though_it_cannot_be_read) {
  EXPECT_THROW(lent({nullptr, nullptr, {-1, 0, 1}, 8}).claim(false), TransportError);

  EXPECT_TRUE(loan.is_settled());
}

TEST_F(LentArrayTest, is_claimed_once) {
  loan.state = Loan::none;
  EXPECT_THROW(lent(here()).claim(false), TransportError);
}

}  // namespace
}  // namespace pileus
