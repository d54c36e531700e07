#include "gather_by_hand.h"

static void copy_row(const double* restrict from, size_t block, size_t points, double* restrict to) {
  const size_t left = points - block * BLOCK, count = left < BLOCK ? left : BLOCK;
  for (size_t i = 0; i < count; ++i) to[i] = from[i];
}

void by_hand_blocks_by_level(const double* from, size_t points, size_t levels, double* to) {
  for (size_t level = 0; level < levels; ++level)
    for (size_t block = 0; block * BLOCK < points; ++block)
      copy_row(from + (block * levels + level) * BLOCK, block, points, to + level * points + block * BLOCK);
}

void by_hand_blocks_by_block(const double* from, size_t points, size_t levels, double* to) {
  for (size_t block = 0; block * BLOCK < points; ++block)
    for (size_t level = 0; level < levels; ++level)
      copy_row(from + (block * levels + level) * BLOCK, block, points, to + level * points + block * BLOCK);
}

void by_hand_elements(const double* restrict from, const int32_t* restrict element, size_t points,
                      size_t levels, size_t level, double* restrict to) {
  for (size_t l = 0; l < levels; ++l)
    for (size_t p = 0; p < points; ++p) to[l * points + p] = from[(size_t)element[p] + l * level];
}

void by_hand_elements_to_float(const double* restrict from, const int32_t* restrict element, size_t points,
                               size_t levels, size_t level, float* restrict to) {
  for (size_t l = 0; l < levels; ++l)
    for (size_t p = 0; p < points; ++p) to[l * points + p] = (float)from[(size_t)element[p] + l * level];
}

void by_hand_columns(const double* restrict from, const int32_t* restrict column, size_t points,
                     size_t levels, double* restrict to) {
  for (size_t p = 0; p < points; ++p)
    for (size_t l = 0; l < levels; ++l) to[p * levels + l] = from[(size_t)column[p] * levels + l];
}
