/* Hands over blobs that move, split and merge, in steps of different lengths, for tests/test_tracks.py.
     tracks_model CONFIGURATION CUTS SEED                CUTS: so many ranks in x; -1: cut in z; -2: in y
     tracks_model CONFIGURATION CUTS SEED STEP die       the state after STEP is kept, then rank 0 dies
     tracks_model CONFIGURATION CUTS SEED STEP continue  goes on after it */
#include <math.h>
#include <mpi.h>
#include <pileus/pileus_mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NX = 20, NY = 16, NZ = 3, STEPS = 12, BLOBS = 7 };
enum { A, W, HOLES, PROFILE, SLOW, FIELDS };

static pileus_run* run = NULL;
static int rank, ranks, cuts, seed;
static int64_t start[3] = {0, 0, 0}, count[3] = {NX, NY, NZ}; /* of fields in three dimensions */
static int64_t plane_start[2], plane_count[2];

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* From 0 to 1. */
static double random_number(int64_t number) {
  uint64_t n = (uint64_t)(number + 1000000 * (int64_t)seed) + 1;
  n = (n ^ (n >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  n = (n ^ (n >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((n ^ (n >> 31)) >> 12) / 4503599627370496.0;
}

static double time_of(int step) { return 10.0 * step + 3 * (step % 3) + 0.5 * (step % 2); }

/* Between 0 and the size of a dimension, which goes on at its other end. */
static double apart(double a, double b, int size) {
  const double distance = fabs(fmod(a - b, size));
  return fmin(distance, size - distance);
}

/* SLOW is what A is, as often as its group says. */
static double value(int field, int64_t x, int64_t y, int z, int step) {
  if (field == PROFILE) return (step + x) % 4 - 1.5;
  const int64_t where = ((z * NY + y) * NX + x) * 64 + step;
  double sum = 0.6 * random_number(where + 5000) - 0.3;
  for (int blob = 0; blob < BLOBS; ++blob) {
    const int64_t id = (z + 10 * (field == A)) * 100 + blob * 8;
    const double from_x = NX * random_number(id), from_y = NY * random_number(id + 1);
    const double dx = apart(x, from_x + (2 * random_number(id + 2) - 1) * step, NX);
    const double dy = apart(y, from_y + (2 * random_number(id + 3) - 1) * step, NY);
    const double size = 1.5 + 2 * random_number(id + 4) + sin(step * random_number(id + 5));
    const double distance = (dx * dx + dy * dy) / (size * size);
    if (distance < 1) sum += 1 - distance;
  }
  return field == HOLES && random_number(where + 9000) < 0.1 ? -999 : floor(sum * 4096) / 4096;
}

/* Parts are of different sizes, some of one element or none. */
static void cut(int d, int part, int parts) {
  const int64_t size = count[d];
  const int64_t first = part == 0 ? 0 : size * part / parts + part % 2;
  const int64_t end = part + 1 == parts ? size : size * (part + 1) / parts + (part + 1) % 2;
  start[d] = first;
  count[d] = end - first;
}

static void deal(void) {
  if (cuts > 0) {
    cut(0, rank % cuts, cuts);
    cut(1, rank / cuts, ranks / cuts);
  } else if (cuts < -1) {
    cut(1, ranks - 1 - rank, ranks);
  } else {
    cut(2, rank, ranks);
  }
  memcpy(plane_start, start, sizeof plane_start);
  memcpy(plane_count, count, sizeof plane_count);
  if (cuts != -1) return;
  plane_start[1] = NY * rank / ranks;
  plane_count[1] = NY * (rank + 1) / ranks - plane_start[1];
}

static void put(int field, int id, int step) {
  if (!pileus_wanted(run, id)) return;
  if (field == SLOW) field = A;
  static double numbers[NX * NY * NZ];
  int64_t at = 0;
  if (field == PROFILE) {
    for (int i = 0; i < NX; ++i) numbers[at++] = value(field, i, 0, 0, step);
  } else {
    const int64_t* const first = field == A ? plane_start : start;
    const int64_t* const size = field == A ? plane_count : count;
    const int levels = field == A ? 1 : (int)count[2], bottom = field == A ? 0 : (int)start[2];
    for (int z = 0; z < levels; ++z)
      for (int64_t y = 0; y < size[1]; ++y)
        for (int64_t x = 0; x < size[0]; ++x)
          numbers[at++] = value(field, first[0] + x, first[1] + y, bottom + z, step);
  }
  check(pileus_put(run, id, numbers, NULL));
}

static void register_fields(int* fields) {
  const char* const names[] = {"x", "y", "z"};
  double x[NX], y[NY], z[NZ];
  for (int i = 0; i < NX; ++i) x[i] = 100 * i;
  for (int i = 0; i < NY; ++i) y[i] = 100 * i;
  for (int i = 0; i < NZ; ++i) z[i] = 10 + 10 * i;
  check(pileus_dimension(run, "x", NX, x, "m"));
  check(pileus_dimension(run, "y", NY, y, "m"));
  check(pileus_dimension(run, "z", NZ, z, "m"));
  check(pileus_field(run, "a", PILEUS_DOUBLE, 2, names, plane_start, plane_count, &fields[A]));
  check(pileus_field(run, "w", PILEUS_DOUBLE, 3, names, start, count, &fields[W]));
  check(pileus_field(run, "holes", PILEUS_DOUBLE, 3, names, start, count, &fields[HOLES]));
  check(pileus_field(run, "slow", PILEUS_DOUBLE, 2, names, plane_start, plane_count, &fields[SLOW]));
  const int64_t all = NX;
  check(pileus_field(run, "profile", PILEUS_DOUBLE, 1, names, NULL, &all, &fields[PROFILE]));
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

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  cuts = atoi(argv[2]);
  seed = atoi(argv[3]);
  const int kept = argc > 4 ? atoi(argv[4]) : -1;
  const int dies = argc > 5 && strcmp(argv[5], "die") == 0, goes_on = argc > 5 && !dies;
  int provided, fields[FIELDS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm model = MPI_COMM_NULL;
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  deal();
  register_fields(fields);
  if (goes_on) check(pileus_continue(run, kept));
  check(pileus_commit(run));
  for (int step = goes_on ? kept + 1 : 1; step <= STEPS; ++step) {
    check(pileus_begin(run, step, time_of(step), time_of(step) - time_of(step - 1),
                       (step == STEPS ? PILEUS_FINAL : 0) | (step == kept ? PILEUS_CHECKPOINT : 0)));
    for (int field = 0; field < FIELDS; ++field) put(field, fields[field], step);
    check(pileus_end(run));
    if (!dies || step < kept) continue;
    wait_for_checkpoint(kept);
    if (rank == 0) kill(getpid(), SIGKILL);
  }
  check(pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
}
