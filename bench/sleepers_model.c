/* A model whose ranks sleep instead of computing, so that many of them fit on few cores: servers.py runs it.
   Each rank hands over four fields of SIDE x SIDE columns of LEVELS in each step, before which it sleeps for
   PAUSE_MS. Rank 0 prints the seconds of the steps, and the mean over ranks of those in Pileus, without the
   end of the run.

   With "y" behind them ranks lie one behind the other in y, so that what one holds is in short stretches.

     sleepers_model CONFIGURATION SIDE LEVELS STEPS PAUSE_MS [y] */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FIELDS = 4 };

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "sleepers_model: %s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void sleep_ms(int ms) {
  const struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&pause, NULL);
}

int main(int argc, char** argv) {
  if (argc != 6 && argc != 7) return 2;
  const int is_along_y = argc == 7;
  const int64_t side = atoi(argv[2]), levels = atoi(argv[3]);
  const int steps = atoi(argv[4]), pause_ms = atoi(argv[5]);
  if (side < 1 || levels < 1 || steps < 1 || pause_ms < 0) return 2;
  MPI_Comm model = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  int rank, ranks;
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);

  const char* const dimensions[] = {"z", "y", "x"};
  const int64_t sizes[] = {levels, is_along_y ? side * ranks : side, is_along_y ? side : side * ranks};
  const int64_t start[] = {0, is_along_y ? side * rank : 0, is_along_y ? 0 : side * rank};
  const int64_t count[] = {levels, side, side};
  for (int d = 0; d < 3; ++d) check(pileus_dimension(run, dimensions[d], sizes[d], NULL, NULL));
  const size_t cells = (size_t)(levels * side * side);
  double* const values = malloc(cells * sizeof(double));
  if (values == NULL) return 1;
  for (size_t i = 0; i < cells; ++i) values[i] = 290 + (double)(i * 7 % 1013) / 97 + rank;
  int numbers[FIELDS];
  for (int f = 0; f < FIELDS; ++f) {
    char name[16];
    snprintf(name, sizeof name, "f%d", f);
    check(pileus_field(run, name, PILEUS_DOUBLE, 3, dimensions, start, count, &numbers[f]));
  }
  check(pileus_commit(run));

  MPI_Barrier(model);
  const double began = MPI_Wtime();
  double inside = 0;
  for (int step = 1; step <= steps; ++step) {
    sleep_ms(pause_ms);
    const double before = MPI_Wtime();
    check(pileus_begin(run, step, step, 1, step == steps ? PILEUS_FINAL : 0));
    for (int f = 0; f < FIELDS; ++f) check(pileus_put(run, numbers[f], values, NULL));
    check(pileus_end(run));
    inside += MPI_Wtime() - before;
  }
  const double lasted = MPI_Wtime() - began;
  double all_inside = 0, longest = 0;
  MPI_Reduce(&inside, &all_inside, 1, MPI_DOUBLE, MPI_SUM, 0, model);
  MPI_Reduce(&lasted, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, model);
  check(pileus_finish(run));
  pileus_free(run);
  free(values);
  if (rank == 0) printf("steps %.9f s, inside %.9f s\n", longest, all_inside / ranks);
  MPI_Finalize();
}
