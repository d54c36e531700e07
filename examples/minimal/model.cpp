// The smallest complete model in C++: a warm wave over a domain of 48 x 32 points, in strips of y. Alone:
// ./minimal_cpp run.xml. With a server: mpirun -n 4 ./minimal_cpp : -n 1 pileus-server run.xml.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <pileus/pileus.hpp>
#include <vector>

constexpr int kNx = 48, kNy = 32, kSteps = 60;

void run_model(const char* configuration) {
  pileus::Run run({configuration, MPI_Comm_c2f(MPI_COMM_WORLD)});
  const MPI_Comm model = MPI_Comm_f2c(run.model_communicator());
  int rank, size;
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &size);

  const int first = kNy * rank / size, rows = kNy * (rank + 1) / size - first;
  run.dimension("x", kNx);
  run.dimension("y", kNy);
  const auto temperature = run.field<double>("temperature", {{"x", 0, kNx}, {"y", first, rows}});
  run.commit();

  double time = 0;
  std::vector<double> t(static_cast<std::size_t>(kNx * rows));
  for (int step = 1; step <= kSteps; ++step) {
    const double length = 2 + std::sin(step);  // 1 to 3 s
    time += length;
    for (int i = 0; i < kNx * rows; ++i)
      t[i] = 290 + 5 * std::sin(0.1 * (i % kNx) + 0.2 * (first + i / kNx) - 0.05 * time);
    run.begin(step, time, length, step == kSteps);
    run.put(temperature, t);
    run.end();
  }
  run.finish();
}

int main(int argc, char** argv) try {
  int threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  run_model(argc > 1 ? argv[1] : "");
  MPI_Finalize();
} catch (const pileus::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  // Every rank is told what is wrong with the run, and all leave; another mistake may be this rank's own.
  const bool is_known_to_all = error.status() == PILEUS_ERROR_CONFIG || error.status() == PILEUS_ERROR_OUTPUT;
  if (!is_known_to_all) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 1;
}
