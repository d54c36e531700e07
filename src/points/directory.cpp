#include "points/directory.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/model_ranks.h"
#include "messaging/frames.h"
#include "plan/points.h"

namespace pileus {
namespace {

Index size_of_all(const Plan& plan, const PlannedPoints& points) {
  Index size = 1;
  for (const DimensionId id : points.dimensions) size *= plan[id].size;
  return size;
}

/// Where ranges go within a stream's range that begins at `first`.
std::vector<PointRun> runs_of(const IndexRanges& ranges, Index first) {
  std::vector<PointRun> runs;
  runs.reserve(ranges.size());
  for (const IndexSet::Range& range : ranges) runs.push_back({range.first - first, range.count});
  return runs;
}

/// The first stream whose range reaches beyond `index`.
ClientRank stream_of(const Plan& plan, const PlannedPoints& points, Index index) {
  ClientRank low = 0, high = plan.layout.clients - 1;
  while (low < high) {
    const ClientRank middle = low + (high - low) / 2;
    if (dealt_points(plan, points, middle).end() > index) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

PointDirectory::PointDirectory(const Plan& plan, ServerRank self)
    : plan_(plan),
      self_(self),
      has_said_(plan.layout.servers),
      slices_(plan.points.size()),
      incoming_(plan.points.size()) {
  std::set<ServerRank> servers;
  for (ClientRank client = 0; client < plan.layout.clients; ++client)
    servers.insert(plan.layout.server_of(client));
  servers_.assign(servers.begin(), servers.end());
  is_needed_ =
      std::ranges::any_of(plan.fields, [](const PlannedField& field) { return field.points.has_value(); });
  if (is_needed_ && servers.contains(self)) waits_for_ = servers_.size();
}

void PointDirectory::add(ClientRank client, std::uint32_t points, Decoder& in) {
  const PlannedPoints& planned = plan_.points[points];
  const IndexRanges held = decode_ranges(in, size_of_all(plan_, planned));
  if (size_of(held) != planned.handed_over[client])
    throw TransportError("model rank " + std::to_string(client) + " holds other points \"" + planned.name +
                         "\" than it registered");
  cut(client, points, held);
}

/// Ranges of streams rise with their ranks, so that each gets a part of a rank's points that hangs together.
void PointDirectory::cut(ClientRank client, std::uint32_t points, const IndexRanges& held) {
  const PlannedPoints& planned = plan_.points[points];
  Slices& slices = slices_[points][client];
  Index first = 0;
  for (Index at = held.empty() ? 0 : held.front().first; first < planned.handed_over[client];) {
    const ClientRank to = stream_of(plan_, planned, at);
    const IndexSet::Range range = dealt_points(plan_, planned, to);
    const IndexRanges part = within(held, range.first, range.end());
    const ServerRank server = plan_.layout.server_of(to);
    Bytes& frame = frames_[server];
    Encoder out(frame);
    for (const std::uint64_t number : {std::uint64_t{points}, std::uint64_t{client}, std::uint64_t{to}})
      put_number(out, number);
    encode_ranges(part, out);
    slices[server].push_back({to, first, size_of(part)});
    first += slices[server].back().count;
    const auto next = std::ranges::upper_bound(
        held, range.end() - 1, {}, [](const IndexSet::Range& one) { return one.first + one.count - 1; });
    if (next != held.end()) at = std::max(next->first, range.end());
  }
}

std::vector<std::pair<ServerRank, Bytes>> PointDirectory::frames() {
  std::vector<std::pair<ServerRank, Bytes>> all;
  if (!std::ranges::binary_search(servers_, self_)) return all;
  for (const ServerRank server : servers_) {
    Bytes& frame = all.emplace_back(server, Bytes()).second;
    Encoder out(frame);
    out.put(ServerFrame::point_directory);
    out.put_raw(frames_[server]);
  }
  frames_.clear();
  return all;
}

void PointDirectory::take(ServerRank from, Decoder& in) {
  if (waits_for_ == 0 || !std::ranges::binary_search(servers_, from) || has_said_[from])
    throw TransportError("server " + std::to_string(from) + " tells of points that nobody expects of it");
  while (!in.is_at_end()) {
    const std::uint64_t points = get_number(in), client = get_number(in), to = get_number(in);
    const Layout& layout = plan_.layout;
    const bool is_known = points < plan_.points.size() && client < layout.clients && to < layout.clients;
    const auto rank_from = static_cast<ClientRank>(client), rank_to = static_cast<ClientRank>(to);
    if (!is_known || layout.server_of(rank_from) != from || layout.server_of(rank_to) != self_)
      throw TransportError("server " + std::to_string(from) + " tells of points that are not its own");
    const IndexSet::Range range = dealt_points(plan_, plan_.points[points], rank_to);
    const IndexRanges held = decode_ranges(in, range.end());
    if (held.empty() || held.front().first < range.first)
      throw TransportError("server " + std::to_string(from) + " tells of points that do not belong here");
    incoming_[points].push_back({rank_from, rank_to, size_of(held), runs_of(held, range.first)});
  }
  has_said_[from] = true;
  --waits_for_;
}

std::string PointDirectory::finish() {
  for (std::uint32_t points = 0; points < incoming_.size(); ++points) {
    std::ranges::sort(incoming_[points], {},
                      [](const PointsFor& one) { return std::pair(one.from, one.to); });
    if (std::string text = first_double(points); !text.empty()) return text;
  }
  return "";
}

/// Ranks come in their order, so that the lowest that holds a point has it.
std::string PointDirectory::first_double(std::uint32_t points) {
  const PlannedPoints& planned = plan_.points[points];
  constexpr ClientRank kNobody = UINT32_MAX;
  std::map<ClientRank, std::vector<ClientRank>> holders;  // by stream and place in its range
  for (PointsFor& one : incoming_[points]) {
    const IndexSet::Range range = dealt_points(plan_, planned, one.to);
    std::vector<ClientRank>& holder = holders[one.to];
    holder.resize(static_cast<std::size_t>(range.count), kNobody);
    std::vector<PointRun> runs;
    for (const PointRun& run : one.runs) {
      for (Index i = run.to; i < run.to + run.count; ++i) {
        ClientRank& known = holder[static_cast<std::size_t>(i)];
        const bool is_new = known == kNobody;
        if (!is_new && !planned.may_be_shared)
          return "points \"" + planned.name + "\": model ranks " + std::to_string(known) + " and " +
                 std::to_string(one.from) + " both hold point " + text_of_point(points, range.first + i) +
                 "; each is one rank's, unless they are registered as shared";
        if (is_new) known = one.from;
        const bool goes_on =
            !runs.empty() && runs.back().counts() == is_new && runs.back().place() + runs.back().count == i;
        if (goes_on) {
          ++runs.back().count;
        } else {
          runs.push_back({is_new ? i : ~i, 1});
        }
      }
    }
    if (planned.may_be_shared) one.runs = std::move(runs);
  }
  return "";
}

/// Its number, and where it lies if several dimensions have it.
std::string PointDirectory::text_of_point(std::uint32_t points, Index index) const {
  const std::vector<DimensionId>& dimensions = plan_.points[points].dimensions;
  std::string text = std::to_string(index);
  if (dimensions.size() < 2) return text;
  for (const DimensionId id : dimensions) {
    text += (id == dimensions.front() ? " (" : ", ") + plan_[id].name + " " +
            std::to_string(index % plan_[id].size);
    index /= plan_[id].size;
  }
  return text + ")";
}

const PointDirectory::Slices& PointDirectory::slices(std::uint32_t points, ClientRank from) const {
  static const Slices kNone;
  const auto found = slices_[points].find(from);
  return found == slices_[points].end() ? kNone : found->second;
}

std::pair<const PointsFor*, const PointsFor*> PointDirectory::incoming(std::uint32_t points,
                                                                       ClientRank from) const {
  const auto all = std::ranges::equal_range(incoming_[points], from, {}, &PointsFor::from);
  return {std::to_address(all.begin()), std::to_address(all.end())};
}

}  // namespace pileus
