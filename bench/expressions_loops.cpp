// The loops for any processor.

#define PILEUS_LOOP_NAME(name) name
#include "expressions_loops_body.h"
