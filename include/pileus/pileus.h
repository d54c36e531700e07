/* Pileus: hands a model's fields to servers that analyse and write them while the model runs.
 *
 * This is the C interface; those of the other languages are made from it. It knows no MPI: a communicator
 * crosses as the integer that MPI_Comm_c2f gives (pileus_mpi.h does that for you). Calls on one handle come
 * from one thread at a time, but for the puts of a step that begins with PILEUS_THREADS.
 * The calls of a run, on every model rank alike:
 *
 *   pileus_start → pileus_option*, pileus_wants, pileus_calendar, pileus_dimension*, pileus_points*,
 *   pileus_field*, pileus_input* → pileus_commit
 *   → per step: pileus_begin, pileus_put*, pileus_end
 *   → pileus_progress, pileus_flush and pileus_get where the model likes
 *   → pileus_begin_closing, pileus_put*, pileus_end, if the last step was not known to be the last
 *   → pileus_finish → pileus_free
 *
 * A run that can be continued marks some steps with PILEUS_CHECKPOINT; the run that continues it calls
 * pileus_continue before pileus_commit and begins with the step after that one. pileus_checkpoints lists
 * the steps that have a checkpoint.
 *
 * A program may have several runs, one after the other or, without pileus-server, at once.
 */
#ifndef PILEUS_PILEUS_H
#define PILEUS_PILEUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this header. Compare PILEUS_VERSION_NUMBER: it is 10203 for version 1.2.3. */
#define PILEUS_VERSION_MAJOR 0
#define PILEUS_VERSION_MINOR 1
#define PILEUS_VERSION_PATCH 0
#define PILEUS_VERSION_NUMBER \
  (PILEUS_VERSION_MAJOR * 10000 + PILEUS_VERSION_MINOR * 100 + PILEUS_VERSION_PATCH)

/** Every call returns 0, or the kind of its error; pileus_error has the text. Others are errors. */
typedef enum pileus_status {
  PILEUS_OK = 0,
  PILEUS_ERROR_USAGE = 2,     /**< a call in the wrong order, a wrong shape or type; nothing has changed */
  PILEUS_ERROR_CONFIG = 3,    /**< the configuration, or what the model registered against it, is wrong */
  PILEUS_ERROR_OUTPUT = 4,    /**< a file could not be written, or the servers have stopped the run */
  PILEUS_ERROR_TRANSPORT = 5, /**< the servers cannot be reached or sent something unknown */
  PILEUS_ERROR_INTERNAL = 6   /**< anything else, such as a lack of memory */
} pileus_status;

/** The type of a field's elements. Calls take it as an int, so that they can refuse other numbers. */
typedef enum pileus_type {
  PILEUS_DOUBLE = 0,
  PILEUS_FLOAT = 1,
  PILEUS_INT32 = 2,
  PILEUS_INT64 = 3,
  PILEUS_BOOL = 4, /**< one byte: 0 is false, anything else true */
  PILEUS_TEXT = 5  /**< one byte of a text, for pileus_put_array; pileus_text_field registers such fields */
} pileus_type;

typedef enum pileus_role {
  PILEUS_MODEL = 0, /**< this rank goes on as the model */
  PILEUS_SERVER = 1 /**< this rank has served and the run is over; only pileus_free may follow */
} pileus_role;

/** The largest number of parts that pileus_local_sum ever needs. */
enum { PILEUS_MOST_SUM_PARTS = 42 };

/** One rank's side of one run. Several may live in one process, one after the other or at once; ranks of
 *  pileus-server serve one at a time, and a pileus_start that asks them for another is PILEUS_ERROR_USAGE. */
typedef struct pileus_run pileus_run;

/** Initialise with PILEUS_SETTINGS_INIT, so that fields which a later version adds keep their defaults. */
typedef struct pileus_settings {
  size_t size;               /**< sizeof(pileus_settings) */
  const char* configuration; /**< path of the XML file; not read beside pileus-server, which has its own */
  int has_communicator;      /**< 0: one process, no MPI: the analysis runs attached to this process */
  int32_t communicator;      /**< Fortran handle of a communicator of all model ranks and servers */
  const char* directory;     /**< where files go, NULL for "."; pileus-server was told its own */
  /* How many ranks of the communicator become servers. At most one of these three, servers_per_socket and
   * servers_per_numa is not 0. If all are 0, <servers> of the configuration decides; without it no rank
   * serves. pileus_start then needs a `role`. The same on every rank. A communicator of one rank serves
   * itself whatever is asked for. */
  int32_t servers_ratio;    /**< one server for at most so many model ranks */
  int32_t servers_per_node; /**< so many on every node, its last ranks */
  int32_t servers_total;    /**< so many altogether */
  /** Path of a JSON file for the model's description, which `pileus explain` reads; NULL for none. Server 0
   *  writes it to the path that model rank 0 gives. --describe-model of pileus-server and
   *  PILEUS_DESCRIBE_MODEL in the environment of server 0 overrule it. */
  const char* describe_model;
  int32_t servers_per_socket; /**< so many on every socket to which ranks are bound, its last ranks */
  int32_t servers_per_numa;   /**< so many in every NUMA domain to which ranks are bound, its last ranks */
  /** The component of a job of several, such as "ocean", to which this rank belongs; NULL for none. All model
   *  ranks of the communicator name one, or none does. Each component is a run of its own: its calls, steps,
   *  times, options, fields, files, checkpoints and end are those of its own ranks, and `model_communicator`
   *  is of these. pileus_start alone is collective over all. Ranks of pileus-server and of pileus_serve serve
   *  all components; what is asked for by servers_total and the others are ranks of the component itself. A
   *  letter, then letters, digits, "_" and "-". */
  const char* component;
} pileus_settings;

#define PILEUS_SETTINGS_INIT \
  { sizeof(pileus_settings), NULL, 0, 0, NULL, 0, 0, 0, NULL, 0, 0, NULL }

/** Flags of pileus_begin. */
enum {
  PILEUS_FINAL = 1,      /**< this is the last step that is handed over */
  PILEUS_CHECKPOINT = 2, /**< the state after this step is kept, for a run that continues from there */
  /** Several threads may put fields of this step at once. Between pileus_begin and pileus_end any thread may
   *  then call pileus_put and the other calls that put, pileus_wanted, pileus_local_sum and pileus_error; all
   *  others come from the thread that called pileus_begin. One thread hands over a field, or a part of one.
   *  These calls never wait and call no MPI (MPI_THREAD_FUNNELED is enough): pileus_begin claims the memory
   *  for all fields, and waits for it. The step of pileus_begin_closing is as the one before. */
  PILEUS_THREADS = 4
};

/** Flags of pileus_points. */
enum {
  PILEUS_SHARED_POINTS = 1 /**< several ranks may hold a point; the value of the lowest counts */
};

/** What pileus_checkpoint_due gives. */
typedef enum pileus_due {
  PILEUS_NOT_DUE = 0,
  PILEUS_DUE = 1,
  PILEUS_DUE_AT_END = 2 /**< a signal has come: the job is about to end, so stop after the checkpoint */
} pileus_due;

/** Lists the steps of the complete checkpoints, ascending. `directory` is where the run's files go (NULL for
 *  "."). `count` gets the number of checkpoints, `steps` the newest `capacity` of their steps (NULL if
 *  `capacity` is 0). A model that chooses where to continue asks on one rank, before or after pileus_start,
 *  and sends the answer to the others.
 *  PILEUS_ERROR_OUTPUT if the directory cannot be read, with the reason in the log; PILEUS_ERROR_USAGE for a
 *  NULL elsewhere or a negative capacity. */
pileus_status pileus_checkpoints(const char* directory, int64_t* steps, int capacity, int* count);

/** Does what pileus_checkpoints does, for a component of a job of several, which has checkpoints of its own.
 *  `component`: as in its settings; NULL or "" for a run without one. PILEUS_ERROR_USAGE if it is no name. */
pileus_status pileus_component_checkpoints(const char* directory, const char* component, int64_t* steps,
                                           int capacity, int* count);

/** Joins the run. Collective over the communicator: the servers take part (pileus-server, or ranks of the
 *  same program). Where nobody serves, every model rank analyses and writes with the others (attached).
 *  `handle` is set even when the call fails, so that pileus_error can say why; pileus_free it in every case.
 *  `model_communicator` (may be NULL) gets the Fortran handle of a communicator of the model ranks alone,
 *  for the model to use until pileus_free. A server gets the handle of MPI_COMM_NULL; without MPI nothing is
 *  stored.
 *  `role` may be NULL if no rank of this program is to serve. On a rank that serves the call returns when the
 *  run is over, with PILEUS_OK or the error; after that it may only call pileus_free. */
pileus_status pileus_start(const pileus_settings* settings, pileus_run** handle, int32_t* model_communicator,
                           pileus_role* role);

/** Serves on this rank, which the model itself has chosen, wherever it stands among the ranks of
 *  `communicator`, a Fortran handle. The other ranks of that communicator call pileus_start with it, and ask
 *  for no servers. Configuration and directory are those of the first of them.
 *  Collective with their pileus_start. Returns when the run is over, with PILEUS_OK or the error; then only
 *  pileus_error and pileus_free may follow. `handle` is set even when the call fails. A further run needs a
 *  further call. */
pileus_status pileus_serve(int32_t communicator, pileus_run** handle);

/** Gives the value that {key} in the configuration stands for. Before commit; the same on every rank. */
pileus_status pileus_option(pileus_run* handle, const char* key, const char* value);

/** Registers a dimension of the global domain. `coordinates`: `size` values, or NULL; `units`: the unit of
 *  the coordinates, or NULL. The same on every rank. A `size` of 0 is that of a dimension which this run does
 *  not have, as of tracers: fields along it, and what is made of them, are left out with a warning. */
pileus_status pileus_dimension(pileus_run* handle, const char* name, int64_t size, const double* coordinates,
                               const char* units);

/** Gives the cells of a dimension's coordinates: lower and upper end of each, 2 × `size` values. The call
 *  comes after pileus_dimension with `size` coordinates; the same on every rank. Files have the cells as
 *  NAME_bnds. */
pileus_status pileus_dimension_bounds(pileus_run* handle, const char* name, int64_t size,
                                      const double* bounds);

/** Says which points of the domain this rank holds, in the order of its own memory: blocks of NPROMA, the
 *  cells of a mesh, an ocean without its land. Fields lie on them that have `name` among their dimensions.
 *  `dimensions`: `rank` registered dimensions, fastest first, over which the points are numbered together:
 *  over x and y of nx points the point (i, j) has the index i + nx * j, from 0. The name is that of no
 *  dimension. Name, dimensions and flags are the same on every rank.
 *  `local_count`: the `local_rank` extents of this rank's own arrays along the points, {nproma, blocks} or
 *  {cells}; `indices`: the index of the point for each element of these, fastest first; negative where there
 *  is none: in a halo, on land, at the end of the last block. Both are copied. A rank may hold no point. With
 *  PILEUS_SHARED_POINTS among the flags (or 0) several ranks may hold a point, but no rank holds one twice.
 *  Registered before the fields that lie on the points. */
pileus_status pileus_points(pileus_run* handle, const char* name, int rank, const char* const* dimensions,
                            int local_rank, const int64_t* local_count, const int64_t* indices, int flags);

/** Gives the calendar of the model (standard, proleptic_gregorian, julian, noleap, all_leap, 360_day), and
 *  the date of model time 0, "2000-01-01 00:00:00" (NULL or "": the configuration gives it, or it is
 *  nominal). The same on every rank. <time> in the configuration overrules it, with a warning. */
pileus_status pileus_calendar(pileus_run* handle, const char* calendar, const char* epoch);

/** This run continues after `step`: pileus_commit loads the checkpoint of exactly that step. If there is
 *  none, it fails and lists the checkpoints that exist. The first step that begins has a greater index. At
 *  most once, before commit; the same on every rank. */
pileus_status pileus_continue(pileus_run* handle, int64_t step);

/** Says that the steps of this run, which continues another one, are numbered anew: from 1 on, say, while
 *  time goes on. What is due every so many steps follows the new numbers. Files and checkpoints are numbered
 *  on: pileus_step tells how. Without pileus_continue it has no effect. Before commit; the same on every
 *  rank. */
pileus_status pileus_count_anew(pileus_run* handle);

/** Registers a field. `dimensions`: `rank` names, fastest varying first (NULL for a scalar, or for an array
 *  whose dimensions have no names); `start`, `count`: the part that this rank holds, from 0, in the same
 *  order (a `start` of NULL means all 0). `field` gets the number that the other calls take.
 *  A field lies on points where `dimensions` has the name of these, once for each of their local counts and
 *  with these counts, from 0: {"cells", "level", "cells"} with {nproma, levels, blocks}, or {"level",
 *  "cells"}. Its other dimensions are whole on every rank. It is put as it lies, in its own order; outside it
 *  has the dimensions of the points where their name comes first, and the points by rising index. */
pileus_status pileus_field(pileus_run* handle, const char* name, int type, int rank,
                           const char* const* dimensions, const int64_t* start, const int64_t* count,
                           int* field);

/** Says what files write about a field: its units as UDUNITS writes them, its name in the CF standard name
 *  table, and its name for people; each may be NULL. The configuration overrules them; where the units
 *  differ, it warns. Once for a field, between pileus_field and commit; the same on every rank. */
pileus_status pileus_field_metadata(pileus_run* handle, int field, const char* units,
                                    const char* standard_name, const char* long_name);

/** Says that the field never changes: a mask, an area, a reference profile. It is wanted only in the first
 *  step of a run, is kept, and can be used in every step. Files have it once, without a time axis. A run that
 *  continues may hand it over again with the same values; other values end the run (PILEUS_ERROR_OUTPUT)
 *  with the field's name. Between pileus_field and commit; the same on every rank. */
pileus_status pileus_static(pileus_run* handle, int field);

/** Registers a field of texts of at most `length` bytes each; the other arguments are those of pileus_field.
 *  Rules cannot compute with texts, but files can hold them: each has the length `length` there, along a
 *  dimension named "string_<length>". An array of texts needs names for its dimensions. */
pileus_status pileus_text_field(pileus_run* handle, const char* name, int64_t length, int rank,
                                const char* const* dimensions, const int64_t* start, const int64_t* count,
                                int* field);

/** Registers a field of pairs of a key and its value, texts of at most `length` bytes each, the same on every
 *  rank. The size of the registered dimension `dimension` is the largest number of pairs. In files a pair
 *  lies along the dimensions "key_and_value" and "string_<length>". */
pileus_status pileus_map_field(pileus_run* handle, const char* name, int64_t length, const char* dimension,
                               int* field);

/** Registers an input: values that servers read from a file for the model, if the configuration names one of
 *  this name in <data-reading>. `input` gets its number, from 0. `type`, `dimensions`, `start` and `count`:
 *  as for pileus_field; any part of the whole, also the same on all ranks. `units`: those in which the model
 *  takes the values, to which those of the file are converted; NULL or "": as the file has them. No texts.
 *  Before commit, which fails with PILEUS_ERROR_CONFIG where file and model do not go together. */
pileus_status pileus_input(pileus_run* handle, const char* name, int type, int rank,
                           const char* const* dimensions, const int64_t* start, const int64_t* count,
                           const char* units, int* input);

/** What a field is, as the configuration says. */
typedef enum pileus_kind {
  PILEUS_KIND_OPEN = 0, /**< the configuration does not say */
  PILEUS_KIND_SCALAR = 1,
  PILEUS_KIND_ARRAY = 2,
  PILEUS_KIND_MAP = 3
} pileus_kind;

/** A data-definition of the configuration. Set `size` before the call that fills in the rest. */
typedef struct pileus_definition {
  size_t size; /**< sizeof(pileus_definition) */
  const char* name;
  const char* name_space;  /**< its namespaces, "a::b"; "" if it has none */
  int64_t frequency;       /**< steps from one hand-over to the next; 0: in the final step only */
  double frequency_s;      /**< seconds of model time from one to the next; 0: `frequency` counts */
  int is_sent_at_end;      /**< 1: the final step hands it over whatever its index */
  int first_field, fields; /**< its fields are numbered from `first_field` on */
} pileus_definition;

/** A field of the configuration, whether the model has it or not. Set `size` before the call that fills in
 *  the rest. */
typedef struct pileus_wanted_field {
  size_t size;                   /**< sizeof(pileus_wanted_field) */
  const char* name;              /**< with its namespaces, "a::b::w" */
  int definition;                /**< the number of its data-definition */
  int kind;                      /**< a pileus_kind */
  int type;                      /**< a pileus_type; -1 if the configuration does not say */
  int rank;                      /**< how many dimensions the configuration names; -1: it says nothing */
  const char* const* dimensions; /**< their names, fastest varying first */
  int is_optional, is_collective, is_static;
  int outputs;            /**< how many different frequencies of output need the field; 0: no file does */
  const double* output_s; /**< each in seconds; 0 where months count, or the file or the samples decide */
  const int64_t* output_months; /**< each in months; 0 where seconds count */
} pileus_wanted_field;

/** Asks the configuration before commit. `definitions` and `fields` get how many data-definitions and fields
 *  it has, which are numbered from 0; either may be NULL. The options that it uses must have been given.
 *  Collective over the model ranks, as often as they like.
 *  PILEUS_ERROR_CONFIG if the configuration is wrong; pileus_error has every mistake. */
pileus_status pileus_wants(pileus_run* handle, int* definitions, int* fields);

/** Describes a data-definition. Its texts are valid until the next pileus_wants or pileus_free. After
 *  pileus_wants, at any time. */
pileus_status pileus_wants_definition(pileus_run* handle, int number, pileus_definition* definition);

/** Describes a field of the configuration. Its arrays and texts are valid until the next pileus_wants or
 *  pileus_free. After pileus_wants, at any time. */
pileus_status pileus_wants_field(pileus_run* handle, int number, pileus_wanted_field* field);

/** Ends registration: the servers check it against the configuration and say which fields they want and when.
 *  pileus_error has every mistake, one on each line. Collective over the model ranks. */
pileus_status pileus_commit(pileus_run* handle);

/** Says whether the configuration wants the field at any step of the run: `is_used` gets 1 or 0, the same on
 *  every rank. It may be called from commit on, also before the first step. The model need not even allocate
 *  a field that is not used. */
pileus_status pileus_is_used(pileus_run* handle, int field, int* is_used);

/** Says whether the configuration brings the input: `is_brought` gets 1 or 0, the same on every rank. From
 *  commit on. Where it does not, the model keeps values of its own. */
pileus_status pileus_is_brought(pileus_run* handle, int input, int* is_brought);

/** Reads an input: writes its values at model time `time_s`, in seconds from the run's origin, into the
 *  model's array. `first` and `byte_strides`: as for pileus_put; what lies between the elements is left
 *  alone. Values that do not change are there for every time. From commit to pileus_finish, inside a step or
 *  outside, on the thread that calls pileus_begin; each rank by itself. It waits where the records have not
 *  come yet, which pileus_time counts. Times of one input rise, or stay.
 *  PILEUS_ERROR_USAGE for an input that the configuration does not bring, a time before one that was asked
 *  for, and one that the file does not cover (the text says what it does); the run then goes on.
 *  PILEUS_ERROR_OUTPUT if the file cannot be read, or has no value where the model needs one: all ranks get
 *  it, at this or their next call, and pileus_finish is the next one then. */
pileus_status pileus_get(pileus_run* handle, int input, double time_s, void* first,
                         const int64_t* byte_strides);

/** Does what pileus_get does, and checks type and extents of the array as pileus_put_array does. */
pileus_status pileus_get_array(pileus_run* handle, int input, double time_s, int type, int rank,
                               const int64_t* count, void* first, const int64_t* byte_strides);

/** Says whether a checkpoint is due at the step that is about to begin, given its index, time and length.
 *  <checkpoint> of the configuration decides: after a number of steps, after a model time or a time on the
 *  wall since the last checkpoint, on a signal, or where a trigger asks for one. Only model rank 0 asks; it
 *  sends the answer to the others as it sends them the length of the step, so that all of them give
 *  PILEUS_CHECKPOINT to the same pileus_begin. The checkpoint stays due until then. `due` gets a
 *  pileus_due. */
pileus_status pileus_checkpoint_due(pileus_run* handle, int64_t step, double time_s, double length_s,
                                    int* due);

/** Says a word about the step that begins next, for triggers with event="..." and for the run's events. It
 *  may be called between steps, up to 100 times before each. Any rank may call it, and rank 0 alone is heard.
 *  `word`: one line of 1 to 200 bytes, in UTF-8. */
pileus_status pileus_event(pileus_run* handle, const char* word);

/** Begins a step. `time_s`: model time at the END of the step, in seconds from the run's origin; `length_s`:
 *  the length of the step in seconds. Steps come by increasing index (0 to 2^62) and time, the same on every
 *  rank.
 *  The first step of a run may have a length of 0: it hands over the state at the start. Instantaneous
 *  outputs and outputs of every sample have it as a record; averages and other intervals do not count it.
 *  PILEUS_ERROR_USAGE, on every rank alike, for a step so long that it would end 100 000 records of one
 *  output; the text gives its name and frequency. Nothing has been sent then, and a shorter step may follow.
 *  PILEUS_ERROR_OUTPUT, with the reason, if the servers stop the run (when_full="stop", or a server that
 *  cannot go on). pileus_finish is the next call then. Ranks may get this error in different steps, and from
 *  pileus_put or pileus_end where they wait for memory. */
pileus_status pileus_begin(pileus_run* handle, int64_t step, double time_s, double length_s, int flags);

/** Begins the hand-over of what is due at the end of the run, for a model that learns only after its last
 *  step that it was the last. It is the state after that step, with its index and time: the model puts the
 *  fields that pileus_wanted names, and calls pileus_end and pileus_finish. They are those that PILEUS_FINAL
 *  would have added to the last step (frequency="0", send_on_terminate, write_on_terminate); no average or
 *  other interval counts them. On every rank alike; never after PILEUS_FINAL. */
pileus_status pileus_begin_closing(pileus_run* handle);

/** Gives the number that files and checkpoints know the step by that was begun last, the same on every rank:
 *  another than the model's after pileus_count_anew. A model that keeps its own state notes it for the
 *  pileus_continue of a later run. */
pileus_status pileus_step(pileus_run* handle, int64_t* step);

/** Returns 1 if the field is wanted in this step. If it returns 0, the field need not even be computed. */
int pileus_wanted(const pileus_run* handle, int field);

/** Hands a field over; it has been copied when the call returns. `first`: the first element of this rank's
 *  part; `byte_strides`: distance of neighbours in each dimension, in bytes, of any sign (NULL: dense,
 *  fastest first). A field that is not wanted is ignored. At most once in a step for each field: of several
 *  threads that put it, all but one get PILEUS_ERROR_USAGE. */
pileus_status pileus_put(pileus_run* handle, int field, const void* first, const int64_t* byte_strides);

/** Does what pileus_put does, for arrays that know their type and extents: both are checked against the
 *  field's. An array of texts (PILEUS_TEXT) has one dimension more, the first, for the bytes of each text in
 *  memory; a NUL ends a text, or blanks pad it. */
pileus_status pileus_put_array(pileus_run* handle, int field, int type, int rank, const int64_t* count,
                               const void* first, const int64_t* byte_strides);

/** Hands one index of a field's last dimension over, for models that keep them in arrays of their own.
 *  `part`: the index in what this rank holds, from 0; the array has the other dimensions, as for pileus_put.
 *  They may come in any order, each at most once in a step, and the field counts as put when all have come:
 *  otherwise pileus_absent names the parts that lack, and the servers get nothing of it. No texts, and no
 *  field whose last dimension is that of points. */
pileus_status pileus_put_part(pileus_run* handle, int field, int64_t part, const void* first,
                              const int64_t* byte_strides);

/** Does what pileus_put_part does, and checks type and extents as pileus_put_array does. */
pileus_status pileus_put_array_part(pileus_run* handle, int field, int64_t part, int type, int rank,
                                    const int64_t* count, const void* first, const int64_t* byte_strides);

/** Does what pileus_put does, for an array that the model leaves as it is until the pileus_begin or
 *  pileus_begin_closing of its next step, or pileus_finish, has returned. It may read it meanwhile. Where
 *  this rank shares memory with its server, an array of at least 16 KiB then need not be copied here: the
 *  server reads it where it lies, without any copy if that is memory of pileus_allocate and the step needs it
 *  for reductions alone, otherwise by one copy of its own. What the server has not come to is copied at the
 *  next pileus_begin, and what it is reading is waited for; the report has both. An array with strides or a
 *  halo, on points, of truth values or texts, of another type than the configuration wants, or of a static
 *  field, is copied as by pileus_put. The results are the same. */
pileus_status pileus_put_stable(pileus_run* handle, int field, const void* first,
                                const int64_t* byte_strides);

/** Does what pileus_put_stable does, and checks type and extents as pileus_put_array does. */
pileus_status pileus_put_array_stable(pileus_run* handle, int field, int type, int rank, const int64_t* count,
                                      const void* first, const int64_t* byte_strides);

/** Gives memory for the model's arrays, which pileus_put_stable need not copy: `size_bytes` bytes, all zero,
 *  from the beginning of a page. `memory` gets its address, or NULL after an error. At any time before
 *  pileus_finish, from the thread that calls pileus_begin. It belongs to the model, which gives it back with
 *  pileus_deallocate; nothing else ends it, pileus_free neither. Where no server shares memory with this rank
 *  it is memory as any other. */
pileus_status pileus_allocate(pileus_run* handle, size_t size_bytes, void** memory);

/** Gives memory of pileus_allocate back: at any time, also between two steps, before or after pileus_free of
 *  its run. NULL is fine. `memory`: as pileus_allocate gave it, and not given back before;
 *  PILEUS_ERROR_USAGE if it is seen to be other memory. */
pileus_status pileus_deallocate(void* memory);

/** Sums this rank's array up without rounding, for a field that the configuration sums up further: local
 *  sums cost less to send than the array. `is_kept` has a 1 for each dimension that stays (NULL: none does).
 *  `sums` gets `parts` doubles for each element that is left, fastest first; they lie together, and their
 *  exact sum is the sum of the values. 3 parts are enough for values within a factor 2^100 of each other,
 *  PILEUS_MOST_SUM_PARTS for all values; if there are too few, the error says how many it takes. Hand the
 *  sums over as a field with one dimension more, the first, of size `parts`, and let localreduce sum it up:
 *  the result then has the same bits as that of the raw array. Any type but text; at any time after
 *  pileus_start. */
pileus_status pileus_local_sum(pileus_run* handle, int type, int rank, const int64_t* count,
                               const void* first, const int64_t* byte_strides, const int* is_kept, int parts,
                               double* sums);

/** Hands `count` texts over, fastest dimension first; each ends with NUL. For one text pass &text and 1. */
pileus_status pileus_put_texts(pileus_run* handle, int field, int64_t count, const char* const* texts);

/** Hands a map over: `count` pairs, at most the size of its dimension. */
pileus_status pileus_put_map(pileus_run* handle, int field, int64_t count, const char* const* keys,
                             const char* const* values);

/** Ends the step and sends what was put. It is no error if a wanted field was not put: pileus_absent names
 *  it, and the log does so once. A static field must be put: otherwise the end of the first step is a
 *  PILEUS_ERROR_USAGE on every rank alike, with the names of the fields that are not there. The step then
 *  goes on, and ends with the next pileus_end after they are put. It is a PILEUS_ERROR_USAGE too while
 *  another thread puts a field, and the step goes on. A put that comes after the end is refused. */
pileus_status pileus_end(pileus_run* handle);

/** Returns a sentence with the wanted fields that were not put in the step which ended last; "" if there are
 *  none. Valid until the next pileus_end. */
const char* pileus_absent(const pileus_run* handle);

/** Lets what this rank has sent go on, and never waits. Most MPI libraries move a large message to another
 *  node only while they are called: a model that computes for long between its own calls of MPI calls this in
 *  between, inside a step or outside. An attached server works then, too. Not needed where ranks share memory
 *  with their server. */
pileus_status pileus_progress(pileus_run* handle);

/** Returns when what the steps until now have sent has left this rank, so that nothing of it is under way
 *  while the model communicates. Outside a step. It waits for no other rank of the model, nor where this rank
 *  hosts its server itself. PILEUS_ERROR_OUTPUT if the servers stop the run. */
pileus_status pileus_flush(pileus_run* handle);

/** Ends the run: returns when everything is published. Collective over the model ranks and the servers, which
 *  take no further part. The status and the text name files that could not be written. If the servers stop
 *  the run, this call may come in the middle of a step. */
pileus_status pileus_finish(pileus_run* handle);

/** Returns the text of the last call that did not return PILEUS_OK; "" if there was none. Valid until the
 *  next call that fails. From a step with PILEUS_THREADS on, each thread gets the text of its own last call
 *  that failed, valid until its next one or the next pileus_begin. */
const char* pileus_error(const pileus_run* handle);

/** Gives the seconds that this rank has spent inside Pileus since commit, and how many of them it waited for
 *  memory or for records of inputs. */
pileus_status pileus_time(const pileus_run* handle, double* inside_s, double* waiting_s);

/** Releases everything that belongs to the handle. Call it before MPI_Finalize and on all ranks. If the run
 *  was not finished, the servers are told that it was broken off. NULL is fine. */
void pileus_free(pileus_run* handle);

/** Returns the version of the library, "0.1.0". */
const char* pileus_version(void);

#ifdef __cplusplus
}
#endif
#endif
