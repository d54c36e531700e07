// The model of threads_model.c in C++, with threads of its own.
//   threads_model CONFIGURATION THREADS       (0: one thread, without PILEUS_THREADS)
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <pileus/pileus.hpp>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kFields = 12, kX = 40, kY = 30, kZ = 5, kSteps = 24;

struct Model {
  pileus::Run run;
  int first = 0, rows = 0;  // of this rank
  std::vector<pileus::Field<double>> fields = {};

  explicit Model(const pileus::Settings& settings) : run(settings) {
    int rank = 0, ranks = 0;
    const MPI_Comm model = MPI_Comm_f2c(run.model_communicator());
    MPI_Comm_rank(model, &rank);
    MPI_Comm_size(model, &ranks);
    first = kY * rank / ranks;
    rows = kY * (rank + 1) / ranks - first;
    run.dimension("x", kX);
    run.dimension("y", kY);
    run.dimension("z", kZ);
    for (int i = 0; i < kFields; ++i)
      fields.push_back(
          run.field<double>("f" + std::to_string(i), {{"x", 0, kX}, {"y", first, rows}, {"z", 0, kZ}}));
    run.commit();
  }

  void put(int field, int step) {
    const auto& number = fields[static_cast<std::size_t>(field)];
    if (!run.wanted(number)) return;
    std::vector<double> values;
    for (int z = 1; z <= kZ; ++z)
      for (int y = first + 1; y <= first + rows; ++y)
        for (int x = 1; x <= kX; ++x)
          values.push_back(1000 * field + 100 * z + y + 0.015625 * x + 0.25 * step);
    if (field % 3 != 0) return run.put(number, values);
    const std::size_t size = values.size() / kZ;
    for (std::size_t z = 0; z < kZ; ++z)
      run.put_part(number, static_cast<int>(z), std::span(values).subspan(z * size, size));
  }

  void step(int step, int threads) {
    run.begin(step, step, 1, (step == kSteps ? PILEUS_FINAL : 0) | (threads > 0 ? PILEUS_THREADS : 0));
    std::atomic<int> next = 0;
    const auto put_some = [&] {
      for (int i = next++; i < kFields; i = next++) put(i, step);
    };
    {
      std::vector<std::jthread> others;
      for (int t = 1; t < threads; ++t) others.emplace_back(put_some);
      put_some();
    }
    if (!run.end()) throw pileus::Error(PILEUS_ERROR_USAGE, run.absent());
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    Model model({argv[1], MPI_Comm_c2f(MPI_COMM_WORLD)});
    for (int step = 1; step <= kSteps; ++step) model.step(step, std::atoi(argv[2]));
    model.run.finish();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
