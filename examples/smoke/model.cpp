// A puff of smoke in the wind, in C++. The domain has 50 x 33 cells of 1 km and is periodic; wind carries the
// smoke, and it mixes. The domain is divided in both directions, unevenly, and the time step varies.
// docs/start-here.md has every way to start it.
#include <mpi.h>

#include <cstdio>
#include <pileus/pileus.hpp>
#include <utility>
#include <vector>

constexpr int kNx = 50, kNy = 33, kSteps = 90;
constexpr double kCell = 1000, kWindX = 6, kWindY = 4, kMixing = 100;  // m, m/s, m2/s

/// This rank's part of the domain: nx x ny cells, the first of them at (x0, y0), with a halo of one cell.
struct Part {
  explicit Part(MPI_Comm model) {
    int size, rank, shares[2] = {0, 0}, at[2];
    const int is_periodic[2] = {1, 1};
    MPI_Comm_size(model, &size);
    MPI_Dims_create(size, 2, shares);
    MPI_Cart_create(model, 2, shares, is_periodic, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, at);
    x0 = kNx * at[0] / shares[0], nx = kNx * (at[0] + 1) / shares[0] - x0;
    y0 = kNy * at[1] / shares[1], ny = kNy * (at[1] + 1) / shares[1] - y0;
    MPI_Type_vector(ny, 1, nx + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
  }
  ~Part() {
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  int place(int x, int y) const { return (y + 1) * (nx + 2) + x + 1; }  ///< x, y: from 0; -1 is the halo

  void exchange(std::vector<double>& c) const {
    const auto send = [&](int from, int to, int direction, int step, MPI_Datatype type, int count) {
      int source, target;
      MPI_Cart_shift(grid, direction, step, &source, &target);
      MPI_Sendrecv(&c[from], count, type, target, 0, &c[to], count, type, source, 0, grid, MPI_STATUS_IGNORE);
    };
    send(place(nx - 1, 0), place(-1, 0), 0, 1, column, 1);
    send(place(0, 0), place(nx, 0), 0, -1, column, 1);
    send(place(0, ny - 1), place(0, -1), 1, 1, MPI_DOUBLE, nx);
    send(place(0, 0), place(0, ny), 1, -1, MPI_DOUBLE, nx);
  }

  int x0, nx, y0, ny;
  MPI_Comm grid;
  MPI_Datatype column;
};

void compute(pileus::Run& run) {
  const Part part(MPI_Comm_f2c(run.model_communicator()));
  const int nx = part.nx, ny = part.ny, row = nx + 2;
  std::vector<double> c(row * (ny + 2)), next(c.size());

  // docs: register
  run.dimension("x", kNx);
  run.dimension("y", kNy);
  const auto smoke = run.field<double>("smoke", {{"x", part.x0, nx}, {"y", part.y0, ny}});
  const auto step_length = run.field<double>("step_length");
  run.commit();
  // docs: end

  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      const double dx = (part.x0 + x - 12) / 4.0, dy = (part.y0 + y - 10) / 3.0;
      c[part.place(x, y)] = 1 / (1 + dx * dx + dy * dy);
    }
  double time = 0;
  for (int step = 1; step <= kSteps; ++step) {
    const double dt = 20 + 5 * (step % 5);  // s
    part.exchange(c);
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        const double* p = &c[part.place(x, y)];
        const double carried = kWindX * (p[0] - p[-1]) + kWindY * (p[0] - p[-row]);
        const double mixed = kMixing / kCell * (p[-1] + p[1] + p[-row] + p[row] - 4 * p[0]);
        next[part.place(x, y)] = p[0] + dt / kCell * (mixed - carried);
      }
    std::swap(c, next);
    time += dt;

    // docs: step
    const std::int64_t strides[] = {1, row};  // the halo lies between the rows
    run.begin(step, time, dt, step == kSteps);
    run.put(step_length, dt);
    if (run.wanted(smoke)) run.put(smoke, &c[part.place(0, 0)], strides);
    run.end();
    // docs: end
  }
  run.finish();
}

// docs: start
void start(const char* configuration) {
  pileus::Run run({configuration, MPI_Comm_c2f(MPI_COMM_WORLD)});
  if (!run.is_server()) compute(run);  // the others have served, and the run is over
}

int main(int argc, char** argv) try {
  int threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  start(argc > 1 ? argv[1] : "");
  MPI_Finalize();
} catch (const pileus::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  // Every rank is told what is wrong with the run, and all leave; another mistake may be this rank's own.
  const bool is_known_to_all = error.status() == PILEUS_ERROR_CONFIG || error.status() == PILEUS_ERROR_OUTPUT;
  if (!is_known_to_all) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 1;
}
// docs: end
