#include "transport/mpi/mpi_receiver.h"

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "core/error.h"

namespace pileus {
namespace {

/// So many messages are matched before the caller may do something with them.
constexpr int kMatchesAtOnce = 64;

/// Takes a matched message of a few bytes. They travel with their envelope, so this does not wait for the
/// sender.
void receive_now(void* place, std::size_t bytes, MPI_Message& message) {
  MPI_Status status;
  check_mpi(MPI_Mrecv(place, static_cast<int>(bytes), MPI_BYTE, &message, &status), "MPI_Mrecv");
}

[[noreturn]] void complain(Peer from) {
  throw TransportError("rank " + std::to_string(from) + " sent what is no message of this program");
}

}  // namespace

MpiReceiver::MpiReceiver(MPI_Comm communicator, Peer size, BufferPool& pool, OnCredits on_credits)
    : communicator_(communicator),
      pool_(pool),
      on_credits_(std::move(on_credits)),
      queues_(size),
      urgent_queues_(size) {}

bool MpiReceiver::progress() {
  bool has_matched = false;
  for (int i = 0; i < kMatchesAtOnce && match_one(MPI_ANY_TAG); ++i) has_matched = true;
  return complete_some() || has_matched;
}

void MpiReceiver::look_for_urgent() {
  // To look for one MPI goes through all that has come and was not taken.
  if (++taken_ % kTakenBetweenLooks != 0) return;
  if (arrived_urgent_.empty() && !matched_ && match_one(kUrgentTag)) complete_some();
}

MpiLetter MpiReceiver::take() {
  MpiLetter letter = std::move(next());
  Letters& letters = next_letters();
  unused_.splice(unused_.begin(), letters, letters.begin());
  return letter;
}

bool MpiReceiver::match_one(int tag) {
  if (!matched_) {
    int is_there = 0;
    Matched matched;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag, communicator_, &is_there, &matched.message, &status),
              "MPI_Improbe");
    if (!is_there) return false;
    int count = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    matched.from = static_cast<Peer>(status.MPI_SOURCE);
    matched.tag = status.MPI_TAG;
    matched.bytes = static_cast<std::size_t>(count);
    matched_ = matched;
  }
  try {
    receive(*matched_);
  } catch (const TransportError&) {
    matched_.reset();
    throw;
  }
  matched_.reset();
  return true;
}

void MpiReceiver::receive(Matched& matched) {
  switch (matched.tag) {
    case kWholeTag:
    case kUrgentTag: return begin_whole(matched);
    case kLongTag: return begin_long(matched);
    case kPieceTag: return add_piece(matched);
    case kCreditTag: return take_credits(matched);
    default: complain(matched.from);
  }
}

void MpiReceiver::begin_whole(Matched& matched) {
  if (matched.bytes < sizeof(MpiHeader)) complain(matched.from);
  requests_.reserve_for();
  Incoming& incoming = begin(matched.from, matched.bytes - sizeof(MpiHeader), matched.tag == kUrgentTag);
  incoming.matched_bytes = incoming.letter.payload_bytes;
  receive_into(incoming, incoming.letter.header(), matched);
}

void MpiReceiver::begin_long(Matched& matched) {
  if (matched.bytes != sizeof(MpiHeader)) complain(matched.from);
  if (!matched.header) receive_now(&matched.header.emplace(), matched.bytes, matched.message);
  Incoming& incoming = begin(matched.from, matched.header->payload_bytes);
  incoming.letter.channel = matched.header->channel;
  incoming.letter.write_header();
}

void MpiReceiver::add_piece(Matched& matched) {
  if (queues_[matched.from].empty()) complain(matched.from);
  Incoming& incoming = queues_[matched.from].back();
  if (matched.bytes > incoming.letter.payload_bytes - incoming.matched_bytes) complain(matched.from);
  requests_.reserve_for();
  std::byte* const place = incoming.letter.payload() + incoming.matched_bytes;
  incoming.matched_bytes += matched.bytes;
  receive_into(incoming, place, matched);
}

void MpiReceiver::take_credits(Matched& matched) {
  std::array<MpiCredit, kMostCreditsAtOnce> credits;
  if (matched.bytes > sizeof(credits) || matched.bytes % sizeof(MpiCredit) != 0) complain(matched.from);
  receive_now(credits.data(), matched.bytes, matched.message);
  on_credits_(matched.from, std::span(credits).first(matched.bytes / sizeof(MpiCredit)));
}

MpiReceiver::Incoming& MpiReceiver::begin(Peer from, std::size_t payload_bytes, bool is_urgent) {
  if (unused_.empty()) unused_.emplace_front();
  Incoming& incoming = unused_.front() = {};
  incoming.is_urgent = is_urgent;
  incoming.letter.peer = from;
  incoming.letter.payload_bytes = payload_bytes;
  incoming.letter.buffer = pool_.take(kPayloadOffset + payload_bytes);
  Letters& queue = (is_urgent ? urgent_queues_ : queues_)[from];
  queue.splice(queue.end(), unused_, unused_.begin());
  return incoming;
}

/// REQUIRES: a request fits without more memory.
void MpiReceiver::receive_into(Incoming& incoming, std::byte* place, Matched& matched) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Imrecv(place, static_cast<int>(matched.bytes), MPI_BYTE, &matched.message, &request),
            "MPI_Imrecv");
  ++incoming.pieces_under_way;
  if (requests_.add(request, matched.bytes, &incoming)) finish_piece(incoming);
}

bool MpiReceiver::complete_some() {
  const std::span<Incoming*> completed = requests_.take_completed();
  for (Incoming* const incoming : completed) finish_piece(*incoming);
  return !completed.empty();
}

void MpiReceiver::finish_piece(Incoming& incoming) {
  --incoming.pieces_under_way;
  if (!incoming.is_complete()) return;
  const Peer from = incoming.letter.peer;
  if (incoming.is_urgent) return hand_on(from, urgent_queues_[from], arrived_urgent_);
  hand_on(from, queues_[from], arrived_);
}

/// Moves the letters that are complete, and before which none is incomplete, to those that may be taken.
void MpiReceiver::hand_on(Peer from, Letters& queue, Letters& arrived) {
  while (!queue.empty() && queue.front().is_complete()) {
    MpiLetter& letter = queue.front().letter;
    MpiHeader header;
    std::memcpy(&header, letter.header(), sizeof(header));
    if (header.payload_bytes != letter.payload_bytes) complain(from);
    letter.channel = header.channel;
    arrived.splice(arrived.end(), queue, queue.begin());
  }
}

/// MPI may still write into what is not complete, so that is never freed.
void MpiReceiver::abandon() {
  requests_.abandon();
  new std::vector<Letters>(std::move(queues_));
  new std::vector<Letters>(std::move(urgent_queues_));
}

}  // namespace pileus
