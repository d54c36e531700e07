/* A model that starts wrongly, and goes on to MPI_Finalize as if that were its own affair.
 *
 *   pileus_wrong_starts_model CONFIGURATION HOW
 *
 * HOW: "early" (before MPI_Init),
 * "size" (settings that were never initialised), "null" (no settings), "one" (these on rank 0 alone),
 * "nameless" (no configuration), or
 * "twice": a second run while the first is under way, which then goes on. */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <string.h>

static int rank = 0;

static int failed(const char* call, pileus_status status, const pileus_run* run) {
  if (status == PILEUS_OK) return 0;
  printf("rank %d: %s: status %d: %s\n", rank, call, (int)status, pileus_error(run));
  return 1;
}

/* One step of a single number. */
static int compute(pileus_run* run) {
  const double value = 7;
  int field = -1;
  return failed("field", pileus_field(run, "w", PILEUS_DOUBLE, 0, NULL, NULL, NULL, &field), run) ||
         failed("commit", pileus_commit(run), run) ||
         failed("begin", pileus_begin(run, 1, 1.0, 1.0, PILEUS_FINAL), run) ||
         failed("put", pileus_put(run, field, &value, NULL), run) || failed("end", pileus_end(run), run) ||
         failed("finish", pileus_finish(run), run);
}

/* Both calls before MPI_Init, which no MPI allows. */
static int start_early(const char* configuration) {
  pileus_run *run = NULL, *second = NULL;
  const pileus_status started = pileus_start_mpi(MPI_COMM_WORLD, configuration, &run, NULL);
  const pileus_status served = pileus_serve_mpi(MPI_COMM_WORLD, &second);
  const int is_wrong = failed("start", started, run) && failed("serve", served, second);
  pileus_free(second);
  pileus_free(run);
  return is_wrong;
}

int main(int argc, char** argv) {
  int level = 0, is_wrong = 0;
  if (argc != 3) return 2;
  if (strcmp(argv[2], "early") == 0) return start_early(argv[1]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* how = argv[2];
  pileus_settings settings = pileus_settings_mpi(MPI_COMM_WORLD, argv[1]);
  const pileus_settings* given = &settings;
  if (strcmp(how, "size") == 0 || (strcmp(how, "one") == 0 && rank == 0))
    memset(&settings, 0, sizeof settings);
  if (strcmp(how, "nameless") == 0) settings.configuration = NULL;
  if (strcmp(how, "null") == 0) given = NULL;
  pileus_run *run = NULL, *second = NULL;
  pileus_status status = pileus_start(given, &run, NULL, NULL);
  is_wrong = failed("start", status, run);
  if (!is_wrong && strcmp(how, "twice") == 0) {
    status = pileus_start(given, &second, NULL, NULL);
    is_wrong = failed("second start", status, second);
    pileus_free(second);
    compute(run);
  }
  pileus_free(run);
  MPI_Finalize();
  return is_wrong;
}
