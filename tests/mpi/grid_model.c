/* A model on cells of the sphere that its ranks hold in turn. tests/test_grids.py knows what it hands over.
     grid_model CONFIGURATION KIND STEPS
   KIND: curvilinear (a field over x and y, whose rows are tilted against circles of latitude), rotated (x and
   y are degrees around another pole) or unstructured (the cells of curvilinear in one dimension, as a mesh
   whose nodes have fields too; its first cell is a triangle). What says where the cells lie never changes. */
#include <math.h>
#include <mpi.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 12, NY = 8, CELLS = NX * NY, CORNERS = 4 };
enum { T, LATITUDE, LONGITUDE, LATITUDE_CORNERS, LONGITUDE_CORNERS, AREA, MASK, CELL_NODES, FIELDS };
enum { NODES = (NX + 1) * (NY + 1) };
enum { NODE_LATITUDE, NODE_LONGITUDE, PSI, NODE_FIELDS };

static pileus_run* run = NULL;
static int is_unstructured, is_rotated;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* In degrees, of a place in the grid whose cells end at whole numbers. */
static double latitude_at(double x, double y) {
  const double degree = acos(-1) / 180, pole = 39.25 * degree;
  if (!is_rotated) return -60 + 15 * y + 0.5 * x;
  x = (x - 6) * degree;
  y = (y - 4) * degree;
  return asin(sin(pole) * sin(y) + cos(pole) * cos(y) * cos(x)) / degree;
}
static double longitude_at(double x, double y) {
  const double degree = acos(-1) / 180, pole = 39.25 * degree;
  if (!is_rotated) return 10 + 20 * x + 2 * y;
  x = (x - 6) * degree;
  y = (y - 4) * degree;
  return 18 + atan2(cos(y) * sin(x), sin(pole) * cos(y) * cos(x) - cos(pole) * sin(y)) / degree;
}

static double area_at(int x, int y) { return 1e12 * cos(latitude_at(x + 0.5, y + 0.5) * acos(-1) / 180); }

static double value_at(int x, int y, int step) { return 280 + x - 0.5 * y + 0.25 * step; }

/* Counterclockwise. */
static const int corner_x[CORNERS] = {0, 1, 1, 0}, corner_y[CORNERS] = {0, 0, 1, 1};

static int add(const char* name, pileus_type type, int has_corners, int64_t count) {
  const char* names[] = {"corner", "cells"};
  const int64_t counts[] = {CORNERS, count};
  int field;
  check(pileus_field(run, name, type, has_corners ? 2 : 1, names + !has_corners, NULL, counts + !has_corners,
                     &field));
  return field;
}

static void register_all(int* fields, int64_t count, const int64_t* cells) {
  const char* points[] = {is_unstructured ? "cell" : "x", "y"};
  double x[CELLS], y[NY];
  for (int i = 0; i < NX; ++i) x[i] = i + 0.5 - 6;
  for (int i = 0; i < NY; ++i) y[i] = i + 0.5 - 4;
  check(pileus_dimension(run, points[0], is_unstructured ? CELLS : NX, is_rotated ? x : NULL, NULL));
  if (!is_unstructured) check(pileus_dimension(run, "y", NY, is_rotated ? y : NULL, NULL));
  check(pileus_dimension(run, "corner", CORNERS, NULL, NULL));
  check(pileus_points(run, "cells", is_unstructured ? 1 : 2, points, 1, &count, cells, 0));
  fields[T] = add("t", PILEUS_DOUBLE, 0, count);
  fields[LATITUDE] = add("nav_lat", PILEUS_DOUBLE, 0, count);
  fields[LONGITUDE] = add("nav_lon", PILEUS_DOUBLE, 0, count);
  fields[LATITUDE_CORNERS] = add("lat_corners", PILEUS_DOUBLE, 1, count);
  fields[LONGITUDE_CORNERS] = add("lon_corners", PILEUS_DOUBLE, 1, count);
  fields[AREA] = add("area", PILEUS_DOUBLE, 0, count);
  fields[MASK] = add("tmask", PILEUS_INT32, 0, count);
  fields[CELL_NODES] = add("cell_nodes", PILEUS_INT32, 1, count);
  for (int i = LATITUDE; i < FIELDS; ++i) check(pileus_static(run, fields[i]));
}

static void register_nodes(int* fields, int64_t count, const int64_t* nodes) {
  const char *dimension = "node", *points = "nodes";
  const char* names[] = {"node_lat", "node_lon", "psi"};
  check(pileus_dimension(run, dimension, NODES, NULL, NULL));
  check(pileus_points(run, points, 1, &dimension, 1, &count, nodes, 0));
  for (int i = 0; i < NODE_FIELDS; ++i) {
    check(pileus_field(run, names[i], PILEUS_DOUBLE, 1, &points, NULL, &count, fields + i));
    if (i != PSI) check(pileus_static(run, fields[i]));
  }
}

static void hand_over_nodes(const int* fields, int64_t count, const int64_t* nodes, int step) {
  double numbers[NODES];
  for (int field = 0; field < NODE_FIELDS; ++field) {
    if (!pileus_wanted(run, fields[field])) continue;
    for (int64_t i = 0; i < count; ++i) {
      const int x = (int)(nodes[i] % (NX + 1)), y = (int)(nodes[i] / (NX + 1));
      numbers[i] = field == PSI             ? x * y + 0.5 * step
                   : field == NODE_LATITUDE ? latitude_at(x, y)
                                            : longitude_at(x, y);
    }
    check(pileus_put(run, fields[field], numbers, NULL));
  }
}

/* From 0; -1: the cell has no such corner. */
static int node_of(int x, int y, int corner) {
  if (x == 0 && y == 0 && corner == CORNERS - 1) return -1;
  return x + corner_x[corner] + (NX + 1) * (y + corner_y[corner]);
}

static double number(int field, int x, int y, int corner, int step) {
  const double corner_at_x = x + corner_x[corner], corner_at_y = y + corner_y[corner];
  switch (field) {
    case LATITUDE: return latitude_at(x + 0.5, y + 0.5);
    case LONGITUDE: return longitude_at(x + 0.5, y + 0.5);
    case LATITUDE_CORNERS: return latitude_at(corner_at_x, corner_at_y);
    case LONGITUDE_CORNERS: return longitude_at(corner_at_x, corner_at_y);
    case AREA: return area_at(x, y);
    default: return value_at(x, y, step);
  }
}

static void hand_over(const int* fields, int field, int64_t count, const int64_t* cells, int step) {
  static double numbers[CELLS * CORNERS];
  static int32_t mask[CELLS], cell_nodes[CELLS * CORNERS];
  const int corners = field == LATITUDE_CORNERS || field == LONGITUDE_CORNERS ? CORNERS : 1;
  if (!pileus_wanted(run, fields[field])) return;
  for (int64_t i = 0; i < count; ++i) {
    const int x = (int)(cells[i] % NX), y = (int)(cells[i] / NX);
    mask[i] = (x + y) % 5 != 0;
    for (int corner = 0; corner < CORNERS; ++corner) cell_nodes[i * CORNERS + corner] = node_of(x, y, corner);
    for (int corner = 0; corner < corners; ++corner)
      numbers[i * corners + corner] = number(field, x, y, corner, step);
  }
  const void* values = field == MASK ? (const void*)mask : field == CELL_NODES ? cell_nodes : (void*)numbers;
  check(pileus_put(run, fields[field], values, NULL));
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int steps = atoi(argv[3]);
  int provided, rank, ranks, fields[FIELDS], node_fields[NODE_FIELDS];
  int64_t cells[CELLS], nodes[NODES], count = 0, node_count = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm model = MPI_COMM_NULL;
  check(pileus_start_mpi(MPI_COMM_WORLD, argv[1], &run, &model));
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  for (int i = CELLS - 1 - rank; i >= 0; i -= ranks) cells[count++] = i;
  for (int i = rank; i < NODES; i += ranks) nodes[node_count++] = i;
  is_unstructured = strcmp(argv[2], "unstructured") == 0;
  is_rotated = strcmp(argv[2], "rotated") == 0;
  register_all(fields, count, cells);
  if (is_unstructured) register_nodes(node_fields, node_count, nodes);
  check(pileus_commit(run));
  for (int step = 1; step <= steps; ++step) {
    check(pileus_begin(run, step, step, 1, step == steps ? PILEUS_FINAL : 0));
    for (int field = 0; field < FIELDS; ++field) hand_over(fields, field, count, cells, step);
    if (is_unstructured) hand_over_nodes(node_fields, node_count, nodes, step);
    check(pileus_end(run));
  }
  check(pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
}
