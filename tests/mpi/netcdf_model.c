/* A model that writes netCDF of its own while Pileus writes the same values. With IS_PARALLEL it is linked
 * with the parallel library, which all model ranks call together: it may not meet the serial one of Pileus.
 * Without, it calls the very library that Pileus calls, each rank for a file of its own: they may not do so
 * at once.
 *
 *   pileus_netcdf_model CONFIGURATION DIRECTORY [SERVERS]
 *
 * SERVERS ranks of the program serve (0: attached). own_R.nc, of rank R or of all (R = 0), holds
 * u(step, x) = 1000 step + x, as far as the rank has it. */
#include <mpi.h>
#include <netcdf.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#if IS_PARALLEL
#include <netcdf_par.h>
#endif

enum { COUNT = 24, STEPS = 10 };

static pileus_run* run = NULL;

static void check(const char* what, int is_good, const char* text) {
  if (is_good) return;
  fprintf(stderr, "%s: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
static void check_pileus(const char* call, pileus_status status) {
  check(call, status == PILEUS_OK, pileus_error(run));
}
static void check_netcdf(const char* call, int status) {
  check(call, status == NC_NOERR, nc_strerror(status));
}

static MPI_Comm start(char** argv, int servers) {
  pileus_settings settings = pileus_settings_mpi(MPI_COMM_WORLD, argv[1]);
  settings.directory = argv[2];
  settings.servers_total = servers;
  int32_t model = 0;
  pileus_role role = PILEUS_MODEL;
  const pileus_status status = pileus_start(&settings, &run, &model, &role);
  check_pileus("pileus_start", status);
  if (role == PILEUS_MODEL) return MPI_Comm_f2c(model);
  pileus_free(run);
  MPI_Finalize();
  exit(0);
}

static int create(const char* directory, MPI_Comm model, int rank, int* variable) {
  char path[4096];
  snprintf(path, sizeof path, "%s/own_%d.nc", directory, IS_PARALLEL ? 0 : rank);
  int file = 0, dimensions[2];
#if IS_PARALLEL
  check_netcdf("nc_create_par", nc_create_par(path, NC_NETCDF4, model, MPI_INFO_NULL, &file));
#else
  (void)model;
  check_netcdf("nc_create", nc_create(path, NC_NETCDF4, &file));
#endif
  check_netcdf("nc_def_dim", nc_def_dim(file, "step", STEPS, &dimensions[0]));
  check_netcdf("nc_def_dim", nc_def_dim(file, "x", COUNT, &dimensions[1]));
  check_netcdf("nc_def_var", nc_def_var(file, "u", NC_DOUBLE, 2, dimensions, variable));
  check_netcdf("nc_enddef", nc_enddef(file));
#if IS_PARALLEL
  check_netcdf("nc_var_par_access", nc_var_par_access(file, *variable, NC_COLLECTIVE));
#endif
  return file;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int level = 0, rank = 0, ranks = 1, variable = 0, field = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const MPI_Comm model = start(argv, argc > 3 ? atoi(argv[3]) : 0);
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  const int64_t first = COUNT * rank / ranks, count = COUNT * (rank + 1) / ranks - first;
  check_pileus("pileus_dimension", pileus_dimension(run, "x", COUNT, NULL, NULL));
  check_pileus("pileus_field",
               pileus_field(run, "u", PILEUS_DOUBLE, 1, (const char*[]){"x"}, &first, &count, &field));
  check_pileus("pileus_commit", pileus_commit(run));

  const int file = create(argv[2], model, rank, &variable);
  for (int step = 1; step <= STEPS; ++step) {
    double values[COUNT];
    for (int i = 0; i < count; ++i) values[i] = 1000.0 * step + (double)(first + i);
    const size_t starts[] = {(size_t)step - 1, (size_t)first}, counts[] = {1, (size_t)count};
    check_netcdf("nc_put_vara_double", nc_put_vara_double(file, variable, starts, counts, values));
    check_pileus("pileus_begin", pileus_begin(run, step, step, 1.0, step == STEPS ? PILEUS_FINAL : 0));
    check_pileus("pileus_put", pileus_put(run, field, values, NULL));
    check_pileus("pileus_end", pileus_end(run));
  }
  check_netcdf("nc_close", nc_close(file));
  check_pileus("pileus_finish", pileus_finish(run));
  pileus_free(run);
  MPI_Finalize();
  return 0;
}
