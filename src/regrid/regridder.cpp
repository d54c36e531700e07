#include "regrid/regridder.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/missing.h"
#include "messaging/frames.h"
#include "plan/held_regions.h"
#include "regrid/point_pairs.h"

namespace pileus {
namespace {

std::vector<RuleId> rules_of(const RegridSamples& samples) {
  std::vector<RuleId> rules;
  for (const RegridSample& one : samples) rules.push_back(one.rule);
  return rules;
}

std::vector<Index> from_zero(std::size_t count, Index step = 1) {
  std::vector<Index> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<Index>(i) * step;
  return numbers;
}

const RegridPart& part_for(const std::vector<RegridPart>& parts, ClientRank to) {
  return *std::ranges::lower_bound(parts, to, {}, &RegridPart::to);
}

}  // namespace

Regridder::Regridder(const Plan& plan, std::size_t group, ServerRank self, std::vector<ClientRank> clients,
                     RegridDirectory& directory, Executor& workers, Messages& messages, SettledPoints& made)
    : plan_(plan),
      group_(group),
      self_(self),
      parts_{std::move(clients), {}, {}},
      directory_(directory),
      messages_(messages),
      made_(made),
      strand_(workers) {
  for (const RuleId rule : plan.regrids[group].rules) {
    const ValueId input = plan[rule].inputs.front();
    Known& known = known_[rule];
    known.how = std::get<Regrid>(plan[rule].action).how.get();
    known.type = plan[input].form == Form::numbers ? plan[input].type : ElementType::float64;
    known.extents = plan.extents(input);
    for (const Index extent : known.extents) known.others *= extent;
    known.others /= known.how->source_size;
    known.layout = directory.layout_of(group, rule);
    known.is_halo = !known.how->halo.empty();
    known.sums = {known.how->sum, known.how->missing, plan[input].missing};
    known.has_holes = has_holes(plan, plan[rule]);
    if (known.has_holes && !known.sums.missing_value) known.sums.missing_value = kMissing;
    if (known.sums.missing_value) known.sums.missing_value = as_stored(*known.sums.missing_value, known.type);
  }
  for (const auto& [rule, known] : known_) {
    for (const ClientRank client : parts_.clients) {
      PlacesOfBox places = directory.take_places(group, known.layout, client);
      if (!places[0].empty()) places_[{known.layout, client}] = std::move(places);
    }
  }
  for (const ServerRank server : directory.senders(group))
    if (server != self) parts_.senders.insert(server);
  for (const ServerRank server : directory.receivers(group))
    if (server != self) parts_.receivers.insert(server);
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    const bool sends = std::ranges::any_of(known_, [&](const auto& one) {
      return !directory.incoming(group, one.second.layout, client).empty();
    });
    if (sends) sending_[plan.layout.server_of(client)].push_back(client);
  }
  for (std::size_t own = 0; own < parts_.clients.size(); ++own)
    making_.emplace_back(Making{Strand(workers), Cost(), {}});
}

std::string Regridder::name() const {
  const std::vector<RuleId>& rules = plan_.regrids[group_].rules;
  return plan_[rules.front()].name + (rules.size() > 1 ? " and others" : "");
}

void Regridder::add(ClientRank client, std::int64_t step, RegridSamples samples) {
  strand_.post([this, client, step, samples = std::move(samples)] {
    const CostOfRun cost(cost_);
    contribute(step, key_of(step, rules_of(samples)), client, samples);
    close_if_complete(step);
  });
}

void Regridder::end_client(ClientRank client, std::int64_t last_step) {
  strand_.post([this, client, last_step] {
    const auto give_nothing = [&](std::int64_t step, Key& key) { contribute_nothing(step, key, client); };
    for (const std::int64_t step : open_.end_client(client, last_step, give_nothing)) close_if_complete(step);
  });
}

void Regridder::advance(std::int64_t step, std::vector<RuleId> rules, std::shared_ptr<const void> hold) {
  strand_.post([this, step, rules = std::move(rules), hold = std::move(hold)]() mutable {
    clock_step_ = step;
    Key& key = key_of(step, rules);
    open_.advance(key, step, std::move(hold),
                  [&](ClientRank client) { contribute_nothing(step, key, client); });
    close_if_complete(step);
  });
}

void Regridder::receive(ServerRank from, const Decoder& in, std::shared_ptr<const void> message) {
  if (!parts_.senders.contains(from))
    throw TransportError("server " + std::to_string(from) + " sends what nobody regrids here");
  strand_.post([this, from, in, message = std::move(message)] {
    const CostOfRun cost(cost_);
    Decoder rest = in;
    take(from, rest);
  });
}

/// Errors: TransportError where it has other rules.
Regridder::Key& Regridder::key_of(std::int64_t step, const std::vector<RuleId>& rules) {
  const auto [key, is_new] = open_.get(step);
  if (is_new) {
    const std::vector<bool> none(parts_.clients.size());
    for (const RuleId rule : rules)
      key.rules.push_back({rule, std::vector<std::shared_ptr<double[]>>(parts_.clients.size()), none, none});
    return key;
  }
  if (!std::ranges::equal(key.rules, rules, {}, &Gathered::rule))
    throw TransportError("servers disagree about what step " + std::to_string(step) + " regrids");
  return key;
}

void Regridder::contribute_nothing(std::int64_t step, Key& key, ClientRank client) {
  RegridSamples nothing;
  for (const Gathered& one : key.rules) nothing.push_back({one.rule, Absent{}});
  contribute(step, key, client, nothing);
}

void Regridder::contribute(std::int64_t step, Key& key, ClientRank client, const RegridSamples& samples) {
  compare_places(client, samples);
  put_own(key, client, samples);
  for (const ServerRank to : parts_.receivers)
    if (sends_any(key, client, to)) pack(client, samples, to, frame_for(to, step, key));
  key.came.insert(client);
  if (key.came.size() < parts_.clients.size()) return;
  for (const ServerRank to : parts_.receivers) messages_.send(to, std::move(frame_for(to, step, key)));
  key.frames.clear();
}

bool Regridder::sends_any(const Key& key, ClientRank client, ServerRank to) const {
  return std::ranges::any_of(key.rules, [&](const Gathered& one) {
    return !directory_.outgoing(group_, known(one.rule).layout, client, to).empty();
  });
}

Bytes& Regridder::frame_for(ServerRank to, std::int64_t step, Key& key) const {
  Bytes& frame = key.frames[to];
  if (!frame.empty()) return frame;
  Encoder out(frame);
  out.put(ServerFrame::regrid);
  out.put(static_cast<std::uint32_t>(group_));
  out.put(step);
  out.put(static_cast<std::uint64_t>(key.rules.size()));
  for (const Gathered& one : key.rules) out.put(one.rule.index);
  return frame;
}

const Regridder::PartLayout& Regridder::part_layout(RuleId rule, ClientRank client) {
  const auto found = part_layouts_.find({rule, client});
  if (found != part_layouts_.end()) return found->second;
  const std::vector<Region> regions = regions_of_client(plan_, client);
  for (const auto& [other, known] : known_) {
    const Region& held = regions[plan_[other].inputs.front().index];
    part_layouts_.try_emplace({other, client},
                              PartLayout{PointOffsets(held.count, known.how->axes),
                                         places_of_others(held, known.extents, known.how->axes)});
  }
  return part_layouts_.at({rule, client});
}

/// The rank; for each rule of which it has something for the server whether its input is there, and the
/// elements of points that streams there need, by stream and point.
void Regridder::pack(ClientRank client, const RegridSamples& samples, ServerRank to, Bytes& frame) {
  Encoder(frame).put(client);
  for (const auto& [rule, sample, places] : samples) {
    const std::vector<RegridPart>& parts = directory_.outgoing(group_, known(rule).layout, client, to);
    if (parts.empty()) continue;
    const auto* const array = std::get_if<Array>(&sample);
    Encoder(frame).put(array != nullptr);
    if (array == nullptr) continue;
    const PartLayout& layout = part_layout(rule, client);
    const std::size_t others = layout.places.size(), element = size_bytes(array->type);
    const std::vector<Index> packed = from_zero(kPointsAtOnce, static_cast<Index>(others)),
                             in_order = from_zero(others);
    for (const RegridPart& part : parts) {
      std::size_t at = frame.size();
      frame.resize(at + static_cast<std::size_t>(part.count) * others * element);
      PointPairs pairs(part.runs, part.runs);
      while (const std::size_t size = pairs.next()) {
        for (std::size_t i = 0; i < size; ++i) pairs.from[i] = layout.offsets.of_point(pairs.from[i]);
        copy_as_they_are(array->type, array->bytes.get(),
                         {std::span(pairs.from).first(size), layout.offsets.of_others()}, frame.data() + at,
                         {std::span(packed).first(size), in_order});
        at += size * others * element;
      }
    }
  }
}

/// What stays on this server is copied once.
void Regridder::put_own(Key& key, ClientRank client, const RegridSamples& samples) {
  for (std::size_t r = 0; r < samples.size(); ++r) {
    const auto& [rule, sample, compared] = samples[r];
    Gathered& gathered = key.rules[r];
    const Known& known = this->known(rule);
    const auto* const array = std::get_if<Array>(&sample);
    const bool is_from_first = plan_[plan_[rule].inputs.front()].spread == Spread::same;
    gathered.was_there[place_of(client)] = array != nullptr || is_from_first;
    const std::vector<RegridPart>& outgoing = directory_.outgoing(group_, known.layout, client, self_);
    for (const RegridPart& part : directory_.incoming(group_, known.layout, client)) {
      if (array == nullptr) gathered.is_absent[place_of(part.to)] = true;
      if (array == nullptr) continue;
      const PartLayout& layout = part_layout(rule, client);
      double* const sources = sources_of(gathered, part.to);
      const SourcePlaces places = source_places(rule, client, part.to);
      PointPairs pairs(part_for(outgoing, part.to).runs, part.runs);
      while (const std::size_t size = pairs.next()) {
        for (std::size_t i = 0; i < size; ++i) {
          pairs.from[i] = layout.offsets.of_point(pairs.from[i]);
          pairs.to[i] = places.of(pairs.to[i]);
        }
        copy_as_doubles(array->type, array->bytes.get(),
                        {std::span(pairs.from).first(size), layout.offsets.of_others()}, sources,
                        {std::span(pairs.to).first(size), places.others});
      }
    }
  }
}

std::size_t Regridder::place_of(ClientRank client) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(parts_.clients, client) - parts_.clients.begin());
}

/// Where what is brought together for a stream lies. Elements that nobody has are missing.
double* Regridder::sources_of(Gathered& gathered, ClientRank to) const {
  std::shared_ptr<double[]>& sources = gathered.sources[place_of(to)];
  if (sources) return sources.get();
  const Known& known = this->known(gathered.rule);
  const auto size = static_cast<std::size_t>(directory_.stream(group_, to).sources * known.others);
  sources = std::make_shared_for_overwrite<double[]>(std::max<std::size_t>(1, size));
  if (known.has_holes) std::fill_n(sources.get(), size, *known.sums.missing_value);
  return sources.get();
}

void Regridder::take(ServerRank from, Decoder& in) {
  const auto step = in.get<std::int64_t>();
  std::vector<RuleId> rules;
  for (std::size_t i = in.get_length(4); i > 0; --i) rules.emplace_back(in.get<std::uint32_t>());
  const auto is_wrong = [&](RuleId rule) { return !known_.contains(rule); };
  const bool was_closed = step <= clock_step_ && !open_.contains(step);
  if (std::ranges::any_of(rules, is_wrong) || was_closed)
    throw TransportError("server " + std::to_string(from) + " sends what is regridded in no step");
  Key& key = key_of(step, rules);
  if (!key.servers.insert(from).second)
    throw TransportError("server " + std::to_string(from) + " sends what is regridded in a step twice");
  std::set<ClientRank> came;
  while (!in.is_at_end()) {
    const auto client = in.get<ClientRank>();
    if (!came.insert(client).second)
      throw TransportError("what is regridded of a model rank came twice in a step");
    take_client(key, from, client, in);
  }
  if (came.size() != clients_that_send(from, key))
    throw TransportError("server " + std::to_string(from) + " sends what some of its model ranks have");
  close_if_complete(step);
}

/// How many ranks of another server have something for this one of the step's rules.
std::size_t Regridder::clients_that_send(ServerRank from, const Key& key) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(sending_.at(from), [&](ClientRank client) { return is_expected(key, client); }));
}

/// Whether a rank has something for this server of the step's rules.
bool Regridder::is_expected(const Key& key, ClientRank client) const {
  return std::ranges::any_of(key.rules, [&](const Gathered& one) {
    return !directory_.incoming(group_, known(one.rule).layout, client).empty();
  });
}

void Regridder::take_client(Key& key, ServerRank from, ClientRank client, Decoder& in) {
  if (client >= plan_.layout.clients || plan_.layout.server_of(client) != from)
    throw TransportError("server " + std::to_string(from) + " sends what a rank has that is not its own");
  if (!is_expected(key, client))
    throw TransportError("server " + std::to_string(from) + " sends what a rank has that nobody needs here");
  for (Gathered& gathered : key.rules) {
    const Known& known = this->known(gathered.rule);
    const std::vector<RegridPart>& parts = directory_.incoming(group_, known.layout, client);
    if (parts.empty()) continue;
    const bool is_there = in.get<std::uint8_t>() != 0;
    const std::size_t others = part_layout(gathered.rule, client).places.size(),
                      element = size_bytes(known.type);
    const std::vector<Index> packed = from_zero(kPointsAtOnce, static_cast<Index>(others)),
                             in_order = from_zero(others);
    for (const RegridPart& part : parts) {
      if (!is_there) gathered.is_absent[place_of(part.to)] = true;
      if (!is_there) continue;
      const auto bytes = in.get_raw(static_cast<std::size_t>(part.count) * others * element);
      double* const sources = sources_of(gathered, part.to);
      const SourcePlaces places = source_places(gathered.rule, client, part.to);
      std::size_t at = 0;
      PointPairs pairs(part.runs, part.runs);
      while (const std::size_t size = pairs.next()) {
        for (std::size_t i = 0; i < size; ++i) pairs.to[i] = places.of(pairs.to[i]);
        copy_as_doubles(known.type, bytes.data() + at, {std::span(packed).first(size), in_order}, sources,
                        {std::span(pairs.to).first(size), places.others});
        at += size * others * element;
      }
    }
  }
}

void Regridder::close_if_complete(std::int64_t step) {
  std::optional<Key> complete = open_.take_if_complete(step, parts_);
  if (!complete) return;
  const auto key = std::make_shared<Key>(std::move(*complete));
  for (std::size_t own = 0; own < making_.size(); ++own)
    making_[own].strand.post([this, step, key, own] { make(step, key, own); });
}

void Regridder::make(std::int64_t step, const std::shared_ptr<Key>& key, std::size_t own) {
  const CostOfRun cost(making_[own].cost);
  auto values = std::make_shared<BroadcastValues>();
  for (Gathered& gathered : key->rules) {
    values->emplace_back(plan_[gathered.rule].output, made_of(gathered, *key, own));
    gathered.sources[own] = nullptr;
  }
  made_.settle(parts_.clients[own], step, std::move(values));
}

Regridder::ResultLayout Regridder::result_layout(RuleId rule, const RegridStream& stream) const {
  const Regridding& how = *known(rule).how;
  Extents extents = plan_.extents(plan_[rule].output);
  Index& slowest = extents[slowest_of_points(how)];
  slowest = slowest * stream.range.count / how.target_size;
  std::vector<int> axes = how.axes;
  if (!how.dimensions.empty()) {
    axes.resize(how.dimensions.size());
    std::iota(axes.begin(), axes.end(), how.axes.front());
  }
  const PointOffsets offsets(extents, axes);
  ResultLayout layout{extents, {}, offsets.of_others()};
  for (Index i = 0; i < stream.range.count; ++i) layout.points.push_back(offsets.of_point(i));
  return layout;
}

/// A range for which nothing comes is there where its rank has the input.
Sample Regridder::made_of(Gathered& gathered, const Key& key, std::size_t own) {
  const bool has_come = gathered.sources[own] != nullptr;
  if (gathered.is_absent[own] || (!has_come && !gathered.was_there[own])) return Absent{};
  const double* const sources = sources_of(gathered, parts_.clients[own]);
  const Known& known = this->known(gathered.rule);
  if (known.is_halo) return haloed(gathered.sources[own], gathered.rule, key, own);
  const RegridStream& stream = directory_.stream(group_, parts_.clients[own]);
  const auto [found, is_new] = making_[own].layouts.try_emplace(gathered.rule);
  ResultLayout& layout = found->second;
  if (is_new) layout = result_layout(gathered.rule, stream);

  struct Held {
    std::shared_ptr<double[]> numbers;
    std::shared_ptr<const void> step;
  };
  const auto size = std::max<std::size_t>(1, static_cast<std::size_t>(Region{{}, layout.extents}.size()));
  const auto held =
      std::make_shared<const Held>(Held{std::make_shared_for_overwrite<double[]>(size), key.hold});
  add_links(stream.links, known.sums, sources, static_cast<std::size_t>(known.others), held->numbers.get(),
            {layout.points, layout.others});
  const auto* const first = reinterpret_cast<const std::byte*>(held->numbers.get());
  return Array{ElementType::float64, layout.extents, std::shared_ptr<const std::byte>(held, first)};
}

std::pair<std::string, Cost> Regridder::cost() const {
  Cost cost = cost_;
  for (const Making& one : making_) cost += one.cost;
  return {name(), cost};
}

void Regridder::tell_waits(const std::shared_ptr<Waits>& waits,
                           std::map<ClientRank, std::int64_t> sent_through) {
  waits->expect();
  strand_.post([this, waits, sent_through = std::move(sent_through)] {
    pileus::tell_waits(*waits, name(), parts_, open_.open(), sent_through);
    waits->answered();
  });
}

std::vector<std::string> Regridder::open_texts() const {
  return pileus::open_texts(name(), parts_, open_.open());
}

}  // namespace pileus
