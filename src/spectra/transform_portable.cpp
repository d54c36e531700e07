// Transforms for any processor.
#define PILEUS_TRANSFORM_SET portable
#include "spectra/transform_body.h"
