#pragma once
// What a run was: files, the time that the model spent in Pileus, what its servers did, what took long. Each
// server knows its part; server 0 joins them.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "client/frames.h"
#include "core/cost.h"
#include "core/encoder.h"
#include "core/ids.h"
#include "files/published_file.h"
#include "messaging/frames.h"
#include "report/timeline.h"

namespace pileus {

/// What one server did. Seconds of work are summed over its threads.
struct ServerFigures {
  ServerRank server = 0;
  double wall_s = 0;                       ///< since the model was told to go on
  double idle_s = 0;                       ///< of these with nothing to do, on any thread
  double analysis_s = 0;                   ///< rules, reductions, windows
  double messages_s = 0;                   ///< receiving and sending, of the processor
  double writing_s = 0;                    ///< records, the file library, the disk
  double after_model_s = 0;                ///< from the end of the model's last step to the end of the run
  std::int64_t workers = 0;                ///< threads that analyse
  std::int64_t most_parcel_bytes = 0;      ///< of parcels that were held at once
  std::int64_t most_tasks = 0;             ///< that waited or ran at once
  std::int64_t messages = 0;               ///< sent to other servers
  std::int64_t message_bytes = 0;          ///< of these
  std::int64_t most_record_bytes = 0;      ///< of records that windows made, held at once
  std::int64_t most_memory_bytes = 0;      ///< of the process
  std::int64_t memory_at_start_bytes = 0;  ///< of the process, before the first step
  std::int64_t window_bytes = 0;           ///< the most that windows kept from one sample to the next
  std::int64_t spilled_parcels = 0;        ///< laid aside on a disk for want of memory
  std::int64_t spilled_bytes = 0;          ///< of these
  std::int64_t most_spilled_bytes = 0;     ///< of these, on the disk at once
  std::int64_t is_attached = 0;            ///< 1: on a model rank, in whose calls it is served
  TrafficByKind to_servers = {};  ///< sent to other servers, without those that find the end of the run
  Traffic from_model = {};        ///< from its model ranks, after commit
  Traffic of_inputs = {};         ///< records that it has read for its model ranks
};

struct RunReport {
  struct Client {
    ClientRank rank = 0;
    FinishFrame end;
  };
  using NamedCost = std::pair<std::string, Cost>;
  /// What lacks in the records of one variable.
  struct Absences {
    std::int64_t parts = 0;          ///< of records, that have no value
    std::int64_t partial_parts = 0;  ///< of records, that are made of fewer samples than there were
    std::int64_t samples = 0;        ///< that these lack
  };
  /// All files of one name in the configuration.
  struct Series {
    std::string name;
    std::int64_t published = 0, records = 0;
    double median_latency_s = 0, most_latency_s = 0;
  };

  /// What a server waited for, for as long as one is patient.
  struct Wait {
    ServerRank server = 0;
    std::uint32_t has_come = 1;
    double lasted_s = 0;
    std::string since;  ///< time of day
    std::string text;
  };

  /// What one server was at over time.
  struct ServerTimeline {
    ServerRank server = 0;
    std::vector<TimelinePoint> points;
  };

  /// Servers were so far behind that their memory was full.
  struct Overloads {
    std::int64_t times = 0;
    double all_s = 0, longest_s = 0;
    std::string longest_since;  ///< time of day
    std::int64_t longest_first_step = 0;
    ServerRank longest_server = 0;
  };

  std::string component;  ///< "" for none; server 0 knows it
  std::vector<Client> clients;
  std::vector<ServerFigures> servers;
  std::vector<ServerTimeline> timelines;
  /// Of a rule, the reductions of one tree, or a variable over time: summed over ranks and servers.
  std::map<std::string, Cost> costs;
  std::map<std::string, Absences> absences;  ///< by "FILE: VARIABLE"
  std::vector<PublishedFile> files;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::vector<std::string>
      logged_warnings;  ///< what the log has said when it happened, as it has every error
  std::vector<Wait> waits;
  Overloads overloads;                          ///< server 0 knows it
  std::map<std::string, std::int64_t> dropped;  ///< records that were left out, by series

  void encode(Encoder& out) const;
  static RunReport decode(Decoder& in);
  /// The first errors and the number of the others: all that servers but the first need of the whole run. It
  /// does not grow with ranks or servers.
  void encode_errors(Encoder& out) const;
  static RunReport decode_errors(Decoder& in);
  void join(RunReport other);

  /// Series by their names, files by series and period, costs and waits from the largest: what texts
  /// show.
  std::vector<Series> series() const;
  std::vector<PublishedFile> sorted_files() const;
  std::vector<NamedCost> sorted_costs() const;
  std::vector<Wait> sorted_waits() const;
  std::vector<std::string> all_warnings() const;  ///< and what lacks, once for each variable

  /// For people, who have the log before them: files, errors and warnings that stand there are counted.
  std::string text() const;
  /// For programs: every figure, by its name with its unit.
  std::string json() const;
  std::string error_text() const;
};

}  // namespace pileus
