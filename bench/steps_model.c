/* A model of one rank that hands over many small fields: handover.py runs it with a server. Prints a line for
   each step: seconds from before pileus_begin to behind pileus_end. Before every `EVERY`th step the model
   computes for PAUSE_US; the others follow at once.

     steps_model CONFIGURATION FIELDS STEPS PAUSE_US EVERY */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 8, MOST_FIELDS = 1000 };

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const int fields = atoi(argv[2]), steps = atoi(argv[3]), every = atoi(argv[5]);
  const double pause_s = 1e-6 * atoi(argv[4]);
  if (fields > MOST_FIELDS) return 2;
  MPI_Comm model = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));

  const char* const dimension = "x";
  const int64_t start = 0, count = SIZE;
  int numbers[MOST_FIELDS];
  double values[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};
  check(pileus_dimension(run, dimension, SIZE, NULL, NULL));
  for (int i = 0; i < fields; ++i) {
    char name[16];
    snprintf(name, sizeof name, "f%d", i);
    check(pileus_field(run, name, PILEUS_DOUBLE, 1, &dimension, &start, &count, &numbers[i]));
  }
  check(pileus_commit(run));

  for (int step = 1; step <= steps; ++step) {
    for (const double now = MPI_Wtime(); step % every == 0 && MPI_Wtime() - now < pause_s;) continue;
    values[0] = step;
    const double begin = MPI_Wtime();
    check(pileus_begin(run, step, step, 1, step == steps ? PILEUS_FINAL : 0));
    for (int i = 0; i < fields; ++i) check(pileus_put(run, numbers[i], values, NULL));
    check(pileus_end(run));
    printf("%.9f\n", MPI_Wtime() - begin);
  }
  check(pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
}
