#include "streams/stream_cuts.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pileus {

void StreamCuts::begin(std::int64_t step, std::size_t expected, std::vector<StateEntry> entries) {
  auto shared = std::make_shared<Cut>(Cut{expected, std::move(entries), ""});
  strand_.post([this, step, shared] { cuts_.emplace(step, std::move(*shared)); });
}

void StreamCuts::keep(std::int64_t step, std::vector<StateEntry> entries, std::string error) {
  auto shared = std::make_shared<std::vector<StateEntry>>(std::move(entries));
  strand_.post([this, step, shared, error = std::move(error)] {
    const auto found = cuts_.find(step);
    if (found == cuts_.end()) return;
    Cut& cut = found->second;
    std::ranges::move(*shared, std::back_inserter(cut.entries));
    if (cut.error.empty()) cut.error = error;
    if (--cut.missing > 0) return;
    Cut complete = std::move(cut);
    cuts_.erase(found);
    whole_.keep(step, std::move(complete.entries), std::move(complete.error));
  });
}

void StreamCuts::tell_waits(const std::shared_ptr<Waits>& waits, std::map<ClientRank, std::int64_t> marked) {
  waits->expect();
  strand_.post([this, waits, marked = std::move(marked)] {
    tell_waits_now(*waits, marked);
    waits->answered();
  });
}

void StreamCuts::tell_waits_now(Waits& waits, const std::map<ClientRank, std::int64_t>& marked) const {
  if (cuts_.empty()) return;
  Wait wait{"the states of streams", {}, ""};
  for (const auto& [step, cut] : cuts_) wait.numbers.push_back(step);
  const auto& [step, cut] = *cuts_.begin();
  std::vector<ClientRank> absent;
  for (const auto& [rank, last] : marked) {
    if (last < step) absent.push_back(rank);
  }
  wait.text = "the checkpoint of step " + std::to_string(step) + " waits for " +
              (absent.empty() ? std::to_string(cut.missing) + " streams of this server to get there"
                              : numbered("model rank", absent) + " to end that step");
  waits.add(Waits::About::checkpoints, std::move(wait));
}

std::vector<std::string> StreamCuts::open_texts() const {
  std::vector<std::string> texts;
  for (const auto& [step, cut] : cuts_) {
    texts.push_back("the state after step " + std::to_string(step) + " (" + std::to_string(cut.missing) +
                    (cut.missing == 1 ? " stream" : " streams") + " did not get there)");
  }
  return texts;
}

}  // namespace pileus
