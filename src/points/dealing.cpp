#include "points/dealing.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/environment.h"
#include "core/error.h"
#include "core/missing.h"
#include "messaging/frames.h"
#include "plan/points.h"

namespace pileus {
namespace {

template <class T>
void fill(std::byte* first, std::size_t count, double value) {
  std::fill_n(reinterpret_cast<T*>(first), count, static_cast<T>(value));
}

void fill(std::byte* first, std::size_t count, ElementType type, double value) {
  switch (type) {
    case ElementType::float64: return fill<double>(first, count, value);
    case ElementType::float32: return fill<float>(first, count, value);
    case ElementType::int32: return fill<std::int32_t>(first, count, value);
    case ElementType::int64: return fill<std::int64_t>(first, count, value);
    default: std::memset(first, 0, count * size_bytes(type));
  }
}

std::vector<FieldId> fields_of(const PointSamples& samples) {
  std::vector<FieldId> fields;
  for (const auto& [field, sample] : samples) fields.push_back(field);
  return fields;
}

}  // namespace

Dealing::Dealing(const Plan& plan, GroupId group, ServerRank self, std::vector<ClientRank> clients,
                 const PointDirectory& directory, Executor& workers, Messages& messages, ErrorList& errors,
                 SettledPoints& dealt)
    : plan_(plan),
      group_(group),
      self_(self),
      parts_{std::move(clients), {}, {}},
      directory_(directory),
      messages_(messages),
      errors_(errors),
      dealt_(dealt),
      compares_copies_(checks_shared_points()),
      strand_(workers) {
  for (const FieldId field : plan[group].fields) {
    if (plan[field].points && std::ranges::find(points_, *plan[field].points) == points_.end())
      points_.push_back(*plan[field].points);
  }
  for (const std::uint32_t one : points_) {
    for (const PointsFor& incoming : directory.incoming(one)) {
      const ServerRank from = plan.layout.server_of(incoming.from);
      parts_.senders.insert(from);
      sending_[from][one].insert(incoming.from);
    }
    for (const ClientRank client : parts_.clients)
      for (const auto& [to, slices] : directory.slices(one, client)) parts_.receivers.insert(to);
  }
  parts_.senders.erase(self);
  parts_.receivers.erase(self);
}

void Dealing::add(ClientRank client, std::int64_t step, PointSamples samples) {
  strand_.post([this, client, step, samples = std::move(samples)] {
    const CostOfRun cost(cost_);
    contribute(step, key_of(step, fields_of(samples)), client, samples);
    close_if_complete(step);
  });
}

void Dealing::end_client(ClientRank client, std::int64_t last_step) {
  strand_.post([this, client, last_step] {
    const auto give_nothing = [&](std::int64_t step, Key& key) { contribute_nothing(step, key, client); };
    for (const std::int64_t step : open_.end_client(client, last_step, give_nothing)) close_if_complete(step);
  });
}

void Dealing::advance(std::int64_t step, std::vector<FieldId> fields, std::shared_ptr<const void> hold) {
  strand_.post([this, step, fields = std::move(fields), hold = std::move(hold)]() mutable {
    Key& key = key_of(step, fields);
    open_.advance(key, step, std::move(hold),
                  [&](ClientRank client) { contribute_nothing(step, key, client); });
    close_if_complete(step);
  });
}

void Dealing::receive(ServerRank from, const Decoder& in, std::shared_ptr<const void> message) {
  if (!parts_.senders.contains(from))
    throw TransportError("server " + std::to_string(from) + " sends points that nobody expects of it");
  strand_.post([this, from, in, message = std::move(message)] {
    const CostOfRun cost(cost_);
    Decoder rest = in;
    take(from, rest);
  });
}

/// Errors: TransportError where it has other fields.
Dealing::Key& Dealing::key_of(std::int64_t step, const std::vector<FieldId>& fields) {
  const auto [key, is_new] = open_.get(step);
  if (is_new) {
    const std::vector<bool> none(parts_.clients.size());
    for (const FieldId field : fields)
      key.fields.push_back({field, {parts_.clients.size(), nullptr}, none, none});
    return key;
  }
  if (!std::ranges::equal(key.fields, fields, {}, &Field::id))
    throw TransportError("servers disagree about what step " + std::to_string(step) + " wants on points");
  return key;
}

void Dealing::contribute_nothing(std::int64_t step, Key& key, ClientRank client) {
  PointSamples nothing;
  for (const Field& field : key.fields) nothing.emplace_back(field.id, Absent{});
  contribute(step, key, client, nothing);
}

void Dealing::contribute(std::int64_t step, Key& key, ClientRank client, const PointSamples& samples) {
  put_own(key, client, samples);
  std::set<ServerRank> servers;
  for (const std::uint32_t points : points_)
    for (const auto& [to, slices] : directory_.slices(points, client)) servers.insert(to);
  servers.erase(self_);
  for (const ServerRank to : servers) pack(client, samples, to, frame_for(to, step, key));
  key.came.insert(client);
  if (key.came.size() < parts_.clients.size()) return;
  for (const ServerRank to : parts_.receivers) messages_.send(to, std::move(frame_for(to, step, key)));
  key.frames.clear();
}

/// With memory for all that goes into it.
Bytes& Dealing::frame_for(ServerRank to, std::int64_t step, Key& key) const {
  Bytes& frame = key.frames[to];
  if (!frame.empty()) return frame;
  std::size_t bytes = 24 + 4 * key.fields.size();
  for (const Field& field : key.fields) {
    const PointArray shape = point_array(plan_, plan_[field.id]);
    const auto element = static_cast<Index>(size_bytes(plan_[field.id].type)) * shape.before * shape.behind;
    for (const ClientRank client : parts_.clients) {
      const auto* const parts = slices(client, field.id, to);
      for (std::size_t i = 0; parts != nullptr && i < parts->size(); ++i)
        bytes += static_cast<std::size_t>((*parts)[i].count * element);
      bytes += 5;
    }
  }
  frame.reserve(bytes);
  Encoder out(frame);
  out.put(ServerFrame::points);
  out.put(group_.index);
  out.put(step);
  out.put(static_cast<std::uint64_t>(key.fields.size()));
  for (const Field& field : key.fields) out.put(field.id.index);
  return frame;
}

/// Null if the rank has nothing of the field for the server.
const std::vector<PointSlice>* Dealing::slices(ClientRank client, FieldId field, ServerRank to) const {
  const PointDirectory::Slices& all = directory_.slices(*plan_[field].points, client);
  const auto found = all.find(to);
  return found == all.end() ? nullptr : &found->second;
}

/// The rank; for each field that has points there whether it was put, and its elements of these.
void Dealing::pack(ClientRank client, const PointSamples& samples, ServerRank to, Bytes& frame) const {
  const auto stays = [&](const auto& sample) { return slices(client, sample.first, to) == nullptr; };
  if (std::ranges::all_of(samples, stays)) return;
  Encoder out(frame);
  out.put(client);
  for (const auto& [id, sample] : samples) {
    const std::vector<PointSlice>* const parts = slices(client, id, to);
    if (parts == nullptr) continue;
    const auto* const array = std::get_if<Array>(&sample);
    out.put(array != nullptr);
    if (array == nullptr) continue;
    const PointArray shape = point_array(plan_, plan_[id]);
    const Index there = plan_.points[*plan_[id].points].handed_over[client];
    const auto element = static_cast<Index>(size_bytes(array->type)) * shape.before;
    for (const PointSlice& slice : *parts) {
      for (Index behind = 0; behind < shape.behind; ++behind) {
        out.put_raw({array->bytes.get() + (behind * there + slice.first) * element,
                     static_cast<std::size_t>(slice.count * element)});
      }
    }
  }
}

/// What stays on this server is copied once.
void Dealing::put_own(Key& key, ClientRank client, const PointSamples& samples) {
  for (std::size_t f = 0; f < samples.size(); ++f) {
    const auto& [id, sample] = samples[f];
    Field& field = key.fields[f];
    const std::uint32_t points = *plan_[id].points;
    const auto* const array = std::get_if<Array>(&sample);
    field.was_put[place_of(client)] = array != nullptr;
    const std::vector<PointSlice>* const own_slices = slices(client, id, self_);
    const auto [first, last] = directory_.incoming(points, client);
    for (const PointsFor* own = first; own != last; ++own) {
      if (array == nullptr) field.is_absent[place_of(own->to)] = true;
      if (array == nullptr) continue;
      const auto slice = std::ranges::lower_bound(*own_slices, own->to, {}, &PointSlice::to);
      put(key, f, *own, array->bytes.get(), slice->first, plan_.points[points].handed_over[client]);
    }
  }
}

std::size_t Dealing::place_of(ClientRank client) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(parts_.clients, client) - parts_.clients.begin());
}

void Dealing::take(ServerRank from, Decoder& in) {
  const auto step = in.get<std::int64_t>();
  std::vector<FieldId> fields;
  for (std::size_t i = in.get_length(4); i > 0; --i) fields.emplace_back(in.get<std::uint32_t>());
  const auto is_wrong = [&](FieldId id) {
    return id.index >= plan_.fields.size() || plan_[id].group != group_ || !plan_[id].points;
  };
  const auto [last, is_first] = last_from_.try_emplace(from, step);
  if (std::ranges::any_of(fields, is_wrong) || (!is_first && step <= last->second))
    throw TransportError("server " + std::to_string(from) + " sends points of a step that cannot be");
  last->second = step;
  Key& key = key_of(step, fields);
  std::set<ClientRank> came;
  while (!in.is_at_end()) {
    const auto client = in.get<ClientRank>();
    if (!came.insert(client).second) throw TransportError("points of a model rank came twice in a step");
    take_client(key, from, client, in);
  }
  if (came.size() != clients_that_send(from, key))
    throw TransportError("server " + std::to_string(from) + " sends points of some of its model ranks");
  key.servers.insert(from);
  close_if_complete(step);
}

/// How many ranks of another server have something for this one of the step's fields.
std::size_t Dealing::clients_that_send(ServerRank from, const Key& key) const {
  std::set<ClientRank> all;
  std::set<std::uint32_t> sets;
  for (const Field& field : key.fields) sets.insert(*plan_[field.id].points);
  for (const std::uint32_t points : sets) {
    const auto found = sending_.at(from).find(points);
    if (found != sending_.at(from).end()) all.insert(found->second.begin(), found->second.end());
  }
  return all.size();
}

void Dealing::take_client(Key& key, ServerRank from, ClientRank client, Decoder& in) {
  if (client >= plan_.layout.clients || plan_.layout.server_of(client) != from)
    throw TransportError("server " + std::to_string(from) + " sends points of a rank that is not its own");
  for (std::size_t f = 0; f < key.fields.size(); ++f) {
    Field& field = key.fields[f];
    const auto [first, last] = directory_.incoming(*plan_[field.id].points, client);
    if (first == last) continue;
    const bool is_there = in.get<std::uint8_t>() != 0;
    const PointArray shape = point_array(plan_, plan_[field.id]);
    const auto element = static_cast<Index>(size_bytes(plan_[field.id].type)) * shape.before * shape.behind;
    for (const PointsFor* one = first; one != last; ++one) {
      if (!is_there) field.is_absent[place_of(one->to)] = true;
      if (!is_there) continue;
      const auto bytes = in.get_raw(static_cast<std::size_t>(one->count * element));
      put(key, f, *one, bytes.data(), 0, one->count);
    }
  }
}

/// `from`: an array of the field with `points_there` points, of which those from `first_point` on are meant.
void Dealing::put(Key& key, std::size_t place, const PointsFor& points, const std::byte* from,
                  Index first_point, Index points_there) {
  Field& field = key.fields[place];
  const PlannedField& planned = plan_[field.id];
  const PointArray shape = point_array(plan_, planned);
  const Index range = dealt_points(plan_, plan_.points[*planned.points], points.to).count;
  const auto element = static_cast<Index>(size_bytes(planned.type)) * shape.before;
  std::shared_ptr<std::byte>& array = field.arrays[place_of(points.to)];
  if (!array) array = new_array(field.id, points.to);
  for (Index behind = 0; behind < shape.behind; ++behind) {
    const std::byte* source = from + (behind * points_there + first_point) * element;
    std::byte* const target = array.get() + behind * range * element;
    for (const PointRun& run : points.runs) {
      const auto bytes = static_cast<std::size_t>(run.count * element);
      if (run.counts()) {
        std::memcpy(target + run.to * element, source, bytes);
      } else if (compares_copies_) {
        key.copies.push_back(
            {place, points.from, points.to, run.place(), run.count, behind, {source, source + bytes}});
      }
      source += bytes;
    }
  }
}

/// Where some points may be nobody's, the missing value stands there.
std::shared_ptr<std::byte> Dealing::new_array(FieldId id, ClientRank client) const {
  const PlannedField& field = plan_[id];
  const auto count = static_cast<std::size_t>(plan_.regions[client][id.index].size());
  std::shared_ptr<std::byte[]> bytes =
      std::make_shared_for_overwrite<std::byte[]>(std::max<std::size_t>(1, count * size_bytes(field.type)));
  if (plan_.points[*field.points].has_holes)
    fill(bytes.get(), count, field.type, plan_[field.value].missing.value_or(0));
  return {bytes, bytes.get()};
}

void Dealing::close_if_complete(std::int64_t step) {
  if (std::optional<Key> complete = open_.take_if_complete(step, parts_)) settle(step, *complete);
}

/// Whose value counts has come as well, as the key is complete.
void Dealing::compare_copies(std::int64_t step, const Key& key) {
  for (const Copy& copy : key.copies) {
    const Field& field = key.fields[copy.field];
    const std::byte* const array = field.arrays[place_of(copy.to)].get();
    const PlannedPoints& points = plan_.points[*plan_[field.id].points];
    const IndexSet::Range range = dealt_points(plan_, points, copy.to);
    const std::size_t element = copy.bytes.size() / static_cast<std::size_t>(copy.count);
    for (Index i = 0; i < copy.count && !field.is_absent[place_of(copy.to)]; ++i) {
      const auto there = static_cast<std::size_t>(copy.behind * range.count + copy.place + i) * element;
      if (std::memcmp(array + there, copy.bytes.data() + static_cast<std::size_t>(i) * element, element) == 0)
        continue;
      if (!told_.emplace(field.id, copy.from).second) break;
      errors_.add("points \"" + points.name + "\": model rank " + std::to_string(copy.from) +
                  " has another value of \"" + plan_[field.id].name + "\" in point " +
                  std::to_string(range.first + copy.place + i) + " than a lower rank in step " +
                  std::to_string(step) + "; results depend on who holds it");
    }
  }
}

void Dealing::settle(std::int64_t step, Key& key) {
  compare_copies(step, key);
  for (std::size_t own = 0; own < parts_.clients.size(); ++own) {
    auto values = std::make_shared<BroadcastValues>();
    for (Field& field : key.fields) values->emplace_back(plan_[field.id].value, sample_of(key, field, own));
    dealt_.settle(parts_.clients[own], step, std::move(values));
  }
}

/// A range of which nobody holds a point is there where its rank has put the field.
Sample Dealing::sample_of(Key& key, Field& field, std::size_t own) {
  std::shared_ptr<std::byte>& array = field.arrays[own];
  if (field.is_absent[own] || (!array && !field.was_put[own])) return Absent{};
  if (!array) array = new_array(field.id, parts_.clients[own]);
  struct Held {
    std::shared_ptr<std::byte> bytes;
    std::shared_ptr<const void> step;
  };
  const auto held = std::make_shared<const Held>(Held{std::move(array), key.hold});
  const Extents& extents = plan_.regions[parts_.clients[own]][field.id.index].count;
  return Array{plan_[field.id].type, extents, std::shared_ptr<const std::byte>(held, held->bytes.get())};
}

void Dealing::tell_waits(const std::shared_ptr<Waits>& waits,
                         std::map<ClientRank, std::int64_t> sent_through) {
  waits->expect();
  strand_.post([this, waits, sent_through = std::move(sent_through)] {
    pileus::tell_waits(*waits, name(), parts_, open_.open(), sent_through);
    waits->answered();
  });
}

std::vector<std::string> Dealing::open_texts() const {
  return pileus::open_texts(name(), parts_, open_.open());
}

}  // namespace pileus
