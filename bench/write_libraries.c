/* The ways of the netCDF libraries that write_model compares. Files have the dimensions of ours and an
   unlimited time, but where it is said. Nothing is filled in before it is written, and each record is a
   chunk: so the libraries are quickest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write_ways.h"

#if defined(WITH_PARALLEL_NETCDF)
#include <netcdf.h>
#include <netcdf_par.h>
#include <pnetcdf.h>

static int file, time_variable, *variables;
static double *gathered, *received;

static void check(int status) {
  if (status != NC_NOERR) give_up(nc_strerror(status));
}

static void check_pnetcdf(int status) {
  if (status != NC_NOERR) give_up(ncmpi_strerror(status));
}

static void make_variables(const struct output* out) {
  variables = malloc((size_t)out->fields * sizeof *variables);
  if (!variables) give_up("no memory");
}

static void name_of(int field, char name[20]) { snprintf(name, 20, "field_%d", field); }

/* `times`: NC_UNLIMITED, or as many as there will be. */
static void define(const struct output* out, size_t times, int access) {
  const size_t chunk[] = {1, out->nz, out->ny, out->nx};
  int dimensions[4];
  check(nc_set_fill(file, NC_NOFILL, NULL));
  check(nc_def_dim(file, "time", times, &dimensions[0]));
  check(nc_def_dim(file, "z", out->nz, &dimensions[1]));
  check(nc_def_dim(file, "y", out->ny, &dimensions[2]));
  check(nc_def_dim(file, "x", out->nx, &dimensions[3]));
  check(nc_def_var(file, "time", NC_DOUBLE, 1, dimensions, &time_variable));
  make_variables(out);
  for (int f = 0; f < out->fields; ++f) {
    char name[20];
    name_of(f, name);
    check(nc_def_var(file, name, NC_DOUBLE, 4, dimensions, &variables[f]));
    check(nc_put_att_text(file, variables[f], "long_name", 8, "a field "));
    check(nc_put_att_text(file, variables[f], "units", 1, "K"));
    if (times == NC_UNLIMITED) check(nc_def_var_chunking(file, variables[f], NC_CHUNKED, chunk));
    if (out->deflate) check(nc_def_var_deflate(file, variables[f], 1, 1, out->deflate));
  }
  check(nc_enddef(file));
  for (int f = 0; f < out->fields && access >= 0; ++f) check(nc_var_par_access(file, variables[f], access));
  if (access >= 0) check(nc_var_par_access(file, time_variable, access));
}

static void create_parallel(const struct output* out) {
  check(nc_create_par(temporary_path(out), NC_NETCDF4 | NC_CLOBBER, out->model, MPI_INFO_NULL, &file));
}

static void begin_collective(const struct output* out) {
  create_parallel(out);
  define(out, NC_UNLIMITED, NC_COLLECTIVE);
}

/* A fixed number of times, which is quicker for the library; its files cannot be put behind each other. */
static void begin_fixed(const struct output* out) {
  create_parallel(out);
  define(out, (size_t)out->records, NC_COLLECTIVE);
}

/* An independent access cannot make a file longer, so the number of times is fixed. */
static void begin_independent(const struct output* out) {
  create_parallel(out);
  define(out, (size_t)out->records, NC_INDEPENDENT);
}

static void write_parallel(const struct output* out, int record) {
  const size_t start[] = {(size_t)record, 0, out->first_row, 0}, count[] = {1, out->nz, out->rows, out->nx};
  const size_t one = 1;
  const double now = record + 1;
  for (int f = 0; f < out->fields; ++f)
    check(nc_put_vara_double(file, variables[f], start, count, out->values[f]));
  check(nc_put_vara_double(file, time_variable, start, &one, &now));
}

static void end_parallel(const struct output* out) {
  check(nc_close(file));
  MPI_Barrier(out->model);
  if (out->rank == 0) publish(out);
}

static void begin_gathered(const struct output* out) {
  if (out->rank != 0) return;
  gathered = malloc(out->nx * out->ny * out->nz * sizeof *gathered);
  received = malloc(out->nx * out->ny * out->nz * sizeof *received);
  if (!gathered || !received) give_up("no memory");
  check(nc_create(temporary_path(out), NC_NETCDF4 | NC_CLOBBER, &file));
  define(out, NC_UNLIMITED, -1);
}

/* The rows of all levels that a rank sent go where they lie in the whole field. */
static void place(const struct output* out, int rank, const double* slab) {
  const size_t first = first_row_of(out, rank), rows = first_row_of(out, rank + 1) - first;
  for (size_t z = 0; z < out->nz; ++z) {
    double* const to = gathered + (z * out->ny + first) * out->nx;
    memcpy(to, slab + z * rows * out->nx, rows * out->nx * sizeof *to);
  }
}

static void gather(const struct output* out, const double* own) {
  place(out, 0, own);
  for (int rank = 1; rank < out->ranks; ++rank) {
    const size_t rows = first_row_of(out, rank + 1) - first_row_of(out, rank);
    MPI_Recv(received, (int)(rows * out->nx * out->nz), MPI_DOUBLE, rank, 0, out->model, MPI_STATUS_IGNORE);
    place(out, rank, received);
  }
}

static void write_gathered(const struct output* out, int record) {
  const size_t start[] = {(size_t)record, 0, 0, 0}, count[] = {1, out->nz, out->ny, out->nx}, one = 1;
  const double now = record + 1;
  for (int f = 0; f < out->fields; ++f) {
    if (out->rank != 0) {
      MPI_Send(out->values[f], (int)slab_cells(out), MPI_DOUBLE, 0, 0, out->model);
      continue;
    }
    const double* whole = out->values[f];
    if (out->ranks > 1) gather(out, out->values[f]), whole = gathered;
    check(nc_put_vara_double(file, variables[f], start, count, whole));
  }
  if (out->rank == 0) check(nc_put_vara_double(file, time_variable, start, &one, &now));
}

static void end_gathered(const struct output* out) {
  if (out->rank != 0) return;
  check(nc_close(file));
  publish(out);
}

static void begin_pnetcdf(const struct output* out) {
  int dimensions[4];
  check_pnetcdf(
      ncmpi_create(out->model, temporary_path(out), NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  check_pnetcdf(ncmpi_def_dim(file, "time", NC_UNLIMITED, &dimensions[0]));
  check_pnetcdf(ncmpi_def_dim(file, "z", (MPI_Offset)out->nz, &dimensions[1]));
  check_pnetcdf(ncmpi_def_dim(file, "y", (MPI_Offset)out->ny, &dimensions[2]));
  check_pnetcdf(ncmpi_def_dim(file, "x", (MPI_Offset)out->nx, &dimensions[3]));
  check_pnetcdf(ncmpi_def_var(file, "time", NC_DOUBLE, 1, dimensions, &time_variable));
  make_variables(out);
  for (int f = 0; f < out->fields; ++f) {
    char name[20];
    name_of(f, name);
    check_pnetcdf(ncmpi_def_var(file, name, NC_DOUBLE, 4, dimensions, &variables[f]));
    check_pnetcdf(ncmpi_put_att_text(file, variables[f], "long_name", 8, "a field "));
    check_pnetcdf(ncmpi_put_att_text(file, variables[f], "units", 1, "K"));
  }
  check_pnetcdf(ncmpi_enddef(file));
}

/* All fields of a record in one collective write: the quickest that the library knows. */
static void write_pnetcdf(const struct output* out, int record) {
  const MPI_Offset start[] = {record, 0, (MPI_Offset)out->first_row, 0};
  const MPI_Offset count[] = {1, (MPI_Offset)out->nz, (MPI_Offset)out->rows, (MPI_Offset)out->nx}, one = 1;
  const double now = record + 1;
  for (int f = 0; f < out->fields; ++f)
    check_pnetcdf(ncmpi_iput_vara_double(file, variables[f], start, count, out->values[f], NULL));
  check_pnetcdf(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL));
  check_pnetcdf(ncmpi_put_vara_double_all(file, time_variable, start, &one, &now));
}

static void end_pnetcdf(const struct output* out) {
  check_pnetcdf(ncmpi_close(file));
  MPI_Barrier(out->model);
  if (out->rank == 0) publish(out);
}

const struct way library_ways[] = {{"collective", begin_collective, write_parallel, end_parallel},
                                   {"fixed", begin_fixed, write_parallel, end_parallel},
                                   {"independent", begin_independent, write_parallel, end_parallel},
                                   {"pnetcdf", begin_pnetcdf, write_pnetcdf, end_pnetcdf},
                                   {"gathered", begin_gathered, write_gathered, end_gathered},
                                   {NULL, NULL, NULL, NULL}};
#else
const struct way library_ways[] = {{NULL, NULL, NULL, NULL}};
#endif
