/* A puff of smoke in the wind, in C: 50 x 33 cells of 1 km, carried and mixed, periodic; the domain is shared
 * in both directions, unevenly, and the time step varies. Every way to start it is in docs/start-here.md. */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 50, NY = 33, STEPS = 90 };
static const double kCell = 1000, kWindX = 6, kWindY = 4, kMixing = 100; /* m, m/s, m2/s */

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

/* Fills the halo of the nx x ny cells, one cell wide, whose first value is `c`, from the four neighbours. */
static void exchange(double* c, int nx, int ny, MPI_Comm grid) {
  const int row = nx + 2;
  int west, east, south, north;
  MPI_Datatype column;
  MPI_Type_vector(ny, 1, row, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Cart_shift(grid, 0, 1, &west, &east);
  MPI_Cart_shift(grid, 1, 1, &south, &north);
  double *first = c + row + 1, *last = c + ny * row + nx;
  MPI_Sendrecv(first + nx - 1, 1, column, east, 0, first - 1, 1, column, west, 0, grid, MPI_STATUS_IGNORE);
  MPI_Sendrecv(first, 1, column, west, 0, first + nx, 1, column, east, 0, grid, MPI_STATUS_IGNORE);
  MPI_Sendrecv(last - nx + 1, nx, MPI_DOUBLE, north, 0, c + 1, nx, MPI_DOUBLE, south, 0, grid,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(first, nx, MPI_DOUBLE, south, 0, last - nx + 1 + row, nx, MPI_DOUBLE, north, 0, grid,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
}

static void compute(MPI_Comm model) {
  /* This rank's part: nx x ny cells, the first of them at (x0, y0) of the domain. */
  int size, rank, shares[2] = {0, 0}, at[2];
  const int is_periodic[2] = {1, 1};
  MPI_Comm grid;
  MPI_Comm_size(model, &size);
  MPI_Dims_create(size, 2, shares);
  MPI_Cart_create(model, 2, shares, is_periodic, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, at);
  const int x0 = NX * at[0] / shares[0], nx = NX * (at[0] + 1) / shares[0] - x0;
  const int y0 = NY * at[1] / shares[1], ny = NY * (at[1] + 1) / shares[1] - y0;
  const int row = nx + 2;
  double* c = calloc((size_t)row * (ny + 2), sizeof *c);
  double* next = calloc((size_t)row * (ny + 2), sizeof *next);

  /* docs: register */
  int smoke, step_length;
  check(pileus_dimension(run, "x", NX, NULL, NULL));
  check(pileus_dimension(run, "y", NY, NULL, NULL));
  const char* dimensions[] = {"x", "y"};
  const int64_t start[] = {x0, y0}, count[] = {nx, ny};
  check(pileus_field(run, "smoke", PILEUS_DOUBLE, 2, dimensions, start, count, &smoke));
  check(pileus_field(run, "step_length", PILEUS_DOUBLE, 0, NULL, NULL, NULL, &step_length));
  check(pileus_commit(run));
  /* docs: end */

  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      const double dx = (x0 + x - 12) / 4.0, dy = (y0 + y - 10) / 3.0;
      c[(y + 1) * row + x + 1] = 1 / (1 + dx * dx + dy * dy);
    }
  double time = 0;
  for (int step = 1; step <= STEPS; ++step) {
    const double dt = 20 + 5 * (step % 5); /* s */
    exchange(c, nx, ny, grid);
    for (int y = 1; y <= ny; ++y)
      for (int x = 1; x <= nx; ++x) {
        const double* p = c + y * row + x;
        const double carried = kWindX * (p[0] - p[-1]) + kWindY * (p[0] - p[-row]);
        const double mixed = kMixing / kCell * (p[-1] + p[1] + p[-row] + p[row] - 4 * p[0]);
        next[y * row + x] = p[0] + dt / kCell * (mixed - carried);
      }
    double* const swap = c;
    c = next;
    next = swap;
    time += dt;

    /* docs: step */
    const int64_t strides[] = {sizeof *c, row * (int64_t)sizeof *c}; /* the halo lies between the rows */
    check(pileus_begin(run, step, time, dt, step == STEPS ? PILEUS_FINAL : 0));
    check(pileus_put(run, step_length, &dt, NULL));
    if (pileus_wanted(run, smoke)) check(pileus_put(run, smoke, c + row + 1, strides));
    check(pileus_end(run));
    /* docs: end */
  }
  check(pileus_finish(run));
  free(c);
  free(next);
  MPI_Comm_free(&grid);
}

/* docs: start */
int main(int argc, char** argv) {
  int threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  const pileus_settings settings = pileus_settings_mpi(MPI_COMM_WORLD, argc > 1 ? argv[1] : NULL);
  int32_t model;
  pileus_role role;
  check(pileus_start(&settings, &run, &model, &role));
  if (role == PILEUS_MODEL) compute(MPI_Comm_f2c(model)); /* the others have served, and the run is over */
  pileus_free(run);
  MPI_Finalize();
}
/* docs: end */
