// Functions for kernels that assemble their results; as functions.c, after which it stands.
#include "functions.c"

// part: room
// The number of entries to make room for: half as many again, at least `least`, at most `most`.
static inline int64_t unravel_room(int64_t room, int64_t least, int64_t most) {
  const int64_t more = room < most / 2 ? room + room / 2 + 64 : most;
  const int64_t wanted = more < least ? least : more;
  return wanted < most ? wanted : most;
}

// part: room_ahead
// Like unravel_room, if about `expected` entries are needed in the end. It makes room for more: too low a guess
// costs a copy, while memory that is never written costs nothing, and is given back in the end. At most 64 times
// what is needed now, or 512 times if that is no more than four million.
static inline int64_t unravel_room_ahead(int64_t room, int64_t least, int64_t most, double expected) {
  const double wanted = 1.125 * expected + (expected < 1048576 ? expected : 1048576);
  const int64_t usual = unravel_room(room, least, most);
  const int64_t far = least < most / 64 ? 64 * least : most, near = least < 8192 ? 512 * least : 4194304;
  const int64_t bound = far > near ? far : near < most ? near : most;
  const int64_t ahead = wanted < (double)bound ? (int64_t)wanted : bound;
  return ahead > usual ? ahead : usual;
}

// part: grow
// Resizes the array to count * length elements, and keeps its contents. Returns null, and leaves the array
// unchanged, if memory runs out.
static inline void *unravel_grow(void *array, int64_t count, int64_t length, size_t size) {
  const int64_t most = (int64_t)((size_t)-1 / 2 / size);
  void *memory;
  if (count < 1 || length < 1) return realloc(array, 1);
  if (count > most / length) return 0;
  memory = realloc(array, (size_t)(count * length) * size);
  unravel_in_large_pages(memory, (size_t)(count * length) * size);
  return memory;
}

// part: trim
// Shrinks the array to count * length elements.
static inline void *unravel_trim(void *array, int64_t count, int64_t length, size_t size) {
  void *memory = unravel_grow(array, count, length, size);
  return memory ? memory : array;
}

// part: parts
// Threads append to arrays of their own, chunk after chunk of iterations, and put a chunk into its place in the
// result's arrays as soon as all chunks before it are made: while it is in the cache, and in memory that they use
// again for the next one. Each chunk has a row of numbers: its thread, whether it is made (1) or in its place (2),
// and of each range of elements where it begins and ends in the thread's arrays and where its place begins. An array
// has a range and bytes for each of its elements. `held` has each thread's arrays, `made` the result's, with room for
// `rooms` elements; `code` is not 0 once a thread has failed. One thread alone has one chunk, in its place.
typedef struct unravel_parts {
  int64_t chunks, threads, ranges, arrays;
  int64_t taken, known; // chunks; known: they are made, and all before them
  int64_t copying;      // threads that put something into `made`, which stays where it is meanwhile
  int64_t *rows, *shapes, *rooms, *first; // first: of each thread's chunks that may not be in their places
  void **held, **made;
  int code;
} unravel_parts;
static inline int64_t *unravel_parts_row(const unravel_parts *parts, int64_t chunk) {
  return parts->rows + chunk * (2 + 3 * parts->ranges);
}
// The same of a range.
static inline int64_t *unravel_parts_of(const unravel_parts *parts, int64_t chunk, int64_t range) {
  return unravel_parts_row(parts, chunk) + 2 + 3 * range;
}
static inline void unravel_parts_end(unravel_parts *parts) {
  int64_t k;
  for (k = 0; parts->held && k < parts->threads * parts->arrays; k++)
    free(parts->held[k]);
  for (k = 0; parts->made && k < parts->arrays; k++)
    free(parts->made[k]);
  free(parts->held);
  free(parts->made);
  free(parts->rows);
}
// For a team of `threads`. Their arrays begin here: what a thread allocates first, allocators keep in places of its
// own, and return to the system as soon as it is freed. Returns 0 if memory runs out.
static inline int unravel_parts_begin(unravel_parts *parts, int64_t iterations, int64_t threads, int64_t ranges,
                                      int64_t arrays) {
  const int64_t some = threads > 8 ? 192 + 8 * threads : 32 * threads, wanted = threads > 1 ? some : 1;
  int64_t numbers, k;
  parts->chunks = wanted < iterations ? wanted : iterations < 1 ? 1 : iterations;
  parts->threads = threads;
  parts->ranges = ranges;
  parts->arrays = arrays;
  parts->taken = parts->known = parts->copying = 0;
  parts->code = 0;
  numbers = parts->chunks * (2 + 3 * ranges);
  parts->rows = (int64_t *)calloc((size_t)(numbers + 4 * arrays + threads), sizeof(int64_t));
  parts->shapes = parts->rows + numbers;
  parts->rooms = parts->shapes + 3 * arrays;
  parts->first = parts->rooms + arrays;
  parts->held = (void **)calloc((size_t)(threads * arrays), sizeof(void *));
  parts->made = (void **)calloc((size_t)arrays, sizeof(void *));
  for (k = 0; parts->held && k < threads * arrays; k++)
    parts->held[k] = realloc(0, 1);
  if (parts->rows && parts->held && parts->made) return 1;
  unravel_parts_end(parts);
  return 0;
}
// What an array has: elements of a range, at most `most`, each of `length` numbers.
static inline void unravel_parts_array(unravel_parts *parts, int64_t array, int64_t range, int64_t most,
                                       int64_t length, size_t size) {
  int64_t *const shape = parts->shapes + 3 * array;
  shape[0] = range;
  shape[1] = length * (int64_t)size;
  shape[2] = most;
}
// A chunk for this thread, or -1 if none is left.
static inline int64_t unravel_parts_next(unravel_parts *parts) {
  int64_t taken;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
  taken = parts->taken++;
  return taken < parts->chunks ? taken : -1;
}
// The first iteration of a chunk.
static inline int64_t unravel_parts_first(const unravel_parts *parts, int64_t chunk, int64_t lower,
                                          int64_t upper) {
  const int64_t count = upper > lower ? upper - lower : 0;
  return lower + count / parts->chunks * chunk + count % parts->chunks * chunk / parts->chunks;
}
// An array of this thread, until it holds another one.
static inline void *unravel_parts_own(const unravel_parts *parts, int64_t array) {
  return parts->held[unravel_thread() * parts->arrays + array];
}
static inline void unravel_parts_hold(unravel_parts *parts, int64_t array, void *memory) {
  parts->held[unravel_thread() * parts->arrays + array] = memory;
}
// Notes where a range of this thread's elements begins; where it ends.
static inline void unravel_parts_from(unravel_parts *parts, int64_t chunk, int64_t range, int64_t begin) {
  int64_t *const own = unravel_parts_of(parts, chunk, range);
  unravel_parts_row(parts, chunk)[0] = unravel_thread();
  own[0] = own[1] = begin;
}
static inline void unravel_parts_to(unravel_parts *parts, int64_t chunk, int64_t range, int64_t end) {
  unravel_parts_of(parts, chunk, range)[1] = end;
}
// Like unravel_room_ahead, for a range of this thread's elements: what the finished iterations of the chunk needed
// is taken as typical of all of them.
static inline int64_t unravel_parts_room(const unravel_parts *parts, int64_t chunk, int64_t range,
                                         int64_t room, int64_t least, int64_t most, int64_t done,
                                         int64_t all) {
  const int64_t begin = unravel_parts_of(parts, chunk, range)[0];
  return unravel_room_ahead(room, least, most,
                            (double)begin + (double)(least - begin) / (double)done * (double)all);
}
static inline int unravel_parts_failed(unravel_parts *parts) {
  int code;
#ifdef _OPENMP
#pragma omp atomic read
#endif
  code = parts->code;
  return code;
}
static inline void unravel_parts_fail(unravel_parts *parts, int code) {
  (void)code; // gcc 12 warns that a variable written atomically is unused
#ifdef _OPENMP
#pragma omp atomic write
#endif
  parts->code = code;
}
// Notes that a chunk is made: its place is known, and that of later ones, once all before it are.
static inline void unravel_parts_made(unravel_parts *parts, int64_t chunk) {
#ifdef _OPENMP
#pragma omp critical(unravel_parts)
#endif
  {
    unravel_parts_row(parts, chunk)[1] = 1;
    for (; parts->known < parts->chunks && unravel_parts_row(parts, parts->known)[1] > 0; parts->known++) {
      int64_t range;
      for (range = 0; parts->known > 0 && range < parts->ranges; range++) {
        const int64_t *const before = unravel_parts_of(parts, parts->known - 1, range);
        unravel_parts_of(parts, parts->known, range)[2] = before[2] + before[1] - before[0];
      }
    }
  }
}
// Is there room for the chunk in its place? What chunks have needed on average up to now is taken as typical.
static inline int unravel_parts_fit(unravel_parts *parts, int64_t chunk) {
  int64_t k;
  for (k = 0; k < parts->arrays; k++) {
    const int64_t *const shape = parts->shapes + 3 * k, *const own = unravel_parts_of(parts, chunk, shape[0]);
    const int64_t least = own[2] + own[1] - own[0], bytes = shape[1], most = shape[2];
    int64_t room;
    void *grown;
    if (parts->made[k] && least <= parts->rooms[k]) continue;
    if (parts->copying || least > most) return 0;
    room = unravel_room_ahead(parts->rooms[k], least, most,
                              (double)least / (double)(chunk + 1) * (double)parts->chunks);
    grown = unravel_grow(parts->made[k], room + 1, 1, (size_t)bytes);
    while (!grown && room > least)
      room = least + (room - least) / 2, grown = unravel_grow(parts->made[k], room + 1, 1, (size_t)bytes);
    if (!grown) return 0;
    parts->made[k] = grown;
    parts->rooms[k] = room;
  }
  return 1;
}
// Copies what a chunk has made to its place.
static inline void unravel_parts_copy(const unravel_parts *parts, int64_t chunk, int64_t array, void *to) {
  const int64_t *const own = unravel_parts_of(parts, chunk, parts->shapes[3 * array]);
  const size_t bytes = (size_t)parts->shapes[3 * array + 1];
  const int64_t thread = unravel_parts_row(parts, chunk)[0];
  if (own[0] < own[1])
    memcpy((char *)to + (size_t)own[2] * bytes,
           (const char *)parts->held[thread * parts->arrays + array] + (size_t)own[0] * bytes,
           (size_t)(own[1] - own[0]) * bytes);
}
// Puts this thread's next chunk into its place, once that is known, and returns it; else -1. `made` stays where it is
// until the chunk is settled.
static inline int64_t unravel_parts_put(unravel_parts *parts) {
  const int64_t thread = unravel_thread();
  int64_t chunk = -1, k;
  if (parts->chunks == 1) return -1;
#ifdef _OPENMP
#pragma omp critical(unravel_parts)
#endif
  {
    int64_t first = parts->first[thread];
    for (; first < parts->known; first++) {
      const int64_t *const row = unravel_parts_row(parts, first);
      if (row[0] == thread && row[1] == 1) break;
    }
    parts->first[thread] = first;
    if (first < parts->known && unravel_parts_fit(parts, first)) {
      chunk = first;
      parts->copying++;
    }
  }
  if (chunk < 0) return -1;
  for (k = 0; k < parts->arrays; k++)
    unravel_parts_copy(parts, chunk, k, parts->made[k]);
  return chunk;
}
// Nothing of the chunk is changed in its place any more.
static inline void unravel_parts_settle(unravel_parts *parts, int64_t chunk) {
#ifdef _OPENMP
#pragma omp critical(unravel_parts)
#endif
  {
    unravel_parts_row(parts, chunk)[1] = 2;
    parts->copying--;
  }
}
// Is the chunk in its place? It is this thread's, or there is one thread.
static inline int unravel_parts_is_put(const unravel_parts *parts, int64_t chunk) {
  return parts->chunks > 1 && unravel_parts_row(parts, chunk)[1] == 2;
}
// Are there chunks that aren't?
static inline int unravel_parts_are_left(const unravel_parts *parts) {
  int64_t chunk;
  for (chunk = 0; parts->chunks > 1 && chunk < parts->chunks; chunk++)
    if (unravel_parts_row(parts, chunk)[1] != 2) return 1;
  return 0;
}
// The number of elements of a range that all chunks have made.
static inline int64_t unravel_parts_count(const unravel_parts *parts, int64_t range) {
  int64_t sum = 0, chunk;
  for (chunk = 0; chunk < parts->chunks; chunk++)
    sum += unravel_parts_of(parts, chunk, range)[1] - unravel_parts_of(parts, chunk, range)[0];
  return sum;
}
// Returns memory for what all threads have made of a range, `count` times `length` elements: the array that has
// chunks in their places, else `old`, resized. Returns null, and leaves `old` unchanged, if memory runs out.
static inline void *unravel_parts_place(unravel_parts *parts, int64_t array, void *old, int64_t count,
                                        int64_t length, size_t size) {
  void **const made = parts->chunks == 1 ? &parts->held[array] : &parts->made[array];
  void *const memory = unravel_grow(*made ? *made : old, count, length, size);
  if (!memory || !*made) return memory;
  free(old);
  *made = 0;
  return memory;
}

// part: raise_L
// Turns a chunk's pointers into a range of its thread's elements into pointers into all elements. `nodes` is the
// range of the pointers, which have been copied, or are in their places already.
static inline void unravel_raise_L(const unravel_parts *parts, int64_t chunk, KEY *pointers, int64_t nodes,
                                   int is_copied, int64_t into) {
  const int64_t *const own = unravel_parts_of(parts, chunk, nodes);
  const int64_t *const elements = unravel_parts_of(parts, chunk, into);
  const int64_t count = own[1] - own[0], begin = is_copied ? own[2] : own[0];
  const KEY more = (KEY)(elements[2] - elements[0]);
  int64_t node;
  for (node = begin; more != 0 && node < begin + count; node++)
    pointers[node] += more;
}
