/* A lake whose level falls, in C: a model that continues where it was, if it was there. Its own state is a
 * number, in level-STEP; files and checkpoints lie beside it, in the current directory. */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const double kLength = 2.5; /* s, of a step */

static pileus_run* run = NULL;

static void check(pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  if (status != PILEUS_ERROR_CONFIG && status != PILEUS_ERROR_OUTPUT) MPI_Abort(MPI_COMM_WORLD, 1);
  pileus_free(run);
  MPI_Finalize();
  exit(1);
}

static int read_level(long long step, double* level) {
  char name[64];
  snprintf(name, sizeof name, "level-%lld", step);
  FILE* file = fopen(name, "rb");
  if (file == NULL) return 0;
  const int is_read = fread(level, sizeof *level, 1, file) == 1;
  fclose(file);
  return is_read;
}

/* Aside, then under its name: it is there when it is whole. */
static void write_level(long long step, double level) {
  char name[64], aside[64];
  snprintf(name, sizeof name, "level-%lld", step);
  snprintf(aside, sizeof aside, ".level-%lld", step);
  FILE* file = fopen(aside, "wb");
  if (file == NULL || fwrite(&level, sizeof level, 1, file) != 1 || fclose(file) != 0 ||
      rename(aside, name) != 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void compute(MPI_Comm model, int64_t last) {
  int rank;
  MPI_Comm_rank(model, &rank);
  double level = 8;
  int level_field;
  check(pileus_field(run, "level", PILEUS_DOUBLE, 0, NULL, NULL, NULL, &level_field));

  /* docs: continue */
  int64_t step = 0;
  if (rank == 0) { /* the newest step of which Pileus and the model have the state */
    int64_t kept[2];
    int count;
    check(pileus_checkpoints(".", kept, 2, &count));
    for (int i = count < 2 ? count : 2; i-- > 0 && step == 0;)
      if (read_level(kept[i], &level)) step = kept[i];
  }
  MPI_Bcast(&step, 1, MPI_INT64_T, 0, model);
  MPI_Bcast(&level, 1, MPI_DOUBLE, 0, model);
  if (step > 0) check(pileus_continue(run, step));
  check(pileus_commit(run));
  /* docs: end */

  int due = PILEUS_NOT_DUE;
  while (step < last && due != PILEUS_DUE_AT_END) {
    ++step;
    level -= 0.001 * level * kLength;
    const double time = (double)step * kLength;

    /* docs: step */
    if (rank == 0) check(pileus_checkpoint_due(run, step, time, kLength, &due));
    MPI_Bcast(&due, 1, MPI_INT, 0, model);
    check(pileus_begin(run, step, time, kLength, due != PILEUS_NOT_DUE ? PILEUS_CHECKPOINT : 0));
    check(pileus_put(run, level_field, &level, NULL));
    check(pileus_end(run));
    if (due != PILEUS_NOT_DUE && rank == 0) write_level(step, level);
    /* docs: end */
  }
  check(pileus_finish(run));
}

int main(int argc, char** argv) {
  int threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  const pileus_settings settings = pileus_settings_mpi(MPI_COMM_WORLD, argc > 1 ? argv[1] : NULL);
  int32_t model;
  check(pileus_start(&settings, &run, &model, NULL));
  compute(MPI_Comm_f2c(model), argc > 2 ? atoi(argv[2]) : 50);
  pileus_free(run);
  MPI_Finalize();
}
