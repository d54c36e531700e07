/* Counts what a process asks of the heap and what it copies with memcpy and memmove: allocations.py
   preloads this library into a server. The counts go into the file that the variable BENCH_COUNTS names,
   when the process ends: allocations, the bytes asked for, allocations whose caller is the program itself
   or the C++ library, and the bytes copied.

   Copies that the compiler writes as instructions are not seen: those of a few bytes, and loops of ours. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own, which are there before this library has been set up. */
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

static atomic_ullong allocations, bytes_asked, own_allocations, bytes_copied;

/* Where the code of the program and of the C++ library lies. */
enum { MOST_RANGES = 2 };
static struct { uintptr_t begin, end; } own[MOST_RANGES];
static int own_count;

typedef void* copy(void*, const void*, size_t);
static copy *memcpy_below, *memmove_below;

static int is_own(const void* caller) {
  for (int i = 0; i < own_count; ++i) {
    if ((uintptr_t)caller >= own[i].begin && (uintptr_t)caller < own[i].end) return 1;
  }
  return 0;
}

static void count(size_t size, const void* caller) {
  atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes_asked, size, memory_order_relaxed);
  if (is_own(caller)) atomic_fetch_add_explicit(&own_allocations, 1, memory_order_relaxed);
}

void* malloc(size_t size) {
  count(size, __builtin_return_address(0));
  return __libc_malloc(size);
}

void* calloc(size_t number, size_t size) {
  count(number * size, __builtin_return_address(0));
  return __libc_calloc(number, size);
}

void* realloc(void* old, size_t size) {
  count(size, __builtin_return_address(0));
  return __libc_realloc(old, size);
}

void* memalign(size_t alignment, size_t size) {
  count(size, __builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  count(size, __builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** result, size_t alignment, size_t size) {
  count(size, __builtin_return_address(0));
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

/* What the loader and other libraries copy before this one is set up. */
static void* copy_bytes(void* to, const void* from, size_t size) {
  unsigned char* const target = to;
  const unsigned char* const source = from;
  if (target <= source) {
    for (size_t i = 0; i < size; ++i) target[i] = source[i];
  } else {
    for (size_t i = size; i-- > 0;) target[i] = source[i];
  }
  return to;
}

void* memcpy(void* restrict to, const void* restrict from, size_t size) {
  atomic_fetch_add_explicit(&bytes_copied, size, memory_order_relaxed);
  return (memcpy_below ? memcpy_below : copy_bytes)(to, from, size);
}

void* memmove(void* to, const void* from, size_t size) {
  atomic_fetch_add_explicit(&bytes_copied, size, memory_order_relaxed);
  return (memmove_below ? memmove_below : copy_bytes)(to, from, size);
}

static int note_range(struct dl_phdr_info* object, size_t size, void* nothing) {
  (void)size, (void)nothing;
  const int is_program = object->dlpi_name[0] == '\0';
  if ((!is_program && !strstr(object->dlpi_name, "libstdc++")) || own_count == MOST_RANGES) return 0;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    const uintptr_t first = object->dlpi_addr + part->p_vaddr;
    if (first < begin) begin = first;
    if (first + part->p_memsz > end) end = first + part->p_memsz;
  }
  own[own_count].begin = begin;
  own[own_count].end = end;
  ++own_count;
  return 0;
}

__attribute__((constructor)) static void begin_counting(void) {
  dl_iterate_phdr(note_range, NULL);
  memcpy_below = (copy*)dlsym(RTLD_NEXT, "memcpy");
  memmove_below = (copy*)dlsym(RTLD_NEXT, "memmove");
}

__attribute__((destructor)) static void write_counts(void) {
  const char* const name = getenv("BENCH_COUNTS");
  FILE* const file = name ? fopen(name, "w") : NULL;
  if (!file) return;
  fprintf(file, "%llu %llu %llu %llu\n", allocations, bytes_asked, own_allocations, bytes_copied);
  fclose(file);
}
