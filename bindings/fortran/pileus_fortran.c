/* The C side of module pileus: what arrives with a Fortran argument, its type, extents and strides, goes to
 * pileus_put_array. */
#include <ISO_Fortran_binding.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pileus/pileus.h"

enum { kComplaintLength = 256 };

/** Keeps the text of a mistake that the library cannot see. In the library. */
void pileus_fortran_complain(pileus_run* handle, const char* text);

/** type(pileus_run) */
struct fortran_run {
  pileus_run* handle;
  char complaint[kComplaintLength];
};

/** Sets `status`, or prints and stops where it is absent (NULL). In pileus.F90. */
void pileus_fortran_conclude(struct fortran_run* run, int result, int* status);
/** The same for a mistake that the library cannot see, whose text it keeps. */
static void complain(struct fortran_run* run, const char* text, int* status) {
  pileus_fortran_complain(run->handle, text);
  pileus_fortran_conclude(run, PILEUS_ERROR_USAGE, status);
}

void pileus_fortran_put(struct fortran_run* run, int field, const CFI_cdesc_t* array, int* status);
void pileus_fortran_put_part(struct fortran_run* run, int field, int part, const CFI_cdesc_t* array,
                             int* status);
void pileus_fortran_put_stable(struct fortran_run* run, int field, const CFI_cdesc_t* array, int* status);
void pileus_fortran_get(struct fortran_run* run, int input, double time_s, const CFI_cdesc_t* array,
                        int* status);
void pileus_fortran_allocate(struct fortran_run* run, CFI_cdesc_t* array, const CFI_cdesc_t* shape,
                             int* status);
void pileus_fortran_deallocate(CFI_cdesc_t* array);
void pileus_fortran_local_sum(struct fortran_run* run, const CFI_cdesc_t* array, const CFI_cdesc_t* sums,
                              const CFI_cdesc_t* kept, int* status);
int pileus_fortran_get_indices(const CFI_cdesc_t* array, int64_t* count, int64_t* indices);
bool pileus_fortran_get_communicator(const CFI_cdesc_t* communicator, int32_t* handle);
bool pileus_fortran_set_communicator(const CFI_cdesc_t* communicator, int32_t handle);

static bool is_logical(const CFI_cdesc_t* array) { return (array->type & CFI_type_mask) == CFI_type_Logical; }

/** A pileus_type, or -1 for a type that fields cannot have. */
static int type_of(const CFI_cdesc_t* array) {
  if (is_logical(array)) return PILEUS_BOOL; /* its first byte: little-endian, as everything here */
  switch (array->type) {
    case CFI_type_double: return PILEUS_DOUBLE;
    case CFI_type_float: return PILEUS_FLOAT;
    case CFI_type_int32_t: return PILEUS_INT32;
    case CFI_type_int64_t: return PILEUS_INT64;
    case CFI_type_char: return PILEUS_TEXT;
    default: return -1;
  }
}

static const char* kind_of(const CFI_cdesc_t* array) {
  switch (array->type & CFI_type_mask) {
    case CFI_type_Integer: return "an integer";
    case CFI_type_Real: return "a real";
    case CFI_type_Complex: return "complex";
    case CFI_type_Character: return "a character";
    default: return "of a derived type";
  }
}

/** Writes what is wrong with the array; true if something is. */
static bool is_wrong(char text[kComplaintLength], int field, const CFI_cdesc_t* array) {
  if (array == NULL || array->base_addr == NULL)
    return snprintf(text, kComplaintLength,
                    "pileus_put: the array for field %d is not there: it is not allocated, not associated or "
                    "an absent argument",
                    field) > 0;
  if (type_of(array) < 0)
    return snprintf(text, kComplaintLength,
                    "pileus_put: the array for field %d is %s with elements of %zu bytes; a field is "
                    "real(real32), "
                    "real(real64), integer(int32), integer(int64), logical or character",
                    field, kind_of(array), array->elem_len) > 0;
  return false;
}

void pileus_fortran_put(struct fortran_run* run, int field, const CFI_cdesc_t* array, int* status) {
  char mistake[kComplaintLength];
  if (is_wrong(mistake, field, array)) return complain(run, mistake, status);
  int64_t count[CFI_MAX_RANK + 1], byte_strides[CFI_MAX_RANK + 1];
  int rank = 0;
  const int type = type_of(array);
  if (type == PILEUS_TEXT) { /* its bytes are the first dimension */
    count[rank] = (int64_t)array->elem_len;
    byte_strides[rank++] = 1;
  }
  for (int d = 0; d < array->rank; ++d, ++rank) {
    count[rank] = array->dim[d].extent;
    byte_strides[rank] = array->dim[d].sm;
  }
  const pileus_status result =
      pileus_put_array(run->handle, field, type, rank, count, array->base_addr, byte_strides);
  pileus_fortran_conclude(run, result, status);
}

void pileus_fortran_put_stable(struct fortran_run* run, int field, const CFI_cdesc_t* array, int* status) {
  char mistake[kComplaintLength];
  if (is_wrong(mistake, field, array)) return complain(run, mistake, status);
  int64_t count[CFI_MAX_RANK], byte_strides[CFI_MAX_RANK];
  for (int d = 0; d < array->rank; ++d) {
    count[d] = array->dim[d].extent;
    byte_strides[d] = array->dim[d].sm;
  }
  const pileus_status result = pileus_put_array_stable(run->handle, field, type_of(array), array->rank, count,
                                                       array->base_addr, byte_strides);
  pileus_fortran_conclude(run, result, status);
}

void pileus_fortran_get(struct fortran_run* run, int input, double time_s, const CFI_cdesc_t* array,
                        int* status) {
  char mistake[kComplaintLength];
  const int type = type_of(array);
  const char* const what = array->base_addr == NULL ? "not there: it is not allocated or not associated"
                           : type < 0 || type == PILEUS_TEXT || is_logical(array)
                               ? "neither of reals nor of integers of 32 or 64 bits"
                               : NULL;
  int64_t count[CFI_MAX_RANK], byte_strides[CFI_MAX_RANK], size = 1;
  for (int d = 0; d < array->rank; ++d) {
    count[d] = array->dim[d].extent;
    byte_strides[d] = array->dim[d].sm;
    size *= count[d];
  }
  if (what != NULL && (size > 0 || array->base_addr != NULL)) {
    snprintf(mistake, kComplaintLength, "pileus_get: the array for input %d is %s", input, what);
    return complain(run, mistake, status);
  }
  const pileus_status result =
      pileus_get_array(run->handle, input, time_s, type, array->rank, count, array->base_addr, byte_strides);
  pileus_fortran_conclude(run, result, status);
}

/** Makes the pointer one to `memory`, or to nothing if that is NULL. False for impossible extents. */
static bool point_to(CFI_cdesc_t* array, void* memory, const CFI_index_t* extents) {
  CFI_index_t lower_bounds[CFI_MAX_RANK];
  for (int d = 0; d < CFI_MAX_RANK; ++d) lower_bounds[d] = 1;
  CFI_CDESC_T(CFI_MAX_RANK) place;
  CFI_cdesc_t* const target = (CFI_cdesc_t*)&place;
  return CFI_establish(target, memory, CFI_attribute_pointer, array->type, array->elem_len, array->rank,
                       extents) == CFI_SUCCESS &&
         CFI_setpointer(array, target, lower_bounds) == CFI_SUCCESS;
}

void pileus_fortran_allocate(struct fortran_run* run, CFI_cdesc_t* array, const CFI_cdesc_t* shape,
                             int* status) {
  CFI_index_t extents[CFI_MAX_RANK] = {0};
  point_to(array, NULL, extents);
  size_t size = array->elem_len;
  bool is_right = array->rank > 0 && shape->dim[0].extent == array->rank;
  for (int d = 0; is_right && d < array->rank; ++d) {
    extents[d] = *(const int*)((const char*)shape->base_addr + d * shape->dim[0].sm);
    is_right = extents[d] >= 0 && (extents[d] == 0 || size <= SIZE_MAX / 2 / (size_t)extents[d]);
    size *= (size_t)extents[d];
  }
  if (!is_right)
    return complain(run,
                    "pileus_allocate: the shape has not one extent, 0 or more, for each dimension of the "
                    "pointer, or is too large",
                    status);
  void* memory = NULL;
  const pileus_status result = pileus_allocate(run->handle, size, &memory);
  if (result == PILEUS_OK) point_to(array, memory, extents);
  pileus_fortran_conclude(run, result, status);
}

void pileus_fortran_deallocate(CFI_cdesc_t* array) {
  const CFI_index_t extents[CFI_MAX_RANK] = {0};
  if (array->base_addr == NULL) return;
  pileus_deallocate(array->base_addr);
  point_to(array, NULL, extents);
}

void pileus_fortran_put_part(struct fortran_run* run, int field, int part, const CFI_cdesc_t* array,
                             int* status) {
  char mistake[kComplaintLength];
  if (is_wrong(mistake, field, array)) return complain(run, mistake, status);
  int64_t count[CFI_MAX_RANK], byte_strides[CFI_MAX_RANK];
  for (int d = 0; d < array->rank; ++d) {
    count[d] = array->dim[d].extent;
    byte_strides[d] = array->dim[d].sm;
  }
  const pileus_status result = pileus_put_array_part(run->handle, field, (int64_t)part - 1, type_of(array),
                                                     array->rank, count, array->base_addr, byte_strides);
  pileus_fortran_conclude(run, result, status);
}

/** Gives the rank and the extents of an array of integers, and if `indices` is not NULL its elements as
 *  pileus_points takes them: from 0, and -1 for those below 1. The rank is 0 if it is no such array. */
int pileus_fortran_get_indices(const CFI_cdesc_t* array, int64_t* count, int64_t* indices) {
  const bool is_short = array->type == CFI_type_int32_t;
  if (array->rank < 1 || (!is_short && array->type != CFI_type_int64_t)) return 0;
  int64_t total = 1;
  for (int d = 0; d < array->rank; ++d) total *= count[d] = array->dim[d].extent;
  if (total > 0 && array->base_addr == NULL) return 0;
  for (int64_t i = 0; indices != NULL && i < total; ++i) {
    const char* element = array->base_addr;
    int64_t left = i;
    for (int d = 0; d < array->rank; ++d) {
      element += left % count[d] * array->dim[d].sm;
      left /= count[d];
    }
    const int64_t index = is_short ? *(const int32_t*)element : *(const int64_t*)element;
    indices[i] = index > 0 ? index - 1 : -1;
  }
  return array->rank;
}

/** What is wrong with the arguments of a local sum, or NULL; fills `is_kept`. */
static const char* mistake_in_sum(const CFI_cdesc_t* array, const CFI_cdesc_t* sums, const CFI_cdesc_t* kept,
                                  int* is_kept) {
  if (array->base_addr == NULL || type_of(array) < 0 || type_of(array) == PILEUS_TEXT)
    return "the array is not there, or not of a type that can be summed up";
  if (sums->base_addr == NULL || sums->rank < 1 || !CFI_is_contiguous(sums))
    return "the sums are not there, or not contiguous";
  int dimension = 1; /* of the sums */
  for (CFI_index_t i = 0; kept != NULL && i < kept->dim[0].extent; ++i) {
    const int d = *(const int*)((const char*)kept->base_addr + i * kept->dim[0].sm) - 1;
    bool is_next = d >= 0 && d < array->rank;
    for (int after = d; is_next && after < array->rank; ++after) is_next = is_kept[after] == 0;
    if (!is_next) return "kept does not name dimensions of the array in ascending order";
    is_kept[d] = 1;
    if (dimension >= sums->rank || sums->dim[dimension].extent != array->dim[d].extent)
      return "the dimensions of the sums after the first are not those that are kept of the array";
    ++dimension;
  }
  return dimension == sums->rank ? NULL : "the sums have more dimensions than one and those that are kept";
}

void pileus_fortran_local_sum(struct fortran_run* run, const CFI_cdesc_t* array, const CFI_cdesc_t* sums,
                              const CFI_cdesc_t* kept, int* status) {
  int is_kept[CFI_MAX_RANK + 1] = {0};
  const char* mistake = mistake_in_sum(array, sums, kept, is_kept);
  if (mistake != NULL) {
    char text[kComplaintLength];
    snprintf(text, sizeof text, "pileus_local_sum: %s", mistake);
    return complain(run, text, status);
  }
  int64_t count[CFI_MAX_RANK + 1], byte_strides[CFI_MAX_RANK + 1];
  for (int d = 0; d < array->rank; ++d) {
    count[d] = array->dim[d].extent;
    byte_strides[d] = array->dim[d].sm;
  }
  const pileus_status result =
      pileus_local_sum(run->handle, type_of(array), array->rank, count, array->base_addr, byte_strides,
                       is_kept, (int)sums->dim[0].extent, sums->base_addr);
  pileus_fortran_conclude(run, result, status);
}

/** A communicator is an INTEGER, or the type of mpi_f08 that has one as its only component. */
static bool is_communicator(const CFI_cdesc_t* communicator) {
  const bool is_derived = (communicator->type & CFI_type_mask) > CFI_type_Character || communicator->type < 0;
  return communicator->rank == 0 && communicator->base_addr != NULL &&
         communicator->elem_len == sizeof(int32_t) && (is_derived || communicator->type == CFI_type_int32_t);
}

bool pileus_fortran_get_communicator(const CFI_cdesc_t* communicator, int32_t* handle) {
  *handle = 0;
  if (!is_communicator(communicator)) return false;
  memcpy(handle, communicator->base_addr, sizeof *handle);
  return true;
}

bool pileus_fortran_set_communicator(const CFI_cdesc_t* communicator, int32_t handle) {
  if (!is_communicator(communicator)) return false;
  memcpy(communicator->base_addr, &handle, sizeof handle);
  return true;
}
