// A network that fails one call, or takes a model rank or a server away, at any moment. What was published is
// right. A failed call ends the run, and all are told; who waits for a lost one is named, as nobody can know.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "exec/seeded_random.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

constexpr const char* kWords = "the network is down";

std::uint64_t seeds() { return static_cast<std::uint64_t>(std::max(10, orders_of_arrival() / 2)); }

/// What happens to one peer, when it has made so many calls.
struct Fault {
  Peer peer = 0;
  std::int64_t after_calls = 0;
  bool is_lost = false;  ///< it hears nothing any more, and nobody hears it; otherwise one call fails
};

/// An endpoint with a fault.
class FaultyEndpoint : public Endpoint {
 public:
  /// `calls`: of this peer so far.
  FaultyEndpoint(std::unique_ptr<Endpoint> inner, const Fault& fault, std::int64_t& calls)
      : inner_(std::move(inner)), fault_(fault), calls_(calls) {}

  Peer self() const override { return inner_->self(); }
  Peer size() const override { return inner_->size(); }
  void set_budget(Peer to, std::size_t bytes) override { inner_->set_budget(to, bytes); }
  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override {
    if (count()) return std::make_unique<LostSlot>(bytes);
    std::unique_ptr<Slot> slot = inner_->claim(to, channel, bytes);
    return slot ? std::make_unique<FoundSlot>(std::move(slot)) : nullptr;
  }
  void commit(std::unique_ptr<Slot> slot) override {
    auto* const found = dynamic_cast<FoundSlot*>(slot.get());
    if (!count() && found != nullptr) inner_->commit(std::move(found->inner));
  }
  std::shared_ptr<Message> receive() override { return count() ? nullptr : inner_->receive(); }
  void rest(std::chrono::microseconds limit) override { inner_->rest(limit); }
  bool is_all_sent() override { return inner_->is_all_sent(); }
  bool has_anything_under_way() const override { return inner_->has_anything_under_way(); }

 private:
  struct LostSlot : Slot {
    explicit LostSlot(std::size_t size) : room(size) {}
    std::span<std::byte> bytes() override { return room; }
    std::vector<std::byte> room;
  };
  struct FoundSlot : Slot {
    explicit FoundSlot(std::unique_ptr<Slot> slot) : inner(std::move(slot)) {}
    std::span<std::byte> bytes() override { return inner->bytes(); }
    std::unique_ptr<Slot> inner;
  };

  /// True if this call is lost. Errors: TransportError at the one that fails.
  bool count() {
    const std::int64_t before = calls_++;
    if (!fault_.is_lost && before == fault_.after_calls) throw TransportError(kWords);
    return fault_.is_lost && before >= fault_.after_calls;
  }

  std::unique_ptr<Endpoint> inner_;
  Fault fault_;
  std::int64_t& calls_;
};

std::map<std::string, std::string> published_in(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(".") || entry.is_directory()) continue;
    std::ostringstream bytes;
    bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    files[name] = bytes.str();
  }
  return files;
}

/// What became of a run.
struct Outcome {
  bool stood_still = false;
  std::string waits;  ///< who waited, if it stood still
  std::int64_t calls = 0;
  std::string directory;
  SimulatedResult result;  ///< if it ended
};

class LostPeers : public ScenarioTest {
 protected:
  Outcome run(RunLayout layout, std::uint64_t seed, const Fault& fault) {
    Outcome outcome;
    outcome.directory = folder_ + "/" + std::to_string(runs_++);
    std::filesystem::create_directories(outcome.directory);
    SimulatedRun run;
    run.configuration = kPlaneConfiguration;
    run.ranks = layout.ranks;
    run.servers = layout.servers;
    run.seed = seed;
    run.directory = outcome.directory;
    PlaneModel model;
    model.ranks = layout.ranks;
    run.model = model;
    run.change_endpoint = [&](std::unique_ptr<Endpoint> endpoint) -> std::unique_ptr<Endpoint> {
      if (endpoint->self() != fault.peer) return endpoint;
      return std::make_unique<FaultyEndpoint>(std::move(endpoint), fault, outcome.calls);
    };
    try {
      outcome.result = simulate(run);
    } catch (const std::exception& error) {
      outcome.stood_still = true;
      outcome.waits = error.what();
    }
    return outcome;
  }
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/lost_peers_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// A fault somewhere in the run of a random layout.
  Fault some_fault(SeededRandom& random, RunLayout layout, std::uint64_t seed, bool is_lost) {
    Fault fault;
    fault.peer = static_cast<Peer>(random.below(layout.ranks + layout.servers));
    fault.after_calls = INT64_MAX;
    const std::int64_t calls = run(layout, seed, fault).calls;
    EXPECT_GT(calls, 10);
    fault.after_calls = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(calls)));
    fault.is_lost = is_lost;
    return fault;
  }

  std::string folder_;
  int runs_ = 0;
};

std::string name_of(const Fault& fault, RunLayout layout) {
  return fault.peer < layout.ranks ? "model rank " + std::to_string(fault.peer)
                                   : "server " + std::to_string(fault.peer - layout.ranks);
}

TEST_F(LostPeers, a_call_that_fails_ends_the_run_and_all_are_told) {
  int told = 0;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    SeededRandom random(seed);
    const RunLayout layout = all_layouts()[random.below(all_layouts().size())];
    Fault fault = some_fault(random, layout, seed, false);
    SCOPED_TRACE(name_of(fault, layout) + " of " + std::to_string(layout.ranks) + " ranks and " +
                 std::to_string(layout.servers) + " servers, call " + std::to_string(fault.after_calls) +
                 ", seed " + std::to_string(seed));
    const Outcome outcome = run(layout, seed, fault);
    ASSERT_FALSE(outcome.stood_still) << outcome.waits;
    if (fault.peer >= layout.ranks) {
      for (const auto& [name, bytes] : outcome.result.files)
        EXPECT_TRUE(bytes == right_files().at(name)) << name;
      for (const std::string& error : outcome.result.model_errors) told += !error.empty();
      if (outcome.result.files.size() < kAllFiles.size()) {
        for (const std::string& error : outcome.result.model_errors) expect_words(error, {kWords});
      }
    } else {
      expect_words(outcome.result.model_errors[fault.peer], {kWords});
      expect_complete_files(outcome.result);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(told, 0);
}

TEST_F(LostPeers, who_waits_for_a_lost_one_is_named_and_what_is_published_is_right) {
  int stood_still = 0;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    SeededRandom random(seed + 1000);
    const RunLayout layout = all_layouts()[random.below(all_layouts().size())];
    Fault fault = some_fault(random, layout, seed, true);
    SCOPED_TRACE(name_of(fault, layout) + " of " + std::to_string(layout.ranks) + " ranks and " +
                 std::to_string(layout.servers) + " servers, call " + std::to_string(fault.after_calls) +
                 ", seed " + std::to_string(seed));
    const Outcome outcome = run(layout, seed, fault);
    for (const auto& [name, bytes] : published_in(outcome.directory)) {
      if (name == "run.xml") continue;
      EXPECT_TRUE(bytes == right_files().at(name)) << name;
    }
    if (outcome.stood_still) {
      ++stood_still;
      expect_words(outcome.waits, {"waiting: "});
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(stood_still, 0);
}

}  // namespace
}  // namespace pileus::testing
