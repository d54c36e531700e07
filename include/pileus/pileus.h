/* Pileus: hands a model's fields to servers that analyse and write them while the model runs.
 *
 * The C interface, the source of truth for every other language. It knows no MPI: a communicator crosses as
 * the integer that MPI_Comm_c2f gives (pileus_mpi.h does that for you). Calls on one handle come from one
 * thread at a time.
 * The calls of a run, on every model rank alike:
 *
 *   pileus_start → pileus_option*, pileus_calendar, pileus_dimension*, pileus_field* → pileus_commit
 *   → per step: pileus_begin, pileus_put*, pileus_end → pileus_finish → pileus_free
 *
 * A run that can be continued marks some steps with PILEUS_CHECKPOINT; the run that continues it calls
 * pileus_continue before pileus_commit and begins with the step after that one. pileus_checkpoints tells
 * which steps there are.
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

/** The version of this header. PILEUS_VERSION_NUMBER is the one to compare: 1.2.3 is 10203. */
#define PILEUS_VERSION_MAJOR 0
#define PILEUS_VERSION_MINOR 1
#define PILEUS_VERSION_PATCH 0
#define PILEUS_VERSION_NUMBER \
  (PILEUS_VERSION_MAJOR * 10000 + PILEUS_VERSION_MINOR * 100 + PILEUS_VERSION_PATCH)

/** What every call returns: 0, or what kind of thing went wrong. pileus_error has the text. Whatever is not 0
 *  is an error. */
typedef enum pileus_status {
  PILEUS_OK = 0,
  PILEUS_ERROR_USAGE = 2,     /**< a call in the wrong order, a wrong shape or type; nothing has changed */
  PILEUS_ERROR_CONFIG = 3,    /**< the configuration, or what the model registered against it, is wrong */
  PILEUS_ERROR_OUTPUT = 4,    /**< a file could not be written, or the servers have stopped the run */
  PILEUS_ERROR_TRANSPORT = 5, /**< the servers cannot be reached or sent something unknown */
  PILEUS_ERROR_INTERNAL = 6   /**< anything else, memory among it */
} pileus_status;

/** Of what a field is made. Calls take it as an int, so that they can refuse what is none of these. */
typedef enum pileus_type {
  PILEUS_DOUBLE = 0,
  PILEUS_FLOAT = 1,
  PILEUS_INT32 = 2,
  PILEUS_INT64 = 3,
  PILEUS_BOOL = 4, /**< one byte: 0 is false, anything else true */
  PILEUS_TEXT = 5  /**< one byte of a text; for pileus_put_array, fields come from pileus_text_field */
} pileus_type;

typedef enum pileus_role {
  PILEUS_MODEL = 0, /**< this rank goes on as the model */
  PILEUS_SERVER = 1 /**< this rank has served, and the run is over: all that is left is pileus_free */
} pileus_role;

/** As many parts pileus_local_sum needs at most. */
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
  /* How many ranks of the communicator become servers; at most one of these, the others 0. All 0: what
   * <servers> of the configuration says, otherwise none. Needs a `role` in pileus_start. The same on every
   * rank. A communicator of one rank serves itself whatever is asked for. */
  int32_t servers_ratio;    /**< one server for at most so many model ranks */
  int32_t servers_per_node; /**< so many on every node, its last ranks */
  int32_t servers_total;    /**< so many altogether */
  /** Path of a JSON file for the model's description, which `pileus explain` reads; NULL for none. Server 0
   *  writes it, as model rank 0 says. --describe-model of pileus-server and PILEUS_DESCRIBE_MODEL in the
   *  environment of server 0 overrule it. */
  const char* describe_model;
} pileus_settings;

#define PILEUS_SETTINGS_INIT \
  { sizeof(pileus_settings), NULL, 0, 0, NULL, 0, 0, 0, NULL }

/** Flags of pileus_begin. */
enum {
  PILEUS_FINAL = 1,     /**< this is the last step that is handed over */
  PILEUS_CHECKPOINT = 2 /**< the state after this step is kept, for a run that continues from there */
};

/** What pileus_checkpoint_due gives. */
typedef enum pileus_due {
  PILEUS_NOT_DUE = 0,
  PILEUS_DUE = 1,
  PILEUS_DUE_AT_END = 2 /**< a signal has come: the job is about to end, so stop after the checkpoint */
} pileus_due;

/** The steps of the complete checkpoints below `directory` (NULL for "."), that of the files, ascending:
 *  `count` gets how many there are, `steps` the newest `capacity` of them (NULL if that is 0). For a model
 *  that chooses where to continue: one rank asks, before or after pileus_start, and tells the others.
 *  PILEUS_ERROR_OUTPUT if the directory cannot be read, which the log says; PILEUS_ERROR_USAGE for a NULL
 *  that may not be one and a negative capacity. */
pileus_status pileus_checkpoints(const char* directory, int64_t* steps, int capacity, int* count);

/** Joins the run. Collective over the communicator: the servers take part (pileus-server, or ranks of the
 *  same program). Where nobody serves, every model rank analyses and writes with the others (attached).
 *  `handle` is set even when the call fails, so that pileus_error can say why; pileus_free it in every case.
 *  `model_communicator` (may be NULL): Fortran handle of a communicator of the model ranks alone, for the
 *  model to use until pileus_free; that of MPI_COMM_NULL on a server; untouched without MPI.
 *  `role` may be NULL if no rank of this program is to serve. On a rank that serves the call returns when the
 *  run is over: PILEUS_OK, or what went wrong, with the text; pileus_free is all that it may do then. */
pileus_status pileus_start(const pileus_settings* settings, pileus_run** handle, int32_t* model_communicator,
                           pileus_role* role);

/** A value that {key} in the configuration stands for. Before commit; the same on every rank. */
pileus_status pileus_option(pileus_run* handle, const char* key, const char* value);

/** A dimension of the global domain. `coordinates`: `size` values, or NULL; `units`: of the coordinates, or
 *  NULL. The same on every rank. */
pileus_status pileus_dimension(pileus_run* handle, const char* name, int64_t size, const double* coordinates,
                               const char* units);

/** The cells of a dimension's coordinates: lower and upper end of each, 2 × `size` values. After
 *  pileus_dimension gave it `size` coordinates; the same on every rank. Files have them as NAME_bnds. */
pileus_status pileus_dimension_bounds(pileus_run* handle, const char* name, int64_t size,
                                      const double* bounds);

/** The calendar of the model (standard, proleptic_gregorian, julian, noleap, all_leap, 360_day), and the date
 *  of model time 0, "2000-01-01 00:00:00" (NULL or "": the configuration says, or it is nominal). The same on
 *  every rank; what the configuration says of time overrules it with a warning. */
pileus_status pileus_calendar(pileus_run* handle, const char* calendar, const char* epoch);

/** This run continues after `step`: exactly the checkpoint of that step is loaded at pileus_commit, which
 *  fails with those that exist if it is not there. The first step that begins has a greater index. At most
 *  once, before commit; the same on every rank. */
pileus_status pileus_continue(pileus_run* handle, int64_t step);

/** A field. `dimensions`: `rank` names, fastest varying first (NULL for an array of a shape of its own, or
 *  a scalar); `start`, `count`: the part that this rank holds, from 0, in the same order (start may be
 *  NULL: all 0). `field` gets the number that the other calls take. */
pileus_status pileus_field(pileus_run* handle, const char* name, int type, int rank,
                           const char* const* dimensions, const int64_t* start, const int64_t* count,
                           int* field);

/** What files say of a field: its units as UDUNITS writes them, its name in the CF standard name table, its
 *  name for people; each may be NULL. What the configuration says of them overrules it, units with a warning.
 *  Once for a field, after pileus_field gave its number and before commit; the same on every rank. */
pileus_status pileus_field_metadata(pileus_run* handle, int field, const char* units,
                                    const char* standard_name, const char* long_name);

/** The field never changes: a mask, an area, a reference profile. It is wanted in the first step of a run
 *  alone, is kept, and can be used in every step; files have it once, without a time axis. A run that
 *  continues may hand it over again, and then the same; what differs ends the run (PILEUS_ERROR_OUTPUT), with
 *  the field's name. After pileus_field gave its number and before commit; the same on every rank. */
pileus_status pileus_static(pileus_run* handle, int field);

/** As pileus_field, for texts of at most `length` bytes each. They can be written, not computed with. In
 *  files each has the length `length`, along a dimension named "string_<length>". An array needs names for
 *  its dimensions. */
pileus_status pileus_text_field(pileus_run* handle, const char* name, int64_t length, int rank,
                                const char* const* dimensions, const int64_t* start, const int64_t* count,
                                int* field);

/** A field of pairs of a key and its value, texts of at most `length` bytes each, the same on every rank. The
 *  registered dimension `dimension` has room for as many pairs as its size; in files a pair lies along the
 *  dimensions "key_and_value" and "string_<length>". */
pileus_status pileus_map_field(pileus_run* handle, const char* name, int64_t length, const char* dimension,
                               int* field);

/** Ends registration: the servers check it against the configuration and say what they want and when.
 *  Every mistake is in pileus_error, one a line. Collective over the model ranks. */
pileus_status pileus_commit(pileus_run* handle);

/** Whether the configuration wants the field at any step of the run, the same on every rank: `is_used` gets 1
 *  or 0. After commit, the first step need not have come. A field that is not used need not even be there. */
pileus_status pileus_is_used(pileus_run* handle, int field, int* is_used);

/** Whether a checkpoint is due at the step that is about to begin, with its index, time and length: what
 *  <checkpoint> of the configuration says, a number of steps, model time or time on the wall since the last
 *  one, a signal. On model rank 0 alone, which tells the others as it tells them the length of the step, so
 *  that all of them give PILEUS_CHECKPOINT to the same pileus_begin; until then it stays due. `due` gets a
 *  pileus_due. */
pileus_status pileus_checkpoint_due(pileus_run* handle, int64_t step, double time_s, double length_s,
                                    int* due);

/** Begins a step. `time_s`: model time at the END of the step, seconds from the run's origin; `length_s` of
 *  the step. Steps come by increasing index (0 to 2^62) and time, the same on every rank.
 *  The first step of a run may have a length of 0: it hands over the state at the start, which instantaneous
 *  outputs and those of every sample have as a record, and no average or other interval counts.
 *  PILEUS_ERROR_USAGE for a step so long that it would end 100 000 records of something, with its name and
 *  frequency, on every rank alike: nothing has been sent, and a shorter step may come in its place.
 *  PILEUS_ERROR_OUTPUT if the servers stop the run (when_full="stop", or a server that cannot go on, with the
 *  reason): pileus_finish is next. Ranks may hear of it in different steps, and from pileus_put or pileus_end
 *  where they wait for room. */
pileus_status pileus_begin(pileus_run* handle, int64_t step, double time_s, double length_s, int flags);

/** 1 if the field is wanted in this step, otherwise 0: then it need not even be computed. */
int pileus_wanted(const pileus_run* handle, int field);

/** Hands a field over: it has been copied when the call returns. `first`: the first element of this rank's
 *  part; `byte_strides`: distance of neighbours in each dimension, in bytes, any sign (NULL: dense, fastest
 *  first). A field that is not wanted is ignored. At most once in a step for each field. */
pileus_status pileus_put(pileus_run* handle, int field, const void* first, const int64_t* byte_strides);

/** As pileus_put, for arrays that know their type and extents: both are checked against the field's. Texts,
 *  PILEUS_TEXT, have one dimension more, the first: their bytes, as many as each has in memory, ended by NUL
 *  or padded with blanks. */
pileus_status pileus_put_array(pileus_run* handle, int field, int type, int rank, const int64_t* count,
                               const void* first, const int64_t* byte_strides);

/** Sums this rank's array up without rounding, for a field that the configuration sums up further: local
 *  sums cost less to send than the array. `is_kept`: for each dimension 1 if it stays (NULL: none does).
 *  `sums` gets `parts` doubles for each element that is left, fastest first; they lie together, and their
 *  exact sum is that of the values. 3 parts take values within a factor 2^100 of each other,
 *  PILEUS_MOST_SUM_PARTS all; too few are an error that says how many it takes. Hand them over as a field
 *  with one dimension more, of size `parts`, the first one, and let localreduce sum that up: then the result
 *  is the same bits as that of the raw array. Any type but text; at any time after pileus_start. */
pileus_status pileus_local_sum(pileus_run* handle, int type, int rank, const int64_t* count,
                               const void* first, const int64_t* byte_strides, const int* is_kept, int parts,
                               double* sums);

/** Hands `count` texts over, fastest dimension first; each ends with NUL. A single one: &text, 1. */
pileus_status pileus_put_texts(pileus_run* handle, int field, int64_t count, const char* const* texts);

/** Hands a map over: `count` pairs, at most as many as it has room for. */
pileus_status pileus_put_map(pileus_run* handle, int field, int64_t count, const char* const* keys,
                             const char* const* values);

/** Ends the step and sends what was put. Wanted fields that were not put are no error: pileus_absent names
 *  them, and the log does, once. Static fields are: PILEUS_ERROR_USAGE at the end of the first step, on every
 *  rank alike, with the names of those that lack; the step goes on, they can be put, and it ends then. */
pileus_status pileus_end(pileus_run* handle);

/** A sentence with the wanted fields that the step which ended last went without; "" if there are none.
 *  Valid until the next pileus_end. */
const char* pileus_absent(const pileus_run* handle);

/** Ends the run: returns when everything is published. Collective over model ranks and servers, which take
 *  no further part. The status and the text tell of files that could not be written. It may come in a step if
 *  the servers stop the run. */
pileus_status pileus_finish(pileus_run* handle);

/** The text of the last call that did not return PILEUS_OK; "" if there was none. Valid until the next call
 *  that fails. */
const char* pileus_error(const pileus_run* handle);

/** Seconds that this rank has spent inside Pileus since commit, and of these waiting for room. */
pileus_status pileus_time(const pileus_run* handle, double* inside_s, double* waiting_s);

/** Lets go of everything, before MPI_Finalize and on all ranks. A run that was not finished is reported to
 *  the servers as broken off. NULL is fine. */
void pileus_free(pileus_run* handle);

/** "0.1.0" */
const char* pileus_version(void);

#ifdef __cplusplus
}
#endif
#endif
