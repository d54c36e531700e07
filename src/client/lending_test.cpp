// What a model rank lends and takes back, against a server that is a script.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "client/loan_frames.h"
#include "client/testing/fake_server.h"
#include "transport/shared/loan.h"
#include "transport/shared/model_memory.h"

namespace pileus {
namespace {

/// A server whose messages stay where they were written, so that it sees what is written later.
class NearServer : public FakeServer {
 public:
  std::vector<std::shared_ptr<std::vector<std::byte>>> parcels;
  bool keeps_messages_here = true;
  int asked_to_share = 0;
  std::function<void()> on_rest;

  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override {
    if (channel == kControl || channel == kStepChannel) return FakeServer::claim(to, channel, bytes);
    return std::make_unique<NearSlot>(*this, bytes);
  }
  void commit(std::unique_ptr<Slot> slot) override {
    auto* const near = dynamic_cast<NearSlot*>(slot.get());
    if (near == nullptr) return FakeServer::commit(std::move(slot));
    parcels.push_back(near->memory);
  }
  void rest(std::chrono::microseconds limit) override {
    if (on_rest) on_rest();
    FakeServer::rest(limit);
  }
  bool may_share_memory_with(Peer) const override { return true; }
  void share_memory_with(Peer) override { ++asked_to_share; }
  void answer(std::uint64_t memory, bool is_readable, const CopyProbe& probe = {}) {
    replies.push_back(LoanAnswer{memory, is_readable, probe}.encode());
  }

  FieldEntry entry(std::size_t i) const {
    FieldEntry entry;
    std::memcpy(&entry, parcels.back()->data() + sizeof(ParcelHeader) + i * sizeof entry, sizeof entry);
    return entry;
  }
  Loan& loan(std::size_t fields, std::uint32_t number = 0) {
    return *reinterpret_cast<Loan*>(parcels.back()->data() + first_loan(fields) + number * kLoanBytes);
  }
  std::vector<double> values(std::size_t i) const {
    std::vector<double> values(entry(i).size_bytes / sizeof(double));
    std::memcpy(values.data(), parcels.back()->data() + entry(i).offset, entry(i).size_bytes);
    return values;
  }

  LoanQuestion first_question() const {
    const std::vector<SentMessage> asked = sent_of(FrameKind::loan_question);
    Decoder in(asked.at(0).bytes);
    in.get<FrameKind>();
    return LoanQuestion::decode(in);
  }

 private:
  struct NearSlot : Slot {
    NearSlot(NearServer& owner, std::size_t size)
        : server(owner), memory(std::make_shared<std::vector<std::byte>>(size, std::byte{0xEE})) {}
    std::span<std::byte> bytes() override { return *memory; }
    bool stays() const override { return server.keeps_messages_here; }
    std::shared_ptr<void> keep() override { return memory; }
    NearServer& server;
    std::shared_ptr<std::vector<std::byte>> memory;
  };
};

constexpr std::size_t kSize = kShortestLoan / sizeof(double);
constexpr auto kStable = Client::Lasting::until_next_step;

/// A committed rank with a field u of kSize doubles and a short one, whose server reads arrays anywhere.
class LendingTest : public testing::Test {
 protected:
  LendingTest() {
    const auto size = static_cast<Index>(kSize);
    client.field({"u", ElementType::float64, {}, {{}, {size}}});
    client.field({"v", ElementType::float64, {}, {{}, {2}}});
    server.reply_demand(demand_for(
        {{"u", ElementType::float64, false, true, {0}}, {"v", ElementType::float64, false, true, {0}}}));
    client.commit();
  }
  void begin(std::int64_t step) { client.begin({step, static_cast<double>(step), 1}, false); }
  void step(std::int64_t number) {
    begin(number);
    client.put(0, u.data(), nullptr, kStable);
    client.put(1, v, nullptr, kStable);
    client.end();
  }
  /// Two steps until the server has been asked and has answered.
  void lend(const CopyProbe& probe = {}) {
    step(1);
    server.answer(0, true, probe);
    begin(2);
    client.end();
    step(3);
  }

  NearServer server;
  std::vector<double> u = std::vector<double>(kSize, 1.5);
  const double v[2] = {7, 8};
  Client client{server, 1, 0};
};

TEST_F(LendingTest, copies_until_the_server_has_said_that_it_can_read_the_array) {
  step(1);
  EXPECT_EQ(server.entry(0).held, Held::whole);
  EXPECT_EQ(server.values(0), u);
  EXPECT_TRUE(server.sent_of(FrameKind::loan_question).empty());

  step(2);
  EXPECT_EQ(server.entry(0).held, Held::whole);
  ASSERT_EQ(server.sent_of(FrameKind::loan_question).size(), 1U);
  EXPECT_EQ(server.asked_to_share, 1);
  const LoanQuestion question = server.first_question();
  EXPECT_EQ(question.memory.token, 0U);
  EXPECT_EQ(question.probe.word, own_copy_probe().word);

  server.answer(0, true);
  step(3);
  EXPECT_EQ(server.entry(0).held, Held::first_loan);
  EXPECT_EQ(server.loan(2).address, reinterpret_cast<std::uintptr_t>(u.data()));
  EXPECT_EQ(server.entry(1).held, Held::whole) << "it is short";
  EXPECT_EQ(server.values(1), (std::vector<double>{7, 8}));
}

TEST_F(LendingTest, never_asks_again_where_the_answer_is_no_and_asks_nothing_without_stable_arrays) {
  begin(1);
  client.put(0, u.data(), nullptr);
  client.end();
  begin(2);
  client.end();
  EXPECT_TRUE(server.sent_of(FrameKind::loan_question).empty());

  step(3);
  begin(4);
  client.end();
  server.answer(0, false);
  for (int number = 5; number < 8; ++number) step(number);

  EXPECT_EQ(server.sent_of(FrameKind::loan_question).size(), 1U);
  EXPECT_EQ(server.entry(0).held, Held::whole);
}

TEST_F(LendingTest, takes_back_what_is_not_claimed_into_the_parcel) {
  lend();
  const std::vector<double> lent = u;

  begin(4);
  EXPECT_TRUE(server.loan(2).is_settled());
  std::ranges::fill(u, -1);

  EXPECT_EQ(server.loan(2).claim(), Loan::taken_back);
  EXPECT_EQ(server.values(0), lent);
}

TEST_F(LendingTest, takes_back_where_the_servers_cannot_be_told_that_the_run_is_over) {
  lend();
  const std::vector<double> lent = u;
  server.is_control_broken = true;

  EXPECT_THROW(client.finish(), std::bad_alloc);
  EXPECT_EQ(client.state(), RunState::finish_failed);
  std::ranges::fill(u, -1);
  EXPECT_EQ(server.loan(2).claim(), Loan::taken_back);
  EXPECT_EQ(server.values(0), lent);
  server.is_control_broken = false;
}

TEST_F(LendingTest, takes_back_where_no_farewell_comes) {
  lend();
  const std::vector<double> lent = u;
  server.reply_text(static_cast<FrameKind>(77), "");

  EXPECT_THROW(client.finish(), TransportError);
  std::ranges::fill(u, -1);
  EXPECT_EQ(server.loan(2).claim(), Loan::taken_back);
  EXPECT_EQ(server.values(0), lent);
}

TEST_F(LendingTest, waits_for_what_is_read) {
  lend();
  EXPECT_EQ(server.loan(2).claim(), Loan::read);
  int rests = 0;
  server.on_rest = [&] {
    if (++rests == 3) server.loan(2).give_back();
  };

  begin(4);

  EXPECT_EQ(rests, 3);
  EXPECT_NE(server.values(0), u) << "nothing was copied";
}

TEST_F(LendingTest, waits_no_longer_than_for_a_server_that_is_gone) {
  lend();
  EXPECT_EQ(server.loan(2).claim(), Loan::read);
  server.reply_farewell(4, "it failed");

  EXPECT_THROW(begin(4), OutputError);
}

TEST_F(LendingTest, waits_no_longer_than_for_a_process_that_has_ended) {
  const pid_t process = fork();
  if (process == 0) _exit(pause());
  CopyProbe probe = own_copy_probe();
  probe.process = process;
  const bool is_seen = may_copy_from(probe);
  lend(probe);
  EXPECT_EQ(server.loan(2).claim(), Loan::read);
  int rests = 0;
  server.on_rest = [&] {
    if (++rests == 3) kill(process, SIGKILL);
    if (!is_seen && rests > 3) server.loan(2).give_back();
  };

  begin(4);

  EXPECT_GE(rests, 3);
  EXPECT_FALSE(is_seen && server.loan(2).is_settled()) << "nobody has given it back";
  waitpid(process, nullptr, 0);
}

TEST_F(LendingTest, copies_what_servers_cannot_take_as_it_lies) {
  lend();
  begin(4);
  std::vector<double> wide(2 * kSize, 3.0);
  const Index two[] = {16};
  client.put(0, wide.data(), two, kStable);
  client.end();
  EXPECT_EQ(server.entry(0).held, Held::whole) << "strides";

  begin(5);
  const auto* const odd = reinterpret_cast<const std::byte*>(wide.data()) + 1;
  client.put(0, odd, nullptr, kStable);
  client.end();
  EXPECT_EQ(server.entry(0).held, Held::whole) << "not aligned";

  server.keeps_messages_here = false;
  step(6);
  EXPECT_EQ(server.entry(0).held, Held::whole) << "messages by MPI";
}

TEST_F(LendingTest, tells_the_end_how_much_it_has_lent) {
  lend();
  begin(4);
  client.put(0, u.data(), nullptr, kStable);
  client.end();
  EXPECT_EQ(server.loan(2).claim(), Loan::read);
  server.loan(2).give_back();
  begin(5);
  client.end();
  server.reply_farewell(0, "");
  client.finish();

  const auto frame = server.sent_of(FrameKind::finish)[0].at<FinishFrame>(0);
  EXPECT_EQ(frame.lent_bytes, 2 * kShortestLoan);
  EXPECT_EQ(frame.taken_back_bytes, kShortestLoan);
}

TEST_F(LendingTest, says_where_in_memory_of_its_own_an_array_lies_until_that_is_given_back) {
  auto* const first = static_cast<std::byte*>(client.allocate(2 * kShortestLoan));
  begin(1);
  client.end();
  ASSERT_EQ(server.sent_of(FrameKind::loan_question).size(), 1U);
  const LoanQuestion question = server.first_question();
  EXPECT_NE(question.memory.token, 0U);
  server.answer(question.memory.token, true);

  begin(2);
  client.put(0, first + kShortestLoan, nullptr, kStable);
  client.end();
  EXPECT_EQ(server.loan(2).memory, question.memory.token);
  EXPECT_EQ(server.loan(2).offset, 4096 + kShortestLoan);

  EXPECT_TRUE(ModelMemory::give_back(first));
  EXPECT_TRUE(server.sent_of(FrameKind::loan_end).empty()) << "it is lent";
  begin(3);
  EXPECT_EQ(server.loan(2).claim(), Loan::taken_back);
  EXPECT_EQ(server.sent_of(FrameKind::loan_end).size(), 1U);
}

}  // namespace
}  // namespace pileus
