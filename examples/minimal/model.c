/* The smallest complete model in C: a warm wave over a domain of 48 x 32 points, in strips of y. Alone:
 * ./minimal_c run.xml. With a server: mpirun -n 4 ./minimal_c : -n 1 pileus-server run.xml. */
#include <math.h>
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 48, NY = 32, STEPS = 60 };

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  /* Every rank is told what is wrong with the run, and all leave; another mistake may be this rank's own. */
  if (status != PILEUS_ERROR_CONFIG && status != PILEUS_ERROR_OUTPUT) MPI_Abort(MPI_COMM_WORLD, 1);
  pileus_free(run);
  MPI_Finalize();
  exit(1);
}

int main(int argc, char** argv) {
  MPI_Comm model = MPI_COMM_NULL;
  int rank, size, temperature, threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  /* docs: calls */
  check(pileus_start_mpi(MPI_COMM_WORLD, argc > 1 ? argv[1] : NULL, &run, &model));
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &size);

  const int first = NY * rank / size, last = NY * (rank + 1) / size; /* rows of this rank: [first, last) */
  check(pileus_dimension(run, "x", NX, NULL, NULL));
  check(pileus_dimension(run, "y", NY, NULL, NULL));
  const char* dimensions[] = {"x", "y"};
  const int64_t start[] = {0, first}, count[] = {NX, last - first};
  check(pileus_field(run, "temperature", PILEUS_DOUBLE, 2, dimensions, start, count, &temperature));
  check(pileus_commit(run));

  double time = 0, t[NY][NX];
  for (int step = 1; step <= STEPS; ++step) {
    const double length = 2 + sin(step); /* 1 to 3 s */
    time += length;
    for (int y = first; y < last; ++y)
      for (int x = 0; x < NX; ++x) t[y][x] = 290 + 5 * sin(0.1 * x + 0.2 * y - 0.05 * time);
    check(pileus_begin(run, step, time, length, step == STEPS ? PILEUS_FINAL : 0));
    check(pileus_put(run, temperature, &t[first][0], NULL));
    check(pileus_end(run));
  }
  check(pileus_finish(run));
  /* docs: end */
  pileus_free(run);
  MPI_Finalize();
}
