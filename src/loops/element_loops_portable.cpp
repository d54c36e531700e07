// The loops of ElementLoops for any processor.

#include "loops/element_loops_body.h"

PILEUS_DEFINE_ELEMENT_LOOPS(kPortableElementLoops, "portable")
