// The loops of SumKernel for any processor.

#define PILEUS_SUM_WIDTH 2
#include "loops/sum_kernel_body.h"

PILEUS_DEFINE_SUM_KERNEL(kPortableSumKernel, "portable")
