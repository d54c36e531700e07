/* For the test of module pileus: a library in the place of pileus.h that writes down what it is given. The
 * last put is kept as a dense array, copied element by element. */
#include <stdlib.h>
#include <string.h>

#include "pileus/pileus.h"

enum { kMaxRank = 15, kMaxText = 256 };

struct recorded_put {
  int32_t count_of_puts, field, type, rank;
  int64_t extents[kMaxRank];
  unsigned char bytes[1 << 16];
};

struct recorded_field {
  char name[kMaxText], dimensions[3][kMaxText];
  int32_t type, rank, has_dimensions;
  int64_t start[3], count[3];
};

struct pileus_run {
  struct recorded_put put;
  struct recorded_field field;
  char text[kMaxText]; /* of the last option, dimension or error */
  pileus_status next_status;
  pileus_settings settings;
};

static pileus_run run_of_test;

/* What the test asks for. */
const struct recorded_put* recorded_put(void) { return &run_of_test.put; }
const struct recorded_field* recorded_field(void) { return &run_of_test.field; }
const char* recorded_text(void) { return run_of_test.text; }
const pileus_settings* recorded_settings(void) { return &run_of_test.settings; }
const int32_t* recorded_servers(void) { return &run_of_test.settings.servers_ratio; }
void fail_next(int status) { run_of_test.next_status = (pileus_status)status; }

/* Called before the module stops the program, which no test survives. */
void pileus_fortran_leave(pileus_run* handle);
void pileus_fortran_leave(pileus_run* handle) { (void)handle; }

void pileus_fortran_complain(pileus_run* handle, const char* text);
void pileus_fortran_complain(pileus_run* handle, const char* text) {
  (void)handle;
  strcpy(run_of_test.text, text);
}

static pileus_status conclude(void) {
  const pileus_status status = run_of_test.next_status;
  run_of_test.next_status = PILEUS_OK;
  if (status != PILEUS_OK) strcpy(run_of_test.text, "the library's text");
  return status;
}

static void note(const char* first, const char* second) {
  strcpy(run_of_test.text, first);
  strcat(strcat(run_of_test.text, "|"), second);
}

pileus_status pileus_start(const pileus_settings* settings, pileus_run** handle, int32_t* model_communicator,
                           pileus_role* role) {
  if (role != NULL) *role = PILEUS_SERVER;
  *handle = &run_of_test;
  run_of_test.settings = *settings;
  const char* second = settings->describe_model != NULL ? settings->describe_model
                       : settings->component != NULL    ? settings->component
                                                        : settings->directory;
  note(settings->configuration, second != NULL ? second : "NULL");
  *model_communicator = 77;
  return conclude();
}

pileus_status pileus_option(pileus_run* handle, const char* key, const char* value) {
  (void)handle;
  note(key, value);
  return conclude();
}

pileus_status pileus_dimension(pileus_run* handle, const char* name, int64_t size, const double* coordinates,
                               const char* units) {
  (void)handle;
  note(name, units);
  run_of_test.field.count[0] = size;
  run_of_test.field.start[0] = coordinates != NULL ? (int64_t)coordinates[size - 1] : -1;
  return conclude();
}

pileus_status pileus_field(pileus_run* handle, const char* name, int type, int rank,
                           const char* const* dimensions, const int64_t* start, const int64_t* count,
                           int* field) {
  struct recorded_field* kept = &handle->field;
  memset(kept, 0, sizeof *kept);
  strcpy(kept->name, name);
  kept->type = type;
  kept->rank = rank;
  kept->has_dimensions = dimensions != NULL;
  for (int d = 0; d < rank; ++d) {
    if (dimensions != NULL) strcpy(kept->dimensions[d], dimensions[d]);
    kept->start[d] = start[d];
    kept->count[d] = count[d];
  }
  *field = 5;
  return conclude();
}

pileus_status pileus_dimension_bounds(pileus_run* handle, const char* name, int64_t size,
                                      const double* bounds) {
  note(name, "bounds");
  for (int64_t i = 0; i < 2 * size; ++i) ((double*)handle->put.bytes)[i] = bounds[i];
  return conclude();
}

/* The name and the last dimension; and as a put of integers the indices, with flags behind the extents. */
pileus_status pileus_points(pileus_run* handle, const char* name, int rank, const char* const* dimensions,
                            int local_rank, const int64_t* local_count, const int64_t* indices, int flags) {
  struct recorded_put* put = &handle->put;
  int64_t total = 1;
  note(name, dimensions[rank - 1]);
  handle->field.rank = rank;
  put->rank = local_rank;
  for (int d = 0; d < local_rank; ++d) total *= put->extents[d] = local_count[d];
  put->extents[local_rank] = flags;
  memcpy(put->bytes, indices, (size_t)total * sizeof *indices);
  return conclude();
}

pileus_status pileus_calendar(pileus_run* handle, const char* calendar, const char* epoch) {
  (void)handle;
  note(calendar, epoch);
  return conclude();
}

pileus_status pileus_field_metadata(pileus_run* handle, int field, const char* units,
                                    const char* standard_name, const char* long_name) {
  (void)handle;
  (void)field;
  note(units, standard_name);
  strcat(strcat(run_of_test.text, "|"), long_name);
  return conclude();
}

pileus_status pileus_static(pileus_run* handle, int field) {
  handle->put.field = field;
  return conclude();
}

pileus_status pileus_text_field(pileus_run* handle, const char* name, int64_t length, int rank,
                                const char* const* dimensions, const int64_t* start, const int64_t* count,
                                int* field) {
  const pileus_status status = pileus_field(handle, name, PILEUS_TEXT, rank, dimensions, start, count, field);
  handle->field.start[2] = length;
  return status;
}

pileus_status pileus_map_field(pileus_run* handle, const char* name, int64_t length, const char* dimension,
                               int* field) {
  note(name, dimension);
  handle->field.start[0] = length;
  *field = 6;
  return conclude();
}

/* The last pair, and their number as the first extent. */
pileus_status pileus_put_map(pileus_run* handle, int field, int64_t count, const char* const* keys,
                             const char* const* values) {
  handle->put.field = field;
  handle->put.extents[0] = count;
  if (count > 0) note(keys[count - 1], values[count - 1]);
  return conclude();
}

pileus_status pileus_continue(pileus_run* handle, int64_t step) {
  handle->field.start[0] = step;
  return conclude();
}

pileus_status pileus_count_anew(pileus_run* handle) {
  handle->field.start[0] = -1;
  return conclude();
}

pileus_status pileus_step(pileus_run* handle, int64_t* step) {
  *step = handle->field.start[0] + 100;
  return conclude();
}

/* As many as the directory says, "1", "2", ..., and two more of a component: the last of them where not all
 * fit. */
pileus_status pileus_component_checkpoints(const char* directory, const char* component, int64_t* steps,
                                           int capacity, int* count) {
  const pileus_status status = conclude();
  *count = status == PILEUS_OK ? atoi(directory) + (strcmp(component, "ocean") == 0 ? 2 : 0) : 0;
  const int given = *count < capacity ? *count : capacity;
  for (int i = 0; i < given; ++i) steps[i] = *count - given + i + 1;
  return status;
}

/* Due in even steps; the time and length of any lie in the field. */
pileus_status pileus_checkpoint_due(pileus_run* handle, int64_t step, double time_s, double length_s,
                                    int* due) {
  handle->field.start[0] = step;
  handle->field.start[1] = (int64_t)time_s;
  handle->field.start[2] = (int64_t)length_s;
  *due = step % 2 == 0 ? PILEUS_DUE_AT_END : PILEUS_DUE;
  return conclude();
}

/* How long the word is. */
pileus_status pileus_event(pileus_run* handle, const char* word) {
  handle->field.start[0] = (int64_t)strlen(word);
  return conclude();
}

pileus_status pileus_commit(pileus_run* handle) {
  (void)handle;
  return conclude();
}

pileus_status pileus_begin(pileus_run* handle, int64_t step, double time_s, double length_s, int flags) {
  handle->field.start[0] = step;
  handle->field.start[1] = (int64_t)time_s;
  handle->field.start[2] = (int64_t)length_s;
  handle->field.type = flags;
  return conclude();
}

pileus_status pileus_begin_closing(pileus_run* handle) {
  handle->field.type = -1;
  return conclude();
}

/* The first of two definitions has a field with everything, the second one that leaves all open. */
pileus_status pileus_wants(pileus_run* handle, int* definitions, int* fields) {
  (void)handle;
  const pileus_status status = conclude();
  *definitions = status == PILEUS_OK ? 2 : 0;
  *fields = *definitions;
  return status;
}

pileus_status pileus_wants_definition(pileus_run* handle, int number, pileus_definition* definition) {
  (void)handle;
  if (definition->size != sizeof *definition) return PILEUS_ERROR_USAGE;
  definition->name = number == 0 ? "state" : "last";
  definition->name_space = number == 0 ? "model" : "";
  definition->frequency = number == 0 ? 3 : 0;
  definition->frequency_s = 30 * number;
  definition->is_sent_at_end = number;
  definition->first_field = number;
  definition->fields = 1;
  return PILEUS_OK;
}

pileus_status pileus_wants_field(pileus_run* handle, int number, pileus_wanted_field* field) {
  static const char* const dimensions[] = {"x", "z"};
  static const double seconds[] = {10, 0};
  static const int64_t months[] = {0, 3};
  (void)handle;
  if (field->size != sizeof *field) return PILEUS_ERROR_USAGE;
  field->name = number == 0 ? "model::w" : "h";
  field->definition = number;
  field->kind = number == 0 ? PILEUS_KIND_ARRAY : PILEUS_KIND_OPEN;
  field->type = number == 0 ? PILEUS_FLOAT : -1;
  field->rank = number == 0 ? 2 : -1;
  field->dimensions = dimensions;
  field->is_optional = number;
  field->is_collective = 1 - number;
  field->is_static = number;
  field->outputs = number == 0 ? 2 : 0;
  field->output_s = seconds;
  field->output_months = months;
  return PILEUS_OK;
}

pileus_status pileus_serve(int32_t communicator, pileus_run** handle) {
  *handle = &run_of_test;
  run_of_test.field.type = communicator;
  return conclude();
}

/* Field 5 is used and wanted. */
pileus_status pileus_is_used(pileus_run* handle, int field, int* is_used) {
  (void)handle;
  *is_used = field == 5;
  return conclude();
}

int pileus_wanted(const pileus_run* handle, int field) { return handle != NULL && field == 5; }

pileus_status pileus_put_array(pileus_run* handle, int field, int type, int rank, const int64_t* count,
                               const void* first, const int64_t* byte_strides) {
  struct recorded_put* put = &handle->put;
  const size_t size = type == PILEUS_DOUBLE || type == PILEUS_INT64 ? 8 : type >= PILEUS_BOOL ? 1 : 4;
  int64_t total = 1;
  ++put->count_of_puts;
  put->field = field;
  put->type = type;
  put->rank = rank;
  for (int d = 0; d < rank; ++d) total *= put->extents[d] = count[d];
  for (int64_t i = 0; i < total; ++i) {
    int64_t left = i, offset = 0;
    for (int d = 0; d < rank; ++d) {
      offset += left % count[d] * byte_strides[d];
      left /= count[d];
    }
    memcpy(put->bytes + (size_t)i * size, (const char*)first + offset, size);
  }
  return conclude();
}

pileus_status pileus_put_array_stable(pileus_run* handle, int field, int type, int rank, const int64_t* count,
                                      const void* first, const int64_t* byte_strides) {
  return pileus_put_array(handle, field, type, rank, count, first, byte_strides);
}

/** Keeps the size as an extent of the last put. */
pileus_status pileus_allocate(pileus_run* handle, size_t size_bytes, void** memory) {
  handle->put.extents[0] = (int64_t)size_bytes;
  *memory = calloc(1, size_bytes + 1);
  return conclude();
}

pileus_status pileus_deallocate(void* memory) {
  ++run_of_test.put.field;
  free(memory);
  return PILEUS_OK;
}

/** The part stands behind the extents of the array. */
pileus_status pileus_put_array_part(pileus_run* handle, int field, int64_t part, int type, int rank,
                                    const int64_t* count, const void* first, const int64_t* byte_strides) {
  const pileus_status status = pileus_put_array(handle, field, type, rank, count, first, byte_strides);
  handle->put.extents[handle->put.rank++] = part;
  return status;
}

/** Gives what it got: the type, the rank, the parts, the first element, and for each dimension its extent,
 *  negative where it is summed up. */
pileus_status pileus_local_sum(pileus_run* handle, int type, int rank, const int64_t* count,
                               const void* first, const int64_t* byte_strides, const int* is_kept, int parts,
                               double* sums) {
  (void)handle;
  (void)byte_strides;
  sums[0] = type;
  sums[1] = rank;
  sums[2] = parts;
  memcpy(&sums[3], first, sizeof(double));
  for (int d = 0; d < rank; ++d) sums[4 + d] = (double)(is_kept[d] ? count[d] : -count[d]);
  return conclude();
}

pileus_status pileus_end(pileus_run* handle) {
  (void)handle;
  return conclude();
}

pileus_status pileus_progress(pileus_run* handle) {
  handle->field.type = -2;
  return conclude();
}

pileus_status pileus_flush(pileus_run* handle) {
  handle->field.type = -3;
  return conclude();
}

const char* pileus_absent(const pileus_run* handle) { return handle != NULL ? "without u" : ""; }

pileus_status pileus_finish(pileus_run* handle) {
  (void)handle;
  return conclude();
}

const char* pileus_error(const pileus_run* handle) { return handle != NULL ? handle->text : "no handle"; }

pileus_status pileus_time(const pileus_run* handle, double* inside_s, double* waiting_s) {
  (void)handle;
  *inside_s = 1.5;
  *waiting_s = 0.5;
  return conclude();
}

void pileus_free(pileus_run* handle) { (void)handle; }

pileus_status pileus_input(pileus_run* handle, const char* name, int type, int rank,
                           const char* const* dimensions, const int64_t* start, const int64_t* count,
                           const char* units, int* input) {
  int number = 0;
  const pileus_status status = pileus_field(handle, name, type, rank, dimensions, start, count, &number);
  note(name, units);
  *input = number;
  return status;
}

pileus_status pileus_is_brought(pileus_run* handle, int input, int* is_brought) {
  (void)handle;
  *is_brought = input % 2;
  return conclude();
}

/** Gives element i of the array, fastest first, the number i + time. */
pileus_status pileus_get_array(pileus_run* handle, int input, double time_s, int type, int rank,
                               const int64_t* count, void* first, const int64_t* byte_strides) {
  handle->put.field = input;
  handle->put.type = type;
  handle->put.rank = rank;
  int64_t size = 1;
  for (int d = 0; d < rank; ++d) size *= handle->put.extents[d] = count[d];
  for (int64_t i = 0; i < size; ++i) {
    char* place = first;
    int64_t rest = i;
    for (int d = 0; d < rank; ++d) {
      place += rest % count[d] * byte_strides[d];
      rest /= count[d];
    }
    const double value = (double)i + time_s;
    if (type == PILEUS_DOUBLE) memcpy(place, &value, sizeof value);
    if (type == PILEUS_FLOAT) *(float*)place = (float)value;
    if (type == PILEUS_INT32) *(int32_t*)place = (int32_t)value;
    if (type == PILEUS_INT64) *(int64_t*)place = (int64_t)value;
  }
  return conclude();
}
