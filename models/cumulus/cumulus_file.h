/* One netCDF file as the model writes it: by one process with the serial library, or by all of them with
   the parallel one. Both are cumulus_file_module.c, compiled into two shared objects; cumulus_file.c loads
   the one that is asked for, privately, so that neither library is in a process that does not use it and
   neither meets another netCDF there. Every function returns 0, or a number whose meaning error() tells. */
#ifndef CUMULUS_FILE_H
#define CUMULUS_FILE_H

#include <stddef.h>

struct cumulus_file_calls {
  /* communicator: as Fortran counts them; the serial one does not look at it. */
  int (*create)(const char* name, int communicator, int* file);
  /* length 0: unlimited. */
  int (*dimension)(int file, const char* name, int length, int* dimension);
  /* Of doubles, dimensions slowest first. chunk_first: records in a chunk; 0: the variable is contiguous,
     and put() is for one process alone. Otherwise all processes put it together, some of them counts of 0. */
  int (*variable)(int file, const char* name, int rank, const int* dimensions, int chunk_first,
                  int* variable);
  /* variable -1: of the file. */
  int (*text)(int file, int variable, const char* name, const char* value);
  int (*fill_value)(int file, int variable);
  int (*put)(int file, int variable, const size_t* start, const size_t* count, const double* values);
  int (*close)(int file);
  const char* (*error)(int status);
};

#endif
