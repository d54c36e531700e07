// The loops of RunningSumLoops for any processor.

#include "loops/running_sums_body.h"

PILEUS_DEFINE_RUNNING_SUM_LOOPS(kPortableRunningSums, "portable")
