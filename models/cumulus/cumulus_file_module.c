/* See cumulus_file.h. Compiled twice: with CUMULUS_PARALLEL against the parallel netCDF, without against the
   serial one. */
#include "cumulus_file.h"

#include <netcdf.h>
#ifdef CUMULUS_PARALLEL
#include <mpi.h>
#include <netcdf_par.h>
#endif

enum { most_dimensions = 4 };

static int create(const char* name, int communicator, int* file) {
#ifdef CUMULUS_PARALLEL
  int status = nc_create_par(name, NC_NETCDF4 | NC_CLOBBER, MPI_Comm_f2c(communicator), MPI_INFO_NULL, file);
#else
  (void)communicator;
  int status = nc_create(name, NC_NETCDF4 | NC_CLOBBER, file);
#endif
  int before = 0;
  return status ? status : nc_set_fill(*file, NC_NOFILL, &before);
}

static int dimension(int file, const char* name, int length, int* id) {
  return nc_def_dim(file, name, length > 0 ? (size_t)length : NC_UNLIMITED, id);
}

static int variable(int file, const char* name, int rank, const int* dimensions, int chunk_first, int* id) {
  size_t chunk[most_dimensions];
  int status = rank > most_dimensions ? NC_EMAXDIMS : nc_def_var(file, name, NC_DOUBLE, rank, dimensions, id);
  if (status || chunk_first == 0) return status;
  chunk[0] = (size_t)chunk_first;
  for (int d = 1; d < rank && !status; ++d) status = nc_inq_dimlen(file, dimensions[d], &chunk[d]);
  if (!status) status = nc_def_var_chunking(file, *id, NC_CHUNKED, chunk);
#ifdef CUMULUS_PARALLEL
  if (!status) status = nc_var_par_access(file, *id, NC_COLLECTIVE);
#endif
  return status;
}

static int text(int file, int id, const char* name, const char* value) {
  size_t length = 0;
  while (value[length]) ++length;
  return nc_put_att_text(file, id < 0 ? NC_GLOBAL : id, name, length, value);
}

static int fill_value(int file, int id) {
  const double fill = NC_FILL_DOUBLE;
  return nc_put_att_double(file, id, "_FillValue", NC_DOUBLE, 1, &fill);
}

static int put(int file, int id, const size_t* start, const size_t* count, const double* values) {
  return nc_put_vara_double(file, id, start, count, values);
}

const struct cumulus_file_calls cumulus_file_calls = {create,     dimension, variable, text,
                                                      fill_value, put,       nc_close, nc_strerror};
