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
    : communicator_(communicator), pool_(pool), on_credits_(std::move(on_credits)), queues_(size) {}

bool MpiReceiver::progress() {
  bool has_matched = false;
  for (int i = 0; i < kMatchesAtOnce && match_one(); ++i) has_matched = true;
  return complete_some() || has_matched;
}

std::optional<MpiLetter> MpiReceiver::take() {
  if (arrived_.empty()) return std::nullopt;
  MpiLetter letter = std::move(arrived_.front());
  arrived_.pop_front();
  return letter;
}

bool MpiReceiver::match_one() {
  int is_there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check_mpi(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &is_there, &message, &status),
            "MPI_Improbe");
  if (!is_there) return false;
  int count = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  const auto from = static_cast<Peer>(status.MPI_SOURCE);
  const auto bytes = static_cast<std::size_t>(count);
  switch (status.MPI_TAG) {
    case kWholeTag: begin_whole(from, message, bytes); break;
    case kLongTag: begin_long(from, message, bytes); break;
    case kPieceTag: add_piece(from, message, bytes); break;
    case kCreditTag: take_credits(from, message, bytes); break;
    default: complain(from);
  }
  return true;
}

void MpiReceiver::begin_whole(Peer from, MPI_Message& message, std::size_t bytes) {
  if (bytes < sizeof(MpiHeader)) complain(from);
  Incoming& incoming = begin(from, bytes - sizeof(MpiHeader));
  incoming.matched_bytes = incoming.letter.payload_bytes;
  receive_into(incoming, incoming.letter.header(), bytes, message);
}

void MpiReceiver::begin_long(Peer from, MPI_Message& message, std::size_t bytes) {
  if (bytes != sizeof(MpiHeader)) complain(from);
  MpiHeader header;
  receive_now(&header, bytes, message);
  Incoming& incoming = begin(from, header.payload_bytes);
  incoming.letter.channel = header.channel;
  incoming.letter.write_header();
}

void MpiReceiver::add_piece(Peer from, MPI_Message& message, std::size_t bytes) {
  if (queues_[from].empty()) complain(from);
  Incoming& incoming = *queues_[from].back();
  if (bytes > incoming.letter.payload_bytes - incoming.matched_bytes) complain(from);
  std::byte* const place = incoming.letter.payload() + incoming.matched_bytes;
  incoming.matched_bytes += bytes;
  receive_into(incoming, place, bytes, message);
}

void MpiReceiver::take_credits(Peer from, MPI_Message& message, std::size_t bytes) {
  std::array<MpiCredit, kMostCreditsAtOnce> credits;
  if (bytes > sizeof(credits) || bytes % sizeof(MpiCredit) != 0) complain(from);
  receive_now(credits.data(), bytes, message);
  on_credits_(from, std::span(credits).first(bytes / sizeof(MpiCredit)));
}

MpiReceiver::Incoming& MpiReceiver::begin(Peer from, std::size_t payload_bytes) {
  auto incoming = std::make_shared<Incoming>();
  incoming->letter.peer = from;
  incoming->letter.payload_bytes = payload_bytes;
  incoming->letter.buffer = pool_.take(kPayloadOffset + payload_bytes);
  queues_[from].push_back(std::move(incoming));
  return *queues_[from].back();
}

void MpiReceiver::receive_into(Incoming& incoming, std::byte* place, std::size_t bytes,
                               MPI_Message& message) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Imrecv(place, static_cast<int>(bytes), MPI_BYTE, &message, &request), "MPI_Imrecv");
  ++incoming.pieces_under_way;
  if (requests_.add(request, bytes, queues_[incoming.letter.peer].back())) finish_piece(incoming);
}

bool MpiReceiver::complete_some() {
  const auto completed = requests_.take_completed();
  for (const auto& incoming : completed) {
    finish_piece(*incoming);
  }
  return !completed.empty();
}

void MpiReceiver::finish_piece(Incoming& incoming) {
  --incoming.pieces_under_way;
  if (incoming.is_complete()) hand_on(incoming.letter.peer);
}

/// Moves the letters that are complete, and before which none is incomplete, to those that may be taken.
void MpiReceiver::hand_on(Peer from) {
  auto& queue = queues_[from];
  while (!queue.empty() && queue.front()->is_complete()) {
    MpiLetter& letter = queue.front()->letter;
    MpiHeader header;
    std::memcpy(&header, letter.header(), sizeof(header));
    if (header.payload_bytes != letter.payload_bytes) complain(from);
    letter.channel = header.channel;
    arrived_.push_back(std::move(letter));
    queue.pop_front();
  }
}

}  // namespace pileus
