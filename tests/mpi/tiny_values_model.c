/* A model of values so small that flush-to-zero loses them. Linked with -Ofast, which sets that mode for
 * every thread of the process, and linked without: Pileus must not see a difference.
 * Usage: tiny_values_model CONFIGURATION DIRECTORY SERVERS. Prints the modes before and after (x86-64:
 * MXCSR). */
#include <mpi.h>
#include <pileus/pileus.h>
#include <pileus/pileus_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { COUNT = 600, STEPS = 12 };

static unsigned modes(void) {
#if defined(__x86_64__)
  return _mm_getcsr() & 0xFFC0u; /* without the flags of past operations */
#else
  return 0;
#endif
}

static void check(pileus_run* run, pileus_status status) {
  if (status == PILEUS_OK) return;
  fprintf(stderr, "%s\n", pileus_error(run));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* By bits: the model's own arithmetic would lose them. Subnormals, and normal numbers whose half is none. */
static double tiny(int step, int i) {
  const uint64_t bits =
      ((uint64_t)(i % 3) << 52) + (uint64_t)(i + 1) * 2654435761u * (uint64_t)(step + 1) % 4503599627370496u;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

int main(int argc, char** argv) {
  int threads, rank, size, field;
  MPI_Comm model = MPI_COMM_NULL;
  int32_t model_communicator = 0;
  pileus_run* run = NULL;
  pileus_role role = PILEUS_MODEL;
  if (argc != 4) return 2;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  const unsigned before = modes();

  pileus_settings settings = PILEUS_SETTINGS_INIT;
  settings.configuration = argv[1];
  settings.has_communicator = 1;
  settings.communicator = (int32_t)MPI_Comm_c2f(MPI_COMM_WORLD);
  settings.directory = argv[2];
  settings.servers_total = atoi(argv[3]);
  check(run, pileus_start(&settings, &run, &model_communicator, &role));
  if (role == PILEUS_MODEL) {
    model = MPI_Comm_f2c((MPI_Fint)model_communicator);
    MPI_Comm_rank(model, &rank);
    MPI_Comm_size(model, &size);
    const int64_t first = COUNT * rank / size, end = COUNT * (rank + 1) / size, count = end - first;
    const char* dimensions[] = {"x"};
    check(run, pileus_dimension(run, "x", COUNT, NULL, NULL));
    check(run, pileus_field(run, "tiny", PILEUS_DOUBLE, 1, dimensions, &first, &count, &field));
    check(run, pileus_commit(run));
    double values[COUNT];
    for (int step = 1; step <= STEPS; ++step) {
      for (int64_t i = 0; i < count; ++i) values[i] = tiny(step, (int)(first + i));
      check(run, pileus_begin(run, step, 1.5 * step, 1.5, step == STEPS ? PILEUS_FINAL : 0));
      check(run, pileus_put(run, field, values, NULL));
      check(run, pileus_end(run));
    }
    check(run, pileus_finish(run));
  }
  pileus_free(run);
  printf("modes %x then %x\n", before, modes());
  MPI_Finalize();
  return 0;
}
