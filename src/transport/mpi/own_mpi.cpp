#include "transport/mpi/own_mpi.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "core/error.h"
#include "transport/mpi/mpi_call.h"
#include "transport/mpi/mpi_start.h"

namespace pileus {
namespace {

struct Launcher {
  const char* variable;  ///< in which it tells each rank how many it started
  const char* name;
  const char* what_to_do;
};

constexpr std::array<Launcher, 3> kLaunchers = {{
    {"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun", "use the mpirun of that MPI (on Debian mpirun.mpich)"},
    {"PMI_SIZE", "MPICH's mpirun, or srun --mpi=pmi2,", "use the mpirun of that MPI, or srun --mpi=pmix"},
    {"SLURM_STEP_NUM_TASKS", "srun", "choose the way that this MPI knows: srun --mpi=pmix or --mpi=pmi2"},
}};

/// Its own launcher says so; other variables may come from what started that launcher.
bool is_launched_alone() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const text = std::getenv(variable);
    if (text != nullptr && std::string_view(text) == "1") return true;
  }
  return false;
}

void require_own_launcher() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 1 || is_launched_alone()) return;
  for (const Launcher& launcher : kLaunchers) {
    const char* const text = std::getenv(launcher.variable);
    const long started = text == nullptr ? 1 : std::strtol(text, nullptr, 10);
    if (started <= 1) continue;
    throw UsageError(std::string(launcher.name) + " started " + text + " ranks (" + launcher.variable +
                     "), but the MPI of this program, " + mpi_library() +
                     ", knows of one: the launcher belongs to another MPI; " + launcher.what_to_do);
  }
}

/// Which of the two families of MPI are loaded.
struct Loaded {
  std::string open_mpi, mpich;
};

int note_object(dl_phdr_info* info, std::size_t, void* into) {
  auto& loaded = *static_cast<Loaded*>(into);
  const std::string path = info->dlpi_name;
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("libmpi.so.40")) loaded.open_mpi = path;
  if (name.starts_with("libmpich.so") || name.starts_with("libmpi.so.12")) loaded.mpich = path;
  return 0;
}

void require_one_library() {
  Loaded loaded;
  dl_iterate_phdr(note_object, &loaded);
  if (loaded.open_mpi.empty() || loaded.mpich.empty()) return;
  throw UsageError(
      "this program has two MPIs, " + loaded.open_mpi + " and " + loaded.mpich +
      ": the model and libpileus were built with different ones; link the model with a Pileus that "
      "was built with its MPI");
}

}  // namespace

void require_own_mpi(int fortran_communicator) {
  require_one_library();
  if (is_mpi_running() && MPI_Comm_f2c(fortran_communicator) != MPI_COMM_NULL) require_own_launcher();
}

bool is_first_of_program() {
  const char* const own = std::getenv("OMPI_COMM_WORLD_RANK");
  const char* const counts = std::getenv("OMPI_APP_CTX_NUM_PROCS");  // "24 2": the ranks of each program
  if (own == nullptr || counts == nullptr) return true;
  const long rank = std::strtol(own, nullptr, 10);
  std::istringstream words(counts);
  long first = 0;
  for (long count = 0; first < rank && words >> count;) first += count;
  return first == rank;
}

const char* mpi_library() {
  static const std::string text = [] {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> whole{};
    int length = 0;
    MPI_Get_library_version(whole.data(), &length);
    std::string words(whole.data(), static_cast<std::size_t>(length));
    words.resize(std::min(words.size(), words.find_first_of(",\n")));
    std::ranges::replace(words, '\t', ' ');
    return words;
  }();
  return text.c_str();
}

}  // namespace pileus
