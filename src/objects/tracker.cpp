#include "objects/tracker.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/error.h"

namespace pileus::objects {

/// The first element of an object is in its first run, so that new objects come in the order of labels.
void Tracked::take(const std::vector<Run>& runs) {
  std::map<Index, std::uint32_t> numbers;
  pieces_.reserve(runs.size());
  for (const Run& run : runs) {
    const auto number = numbers.try_emplace(run.object, static_cast<std::uint32_t>(numbers.size())).first;
    pieces_.push_back({static_cast<std::uint32_t>(run.row), static_cast<std::uint32_t>(run.begin),
                       static_cast<std::uint32_t>(run.end), number->second});
  }
  tracks_.resize(numbers.size());
}

Tracked::Tracked(const std::vector<Run>& runs, double time_s) : Tracked(Tracked(), runs, time_s) {}

Tracked::Tracked(const Tracked& before, const std::vector<Run>& runs, double time_s)
    : time_s_(time_s), next_(before.next_) {
  take(runs);
  const std::vector<Overlap> common = overlaps(before);
  using Best = std::optional<Overlap>;
  std::vector<Best> origin(tracks_.size());         // by track, what it is a part of
  std::vector<Best> heir(before.tracks_.size());    // by track before, which part of it is it
  std::vector<Best> covers(before.tracks_.size());  // by track before, what has most of it
  const auto identity = [&](const Overlap& one) { return before.tracks_[one.before].identity; };
  for (const Overlap& one : common) {
    Best& best = origin[one.track];
    if (!best || std::tuple(-one.elements, identity(one)) < std::tuple(-best->elements, identity(*best)))
      best = one;
  }
  const auto keep_larger = [](Best& best, const Overlap& one) {
    if (!best || std::tuple(-one.elements, one.track) < std::tuple(-best->elements, best->track)) best = one;
  };
  for (const Best& one : origin)
    if (one) keep_larger(heir[one->before], *one);
  for (const Overlap& one : common) keep_larger(covers[one.before], one);

  for (std::uint32_t t = 0; t < tracks_.size(); ++t) {
    const Best& one = origin[t];
    if (one && heir[one->before]->track == t) {
      tracks_[t] = before.tracks_[one->before];
      tracks_[t].merged = 0;
    } else {
      tracks_[t] = {next_++, one ? identity(*one) : 0, time_s, 0};
    }
  }
  ended_.reserve(static_cast<std::size_t>(std::ranges::count(heir, Best())));
  for (std::size_t b = 0; b < before.tracks_.size(); ++b) {
    if (heir[b]) continue;
    const Track& track = before.tracks_[b];
    ended_.push_back({track.identity, 0, before.time_s_ - track.begun_s});
    if (!covers[b]) continue;
    ended_.back().into = tracks_[covers[b]->track].identity;
    ++tracks_[covers[b]->track].merged;
  }
  std::ranges::sort(ended_, {}, &EndedTrack::identity);
}

/// Goes along the runs of both steps: the one that ends first is done with first.
std::vector<Tracked::Overlap> Tracked::overlaps(const Tracked& before) const {
  std::vector<Overlap> overlaps;
  overlaps.reserve(pieces_.size() + before.pieces_.size());
  for (std::size_t a = 0, b = 0; a < pieces_.size() && b < before.pieces_.size();) {
    const Piece &one = pieces_[a], &other = before.pieces_[b];
    if (one.row == other.row) {
      const std::uint32_t begin = std::max(one.begin, other.begin), end = std::min(one.end, other.end);
      if (begin < end) overlaps.push_back({one.track, other.track, end - begin});
    }
    std::pair(one.row, one.end) <= std::pair(other.row, other.end) ? ++a : ++b;
  }
  const auto tracks = [](const Overlap& one) { return std::pair(one.track, one.before); };
  std::ranges::sort(overlaps, {}, tracks);
  std::size_t last = 0;
  for (std::size_t i = 1; i < overlaps.size(); ++i) {
    if (tracks(overlaps[i]) == tracks(overlaps[last]))
      overlaps[last].elements += overlaps[i].elements;
    else
      overlaps[++last] = overlaps[i];
  }
  overlaps.resize(std::min(overlaps.size(), last + 1));
  return overlaps;
}

void Tracked::encode(Encoder& out) const {
  out.put(time_s_);
  out.put(next_);
  out.put(static_cast<std::uint64_t>(tracks_.size()));
  for (const Track& track : tracks_) {
    out.put(track.identity);
    out.put(track.parent);
    out.put(track.begun_s);
  }
  out.put(static_cast<std::uint64_t>(pieces_.size()));
  for (const Piece& piece : pieces_)
    for (const std::uint32_t number : {piece.row, piece.begin, piece.end, piece.track}) out.put(number);
}

Tracked Tracked::decode(Decoder& in, Index rows, Index length) {
  Tracked tracked;
  tracked.time_s_ = in.get<double>();
  tracked.next_ = in.get<std::int64_t>();
  tracked.tracks_.resize(in.get_length(24));
  for (Track& track : tracked.tracks_) {
    track.identity = in.get<std::int64_t>();
    track.parent = in.get<std::int64_t>();
    track.begun_s = in.get<double>();
  }
  tracked.pieces_.resize(in.get_length(16));
  for (Piece& piece : tracked.pieces_) {
    for (std::uint32_t* const number : {&piece.row, &piece.begin, &piece.end, &piece.track})
      *number = in.get<std::uint32_t>();
    const bool is_there = piece.row < rows && piece.begin < piece.end && piece.end <= length;
    if (!is_there || piece.track >= tracked.tracks_.size())
      throw TransportError("what was followed is of another space");
  }
  return tracked;
}

}  // namespace pileus::objects
