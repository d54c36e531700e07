/* A model on longitudes, latitudes and pressures in hPa, in steps of a day. tests/test_cmip_coordinates.py
   knows what it hands over: sst has no value (-999) in its first columns, and orog never changes.
     cmip_model CONFIGURATION STEPS   */
#include <mpi.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 12, NY = 6, NP = 3, DAY_S = 86400 };
enum { TAS, SST, TA, OROG, FIELDS };

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double number(int field, int x, int y, int p, int step) {
  switch (field) {
    case TAS: return 280 + x - 0.5 * y + 0.25 * step;
    case SST: return x < 3 ? -999 : 285 + 0.5 * x + 0.125 * step;
    case TA: return 250 + x + y - 10 * p + 0.5 * step;
    default: return 100 * x + y;
  }
}

static void register_dimensions(void) {
  double x[NX], y[NY];
  const double pressures[NP] = {850, 500, 250};
  for (int i = 0; i < NX; ++i) x[i] = 30 * i;
  for (int i = 0; i < NY; ++i) y[i] = -75 + 30 * i;
  check(pileus_calendar(run, "360_day", "2000-01-01"));
  check(pileus_dimension(run, "x", NX, x, "degrees_east"));
  check(pileus_dimension(run, "y", NY, y, "degrees_north"));
  check(pileus_dimension(run, "p", NP, pressures, "hPa"));
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int steps = atoi(argv[2]);
  int provided, rank, ranks, fields[FIELDS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm model = MPI_COMM_NULL;
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  const int first = NY * rank / ranks, rows = NY * (rank + 1) / ranks - first;
  const char* const dimensions[] = {"x", "y", "p"};
  const int64_t start[] = {0, first, 0}, count[] = {NX, rows, NP};
  const char* const names[FIELDS] = {"tas", "sst", "ta", "orog"};
  register_dimensions();
  for (int i = 0; i < FIELDS; ++i)
    check(pileus_field(run, names[i], PILEUS_DOUBLE, i == TA ? 3 : 2, dimensions, start, count, fields + i));
  check(pileus_static(run, fields[OROG]));
  check(pileus_commit(run));
  for (int step = 1; step <= steps; ++step) {
    check(pileus_begin(run, step, (double)step * DAY_S, DAY_S, step == steps ? PILEUS_FINAL : 0));
    for (int field = 0; field < FIELDS; ++field) {
      double numbers[NX * NY * NP];
      if (!pileus_wanted(run, fields[field])) continue;
      for (int p = 0, at = 0; p < (field == TA ? NP : 1); ++p)
        for (int y = first; y < first + rows; ++y)
          for (int x = 0; x < NX; ++x) numbers[at++] = number(field, x, y, p, step);
      check(pileus_put(run, fields[field], numbers, NULL));
    }
    check(pileus_end(run));
  }
  check(pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
}
