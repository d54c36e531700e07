/* Reads inputs and hands what it got over as fields of the same names, for tests/test_input.py, which knows
   what has to be in the files.
     input_model CONFIGURATION NX NY NZ CUTS STEPS START LENGTHS [STEP die|continue]
   CUTS: so many ranks in x, the others in y. START: model time before the first step, in s. LENGTHS: those of
   steps in s, with commas, which come round. The state after STEP is kept.
   Inputs: theta(z,y,x) in double, into an array with a halo; q(y,x) in float; w(z) in double, on all ranks
   alike; flux, a number; mask(y,x), whole numbers; first(z,y,x), in float. What no file brings stays at -1.
   The environment: INPUT_UNITS of theta; INPUT_NX, another size of x that it says to have; INPUT_TYPE of
   mask, as a number; INPUT_TIME: theta is asked for at this time too, in the second step; INPUT_CALENDAR and
   INPUT_EPOCH: of pileus_calendar. It ends with the status of the call that fails. */
#include <mpi.h>
#include <pileus/pileus_mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THETA, Q, W, FLUX, MASK, FIRST, INPUTS, HALO = 2 };

static pileus_run* run = NULL;
static int rank, ranks, cuts, inputs[INPUTS], fields[INPUTS], is_brought[INPUTS];
static int64_t size[3], start[3], count[3];
static const char* const kNames[INPUTS] = {"theta", "q", "w", "flux", "mask", "first"};
static const int kRanks[INPUTS] = {3, 2, 1, 0, 2, 3};

/* A status ends the job on all ranks that get it, as a model would end: a run that is stopped is finished. */
static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "rank %d: status %d: %s\n", rank, (int)status, pileus_error(run));
  if (status == PILEUS_ERROR_OUTPUT) pileus_finish(run);
  pileus_free(run);
  MPI_Finalize();
  exit((int)status);
}

static const char* environment(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value != NULL ? value : otherwise;
}

/* Parts are of different sizes, some of one element or none. */
static void cut(int64_t whole, int part, int parts, int64_t* first, int64_t* number) {
  const int is_uneven = whole >= 2 * parts;
  *first = part == 0 ? 0 : whole * part / parts + (is_uneven ? part % 2 : 0);
  *number =
      (part + 1 == parts ? whole : whole * (part + 1) / parts + (is_uneven ? (part + 1) % 2 : 0)) - *first;
}

static int type_of(int input) {
  if (input == MASK) return atoi(environment("INPUT_TYPE", "2"));
  return input == Q || input == FIRST ? PILEUS_FLOAT : PILEUS_DOUBLE;
}

static void register_all(void) {
  const char* const dimensions[] = {"x", "y", "z"};
  const int64_t nx = atoi(environment("INPUT_NX", "0"));
  const int64_t zero[] = {0, 0, 0};
  for (int d = 0; d < 3; ++d)
    check(pileus_dimension(run, dimensions[d], d == 0 && nx > 0 ? nx : size[d], NULL, NULL));
  if (getenv("INPUT_CALENDAR") != NULL)
    check(pileus_calendar(run, getenv("INPUT_CALENDAR"), getenv("INPUT_EPOCH")));
  for (int i = 0; i < INPUTS; ++i) {
    const int is_column = i == W;
    const char* const* names = is_column ? dimensions + 2 : dimensions;
    const int64_t* from = is_column ? zero : start;
    const int64_t* of = is_column ? size + 2 : count;
    const char* units = i == THETA ? environment("INPUT_UNITS", "K") : NULL;
    check(pileus_input(run, kNames[i], type_of(i), kRanks[i], names, from, of, units, &inputs[i]));
    check(pileus_field(run, kNames[i], type_of(i), kRanks[i], names, from, of, &fields[i]));
  }
}

/* Values and those around them: the halo keeps what it has. */
static void get_theta(double time_s) {
  const int64_t wide = count[0] + 2 * HALO, high = count[1] + 2 * HALO;
  double* array = malloc((size_t)(wide * high * (count[2] + 1)) * sizeof *array);
  for (int64_t i = 0; i < wide * high * (count[2] + 1); ++i) array[i] = -1;
  double* first = array + HALO * wide + HALO;
  const int64_t strides[] = {8, 8 * wide, 8 * wide * high};
  if (is_brought[THETA]) check(pileus_get(run, inputs[THETA], time_s, first, strides));
  for (int64_t z = 0; z < count[2]; ++z) {
    for (int64_t y = -HALO; y < count[1] + HALO; ++y) {
      for (int64_t x = -HALO; x < count[0] + HALO; ++x) {
        const int is_inside = x >= 0 && y >= 0 && x < count[0] && y < count[1];
        if (is_inside || first[z * wide * high + y * wide + x] == -1) continue;
        fprintf(stderr, "rank %d: the halo was written\n", rank);
        MPI_Abort(MPI_COMM_WORLD, 99);
      }
    }
  }
  if (pileus_wanted(run, fields[THETA])) check(pileus_put(run, fields[THETA], first, strides));
  free(array);
}

static void get(int i, double time_s) {
  if (i == THETA) return get_theta(time_s);
  int64_t most = 1;
  for (int d = 0; d < kRanks[i]; ++d) most *= i == W ? size[2] : count[d];
  void* array = malloc(8 * (size_t)most + 8);
  const int type = type_of(i);
  for (int64_t n = 0; n < most; ++n) {
    if (type == PILEUS_DOUBLE) ((double*)array)[n] = -1;
    if (type == PILEUS_FLOAT) ((float*)array)[n] = -1;
    if (type == PILEUS_INT32) ((int32_t*)array)[n] = -1;
    if (type == PILEUS_INT64) ((int64_t*)array)[n] = -1;
    if (type == PILEUS_BOOL) ((int8_t*)array)[n] = 0;
  }
  if (is_brought[i]) check(pileus_get(run, inputs[i], time_s, array, NULL));
  if (pileus_wanted(run, fields[i])) check(pileus_put(run, fields[i], array, NULL));
  free(array);
}

/* An attached server works in the calls. */
static void wait_for_checkpoint(int step) {
  const struct timespec pause = {0, 10000000};
  char path[64];
  snprintf(path, sizeof path, "pileus-checkpoints/step-%010d", step);
  for (int i = 0; i < 6000 && access(path, F_OK) != 0; ++i) {
    nanosleep(&pause, NULL);
    check(pileus_progress(run));
  }
}

static double next_length(const char* lengths, int step) {
  int many = 1;
  for (const char* c = lengths; *c != '\0'; ++c) many += *c == ',';
  for (int skip = (step - 1) % many; skip > 0; --skip) lengths = strchr(lengths, ',') + 1;
  return atof(lengths);
}

int main(int argc, char** argv) {
  if (argc < 9) return 2;
  for (int d = 0; d < 3; ++d) size[d] = atoi(argv[2 + d]);
  cuts = atoi(argv[5]);
  const int steps = atoi(argv[6]);
  double time_s = atof(argv[7]);
  const int kept = argc > 10 ? atoi(argv[9]) : -1;
  const int dies = argc > 10 && strcmp(argv[10], "die") == 0;
  const int goes_on = argc > 10 && strcmp(argv[10], "continue") == 0;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm model = MPI_COMM_NULL;
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  cut(size[0], rank % cuts, cuts, &start[0], &count[0]);
  cut(size[1], rank / cuts, ranks / cuts, &start[1], &count[1]);
  count[2] = size[2];
  register_all();
  if (goes_on) check(pileus_continue(run, kept));
  check(pileus_commit(run));
  for (int i = 0; i < INPUTS; ++i) check(pileus_is_brought(run, inputs[i], &is_brought[i]));
  for (int step = 1; step <= steps; ++step) {
    const double length = next_length(argv[8], step);
    time_s += length;
    if (goes_on && step <= kept) continue;
    check(pileus_begin(run, step, time_s, length,
                       (step == steps ? PILEUS_FINAL : 0) | (step == kept ? PILEUS_CHECKPOINT : 0)));
    for (int i = 0; i < INPUTS; ++i) get(i, time_s);
    check(pileus_end(run));
    if (step == 2 && getenv("INPUT_TIME") != NULL) {
      double* all = malloc((size_t)(size[0] * size[1] * size[2]) * sizeof *all);
      check(pileus_get(run, inputs[THETA], atof(getenv("INPUT_TIME")), all, NULL));
      free(all);
    }
    if (!dies || step < kept) continue;
    wait_for_checkpoint(kept);
    if (rank == 0) kill(getpid(), SIGKILL);
  }
  double inside_s = 0, waiting_s = 0;
  check(pileus_time(run, &inside_s, &waiting_s));
  check(pileus_finish(run));
  if (rank == 0) printf("inside %.6f waiting %.6f\n", inside_s, waiting_s);
  pileus_free(run);
  MPI_Finalize();
}
