#pragma once
// Whether the process has the MPI of its launcher, and only one MPI. What goes wrong otherwise looks like
// something else: ranks that are each alone, communicators that are none.

namespace pileus {

/// Errors: UsageError if the launcher of another MPI started several ranks and MPI knows of this one, or
/// if the process has loaded the libraries of two MPIs.
void require_own_mpi(int fortran_communicator);

/// Whether this process is the first of its program in the job, for what ranks have to say that do not know
/// each other. Open MPI's launcher tells; where nobody does, each is the first.
bool is_first_of_program();

/// What the library calls itself: "Open MPI v4.1.4".
const char* mpi_library();

}  // namespace pileus
