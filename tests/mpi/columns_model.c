/* Hands over columns of t, p and height for tests/test_columns.py, which knows the numbers. Ranks hold rows,
   or points that are dealt to them in turn; or parts of the columns.
     columns_model CONFIGURATION rows|points|levels  the levels lie together
     columns_model CONFIGURATION surfaces            the points of a level lie together */
#include <mpi.h>
#include <pileus/pileus_mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 9, NY = 7, NZ = 12, STEPS = 4 };
enum { T, P, HEIGHT, PROFILE, OROGRAPHY, FIELDS };

static pileus_run* run = NULL;
static int rank, ranks;
static int64_t points[NX * NY];
static int count = 0, first_level = 0, levels = NZ, is_by_level = 0;
static int first_row = 0, rows = NY; /* of the orography, where parts of columns are dealt */

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* From 0 to 1, all its digits in a double. */
static double random_number(int64_t point, int z, int step, int field) {
  uint64_t number = (uint64_t)(((point * 32 + z) * 64 + step) * 8 + field) + 1;
  number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((number ^ (number >> 31)) >> 12) / 4503599627370496.0;
}

/* The pressure falls along each column, and height and profile rise. */
static double number(int field, int64_t point, int z, int step) {
  const double random = random_number(point, z, step, field);
  switch (field) {
    case T: return (float)(300 - 6 * z + 20 * random);
    case P: return 101325 - 8000 * z - 7000 * random;
    case HEIGHT: return 1000 * z + 900 * random;
    case PROFILE: return 1000 * z + 500;
    default: return 2000 * random;
  }
}

static void put(int field, int id, int step) {
  if (!pileus_wanted(run, id)) return;
  static double doubles[NX * NY * NZ];
  static float floats[NX * NY * NZ];
  const int is_by_part = levels < NZ;
  const int64_t across = field == PROFILE ? 1 : field == OROGRAPHY && is_by_part ? rows * NX : count;
  const int64_t first = field == OROGRAPHY && is_by_part ? first_row * NX : 0;
  const int along = field == OROGRAPHY ? 1 : levels;
  for (int64_t i = 0; i < across; ++i) {
    for (int z = 0; z < along; ++z) {
      const int64_t at = is_by_level ? z * across + i : i * along + z;
      const int level = field == OROGRAPHY ? 0 : first_level + z;
      doubles[at] = number(field, points[first + i], level, field == OROGRAPHY ? 0 : step);
      floats[at] = (float)doubles[at];
    }
  }
  check(pileus_put(run, id, field == T ? (const void*)floats : doubles, NULL));
}

static void register_points(int* fields) {
  const char* const across[] = {"x", "y"};
  const char* const columns[] = {"z", "cells"};
  const int64_t size[] = {NZ, count};
  check(pileus_points(run, "cells", 2, across, 1, size + 1, points, 0));
  check(pileus_field(run, "t", PILEUS_FLOAT, 2, columns, NULL, size, &fields[T]));
  check(pileus_field(run, "p", PILEUS_DOUBLE, 2, columns, NULL, size, &fields[P]));
  check(pileus_field(run, "height", PILEUS_DOUBLE, 2, columns, NULL, size, &fields[HEIGHT]));
  check(pileus_field(run, "orography", PILEUS_DOUBLE, 1, columns + 1, NULL, size + 1, &fields[OROGRAPHY]));
}

static void register_rows(int* fields) {
  const int row = count / NX;
  const int64_t y = count > 0 ? points[0] / NX : 0;
  const char* const by_level[] = {"x", "y", "z"};
  const char* const by_column[] = {"z", "x", "y"};
  const int64_t starts[] = {first_level, 0, y, first_level}, counts[] = {levels, NX, row, levels};
  const char* const* const names = is_by_level ? by_level : by_column;
  const int64_t *const start = starts + is_by_level, *const size = counts + is_by_level;
  check(pileus_field(run, "t", PILEUS_FLOAT, 3, names, start, size, &fields[T]));
  check(pileus_field(run, "p", PILEUS_DOUBLE, 3, names, start, size, &fields[P]));
  check(pileus_field(run, "height", PILEUS_DOUBLE, 3, names, start, size, &fields[HEIGHT]));
  const int64_t orography_start[] = {0, levels < NZ ? first_row : y};
  const int64_t orography_size[] = {NX, levels < NZ ? rows : row};
  check(pileus_field(run, "orography", PILEUS_DOUBLE, 2, by_level, orography_start, orography_size,
                     &fields[OROGRAPHY]));
}

static void deal(const char* how) {
  const int is_dealt = strcmp(how, "points") == 0, is_by_part = strcmp(how, "levels") == 0;
  is_by_level = strcmp(how, "surfaces") == 0;
  if (is_by_part) {
    first_level = NZ * rank / ranks;
    levels = NZ * (rank + 1) / ranks - first_level;
    first_row = NY * rank / ranks;
    rows = NY * (rank + 1) / ranks - first_row;
  }
  for (int64_t i = 0; i < NX * NY; ++i) {
    const int64_t owner = is_by_part ? rank : is_dealt ? i % ranks : 0;
    const int is_in_rows = i / NX >= NY * rank / ranks && i / NX < NY * (rank + 1) / ranks;
    if (is_dealt || is_by_part ? owner == rank : is_in_rows) points[count++] = i;
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int provided, fields[FIELDS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm model = MPI_COMM_NULL;
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  deal(argv[2]);
  const char* const names[] = {"x", "y", "z"};
  const int64_t size[] = {NX, NY, NZ};
  double heights[NZ];
  for (int z = 0; z < NZ; ++z) heights[z] = 1000 * z + 500;
  for (int d = 0; d < 3; ++d)
    check(pileus_dimension(run, names[d], size[d], d == 2 ? heights : NULL, d == 2 ? "m" : NULL));
  strcmp(argv[2], "points") == 0 ? register_points(fields) : register_rows(fields);
  const int64_t first = first_level, all = levels;
  check(pileus_field(run, "profile", PILEUS_DOUBLE, 1, names + 2, &first, &all, &fields[PROFILE]));
  check(pileus_static(run, fields[OROGRAPHY]));
  check(pileus_commit(run));
  for (int step = 1; step <= STEPS; ++step) {
    check(pileus_begin(run, step, 2.0 * step, 2, step == STEPS ? PILEUS_FINAL : 0));
    for (int field = 0; field < FIELDS; ++field) put(field, fields[field], step);
    check(pileus_end(run));
  }
  check(pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
}
