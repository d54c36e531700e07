#include "start/join_run.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "config/read_config.h"
#include "config/read_servers.h"
#include "core/log.h"
#include "monc/dialect.h"
#include "start/agreement.h"
#include "start/components.h"
#include "start/nearest_servers.h"
#include "start/processors.h"
#include "start/serving_ranks.h"
#include "start/share_of_cores.h"
#include "transport/mpi/finalize_hook.h"
#include "transport/mpi/kept_servers.h"
#include "transport/mpi/own_mpi.h"

namespace pileus {
namespace {

/// Version of the messages between ranks here, as model and pileus-server may come from different builds.
constexpr std::int64_t kProtocol = 7;

/// What every rank knows about every rank.
struct Intent {
  bool is_server_program = false, is_chosen = false, can_serve = false;
  bool is_server() const { return is_server_program || is_chosen; }
  ServerCount servers;
  std::int64_t cores = 0;
  RankPlace place;
  std::uint64_t component = 0;
};

/// The first numbers, which tell versions apart, have been so many since version 5.
constexpr std::size_t kNumbers = 8, kMore = 8, kCounts = 5;

std::array<std::int64_t, kCounts> numbers_of(const ServerCount& count) {
  return {count.ratio, count.per_node, count.total, count.per_socket, count.per_numa};
}

void require_same_version(const std::vector<std::int64_t>& all) {
  for (std::size_t at = 0; at < all.size(); at += kNumbers) {
    if (all[at] != kProtocol)
      throw TransportError(
          "the ranks of this job use different versions of Pileus: link the model with the "
          "Pileus of its servers");
  }
}

std::vector<Intent> exchanged(const MpiMeeting& meeting, const Joining& mine, const CoreSet& cores) {
  const std::array<std::int64_t, kNumbers> numbers = {
      kProtocol,          mine.is_server_program, mine.is_chosen,     mine.can_serve,
      mine.servers.ratio, mine.servers.per_node,  mine.servers.total, cores.identity};
  const RankPlace place = place_of(cores.numbers);
  const std::array<std::int64_t, kMore> more = {
      mine.servers.per_socket,
      mine.servers.per_numa,
      place.socket,
      place.numa,
      place.core,
      place.processor,
      place.is_bound,
      static_cast<std::int64_t>(number_of_component(mine.component))};
  const std::vector<std::int64_t> all = meeting.gathered(numbers);
  require_same_version(all);
  const std::vector<std::int64_t> all_more = meeting.gathered(more);
  std::vector<Intent> intents;
  for (Peer rank = 0; rank < meeting.size(); ++rank) {
    const auto at = std::span(all).subspan(kNumbers * rank, kNumbers);
    const auto next = std::span(all_more).subspan(kMore * rank, kMore);
    intents.push_back({at[1] != 0,
                       at[2] != 0,
                       at[3] != 0,
                       {at[4], at[5], at[6], next[0], next[1]},
                       at[7],
                       {0, next[2], next[3], next[4], next[5], next[6] != 0},
                       static_cast<std::uint64_t>(next[7])});
  }
  return intents;
}

Peer first_model_rank(const std::vector<Intent>& intents) {
  const auto first = std::ranges::find(intents, false, &Intent::is_server);
  if (first == intents.end()) {
    if (std::ranges::find(intents, true, &Intent::is_chosen) != intents.end())
      throw UsageError("pileus_serve: all " + std::to_string(intents.size()) +
                       " ranks serve and none is a model rank, which calls pileus_start");
    throw UsageError(
        "all " + std::to_string(intents.size()) +
        " ranks are servers and none is a model rank; start the model and the servers in one job, as in "
        "mpirun -n 24 ./model : -n 2 pileus-server run.xml");
  }
  return static_cast<Peer>(first - intents.begin());
}

void require_alike(const std::vector<Intent>& intents, Peer first) {
  for (std::size_t rank = first + 1; rank < intents.size(); ++rank) {
    if (intents[rank].is_server() || intents[rank].servers == intents[first].servers) continue;
    throw UsageError("pileus_start: rank " + std::to_string(rank) + " asks for other servers than rank " +
                     std::to_string(first) + "; the settings are to be the same on every rank");
  }
}

std::vector<Peer> server_programs(const std::vector<Intent>& intents, const ServerCount& asked) {
  std::vector<Peer> servers;
  for (Peer rank = 0; rank < intents.size(); ++rank) {
    if (intents[rank].is_server_program) servers.push_back(rank);
  }
  if (!servers.empty() && asked.is_given()) {
    throw UsageError("pileus_start: the settings ask for servers among the model's ranks, but " +
                     std::to_string(servers.size()) +
                     (servers.size() == 1 ? " rank of this job is" : " ranks of this job are") +
                     " pileus-server; leave out one of the two");
  }
  return servers;
}

/// The ranks that call pileus_serve.
std::vector<Peer> chosen_ranks(const std::vector<Intent>& intents, const ServerCount& asked) {
  std::vector<Peer> servers;
  for (Peer rank = 0; rank < intents.size(); ++rank) {
    if (intents[rank].is_chosen) servers.push_back(rank);
  }
  if (servers.empty()) return servers;
  const std::string first = "rank " + std::to_string(servers.front()) + " calls pileus_serve, but ";
  if (std::ranges::find(intents, true, &Intent::is_server_program) != intents.end())
    throw UsageError("pileus_serve: " + first +
                     "ranks of pileus-server serve this job; leave out one of the two");
  if (asked.is_given())
    throw UsageError("pileus_start: " + first +
                     "the settings ask for servers among the model's ranks; leave out one of the two");
  return servers;
}

void require_willing(const std::vector<Intent>& intents, const std::vector<Peer>& servers) {
  for (const Peer rank : servers) {
    if (intents[rank].can_serve) continue;
    throw UsageError("pileus_start: rank " + std::to_string(rank) +
                     " is to serve, but the model does not ask for its role, so that it could not know; give "
                     "pileus_start a place for the role, and go home where it is PILEUS_SERVER");
  }
}

/// Takes configuration and directory from the first model rank.
void take_from(Peer first, const MpiMeeting& meeting, const Joining& joining, JoinedRun& run) {
  agree(meeting, [&] {
    if (meeting.rank() == first && !joining.configuration)
      throw UsageError(
          "pileus_start: there is no server, so the analysis runs inside the model and needs the path of "
          "the configuration; set it in the settings, or have servers: pileus-server in the same job, or "
          "ranks of the model that call pileus_serve");
  });
  run.configuration = meeting.text_of(first, joining.configuration.value_or(""));
  run.directory = meeting.text_of(first, joining.directory);
}

ServerCount read_by(Peer first, const MpiMeeting& meeting, const std::string& configuration,
                    const std::string& component) {
  ServerCount count;
  agree(meeting, [&] {
    if (meeting.rank() != first) return;
    count = read_server_count(read_text_file(configuration), configuration, all_dialects(), component);
  });
  const std::vector<std::int64_t> all = meeting.gathered(numbers_of(count));
  const auto its = std::span(all).subspan(kCounts * first, kCounts);
  return {its[0], its[1], its[2], its[3], its[4]};
}

std::vector<RankPlace> places_of(const std::vector<Intent>& intents, const std::vector<Peer>& nodes) {
  std::vector<RankPlace> places;
  for (Peer rank = 0; rank < intents.size(); ++rank) {
    places.push_back(intents[rank].place);
    places.back().node = nodes[rank];
  }
  return places;
}

std::size_t most_of_one_server(const ServerCount& asked) {
  return asked.ratio > 0 ? static_cast<std::size_t>(asked.ratio) : SIZE_MAX;
}

/// The hook of this process, which has one end, like MPI itself.
std::unique_ptr<FinalizeHook>& untold_mistake() {
  static std::unique_ptr<FinalizeHook> hook;
  return hook;
}

/// A run whose ranks know who serves, and have not parted yet.
struct Settled {
  JoinedRun run;
  std::vector<Peer> servers;
  std::unique_ptr<MpiMeeting> part;  ///< of the ranks of a component; null: all ranks are of the run
};

/// A run of the ranks of a meeting: all, or those of a component. `places`: of these.
Settled settled(const MpiMeeting& meeting, const Joining& joining, const std::vector<Intent>& intents,
                const std::vector<RankPlace>& places) {
  const Peer first = first_model_rank(intents);
  require_alike(intents, first);
  Settled out;
  JoinedRun& run = out.run;
  run.configuration = joining.configuration.value_or("");
  run.directory = joining.directory;
  ServerCount asked = intents[first].servers;
  std::vector<Peer> servers = chosen_ranks(intents, asked);
  const bool are_chosen = !servers.empty();
  if (!are_chosen) servers = server_programs(intents, asked);
  const bool are_programs = !are_chosen && !servers.empty();
  if (!are_programs) take_from(first, meeting, joining, run);
  if (servers.empty()) {
    if (!asked.is_given() && meeting.size() > 1)
      asked = read_by(first, meeting, run.configuration, joining.component);
    if (asked.is_given()) servers = serving_ranks(asked, places);
    require_willing(intents, servers);
  }
  agree(meeting, [&] {
    const bool serves = servers.empty() || std::ranges::binary_search(servers, meeting.rank());
    if (serves && joining.prepare_to_serve) joining.prepare_to_serve();
  });
  if (!servers.empty()) {
    Serving serving = nearest_servers(places, servers, most_of_one_server(asked));
    run.notes = placement_notes(places, serving, asked);
    servers = serving.servers;
    run.served_by = std::move(serving.served_by);
  }
  out.servers = std::move(servers);
  return out;
}

template <class Item>
std::vector<Item> those_of(const std::vector<Item>& all, const std::vector<Peer>& ranks) {
  std::vector<Item> items;
  for (const Peer rank : ranks) items.push_back(all[rank]);
  return items;
}

/// The places of the ranks of a component, by which its ranks know each other.
std::vector<RankPlace> places_among(const std::vector<RankPlace>& all, const std::vector<Peer>& ranks) {
  std::vector<RankPlace> places = those_of(all, ranks);
  std::map<Peer, Peer> lowest;  // by node of all
  for (Peer rank = 0; rank < places.size(); ++rank)
    places[rank].node = lowest.try_emplace(places[rank].node, rank).first->second;
  return places;
}

/// Each component's run is settled before the next one's, so that an error of one is that of all ranks.
std::vector<Settled> settled_each(const MpiMeeting& meeting, const Joining& joining,
                                  const std::vector<Intent>& intents, const std::vector<RankPlace>& places) {
  std::vector<Membership> memberships;
  for (const Intent& intent : intents) memberships.push_back({intent.is_server(), intent.component});
  const std::vector<ComponentRanks> components = components_of(memberships);
  std::vector<Settled> runs;
  if (components.size() == 1 && components.front().number == 0) {
    runs.push_back(settled(meeting, joining, intents, places));
    return runs;
  }
  for (const ComponentRanks& component : components) {
    const std::string name = meeting.text_of(component.first, joining.component);
    const bool takes_part = std::ranges::binary_search(component.members, meeting.rank());
    std::unique_ptr<MpiMeeting> part = meeting.among(takes_part);
    agree(meeting, [&] {
      if (!part) return;
      runs.push_back(settled(*part, joining, those_of(intents, component.members),
                             places_among(places, component.members)));
      runs.back().run.component = name;
      runs.back().part = std::move(part);
    });
  }
  for (Settled& one : runs) one.run.of_components = runs.size();
  return runs;
}

/// Threads that analyse for each server of this rank. Collective: all ranks of the job say what they have.
std::size_t default_workers(const MpiMeeting& meeting, const CoreSet& cores,
                            const std::vector<Intent>& intents, const std::vector<RankPlace>& places,
                            const std::vector<Settled>& runs) {
  const Settled& first = runs.front();
  const Peer self = first.part ? first.part->rank() : meeting.rank();
  const bool serves = std::ranges::find(first.servers, self) != first.servers.end();
  const std::array<std::int64_t, 2> mine = {!serves, serves || first.servers.empty()};
  const std::vector<std::int64_t> all = meeting.gathered(mine);
  std::vector<CoreUse> uses;
  for (Peer rank = 0; rank < intents.size(); ++rank)
    uses.push_back({places[rank].node, intents[rank].cores, all[2 * rank] != 0, all[2 * rank + 1] != 0});
  const std::size_t share = share_of_cores(uses[meeting.rank()], cores.count, uses);
  return std::max<std::size_t>(1, share / runs.size());
}

std::vector<JoinedRun> joined(MpiMeeting& meeting, const Joining& joining, const CoreSet& cores,
                              const std::vector<Intent>& intents) {
  agree(meeting, [&] {
    if (joining.mistake.empty()) return joining.prepare ? joining.prepare() : void();
    if (joining.is_server_program) throw RefusedError(joining.mistake);
    throw UsageError(joining.mistake);
  });
  const Peer first = first_model_rank(intents);
  const std::vector<RankPlace> places = places_of(intents, meeting.lowest_on_node());
  std::vector<Settled> runs = settled_each(meeting, joining, intents, places);
  const std::size_t workers = default_workers(meeting, cores, intents, places, runs);
  std::vector<JoinedRun> out;
  for (Settled& one : runs) {
    one.run.world = (one.part ? *one.part : meeting).divide(one.servers);
    one.run.default_workers = workers;
    one.run.first_model_rank = first;
    out.push_back(std::move(one.run));
  }
  untold_mistake().reset();
  const std::vector<Peer> programs = server_programs(intents, {});
  if (!programs.empty()) keep_servers(out.front().world, programs, meeting.rank() == first);
  return out;
}

/// Decides who logs a refusal. Model ranks report what pileus_start returns to them; without model ranks the
/// lowest server does. If the ranks do not know each other, it is the first of the servers, which the
/// launcher may tell.
void log_refusal(const MpiMeeting* meeting, const std::vector<Intent>& intents, const std::string& text) {
  if (intents.empty()) {
    if (is_first_of_program()) log::error(text);
    return;
  }
  const auto lowest = std::ranges::find(intents, true, &Intent::is_server_program) - intents.begin();
  if (static_cast<Peer>(lowest) != meeting->rank()) return;
  const bool has_model = std::ranges::find(intents, false, &Intent::is_server_program) != intents.end();
  log::error(has_model ? "no run begins; the model has the reason from pileus_start" : text);
}

}  // namespace

void tell_mistake_at_end(const std::string& mistake) {
  if (!is_mpi_running() || is_alone_in_world() || are_servers_kept()) return;
  untold_mistake() = std::make_unique<FinalizeHook>([mistake] {
    Joining joining;
    joining.mistake = mistake;
    joining.longest_wait_s = 10;
    try {
      join_run(world_communicator(), joining);
    } catch (const std::exception&) {
      // It is the mistake, which pileus_start has reported here, or nobody waited for this rank.
    }
  });
}

std::vector<JoinedRun> join_run(int fortran_communicator, const Joining& joining) {
  std::vector<Intent> intents;
  std::optional<MpiMeeting> meeting;
  try {
    require_own_mpi(fortran_communicator);
    if (!joining.is_server_program) call_kept_servers(fortran_communicator);
    meeting.emplace(fortran_communicator, joining.is_server_program, joining.longest_wait_s);
    const CoreSet cores = usable_cores();
    intents = exchanged(*meeting, joining, cores);
    return joined(*meeting, joining, cores, intents);
  } catch (const std::exception& error) {
    if (joining.is_server_program) log_refusal(meeting ? &*meeting : nullptr, intents, error.what());
    throw;
  }
}

}  // namespace pileus
