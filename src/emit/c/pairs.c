// Pairs of neighbouring elements, a part of functions.c and of integers.c, which say what the words mean.
#ifndef VALUE
#include "includes.c"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#define KEY int32_t
#define VALUE double
#define INTEGER int64_t
#define PAIR_BYTES 16
#define LANE double // in vectors, in which integers wrap around
#define TO_LANE
#endif

// part: pairs_F
#ifdef __GNUC__
typedef LANE unravel_pair_F __attribute__((vector_size(PAIR_BYTES), aligned(sizeof(VALUE)), may_alias));
typedef INTEGER unravel_mask_F __attribute__((vector_size(PAIR_BYTES), aligned(sizeof(VALUE)), may_alias));
static inline unravel_pair_F unravel_pair_F_at(const VALUE *from) {
  return *(const unravel_pair_F *)from;
}
#endif

// part: kept_F
#ifdef __GNUC__
// Masks for the first n elements: they begin at place 4 - n.
static const INTEGER unravel_first_F[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
// The pair, 0 where the mask is.
static inline unravel_pair_F unravel_kept_F(unravel_pair_F pair, const INTEGER *mask) {
  return (unravel_pair_F)((unravel_mask_F)pair & *(const unravel_mask_F *)mask);
}
#endif

// part: pick_L_F
#ifdef __GNUC__
// The elements at two keys. For four, compilers would emit a gather, which is slow on many processors.
static inline unravel_pair_F unravel_pick_L_F(const VALUE *from, const KEY *keys) {
  const unravel_pair_F pair = {TO_LANE from[keys[0]], TO_LANE from[keys[1]]};
  return pair;
}
#endif

