/* A model whose ranks hand over profiles of 60 levels that they have summed up themselves, as many as are
   asked for, and compute nothing else: diagnostics.py runs it.

     profiles_model CONFIGURATION FIELDS STEPS */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 60, MOST_FIELDS = 1000 };

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  if (argc != 4 || atoi(argv[2]) > MOST_FIELDS) return 2;
  const int fields = atoi(argv[2]), steps = atoi(argv[3]);
  static int numbers[MOST_FIELDS];
  const char* const dimensions[] = {"z"};
  const int64_t start[] = {0}, count[] = {LEVELS};
  MPI_Comm model = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  check(pileus_dimension(run, "z", LEVELS, NULL, NULL));
  for (int f = 0; f < fields; ++f) {
    char name[20];
    snprintf(name, sizeof name, "sum_%d", f);
    check(pileus_field(run, name, PILEUS_DOUBLE, 1, dimensions, start, count, &numbers[f]));
  }
  check(pileus_commit(run));

  double profile[LEVELS];
  for (int step = 1; step <= steps; ++step) {
    check(pileus_begin(run, step, step, 1, step == steps ? PILEUS_FINAL : 0));
    for (int f = 0; f < fields; ++f) {
      for (int k = 0; k < LEVELS; ++k) profile[k] = 290 + k + (step * 7 + f) % 13 / 13.0;
      check(pileus_put(run, numbers[f], profile, NULL));
    }
    check(pileus_end(run));
  }
  check(pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
}
