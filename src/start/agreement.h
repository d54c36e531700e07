#pragma once
// Turns an error on one rank into the same error on all ranks.

#include <cstdint>
#include <exception>
#include <string>

#include "core/error.h"
#include "transport/mpi/mpi_start.h"

namespace pileus {

/// The kind of an error, as it travels.
enum class ErrorKind : std::int64_t { none, usage, config, output, transport, plugin, other };

/// The kind and the text of the exception that is being handled. REQUIRES: called in a catch block.
ErrorKind kind_of_current_exception(std::string& text);
[[noreturn]] void throw_error(ErrorKind kind, const std::string& text);

/// Runs `body` on every rank. If it throws on some of them, all ranks throw the error of the lowest of these.
/// Collective; `body` is not.
template <class Body>
void agree(const MpiMeeting& meeting, Body body) {
  std::string text;
  ErrorKind mine = ErrorKind::none;
  try {
    body();
  } catch (...) {
    mine = kind_of_current_exception(text);
  }
  const auto number = static_cast<std::int64_t>(mine);
  const auto kinds = meeting.gathered(std::span(&number, 1));
  for (Peer rank = 0; rank < meeting.size(); ++rank) {
    const auto kind = static_cast<ErrorKind>(kinds[rank]);
    if (kind != ErrorKind::none) throw_error(kind, meeting.text_of(rank, text));
  }
}

}  // namespace pileus
