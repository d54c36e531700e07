/* Settings of a run whose model uses MPI. Include mpi.h first; everything here is inline, so that the
 * library's own interface needs no mpi.h. */
#ifndef PILEUS_PILEUS_MPI_H
#define PILEUS_PILEUS_MPI_H

#ifndef MPI_VERSION
#error "include mpi.h before pileus_mpi.h"
#endif

#include <pileus/pileus.h>

/** The Fortran handle of a communicator. Where MPI is not running it is 0, as MPI itself would end the
 *  program at the question; pileus_start then says what is wrong. */
static inline int32_t pileus_handle_mpi(MPI_Comm communicator) {
  int is_initialized = 0, is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  return is_initialized && !is_finalized ? (int32_t)MPI_Comm_c2f(communicator) : 0;
}

/** Settings for pileus_start: `communicator` holds all model ranks and servers; `configuration` is the path
 *  of the XML file, which is read unless ranks of pileus-server serve. */
static inline pileus_settings pileus_settings_mpi(MPI_Comm communicator, const char* configuration) {
  pileus_settings settings = PILEUS_SETTINGS_INIT;
  settings.configuration = configuration;
  settings.has_communicator = 1;
  settings.communicator = pileus_handle_mpi(communicator);
  return settings;
}

/** Calls pileus_serve with a communicator as C knows it. */
static inline pileus_status pileus_serve_mpi(MPI_Comm communicator, pileus_run** handle) {
  return pileus_serve(pileus_handle_mpi(communicator), handle);
}

/** Calls pileus_start with communicators as C knows them. `model_communicator` may be NULL. */
static inline pileus_status pileus_start_mpi(MPI_Comm communicator, const char* configuration,
                                             pileus_run** handle, MPI_Comm* model_communicator) {
  const pileus_settings settings = pileus_settings_mpi(communicator, configuration);
  int32_t model = 0;
  const pileus_status status = pileus_start(&settings, handle, &model, NULL);
  if (status == PILEUS_OK && model_communicator != NULL) *model_communicator = MPI_Comm_f2c((MPI_Fint)model);
  return status;
}

#endif
