// Implements pileus.h call by call: it checks the C arguments and turns them into C++; the rest happens
// elsewhere.

#include "pileus/pileus.h"

#include <new>

#include "capi/arguments.h"
#include "capi/boundary.h"
#include "client/local_sum.h"
#include "core/error.h"
#include "core/log.h"
#include "transport/mpi/mpi_start.h"

namespace {

using pileus::array_of;
using pileus::element_type;
using pileus::guard;
using pileus::guard_session;
using pileus::Index;
using pileus::model_field;
using pileus::require;
using pileus::require_rank;
using pileus::Session;
using pileus::texts;
using pileus::understood_session;
using pileus::UsageError;

/// The status of a rank that has served; the handle gets the text.
pileus_status status_of(const pileus::Served& served, pileus_run& handle) {
  handle.errors.keep(served.errors.c_str(), false);
  if (served.errors.empty()) return PILEUS_OK;
  return served.was_refused ? PILEUS_ERROR_CONFIG : PILEUS_ERROR_OUTPUT;
}

const pileus::AnsweredWants& answer_of(const pileus_run& handle, const char* call) {
  if (handle.wants) return *handle.wants;
  throw UsageError(std::string(call) + " was called before pileus_wants, which asks the configuration");
}

std::string absence_text(const pileus::Client& client, const std::vector<std::string>& missing) {
  std::string text = "pileus_end: step " + std::to_string(client.step().done()) + " on model rank " +
                     std::to_string(client.rank()) + " went without ";
  for (std::size_t i = 0; i < missing.size(); ++i) text += (i > 0 ? ", \"" : "\"") + missing[i] + '"';
  return text + "; put every wanted field, or mark it optional in the configuration";
}

}  // namespace

extern "C" {

/// Only module pileus calls it, before it stops the program after an error that every rank gets.
void pileus_fortran_leave(pileus_run* handle);
/// Only module pileus calls it: keeps the text of a mistake that the library cannot see.
void pileus_fortran_complain(pileus_run* handle, const char* text);

pileus_status pileus_start(const pileus_settings* settings, pileus_run** handle, int32_t* model_communicator,
                           pileus_role* role) {
  if (handle == nullptr) return PILEUS_ERROR_USAGE;
  *handle = new (std::nothrow) pileus_run;
  if (*handle == nullptr) return PILEUS_ERROR_INTERNAL;
  return guard(**handle, [&] {
    if (role != nullptr) *role = PILEUS_MODEL;
    auto session = std::make_unique<Session>(understood_session(settings, role != nullptr));
    const std::optional<int> communicator = session->model_communicator();
    if (model_communicator != nullptr && communicator) *model_communicator = *communicator;
    (*handle)->session = std::move(session);
    const std::optional<pileus::Served>& served = (*handle)->session->served();
    if (!served) return PILEUS_OK;
    *role = PILEUS_SERVER;
    return status_of(*served, **handle);
  });
}

pileus_status pileus_serve(int32_t communicator, pileus_run** handle) {
  if (handle == nullptr) return PILEUS_ERROR_USAGE;
  *handle = new (std::nothrow) pileus_run;
  if (*handle == nullptr) return PILEUS_ERROR_INTERNAL;
  return guard(**handle, [&] {
    pileus::SessionSettings settings;
    settings.communicator = communicator;
    settings.is_chosen = true;
    (*handle)->session = std::make_unique<Session>(settings);
    return status_of((*handle)->session->served().value(), **handle);
  });
}

pileus_status pileus_option(pileus_run* handle, const char* key, const char* value) {
  return guard_session(handle, "pileus_option", [&](Session& session) {
    require(key, "pileus_option", "the key");
    require(value, "pileus_option", "the value");
    session.client().option(key, value);
    return PILEUS_OK;
  });
}

pileus_status pileus_dimension(pileus_run* handle, const char* name, int64_t size, const double* coordinates,
                               const char* units) {
  return guard_session(handle, "pileus_dimension", [&](Session& session) {
    require(name, "pileus_dimension", "the name");
    pileus::ModelDimension dimension{name, size, {}, units != nullptr ? units : ""};
    if (coordinates != nullptr && size > 0) dimension.coordinates.assign(coordinates, coordinates + size);
    session.client().dimension(std::move(dimension));
    return PILEUS_OK;
  });
}

pileus_status pileus_dimension_bounds(pileus_run* handle, const char* name, int64_t size,
                                      const double* bounds) {
  return guard_session(handle, "pileus_dimension_bounds", [&](Session& session) {
    require(name, "pileus_dimension_bounds", "the name");
    require(bounds, "pileus_dimension_bounds", "bounds");
    const std::size_t count = size > 0 ? 2 * static_cast<std::size_t>(size) : 0;
    session.client().dimension_bounds(name, {bounds, bounds + count});
    return PILEUS_OK;
  });
}

pileus_status pileus_calendar(pileus_run* handle, const char* calendar, const char* epoch) {
  return guard_session(handle, "pileus_calendar", [&](Session& session) {
    require(calendar, "pileus_calendar", "the calendar");
    session.client().calendar(calendar, epoch != nullptr ? epoch : "");
    return PILEUS_OK;
  });
}

pileus_status pileus_field(pileus_run* handle, const char* name, int type, int rank,
                           const char* const* dimensions, const int64_t* start, const int64_t* count,
                           int* field) {
  return guard_session(handle, "pileus_field", [&](Session& session) {
    require(field, "pileus_field", "the place for the field's number");
    if (type == PILEUS_TEXT)
      throw UsageError("pileus_field: texts have a length: register them with pileus_text_field");
    *field = session.client().field(model_field("pileus_field", name, type, rank, dimensions, start, count));
    return PILEUS_OK;
  });
}

pileus_status pileus_field_metadata(pileus_run* handle, int field, const char* units,
                                    const char* standard_name, const char* long_name) {
  return guard_session(handle, "pileus_field_metadata", [&](Session& session) {
    const auto text = [](const char* given) { return std::string(given != nullptr ? given : ""); };
    session.client().field_metadata(field, {text(units), text(standard_name), text(long_name)});
    return PILEUS_OK;
  });
}

pileus_status pileus_static(pileus_run* handle, int field) {
  return guard_session(handle, "pileus_static", [&](Session& session) {
    session.client().static_field(field);
    return PILEUS_OK;
  });
}

pileus_status pileus_text_field(pileus_run* handle, const char* name, int64_t length, int rank,
                                const char* const* dimensions, const int64_t* start, const int64_t* count,
                                int* field) {
  return guard_session(handle, "pileus_text_field", [&](Session& session) {
    require(field, "pileus_text_field", "the place for the field's number");
    *field = session.client().text_field(
        model_field("pileus_text_field", name, PILEUS_TEXT, rank, dimensions, start, count), length);
    return PILEUS_OK;
  });
}

pileus_status pileus_map_field(pileus_run* handle, const char* name, int64_t length, const char* dimension,
                               int* field) {
  return guard_session(handle, "pileus_map_field", [&](Session& session) {
    require(field, "pileus_map_field", "the place for the field's number");
    require(name, "pileus_map_field", "the name");
    require(dimension, "pileus_map_field", "the name of the dimension");
    *field = session.client().map_field(name, length, dimension);
    return PILEUS_OK;
  });
}

pileus_status pileus_wants(pileus_run* handle, int* definitions, int* fields) {
  return guard_session(handle, "pileus_wants", [&](Session& session) {
    handle->wants = std::make_unique<pileus::AnsweredWants>(session.client().wants());
    if (definitions != nullptr) *definitions = handle->wants->definitions();
    if (fields != nullptr) *fields = handle->wants->fields();
    return PILEUS_OK;
  });
}

pileus_status pileus_wants_definition(pileus_run* handle, int number, pileus_definition* definition) {
  return guard_session(handle, "pileus_wants_definition", [&](Session&) {
    answer_of(*handle, "pileus_wants_definition").describe(number, definition);
    return PILEUS_OK;
  });
}

pileus_status pileus_wants_field(pileus_run* handle, int number, pileus_wanted_field* field) {
  return guard_session(handle, "pileus_wants_field", [&](Session&) {
    answer_of(*handle, "pileus_wants_field").describe(number, field);
    return PILEUS_OK;
  });
}

pileus_status pileus_commit(pileus_run* handle) {
  return guard_session(handle, "pileus_commit", [&](Session& session) {
    session.commit();
    return PILEUS_OK;
  });
}

pileus_status pileus_is_used(pileus_run* handle, int field, int* is_used) {
  return guard_session(handle, "pileus_is_used", [&](Session& session) {
    require(is_used, "pileus_is_used", "the place for the answer");
    *is_used = session.client().is_used(field) ? 1 : 0;
    return PILEUS_OK;
  });
}

pileus_status pileus_begin(pileus_run* handle, int64_t step, double time_s, double length_s, int flags) {
  return guard_session(handle, "pileus_begin", [&](Session& session) {
    if ((flags & ~(PILEUS_FINAL | PILEUS_CHECKPOINT | PILEUS_THREADS)) != 0)
      throw UsageError("pileus_begin: unknown flags " + std::to_string(flags) +
                       "; there are PILEUS_FINAL, PILEUS_CHECKPOINT and PILEUS_THREADS");
    pileus::Step begun{step, time_s, length_s};
    begun.is_checkpoint = (flags & PILEUS_CHECKPOINT) != 0;
    const bool was_of_threads = session.takes_puts_of_threads();
    session.client().begin(begun, (flags & PILEUS_FINAL) != 0, (flags & PILEUS_THREADS) != 0);
    if (was_of_threads) handle->errors.forget_threads();
    return PILEUS_OK;
  });
}

pileus_status pileus_begin_closing(pileus_run* handle) {
  return guard_session(handle, "pileus_begin_closing", [&](Session& session) {
    session.client().begin_closing();
    return PILEUS_OK;
  });
}

int pileus_wanted(const pileus_run* handle, int field) {
  return handle != nullptr && handle->session && handle->session->wants(field);
}

pileus_status pileus_put(pileus_run* handle, int field, const void* first, const int64_t* byte_strides) {
  return guard_session(handle, "pileus_put", [&](Session& session) {
    session.client().put(field, first, byte_strides);
    return PILEUS_OK;
  });
}

pileus_status pileus_put_array(pileus_run* handle, int field, int type, int rank, const int64_t* count,
                               const void* first, const int64_t* byte_strides) {
  return guard_session(handle, "pileus_put_array", [&](Session& session) {
    session.client().put(field, array_of("pileus_put_array", type, rank, count, first, byte_strides));
    return PILEUS_OK;
  });
}

pileus_status pileus_put_part(pileus_run* handle, int field, int64_t part, const void* first,
                              const int64_t* byte_strides) {
  return guard_session(handle, "pileus_put_part", [&](Session& session) {
    session.client().put_part(field, part, first, byte_strides);
    return PILEUS_OK;
  });
}

pileus_status pileus_put_array_part(pileus_run* handle, int field, int64_t part, int type, int rank,
                                    const int64_t* count, const void* first, const int64_t* byte_strides) {
  constexpr const char* kCall = "pileus_put_array_part";
  return guard_session(handle, kCall, [&](Session& session) {
    session.client().put_part(field, part, array_of(kCall, type, rank, count, first, byte_strides));
    return PILEUS_OK;
  });
}

pileus_status pileus_local_sum(pileus_run* handle, int type, int rank, const int64_t* count,
                               const void* first, const int64_t* byte_strides, const int* is_kept, int parts,
                               double* sums) {
  return guard_session(handle, "pileus_local_sum", [&](const Session&) {
    require_rank("pileus_local_sum", rank);
    if (rank > 0) require(count, "pileus_local_sum", "count");
    require(sums, "pileus_local_sum", "sums");
    if (parts < 1) throw UsageError("pileus_local_sum: the number of parts is " + std::to_string(parts));
    const auto dimensions = static_cast<std::size_t>(rank);
    pileus::StridedArray array{
        static_cast<const std::byte*>(first), element_type("pileus_local_sum", type), {}, {}};
    if (rank > 0) array.counts = {count, dimensions};
    if (rank > 0 && byte_strides != nullptr) array.byte_strides = {byte_strides, dimensions};
    bool keeps[pileus::kMaxRank] = {};
    Index size = 1, left = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      if (count[d] < 0) throw UsageError("pileus_local_sum: a count is negative");
      keeps[d] = is_kept != nullptr && is_kept[d] != 0;
      size *= count[d];
      left *= keeps[d] ? count[d] : 1;
    }
    if (size > 0) require(first, "pileus_local_sum", "the array");
    pileus::local_sum(array, {keeps, dimensions}, parts, {sums, static_cast<std::size_t>(left * parts)});
    return PILEUS_OK;
  });
}

pileus_status pileus_put_texts(pileus_run* handle, int field, int64_t count, const char* const* list) {
  return guard_session(handle, "pileus_put_texts", [&](Session& session) {
    session.client().put_texts(field, texts("pileus_put_texts", count, {list}));
    return PILEUS_OK;
  });
}

pileus_status pileus_put_map(pileus_run* handle, int field, int64_t count, const char* const* keys,
                             const char* const* values) {
  return guard_session(handle, "pileus_put_map", [&](Session& session) {
    session.client().put_map(field, texts("pileus_put_map", count, {keys, values}));
    return PILEUS_OK;
  });
}

pileus_status pileus_end(pileus_run* handle) {
  return guard_session(handle, "pileus_end", [&](Session& session) {
    const std::vector<std::string> missing = session.client().end();
    handle->absent = missing.empty() ? "" : absence_text(session.client(), missing);
    if (!missing.empty() && handle->told_absent.insert(missing).second) pileus::log::warning(handle->absent);
    return PILEUS_OK;
  });
}

pileus_status pileus_progress(pileus_run* handle) {
  return guard_session(handle, "pileus_progress", [&](Session& session) {
    session.client().progress();
    return PILEUS_OK;
  });
}

pileus_status pileus_flush(pileus_run* handle) {
  return guard_session(handle, "pileus_flush", [&](Session& session) {
    session.client().flush();
    return PILEUS_OK;
  });
}

const char* pileus_absent(const pileus_run* handle) {
  return handle == nullptr ? "" : handle->absent.c_str();
}

pileus_status pileus_finish(pileus_run* handle) {
  return guard_session(handle, "pileus_finish", [&](Session& session) {
    session.finish();
    return PILEUS_OK;
  });
}

const char* pileus_error(const pileus_run* handle) {
  if (handle == nullptr) return "the handle is NULL; pileus_start gives one";
  return handle->errors.text();
}

pileus_status pileus_time(const pileus_run* handle, double* inside_s, double* waiting_s) {
  // The run stays as it is, as the text of an error is not part of it.
  return guard_session(const_cast<pileus_run*>(handle), "pileus_time", [&](const Session& session) {
    const pileus::ClientTimes times = session.times();
    if (inside_s != nullptr) *inside_s = times.inside_s;
    if (waiting_s != nullptr) *waiting_s = times.waiting_s + times.input_waiting_s;
    return PILEUS_OK;
  });
}

void pileus_free(pileus_run* handle) {
  const pileus::FloatingPointEnvironment exact;  // servers in this process may still have work
  delete handle;
}

void pileus_fortran_leave(pileus_run* handle) {
  pileus_free(handle);
  pileus::end_mpi();
}

void pileus_fortran_complain(pileus_run* handle, const char* text) {
  if (handle == nullptr) return;
  handle->errors.keep(text, handle->session && handle->session->takes_puts_of_threads());
}

const char* pileus_version(void) { return PILEUS_VERSION; }

}  // extern "C"
