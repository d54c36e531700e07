/* The C side of module pileus: what arrives with a Fortran array, its type, extents and strides, goes to
 * pileus_put_array. */
#include <ISO_Fortran_binding.h>

#include "pileus/pileus.h"

/** type(pileus_run); only the handle matters here. */
struct fortran_run {
  pileus_run* handle;
};

/** Sets `status`, or prints and stops where it is absent (NULL). In pileus.F90. */
void pileus_fortran_conclude(struct fortran_run* run, int result, int* status);

void pileus_fortran_put(struct fortran_run* run, int field, CFI_cdesc_t* array, int* status);

/** A pileus_type, or -1 for a type that fields cannot have. */
static int type_of(const CFI_cdesc_t* array) {
  switch (array->type) {
    case CFI_type_double: return PILEUS_DOUBLE;
    case CFI_type_float: return PILEUS_FLOAT;
    case CFI_type_int32_t: return PILEUS_INT32;
    case CFI_type_int64_t: return PILEUS_INT64;
    default: return -1;
  }
}

void pileus_fortran_put(struct fortran_run* run, int field, CFI_cdesc_t* array, int* status) {
  int64_t count[CFI_MAX_RANK], byte_strides[CFI_MAX_RANK];
  for (int d = 0; d < array->rank; ++d) {
    count[d] = array->dim[d].extent;
    byte_strides[d] = array->dim[d].sm;
  }
  const pileus_status result = pileus_put_array(run->handle, field, type_of(array), array->rank, count,
                                                array->base_addr, byte_strides);
  pileus_fortran_conclude(run, result, status);
}
