// A server's lane that gets no memory once, at each place where it asks for some near the end of a run. The
// run ends nevertheless, in order, and every rank is told: no step of the clock and no answer is lost.

#include <cstdlib>
#include <new>

#include "core/error.h"
#include "tests/scenarios/scenario.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

bool is_scarce = false;
std::int64_t left = 0;  // requests that are met while memory is scarce; the next one is not

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (is_scarce && left-- == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace pileus::testing {
namespace {

constexpr std::size_t kFiles = 4;  // of four steps

class ScarceMemory : public ScenarioTest {
 protected:
  /// A run whose lanes get no memory at their request number `number`, from the last step of the model on.
  /// False if they asked for less.
  bool run_with_failure_at(std::int64_t number, RunLayout layout) {
    bool is_near_end = false;
    PlaneModel model;
    model.ranks = layout.ranks;
    model.steps.resize(4);
    model.before_step = [&](Client&, ClientRank rank, const Step& step) {
      is_near_end = is_near_end || (rank == 0 && step.index == model.steps.back().index);
      return true;
    };
    SimulatedRun run;
    run.configuration = kPlaneConfiguration;
    run.ranks = layout.ranks;
    run.servers = layout.servers;
    run.seed = 1;  // the same requests in every run
    run.model = model;
    run.on_poll = [&](bool begins) { is_scarce = begins && is_near_end; };
    left = number;
    result_ = simulate(run);
    return left < 0;
  }

  SimulatedResult result_;
};

/// Each layout makes some hundred requests; PILEUS_SCENARIO_ORDERS above 100 fails each of them. Of six
/// servers one passes the clock on that it was passed itself.
TEST_F(ScarceMemory, once_on_a_lane_ends_the_run_in_order) {
  const std::int64_t stride = orders_of_arrival() > 100 ? 1 : 23;
  for (const RunLayout layout : {RunLayout{1, 1}, RunLayout{2, 2}, RunLayout{6, 6}}) {
    std::int64_t number = 0;
    for (; run_with_failure_at(number, layout); number += stride) {
      SCOPED_TRACE("request " + std::to_string(number) + " with " + std::to_string(layout.servers) +
                   " servers");
      std::set<std::string> published;
      for (const auto& [name, bytes] : result_.files) published.insert(name);
      expect_right(result_, right_files(), published);
      for (const std::string& told : result_.model_errors) {
        if (published.size() < kFiles) expect_words(told, {"not enough memory"});
      }
      if (HasFailure()) return;
    }
    EXPECT_GT(number, 100);
  }
}

}  // namespace
}  // namespace pileus::testing

#endif
