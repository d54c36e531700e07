#include "messaging/steps_done.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "messaging/frames.h"

namespace pileus {

Bytes encode_steps_done(std::span<const StepsDone> news) {
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::steps_done);
  out.put(static_cast<std::uint64_t>(news.size()));
  for (const StepsDone& word : news) {
    out.put(word.server);
    out.put(word.done);
    out.put(word.arrived);
  }
  return frame;
}

StepsDoneNews::StepsDoneNews(ServerRank servers, ServerRank self)
    : servers_(servers),
      seat_(seat_below_first(servers, self)),
      speakers_(servers_at_or_below(servers, self)) {}

void StepsDoneNews::take(ServerRank from, Decoder& in) {
  const auto require = [from](bool is_true, const char* what) {
    if (!is_true) throw TransportError("server " + std::to_string(from) + what);
  };
  require(std::ranges::find(seat_.children, from) != seat_.children.end(),
          " says that steps are done, up a tree in which it is not below this one");
  std::vector<StepsDone> words(in.get_length(StepsDone::kEncodedBytes));
  for (StepsDone& word : words) {
    word.server = in.get<ServerRank>();
    word.done = in.get<std::uint64_t>();
    word.arrived = in.get<std::uint64_t>();
    require(word.server < servers_ && is_at_or_below(word.server, from),
            " says that steps are done for a server that is not below it");
  }
  for (const StepsDone& word : words) add(word);
  if (words.size() < servers_at_or_below(servers_, from)) may_wait_ = false;
}

void StepsDoneNews::add(const StepsDone& news) {
  const auto [place, is_new] = by_server_.try_emplace(news.server, news);
  if (is_new) return;
  may_wait_ = false;
  place->second.done = std::max(place->second.done, news.done);
  place->second.arrived = std::max(place->second.arrived, news.arrived);
}

std::vector<StepsDone> StepsDoneNews::all() const {
  std::vector<StepsDone> all;
  all.reserve(by_server_.size());
  for (const auto& [server, news] : by_server_) all.push_back(news);
  return all;
}

void StepsDoneNews::clear() {
  by_server_.clear();
  may_wait_ = true;
}

}  // namespace pileus
