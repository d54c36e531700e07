#pragma once
// What a call of MPI returned, as an exception with MPI's own text. Includes mpi.h: for this folder only.

// The C++ bindings that MPI-2 had are not wanted, whoever still has them.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace pileus {

/// Errors: TransportError with `call` and MPI's text unless `code` is MPI_SUCCESS.
void check_mpi(int code, const char* call);

/// A duplicate that returns errors instead of ending the program. Collective.
/// Errors: UsageError if MPI is not running.
MPI_Comm duplicate_communicator(int fortran_communicator);

}  // namespace pileus
