/* Servers that were launched apart from their model, and join it. The port is in a file, which must be there:
 * pileus_test_model --join FILE has written it.
 *
 *   pileus_joined_servers FILE */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  char port[MPI_MAX_PORT_NAME] = "";
  FILE* file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (file == NULL || fgets(port, sizeof port, file) == NULL) {
    fprintf(stderr, "joined_servers: no port\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  fclose(file);
  MPI_Comm model = MPI_COMM_NULL, all = MPI_COMM_NULL;
  MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &model);
  MPI_Intercomm_merge(model, 1, &all);

  pileus_run* run = NULL;
  const pileus_status status = pileus_serve_mpi(all, &run);
  if (status != PILEUS_OK) fprintf(stderr, "server: status %d: %s\n", (int)status, pileus_error(run));
  pileus_free(run);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&model);
  MPI_Finalize();
  return status == PILEUS_OK ? 0 : 1;
}
