#include "transport/mpi/mpi_call.h"

#include <string>

#include "core/error.h"
#include "transport/mpi/mpi_start.h"

namespace pileus {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  throw TransportError(std::string(call) + ": " +
                       (length > 0 ? std::string(text, length) : "MPI error " + std::to_string(code)));
}

MPI_Comm duplicate_communicator(int fortran_communicator) {
  if (!is_mpi_running()) throw UsageError("MPI is not running: call MPI_Init before and MPI_Finalize after");
  const MPI_Comm communicator = MPI_Comm_f2c(fortran_communicator);
  if (communicator == MPI_COMM_NULL) throw UsageError("the communicator is MPI_COMM_NULL");
  MPI_Comm duplicate = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(communicator, &duplicate), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return duplicate;
}

}  // namespace pileus
