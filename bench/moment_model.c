/* A model that communicates much: two ranks compute in blocks, and exchange halos after each step. Rank 0
   hands a field over, to a server on another host. moment.py runs it without output, with Pileus, with
   pileus_progress between blocks, and with pileus_flush before the exchanges.

     moment_model none|plain|progress|flush CONFIGURATION DIRECTORY CELLS STEPS COMPUTE_MS */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 50, EXCHANGES = 40, HALO = 2048 };

static pileus_run* run = NULL;

static void give_up(const char* why) {
  fprintf(stderr, "moment_model: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(pileus_status status) {
  if (status != PILEUS_OK) give_up(pileus_error(run));
}

static int start(const char* configuration, const char* directory, int64_t cells, MPI_Comm* model) {
  pileus_settings settings = pileus_settings_mpi(MPI_COMM_WORLD, configuration);
  settings.directory = directory;
  int32_t ours;
  int number, rank, ranks;
  check(pileus_start(&settings, &run, &ours, NULL));
  *model = MPI_Comm_f2c(ours);
  MPI_Comm_rank(*model, &rank);
  MPI_Comm_size(*model, &ranks);
  const char* const dimensions[] = {"x"};
  /* The other rank has one cell: what it waits for is the exchanges alone. */
  const int64_t first[] = {rank == 0 ? 0 : cells + rank - 1}, count[] = {rank == 0 ? cells : 1};
  check(pileus_dimension(run, "x", cells + ranks - 1, NULL, NULL));
  check(pileus_field(run, "field", PILEUS_DOUBLE, 1, dimensions, first, count, &number));
  check(pileus_commit(run));
  return number;
}

/* Computes for so long, and lets messages go on between the blocks if it is to. */
static void compute(double seconds, int progresses, double* work) {
  for (int block = 1; block <= BLOCKS; ++block) {
    const double until = MPI_Wtime() + seconds / BLOCKS;
    while (MPI_Wtime() < until)
      for (int i = 0; i < HALO; ++i) work[i] = 0.999 * work[i] + 0.5;
    if (progresses) check(pileus_progress(run));
  }
}

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  int threads, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  const char* const way = argv[1];
  const int has_output = strcmp(way, "none") != 0, progresses = strcmp(way, "progress") == 0;
  const int flushes = strcmp(way, "flush") == 0;
  const int64_t cells = atoll(argv[4]);
  const int steps = atoi(argv[5]);
  const double compute_s = atof(argv[6]) / 1000;
  if (cells < 1 || steps < 1 || compute_s <= 0) return 2;
  MPI_Comm model = MPI_COMM_WORLD;
  const int field = has_output ? start(argv[2], argv[3], cells, &model) : -1;
  MPI_Comm_rank(model, &rank);
  double* const values = malloc((size_t)cells * sizeof(double));
  static double work[HALO], ours[HALO], theirs[HALO];
  if (!values) give_up("no memory");
  for (int64_t i = 0; i < cells; ++i) values[i] = (double)i;

  double exchange_s = 0, output_s = 0;
  MPI_Barrier(model);
  const double begin = MPI_Wtime();
  for (int step = 1; step <= steps; ++step) {
    const double before = MPI_Wtime();
    if (has_output) {
      check(pileus_begin(run, step, step, 1, step == steps ? PILEUS_FINAL : 0));
      check(pileus_put(run, field, values, NULL));
      check(pileus_end(run));
    }
    if (has_output && flushes) check(pileus_flush(run));
    output_s += MPI_Wtime() - before;
    compute(compute_s, has_output && progresses, work);
    MPI_Barrier(model); /* what follows is no wait for the other's computing */
    const double meets = MPI_Wtime();
    for (int i = 0; i < EXCHANGES; ++i)
      MPI_Sendrecv(ours, HALO, MPI_DOUBLE, 1 - rank, 0, theirs, HALO, MPI_DOUBLE, 1 - rank, 0, model,
                   MPI_STATUS_IGNORE);
    exchange_s += MPI_Wtime() - meets;
  }
  const double all_s = MPI_Wtime() - begin;
  if (has_output) {
    check(pileus_finish(run));
    pileus_free(run);
  }
  if (rank == 0) printf("model %.9f s, exchanges %.9f s, output %.9f s\n", all_s, exchange_s, output_s);
  free(values);
  MPI_Finalize();
}
