/* A model whose ranks hand over profiles of 60 levels that they have summed up themselves, as many as are
   asked for, and compute nothing else: diagnostics.py runs it. They sleep before each step where a pause is
   given, as good_and_bad.py does.

     profiles_model CONFIGURATION FIELDS STEPS [PAUSE_US] */
#define _POSIX_C_SOURCE 199309L
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEVELS = 60, MOST_FIELDS = 1000 };

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5 || atoi(argv[2]) > MOST_FIELDS) return 2;
  const int fields = atoi(argv[2]), steps = atoi(argv[3]);
  const long pause_us = argc == 5 ? atol(argv[4]) : 0;
  const struct timespec pause = {pause_us / 1000000, pause_us % 1000000 * 1000};
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
    if (pause_us > 0) nanosleep(&pause, NULL);
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
