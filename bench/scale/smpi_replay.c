// Sends letters again that the program scale recorded, in SimGrid's MPI: at the same moments, between the
// same processes, of the same sizes. network.py runs it under smpirun. Each process of the recording is two
// here, on the same node, as one that waits for letters cannot watch the clock too: the lower half of the
// ranks sends, the upper half receives. It prints the number of each letter and when it had come.
//
//   smpi_replay LETTERS

#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

// As in world.h.
struct sent {
  uint32_t from, to;
  uint64_t size_bytes;
  double departs, arrives;
};

struct letters {
  const struct sent* all;
  int count;
};

static struct letters read_letters(const char* path) {
  struct letters letters = {NULL, 0};
  struct stat status;
  const int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &status) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  letters.count = (int)((size_t)status.st_size / sizeof(struct sent));
  letters.all = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
  if (letters.all == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
  return letters;
}

static void wait_until(double time) {
  const double left = time - MPI_Wtime();
  if (left <= 0) return;
  const time_t whole = (time_t)left;
  const struct timespec pause = {whole, (long)((left - (double)whole) * 1e9)};
  nanosleep(&pause, NULL);
}

// Letters are in the order in which they depart; the number of a letter is its tag.
static void send_all(struct letters letters, uint32_t self, int half, char* bytes) {
  MPI_Request* const requests = malloc(sizeof(MPI_Request) * (size_t)(letters.count + 1));
  int mine = 0;
  for (int i = 0; i < letters.count; ++i) {
    const struct sent* const letter = &letters.all[i];
    if (letter->from != self) continue;
    wait_until(letter->departs);
    MPI_Isend(bytes, (int)letter->size_bytes, MPI_BYTE, (int)letter->to + half, i, MPI_COMM_WORLD,
              &requests[mine++]);
  }
  MPI_Waitall(mine, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

static void receive_all(struct letters letters, uint32_t self, char* bytes) {
  MPI_Request* const requests = malloc(sizeof(MPI_Request) * (size_t)(letters.count + 1));
  int* const numbers = malloc(sizeof(int) * (size_t)(letters.count + 1));
  int mine = 0;
  for (int i = 0; i < letters.count; ++i) {
    const struct sent* const letter = &letters.all[i];
    if (letter->to != self) continue;
    MPI_Irecv(bytes, (int)letter->size_bytes, MPI_BYTE, (int)letter->from, i, MPI_COMM_WORLD,
              &requests[mine]);
    numbers[mine++] = i;
  }
  for (int left = mine; left > 0; --left) {
    int which;
    MPI_Waitany(mine, requests, &which, MPI_STATUS_IGNORE);
    printf("%d %.10f\n", numbers[which], MPI_Wtime());
  }
  free(numbers);
  free(requests);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2 || size % 2 != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  const struct letters letters = read_letters(argv[1]);
  uint64_t most = 1;
  for (int i = 0; i < letters.count; ++i) {
    if (letters.all[i].size_bytes > most) most = letters.all[i].size_bytes;
  }
  // Nobody looks into letters, so all lie in the same bytes, which SimGrid does not copy.
  char* const bytes = SMPI_SHARED_MALLOC(most);
  const int half = size / 2;
  if (rank < half)
    send_all(letters, (uint32_t)rank, half, bytes);
  else
    receive_all(letters, (uint32_t)(rank - half), bytes);
  MPI_Finalize();
  SMPI_SHARED_FREE(bytes);
  return 0;
}
