// Hash tables for arrays of which few elements are set; as functions.c, after which it stands.
#include "functions.c"

// part: table_L
// The elements of an array that were set, with their indices, each as near as possible behind the place that
// a hash of the index tells (linear probing); an index of -1 is a free place. At most half of the places are
// taken. There is memory for tables of all powers of 2 from 16 places on, one behind the other, and one of
// them is used.
typedef struct unravel_table_L {
  KEY *memory; // an index and an element for each place
  int64_t room, places, taken;
} unravel_table_L;
static inline KEY *unravel_place_L(const unravel_table_L *held, int64_t index) {
  const uint64_t hash = (uint64_t)index * (uint64_t)0x9E3779B97F4A7C15;
  KEY *const first = held->memory + 2 * (held->places - 16), *const end = first + 2 * held->places;
  KEY *place = first + 2 * (int64_t)(((hash >> 32) * (uint64_t)held->places) >> 32);
  while (place[0] != index && place[0] >= 0) {
    place += 2;
    if (place == end) place = first;
  }
  return place;
}
// The element of the index; `unset` where it isn't set.
static inline KEY unravel_look_up_L(const unravel_table_L *held, int64_t index, KEY unset) {
  const KEY *place;
  if (held->taken == 0) return unset;
  place = unravel_place_L(held, index);
  return place[0] < 0 ? unset : place[1];
}
// There must be room for it.
static inline void unravel_enter_L(unravel_table_L *held, int64_t index, int64_t element) {
  KEY *const place = unravel_place_L(held, index);
  held->taken += place[0] < 0;
  place[0] = (KEY)index;
  place[1] = (KEY)element;
}
// Makes room for `count` elements. Returns 0, and leaves the table unchanged, if memory runs out.
static inline int unravel_enlarge_L(unravel_table_L *held, int64_t count) {
  const unravel_table_L old = *held;
  const KEY *place;
  int64_t places = old.places < 16 ? 16 : 4 * old.places;
  while (places < 2 * count)
    places *= 2;
  if (old.room < places) {
    KEY *const memory =
        places < (int64_t)1 << 32 ? (KEY *)realloc(held->memory, (size_t)places * 4 * sizeof(KEY)) : 0;
    if (!memory) return 0;
    held->memory = memory;
    held->room = places;
  }
  held->places = places;
  held->taken = 0;
  memset(held->memory + 2 * (places - 16), -1, (size_t)places * 2 * sizeof(KEY));
  if (old.taken == 0) return 1;
  for (place = held->memory + 2 * (old.places - 16); place < held->memory + 2 * (2 * old.places - 16);
       place += 2)
    if (place[0] >= 0) unravel_enter_L(held, place[0], place[1]);
  return 1;
}
// Takes all elements out. As many again have room at once.
static inline void unravel_take_out_L(unravel_table_L *held) {
  int64_t places = 16;
  if (held->taken == 0) return;
  while (places < 4 * held->taken && places < held->places)
    places *= 2;
  held->places = places;
  held->taken = 0;
  memset(held->memory + 2 * (places - 16), -1, (size_t)places * 2 * sizeof(KEY));
}
static inline void unravel_free_tables_L(unravel_table_L *tables, int64_t count) {
  int64_t k;
  for (k = 0; k < count; k++)
    free(tables[k].memory);
}
