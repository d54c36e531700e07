/* A model that does nothing but write its fields, in one of several ways. write.py runs it.

     write_model WAY CONFIGURATION DIRECTORY NX NY NZ FIELDS RECORDS BUSY_MS DEFLATE

   Prints the seconds from the first record in memory until the file has its name and is on the disk; of these
   the seconds after the last record was handed over, and those until the first one was; and the longest that
   one took on rank 0. Before each record the model is busy for so many ms. */
#include "write_ways.h"

#include <fcntl.h>
#include <math.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pileus_run* run = NULL;
static int *numbers, shared_file = -1;

void give_up(const char* why) {
  fprintf(stderr, "write_model: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

size_t first_row_of(const struct output* out, int rank) {
  return out->ny * (size_t)rank / (size_t)out->ranks;
}

size_t slab_cells(const struct output* out) { return out->nx * out->rows * out->nz; }

const char* temporary_path(const struct output* out) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/.fields.part", out->directory);
  return path;
}

static void sync_path(const char* path, int flags) {
  const int file = open(path, flags);
  if (file < 0 || fsync(file) != 0 || close(file) != 0) give_up("cannot sync");
}

void publish(const struct output* out) {
  char path[4096];
  snprintf(path, sizeof path, "%s/fields.nc", out->directory);
  sync_path(temporary_path(out), O_WRONLY);
  if (rename(temporary_path(out), path) != 0) give_up("cannot rename");
  sync_path(out->directory, O_RDONLY | O_DIRECTORY);
}

static void check(pileus_status status) {
  if (status != PILEUS_OK) give_up(pileus_error(run));
}

/* POSIX: the same numbers at the same distances, in one file that all ranks write. */
static void begin_posix(const struct output* out) {
  if (out->rank == 0) shared_file = open(temporary_path(out), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  MPI_Barrier(out->model);
  if (out->rank != 0) shared_file = open(temporary_path(out), O_WRONLY);
  if (shared_file < 0) give_up("cannot open");
}

static void write_at(size_t offset, const void* bytes, size_t length) {
  enum { MOST_AT_ONCE = 1 << 20 };
  for (size_t done = 0; done < length;) {
    const size_t size = length - done < MOST_AT_ONCE ? length - done : MOST_AT_ONCE;
    const ssize_t wrote = pwrite(shared_file, (const char*)bytes + done, size, (off_t)(offset + done));
    if (wrote <= 0) give_up("cannot write");
    done += (size_t)wrote;
  }
}

static void write_posix(const struct output* out, int record) {
  const size_t levels = out->ranks == 1 ? 1 : out->nz; /* one rank's levels lie together */
  const size_t level = out->nx * out->ny, piece = slab_cells(out) / levels;
  for (int f = 0; f < out->fields; ++f) {
    const size_t field = ((size_t)record * (size_t)out->fields + (size_t)f) * level * out->nz;
    for (size_t z = 0; z < levels; ++z) {
      const size_t first = field + z * level + out->first_row * out->nx;
      write_at(first * sizeof(double), out->values[f] + z * piece, piece * sizeof(double));
    }
  }
}

static void end_posix(const struct output* out) {
  if (close(shared_file) != 0) give_up("cannot close");
  MPI_Barrier(out->model);
  if (out->rank == 0) publish(out);
}

static void start_pileus(struct output* out) {
  int32_t model;
  pileus_settings settings = pileus_settings_mpi(MPI_COMM_WORLD, out->configuration);
  settings.directory = out->directory;
  check(pileus_start(&settings, &run, &model, NULL));
  out->model = MPI_Comm_f2c(model);
}

static void commit(const struct output* out) {
  const char* const dimensions[] = {"x", "y", "z"};
  const int64_t sizes[] = {(int64_t)out->nx, (int64_t)out->ny, (int64_t)out->nz};
  const int64_t start[] = {0, (int64_t)out->first_row, 0};
  const int64_t count[] = {sizes[0], (int64_t)out->rows, sizes[2]};
  for (int d = 0; d < 3; ++d) check(pileus_dimension(run, dimensions[d], sizes[d], NULL, NULL));
  numbers = malloc((size_t)out->fields * sizeof *numbers);
  if (!numbers) give_up("no memory");
  for (int f = 0; f < out->fields; ++f) {
    char name[20];
    snprintf(name, sizeof name, "field_%d", f);
    check(pileus_field(run, name, PILEUS_DOUBLE, 3, dimensions, start, count, &numbers[f]));
  }
  check(pileus_commit(run));
}

static void begin_pileus(const struct output* out) { (void)out; }

static void write_pileus(const struct output* out, int record) {
  check(pileus_begin(run, record + 1, record + 1, 1, record + 1 == out->records ? PILEUS_FINAL : 0));
  for (int f = 0; f < out->fields; ++f) check(pileus_put(run, numbers[f], out->values[f], NULL));
  check(pileus_end(run));
}

static void end_pileus(const struct output* out) {
  (void)out;
  check(pileus_finish(run));
}

static const struct way own_ways[] = {{"posix", begin_posix, write_posix, end_posix},
                                      {"pileus", begin_pileus, write_pileus, end_pileus},
                                      {NULL, NULL, NULL, NULL}};

static const struct way* find_way(const char* name) {
  for (const struct way* way = own_ways; way->name; ++way) {
    if (strcmp(way->name, name) == 0) return way;
  }
  for (const struct way* way = library_ways; way->name; ++way) {
    if (strcmp(way->name, name) == 0) return way;
  }
  return NULL;
}

/* Smooth, with so much noise that compression halves it; the same whatever ranks there are. */
static double value_at(const struct output* out, int field, size_t x, size_t y, size_t z) {
  const uint64_t place = ((uint64_t)z * out->ny + y) * out->nx + x;
  const uint64_t noise = (place + (uint64_t)field * 7919 + 1) * 0x9E3779B97F4A7C15u;
  const double smooth = 290 + 5 * sin(0.05 * (double)x) * cos(0.03 * (double)y) + 0.1 * (double)z;
  return floor(65536 * smooth) / 65536 + (double)(noise >> 56) / 16777216;
}

static void make_fields(struct output* out) {
  out->first_row = first_row_of(out, out->rank);
  out->rows = first_row_of(out, out->rank + 1) - out->first_row;
  out->values = malloc((size_t)out->fields * sizeof *out->values);
  if (!out->values) give_up("no memory");
  for (int f = 0; f < out->fields; ++f) {
    double* to = out->values[f] = malloc(slab_cells(out) * sizeof *to);
    if (!to) give_up("no memory");
    for (size_t z = 0; z < out->nz; ++z) {
      for (size_t y = out->first_row; y < out->first_row + out->rows; ++y) {
        for (size_t x = 0; x < out->nx; ++x) *to++ = value_at(out, f, x, y, z);
      }
    }
  }
}

static void be_busy(double seconds) {
  for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < seconds;) continue;
}

static void measure(const struct output* out, const struct way* way, double busy_s) {
  MPI_Barrier(out->model);
  const double begin = MPI_Wtime();
  double first_s = 0, longest_s = 0;
  way->begin(out);
  for (int record = 0; record < out->records; ++record) {
    be_busy(busy_s);
    if (out->rank == 0) out->values[0][0] += 1;
    const double before = MPI_Wtime();
    way->write(out, record);
    const double took_s = MPI_Wtime() - before;
    if (record == 0) first_s = MPI_Wtime() - begin - busy_s;
    if (record > 0 && took_s > longest_s) longest_s = took_s;
  }
  const double handed_over = MPI_Wtime();
  way->end(out);
  MPI_Barrier(out->model);
  const double end = MPI_Wtime();
  if (out->rank == 0) {
    printf("written in %.9f s, after the last %.9f s, the first %.9f s, the longest %.9f s\n", end - begin,
           end - handed_over, first_s, longest_s);
  }
}

int main(int argc, char** argv) {
  if (argc != 11) return 2;
  const struct way* const way = find_way(argv[1]);
  if (!way) return 3;
  struct output out = {.model = MPI_COMM_WORLD, .configuration = argv[2], .directory = argv[3]};
  out.nx = (size_t)atoi(argv[4]), out.ny = (size_t)atoi(argv[5]), out.nz = (size_t)atoi(argv[6]);
  out.fields = atoi(argv[7]), out.records = atoi(argv[8]), out.deflate = atoi(argv[10]);
  const int is_pileus = strcmp(way->name, "pileus") == 0;
  int threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  if (is_pileus) start_pileus(&out);
  MPI_Comm_rank(out.model, &out.rank);
  MPI_Comm_size(out.model, &out.ranks);
  if (out.ny < (size_t)out.ranks || out.nx < 1 || out.nz < 1 || out.fields < 1 || out.records < 1)
    give_up("sizes that are too small");
  make_fields(&out);
  if (is_pileus) commit(&out);

  measure(&out, way, atof(argv[9]) / 1000);

  if (is_pileus) pileus_free(run);
  MPI_Finalize();
}
