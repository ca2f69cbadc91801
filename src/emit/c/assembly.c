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
// Threads append to arrays of their own. Each chunk of iterations has a row of numbers: its thread, and where each
// range of elements that it has made begins and ends in the thread's arrays. `held` has each thread's arrays, with
// room for at least `rooms` elements; `code` is not 0 once a thread has failed.
typedef struct unravel_parts {
  int64_t chunks, threads, ranges, arrays;
  int64_t taken, first, last; // of the chunks
  int64_t *rows, *rooms;
  void **held;
  int code;
} unravel_parts;
// For a team of `threads`. Their arrays begin here: what a thread allocates first, allocators keep in places of its
// own, and return to the system as soon as it is freed. Returns 0 if memory runs out.
static inline int unravel_parts_begin(unravel_parts *parts, int64_t iterations, int64_t threads, int64_t ranges,
                                      int64_t arrays) {
  const int64_t wanted = threads > 1 ? 16 * threads : 1;
  int64_t k;
  parts->chunks = wanted < iterations ? wanted : iterations < 1 ? 1 : iterations;
  parts->threads = threads;
  parts->ranges = ranges;
  parts->arrays = arrays;
  parts->taken = parts->first = 0;
  parts->last = parts->chunks - 1;
  parts->code = 0;
  parts->rows = (int64_t *)calloc((size_t)(parts->chunks * (1 + 2 * ranges)), sizeof(int64_t));
  parts->held = (void **)calloc((size_t)(threads * arrays), sizeof(void *));
  parts->rooms = (int64_t *)calloc((size_t)(threads * arrays), sizeof(int64_t));
  for (k = 0; parts->held && k < threads * arrays; k++)
    parts->held[k] = realloc(0, 1);
  if (parts->rows && parts->held && parts->rooms) return 1;
  for (k = 0; parts->held && k < threads * arrays; k++)
    free(parts->held[k]);
  free(parts->rows);
  free(parts->rooms);
  free(parts->held);
  return 0;
}
// A chunk for this thread, or -1 if none is left: thread 0 takes them from the first on, so that what it makes of
// them can stay where it is, and the others from the last.
static inline int64_t unravel_parts_next(unravel_parts *parts) {
  int64_t taken, last;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
  taken = parts->taken++;
  if (taken >= parts->chunks) return -1;
  if (unravel_thread() == 0) return parts->first++;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
  last = parts->last--;
  return last;
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
// Notes where a range of this thread's elements begins; where it ends.
static inline void unravel_parts_from(unravel_parts *parts, int64_t chunk, int64_t range, int64_t begin) {
  int64_t *const row = parts->rows + chunk * (1 + 2 * parts->ranges);
  row[0] = unravel_thread();
  row[1 + 2 * range] = row[2 + 2 * range] = begin;
}
static inline void unravel_parts_to(unravel_parts *parts, int64_t chunk, int64_t range, int64_t end) {
  parts->rows[chunk * (1 + 2 * parts->ranges) + 2 + 2 * range] = end;
}
// Like unravel_room_ahead, for a range of this thread's elements: what the finished iterations of the chunk needed
// is taken as typical of all of them, and of all chunks that a thread has. Thread 0 makes room for all chunks, as its
// array may become the result.
static inline int64_t unravel_parts_room(const unravel_parts *parts, int64_t chunk, int64_t range,
                                         int64_t room, int64_t least, int64_t most, int64_t done,
                                         int64_t all) {
  const int64_t begin = parts->rows[chunk * (1 + 2 * parts->ranges) + 1 + 2 * range];
  const double each = (double)(least - begin) / (double)done * (double)all;
  const double all_chunks = each * (double)parts->chunks, now = (double)begin + each;
  const double share = unravel_thread() == 0 ? all_chunks : all_chunks / (double)parts->threads;
  return unravel_room_ahead(room, least, most, share > now ? share : now);
}
static inline void unravel_parts_hold(unravel_parts *parts, int64_t array, void *memory, int64_t room) {
  parts->held[unravel_thread() * parts->arrays + array] = memory;
  parts->rooms[unravel_thread() * parts->arrays + array] = room;
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
// The number of elements of a range that earlier chunks have made.
static inline int64_t unravel_parts_before(const unravel_parts *parts, int64_t chunk, int64_t range) {
  const int64_t *row = parts->rows + 1 + 2 * range;
  int64_t sum = 0, k;
  for (k = 0; k < chunk; k++, row += 1 + 2 * parts->ranges)
    sum += row[1] - row[0];
  return sum;
}
// Returns memory for what all threads have made of a range, `count` times `length` elements: thread 0's array, which
// has the first chunks in their places, if there is room for all; else `old`, resized. Returns null, and leaves `old`
// unchanged, if memory runs out.
static inline void *unravel_parts_place(unravel_parts *parts, int64_t array, void *old, int64_t count,
                                        int64_t length, size_t size) {
  const int in_place = parts->held[array] && (parts->chunks == 1 || parts->rooms[array] >= count);
  void *const memory = unravel_grow(in_place ? parts->held[array] : old, count, length, size);
  if (!memory || !in_place) return memory;
  free(old);
  parts->held[array] = 0;
  return memory;
}
// Copies what a chunk has made of a range behind what earlier chunks have made, unless it is in its place.
static inline void unravel_parts_copy(const unravel_parts *parts, int64_t chunk, int64_t array, int64_t range,
                                      void *to, int64_t length, size_t size) {
  const int64_t *row = parts->rows + chunk * (1 + 2 * parts->ranges);
  const int64_t begin = row[1 + 2 * range], end = row[2 + 2 * range];
  const char *const from = (const char *)parts->held[row[0] * parts->arrays + array];
  const size_t bytes = (size_t)length * size;
  if (from && begin < end)
    memcpy((char *)to + (size_t)unravel_parts_before(parts, chunk, range) * bytes,
           from + (size_t)begin * bytes, (size_t)(end - begin) * bytes);
}
// Frees this thread's arrays.
static inline void unravel_parts_release(unravel_parts *parts) {
  void **const held = parts->held + unravel_thread() * parts->arrays;
  int64_t k;
  for (k = 0; k < parts->arrays; k++) {
    free(held[k]);
    held[k] = 0;
  }
}
static inline void unravel_parts_end(unravel_parts *parts) {
  int64_t k;
  for (k = 0; k < parts->threads * parts->arrays; k++)
    free(parts->held[k]);
  free(parts->held);
  free(parts->rows);
  free(parts->rooms);
}

// part: raise_L
// Turns a chunk's pointers into a range of its thread's elements into pointers into all elements. `nodes` is the
// range of the pointers, which have been copied, or are in their places already.
static inline void unravel_raise_L(const unravel_parts *parts, int64_t chunk, KEY *pointers, int64_t nodes,
                                   int is_copied, int64_t into) {
  const int64_t *row = parts->rows + chunk * (1 + 2 * parts->ranges);
  const int64_t count = row[2 + 2 * nodes] - row[1 + 2 * nodes];
  const int64_t begin = is_copied ? unravel_parts_before(parts, chunk, nodes) : row[1 + 2 * nodes];
  const KEY more = (KEY)(unravel_parts_before(parts, chunk, into) - row[1 + 2 * into]);
  int64_t node;
  for (node = begin; more != 0 && node < begin + count; node++)
    pointers[node] += more;
}
