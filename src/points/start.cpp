#include "points/start.h"

#include <algorithm>

#include "core/error.h"

namespace pileus {

void PointStart::keep(ClientRank client, Decoder& in) {
  const std::string rank = "model rank " + std::to_string(client);
  if (directory_) throw TransportError(rank + " tells of points after commit");
  const auto points = in.get<std::uint32_t>();
  const auto bytes = in.rest();
  if (!kept_[client].emplace(points, Bytes(bytes.begin(), bytes.end())).second)
    throw TransportError(rank + " tells of the same points twice");
}

void PointStart::begin(const Plan& plan, const ModelRanks& model, ServerRank self, Messages& messages) {
  directory_ = std::make_shared<PointDirectory>(plan, self);
  std::vector<bool> is_used(plan.points.size());
  for (const PlannedField& field : plan.fields)
    if (field.points) is_used[*field.points] = true;
  for (ClientRank client = 0; client < plan.layout.clients && directory_->is_needed(); ++client) {
    if (plan.layout.server_of(client) != self) continue;
    const std::vector<ModelPoints>& registered = model.common_of(client).points;
    for (std::uint32_t points = 0; points < plan.points.size(); ++points) {
      if (!is_used[points]) continue;
      const auto own = std::ranges::find(registered, plan.points[points].name, &ModelPoints::name);
      const Kept& kept = kept_[client];
      const auto bytes = kept.find(static_cast<std::uint32_t>(own - registered.begin()));
      if (bytes == kept.end())
        throw TransportError("model rank " + std::to_string(client) + " did not say which points \"" +
                             plan.points[points].name + "\" it holds");
      Decoder in(bytes->second);
      directory_->add(client, points, in);
    }
    kept_.erase(client);
  }
  kept_.clear();
  if (directory_->is_needed()) {
    for (auto& [server, frame] : directory_->frames()) messages.send(server, std::move(frame));
  }
  for (auto& [from, bytes] : std::exchange(early_, {})) {
    Decoder in(bytes);
    directory_->take(from, in);
  }
}

void PointStart::take(ServerRank from, Decoder& in) {
  if (directory_) return directory_->take(from, in);
  const auto bytes = in.rest();
  early_.emplace_back(from, Bytes(bytes.begin(), bytes.end()));
}

bool PointStart::has_completed() {
  if (was_complete_ || !directory_ || !directory_->is_complete()) return false;
  return was_complete_ = true;
}

}  // namespace pileus
