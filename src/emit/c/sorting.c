// Kernels sort keys with these, as in functions.c, behind which they stand.
#include "functions.c"

// part: sort
// Sorts the keys, and `order` with them, stably. `room` has 2 * count elements.
static inline void unravel_sort(int32_t *order, int32_t *keys, int64_t count, int64_t *room) {
  uint64_t *from = (uint64_t *)room, *to = from + count, *other;
  uint32_t least, most;
  int64_t begins[2048], s, sum, here;
  int shift, width, sorted = 1;
  for (s = 0; s < count; s++) {
    from[s] = (uint64_t)((uint32_t)keys[s] ^ 2147483648u) << 32 | (uint32_t)order[s];
    sorted &= s == 0 || keys[s - 1] <= keys[s];
  }
  if (sorted) return;
  if (count <= 40) {
    for (s = 1; s < count; s++) {
      const uint64_t one = from[s];
      for (here = s; here > 0 && from[here - 1] >> 32 > one >> 32; here--)
        from[here] = from[here - 1];
      from[here] = one;
    }
  } else {
    least = most = (uint32_t)(from[0] >> 32);
    for (s = 1; s < count; s++) {
      const uint32_t key = (uint32_t)(from[s] >> 32);
      least = key < least ? key : least;
      most = key > most ? key : most;
    }
    // digit by digit, the lowest first; larger digits only where their counters pay
    width = count < 4096 ? 8 : 11;
    for (shift = 0; shift < 32 && (most - least) >> shift != 0; shift += width) {
      const uint32_t mask = ((uint32_t)1 << width) - 1;
      for (s = 0; s <= (int64_t)mask; s++)
        begins[s] = 0;
      for (s = 0; s < count; s++)
        begins[((uint32_t)(from[s] >> 32) - least) >> shift & mask]++;
      for (s = 0, sum = 0; s <= (int64_t)mask; s++) {
        here = begins[s];
        begins[s] = sum;
        sum += here;
      }
      for (s = 0; s < count; s++)
        to[begins[((uint32_t)(from[s] >> 32) - least) >> shift & mask]++] = from[s];
      other = from;
      from = to;
      to = other;
    }
  }
  for (s = 0; s < count; s++) {
    keys[s] = (int32_t)((uint32_t)(from[s] >> 32) ^ 2147483648u);
    order[s] = (int32_t)(uint32_t)from[s];
  }
}

// part: sort_long
// Sorts the keys, and `order` with them, stably, by merging pairs. `room` has 4 * count elements.
static inline void unravel_sort_long(int64_t *order, int64_t *keys, int64_t count, int64_t *room) {
  int64_t *from = room, *to = room + 2 * count, *other;
  int64_t s, width, begin;
  for (s = 0; s < count; s++) {
    from[2 * s] = keys[s];
    from[2 * s + 1] = order[s];
  }
  for (width = 1; width < count; width *= 2) {
    for (begin = 0; begin < count; begin += 2 * width) {
      const int64_t middle = begin + width < count ? begin + width : count;
      const int64_t end = middle + width < count ? middle + width : count;
      int64_t a = begin, b = middle;
      for (s = begin; s < end; s++) {
        const int64_t next = b == end || (a < middle && from[2 * a] <= from[2 * b]) ? a++ : b++;
        to[2 * s] = from[2 * next];
        to[2 * s + 1] = from[2 * next + 1];
      }
    }
    other = from;
    from = to;
    to = other;
  }
  for (s = 0; s < count; s++) {
    keys[s] = from[2 * s];
    order[s] = from[2 * s + 1];
  }
}

// part: sort_digits_L
// Sorts many keys. `room` has `count` elements.
static inline void unravel_sort_digits_L(KEY *keys, int64_t count, int64_t *room) {
  KEY *from = keys, *to = (KEY *)room, *other;
  KEY least = keys[0], most = keys[0];
  int64_t begins[2048], s, sum, here;
  int shift, width, sorted = 1;
  for (s = 1; s < count; s++) {
    sorted &= keys[s - 1] <= keys[s];
    least = keys[s] < least ? keys[s] : least;
    most = keys[s] > most ? keys[s] : most;
  }
  if (sorted) return;
  // digit by digit, the lowest first; larger digits only where their counters pay
  width = count < 4096 ? 8 : 11;
  for (shift = 0; shift < 64 && ((uint64_t)most - (uint64_t)least) >> shift != 0; shift += width) {
    const uint64_t mask = ((uint64_t)1 << width) - 1;
    for (s = 0; s <= (int64_t)mask; s++)
      begins[s] = 0;
    for (s = 0; s < count; s++)
      begins[((uint64_t)from[s] - (uint64_t)least) >> shift & mask]++;
    for (s = 0, sum = 0; s <= (int64_t)mask; s++) {
      here = begins[s];
      begins[s] = sum;
      sum += here;
    }
    for (s = 0; s < count; s++)
      to[begins[((uint64_t)from[s] - (uint64_t)least) >> shift & mask]++] = from[s];
    other = from;
    from = to;
    to = other;
  }
  if (from != keys) memcpy(keys, from, (size_t)count * sizeof(KEY));
}

// part: sort_alone_L
// Sorts the keys. `room` has `count` elements. Few keys are inserted one by one; more, if they are distinct and close
// together, are sorted as bits.
static inline void unravel_sort_alone_L(KEY *keys, int64_t count, int64_t *room) {
  int64_t s, here, words;
  if (count > 16) {
    uint64_t *const bits = (uint64_t *)room;
    uint64_t twice = 0, rest;
    KEY least = keys[0], most = keys[0];
    for (s = 1; s < count; s++) {
      least = keys[s] < least ? keys[s] : least;
      most = keys[s] > most ? keys[s] : most;
    }
    words = (int64_t)(((uint64_t)most - (uint64_t)least) >> 6);
    if (words < count) {
      for (s = 0; s <= words; s++)
        bits[s] = 0;
      for (s = 0; s < count; s++) {
        const uint64_t place = (uint64_t)keys[s] - (uint64_t)least, bit = (uint64_t)1 << (place & 63);
        twice |= bits[place >> 6] & bit;
        bits[place >> 6] |= bit;
      }
      for (s = 0, here = 0; s <= words && !twice; s++)
        for (rest = bits[s]; rest; rest &= rest - 1)
          keys[here++] = (KEY)(least + 64 * s + unravel_lowest_bit(rest));
      if (!twice) return;
    }
  }
  if (count > 40) {
    unravel_sort_digits_L(keys, count, room);
    return;
  }
  for (s = 1; s < count; s++) {
    const KEY one = keys[s];
    for (here = s; here > 0 && keys[here - 1] > one; here--)
      keys[here] = keys[here - 1];
    keys[here] = one;
  }
}
