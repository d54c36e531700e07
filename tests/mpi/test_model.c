/* The model of the tests: fields of every kind on a z,y,x domain that is spread in y and x over any number
 * of ranks. Values are a function of (field, z, y, x, step) alone, of both signs and many magnitudes, and
 * cancel heavily in x and in time, so that a wrong order, a wrong weight or a lost rank shows.
 *
 *   pileus_test_model --config run.xml [--directory .] [--size 5,9,11] [--steps 40] [--uneven] [--alone]
 *                     [--sequence varying|tenth|spanning|days|hours] [--report] [--option key=value]...
 *
 *                     [--servers-total N | --servers-ratio N | --servers-per-node N]
 *                     [--roleless] [--single] [--checkpoint-every STEPS] [--continue] [--join FILE]
 *
 * --servers-*: ranks of this program that serve. --roleless: does not ask for its role. --single: with
 * MPI_THREAD_SINGLE. --uneven: parts of very different sizes, empty ones among them. --alone: without MPI.
 * --checkpoint-every: marks every so many steps. --continue: after the newest checkpoint in the directory, or
 * from the beginning if there is none; says so.
 * --static: "area" and "levels", which never change; with another number than 1 in --area they are not those
 * of other runs. --forget-static: does not put them.
 * --join: with servers that were launched apart; the port at which they join is written to the file.
 * --report: say the status of the call that failed, with its text, and exit with 0: the servers' status is
 * then the job's. */
#include <math.h>
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { W, THETA, PATH, CELLS, PARTIAL, HELD, DT, NUMBER, ICE, LAYERS, AREA, LEVELS, FIELDS };
enum { MOST_OPTIONS = 32, MOST_EVENTS = 8, AFTER_UNTIL = 3 };

typedef struct {
  const char *config, *directory, *sequence, *description, *port_file, *options[MOST_OPTIONS], *until,
      *events[MOST_EVENTS];
  int nz, ny, nx, steps, leaves, option_count, is_uneven, is_alone, is_report, is_forgetful, is_single;
  int ratio, per_node, per_socket, per_numa, total, is_roleless, checkpoint_every, continues, has_initial,
      is_static, no_static, closes, moves, event_count, asks;
  double area;
} Arguments;

static pileus_run* run = NULL;
static Arguments arguments = {
    .directory = ".", .sequence = "varying", .nz = 5, .ny = 9, .nx = 11, .steps = 40, .area = 1};
static int rank = 0, ranks = 1;
static int first_y, first_x, count_y, count_x; /* the part of this rank */

static void check(const char* call, pileus_status status) {
  if (status == PILEUS_OK) return;
  FILE* out = arguments.is_report ? stdout : stderr;
  fprintf(out, "model rank %d: %s: status %d: %s\n", rank, call, (int)status, pileus_error(run));
  fflush(out);
  /* Of servers that were lost each rank learns for itself, and MPI_Finalize would wait for them. */
  const int may_be_lost = arguments.port_file != NULL && status == PILEUS_ERROR_OUTPUT;
  const int is_known_to_all =
      (status == PILEUS_ERROR_CONFIG || status == PILEUS_ERROR_OUTPUT) && !may_be_lost;
  if (!is_known_to_all && !arguments.is_report && !arguments.is_alone) MPI_Abort(MPI_COMM_WORLD, 1);
  pileus_free(run);
  if (!arguments.is_alone) MPI_Finalize();
  exit(arguments.is_report ? 0 : 1);
}

static void wrong_usage(const char* argument) {
  fprintf(stderr, "test_model: wrong argument %s\n", argument);
  exit(2);
}

static void read_arguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
    int is_pair = 1;
    if (strcmp(name, "--config") == 0)
      arguments.config = value;
    else if (strcmp(name, "--directory") == 0)
      arguments.directory = value;
    else if (strcmp(name, "--describe") == 0)
      arguments.description = value;
    else if (strcmp(name, "--join") == 0)
      arguments.port_file = value;
    else if (strcmp(name, "--sequence") == 0)
      arguments.sequence = value;
    else if (strcmp(name, "--steps") == 0)
      arguments.steps = atoi(value);
    else if (strcmp(name, "--leave") == 0) /* rank 1 goes before this step */
      arguments.leaves = atoi(value);
    else if (strcmp(name, "--servers-ratio") == 0)
      arguments.ratio = atoi(value);
    else if (strcmp(name, "--servers-per-node") == 0)
      arguments.per_node = atoi(value);
    else if (strcmp(name, "--servers-per-socket") == 0)
      arguments.per_socket = atoi(value);
    else if (strcmp(name, "--servers-per-numa") == 0)
      arguments.per_numa = atoi(value);
    else if (strcmp(name, "--servers-total") == 0)
      arguments.total = atoi(value);
    else if (strcmp(name, "--checkpoint-every") == 0)
      arguments.checkpoint_every = atoi(value);
    else if (strcmp(name, "--option") == 0 && arguments.option_count < MOST_OPTIONS)
      arguments.options[arguments.option_count++] = value;
    else if (strcmp(name, "--event") == 0 && arguments.event_count < MOST_EVENTS) /* "7:storm" */
      arguments.events[arguments.event_count++] = value;
    else if (strcmp(name, "--until") == 0) /* few steps after this file is there are the last ones */
      arguments.until = value;
    else if (strcmp(name, "--area") == 0)
      arguments.area = atof(value);
    else if (strcmp(name, "--size") == 0) {
      if (sscanf(value, "%d,%d,%d", &arguments.nz, &arguments.ny, &arguments.nx) != 3) wrong_usage(value);
    } else {
      is_pair = 0;
      if (strcmp(name, "--uneven") == 0)
        arguments.is_uneven = 1;
      else if (strcmp(name, "--alone") == 0)
        arguments.is_alone = 1;
      else if (strcmp(name, "--forget") == 0) /* neither pileus_finish nor pileus_free */
        arguments.is_forgetful = 1;
      else if (strcmp(name, "--single") == 0)
        arguments.is_single = 1;
      else if (strcmp(name, "--continue") == 0)
        arguments.continues = 1;
      else if (strcmp(name, "--initial") == 0) /* hands over the state at the start */
        arguments.has_initial = 1;
      else if (strcmp(name, "--close") == 0) /* says afterwards which step was the last */
        arguments.closes = 1;
      else if (strcmp(name, "--moves") == 0) /* lets messages go on, and waits for them, in every step */
        arguments.moves = 1;
      else if (strcmp(name, "--asks") == 0) /* keeps the state of a step where that is due */
        arguments.asks = 1;
      else if (strcmp(name, "--static") == 0)
        arguments.is_static = 1;
      else if (strcmp(name, "--forget-static") == 0)
        arguments.no_static = 1;
      else if (strcmp(name, "--roleless") == 0)
        arguments.is_roleless = 1;
      else if (strcmp(name, "--report") == 0)
        arguments.is_report = 1;
      else
        wrong_usage(name);
    }
    i += is_pair;
  }
}

/* Length of step n; step 0 is the state at the start. */
static double length_of(int n) {
  if (n == 0) return 0;
  if (strcmp(arguments.sequence, "tenth") == 0) return 0.1;
  if (strcmp(arguments.sequence, "spanning") == 0) { /* of windows of some 10 s and files of some 50 s */
    const double lengths[] = {0.5, 37.25, 4.0, 71.3, 9.1, 1e-3, 120.6, 3.3};
    return lengths[n % 8];
  }
  if (strcmp(arguments.sequence, "days") == 0) return 77760 + 4320 * (n % 5); /* 0.9 to 1.1 of a day */
  if (strcmp(arguments.sequence, "hours") == 0) return 900 * (1 + n % 5) + (n % 31 == 0 ? 100000 : 0);
  if (strcmp(arguments.sequence, "varying") != 0) wrong_usage(arguments.sequence);
  return 1.25 + 0.75 * (n % 5) + (n % 7 == 0 ? 9.5 : 0.0);
}

/* Where part i of p begins in n: evenly, or in squares, the first one empty where p is large. */
static int first_of(int n, int i, int p) { return arguments.is_uneven ? n * i * i / (p * p) : n * i / p; }

static void decompose(void) {
  int px = 1;
  for (int p = 1; p * p <= ranks; ++p)
    if (ranks % p == 0) px = p;
  const int py = ranks / px;
  first_y = first_of(arguments.ny, rank / px, py);
  first_x = first_of(arguments.nx, rank % px, px);
  count_y = first_of(arguments.ny, rank / px + 1, py) - first_y;
  count_x = first_of(arguments.nx, rank % px + 1, px) - first_x;
}

/* 64 good bits of five numbers (the finalizer of splitmix64). */
static uint64_t mixed(int field, int z, int y, int x, int step) {
  uint64_t bits = 0;
  const int numbers[] = {field, z, y, x, step};
  for (int i = 0; i < 5; ++i) {
    bits = (bits ^ (uint64_t)(int64_t)numbers[i]) + 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
  }
  return bits;
}

/* A large number that its neighbours in x and in time take back, and a small one that remains. */
static double value_at(int field, int z, int y, int x, int step) {
  const int reach = field == THETA ? 20 : 40; /* powers of two: a float has to hold theta */
  const int power = (int)(mixed(field, z, y, x / 2, -1) % (2 * (uint64_t)reach + 1)) - reach;
  const double large = ldexp((double)(mixed(field, z, y, x / 2, step / 2) >> 11), power - 53);
  const double small = ldexp((double)(mixed(field, z, y, x, step) >> 11), power - 53 - 24);
  return ((x + step) % 2 == 0 ? large : -large) + small;
}

static int cells_at(int y, int x, int step) {
  return (int)(mixed(CELLS, 0, y, x, step) % 2000000001u) - 1000000000;
}

/* Of float -999.9 and of int -1 stand for no value: always, in some steps or never. */
static int has_value(int field, int y, int x, int step) {
  const uint64_t seldom = mixed(field, 1, y, x, -1) % 4;
  return seldom != 0 && (seldom != 1 || mixed(field, 2, y, x, step) % 2 == 0);
}
static float ice_at(int y, int x, int step) {
  return has_value(ICE, y, x, step) ? (float)value_at(ICE, 0, y, x, step) : -999.9F;
}
static int layers_at(int y, int x, int step) {
  return has_value(LAYERS, y, x, step) ? (int)(mixed(LAYERS, 0, y, x, step) % 7u) : -1;
}

static int add(const char* name, pileus_type type, int dimension_count, const char* const* dimensions,
               const int64_t* start, const int64_t* count) {
  int field = -1;
  check("pileus_field", pileus_field(run, name, type, dimension_count, dimensions, start, count, &field));
  return field;
}

static void register_all(int* fields) {
  const Arguments* a = &arguments;
  char text[32];
  snprintf(text, sizeof text, "%d", a->nx);
  check("pileus_option", pileus_option(run, "x_size", text));
  snprintf(text, sizeof text, "%d", a->ny);
  check("pileus_option", pileus_option(run, "y_size", text));
  for (int i = 0; i < a->option_count; ++i) {
    char key[256] = "";
    const char* equals = strchr(a->options[i], '=');
    if (equals == NULL || equals - a->options[i] >= (long)sizeof key) wrong_usage(a->options[i]);
    memcpy(key, a->options[i], (size_t)(equals - a->options[i]));
    check("pileus_option", pileus_option(run, key, equals + 1));
  }
  double* heights = malloc(sizeof(double) * (size_t)a->nz);
  for (int z = 0; z < a->nz; ++z) heights[z] = 12.5 * (z + 1) * (z + 2);
  check("pileus_dimension", pileus_dimension(run, "z", a->nz, heights, "m"));
  check("pileus_dimension", pileus_dimension(run, "y", a->ny, NULL, NULL));
  check("pileus_dimension", pileus_dimension(run, "x", a->nx, NULL, NULL));
  free(heights);

  const char* zyx[] = {"z", "y", "x"};
  const int64_t start[] = {0, first_y, first_x}, count[] = {a->nz, count_y, count_x};
  const int64_t columns[] = {(int64_t)count_y * count_x};
  fields[W] = add("w", PILEUS_DOUBLE, 3, zyx, start, count);
  fields[THETA] = add("theta", PILEUS_FLOAT, 3, zyx, start, count);
  fields[PATH] = add("path", PILEUS_DOUBLE, 2, zyx + 1, start + 1, count + 1);
  fields[CELLS] = add("cells", PILEUS_INT32, 2, zyx + 1, start + 1, count + 1);
  fields[PARTIAL] = add("path_local", PILEUS_DOUBLE, 1, NULL, NULL, columns); /* path, as the rank's own */
  fields[HELD] = add("columns_held", PILEUS_DOUBLE, 0, NULL, NULL, NULL);
  fields[DT] = add("dt", PILEUS_DOUBLE, 0, NULL, NULL, NULL);
  fields[NUMBER] = add("number", PILEUS_INT64, 0, NULL, NULL, NULL);
  check("pileus_field_metadata", pileus_field_metadata(run, fields[NUMBER], "1", NULL, "number of the step"));
  fields[ICE] = add("ice", PILEUS_FLOAT, 2, zyx + 1, start + 1, count + 1);
  fields[LAYERS] = add("layers", PILEUS_INT32, 2, zyx + 1, start + 1, count + 1);
  if (!a->is_static) return;
  fields[AREA] = add("area", PILEUS_DOUBLE, 2, zyx + 1, start + 1, count + 1);
  fields[LEVELS] = add("levels", PILEUS_FLOAT, 1, zyx, start, count);
  check("pileus_static", pileus_static(run, fields[AREA]));
  check("pileus_static", pileus_static(run, fields[LEVELS]));
}

static void put(const int* fields, int field, const void* first, const int64_t* byte_strides) {
  if (pileus_wanted(run, fields[field]))
    check("pileus_put", pileus_put(run, fields[field], first, byte_strides));
}

typedef struct {
  double *w, *path; /* dense */
  float* theta;     /* with a halo of one in y and x, which nobody may read */
  int32_t* cells;   /* x fastest: strides run the other way round */
  float* ice;       /* dense, and so are the layers */
  int32_t* layers;
} Memory;

static void hand_over(const int* fields, const Memory* memory, int step, double length) {
  const int nz = arguments.nz;
  const size_t theta_row = (size_t)nz * (size_t)(count_y + 2);
  size_t i = 0;
  for (int x = 0; x < count_x; ++x) {
    for (int y = 0; y < count_y; ++y, ++i) {
      const int gy = first_y + y, gx = first_x + x;
      for (int z = 0; z < nz; ++z) {
        memory->w[i * (size_t)nz + (size_t)z] = value_at(W, z, gy, gx, step);
        memory->theta[(size_t)(x + 1) * theta_row + (size_t)((y + 1) * nz + z)] =
            (float)value_at(THETA, z, gy, gx, step);
      }
      memory->path[i] = value_at(PATH, 0, gy, gx, step);
      memory->cells[y * count_x + x] = cells_at(gy, gx, step);
      memory->ice[i] = ice_at(gy, gx, step);
      memory->layers[i] = layers_at(gy, gx, step);
    }
  }
  const int64_t theta_strides[] = {sizeof(float), (int64_t)sizeof(float) * nz,
                                   (int64_t)(sizeof(float) * theta_row)};
  const int64_t cells_strides[] = {(int64_t)sizeof(int32_t) * count_x, sizeof(int32_t)};
  const double held = (double)count_y * count_x;
  const int64_t number = (int64_t)step * step * 1000003 - 5000000000;
  put(fields, W, memory->w, NULL);
  put(fields, THETA, memory->theta + theta_row + (size_t)nz, theta_strides);
  put(fields, PATH, memory->path, NULL);
  put(fields, CELLS, memory->cells, cells_strides);
  put(fields, PARTIAL, memory->path, NULL);
  put(fields, HELD, &held, NULL);
  put(fields, DT, &length, NULL);
  put(fields, NUMBER, &number, NULL);
  put(fields, ICE, memory->ice, NULL);
  put(fields, LAYERS, memory->layers, NULL);
}

/* Of what never changes: once, in the first step, if anybody wants it. */
static void hand_over_static(const int* fields) {
  const size_t columns = (size_t)count_y * (size_t)count_x;
  double* area = malloc(sizeof(double) * (columns + 1));
  float* levels = malloc(sizeof(float) * (size_t)arguments.nz);
  for (int x = 0, i = 0; x < count_x; ++x) {
    for (int y = 0; y < count_y; ++y, ++i)
      area[i] = arguments.area * (1 + (first_y + y) + 0.1 * (first_x + x));
  }
  for (int z = 0; z < arguments.nz; ++z) levels[z] = 0.5F * (float)z;
  put(fields, AREA, area, NULL);
  put(fields, LEVELS, levels, NULL);
  free(area);
  free(levels);
}

static Memory new_memory(void) {
  const size_t columns = (size_t)count_y * (size_t)count_x + 1, nz = (size_t)arguments.nz;
  const size_t with_halo = nz * (size_t)(count_y + 2) * (size_t)(count_x + 2);
  Memory memory = {malloc(sizeof(double) * columns * nz), malloc(sizeof(double) * columns),
                   malloc(sizeof(float) * with_halo),     malloc(sizeof(int32_t) * columns),
                   malloc(sizeof(float) * columns),       malloc(sizeof(int32_t) * columns)};
  for (size_t i = 0; i < with_halo; ++i) memory.theta[i] = NAN;
  return memory;
}

/* A server's part is over. */
static void go_home(pileus_status status) {
  if (arguments.is_report) printf("server ends with %d: %s\n", (int)status, pileus_error(run));
  pileus_free(run);
  MPI_Finalize();
  exit(status == PILEUS_OK || arguments.is_report ? 0 : 1);
}

static MPI_Comm model_communicator = MPI_COMM_NULL;

/* The newest step that there is a checkpoint of, the same on every rank; -1: there is none. */
static int64_t newest_checkpoint(void) {
  int64_t newest = -1;
  int count = 0;
  if (rank == 0) {
    if (pileus_checkpoints(arguments.directory, &newest, 1, &count) != PILEUS_OK) wrong_usage("--continue");
    if (count == 0) newest = -1;
    printf("continues after step %lld\n", (long long)newest);
    fflush(stdout);
  }
  if (!arguments.is_alone) MPI_Bcast(&newest, 1, MPI_INT64_T, 0, model_communicator);
  return newest;
}

static int agreed(int number) {
  if (!arguments.is_alone) MPI_Bcast(&number, 1, MPI_INT, 0, model_communicator);
  return number;
}

static int is_due(int step, double time, double length) {
  int due = PILEUS_NOT_DUE;
  if (!arguments.asks) return 0;
  if (rank == 0) check("pileus_checkpoint_due", pileus_checkpoint_due(run, step, time, length, &due));
  return agreed(due) != PILEUS_NOT_DUE;
}

/* What rank 0 says before the step; others may say it too. */
static void say_events(int step) {
  for (int i = 0; i < arguments.event_count; ++i) {
    const char* word = strchr(arguments.events[i], ':');
    if (word == NULL) wrong_usage(arguments.events[i]);
    if (atoi(arguments.events[i]) == step) check("pileus_event", pileus_event(run, word + 1));
  }
}

/* Takes its time until the file is there, as somebody looks at the run meanwhile. */
static void look_for_end(int step) {
  if (arguments.until == NULL) return;
  usleep(5000);
  if (!agreed(access(arguments.until, F_OK) == 0)) return;
  arguments.steps = step + AFTER_UNTIL < arguments.steps ? step + AFTER_UNTIL : arguments.steps;
  arguments.until = NULL;
}

static int flags_of(int step, double time, double length) {
  const int is_marked = (arguments.checkpoint_every > 0 && step % arguments.checkpoint_every == 0) ||
                        is_due(step, time, length);
  return (step == arguments.steps && !arguments.closes ? PILEUS_FINAL : 0) |
         (is_marked ? PILEUS_CHECKPOINT : 0);
}

static MPI_Comm servers_apart = MPI_COMM_NULL, with_servers = MPI_COMM_NULL;

/* Makes a communicator of the model's ranks and, behind them, those of the servers that join. */
static void join(void) {
  char port[MPI_MAX_PORT_NAME] = "", path[4096];
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    snprintf(path, sizeof path, "%s.part", arguments.port_file);
    FILE* file = fopen(path, "w");
    if (file == NULL || fputs(port, file) < 0 || fclose(file) != 0 || rename(path, arguments.port_file) != 0)
      wrong_usage("--join");
  }
  MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &servers_apart);
  MPI_Intercomm_merge(servers_apart, 0, &with_servers);
}

static void start(int* argc, char*** argv) {
  if (arguments.is_alone) {
    pileus_settings settings = PILEUS_SETTINGS_INIT;
    settings.configuration = arguments.config;
    settings.directory = arguments.directory;
    settings.describe_model = arguments.description;
    return check("pileus_start", pileus_start(&settings, &run, NULL, NULL));
  }
  int level = 0;
  MPI_Init_thread(argc, argv, arguments.is_single ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (arguments.port_file != NULL) join();
  const MPI_Comm all = arguments.port_file != NULL ? with_servers : MPI_COMM_WORLD;
  pileus_settings settings = pileus_settings_mpi(all, arguments.config);
  settings.directory = arguments.directory;
  settings.describe_model = arguments.description;
  settings.servers_total = arguments.total;
  settings.servers_ratio = arguments.ratio;
  settings.servers_per_node = arguments.per_node;
  settings.servers_per_socket = arguments.per_socket;
  settings.servers_per_numa = arguments.per_numa;
  int32_t model = 0;
  pileus_role role = PILEUS_MODEL;
  const pileus_status status = pileus_start(&settings, &run, &model, arguments.is_roleless ? NULL : &role);
  if (role == PILEUS_SERVER) return go_home(status);
  check("pileus_start", status);
  model_communicator = MPI_Comm_f2c(model);
  MPI_Comm_rank(model_communicator, &rank);
  MPI_Comm_size(model_communicator, &ranks);
}

int main(int argc, char** argv) {
  int fields[FIELDS];
  read_arguments(argc, argv);
  start(&argc, &argv);
  decompose();
  register_all(fields);
  const int64_t done = arguments.continues ? newest_checkpoint() : -1;
  if (done >= 0) check("pileus_continue", pileus_continue(run, done));
  check("pileus_commit", pileus_commit(run));

  const Memory memory = new_memory();
  double time = 0;
  for (int step = arguments.has_initial ? 0 : 1; step <= arguments.steps; ++step) {
    const double length = length_of(step);
    time += length;
    if (step <= done) continue;
    if (rank == 1 && step > 0 && step == arguments.leaves) break;
    look_for_end(step);
    say_events(step);
    check("pileus_begin", pileus_begin(run, step, time, length, flags_of(step, time, length)));
    hand_over(fields, &memory, step, length);
    if (arguments.is_static && !arguments.no_static) hand_over_static(fields);
    if (arguments.moves) check("pileus_progress", pileus_progress(run));
    check("pileus_end", pileus_end(run));
    if (arguments.moves) check("pileus_progress", pileus_progress(run));
    if (arguments.moves) check("pileus_flush", pileus_flush(run));
  }
  if (arguments.closes) {
    check("pileus_begin_closing", pileus_begin_closing(run));
    hand_over(fields, &memory, arguments.steps, length_of(arguments.steps));
    check("pileus_end", pileus_end(run));
  }
  const int has_left = rank == 1 && arguments.leaves > 0;
  if (!has_left && !arguments.is_forgetful) check("pileus_finish", pileus_finish(run));
  free(memory.w), free(memory.path), free(memory.theta), free(memory.cells), free(memory.ice),
      free(memory.layers);
  if (!arguments.is_forgetful) pileus_free(run);
  if (with_servers != MPI_COMM_NULL) MPI_Comm_free(&with_servers), MPI_Comm_disconnect(&servers_apart);
  if (!arguments.is_alone) MPI_Finalize();
  return 0;
}
