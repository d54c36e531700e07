// A lake whose level falls, in C++. The model continues an earlier run if there was one. Its own state is a
// number, in the file level-STEP; files and checkpoints lie beside it, in the current directory.
#include <mpi.h>
#include <pileus/pileus.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

namespace {

constexpr double kLength = 2.5;  // length of a step in s

std::optional<double> read_level(std::int64_t step) {
  double level = 0;
  std::ifstream file("level-" + std::to_string(step), std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(&level), sizeof level)) return std::nullopt;
  return level;
}

/// Writes to another name first and then renames the file, so that it is whole as soon as it has its name.
void write_level(std::int64_t step, double level) {
  const std::string name = "level-" + std::to_string(step), aside = "." + name;
  {
    std::ofstream file(aside, std::ios::binary);
    if (!file.write(reinterpret_cast<const char*>(&level), sizeof level).flush())
      throw std::runtime_error("cannot write " + aside);
  }
  if (std::rename(aside.c_str(), name.c_str()) != 0) throw std::runtime_error("cannot rename " + aside);
}

void compute(pileus::Run& run, MPI_Comm model, std::int64_t last) {
  int rank = 0;
  MPI_Comm_rank(model, &rank);
  double level = 8;
  const auto level_field = run.field<double>("level");

  // docs: continue
  std::int64_t step = 0;
  if (rank == 0) {  // the newest step of which Pileus and the model have the state
    for (const std::int64_t kept : pileus::checkpoints(".")) {
      if (const auto found = read_level(kept)) level = *found, step = kept;
    }
  }
  MPI_Bcast(&step, 1, MPI_INT64_T, 0, model);
  MPI_Bcast(&level, 1, MPI_DOUBLE, 0, model);
  if (step > 0) run.continue_after(step);
  run.commit();
  // docs: end

  int due = PILEUS_NOT_DUE;
  while (step < last && due != PILEUS_DUE_AT_END) {
    ++step;
    level -= 0.001 * level * kLength;
    const double time = static_cast<double>(step) * kLength;

    // docs: step
    if (rank == 0) due = run.checkpoint_due(step, time, kLength);
    MPI_Bcast(&due, 1, MPI_INT, 0, model);
    run.begin(step, time, kLength, due != PILEUS_NOT_DUE ? PILEUS_CHECKPOINT : 0);
    run.put(level_field, level);
    run.end();
    if (due != PILEUS_NOT_DUE && rank == 0) write_level(step, level);
    // docs: end
  }
  run.finish();
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  try {
    pileus::Settings settings;
    if (argc > 1) settings.configuration = argv[1];
    settings.communicator = MPI_Comm_c2f(MPI_COMM_WORLD);
    pileus::Run run(settings);
    compute(run, MPI_Comm_f2c(run.model_communicator()), argc > 2 ? std::atoi(argv[2]) : 50);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
