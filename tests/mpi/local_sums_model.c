/* A model that hands a field over twice: raw, and as exact sums of each level that it has made itself.
 * Usage: local_sums_model CONFIGURATION DIRECTORY. */
#include <math.h>
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 7, COLUMNS = 61, STEPS = 8, PARTS = 5 };

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Of many magnitudes and both signs, so that the order of a plain sum shows. */
static double value(int step, int level, int column) {
  const unsigned mixed = (unsigned)(step * 7919 + level * 104729 + column * 1299709) * 2654435761u;
  return ((double)mixed / 4294967296.0 - 0.5) * pow(10.0, (double)(mixed % 17) - 8);
}

int main(int argc, char** argv) {
  int threads, rank, size, raw, sum, total;
  MPI_Comm model = MPI_COMM_NULL;
  int32_t model_communicator = 0;
  if (argc != 3) return 2;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  pileus_settings settings = PILEUS_SETTINGS_INIT;
  settings.configuration = argv[1];
  settings.directory = argv[2];
  settings.has_communicator = 1;
  settings.communicator = (int32_t)MPI_Comm_c2f(MPI_COMM_WORLD);
  check(pileus_start(&settings, &run, &model_communicator, NULL));
  model = MPI_Comm_f2c((MPI_Fint)model_communicator);
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &size);

  const int first = COLUMNS * rank / size, end = COLUMNS * (rank + 1) / size;
  check(pileus_dimension(run, "z", LEVELS, NULL, NULL));
  check(pileus_dimension(run, "x", COLUMNS, NULL, NULL));
  check(pileus_dimension(run, "part", PARTS, NULL, NULL));
  const char* of_raw[] = {"z", "x"};
  const char* of_sum[] = {"part", "z"};
  const int64_t start[] = {0, first}, count[] = {LEVELS, end - first}, sum_count[] = {PARTS, LEVELS};
  const int64_t parts[] = {PARTS};
  check(pileus_field(run, "w", PILEUS_DOUBLE, 2, of_raw, start, count, &raw));
  check(pileus_field(run, "w_sum", PILEUS_DOUBLE, 2, of_sum, NULL, sum_count, &sum));
  check(pileus_field(run, "w_total", PILEUS_DOUBLE, 1, of_sum, NULL, parts, &total));
  check(pileus_commit(run));

  double w[COLUMNS][LEVELS], sums[LEVELS][PARTS], sum_of_all[PARTS];
  for (int step = 1; step <= STEPS; ++step) {
    for (int x = first; x < end; ++x)
      for (int z = 0; z < LEVELS; ++z) w[x - first][z] = value(step, z, x);
    const int is_kept[] = {1, 0};
    check(pileus_local_sum(run, PILEUS_DOUBLE, 2, count, w, NULL, is_kept, PARTS, &sums[0][0]));
    check(pileus_local_sum(run, PILEUS_DOUBLE, 2, count, w, NULL, NULL, PARTS, sum_of_all));
    check(pileus_begin(run, step, step, 1, step == STEPS ? PILEUS_FINAL : 0));
    check(pileus_put(run, raw, w, NULL));
    check(pileus_put(run, sum, sums, NULL));
    check(pileus_put(run, total, sum_of_all, NULL));
    check(pileus_end(run));
  }
  check(pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
  return 0;
}
