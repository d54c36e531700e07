/* A model of one rank that hands over one field on points, and gathers it beside that by hand into buffers of
   its own: gather.py runs it with a server. Prints a line for each step: seconds in put and end, and by hand.

     points_model CONFIGURATION POINTS LEVELS WAY STEPS
   WAY: blocks, of 32 points in order; random, cells dealt at random, level by level; columns, the same column
   by column. */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gather_by_hand.h"

enum { COPIES = 2 }; /* targets: as many buffers as a server that keeps up leaves in use */

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void* filled(size_t bytes) {
  void* const memory = malloc(bytes);
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(memory, 0, bytes);
  return memory;
}

/* The cell of each point: 0, 1, ... in order, or dealt at random. */
static int32_t* cells_of(size_t points, int are_dealt) {
  int32_t* const cells = filled(points * sizeof *cells);
  for (size_t i = 0; i < points; ++i) cells[i] = (int32_t)i;
  uint64_t random = 88172645463325252;
  for (size_t i = points - 1; are_dealt && i > 0; --i) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    const size_t other = random % (i + 1);
    const int32_t kept = cells[i];
    cells[i] = cells[other], cells[other] = kept;
  }
  return cells;
}

/* Registers the points and the field on them. Returns its number. */
static int registered(int has_blocks, int has_columns, size_t points, size_t levels, const int32_t* cells) {
  const size_t blocks = (points + BLOCK - 1) / BLOCK, elements = has_blocks ? blocks * BLOCK : points;
  int64_t* const indices = filled(elements * sizeof *indices);
  for (size_t i = 0; i < elements; ++i) indices[i] = -1;
  for (size_t i = 0; i < points; ++i) indices[cells[i]] = (int64_t)i;
  const int64_t extents[] = {has_blocks ? BLOCK : (int64_t)points, (int64_t)blocks};
  const char* const over[] = {"cell"};
  check(pileus_dimension(run, "cell", (int64_t)points, NULL, NULL));
  check(pileus_dimension(run, "level", (int64_t)levels, NULL, NULL));
  check(pileus_points(run, "cells", 1, over, has_blocks ? 2 : 1, extents, indices, 0));
  free(indices);
  const char* const names[] = {has_columns ? "level" : "cells", has_columns ? "cells" : "level", "cells"};
  const int64_t count[] = {has_columns ? (int64_t)levels : extents[0],
                           has_columns ? extents[0] : (int64_t)levels, extents[1]};
  int field = -1;
  check(pileus_field(run, "field", PILEUS_DOUBLE, has_blocks ? 3 : 2, names, NULL, count, &field));
  return field;
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const size_t points = (size_t)atoll(argv[2]), levels = (size_t)atoll(argv[3]);
  const int has_blocks = strcmp(argv[4], "blocks") == 0, has_columns = strcmp(argv[4], "columns") == 0;
  const int steps = atoi(argv[5]);
  MPI_Comm model = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  const int32_t* const cells = cells_of(points, !has_blocks);
  const int field = registered(has_blocks, has_columns, points, levels, cells);

  const size_t bytes = points * levels * sizeof(double);
  double* const values = filled(bytes + BLOCK * levels * sizeof(double));
  double* copies[COPIES];
  for (int i = 0; i < COPIES; ++i) copies[i] = filled(bytes);
  for (size_t i = 0; i < points * levels; ++i) values[i] = 290 + (double)(i % 1000) / 97;
  check(pileus_commit(run));
  const double pause = 0.5e-3 + (double)bytes * 6e-9; /* long enough for the server to take the field */
  for (int step = 1; step <= steps; ++step) {
    double* const copy = copies[step % COPIES];
    const double begin = MPI_Wtime();
    if (has_blocks) by_hand_blocks_by_block(values, points, levels, copy);
    if (has_columns) by_hand_columns(values, cells, points, levels, copy);
    if (!has_blocks && !has_columns) by_hand_elements(values, cells, points, levels, points, copy);
    const double by_hand = MPI_Wtime();
    check(pileus_begin(run, step, step, 1, step == steps ? PILEUS_FINAL : 0));
    values[(size_t)step % points] += 1;
    const double begun = MPI_Wtime();
    check(pileus_put(run, field, values, NULL));
    check(pileus_end(run));
    const double ended = MPI_Wtime();
    while (MPI_Wtime() - ended < pause) check(pileus_progress(run));
    printf("%.9f %.9f\n", ended - begun, by_hand - begin);
  }
  check(pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
}
