// track, tracks, track_ends: objects that keep their identity from step to step.

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "core/missing.h"
#include "objects/laid.h"
#include "objects/tracker.h"

namespace pileus::operators {
namespace {

using objects::EndedTrack;
using objects::Inside;
using objects::Laid;
using objects::Rows;
using objects::Run;
using objects::Space;
using objects::Track;
using objects::Tracked;

/// Of all spaces of a part, in their order.
using Known = std::vector<Tracked>;

/// What checkpoints have of one space.
constexpr std::uint8_t kFormat = 1;

class Following {
 public:
  Following(const Rule& rule, const Quantity& field)
      : space_(objects::space_of(rule, field)), inside_(field) {}

  const Space& space() const { return space_; }

  std::shared_ptr<const void> follow(const void* before, double time_s, const Part& field) const {
    const auto* const known = static_cast<const Known*>(before);
    const Laid laid(space_, field.region);
    auto next = std::make_shared<Known>();
    next->reserve(laid.begins.size());
    for (std::size_t s = 0; s < laid.begins.size(); ++s) {
      const std::vector<Run> runs = objects::runs_in(space_, laid, field, inside_, laid.begins[s]);
      if (known == nullptr)
        next->emplace_back(runs, time_s);
      else
        next->emplace_back(known->at(s), runs, time_s);
    }
    return next;
  }

  std::size_t most_bytes(const Region& part) const {
    constexpr std::size_t kOfPart = sizeof(Known) + 64;  // with what counts how many have it
    return kOfPart + space_.spaces_in(part) * Tracked::most_bytes(space_.most_runs());
  }

  std::vector<Piece> keep(const void* known, const Region& part) const {
    std::vector<Piece> pieces;
    std::size_t s = 0;
    for_each_space(part, [&](const Region& space) {
      Piece& piece = pieces.emplace_back();
      piece.region = space;
      Encoder out(piece.bytes);
      out.put(kFormat);
      static_cast<const Known*>(known)->at(s++).encode(out);
    });
    return pieces;
  }

  /// All spaces go on, or none does: a plane of another size has other elements.
  std::shared_ptr<const void> restore(const Region& part, const std::vector<Piece>& pieces) const {
    auto known = std::make_shared<Known>();
    const Laid laid(space_, part);
    known->reserve(laid.begins.size());
    std::map<std::vector<Index>, const Piece*> by_start;
    for (const Piece& piece : pieces) by_start.emplace(piece.region.start, &piece);
    std::size_t spaces = 0;
    for_each_space(part, [&](const Region& space) {
      ++spaces;
      const auto piece = by_start.find(space.start);
      if (piece == by_start.end() || piece->second->region != space) return;
      Decoder in(piece->second->bytes);
      if (in.get<std::uint8_t>() == kFormat)
        known->push_back(Tracked::decode(in, std::ssize(laid.rows), laid.length));
    });
    return known->size() == spaces ? known : nullptr;
  }

 private:
  template <class Visit>
  void for_each_space(const Region& part, Visit visit) const {
    std::vector<Index> counts = part.count, at(part.count.size(), 0);
    if (part.size() == 0) return;
    for (const Space::Axis& axis : space_.axes()) counts[axis.at] = 1;
    for (bool is_through = false; !is_through;) {
      Region space{part.start, std::vector<Index>(part.count.size(), 1)};
      for (std::size_t d = 0; d < at.size(); ++d) space.start[d] += at[d];
      for (const Space::Axis& axis : space_.axes()) space.count[axis.at] = part.count[axis.at];
      visit(space);
      std::size_t d = 0;
      while (d < at.size() && ++at[d] == counts[d]) at[d++] = 0;
      is_through = d == at.size();
    }
  }

  Space space_;
  Inside inside_;
};

double number_of(const Track& track, double time_s, std::string_view what) {
  if (what == "age") return time_s - track.begun_s;
  if (what == "begun") return track.begun_s;
  if (what == "merged") return static_cast<double>(track.merged);
  return static_cast<double>(what == "parent" ? track.parent : track.identity);
}

double number_of(const EndedTrack& track, std::string_view what) {
  if (what == "lifetime") return track.lifetime_s;
  return static_cast<double>(what == "into" ? track.into : track.identity);
}

/// All but how the result is made of what is known.
void follow(const Rule& rule, const Quantity& field, const Following& following, Prepared& prepared) {
  prepared.working_bytes = objects::working_bytes(following.space(), field) +
                           Tracked::working_bytes(following.space().most_runs());
  Followed& followed = prepared.followed.emplace();
  followed.text = "objects";
  for (const char* const parameter : {"dimensions", "periodic", "corners"})
    followed.text += '\n' + rule.text(parameter);
  followed.inputs = {static_cast<std::size_t>(&field - rule.inputs.data())};
  followed.bytes = [following](const Region& part) { return following.most_bytes(part); };
  followed.follow = [following](const void* before, const Moment& moment, const std::vector<Part>& inputs) {
    return following.follow(before, moment.time_s, inputs.front());
  };
  followed.keep = [following](const void* known, const Region& part) { return following.keep(known, part); };
  followed.restore = [following](const Region& part, const std::vector<Piece>& pieces) {
    return following.restore(part, pieces);
  };
}

Prepared prepare_track(const Rule& rule) {
  const Quantity& field = rule.input("field");
  const Following following(rule, field);
  Prepared prepared;
  prepared.result.dimensions = field.dimensions;
  follow(rule, field, following, prepared);
  prepared.followed->compute = [space = following.space(), what = rule.text("of")](
                                   const void* known, const std::vector<Part>&, const ResultPart& result) {
    const Laid laid(space, result.region);
    auto* const to = result.as<double>().data();
    for (std::size_t s = 0; s < laid.begins.size(); ++s) {
      const Tracked& tracked = static_cast<const Known*>(known)->at(s);
      tracked.for_each_run([&](std::uint32_t row, Index begin, Index end, const Track& track) {
        double* const first = to + laid.begins[s] + laid.rows[row];
        const double number = number_of(track, tracked.time_s(), what);
        for (Index i = begin; i < end; ++i) first[i * laid.stride] = number;
      });
    }
  };
  return prepared;
}

/// `list(tracked)`: what the rows are of; `number(tracked, one, what)`: what a row has.
template <class List, class Number>
Prepared prepare_table(const Rule& rule, List list, Number number) {
  const Quantity& field = rule.input("field");
  const Following following(rule, field);
  Rows rows{objects::most_of(rule)};
  Prepared prepared;
  rows.describe(rule, field, following.space(), prepared);
  follow(rule, field, following, prepared);
  prepared.followed->compute = [=, what = rule.text("of")](const void* known, const std::vector<Part>&,
                                                           const ResultPart& result) {
    const auto& spaces = *static_cast<const Known*>(known);
    rows.fill(
        result, [&](std::size_t space) { return std::ssize(list(spaces.at(space))); },
        [&](std::size_t space, std::size_t row) {
          return number(spaces.at(space), list(spaces.at(space))[row], what);
        });
  };
  return prepared;
}

Prepared prepare_tracks(const Rule& rule) {
  const auto list = [](const Tracked& tracked) -> const std::vector<Track>& { return tracked.tracks(); };
  return prepare_table(rule, list, [](const Tracked& tracked, const Track& one, std::string_view what) {
    return number_of(one, tracked.time_s(), what);
  });
}

Prepared prepare_track_ends(const Rule& rule) {
  const auto list = [](const Tracked& tracked) -> const std::vector<EndedTrack>& { return tracked.ended(); };
  return prepare_table(rule, list, [](const Tracked&, const EndedTrack& one, std::string_view what) {
    return number_of(one, what);
  });
}

Parameter of(std::vector<std::string> words, const char* help) {
  std::string first = words.front();
  return {"of", ParameterKind::word, false, std::move(first), std::move(words), help};
}

std::vector<Parameter> parameters_of_tables(Parameter of) {
  std::vector<Parameter> parameters = objects::common_parameters();
  parameters.push_back(std::move(of));
  std::ranges::move(objects::table_parameters(), std::back_inserter(parameters));
  return parameters;
}

}  // namespace

Operator track() {
  std::vector<Parameter> parameters = objects::common_parameters();
  parameters.push_back(of({"identity", "age", "begun", "parent"},
                          "what each element gets of its object: its identity, the seconds since it began, "
                          "the model time of that, or the identity of what it was a part of before"));
  return {"track",
          "Connected objects where a condition holds, followed from step to step: each element gets the "
          "identity of its object, from 1, and 0 outside.",
          std::move(parameters),
          prepare_track,
          true,
          "dimensions"};
}

Operator tracks() {
  return {"tracks",
          "A table of the connected objects where a condition holds, followed from step to step, in the "
          "order of labels, as that of objects.",
          parameters_of_tables(of({"identity", "age", "begun", "parent", "merged"},
                                  "what is told of each: as for track, or how many others became parts of "
                                  "it since the step before")),
          prepare_tracks,
          true,
          "dimensions"};
}

Operator track_ends() {
  return {"track_ends",
          "A table of the objects that were there in the step before and are not any more, in the order of "
          "their identities.",
          parameters_of_tables(of({"identity", "lifetime", "into"},
                                  "what is told of each: its identity, the seconds from its beginning to "
                                  "when it was there last, or the identity of what it became a part of")),
          prepare_track_ends,
          true,
          "dimensions"};
}

}  // namespace pileus::operators
