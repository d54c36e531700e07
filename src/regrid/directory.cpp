#include "regrid/directory.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "core/error.h"
#include "messaging/frames.h"
#include "plan/points.h"
#include "regrid/halo_runs.h"

namespace pileus {
namespace {

const Regridding& how_of(const Rule& rule) { return *std::get<Regrid>(rule.action).how; }

/// Size of the slowest dimension of a result's points.
Index slowest_size(const Plan& plan, const Rule& rule) {
  return plan[plan[rule.output].dimensions[slowest_of_points(how_of(rule))]].size;
}

/// Where links come from, for messages.
const std::string& origin_of(const Regridding& how) { return how.file.empty() ? how.links_name : how.file; }

/// Errors: UsageError where rules with the same links have other grids.
void check_grids(const Plan& plan, const RegridGroup& group) {
  const Rule& first = plan[group.rules.front()];
  for (const RuleId id : group.rules) {
    const Regridding &how = how_of(plan[id]), &other = how_of(first);
    if (how.source_size != other.source_size || how.target_size != other.target_size ||
        slowest_size(plan, plan[id]) != slowest_size(plan, first))
      throw UsageError("weights of " + origin_of(how) + " do not fit the grids of both " + first.name +
                       " and " + plan[id].name);
  }
}

/// The points of a result that a rank's stream gets.
IndexSet::Range range_of(const Plan& plan, const RegridGroup& group, ClientRank client) {
  const Rule& rule = plan[group.rules.front()];
  const Index slowest = slowest_size(plan, rule);
  const IndexSet::Range part = dealt_part(slowest, client, plan.layout.clients);
  const Index of_one = how_of(rule).target_size / slowest;
  return {part.first * of_one, part.count * of_one};
}

/// Errors: UsageError where links cannot be those of so many points.
void check(const LinkRows& links, const Regridding& how, Index rows) {
  const auto is_wrong = [&](Index source) { return source < 0 || source >= how.source_size; };
  const std::vector<std::uint64_t>& begin = links.begin;
  const bool has_rows = static_cast<Index>(begin.size()) == rows + 1 && begin.front() == 0 &&
                        begin.back() == links.source.size() && std::ranges::is_sorted(begin);
  const bool has_weights = links.weight.empty() || links.weight.size() == links.source.size();
  if (!has_rows || !has_weights || std::ranges::any_of(links.source, is_wrong))
    throw UsageError("weights of " + origin_of(how) + " do not fit the grids");
}

/// The points that links need, rising.
IndexRanges sources_of(const LinkRows& links) {
  std::vector<Index> all = links.source;
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  IndexRanges ranges;
  for (const Index one : all) add_index(ranges, one);
  return ranges;
}

/// Where points stand among those of rising ranges that have them.
class Places {
 public:
  explicit Places(const IndexRanges& ranges) : ranges_(ranges) {
    Index before = 0;
    for (const IndexSet::Range& range : ranges) {
      before_.push_back(before);
      before += range.count;
    }
  }
  Index of(Index point) const {
    const auto after = std::ranges::upper_bound(ranges_, point, {}, &IndexSet::Range::first);
    const auto at = static_cast<std::size_t>(after - ranges_.begin()) - 1;
    return before_[at] + point - ranges_[at].first;
  }

 private:
  const IndexRanges& ranges_;
  std::vector<Index> before_;
};

/// Some rows of all.
LinkRows part_of(const LinkRows& all, Index first, Index count) {
  const auto begin = all.begin.begin() + first;
  const std::uint64_t low = *begin, high = *(begin + count);
  const auto some = [&](const auto& values) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(values.empty() ? 0 : low);
    return std::vector(from,
                       values.empty() ? values.end() : values.begin() + static_cast<std::ptrdiff_t>(high));
  };
  LinkRows part{std::vector(begin, begin + count + 1), some(all.source), some(all.weight)};
  for (std::uint64_t& one : part.begin) one -= low;
  return part;
}

PlacedLinks placed(LinkRows links, const IndexRanges& sources) {
  const Places places(sources);
  PlacedLinks placed{std::move(links.begin), {}, std::move(links.weight)};
  placed.place.reserve(links.source.size());
  for (const Index source : links.source)
    placed.place.push_back(static_cast<std::uint32_t>(places.of(source)));
  return placed;
}

}  // namespace

RegridDirectory::RegridDirectory(const Plan& plan, ServerRank self, const ReadWeights& read)
    : plan_(plan), groups_(plan.regrids.size()), has_said_(plan.layout.servers) {
  std::set<ServerRank> servers;
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    servers.insert(plan.layout.server_of(client));
    if (plan.layout.server_of(client) == self) clients_.push_back(client);
  }
  servers_.assign(servers.begin(), servers.end());
  if (!is_needed() || clients_.empty()) return;
  waits_for_ = servers_.size();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    check_grids(plan, plan.regrids[g]);
    lay_out(groups_[g], plan.regrids[g]);
    if (const Regridding& how = how_of(plan[plan.regrids[g].rules.front()]); !how.halo.empty()) {
      find_halos(groups_[g], how);
      continue;
    }
    find_links(groups_[g], g, read);
    for (const RuleId rule : plan.regrids[g].rules) {
      Layout& layout = groups_[g].layouts[groups_[g].layout_of.at(rule)];
      if (plan[rule].inputs.size() > 1 && layout.places.empty())
        find_places(layout, how_of(plan[rule]).file, read);
    }
  }
}

void RegridDirectory::lay_out(Group& group, const RegridGroup& planned) {
  for (const RuleId rule : planned.rules) {
    PointBoxes boxes = point_boxes(plan_, plan_[rule]);
    const auto known =
        std::ranges::find_if(group.layouts, [&](const Layout& layout) { return layout.boxes == boxes; });
    group.layout_of[rule] = static_cast<std::size_t>(known - group.layouts.begin());
    if (known != group.layouts.end()) continue;
    Layout& layout = group.layouts.emplace_back();
    layout.boxes = std::move(boxes);
    layout.extents = point_extents(plan_, plan_[rule]);
  }
}

/// Ranges of ranks that follow each other are read together, as a file is gone through once for each reading.
void RegridDirectory::find_links(Group& group, std::size_t number, const ReadWeights& read) {
  const RegridGroup& planned = plan_.regrids[number];
  const Regridding& how = how_of(plan_[planned.rules.front()]);
  for (std::size_t first = 0, end = 0; first < clients_.size(); first = end) {
    IndexSet::Range together = range_of(plan_, planned, clients_[first]);
    for (end = first + 1; end < clients_.size(); ++end) {
      const IndexSet::Range next = range_of(plan_, planned, clients_[end]);
      if (next.first != together.end()) break;
      together.count += next.count;
    }
    LinkRows links;
    if (together.count > 0)
      links = how.links ? how.links(together.first, together.count)
                        : read.links(how, together.first, together.count);
    check(links, how, together.count);
    for (std::size_t own = first; own < end; ++own) {
      const IndexSet::Range range = range_of(plan_, planned, clients_[own]);
      take_links(group, clients_[own], range, part_of(links, range.first - together.first, range.count));
    }
  }
}

void RegridDirectory::take_links(Group& group, ClientRank client, const IndexSet::Range& range,
                                 LinkRows links) const {
  RegridStream& stream = group.streams[client];
  stream.range = range;
  const IndexRanges sources = sources_of(links);
  stream.sources = size_of(sources);
  if (stream.sources > std::numeric_limits<std::uint32_t>::max())
    throw UsageError("a model rank's stream would need more than 2^32 points: use more model ranks");
  stream.links = placed(std::move(links), sources);
  for (Layout& layout : group.layouts) find_sources(layout, client, sources);
}

void RegridDirectory::find_halos(Group& group, const Regridding& how) {
  for (Layout& layout : group.layouts) {
    for (ClientRank to = 0; to < layout.boxes.size(); ++to) {
      const Region wide = wide_box(layout.boxes[to], how.halo, layout.extents);
      for (const ClientRank from : clients_) {
        HaloRuns runs = halo_runs(layout.boxes[from], wide, layout.extents);
        if (runs.count > 0)
          layout.outgoing[plan_.layout.server_of(to)][from].push_back({from, to, runs.count, runs.from});
      }
    }
    for (const ClientRank to : clients_) {
      const Region wide = wide_box(layout.boxes[to], how.halo, layout.extents);
      group.streams[to] = {{}, {}, wide.size(), wide};
      for (ClientRank from = 0; from < layout.boxes.size(); ++from) {
        HaloRuns runs = halo_runs(layout.boxes[from], wide, layout.extents);
        if (runs.count > 0) layout.incoming[from].push_back({from, to, runs.count, std::move(runs.to)});
      }
    }
  }
}

/// In pieces of the file that all ranks of this server go through together.
void RegridDirectory::find_places(Layout& layout, const std::string& file, const ReadWeights& read) {
  constexpr Index kPiece = 1 << 20;
  std::map<ClientRank, std::vector<Stretch>> stretches;
  Index first = std::numeric_limits<Index>::max(), end = 0;
  for (const ClientRank client : clients_) {
    stretches[client] = contiguous_stretches(layout.boxes[client], layout.extents);
    const auto size = static_cast<std::size_t>(layout.boxes[client].size());
    for (std::vector<double>& one : layout.places[client]) one.reserve(size);
    for (const Stretch& one : stretches[client]) {
      first = std::min(first, one.global_offset);
      end = std::max(end, one.global_offset + one.length);
    }
  }
  for (; first < end; first += kPiece) {
    const Index count = std::min(kPiece, end - first);
    const PlacesOfBox piece = read.places(file, first, count);
    if (piece[0].empty()) return layout.places.clear();
    for (const ClientRank client : clients_) {
      for (const Stretch& one : stretches[client]) {
        const Index low = std::max(one.global_offset, first) - first;
        const Index high = std::min(one.global_offset + one.length, first + count) - first;
        for (std::size_t i = 0; i < piece.size() && low < high; ++i)
          layout.places[client][i].insert(layout.places[client][i].end(), piece[i].begin() + low,
                                          piece[i].begin() + high);
      }
    }
  }
}

PlacesOfBox RegridDirectory::take_places(std::size_t group, std::size_t layout, ClientRank client) {
  auto& places = groups_[group].layouts[layout].places;
  const auto found = places.find(client);
  return found == places.end() ? PlacesOfBox() : std::move(found->second);
}

/// Notes what comes from each rank, and asks its server for it.
void RegridDirectory::find_sources(Layout& layout, ClientRank to, const IndexRanges& points) const {
  const Places places(points);
  for (ClientRank from = 0; from < layout.boxes.size(); ++from) {
    const IndexRanges there = points_in(points, layout.boxes[from], layout.extents);
    if (there.empty()) continue;
    RegridPart part{from, to, size_of(there), {}};
    for (const IndexSet::Range& range : there) part.runs.push_back({places.of(range.first), range.count});
    layout.incoming[from].push_back(std::move(part));
    Encoder out(layout.needs[plan_.layout.server_of(from)]);
    out.put(from);
    out.put(to);
    encode_ranges(there, out);
  }
}

std::vector<std::pair<ServerRank, Bytes>> RegridDirectory::frames() {
  std::vector<std::pair<ServerRank, Bytes>> frames;
  for (const ServerRank server : clients_.empty() ? std::vector<ServerRank>() : servers_) {
    Bytes frame;
    Encoder out(frame);
    out.put(ServerFrame::regrid_directory);
    for (const Group& group : groups_) {
      for (const Layout& layout : group.layouts) {
        const auto needs = layout.needs.find(server);
        const Bytes none;
        const Bytes& bytes = needs == layout.needs.end() ? none : needs->second;
        out.put(static_cast<std::uint64_t>(bytes.size()));
        out.put_raw(bytes);
      }
    }
    frames.emplace_back(server, std::move(frame));
  }
  for (Group& group : groups_)
    for (Layout& layout : group.layouts) layout.needs.clear();
  return frames;
}

void RegridDirectory::take(ServerRank from, Decoder& in) {
  if (waits_for_ == 0 || !std::ranges::binary_search(servers_, from) || has_said_[from])
    throw TransportError("server " + std::to_string(from) + " asks for points that nobody expects it to");
  has_said_[from] = true;
  --waits_for_;
  for (Group& group : groups_) {
    for (Layout& layout : group.layouts) {
      Decoder needs(in.get_raw(in.get_length(1)));
      while (!needs.is_at_end()) {
        const auto rank = needs.get<ClientRank>();
        const auto to = needs.get<ClientRank>();
        const bool is_own = std::ranges::binary_search(clients_, rank);
        if (!is_own || to >= plan_.layout.clients || plan_.layout.server_of(to) != from)
          throw TransportError("server " + std::to_string(from) + " asks for points of a rank that has none");
        Index all = 1;
        for (const Index extent : layout.extents) all *= extent;
        RegridPart part{rank, to, 0, {}};
        for (const IndexSet::Range& range : decode_ranges(needs, all)) {
          if (!is_run_of(range, layout.boxes[rank], layout.extents))
            throw TransportError("server " + std::to_string(from) + " asks for points that lie elsewhere");
          part.runs.push_back({number_within(range.first, layout.boxes[rank], layout.extents), range.count});
          part.count += range.count;
        }
        layout.outgoing[from][rank].push_back(std::move(part));
      }
    }
  }
  if (!in.is_at_end())
    throw TransportError("server " + std::to_string(from) + " asks for points of more than is regridded");
}

const RegridStream& RegridDirectory::stream(std::size_t group, ClientRank client) const {
  return groups_[group].streams.at(client);
}

std::size_t RegridDirectory::layout_of(std::size_t group, RuleId rule) const {
  return groups_[group].layout_of.at(rule);
}

const std::vector<RegridPart>& RegridDirectory::incoming(std::size_t group, std::size_t layout,
                                                         ClientRank from) const {
  static const std::vector<RegridPart> kNone;
  const auto& all = groups_[group].layouts[layout].incoming;
  const auto found = all.find(from);
  return found == all.end() ? kNone : found->second;
}

const std::vector<RegridPart>& RegridDirectory::outgoing(std::size_t group, std::size_t layout,
                                                         ClientRank from, ServerRank to) const {
  static const std::vector<RegridPart> kNone;
  const auto& all = groups_[group].layouts[layout].outgoing;
  const auto server = all.find(to);
  if (server == all.end()) return kNone;
  const auto found = server->second.find(from);
  return found == server->second.end() ? kNone : found->second;
}

std::vector<ServerRank> RegridDirectory::receivers(std::size_t group) const {
  std::set<ServerRank> servers;
  for (const Layout& layout : groups_[group].layouts)
    for (const auto& [server, parts] : layout.outgoing) servers.insert(server);
  return {servers.begin(), servers.end()};
}

std::vector<ServerRank> RegridDirectory::senders(std::size_t group) const {
  std::set<ServerRank> servers;
  for (const Layout& layout : groups_[group].layouts)
    for (const auto& [client, parts] : layout.incoming) servers.insert(plan_.layout.server_of(client));
  return {servers.begin(), servers.end()};
}

}  // namespace pileus
