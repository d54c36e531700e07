#include "serve/hosted_servers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace pileus {
namespace {

/// Has so much to do, and is over when it is done; writes down what happens to it.
class CountedHost : public ServerHost {
 public:
  CountedHost(std::string name, int work, std::string& happened)
      : name_(std::move(name)), work_(work), happened_(happened) {}
  ~CountedHost() override { happened_ += "-" + name_; }

  bool poll() override {
    happened_ += name_;
    return work_-- > 0;
  }
  bool is_finished() const override { return work_ <= 0; }
  bool is_working() const override { return false; }
  bool is_watching() const override { return false; }
  bool was_refused() const override { return false; }
  const char* errors() override { return ""; }
  const char* report() override { return name_.c_str(); }

 private:
  std::string name_;
  int work_;
  std::string& happened_;
};

/// Rests are told; its end waits, as for ranks that part late, and lets others go on.
class CountedEndpoint : public Endpoint {
 public:
  explicit CountedEndpoint(std::string& happened, std::function<void()> at_end = {})
      : happened_(happened), at_end_(std::move(at_end)) {}
  ~CountedEndpoint() override {
    if (at_end_) at_end_();
  }
  Peer self() const override { return 0; }
  Peer size() const override { return 1; }
  void set_budget(Peer, std::size_t) override {}
  std::unique_ptr<Slot> claim(Peer, Channel, std::size_t) override { return nullptr; }
  void commit(std::unique_ptr<Slot>) override {}
  std::shared_ptr<Message> receive() override { return nullptr; }
  void rest(std::chrono::microseconds limit) override {
    happened_ += "z";
    longest_ = std::max(longest_, limit);
  }
  std::chrono::microseconds longest() const { return longest_; }
  bool is_all_sent() override { return true; }

 private:
  std::string& happened_;
  std::function<void()> at_end_;
  std::chrono::microseconds longest_{0};
};

TEST(HostedServers, go_on_in_turn_and_end_one_by_one) {
  std::string happened;
  HostedServers servers;
  servers.add(std::make_unique<CountedHost>("a", 1, happened), std::make_unique<CountedEndpoint>(happened));
  servers.add(std::make_unique<CountedHost>("b", 3, happened), std::make_unique<CountedEndpoint>(happened));

  servers.serve([&](std::size_t, ServerHost& host) { happened += "(" + std::string(host.report()) + ")"; },
                [&](std::size_t number) { happened += std::to_string(number); });

  EXPECT_EQ(happened, "ab(a)-a0bb(b)-b1");
}

TEST(HostedServers, go_on_while_another_ones_endpoint_ends) {
  std::string happened;
  HostedServers servers;
  const auto end_slowly = [&] {
    for (int i = 0; i < 2; ++i) servers.poll();
    happened += "]";
  };
  servers.add(std::make_unique<CountedHost>("a", 1, happened),
              std::make_unique<CountedEndpoint>(happened, end_slowly));
  servers.add(std::make_unique<CountedHost>("b", 5, happened), std::make_unique<CountedEndpoint>(happened));

  servers.serve([](std::size_t, ServerHost&) {}, [](std::size_t) {});

  EXPECT_EQ(happened, "ab-abb]bb-b");
}

/// Has nothing to do until so many rests have passed.
class WaitingHost : public CountedHost {
 public:
  WaitingHost(int rests, std::string& happened)
      : CountedHost("w", 1, happened), rests_(rests), text_(happened) {}
  bool poll() override {
    const bool is_there = std::ranges::count(text_, 'z') >= rests_;
    return is_there && CountedHost::poll();
  }

 private:
  int rests_;
  std::string& text_;
};

TEST(HostedServers, rest_while_none_has_anything_to_do) {
  std::string happened;
  HostedServers servers;
  servers.add(std::make_unique<CountedHost>("a", 2, happened), std::make_unique<CountedEndpoint>(happened));
  servers.add(std::make_unique<WaitingHost>(3, happened), std::make_unique<CountedEndpoint>(happened));

  servers.serve([](std::size_t, ServerHost&) {}, [](std::size_t) {});

  EXPECT_EQ(happened, "aa-azzzw-w");
}

/// Its last task ends after it has looked, and wakes nobody.
class TaskEndsLate : public WaitingHost {
 public:
  using WaitingHost::WaitingHost;
  bool poll() override {
    const bool did_anything = WaitingHost::poll();
    is_working_ = false;
    return did_anything;
  }
  bool is_working() const override { return is_working_; }

 private:
  bool is_working_ = true;
};

TEST(HostedServers, rest_shortly_where_a_task_may_have_ended_unseen) {
  std::string happened;
  HostedServers servers;
  auto endpoint = std::make_unique<CountedEndpoint>(happened);
  const CountedEndpoint& rested = *endpoint;
  std::chrono::microseconds longest{0};
  servers.add(std::make_unique<TaskEndsLate>(1, happened), std::move(endpoint));

  servers.serve([&](std::size_t, ServerHost&) { longest = rested.longest(); }, [](std::size_t) {});

  EXPECT_LE(longest, std::chrono::milliseconds(5));
  EXPECT_GT(longest, std::chrono::microseconds(0));
}

}  // namespace
}  // namespace pileus
