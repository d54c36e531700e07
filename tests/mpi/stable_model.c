/* Hands over arrays that it leaves alone until its next step has begun, and spoils them then.
   tests/test_stable.py compares the files with those of arrays that are copied.
     stable_model CONFIGURATION HOW STEPS WORK_US
   HOW: copied (by pileus_put), given (of pileus_allocate), own (of malloc), mixed (by turns).
   WORK_US: so long the model computes after a step. */
#include <mpi.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 64, NY = 48, NZ = 6, FIELDS = 4 };

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A number that looks random, the same on any decomposition. */
static double value_at(int field, int step, int x, int y, int z) {
  uint64_t word = (uint64_t)(field * 1009 + step);
  word = ((word * 1013 + (uint64_t)x) * 1019 + (uint64_t)y) * 1021 + (uint64_t)z;
  word = (word ^ (word >> 31)) * 0x9E3779B97F4A7C15u;
  word = (word ^ (word >> 29)) * 0xBF58476D1CE4E5B9u;
  return ((double)(word >> 12) / 4503599627370496.0 - 0.5) * (1 + (double)(word % 1000));
}

static void compute(void* array, int field, int step, int first, int rows) {
  size_t i = 0;
  for (int z = 0; z < NZ; ++z)
    for (int y = first; y < first + rows; ++y)
      for (int x = 0; x < NX; ++x, ++i) {
        const double value = value_at(field, step, x, y, z);
        if (field == 1)
          ((float*)array)[i] = (float)value;
        else
          ((double*)array)[i] = value;
      }
}

static void work(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) continue;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const char* const how = argv[2];
  const int steps = atoi(argv[3]);
  const double work_s = 1e-6 * atoi(argv[4]);
  int provided, rank, ranks, fields[FIELDS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm model = MPI_COMM_NULL;
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  const int first = NY * rank / ranks, rows = NY * (rank + 1) / ranks - first;
  const size_t bytes = sizeof(double) * NX * NZ * (size_t)rows;

  const char* const names[] = {"x", "y", "z"};
  const int64_t start[] = {0, first, 0}, count[] = {NX, rows, NZ}, size[] = {NX, NY, NZ};
  void* arrays[FIELDS];
  for (int d = 0; d < 3; ++d) check(pileus_dimension(run, names[d], size[d], NULL, NULL));
  for (int i = 0; i < FIELDS; ++i) {
    char name[16];
    snprintf(name, sizeof name, "f%d", i);
    check(pileus_field(run, name, i == 1 ? PILEUS_FLOAT : PILEUS_DOUBLE, 3, names, start, count, &fields[i]));
    if (strcmp(how, "given") == 0 || (strcmp(how, "mixed") == 0 && i % 2 == 0))
      check(pileus_allocate(run, bytes, &arrays[i]));
    else if (!(arrays[i] = malloc(bytes)))
      MPI_Abort(MPI_COMM_WORLD, 1);
  }
  check(pileus_commit(run));

  for (int step = 1; step <= steps; ++step) {
    check(pileus_begin(run, step, step, 1,
                       (step == steps ? PILEUS_FINAL : 0) | (step == 7 ? PILEUS_CHECKPOINT : 0)));
    for (int i = 0; i < FIELDS; ++i) memset(arrays[i], 0x7F, bytes);
    for (int i = 0; i < FIELDS; ++i) {
      if (!pileus_wanted(run, fields[i])) continue;
      compute(arrays[i], i, step, first, rows);
      check(strcmp(how, "copied") == 0 ? pileus_put(run, fields[i], arrays[i], NULL)
                                       : pileus_put_stable(run, fields[i], arrays[i], NULL));
    }
    check(pileus_end(run));
    work(work_s);
  }
  check(pileus_finish(run));
  pileus_free(run);
  for (int i = 0; i < FIELDS; ++i) {
    memset(arrays[i], 0, bytes); /* which outlives the run */
    if (strcmp(how, "given") == 0 || (strcmp(how, "mixed") == 0 && i % 2 == 0)) {
      if (pileus_deallocate(arrays[i]) != PILEUS_OK) MPI_Abort(MPI_COMM_WORLD, 1);
    } else {
      free(arrays[i]);
    }
  }
  MPI_Finalize();
}
