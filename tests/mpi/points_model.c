/* Hands over fields on points that are dealt to the ranks by a seed, in blocks of four with holes, or the
   same fields in boxes; tests/test_points.py compares the files.
     points_model CONFIGURATION SEED [STEP]         (0: boxes) the state after STEP is kept
     points_model CONFIGURATION SEED STEP die       once it is kept, rank 0 dies
     points_model CONFIGURATION SEED STEP continue  goes on after it */
#include <mpi.h>
#include <pileus/pileus_mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NX = 23, NY = 19, NZ = 4, STEPS = 12, ROW = 4 };

static pileus_run* run = NULL;
static int rank, ranks;
static int64_t indices[NX * NY + ROW]; /* of the elements of this rank; -1: none */
static int elements = 0;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static uint64_t mixed(uint64_t number) {
  number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
  return number ^ (number >> 31);
}

static double value(int64_t point, int z, int step, int field) {
  const uint64_t random = mixed((uint64_t)(((point * 8 + z) * 64 + step) * 8 + field) + 1);
  return ((double)(random >> 11) - 4e15) * (field == 0 ? 1e-9 : 1e3);
}

/* Backwards on odd ranks, with holes, in whole rows. */
static void deal(uint64_t seed) {
  for (int i = 0; i < NX * NY; ++i) {
    const int64_t point = rank % 2 == 0 ? i : NX * NY - 1 - i;
    if (mixed(seed * 1000 + (uint64_t)(point / (1 + (int)(seed % 5)))) % (uint64_t)ranks == (uint64_t)rank)
      indices[elements++] = point;
  }
  while (elements % ROW != 0) indices[elements++] = -1;
}

static void box(void) {
  for (int i = NY * rank / ranks * NX; i < NY * (rank + 1) / ranks * NX; ++i) indices[elements++] = i;
}

/* Of blocks the levels lie between the points of a row and the rows; of boxes behind all points. */
static void put(int field, int number, int levels, int step, int row) {
  double* const values = malloc(sizeof(double) * (size_t)(elements * levels + 1));
  if (!values) MPI_Abort(MPI_COMM_WORLD, 1);
  double* next = values;
  for (int first = 0; first < elements; first += row)
    for (int z = 0; z < levels; ++z)
      for (int i = first; i < first + row; ++i)
        *next++ = indices[i] < 0 ? 1e30 : value(indices[i], z, step, field);
  check(pileus_put(run, number, values, NULL));
  free(values);
}

/* An attached server works in the calls. */
static void wait_for_checkpoint(int step) {
  const struct timespec pause = {0, 10000000};
  char path[64];
  snprintf(path, sizeof path, "pileus-checkpoints/step-%010d", step);
  for (int i = 0; i < 6000 && access(path, F_OK) != 0; ++i) {
    nanosleep(&pause, NULL);
    check(pileus_progress(run));
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const uint64_t seed = strtoull(argv[2], NULL, 10);
  const int kept = argc > 3 ? atoi(argv[3]) : -1;
  const int dies = argc > 4 && strcmp(argv[4], "die") == 0, goes_on = argc > 4 && !dies;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm model = MPI_COMM_NULL;
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  seed > 0 ? deal(seed) : box();

  const char* const names[] = {"x", "y", "z"};
  const int64_t size[] = {NX, NY, NZ};
  for (int d = 0; d < 3; ++d) check(pileus_dimension(run, names[d], size[d], NULL, NULL));
  int t, area, p;
  if (seed > 0) {
    const int64_t local[] = {ROW, elements / ROW}, with_levels[] = {ROW, NZ, elements / ROW};
    const char* const levels_between[] = {"cells", "z", "cells"};
    const char* const flat[] = {"cells", "cells"};
    check(pileus_points(run, "cells", 2, names, 2, local, indices, 0));
    check(pileus_field(run, "t", PILEUS_DOUBLE, 3, levels_between, NULL, with_levels, &t));
    check(pileus_field(run, "p", PILEUS_DOUBLE, 2, flat, NULL, local, &p));
    check(pileus_field(run, "area", PILEUS_DOUBLE, 2, flat, NULL, local, &area));
  } else {
    const int64_t start[] = {0, NY * rank / ranks, 0}, count[] = {NX, elements / NX, NZ};
    check(pileus_field(run, "t", PILEUS_DOUBLE, 3, names, start, count, &t));
    check(pileus_field(run, "p", PILEUS_DOUBLE, 2, names, start, count, &p));
    check(pileus_field(run, "area", PILEUS_DOUBLE, 2, names, start, count, &area));
  }
  check(pileus_static(run, area));
  if (goes_on) check(pileus_continue(run, kept));
  check(pileus_commit(run));

  const int row = seed > 0 ? ROW : elements > 0 ? elements : 1;
  for (int step = goes_on ? kept + 1 : 1; step <= STEPS; ++step) {
    check(pileus_begin(run, step, 2.0 * step, 2,
                       (step == STEPS ? PILEUS_FINAL : 0) | (step == kept ? PILEUS_CHECKPOINT : 0)));
    if (pileus_wanted(run, t)) put(0, t, NZ, step, row);
    if (pileus_wanted(run, p)) put(1, p, 1, step, row);
    if (pileus_wanted(run, area)) put(2, area, 1, 0, row);
    check(pileus_end(run));
    if (!dies || step < kept) continue;
    wait_for_checkpoint(kept);
    if (rank == 0) kill(getpid(), SIGKILL);
  }
  check(pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
}
