/* One component of a job of several, each of which is a program of its own under one mpirun.
 *
 *   pileus_components_model [--component NAME] [--config RUN.XML] [--directory .] [--size 40] [--steps 12]
 *                           [--length 1] [--calendar CALENDAR] [--servers-total N] [--serve]
 *                           [--checkpoint-every STEPS] [--continue] [--die-after STEPS]
 *                           [--partner RANK --exchange-every STEPS] [--option KEY=VALUE] [--runs 1]
 *
 * Fields "t" and "s" lie on "x", spread over the ranks of the component; their values follow from the size,
 * the point and the time. --partner: every so many steps rank 0 exchanges a number with that rank of the job,
 * rank 0 of another component, and the others wait for it, as coupled models do. --serve: the ranks of this
 * program serve. --die-after: all is killed when that step has ended and a checkpoint of it is there.
 * --continue: after the newest checkpoint in the directory. --runs: so many, one after the other, whose
 * option "number" counts them. */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *component = NULL, *config = NULL, *directory = ".", *calendar = NULL, *option = NULL;
static int size = 40, steps = 12, servers_total = 0, is_server = 0, checkpoint_every = 0, continues = 0,
           die_after = 0, partner = -1, exchange_every = 1, runs = 1;
static double length_s = 1;
static pileus_run* run = NULL;

/* The error of a start or a commit is that of all ranks, which then leave in order. */
static void check(const char* call, pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s: %s: status %d: %s\n", component != NULL ? component : "", call, (int)status,
          pileus_error(run));
  fflush(stderr);
  pileus_free(run);
  MPI_Finalize();
  exit(1);
}

static void read_arguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(name, "--serve") == 0) {
      is_server = 1;
      continue;
    }
    if (strcmp(name, "--continue") == 0) {
      continues = 1;
      continue;
    }
    if (strcmp(name, "--component") == 0) component = value;
    if (strcmp(name, "--config") == 0) config = value;
    if (strcmp(name, "--directory") == 0) directory = value;
    if (strcmp(name, "--calendar") == 0) calendar = value;
    if (strcmp(name, "--option") == 0) option = value;
    if (strcmp(name, "--size") == 0) size = atoi(value);
    if (strcmp(name, "--steps") == 0) steps = atoi(value);
    if (strcmp(name, "--length") == 0) length_s = atof(value);
    if (strcmp(name, "--servers-total") == 0) servers_total = atoi(value);
    if (strcmp(name, "--checkpoint-every") == 0) checkpoint_every = atoi(value);
    if (strcmp(name, "--die-after") == 0) die_after = atoi(value);
    if (strcmp(name, "--runs") == 0) runs = atoi(value);
    if (strcmp(name, "--partner") == 0) partner = atoi(value);
    if (strcmp(name, "--exchange-every") == 0) exchange_every = atoi(value);
    ++i;
  }
}

/* A server that the rank hosts goes on meanwhile. */
static void rest(void) {
  check("progress", pileus_progress(run));
  usleep(200);
}

/* What coupled models do: one waits for the other. It naps, as there may be more ranks than cores. */
static void exchange(MPI_Comm model, int rank, int step) {
  if (partner >= 0 && step % exchange_every == 0 && rank == 0) {
    int theirs = 0, is_there = 0;
    MPI_Request sent, received;
    MPI_Isend(&step, 1, MPI_INT, partner, 7, MPI_COMM_WORLD, &sent);
    MPI_Irecv(&theirs, 1, MPI_INT, partner, 7, MPI_COMM_WORLD, &received);
    for (; !is_there; rest()) MPI_Test(&received, &is_there, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  }
  MPI_Request barrier;
  MPI_Ibarrier(model, &barrier);
  for (int is_there = 0; !is_there; rest()) MPI_Test(&barrier, &is_there, MPI_STATUS_IGNORE);
}

static int64_t newest_checkpoint(void) {
  int64_t newest = 0;
  int count = 0;
  pileus_component_checkpoints(directory, component, &newest, 1, &count);
  return count > 0 ? newest : 0;
}

static void compute(MPI_Comm model, int number) {
  int rank = 0, ranks = 1, t = -1, s = -1;
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  const int64_t first = (int64_t)size * rank / ranks, count = (int64_t)size * (rank + 1) / ranks - first;
  const char* x[] = {"x"};
  if (option != NULL) {
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)(strchr(option, '=') - option), option);
    check("option", pileus_option(run, key, strchr(option, '=') + 1));
  }
  if (runs > 1) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    check("option", pileus_option(run, "number", text));
  }
  if (calendar != NULL) check("calendar", pileus_calendar(run, calendar, "2001-02-28 00:00:00"));
  check("dimension", pileus_dimension(run, "x", size, NULL, NULL));
  check("field", pileus_field(run, "t", PILEUS_DOUBLE, 1, x, &first, &count, &t));
  check("field", pileus_field(run, "s", PILEUS_DOUBLE, 1, x, &first, &count, &s));
  int64_t begin = 0;
  if (continues && rank == 0) begin = newest_checkpoint();
  MPI_Bcast(&begin, 1, MPI_INT64_T, 0, model);
  if (begin > 0) check("continue", pileus_continue(run, begin));
  if (rank == 0 && continues) printf("%s goes on after step %d\n", component, (int)begin);
  check("commit", pileus_commit(run));
  double* values = malloc(sizeof(double) * (size_t)(count + 1));
  for (int step = (int)begin + 1; step <= steps; ++step) {
    int flags = step == steps ? PILEUS_FINAL : 0;
    if (checkpoint_every > 0 && step % checkpoint_every == 0) flags |= PILEUS_CHECKPOINT;
    exchange(model, rank, step);
    check("begin", pileus_begin(run, step, step * length_s, length_s, flags));
    for (int64_t i = 0; i < count; ++i)
      values[i] = size + 0.1 * (double)((first + i) * step % 97) - 1e-3 * step * length_s;
    check("put", pileus_put(run, t, values, NULL));
    for (int64_t i = 0; i < count; ++i) values[i] *= 1e6 / (double)(1 + (first + i + step) % 7);
    check("put", pileus_put(run, s, values, NULL));
    check("end", pileus_end(run));
    if (die_after > 0 && step >= die_after && rank == 0) {
      for (; newest_checkpoint() < die_after; usleep(1000)) check("progress", pileus_progress(run));
      usleep(20000);
      raise(SIGKILL);
    }
  }
  free(values);
  check("finish", pileus_finish(run));
  if (rank == 0) printf("%s has ended\n", component != NULL ? component : "the model");
  fflush(stdout);
}

int main(int argc, char** argv) {
  int level = 0;
  read_arguments(argc, argv);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  if (is_server) {
    check("serve", pileus_serve_mpi(MPI_COMM_WORLD, &run));
    pileus_free(run);
  }
  for (int number = 1; number <= runs && !is_server; ++number) {
    pileus_settings settings = pileus_settings_mpi(MPI_COMM_WORLD, config);
    settings.directory = directory;
    settings.component = component;
    settings.servers_total = servers_total;
    int32_t model = 0;
    pileus_role role = PILEUS_MODEL;
    check("start", pileus_start(&settings, &run, &model, &role));
    if (role == PILEUS_MODEL) compute(MPI_Comm_f2c((MPI_Fint)model), number);
    pileus_free(run);
  }
  MPI_Finalize();
  return 0;
}
