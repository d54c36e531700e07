/* Hands over 12 fields of a step from several threads of OpenMP, every third one in parts. The values are
   those of threads_model.cpp and threads.f90; tests/test_threads.py compares the files with those of one
   thread.
     threads_model CONFIGURATION THREADS       (0: one thread, without PILEUS_THREADS) */
#include <mpi.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELDS = 12, NX = 40, NY = 30, NZ = 5, STEPS = 24 };

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Rows [first, first + rows) of one field. */
static void fill(double* values, int field, int step, int first, int rows) {
  for (int z = 1; z <= NZ; ++z)
    for (int y = first + 1; y <= first + rows; ++y)
      for (int x = 1; x <= NX; ++x) *values++ = 1000 * field + 100 * z + y + 0.015625 * x + 0.25 * step;
}

static void put(int field, int number, int step, int first, int rows) {
  double* const values = malloc(sizeof(double) * NX * NZ * (size_t)(rows + 1));
  if (!values) MPI_Abort(MPI_COMM_WORLD, 1);
  fill(values, field, step, first, rows);
  if (field % 3 != 0) check(pileus_put(run, number, values, NULL));
  for (int z = 0; z < NZ && field % 3 == 0; ++z)
    check(pileus_put_part(run, number, z, values + (size_t)(z * rows * NX), NULL));
  free(values);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int threads = atoi(argv[2]);
  int provided, rank, ranks, fields[FIELDS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm model = MPI_COMM_NULL;
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  const int first = NY * rank / ranks, rows = NY * (rank + 1) / ranks - first;

  const char* const names[] = {"x", "y", "z"};
  const int64_t start[] = {0, first, 0}, count[] = {NX, rows, NZ}, size[] = {NX, NY, NZ};
  for (int d = 0; d < 3; ++d) check(pileus_dimension(run, names[d], size[d], NULL, NULL));
  for (int i = 0; i < FIELDS; ++i) {
    char name[16];
    snprintf(name, sizeof name, "f%d", i);
    check(pileus_field(run, name, PILEUS_DOUBLE, 3, names, start, count, &fields[i]));
  }
  check(pileus_commit(run));

  for (int step = 1; step <= STEPS; ++step) {
    const int flags = (step == STEPS ? PILEUS_FINAL : 0) | (threads > 0 ? PILEUS_THREADS : 0);
    check(pileus_begin(run, step, step, 1, flags));
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads > 0 ? threads : 1)
    for (int i = 0; i < FIELDS; ++i)
      if (pileus_wanted(run, fields[i])) put(i, fields[i], step, first, rows);
    check(pileus_end(run));
    if (pileus_absent(run)[0] != '\0') MPI_Abort(MPI_COMM_WORLD, 1);
  }
  check(pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
}
