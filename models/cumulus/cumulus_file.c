/* Loads one of the two shared objects that cumulus_file.h describes, from the folder of the program, and
   hands its calls to cumulus_model_files.F90. */
#include "cumulus_file.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { path_length = 4096 };

static const struct cumulus_file_calls* calls;

/* The folder of the running program, with a slash at its end; empty if it cannot be told. */
static void program_folder(char* folder) {
  const ssize_t length = readlink("/proc/self/exe", folder, path_length - 1);
  folder[length > 0 ? length : 0] = 0;
  char* const slash = strrchr(folder, '/');
  if (slash) slash[1] = 0;
}

/* Returns 0 if the module ("sequential" or "parallel") is there; otherwise what is wrong is in `message`. */
int cumulus_file_load(const char* module, char* message, int message_length) {
  char folder[path_length], path[path_length + 64];
  program_folder(folder);
  snprintf(path, sizeof path, "%s%s_cumulus.so", folder, module);
  void* const object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (object) calls = (const struct cumulus_file_calls*)dlsym(object, "cumulus_file_calls");
  if (calls) return 0;
  const char* const reason = dlerror();
  snprintf(message, (size_t)message_length, "%s", reason ? reason : path);
  return 1;
}

int cumulus_file_create(const char* name, int communicator, int* file) {
  return calls->create(name, communicator, file);
}

int cumulus_file_dimension(int file, const char* name, int length, int* dimension) {
  return calls->dimension(file, name, length, dimension);
}

int cumulus_file_variable(int file, const char* name, int rank, const int* dimensions, int chunk_first,
                          int* variable) {
  return calls->variable(file, name, rank, dimensions, chunk_first, variable);
}

int cumulus_file_text(int file, int variable, const char* name, const char* value) {
  return calls->text(file, variable, name, value);
}

int cumulus_file_fill_value(int file, int variable) { return calls->fill_value(file, variable); }

int cumulus_file_put(int file, int variable, const size_t* start, const size_t* count, const double* values) {
  return calls->put(file, variable, start, count, values);
}

int cumulus_file_close(int file) { return calls->close(file); }

const char* cumulus_file_error(int status) { return calls->error(status); }
