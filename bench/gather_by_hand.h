/* Gathers as a model would write them for its own arrays, for gather.py. `from` has `levels` levels of
 * `points` points, and `to` gets level by level, or column by column, its points by rising index. */
#ifndef BENCH_GATHER_BY_HAND_H
#define BENCH_GATHER_BY_HAND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BLOCK = 32 }; /* NPROMA */

/* Blocks (BLOCK, levels, blocks) whose points come in the order of their indices: level by level, or block by
 * block. */
void by_hand_blocks_by_level(const double* from, size_t points, size_t levels, double* to);
void by_hand_blocks_by_block(const double* from, size_t points, size_t levels, double* to);
/* `element`: where each point lies in the first level; `level`: how far the next one is from there. */
void by_hand_elements(const double* from, const int32_t* element, size_t points, size_t levels, size_t level,
                      double* to);
void by_hand_elements_to_float(const double* from, const int32_t* element, size_t points, size_t levels,
                               size_t level, float* to);
/* Columns (levels, points). `column`: which one each point has. */
void by_hand_columns(const double* from, const int32_t* column, size_t points, size_t levels, double* to);

#ifdef __cplusplus
}
#endif
#endif
