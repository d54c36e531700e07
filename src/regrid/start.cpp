#include "regrid/start.h"

namespace pileus {

void RegridStart::begin(const Plan& plan, ServerRank self, const ReadWeights& read, Messages& messages) {
  directory_ = std::make_shared<RegridDirectory>(plan, self, read);
  if (directory_->is_needed()) {
    for (auto& [server, frame] : directory_->frames()) messages.send(server, std::move(frame));
  }
  for (auto& [from, bytes] : std::exchange(early_, {})) {
    Decoder in(bytes);
    directory_->take(from, in);
  }
}

void RegridStart::take(ServerRank from, Decoder& in) {
  if (directory_) return directory_->take(from, in);
  const auto bytes = in.rest();
  early_.emplace_back(from, Bytes(bytes.begin(), bytes.end()));
}

}  // namespace pileus
