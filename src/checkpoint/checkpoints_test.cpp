// Checkpoints of several servers on a disk in memory, in many orders: complete, or given up with a reason.

#include "checkpoint/checkpoints.h"

#include <gtest/gtest.h>

#include <climits>

#include "core/log.h"
#include "disk/testing/memory_files.h"
#include "exec/seeded_executor.h"
#include "messaging/frames.h"
#include "state/checkpoint_folders.h"

namespace pileus::testing {
namespace {

constexpr ServerRank kServers = 3;
using Names = std::vector<std::string>;
using Steps = std::vector<std::int64_t>;

Checkpoints::Run run_of(const std::string& id, int attempt = 0, std::int64_t continued_after = -1) {
  Checkpoints::Run run;
  run.directory = "out";
  run.identity = {id, "today", attempt};
  run.continued_after = continued_after;
  run.servers = kServers;
  return run;
}

/// The servers of a run; frames arrive in any order.
class Servers : public CheckpointHost {
 public:
  explicit Servers(WholeFiles& files, Checkpoints::Run run = run_of("0123"), std::uint64_t seed = 1)
      : executor_(seed), random_(seed + 1) {
    for (ServerRank server = 0; server < kServers; ++server) {
      run.self = server;
      links_.push_back(std::make_unique<Link>(frames_, server));
      servers_.push_back(std::make_unique<Checkpoints>(run, Checkpoints::Lanes{executor_, executor_},
                                                       *links_.back(), files, *this));
    }
    servers_[0]->begin_run();
    settle();
  }

  void begin(std::int64_t step, ServerRank server) {
    servers_[server]->begin({step, 0.1 * static_cast<double>(step), 0.1});
  }
  /// What both sides of a server keep; `error`: of publishing.
  void keep(std::int64_t step, ServerRank server, const std::string& error = "") {
    const std::string key = std::to_string(server) + " at " + std::to_string(step);
    servers_[server]->keep(step, {{"window", key, {{0}, {3}}, Bytes(1500)}}, "");
    servers_[server]->keep(step, {{"file", key, {}, {}}}, error);
  }
  void keep_all(std::int64_t step) {
    for (ServerRank server = 0; server < kServers; ++server) begin(step, server);
    for (ServerRank server = 0; server < kServers; ++server) keep(step, server);
  }
  /// So many turns, at most until nothing moves.
  void settle(std::uint64_t turns = UINT64_MAX) {
    for (; turns > 0; --turns) {
      const std::size_t choices = frames_.size() + (executor_.is_idle() ? 0 : 1);
      if (choices == 0) return;
      const std::size_t choice = random_.below(choices);
      if (choice == frames_.size()) {
        executor_.run_one();
        continue;
      }
      const auto [from, frame] = frames_[choice];
      frames_.erase(frames_.begin() + static_cast<long>(choice));
      Decoder in(frame);
      EXPECT_EQ(in.get<ServerFrame>(), ServerFrame::checkpoint_part);
      servers_[0]->take_part(from, in);
    }
  }
  Names open() const { return servers_[0]->open_texts(); }
  SeededRandom& random() { return random_; }

  Names reasons;
  Steps completed;

 private:
  void given_up(const std::string& text, std::int64_t, const std::string&) override {
    reasons.push_back(text);
  }
  void complete(const Step& step, const std::string&) override { completed.push_back(step.index); }
  void tidy(const std::set<std::int32_t>&) override {}
  void claim() override {}

  using Frames = std::vector<std::pair<ServerRank, Bytes>>;
  class Link : public Messages {
   public:
    Link(Frames& frames, ServerRank from) : frames_(frames), from_(from) {}
    void send(ServerRank to, Bytes frame) override {
      EXPECT_EQ(to, 0U);
      frames_.emplace_back(from_, std::move(frame));
    }

   private:
    Frames& frames_;
    ServerRank from_;
  };

  SeededExecutor executor_;
  SeededRandom random_;
  Frames frames_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<std::unique_ptr<Checkpoints>> servers_;
};

/// A disk of a job that dies at a call: this and all later ones do nothing. Of a directory that was to be
/// removed a file may be gone.
class DyingFiles : public WholeFiles {
 public:
  DyingFiles(MemoryFiles& disk, int calls) : disk_(disk), calls_left_(calls) {}
  bool is_dead() const { return calls_left_ < 0; }

  void write_pieces(const std::string& path, const GiveBytes& give) override {
    live();
    disk_.write_pieces(path, give);
  }
  void append_lines(const std::string&, std::string_view) override { FAIL(); }
  Bytes read_whole(const std::string& path) override { return live(), disk_.read_whole(path); }
  std::unique_ptr<SourceFile> open_source(const std::string& path) override {
    return live(), disk_.open_source(path);
  }
  void make_directory(const std::string& path) override { live(), disk_.make_directory(path); }
  void rename_directory(const std::string& path, const std::string& final_name) override {
    live(), disk_.rename_directory(path, final_name);
  }
  std::vector<std::string> list(const std::string& directory) override {
    return live(), disk_.list(directory);
  }
  void remove_directory(const std::string& path) override {
    if (calls_left_ == 0) disk_.files.erase(path + "/" + std::string(kManifestName));
    live(), disk_.remove_directory(path);
  }
  void sync_directory(const std::string& path) override { live(), disk_.sync_directory(path); }

 private:
  void live() {
    if (calls_left_ >= 0) --calls_left_;
    if (is_dead()) throw OutputError("killed");
  }

  MemoryFiles& disk_;
  int calls_left_;
};

/// Notes which files are opened, and how many bytes are read of them.
class ReadFiles : public MemoryFiles {
 public:
  std::map<std::string, std::uint64_t> read;

  std::unique_ptr<SourceFile> open_source(const std::string& path) override {
    return std::make_unique<Source>(MemoryFiles::open_source(path), read[path]);
  }

 private:
  class Source : public SourceFile {
   public:
    Source(std::unique_ptr<SourceFile> file, std::uint64_t& read) : file_(std::move(file)), read_(read) {}
    void read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
      file_->read_at(offset, bytes);
      read_ += bytes.size();
    }
    std::uint64_t size_bytes() override { return file_->size_bytes(); }

   private:
    std::unique_ptr<SourceFile> file_;
    std::uint64_t& read_;
  };
};

/// Names of all that is in the folder of checkpoints.
Names folders(MemoryFiles& files) { return files.list("out/pileus-checkpoints"); }

std::string refusal(MemoryFiles& files, std::int64_t step) {
  try {
    read_continuation(files, "out", step);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

class CheckpointsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { log::set_level(log::Level::error); }
  MemoryFiles files;
};

TEST_F(CheckpointsTest, are_complete_with_what_every_server_keeps_and_the_identity_of_the_run) {
  Servers servers(files, run_of("0123", 4, 7));
  servers.keep_all(12);
  servers.settle();

  EXPECT_EQ(servers.completed, Steps{12});
  EXPECT_EQ(folders(files), Names{"step-0000000012"});
  const Continuation read = read_continuation(files, "out", 12);
  EXPECT_EQ(read.identity.id, "0123");
  EXPECT_EQ(read.identity.history, "today");
  EXPECT_EQ(read.identity.attempt, 5);
  EXPECT_EQ(read.step, (Step{12, 0.1 * 12, 0.1}));
  EXPECT_EQ(read.entries.keys("window"), (Names{"0 at 12", "1 at 12", "2 at 12"}));
  EXPECT_EQ(read.entries.keys("file"), (Names{"0 at 12", "1 at 12", "2 at 12"}));
  EXPECT_EQ(servers.open(), Names());
}

TEST_F(CheckpointsTest, have_no_name_before_the_last_server_has_written_its_part) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MemoryFiles disk;
    Servers servers(disk, run_of("0123"), seed);
    const auto last = static_cast<ServerRank>(seed % kServers);
    for (ServerRank server = 0; server < kServers; ++server) servers.begin(5, server);
    for (ServerRank server = 0; server < kServers; ++server) {
      if (server != last) servers.keep(5, server);
    }
    servers.settle();

    EXPECT_EQ(folders(disk), Names{".step-0000000005-0123-0"});
    EXPECT_NE(refusal(disk, 5), "");
    if (last == 0) {
      EXPECT_EQ(servers.open(), Names{"the checkpoint of step 5"});
    }
    servers.keep(5, last);
    servers.settle();
    EXPECT_EQ(refusal(disk, 5), "");
  }
}

TEST_F(CheckpointsTest, stay_as_the_two_newest_of_their_run) {
  Servers servers(files);
  for (std::int64_t step : {3, 5, 9, 12}) {
    servers.keep_all(step);
    servers.settle();
  }

  EXPECT_EQ(servers.completed, (Steps{3, 5, 9, 12}));
  EXPECT_EQ(folders(files), (Names{"step-0000000009", "step-0000000012"}));
}

TEST_F(CheckpointsTest, that_overlap_are_all_complete_in_whatever_order) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    MemoryFiles disk;
    Servers servers(disk, run_of("0123"), seed);
    for (ServerRank server = 0; server < kServers; ++server) {
      for (std::int64_t step : {3, 5, 9}) {
        servers.begin(step, server);
        servers.settle(servers.random().below(6));
      }
    }
    for (ServerRank server : {2U, 0U, 1U}) {
      for (std::int64_t step : {5, 3, 9}) {
        servers.keep(step, server);
        servers.settle(servers.random().below(6));
      }
    }
    servers.settle();

    ASSERT_EQ(servers.reasons, Names()) << seed;
    ASSERT_EQ(servers.completed.size(), 3U) << seed;
    ASSERT_EQ(folders(disk), (Names{"step-0000000005", "step-0000000009"})) << seed;
    ASSERT_EQ(refusal(disk, 9), "") << seed;
  }
}

TEST_F(CheckpointsTest, that_cannot_be_written_are_given_up_and_the_older_ones_stay) {
  const std::string aside = "out/pileus-checkpoints/.step-0000000005-0123-0";
  for (const std::string what : {"/part-0000", "/part-0002", "/manifest", ""}) {
    MemoryFiles disk;
    Servers servers(disk);
    servers.keep_all(3);
    servers.settle();
    (what.empty() ? disk.failing_publish : disk.failing_write)[aside + what] = 1;
    servers.keep_all(5);
    servers.settle();

    EXPECT_EQ(servers.completed, Steps{3}) << what;
    ASSERT_EQ(servers.reasons.size(), 1U) << what;
    EXPECT_TRUE(servers.reasons[0].starts_with("the checkpoint of step 5 was given up: "))
        << servers.reasons[0];
    EXPECT_NE(servers.reasons[0].find(aside + what), std::string::npos) << servers.reasons[0];
    EXPECT_EQ(folders(disk), Names{"step-0000000003"}) << what;
    EXPECT_EQ(refusal(disk, 3), "") << what;
    servers.keep_all(6);
    servers.settle();
    EXPECT_EQ(folders(disk), (Names{"step-0000000003", "step-0000000006"})) << what;
  }
}

TEST_F(CheckpointsTest, are_given_up_with_the_reason_of_who_cannot_keep_its_state) {
  Servers servers(files);
  for (ServerRank server = 0; server < kServers; ++server) {
    servers.begin(5, server);
    servers.keep(5, server, server == 1 ? "a file has failed" : "");
  }
  servers.settle();

  EXPECT_EQ(servers.reasons, Names{"the checkpoint of step 5 was given up: server 1: a file has failed"});
  EXPECT_EQ(folders(files), Names());
  EXPECT_EQ(servers.open(), Names());
}

/// The run was at 15 with checkpoints of 10 and 15, and went on from 5.
TEST_F(CheckpointsTest, of_a_future_that_an_attempt_before_had_make_room_when_there_is_a_new_one) {
  files.directories.clear();
  {
    Servers before(files);
    before.keep_all(5);
    before.settle();
    before.keep_all(10);
    before.settle();
    Servers more(files, run_of("0123", 0, -1));
    more.keep_all(10);  // the same step once more replaces what is there
    more.settle();
    EXPECT_EQ(more.reasons, Names());
  }
  Servers servers(files, run_of("0123", 1, 5));
  EXPECT_EQ(folders(files), (Names{"step-0000000005", "step-0000000010"}));
  servers.keep_all(7);
  servers.settle();
  EXPECT_EQ(folders(files), (Names{"step-0000000005", "step-0000000007"}));
}

TEST_F(CheckpointsTest, of_another_run_are_neither_removed_nor_replaced) {
  Servers other(files, run_of("another"));
  other.keep_all(3);
  other.settle();
  Servers servers(files);
  for (std::int64_t step : {3, 4, 5, 6}) {
    servers.keep_all(step);
    servers.settle();
  }

  EXPECT_EQ(servers.reasons,
            Names{"the checkpoint of step 3 was given up: out/pileus-checkpoints/step-0000000003 is "
                  "there already and is not of this run; move it away"});
  EXPECT_EQ(folders(files), (Names{"step-0000000003", "step-0000000005", "step-0000000006"}));
  EXPECT_EQ(read_manifest(files, "out", 3).run, "another");
}

/// Between any two calls of the disk: while parts are written, between the new name and the removal of the
/// oldest one, in the middle of that.
TEST_F(CheckpointsTest, that_have_a_name_are_whole_wherever_the_job_is_killed) {
  bool is_killed = true;
  int kills = 0;
  for (; is_killed; ++kills) {
    MemoryFiles disk;
    DyingFiles dying(disk, kills);
    Steps said;
    {
      Servers servers(dying, run_of("0123"), static_cast<std::uint64_t>(kills));
      for (std::int64_t step : {3, 5, 9, 12}) {
        servers.keep_all(step);
        servers.settle();
      }
      said = servers.completed;
    }
    is_killed = dying.is_dead();
    Steps named;
    for (const std::string& name : folders(disk)) {
      if (const auto step = step_of_checkpoint(name)) named.push_back(*step);
    }
    for (std::int64_t step : named) ASSERT_EQ(refusal(disk, step), "") << kills;
    ASSERT_LE(named.size(), 3U) << kills;
    for (std::size_t i = said.size() - std::min<std::size_t>(2, said.size()); i < said.size(); ++i)
      ASSERT_EQ(std::ranges::count(named, said[i]), 1) << kills << ": " << said[i];
    if (named.empty()) continue;

    Servers next(disk, run_of("0123", 1, named.back()));
    next.keep_all(20);
    next.settle();
    ASSERT_EQ(folders(disk), (Names{checkpoint_name(named.back()), checkpoint_name(20)})) << kills;
  }
  EXPECT_GT(kills, 60);
}

TEST_F(CheckpointsTest, of_other_runs_are_named_by_run_and_step) {
  for (const auto& [run, step] : std::vector<std::pair<const char*, std::int64_t>>{
           {"another", 3}, {"another", 20}, {"third", 7}, {"0123", 5}}) {
    Servers servers(files, run_of(run));
    servers.keep_all(step);
    servers.settle();
  }
  files.make_directory("out/pileus-checkpoints/step-0000000099");  // without a manifest

  const Names texts = texts_of_other_runs(files, "out", {"0123", "today", 0});

  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0].find("out/pileus-checkpoints holds checkpoints of another run, another, which is not "
                          "continued: of steps 3, 20; "),
            0U)
      << texts[0];
  EXPECT_NE(texts[1].find("another run, third, which is not continued: of step 7; "), std::string::npos)
      << texts[1];
  EXPECT_EQ(texts_of_other_runs(files, "nowhere", {"0123", "today", 0}), Names());
}

/// Each whole by itself, and not of one piece.
TEST_F(CheckpointsTest, that_are_put_together_of_several_are_refused) {
  const std::string folder = "out/pileus-checkpoints/step-0000000005";
  Servers servers(files);
  for (std::int64_t step : {5, 6}) {
    servers.keep_all(step);
    servers.settle();
  }
  const auto expect_refused_with = [&](const std::string& name, const Bytes& of_another,
                                       const std::string& reason) {
    const Bytes whole = std::exchange(files.files.at(folder + "/" + name), of_another);
    const std::string text = refusal(files, 5);
    EXPECT_TRUE(text.starts_with("the run cannot continue from " + folder + "/")) << text;
    EXPECT_NE(text.find(reason), std::string::npos) << text;
    files.files.at(folder + "/" + name) = whole;
  };
  const std::string of_6 = "out/pileus-checkpoints/step-0000000006";

  expect_refused_with("part-0001", files.files.at(of_6 + "/part-0001"), "checksum of its directory is not");
  expect_refused_with("part-0001", files.files.at(folder + "/part-0002"), "checksum of its directory is not");
  expect_refused_with("manifest", files.files.at(of_6 + "/manifest"), "it is that of step 6");
  expect_refused_with("manifest", files.files.at(folder + "/part-0000"), "it is no manifest of a checkpoint");
  expect_refused_with("part-0001", files.files.at(folder + "/manifest"), "bytes, its manifest says");
}

TEST_F(CheckpointsTest, that_lost_a_part_before_they_had_a_name_are_given_up) {
  Servers servers(files);
  for (ServerRank server = 0; server < kServers; ++server) servers.begin(3, server);
  servers.keep(3, 1);
  servers.settle();
  files.remove_directory("out/pileus-checkpoints/.step-0000000003-0123-0");
  servers.keep(3, 0);
  servers.keep(3, 2);

  servers.settle();

  EXPECT_EQ(servers.completed, Steps());
  ASSERT_EQ(servers.reasons.size(), 1U);
  EXPECT_NE(servers.reasons[0].find("part-0001 is no longer there"), std::string::npos);
  EXPECT_EQ(folders(files), Names());
}

TEST_F(CheckpointsTest, of_another_run_that_are_under_way_stay) {
  files.make_directory("out/pileus-checkpoints/.step-0000000004-4567-0");
  Servers servers(files, run_of("0123", 1, 3));

  EXPECT_EQ(folders(files), Names{".step-0000000004-4567-0"});
}

TEST_F(CheckpointsTest, that_were_never_complete_are_removed_when_a_run_begins) {
  files.make_directory("out/pileus-checkpoints/.step-0000000004-0123-0");
  files.make_directory("out/pileus-checkpoints/.step-0000000003-0123-0-removed");
  files.write_whole("out/pileus-checkpoints/notes.txt", Bytes(1));
  Servers servers(files, run_of("0123", 1, 3));

  EXPECT_EQ(folders(files), Names{"notes.txt"});
}

TEST_F(CheckpointsTest, that_are_damaged_anywhere_are_refused_with_the_file_and_the_reason) {
  Servers servers(files);
  servers.keep_all(5);
  servers.settle();
  const std::string folder = "out/pileus-checkpoints/step-0000000005";
  for (const std::string& name : files.list(folder)) {
    const std::string path = folder + "/" + name;
    const Bytes whole = files.files.at(path);
    const auto expect_refused = [&](const std::string& how) {
      const std::string text = refusal(files, 5);
      EXPECT_TRUE(text.starts_with("the run cannot continue from " + path + ": ")) << how << ": " << text;
      EXPECT_EQ(folders(files), Names{"step-0000000005"});
    };
    for (std::size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 100) {
      files.files[path].assign(whole.begin(), whole.begin() + static_cast<long>(size));
      expect_refused("cut short at " + std::to_string(size));
    }
    for (std::size_t at = 0; at < whole.size(); at += 1 + at / 50) {
      files.files[path] = whole;
      files.files[path][at] ^= std::byte{1} << (at % 8);
      expect_refused("a flipped bit in byte " + std::to_string(at));
    }
    files.files[path] = whole;
    files.files[path].push_back(std::byte{0});
    expect_refused("a byte too many");
    files.files.erase(path);
    expect_refused("not there");
    files.files[path] = whole;
    EXPECT_EQ(refusal(files, 5), "");
  }
}

// With very many servers nobody reads what all of them kept.
TEST_F(CheckpointsTest, are_read_as_far_as_anything_is_wanted) {
  ReadFiles disk;
  Servers servers(disk);
  servers.keep_all(5);
  servers.settle();
  const std::string folder = "out/pileus-checkpoints/step-0000000005/";
  const StateName mine("window", "1 at 5");

  const Continuation read =
      read_continuation(disk, "out", 5, [&](const StateName& name, const Region& region) {
        return name == mine && common(region, {{2}, {4}}).size() > 0 ? Wanted::all : Wanted::nothing;
      });

  ASSERT_EQ(disk.read.size(), 1U);
  EXPECT_EQ(disk.read.begin()->first, folder + "part-0001");
  const Manifest manifest = read_manifest(disk, "out", 5);
  EXPECT_EQ(disk.read.begin()->second, manifest.parts[1].directory_bytes + 1500);
  EXPECT_EQ(read.entries.keys("window"), (Names{"0 at 5", "1 at 5", "2 at 5"}));
  EXPECT_EQ(read.entries.find("window", "1 at 5").size(), 1U);
  EXPECT_TRUE(read.entries.find("window", "0 at 5").empty());
  EXPECT_TRUE(read.entries.find("file", "1 at 5").empty());

  disk.read.clear();
  const Continuation none =
      read_continuation(disk, "out", 5, [&](const StateName& name, const Region& region) {
        return name == mine && common(region, {{3}, {4}}).size() > 0 ? Wanted::all : Wanted::nothing;
      });
  EXPECT_TRUE(disk.read.empty());
  EXPECT_EQ(none.entries.keys("file").size(), 3U);
}

TEST_F(CheckpointsTest, say_where_things_lie_without_their_bytes) {
  ReadFiles disk;
  Servers servers(disk);
  servers.keep_all(5);
  servers.settle();

  const Continuation read = read_continuation(disk, "out", 5, [](const StateName& name, const Region&) {
    return name.first == "window" ? Wanted::region : Wanted::nothing;
  });

  for (const auto& [path, bytes] : disk.read) EXPECT_LT(bytes, 500U) << path;
  const auto found = read.entries.find("window", "2 at 5");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].region, (Region{{0}, {3}}));
  EXPECT_TRUE(found[0].bytes.empty());
}

TEST_F(CheckpointsTest, are_continued_by_an_attempt_that_no_other_had) {
  Servers servers(files, run_of("0123", 2));
  servers.keep_all(5);
  servers.settle();
  const auto next = [&] {
    return next_attempt(files, "out", identity_after(read_manifest(files, "out", 5)));
  };

  EXPECT_EQ(next(), 3);
  files.write_whole("out/.a_20.nc.0123-11.part", Bytes(1));
  files.write_whole("out/.a_20.nc.another-40.part", Bytes(1));
  EXPECT_EQ(next(), 12);
  files.write_whole("out/a_20.parts/0001.0123-12.nc", Bytes(1));
  files.write_whole("out/a_20.parts/0001.another-40.nc", Bytes(1));
  EXPECT_EQ(next(), 13) << "it would be written over";
  files.make_directory("out/pileus-checkpoints/.step-0000000007-0123-15-removed");
  EXPECT_EQ(next(), 16);
  Servers later(files, run_of("0123", 20, 5));
  later.keep_all(6);
  later.settle();
  EXPECT_EQ(next(), 21);
}

TEST_F(CheckpointsTest, in_a_folder_of_another_step_are_refused) {
  Servers servers(files);
  servers.keep_all(5);
  servers.settle();
  files.rename_directory("out/pileus-checkpoints/step-0000000005", "out/pileus-checkpoints/step-0000000006");

  EXPECT_NE(refusal(files, 6).find("it is that of step 5"), std::string::npos);
}

}  // namespace
}  // namespace pileus::testing
