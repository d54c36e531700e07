#pragma once
// Large static variables come to the owner of their file in turns: who has a part of one asks, the owner lets
// him send it when enough of those before lie on the disk. So no owner has all points of a large grid in
// messages that it has not got round to. Both sides belong to the strand of publishing.

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "files/file_frames.h"
#include "messaging/messages.h"
#include "plan/plan.h"

namespace pileus {

/// The side that has parts.
class StaticSender {
 public:
  /// Both outlive it.
  StaticSender(const Plan& plan, Messages& messages) : plan_(plan), messages_(messages) {}

  /// The part goes to the owner of its file: at once if it is of a small variable, else in its turn.
  void send(Part part);
  /// The owner lets this part come. Errors: TransportError if nothing asked for that.
  void send_in_turn(std::uint64_t number);
  /// No part of the client follows: the server is told behind the last of them.
  void end_client(ClientRank client, ServerRank server);

 private:
  struct Waiting {
    ServerRank owner;
    Part part;
  };

  const Plan& plan_;
  Messages& messages_;
  std::uint64_t count_ = 0;
  std::map<std::uint64_t, Waiting> waiting_;  ///< by number
  /// How many of these are of a client and go to an owner.
  std::map<std::pair<ServerRank, ClientRank>, std::size_t> counts_;
  std::set<std::pair<ServerRank, ClientRank>> ends_;
};

/// The side of the owner.
class StaticTurns {
 public:
  /// Parts of so many bytes may be here and not on the disk, or one that is larger.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;

  explicit StaticTurns(Messages& messages) : messages_(messages) {}

  void ask(ServerRank from, std::uint64_t number, std::uint64_t bytes);
  /// The part lies on the disk, or nobody needs it. Errors: TransportError if it was no turn.
  void done(ServerRank from, std::uint64_t number);

 private:
  struct Asked {
    ServerRank from;
    std::uint64_t number, bytes;
  };
  void give();

  Messages& messages_;
  std::deque<Asked> waiting_;
  std::map<std::pair<ServerRank, std::uint64_t>, std::uint64_t> given_;  ///< bytes, by sender and number
  std::uint64_t given_bytes_ = 0;
};

}  // namespace pileus
