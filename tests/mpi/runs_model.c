/* A model that is hard on the start and the end of runs: several of them one after the other, with ranks that
 * have no part of a group, and ranks that wait for each other in the middle of a step.
 *
 *   pileus_runs_model DIRECTORY SERVERS... -- CONFIGURATION...
 *
 * A run for each configuration, in DIRECTORY/1, DIRECTORY/2, ..., with as many servers among the ranks as the
 * number at its place says (0: attached, or whatever serves in other programs). "@0,3" instead of a number:
 * ranks 0 and 3 call pileus_serve. Fields u(x) and v(x) lie on
 * all model ranks but the first, if there are others; field edge(y) lies on the last one. In the middle of
 * each step every rank waits for all others. Option number is 1 in the first run, 2 in the second. */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

enum { COUNT = 60000, EDGE = 5, STEPS = 12 };

static pileus_run* run = NULL;

/* Every rank has an error of the start, so that all leave in order, as after a wrong configuration. */
static void check(const char* call, pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s: status %d: %s\n", call, (int)status, pileus_error(run));
  const int is_of_start = strcmp(call, "start") == 0 || strcmp(call, "serve") == 0;
  const int have_all = is_of_start || status == PILEUS_ERROR_CONFIG || status == PILEUS_ERROR_OUTPUT;
  if (!have_all) MPI_Abort(MPI_COMM_WORLD, 1);
  pileus_free(run);
  MPI_Finalize();
  exit(1);
}

static void compute(MPI_Comm model, int number) {
  int rank = 0, ranks = 1, u = -1, v = -1, edge = -1;
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  /* The first rank, which owns files, has nothing that could make it wait for memory. */
  const int part = ranks > 1 ? rank - 1 : 0, parts = ranks > 1 ? ranks - 1 : 1;
  const int64_t first = part < 0 ? 0 : (int64_t)COUNT * part / parts;
  const int64_t count = (int64_t)COUNT * (part + 1) / parts - first;
  const int has_edge = rank == ranks - 1;
  const int64_t none = 0, all = EDGE, nothing = 0;
  const char *x[] = {"x"}, *y[] = {"y"};
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  check("option", pileus_option(run, "number", text));
  check("dimension", pileus_dimension(run, "x", COUNT, NULL, NULL));
  check("dimension", pileus_dimension(run, "y", EDGE, NULL, NULL));
  check("field", pileus_field(run, "u", PILEUS_DOUBLE, 1, x, &first, &count, &u));
  check("field", pileus_field(run, "v", PILEUS_DOUBLE, 1, x, &first, &count, &v));
  check("field", pileus_field(run, "edge", PILEUS_DOUBLE, 1, y, &none, has_edge ? &all : &nothing, &edge));
  check("commit", pileus_commit(run));
  double* values = malloc(sizeof(double) * (size_t)(count + EDGE));
  for (int step = 1; step <= STEPS; ++step) {
    for (int64_t i = 0; i < count + EDGE; ++i)
      values[i] = 1000.0 * number + step + 1e-6 * (double)(first + i);
    check("begin", pileus_begin(run, step, step, 1.0, step == STEPS ? PILEUS_FINAL : 0));
    check("put", pileus_put(run, u, values, NULL));
    MPI_Barrier(model);
    check("put", pileus_put(run, v, values, NULL));
    for (int i = 0; i < EDGE; ++i) values[i] = 100.0 * number + step + 0.01 * i;
    check("put", pileus_put(run, edge, values, NULL));
    check("end", pileus_end(run));
  }
  free(values);
  check("finish", pileus_finish(run));
}

/* Whether the list "@0,3" has the rank. */
static int is_chosen(const char* list, int rank) {
  while (*list == '@' || *list == ',') {
    char* end = NULL;
    if (strtol(list + 1, &end, 10) == rank) return 1;
    list = end;
  }
  return 0;
}

/* How many heaps the C library has made for the threads of this process; 0 where it does not tell. */
static int heaps(void) {
  int count = 0;
#if defined(__GLIBC__)
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  if (file == NULL || malloc_info(0, file) != 0) return 0;
  fclose(file);
  for (const char* heap = text; (heap = strstr(heap, "<heap ")) != NULL; ++heap) ++count;
  free(text);
#endif
  return count;
}

/* What a model may still ask of its last run when MPI is over. */
static void summarize(int rank) {
  double inside_s = -1, waiting_s = -1;
  if (pileus_time(run, &inside_s, &waiting_s) == PILEUS_OK)
    printf("rank %d was inside for more than 0 s: %d; wants a field: %d\n", rank, inside_s > 0,
           pileus_wanted(run, 0));
  else
    printf("rank %d: %s\n", rank, pileus_error(run));
}

int main(int argc, char** argv) {
  int runs = 0, level = 0, served = 0, rank = 0;
  while (runs + 2 < argc && strcmp(argv[runs + 2], "--") != 0) ++runs;
  if (runs == 0 || argc != 2 * runs + 3) return 2;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int heaps_at_start = heaps();
  for (int i = 0; i < runs; ++i) {
    char directory[4096];
    snprintf(directory, sizeof directory, "%s/%d", argv[1], i + 1);
    pileus_settings settings = pileus_settings_mpi(MPI_COMM_WORLD, argv[runs + 3 + i]);
    settings.directory = directory;
    int32_t model = 0;
    pileus_role role = is_chosen(argv[2 + i], rank) ? PILEUS_SERVER : PILEUS_MODEL;
    settings.servers_total = argv[2 + i][0] == '@' ? 0 : atoi(argv[2 + i]);
    if (role == PILEUS_SERVER)
      check("serve", pileus_serve_mpi(MPI_COMM_WORLD, &run));
    else
      check("start", pileus_start(&settings, &run, &model, &role));
    if (role == PILEUS_SERVER)
      ++served;
    else
      compute(MPI_Comm_f2c(model), i + 1);
    if (i + 1 < runs) pileus_free(run);
  }
  printf("rank %d served %d times\n", rank, served);
  if (served == runs) printf("rank %d: %d more heaps\n", rank, heaps() - heaps_at_start);
  MPI_Finalize();
  summarize(rank);
  pileus_free(run);
  return 0;
}
