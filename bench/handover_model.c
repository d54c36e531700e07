/* A model of one rank that hands over one field, and copies it beside that with memcpy: handover.py runs
   it with a server. Prints a line for each step: seconds in put and end, in a memcpy of the same bytes,
   in a row-wise memcpy from the same place, in the model's other MPI calls, which Open MPI uses to
   go on with what is under way, and in pileus_begin.

     handover_model CONFIGURATION BYTES HALO STEPS WHERE
   WHERE: copied, own or given: the array is copied by pileus_put, or put as stable, in memory of malloc or of
   pileus_allocate. */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 2 }; /* targets of the memcpy: as many buffers as a server that keeps up leaves in use */

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double* doubles(size_t count, int is_given) {
  void* memory = NULL;
  if (is_given)
    check(pileus_allocate(run, count * sizeof(double), &memory));
  else if (!(memory = malloc(count * sizeof(double))))
    MPI_Abort(MPI_COMM_WORLD, 1);
  double* const values = memory;
  for (size_t i = 0; i < count; ++i) values[i] = 290 + (double)(i % 1000) / 97;
  return values;
}

/* The model computes for so long, and now and then calls MPI. Returns the seconds in those calls. */
static double compute(double seconds, MPI_Comm model) {
  double in_mpi = 0;
  for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < seconds;) {
    for (const double part = MPI_Wtime(); MPI_Wtime() - part < 20e-6;) continue;
    int is_there = 0;
    const double before = MPI_Wtime();
    MPI_Iprobe(MPI_ANY_SOURCE, 0, model, &is_there, MPI_STATUS_IGNORE);
    in_mpi += MPI_Wtime() - before;
  }
  return in_mpi;
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const size_t bytes = (size_t)atoll(argv[2]), halo = (size_t)atoi(argv[3]);
  const int steps = atoi(argv[4]), is_given = strcmp(argv[5], "given") == 0;
  const int is_stable = strcmp(argv[5], "copied") != 0;
  MPI_Comm model = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));

  /* z, y, x: 64 levels, x about as long as y; a halo lies around y and x. */
  size_t ny = 1;
  while (64 * 4 * ny * ny * sizeof(double) <= bytes) ny *= 2;
  const size_t nx = bytes / sizeof(double) / 64 / ny, row = 64 * ny;
  const size_t wide_row = 64 * (ny + 2 * halo), wide = wide_row * (nx + 2 * halo);
  const int64_t start[] = {0, 0, 0}, count[] = {64, (int64_t)ny, (int64_t)nx};
  const int64_t strides[] = {8, 64 * 8, (int64_t)wide_row * 8};
  const char* const dimensions[] = {"z", "y", "x"};
  int field;
  for (int d = 0; d < 3; ++d) check(pileus_dimension(run, dimensions[d], count[d], NULL, NULL));
  check(pileus_field(run, "field", PILEUS_DOUBLE, 3, dimensions, start, count, &field));

  double *const values = doubles(wide, is_given), *const first = values + halo * wide_row + halo * 64;
  double *const dense = doubles(row * nx, 0), *copies[COPIES];
  for (int i = 0; i < COPIES; ++i) copies[i] = doubles(row * nx, 0);
  check(pileus_commit(run));
  const double pause = 0.5e-3 + (double)bytes * 1.5e-9; /* long enough for the server to take the field */
  for (int step = 1; step <= steps; ++step) {
    double* const copy = copies[step % COPIES];
    const double begin = MPI_Wtime();
    memcpy(copy, dense, bytes);
    const double copied = MPI_Wtime();
    for (size_t x = 0; x < nx; ++x) memcpy(copy + x * row, first + x * wide_row, row * sizeof(double));
    const double copied_rows = MPI_Wtime();
    check(pileus_begin(run, step, step, 1, step == steps ? PILEUS_FINAL : 0));
    const double begun = MPI_Wtime();
    values[(size_t)step % wide] += 1;
    check((is_stable ? pileus_put_stable : pileus_put)(run, field, first, halo ? strides : NULL));
    check(pileus_end(run));
    const double ended = MPI_Wtime();
    const double in_mpi = compute(pause, model);
    printf("%.9f %.9f %.9f %.9f %.9f\n", ended - begun, copied - begin, copied_rows - copied, in_mpi,
           begun - copied_rows);
  }
  check(pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
}
