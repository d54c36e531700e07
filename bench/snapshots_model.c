/* A small model that writes snapshots: four fields of SIZE^3 cells a rank that diffuse, of which all values
   go out every EVERY steps of 1 s. snapshots.py runs it without output, with Pileus, and writing its own
   bytes. TIMES: a file that gets the seconds of each step.

     snapshots_model none|own|pileus CONFIGURATION DIRECTORY SIZE STEPS EVERY [TIMES] */
#include <fcntl.h>
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS = 4 };

static pileus_run* run = NULL;
static int size, numbers[FIELDS];
static double *now[FIELDS], *next[FIELDS];

static void give_up(const char* why) {
  fprintf(stderr, "snapshots_model: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(pileus_status status) {
  if (status != PILEUS_OK) give_up(pileus_error(run));
}

static size_t cells(void) { return (size_t)size * (size_t)size * (size_t)size; }

static void make_fields(void) {
  for (int f = 0; f < FIELDS; ++f) {
    now[f] = malloc(cells() * sizeof(double));
    next[f] = malloc(cells() * sizeof(double));
    if (!now[f] || !next[f]) give_up("no memory");
    for (size_t i = 0; i < cells(); ++i) now[f][i] = next[f][i] = 290 + f + (double)(i * 7 % 1013) / 97;
  }
}

/* Cells of the border stay as they are. */
static void diffuse(double** from, double** to) {
  const size_t row = (size_t)size, plane = row * row;
  const double* const a = *from;
  double* const b = *to;
  for (size_t x = 1; x + 1 < row; ++x) {
    for (size_t y = 1; y + 1 < row; ++y) {
      for (size_t i = x * plane + y * row + 1; i < x * plane + (y + 1) * row - 1; ++i) {
        b[i] = a[i] +
               0.1 * (a[i - 1] + a[i + 1] + a[i - row] + a[i + row] + a[i - plane] + a[i + plane] - 6 * a[i]);
      }
    }
  }
  *from = b;
  *to = (double*)a;
}

/* Ranks lie side by side in x. */
static void start(const char* configuration, const char* directory) {
  pileus_settings settings = pileus_settings_mpi(MPI_COMM_WORLD, configuration);
  settings.directory = directory;
  int32_t model;
  int rank, ranks;
  check(pileus_start(&settings, &run, &model, NULL));
  MPI_Comm_rank(MPI_Comm_f2c(model), &rank);
  MPI_Comm_size(MPI_Comm_f2c(model), &ranks);
  const char* const dimensions[] = {"z", "y", "x"};
  const int64_t count[] = {size, size, size}, first[] = {0, 0, (int64_t)rank * size};
  for (int d = 0; d < 3; ++d)
    check(pileus_dimension(run, dimensions[d], d < 2 ? size : (int64_t)ranks * size, NULL, NULL));
  for (int f = 0; f < FIELDS; ++f) {
    char name[20];
    snprintf(name, sizeof name, "field_%d", f);
    check(pileus_field(run, name, PILEUS_DOUBLE, 3, dimensions, first, count, &numbers[f]));
  }
  check(pileus_commit(run));
}

static void hand_over(int step, int is_last) {
  check(pileus_begin(run, step, step, 1, is_last ? PILEUS_FINAL : 0));
  for (int f = 0; f < FIELDS; ++f) {
    if (pileus_wanted(run, numbers[f])) check(pileus_put(run, numbers[f], now[f], NULL));
  }
  check(pileus_end(run));
}

/* As plain as can be: a file for each rank and snapshot, without metadata. */
static void write_own(const char* directory, int rank, int step) {
  char path[4096];
  snprintf(path, sizeof path, "%s/own_%d_%d", directory, step, rank);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (int f = 0; f < FIELDS; ++f) {
    const size_t bytes = cells() * sizeof(double);
    for (size_t done = 0; done < bytes;) {
      const ssize_t wrote = write(file, (const char*)now[f] + done, bytes - done);
      if (wrote <= 0) give_up("cannot write");
      done += (size_t)wrote;
    }
  }
  if (fsync(file) != 0 || close(file) != 0) give_up("cannot write");
}

int main(int argc, char** argv) {
  if (argc != 7 && argc != 8) return 2;
  int threads, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int has_pileus = strcmp(argv[1], "pileus") == 0, writes = strcmp(argv[1], "own") == 0;
  size = atoi(argv[4]);
  const int steps = atoi(argv[5]), every = atoi(argv[6]);
  if (size < 3 || steps < 1 || every < 1) return 2;
  make_fields();
  if (has_pileus) start(argv[2], argv[3]);

  FILE* const times = argc == 8 && rank == 0 ? fopen(argv[7], "w") : NULL;
  const double begin = MPI_Wtime();
  double last = begin;
  for (int step = 1; step <= steps; ++step) {
    for (int f = 0; f < FIELDS; ++f) diffuse(&now[f], &next[f]);
    if (has_pileus) hand_over(step, step == steps);
    if (writes && step % every == 0) write_own(argv[3], rank, step);
    if (times) {
      const double now_s = MPI_Wtime();
      fprintf(times, "%.9f\n", now_s - last);
      last = now_s;
    }
  }
  if (times) fclose(times);
  if (has_pileus) {
    check(pileus_finish(run));
    pileus_free(run);
  }
  if (rank == 0) printf("model %.9f s\n", MPI_Wtime() - begin);
  MPI_Finalize();
}
