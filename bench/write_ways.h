#pragma once
/* What the ways of write_model write, and how each of them does it. */
#include <mpi.h>
#include <stddef.h>

/* Fields of doubles, z slowest and x fastest. Each rank has some rows of all levels. */
struct output {
  MPI_Comm model;
  int rank, ranks;
  size_t nx, ny, nz;
  size_t first_row, rows;
  int fields, records;
  int deflate; /* 0: not compressed */
  double** values;
  const char *configuration, *directory;
};

/* Every rank calls each of them, begin within the time that is measured. After `end` the file has its name
   and is on the disk. */
struct way {
  const char* name;
  void (*begin)(const struct output*);
  void (*write)(const struct output*, int record);
  void (*end)(const struct output*);
};

extern const struct way
    library_ways[]; /* of parallel libraries, as many as there are; the last has no name */

void give_up(const char* why);
size_t first_row_of(const struct output* out, int rank);
size_t slab_cells(const struct output* out);
/* The name under which the file is written, and syncs it and gives it its own name; on rank 0. */
const char* temporary_path(const struct output* out);
void publish(const struct output* out);
