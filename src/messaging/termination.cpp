#include "messaging/termination.h"

#include <algorithm>

namespace pileus {

bool Termination::answer(ServerRank server, WaveAnswer answer) {
  answers_[server] = answer;
  if (!std::ranges::all_of(answers_, [](const auto& given) { return given.has_value(); })) return false;

  std::vector<WaveAnswer> wave;
  wave.reserve(answers_.size());  // what fails for lack of memory fails before the answers are taken out
  std::uint64_t sent = 0, received = 0;
  for (auto& given : answers_) {
    wave.push_back(*given);
    sent += given->sent;
    received += given->received;
    given.reset();
  }
  is_over_ = sent == received && last_wave_ && *last_wave_ == wave;
  last_wave_ = std::move(wave);
  return true;
}

}  // namespace pileus
