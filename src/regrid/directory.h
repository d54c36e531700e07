#pragma once
// Who needs which points of the inputs of regriddings, as one server has to know it: the links of the points
// that its streams get, where the elements of these come from, and what of its model ranks' goes to others.
// Each server knows the links of its own points, and no others.

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"
#include "regrid/add_links.h"
#include "regrid/point_layout.h"

namespace pileus {

/// Points that come one behind the other: the first of them among others, and how many.
using PlaceRun = IndexSet::Range;

/// The points of one stream of a group's results, and what they are made of.
struct RegridStream {
  IndexSet::Range range;  ///< by their numbers
  PlacedLinks links;
  Index sources = 0;  ///< so many points are brought together for it, by their numbers
  Region wide = {};   ///< of halos, in place of range and links: the box of its sources
};

/// Elements that go from one model rank to one stream.
struct RegridPart {
  ClientRank from = 0, to = 0;
  Index count = 0;  ///< of points
  /// Where they go: among the stream's sources; or where they come from: in the model rank's box.
  std::vector<PlaceRun> runs;
};

/// Reads files of weights. Errors: UsageError.
class ReadWeights {
 public:
  virtual LinkRows links(const Regridding& how, Index first, Index count) const = 0;
  /// Latitude and longitude in degrees of points of the source; empty where the file does not have them.
  virtual std::array<std::vector<double>, 2> places(const std::string& file, Index first,
                                                    Index count) const = 0;

 protected:
  ~ReadWeights() = default;
};

/// Where the points of a rank's box lie by the file of weights, as degrees of latitude and longitude.
using PlacesOfBox = std::array<std::vector<double>, 2>;

class RegridDirectory {
 public:
  /// Finds the links of this server's streams. Errors: UsageError where they cannot be had or used.
  /// REQUIRES: the plan outlives it.
  RegridDirectory(const Plan& plan, ServerRank self, const ReadWeights& read);

  bool is_needed() const { return !plan_.regrids.empty(); }
  /// What is to be said to each server that has model ranks, this one too; nothing where this one has none.
  /// Order: once.
  std::vector<std::pair<ServerRank, Bytes>> frames();
  /// Another server has said what it needs of this one's ranks. Errors: TransportError if that cannot be.
  void take(ServerRank from, Decoder& in);
  /// Every server has said so.
  bool is_complete() const { return waits_for_ == 0; }

  /// REQUIRES: a model rank of this server.
  const RegridStream& stream(std::size_t group, ClientRank client) const;
  /// Which points a rank has of inputs that lie alike, by the dimensions of the points.
  const Region& box(std::size_t group, std::size_t layout, ClientRank client) const {
    return groups_[group].layouts[layout].boxes[client];
  }
  /// Inputs that lie alike have one layout.
  std::size_t layout_of(std::size_t group, RuleId rule) const;
  /// What comes from one rank for streams of this server, by the streams. Empty: nothing.
  const std::vector<RegridPart>& incoming(std::size_t group, std::size_t layout, ClientRank from) const;
  /// What goes from a rank of this server to streams of another, or of this one, by the streams.
  const std::vector<RegridPart>& outgoing(std::size_t group, std::size_t layout, ClientRank from,
                                          ServerRank to) const;
  /// The servers that get something of this one's ranks, and those that send it something, without itself.
  std::vector<ServerRank> receivers(std::size_t group) const;
  std::vector<ServerRank> senders(std::size_t group) const;
  /// By the file of weights, of a rank of this server; empty where they are not to be compared, or not known.
  PlacesOfBox take_places(std::size_t group, std::size_t layout, ClientRank client);

 private:
  struct Layout {
    PointBoxes boxes;
    Extents extents;
    std::map<ClientRank, std::vector<RegridPart>> incoming;
    std::map<ServerRank, std::map<ClientRank, std::vector<RegridPart>>> outgoing;
    std::map<ServerRank, Bytes> needs;  ///< what other servers are asked for
    std::map<ClientRank, PlacesOfBox> places;
  };
  struct Group {
    std::vector<Layout> layouts;
    std::map<RuleId, std::size_t> layout_of;
    std::map<ClientRank, RegridStream> streams;
  };
  void lay_out(Group& group, const RegridGroup& planned);
  void find_links(Group& group, std::size_t number, const ReadWeights& read);
  void take_links(Group& group, ClientRank client, const IndexSet::Range& range, LinkRows links) const;
  /// Of halos each server knows both sides.
  void find_halos(Group& group, const Regridding& how);
  void find_places(Layout& layout, const std::string& file, const ReadWeights& read);
  void find_sources(Layout& layout, ClientRank to, const IndexRanges& points) const;

  const Plan& plan_;
  std::vector<Group> groups_;
  std::vector<bool> has_said_;       ///< by server
  std::vector<ServerRank> servers_;  ///< those with model ranks
  std::vector<ClientRank> clients_;  ///< those of this server
  std::size_t waits_for_ = 0;        ///< servers
};

}  // namespace pileus
