// The loops of ColumnLoops for any processor.

#include "loops/column_loops_body.h"

PILEUS_DEFINE_COLUMN_LOOPS(kPortableColumns, "portable")
