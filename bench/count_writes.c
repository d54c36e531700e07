/* Counts the positioned writes of a process: writers.py preloads this library into servers. The number of
   calls and of bytes go into the file that the variable BENCH_COUNTS names, with the number of the process
   behind the name, when it ends. With BENCH_DELAY_US each write takes so many microseconds more, as where a
   file system has to ask somebody else. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_ullong calls, bytes_written;

static struct timespec delay;

__attribute__((constructor)) static void read_delay(void) {
  const char* const asked = getenv("BENCH_DELAY_US");
  const long long us = asked ? atoll(asked) : 0;
  delay.tv_sec = us / 1000000;
  delay.tv_nsec = us % 1000000 * 1000;
}

static ssize_t counted(ssize_t written) {
  if (delay.tv_sec || delay.tv_nsec) nanosleep(&delay, NULL);
  atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
  const unsigned long long bytes = written > 0 ? (unsigned long long)written : 0;
  atomic_fetch_add_explicit(&bytes_written, bytes, memory_order_relaxed);
  return written;
}

typedef ssize_t write_one(int, const void*, size_t, off_t);
typedef ssize_t write_many(int, const struct iovec*, int, off_t);

static void* below(const char* name, void** known) {
  if (!*known) *known = dlsym(RTLD_NEXT, name);
  return *known;
}

ssize_t pwrite(int file, const void* from, size_t size, off_t offset) {
  static void* known;
  return counted(((write_one*)below("pwrite", &known))(file, from, size, offset));
}

ssize_t pwrite64(int file, const void* from, size_t size, off_t offset) {
  static void* known;
  return counted(((write_one*)below("pwrite64", &known))(file, from, size, offset));
}

ssize_t pwritev(int file, const struct iovec* pieces, int count, off_t offset) {
  static void* known;
  return counted(((write_many*)below("pwritev", &known))(file, pieces, count, offset));
}

ssize_t pwritev64(int file, const struct iovec* pieces, int count, off_t offset) {
  static void* known;
  return counted(((write_many*)below("pwritev64", &known))(file, pieces, count, offset));
}

__attribute__((destructor)) static void tell(void) {
  const char* const name = getenv("BENCH_COUNTS");
  if (!name) return;
  char path[4096];
  snprintf(path, sizeof path, "%s.%ld", name, (long)getpid());
  FILE* const file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%llu %llu\n", atomic_load(&calls), atomic_load(&bytes_written));
  fclose(file);
}
