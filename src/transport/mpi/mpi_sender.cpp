#include "transport/mpi/mpi_sender.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pileus {

MpiSender::MpiSender(MPI_Comm communicator, std::size_t piece_bytes, BufferPool& pool)
    : communicator_(communicator), piece_bytes_(piece_bytes), pool_(pool) {}

void MpiSender::send(MpiLetter& letter) {
  const auto buffer = std::make_shared<Buffer>();
  letters_.reserve_for(2 + letter.payload_bytes / piece_bytes_);
  note_receiver(letter.peer);
  letter.write_header();
  const std::byte* const header = letter.header();
  const std::byte* const payload = letter.payload();
  *buffer = std::move(letter.buffer);
  if (letter.channel == kUrgent) {
    post(header, letter.whole_bytes(), letter.peer, kUrgentTag, buffer, letters_);
  } else if (letter.whole_bytes() <= piece_bytes_) {
    post(header, letter.whole_bytes(), letter.peer, kWholeTag, buffer, letters_);
  } else {
    post(header, sizeof(MpiHeader), letter.peer, kLongTag, buffer, letters_);
    for (std::size_t sent = 0; sent < letter.payload_bytes; sent += piece_bytes_) {
      const std::size_t count = std::min(piece_bytes_, letter.payload_bytes - sent);
      post(payload + sent, count, letter.peer, kPieceTag, buffer, letters_);
    }
  }
  recycle_if_last(buffer);
}

void MpiSender::send_credits(Peer to, std::span<const MpiCredit> credits) {
  const auto buffer = std::make_shared<Buffer>(pool_.take(credits.size_bytes()));
  credits_.reserve_for();
  note_receiver(to);
  std::memcpy(buffer->data(), credits.data(), credits.size_bytes());
  post(buffer->data(), credits.size_bytes(), to, kCreditTag, buffer, credits_);
  recycle_if_last(buffer);
}

void MpiSender::post(const std::byte* bytes, std::size_t count, Peer to, int tag,
                     const std::shared_ptr<Buffer>& buffer, Requests& requests) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Isend(bytes, static_cast<int>(count), MPI_BYTE, static_cast<int>(to), tag, communicator_, &request),
      "MPI_Isend");
  requests.add(request, count, buffer);
}

void MpiSender::note_receiver(Peer to) {
  if (receivers_.size() <= to) receivers_.resize(to + 1);
  receivers_[to] = true;
}

void MpiSender::send_last_words() {
  for (Peer to = 0; to < receivers_.size(); ++to) {
    if (!receivers_[to]) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Issend(nullptr, 0, MPI_BYTE, static_cast<int>(to), kCreditTag, communicator_, &request),
              "MPI_Issend");
    credits_.add(request, 0, std::make_shared<Buffer>());
  }
}

bool MpiSender::progress() {
  const bool has_sent_letters = recycle_completed(letters_);
  return recycle_completed(credits_) || has_sent_letters;
}

bool MpiSender::recycle_completed(Requests& requests) {
  const std::span<std::shared_ptr<Buffer>> completed = requests.take_completed();
  for (std::shared_ptr<Buffer>& buffer : completed) {
    recycle_if_last(buffer);
    buffer.reset();
  }
  return !completed.empty();
}

/// Pieces of one buffer that are still under way hold it too.
void MpiSender::recycle_if_last(const std::shared_ptr<Buffer>& buffer) {
  if (buffer.use_count() == 1) pool_.give_back(std::move(*buffer));
}

void MpiSender::abandon() {
  letters_.abandon();
  credits_.abandon();
}

}  // namespace pileus
