#pragma once
// The kinds of frames between servers. Each begins with its kind, then comes what its sender's Encoder put.

#include <array>
#include <cstdint>
#include <string_view>

namespace pileus {

enum class ServerFrame : std::uint32_t {
  registrations = 100,  ///< up a tree: what the clients of this server and of those below it registered
  questions,            ///< up a tree: these ask what the configuration wants
  wants,                ///< from server 0: what it wants, or what is wrong with it
  run_description,      ///< down a tree: everything that the Plan is made from
  begun,                ///< to server 0: this server has its Plan and is ready
  go,                   ///< from server 0: all are ready; tell the clients what is wanted
  refusal,              ///< to all: why the run cannot start
  clock,                ///< down a tree from rank 0's server: one step of the model, or its end
  client_end,           ///< no part of this client will come: to who compresses some, and to files' owners
  reduction,            ///< up a tree: the values of one tree at one step
  distribution,         ///< down a tree: values of one step that all servers get
  point_directory,   ///< among servers with model ranks: who hands over which points of the other's streams
  points,            ///< among these: fields of one step on points of the other's streams
  regrid_directory,  ///< among servers with model ranks: which points of the other's ranks this one needs
  regrid,            ///< among these: elements of one step that the other's streams need of these
  placement,         ///< from a file's owner: where its records lie
  part,              ///< to a file's owner, or to who compresses it: a part of a record
  closing,           ///< from a file's owner: how many records the file has
  packed_part,       ///< to a file's owner: a chunk of a record, compressed
  progress,          ///< from a file's owner: how far the compressed records of an axis are
  event,             ///< to server 0: something that it writes into the run's events
  parts_done,        ///< to a file's owner: all parts of this server are on disk
  checkpoint_part,   ///< to server 0: this server's part of a checkpoint is on disk, or why it is not
  cut,               ///< from a file's owner: its records up to a step are to be on disk
  cut_synced,        ///< to a file's owner: they are, as far as this server writes them
  stop,              ///< to server 0: why the run has to end
  stopping,          ///< from server 0, to all: the run ends, and why
  steps_done,        ///< up a tree: how many steps of the clock servers hold nothing of any more
  hurry,             ///< from server 0, to all: its clock waits for steps that are not done
  static_part,       ///< to a file's owner: a part of what stands in it without a time axis
  static_offer,      ///< to a file's owner: there is such a part, which waits for its turn
  static_turn,       ///< from a file's owner: the part may come
  part_written,      ///< to who sent a part, with a number: it is not held any more
  trigger,           ///< to server 0: whether the condition of a trigger holds in one step
  control,           ///< of server 0 to itself: what somebody asks for while the run goes
  wave,              ///< from server 0: are you idle, and what have you counted?
  wave_answer,       ///< to server 0
  over               ///< from server 0: the run is over
};

/// Whether others may wait for such a frame while data are on their way: it passes them (kUrgent). What the
/// clock, the reasons to stop, and the owners of files say keeps its order. None of them may need what its
/// sender said before in another frame: with three servers that may come later anyway.
constexpr bool is_urgent(ServerFrame kind) {
  switch (kind) {
    case ServerFrame::go:
    case ServerFrame::clock:
    case ServerFrame::hurry:
    case ServerFrame::steps_done:
    case ServerFrame::stop:
    case ServerFrame::stopping:
    case ServerFrame::placement:
    case ServerFrame::progress:
    case ServerFrame::cut:
    case ServerFrame::closing:
    case ServerFrame::static_turn:
    case ServerFrame::trigger:
    case ServerFrame::part_written: return true;
    default: return false;
  }
}

/// By kind, from the first: what reports call them.
inline constexpr std::array<std::string_view, 38> kServerFrameNames = {"registrations",
                                                                       "questions",
                                                                       "wants",
                                                                       "run_description",
                                                                       "begun",
                                                                       "go",
                                                                       "refusal",
                                                                       "clock",
                                                                       "client_end",
                                                                       "reduction",
                                                                       "distribution",
                                                                       "point_directory",
                                                                       "points",
                                                                       "regrid_directory",
                                                                       "regrid",
                                                                       "placement",
                                                                       "part",
                                                                       "closing",
                                                                       "packed_part",
                                                                       "progress",
                                                                       "event",
                                                                       "parts_done",
                                                                       "checkpoint_part",
                                                                       "cut",
                                                                       "cut_synced",
                                                                       "stop",
                                                                       "stopping",
                                                                       "steps_done",
                                                                       "hurry",
                                                                       "static_part",
                                                                       "static_offer",
                                                                       "static_turn",
                                                                       "part_written",
                                                                       "trigger",
                                                                       "control",
                                                                       "wave",
                                                                       "wave_answer",
                                                                       "over"};
static_assert(static_cast<std::size_t>(ServerFrame::over) - 100 + 1 == kServerFrameNames.size());

/// Its place among the kinds. REQUIRES: a kind that exists.
constexpr std::size_t kind_index(ServerFrame kind) { return static_cast<std::size_t>(kind) - 100; }

/// Messages of one kind.
struct Traffic {
  std::int64_t messages = 0, bytes = 0;
  Traffic& operator+=(const Traffic& other) {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};
using TrafficByKind = std::array<Traffic, kServerFrameNames.size()>;

}  // namespace pileus
