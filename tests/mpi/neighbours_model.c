/* Hands over fields that ranks cut in x, y or z, unevenly, or in points that are dealt to them in turn, for
   tests/test_neighbours.py, which knows the numbers.
     neighbours_model CONFIGURATION CUTS                CUTS: so many ranks in x; 0: points; -1: cut in z
     neighbours_model CONFIGURATION CUTS STEP die       the state after STEP is kept, then rank 0 dies
     neighbours_model CONFIGURATION CUTS STEP continue  goes on after it */
#include <mpi.h>
#include <pileus/pileus_mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NX = 13, NY = 11, NZ = 5, STEPS = 4 };
enum { T, W, U, V, UG, VG, PROFILE, FIELDS };

static pileus_run* run = NULL;
static int rank, ranks, cuts;
static int64_t points[NX * NY], start[3] = {0, 0, 0}, count[3] = {NX, NY, NZ};
static int64_t plane_start[2], plane_count[2]; /* of fields in two dimensions */

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* From 0 to 1. */
static double random_number(int64_t number) {
  uint64_t n = (uint64_t)number + 1;
  n = (n ^ (n >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  n = (n ^ (n >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((n ^ (n >> 31)) >> 12) / 4503599627370496.0;
}

static double value(int field, int64_t point, int z, int step) {
  const double random = random_number(((point * 8 + z) * 64 + step) * 8 + field);
  if (field == T && random < 0.05) return -999.9f;
  if (field == T) return (float)(280 + 20 * random);
  return field == PROFILE ? 1000 * z * z + step : 20 * random - 10;
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
  const int64_t rows = count[1];
  if (cuts > 0) {
    cut(0, rank % cuts, cuts);
    cut(1, rank / cuts, ranks / cuts);
  } else if (cuts < 0) {
    cut(2, rank, ranks);
  } else {
    count[0] = 0;
    for (int64_t i = rank; i < NX * NY; i += ranks) points[count[0]++] = i;
    count[1] = 1;
  }
  memcpy(plane_start, start, sizeof plane_start);
  memcpy(plane_count, count, sizeof plane_count);
  if (cuts >= 0) return;
  plane_start[1] = rows * rank / ranks;
  plane_count[1] = rows * (rank + 1) / ranks - plane_start[1];
}

static void put(int field, int id, int step) {
  if (!pileus_wanted(run, id)) return;
  static double doubles[NX * NY * NZ];
  static float floats[NX * NY * NZ];
  const int is_plane = field > W;
  const int levels = is_plane ? 1 : (int)count[2];
  const int64_t first_row = is_plane ? plane_start[1] : start[1];
  const int64_t rows = field == PROFILE ? 1 : is_plane ? plane_count[1] : count[1];
  int64_t at = 0;
  for (int z = 0; z < levels; ++z) {
    for (int64_t y = 0; y < rows; ++y) {
      for (int64_t x = 0; x < (field == PROFILE ? NZ : count[0]); ++x, ++at) {
        const int64_t point = cuts == 0 ? points[x] : (first_row + y) * NX + start[0] + x;
        doubles[at] = field == PROFILE ? value(field, 0, (int)x, step)
                                       : value(field, point, is_plane ? 0 : (int)start[2] + z, step);
        floats[at] = (float)doubles[at];
      }
    }
  }
  check(pileus_put(run, id, field == T ? (const void*)floats : doubles, NULL));
}

static void register_dimensions(void) {
  double x[NX], y[NY], z[NZ], longitudes[NX], latitudes[NY];
  for (int i = 0; i < NX; ++i) x[i] = 100 * i + 60 * random_number(1000 + i);
  for (int i = 0; i < NY; ++i) y[i] = -50 * i;
  for (int i = 0; i < NZ; ++i) z[i] = 10 * i * i;
  for (int i = 0; i < NX; ++i) longitudes[i] = 360.0 / NX * i;
  for (int i = 0; i < NY; ++i) latitudes[i] = -90 + 18 * i;
  check(pileus_dimension(run, "x", NX, x, "m"));
  check(pileus_dimension(run, "y", NY, y, "m"));
  check(pileus_dimension(run, "z", NZ, z, "m"));
  check(pileus_dimension(run, "lon", NX, longitudes, "degrees_east"));
  check(pileus_dimension(run, "lat", NY, latitudes, "degrees_north"));
}

static void register_fields(int* fields) {
  const char* const plane[] = {"x", "y", "z"};
  const char* const globe[] = {"lon", "lat"};
  const char* const names[] = {"t", "w", "u", "v", "ug", "vg"};
  if (cuts == 0) {
    const char* const cells[] = {"cells", "z"};
    const char* const places[] = {"places"};
    const int64_t size[] = {count[0], NZ};
    check(pileus_points(run, "cells", 2, plane, 1, size, points, 0));
    check(pileus_points(run, "places", 2, globe, 1, size, points, 0));
    for (int f = 0; f < PROFILE; ++f)
      check(pileus_field(run, names[f], f == T ? PILEUS_FLOAT : PILEUS_DOUBLE, f <= W ? 2 : 1,
                         f >= UG ? places : cells, NULL, size, &fields[f]));
  } else {
    for (int f = 0; f < PROFILE; ++f)
      check(pileus_field(run, names[f], f == T ? PILEUS_FLOAT : PILEUS_DOUBLE, f <= W ? 3 : 2,
                         f >= UG ? globe : plane, f <= W ? start : plane_start, f <= W ? count : plane_count,
                         &fields[f]));
  }
  const int64_t all = NZ;
  check(pileus_field(run, "profile", PILEUS_DOUBLE, 1, plane + 2, NULL, &all, &fields[PROFILE]));
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
  if (argc < 3) return 2;
  cuts = atoi(argv[2]);
  const int kept = argc > 3 ? atoi(argv[3]) : -1;
  const int dies = argc > 4 && strcmp(argv[4], "die") == 0, goes_on = argc > 4 && !dies;
  int provided, fields[FIELDS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm model = MPI_COMM_NULL;
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  deal();
  register_dimensions();
  register_fields(fields);
  if (goes_on) check(pileus_continue(run, kept));
  check(pileus_commit(run));
  for (int step = goes_on ? kept + 1 : 1; step <= STEPS; ++step) {
    check(pileus_begin(run, step, 2.0 * step, 2,
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
