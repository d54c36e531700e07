/* Hands over fields on a grid of any size that ranks cut in x, y or z, unevenly, or in points that are dealt
   to them in turn, for tests/test_spectra.py and tests/test_time_spectra.py, which have the numbers from
   files.
     spectra_model CONFIGURATION NX NY NZ CUTS          CUTS: so many ranks in x; 0: points; -1: cut in z
     spectra_model CONFIGURATION NX NY NZ CUTS STEP die       the state after STEP is kept, then rank 0 dies
     spectra_model CONFIGURATION NX NY NZ CUTS STEP continue  goes on after it
   Behind these, or behind "0 whole", may stand the number of steps, that of one that takes 3 s, not 2, and
   N: u is then handed over in steps 3, 3 + N, ..., map in 1, 1 + N, ..., and line in step 2 alone. */
#include <mpi.h>
#include <pileus/pileus_mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1024 };
enum { T, U, W, MAP, LINE, FIELDS }; /* the first three have levels; the line is along x */

static pileus_run* run = NULL;
static int rank, ranks, cuts, steps = 4, seldom = 0;
static int64_t size[3], start[3], count[3], map_start[2], map_count[2], line_start, line_count;
static int64_t* points;

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

/* Of t the level 0 is whole, and of others some lines lack an element. */
static double value(int field, int64_t x, int64_t y, int64_t z, int step) {
  const int64_t point = y * size[0] + x;
  const double random = random_number(((point * 64 + z) * 64 + step) * 8 + field);
  if (field == T && z > 0 && random * (double)size[0] < 0.4) return -999.9f;
  if (field == T) return (float)(280 + 20 * random);
  return 20 * random - 3 + 0.25 * (double)x - 0.5 * (double)y + (double)field;
}

/* Parts are of different sizes, some of one element or none. */
static void cut(int64_t whole, int part, int parts, int64_t* first, int64_t* number) {
  const int is_uneven = whole >= 2 * parts;
  *first = part == 0 ? 0 : whole * part / parts + (is_uneven ? part % 2 : 0);
  *number =
      (part + 1 == parts ? whole : whole * (part + 1) / parts + (is_uneven ? (part + 1) % 2 : 0)) - *first;
}

static void deal(void) {
  for (int d = 0; d < 3; ++d) count[d] = size[d];
  cut(size[0], rank, ranks, &line_start, &line_count);
  if (cuts > 0) {
    cut(size[0], rank % cuts, cuts, &start[0], &count[0]);
    cut(size[1], rank / cuts, ranks / cuts, &start[1], &count[1]);
  } else if (cuts < 0) {
    cut(size[2], rank, ranks, &start[2], &count[2]);
  } else {
    points = malloc((size_t)(size[0] * size[1]) * sizeof *points);
    count[0] = 0;
    for (int64_t i = rank; i < size[0] * size[1]; i += ranks) points[count[0]++] = i;
    count[1] = 1;
  }
  memcpy(map_start, start, sizeof map_start);
  memcpy(map_count, count, sizeof map_count);
  if (cuts < 0) cut(size[1], rank, ranks, &map_start[1], &map_count[1]);
}

static int is_left_out(int field, int step) {
  if (seldom == 0) return 0;
  if (field == U) return step < 3 || (step - 3) % seldom != 0;
  if (field == MAP) return (step - 1) % seldom != 0;
  return field == LINE && step != 2;
}

static void put(int field, int id, int step) {
  if (is_left_out(field, step) || !pileus_wanted(run, id)) return;
  const int64_t most = size[0] * size[1] * size[2];
  double* doubles = malloc((size_t)most * sizeof *doubles);
  float* floats = malloc((size_t)most * sizeof *floats);
  const int is_line = field == LINE, has_levels = field < MAP;
  const int64_t columns = is_line ? line_count : has_levels ? count[0] : map_count[0];
  const int64_t rows = is_line ? 1 : has_levels ? count[1] : map_count[1];
  int64_t at = 0;
  for (int64_t z = 0; z < (has_levels ? count[2] : 1); ++z) {
    for (int64_t j = 0; j < rows; ++j) {
      for (int64_t i = 0; i < columns; ++i, ++at) {
        const int is_point = cuts == 0 && !is_line;
        const int64_t x = is_point ? points[i] % size[0] : is_line ? line_start + i : map_start[0] + i;
        const int64_t y = is_point  ? points[i] / size[0]
                          : is_line ? 0
                                    : j + (has_levels ? start[1] : map_start[1]);
        doubles[at] = value(field, x, y, has_levels ? start[2] + z : 0, step);
        floats[at] = (float)doubles[at];
      }
    }
  }
  check(pileus_put(run, id, field == T ? (const void*)floats : doubles, NULL));
  free(doubles);
  free(floats);
}

static void register_all(int* fields) {
  const char* const names[] = {"t", "u", "w", "map", "line"};
  const char* const dimensions[] = {"x", "y", "z"};
  double places[3][MOST];
  for (int64_t i = 0; i < MOST; ++i) {
    places[0][i] = 50 * (double)i;
    places[1][i] = -75 * (double)i;
    places[2][i] = 10 * (double)(i * i);
  }
  for (int d = 0; d < 3; ++d) check(pileus_dimension(run, dimensions[d], size[d], places[d], "m"));
  const char* const cells[] = {"cells", "z"};
  const int64_t own[] = {count[0], size[2]};
  if (cuts == 0) check(pileus_points(run, "cells", 2, dimensions, 1, own, points, 0));
  for (int f = 0; f < LINE; ++f) {
    const int rank_of_field = f < MAP ? 3 : 2;
    const pileus_type type = f == T ? PILEUS_FLOAT : PILEUS_DOUBLE;
    if (cuts == 0)
      check(pileus_field(run, names[f], type, rank_of_field - 1, cells, NULL, own, &fields[f]));
    else
      check(pileus_field(run, names[f], type, rank_of_field, dimensions, f < MAP ? start : map_start,
                         f < MAP ? count : map_count, &fields[f]));
  }
  check(pileus_field(run, "line", PILEUS_DOUBLE, 1, dimensions, &line_start, &line_count, &fields[LINE]));
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
  if (argc < 6) return 2;
  for (int d = 0; d < 3; ++d) size[d] = atoi(argv[2 + d]);
  cuts = atoi(argv[5]);
  const int kept = argc > 6 && atoi(argv[6]) > 0 ? atoi(argv[6]) : -1;
  const int dies = argc > 7 && strcmp(argv[7], "die") == 0;
  const int goes_on = argc > 7 && strcmp(argv[7], "continue") == 0;
  if (argc > 8) steps = atoi(argv[8]);
  const int late = argc > 9 ? atoi(argv[9]) : steps + 1;
  if (argc > 10) seldom = atoi(argv[10]);
  int provided, fields[FIELDS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm model = MPI_COMM_NULL;
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  deal();
  register_all(fields);
  if (goes_on) check(pileus_continue(run, kept));
  check(pileus_commit(run));
  for (int step = goes_on ? kept + 1 : 1; step <= steps; ++step) {
    check(pileus_begin(run, step, 2.0 * step + (step >= late ? 1 : 0), step == late ? 3 : 2,
                       (step == steps ? PILEUS_FINAL : 0) | (step == kept ? PILEUS_CHECKPOINT : 0)));
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
