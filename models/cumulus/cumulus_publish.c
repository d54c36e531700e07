/* Gives a complete file its name, so that it is there after a crash of the host too: what is in it, then
   its name, reach the disk. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int sync_path(const char* path) {
  const int opened = open(path, O_RDONLY | O_CLOEXEC);
  if (opened < 0) return errno;
  const int problem = fsync(opened) == 0 ? 0 : errno;
  close(opened);
  return problem;
}

/* 0, or the number of an error. Some file systems cannot sync a directory and say EINVAL: they need not. */
int cumulus_publish(const char* temporary_name, const char* name) {
  int problem = sync_path(temporary_name);
  if (problem) return problem;
  if (rename(temporary_name, name) != 0) return errno;
  char* copy = strdup(name);
  if (!copy) return ENOMEM;
  problem = sync_path(dirname(copy));
  free(copy);
  return problem == EINVAL ? 0 : problem;
}
