// The loops of FunctionLoops for any processor.

#define PILEUS_FUNCTION_WIDTH 2
#include "functions/function_loops_body.h"

PILEUS_DEFINE_FUNCTION_LOOPS(kPortableFunctionLoops, "portable")
