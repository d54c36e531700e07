#pragma once
// The output side of all servers of a run in one thread: Publishing on each, real netCDF files, a seeded
// executor, messages that arrive in any order that real ones may. The test says what the windows would give:
// which records there are, from the clock alone, with values that depend on nothing but variable, time and
// place. For tests of what survives a kill.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/step.h"
#include "exec/seeded_executor.h"
#include "formats/all/all_formats.h"
#include "formats/folders/folder_files.h"
#include "publishing/publishing.h"
#include "state/checkpoint_part.h"
#include "state/state_entries.h"

namespace pileus::testing {

struct OutputSetting {
  std::string configuration;  ///< the XML; its fields are w (z, y, x), vwp (y, x) and dt
  std::string directory;
  ClientRank clients = 4;
  ServerRank servers = 2;
  std::uint64_t seed = 0;
  int attempt = 0;
  Index largest_packed_bytes = 400;
  Index held_x = 11;  ///< no rank holds what lies beyond
  Index made_x = 11;  ///< no rank makes what lies beyond, though the Plan expected it
  bool owners_write_all = false;
  Index slab_bytes = 8;  ///< of the shortest slab; what is written in slabs is cut into as many as there are
                         ///< writers
  std::vector<Step> steps;
  /// The most tasks between a server's step and the next one's. Few let the clock run far ahead of the disk.
  std::size_t tasks_between = 11;
  /// The last step of which each rank hands over anything.
  std::map<ClientRank, std::int64_t> last_steps = {};
  /// The disk of a server; null: the system's.
  std::function<FileSystem*(ServerRank)> files_of = {};
  /// The state after this step, from which the run goes on; null: a fresh start.
  const StateEntries* continued = nullptr;
  std::int64_t continued_after = 0;
};

class OutputRun {
 public:
  explicit OutputRun(OutputSetting setting);
  ~OutputRun();

  /// To the end, or until `is_killed` says so after some task: then nothing else happens.
  void run(const std::function<bool()>& is_killed = {});
  bool was_killed() const { return was_killed_; }

  bool has_kept(std::int64_t step) const {
    const auto found = kept_.find(step);
    return found != kept_.end() && found->second.size() == servers_.size();
  }
  /// The states that all servers have kept, by step. They went through bytes and back.
  std::map<std::int64_t, StateEntries> kept() const;
  /// How often a server said that it has kept a state.
  const std::map<std::pair<std::int64_t, ServerRank>, int>& said() const { return said_; }
  std::vector<std::string> errors() const;
  /// Texts about what still waits. There are none after a whole run.
  std::vector<std::string> open_texts() const;
  std::vector<std::string> published() const;
  /// Parts that servers lent to others, and how many of these they were given back.
  std::size_t parts_lent() const { return parts_lent_; }
  std::size_t parts_returned() const { return parts_returned_; }
  /// Records whose memory is still held.
  std::size_t held_records() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(given_, [](const auto& memory) { return !memory.expired(); }));
  }
  /// Frames that a server sent to itself.
  std::size_t letters_to_self() const { return letters_to_self_; }
  /// The most that a server holds of files that are done.
  std::size_t held_of_done() const;
  const std::vector<std::string>& not_continued() const {
    return servers_.front().publishing->not_continued();
  }

 private:
  class Post;
  struct Server {
    std::unique_ptr<PlannedRun> planned;
    std::unique_ptr<FileSystem> files;
    std::unique_ptr<FileFormat> format;
    std::unique_ptr<Messages> post;
    std::unique_ptr<Publishing> publishing;
  };
  void deliver(ServerRank from, ServerRank to);
  void take(ServerRank to, ServerRank from, const Bytes& frame);
  void feed(const Step& step);
  void end_clients(std::int64_t after_step);
  void add_records(const FileEvent& event, FileId file, const Step& step);
  bool turn(std::size_t tasks);
  bool is_given(ClientRank client, const Step& step) const;

  OutputSetting setting_;
  SeededExecutor executor_;
  SeededRandom random_;
  std::unique_ptr<FileSystem> posix_ = posix_file_system();
  std::map<std::pair<ServerRank, ServerRank>, std::deque<Bytes>> letters_;
  std::size_t letters_to_self_ = 0;
  std::size_t parts_lent_ = 0, parts_returned_ = 0;
  std::vector<std::weak_ptr<char>> given_;  ///< memory of records
  std::map<FileId, FileTimeline> timelines_;
  std::map<std::int64_t, std::map<ServerRank, EncodedPart>> kept_;
  std::map<std::pair<std::int64_t, ServerRank>, int> said_;
  std::vector<std::string> kept_errors_;
  std::set<ClientRank> ended_;
  std::function<bool()> is_killed_;
  std::optional<Continuation> continuation_;
  bool was_killed_ = false;
  std::vector<Server> servers_;
};

/// Files of the directory by name, those that are hidden included.
std::map<std::string, std::string> files_in(const std::string& directory);

}  // namespace pileus::testing
