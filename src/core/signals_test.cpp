#include "core/signals.h"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

namespace pileus {
namespace {

volatile std::sig_atomic_t calls = 0;
void count_call(int) { calls = calls + 1; }
void count_call_with_info(int, siginfo_t* info, void*) { calls = calls + (info != nullptr ? 10 : 1000); }

struct sigaction current(int number) {
  struct sigaction action = {};
  sigaction(number, nullptr, &action);
  return action;
}

const std::vector<std::string> kTermAndUser = {"TERM", "USR1"};

class Signals : public testing::Test {
 protected:
  void SetUp() override { calls = 0; }
  void TearDown() override {
    signal(SIGTERM, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
  }
};

TEST_F(Signals, have_words_and_numbers) {
  for (const std::string& word : signal_words()) EXPECT_TRUE(signal_number(word)) << word;
  EXPECT_EQ(signal_number("TERM"), SIGTERM);
  for (const char* word : {"SIGTERM", "KILL", "STOP", "SEGV", "term", ""})
    EXPECT_FALSE(signal_number(word)) << word;
}

TEST_F(Signals, are_counted_and_do_not_end_the_process) {
  const SignalWatch watch(kTermAndUser);
  EXPECT_EQ(watch.count(), 0);

  raise(SIGTERM);
  raise(SIGUSR1);
  raise(SIGTERM);

  EXPECT_EQ(watch.count(), 3);
  EXPECT_EQ(SignalWatch(kTermAndUser).count(), 0);  // signals before it was made do not count
}

TEST_F(Signals, are_handed_on_to_whom_they_went_before) {
  signal(SIGTERM, count_call);
  struct sigaction with_info = {};
  with_info.sa_sigaction = count_call_with_info;
  with_info.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &with_info, nullptr);
  const SignalWatch watch(kTermAndUser);

  raise(SIGTERM);
  raise(SIGUSR1);

  EXPECT_EQ(calls, 11);
  EXPECT_EQ(watch.count(), 2);
}

TEST_F(Signals, are_given_back_by_the_last_that_watches) {
  signal(SIGTERM, count_call);
  auto first = std::make_unique<SignalWatch>(kTermAndUser);
  auto second = std::make_unique<SignalWatch>(kTermAndUser);

  first.reset();
  raise(SIGTERM);
  EXPECT_EQ(second->count(), 1);
  second.reset();

  EXPECT_EQ(current(SIGTERM).sa_handler, count_call);
  EXPECT_EQ(current(SIGUSR1).sa_handler, SIG_DFL);
}

TEST_F(Signals, stay_with_whom_took_them_meanwhile) {
  auto watch = std::make_unique<SignalWatch>(kTermAndUser);
  signal(SIGTERM, count_call);

  watch.reset();

  EXPECT_EQ(current(SIGTERM).sa_handler, count_call);
}

TEST_F(Signals, that_were_ignored_stay_without_effect_on_the_process) {
  signal(SIGUSR1, SIG_IGN);
  const SignalWatch watch(kTermAndUser);

  raise(SIGUSR1);

  EXPECT_EQ(watch.count(), 1);
}

}  // namespace
}  // namespace pileus
