/* The C side of module pileus: what arrives with a Fortran argument, its type, extents and strides, goes to
 * pileus_put_array. */
#include <ISO_Fortran_binding.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pileus/pileus.h"

/** type(pileus_run) */
struct fortran_run {
  pileus_run* handle;
  char complaint[256];
};

/** Sets `status`, or prints and stops where it is absent (NULL). In pileus.F90. */
void pileus_fortran_conclude(struct fortran_run* run, int result, int* status);
/** The same for what is in the complaint. */
void pileus_fortran_report(struct fortran_run* run, int result, int* status);

void pileus_fortran_put(struct fortran_run* run, int field, const CFI_cdesc_t* array, int* status);
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

/** Writes what is wrong with the array into the complaint; true if something is. */
static bool complain(struct fortran_run* run, int field, const CFI_cdesc_t* array) {
  char* text = run->complaint;
  if (array == NULL || array->base_addr == NULL)
    return snprintf(text, sizeof run->complaint,
                    "pileus_put: the array for field %d is not there: it is not allocated, not associated or "
                    "an absent argument",
                    field) > 0;
  if (type_of(array) < 0)
    return snprintf(text, sizeof run->complaint,
                    "pileus_put: the array for field %d is %s with elements of %zu bytes; a field is "
                    "real(real32), "
                    "real(real64), integer(int32), integer(int64), logical or character",
                    field, kind_of(array), array->elem_len) > 0;
  return false;
}

void pileus_fortran_put(struct fortran_run* run, int field, const CFI_cdesc_t* array, int* status) {
  if (complain(run, field, array)) return pileus_fortran_report(run, PILEUS_ERROR_USAGE, status);
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
