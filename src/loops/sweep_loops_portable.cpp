// The loops of SweepLoops for any processor.

#define PILEUS_SWEEP_WIDTH 2
#include "loops/sweep_loops_body.h"

PILEUS_DEFINE_SWEEP_LOOPS(kPortableSweepLoops, "portable")
