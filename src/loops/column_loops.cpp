#include "loops/column_loops.h"

#include "loops/sum_kernel.h"

namespace pileus::detail {

extern constinit const ColumnLoops kPortableColumns;
#ifdef PILEUS_X86_KERNELS
extern constinit const ColumnLoops kAvx2Columns;
extern constinit const ColumnLoops kAvx512Columns;
#endif

const ColumnLoops& column_loops() {
  // In the order of sum_kernels().
  static constexpr const ColumnLoops* kSets[] = {
      &kPortableColumns,
#ifdef PILEUS_X86_KERNELS
      &kAvx2Columns,
      &kAvx512Columns,
#endif
  };
  return *kSets[sum_kernel_number()];
}

}  // namespace pileus::detail
