#include "emit/prelude.h"

#include "loop/hash.h"

#include <cctype>
#include <fmt/format.h>

namespace unravel::emit {

namespace {

std::string guarded(const std::string &name, const std::string &text) {
  std::string guard = "UNRAVEL_";
  for (char c : name)
    guard += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format("#ifndef {0}\n#define {0}\n{1}#endif\n\n", guard, text);
}

constexpr const char *restrict_macro = R"(#ifndef UNRAVEL_RESTRICT
#ifdef __cplusplus
#define UNRAVEL_RESTRICT __restrict
#else
#define UNRAVEL_RESTRICT restrict
#endif
#endif

)";

constexpr const char *prefetch_macro = R"(#ifndef UNRAVEL_PREFETCH
#ifdef __GNUC__
#define UNRAVEL_PREFETCH(place) __builtin_prefetch(place)
#else
#define UNRAVEL_PREFETCH(place) ((void)(place))
#endif
#endif

)";

std::string of_two(const std::string &name, const std::string &body) {
  return guarded(
      name, fmt::format("static inline int64_t unravel_{}(int64_t a, int64_t b) {{ {} }}\n", name, body));
}

constexpr const char *lanes_text = R"(#ifdef __GNUC__
typedef double unravel_lanes __attribute__((vector_size(64), aligned(8), may_alias));
#endif
)";

/// Whole lines of the cache are written without being read first. Such stores come in order only with a
/// fence; threads that end a parallel loop pass one anyway.
constexpr const char *stored_lanes_text = R"(#ifdef __GNUC__
typedef double unravel_aligned_lanes __attribute__((vector_size(64), aligned(64), may_alias));
// past_caches: to a long result, of which nothing is read again soon
static inline void unravel_store_lanes(double *to, const unravel_lanes *lanes, int past_caches) {
#ifdef __clang__
  if (past_caches && ((__UINTPTR_TYPE__)to & 63) == 0) {
    __builtin_nontemporal_store(*lanes, (unravel_aligned_lanes *)to);
    return;
  }
#endif
  (void)past_caches;
  *(unravel_lanes *)to = *lanes;
}
static inline void unravel_finish_lanes(int past_caches) {
  if (past_caches) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#endif
)";

constexpr const char *bit_text =
    R"(// The bit at a slot, 32 to a word; in 32 bits, so that compilers can read several at once.
static inline uint32_t unravel_bit(const uint32_t *bits, uint32_t slot) {
  return (bits[slot >> 5] >> (slot & 31)) & 1;
}
)";

constexpr const char *long_bit_text =
    R"(static inline uint32_t unravel_long_bit(const uint32_t *bits, int64_t slot) {
  return (bits[slot >> 5] >> (slot & 31)) & 1;
}
)";

constexpr const char *set_bit_text = R"(static inline void unravel_set_bit(uint32_t *bits, int64_t slot) {
  bits[slot >> 5] |= (uint32_t)1 << (slot & 31);
}
)";

constexpr const char *clear_bit_text = R"(static inline void unravel_clear_bit(uint32_t *bits, int64_t slot) {
  bits[slot >> 5] &= ~((uint32_t)1 << (slot & 31));
}
)";

constexpr const char *lowest_bit_text = R"(// The place of the lowest bit that is set; one is.
static inline int unravel_lowest_bit(uint64_t bits) {
#ifdef __GNUC__
  return __builtin_ctzll(bits);
#else
  int place = 0;
  while (!((bits >> place) & 1)) place++;
  return place;
#endif
}
)";

/// {0}: suffix, {1}: type. The loops are unrolled, so that no vector lies in memory.
constexpr const char *equal_pairs_text =
    R"(// Which of 8 keys are among 8 others, and which of those among these: a bit each. Both strictly increase,
// so the lowest bits belong together, then the next ones.
static inline void unravel_equal_pairs{0}(const {1} *left, const {1} *right, uint32_t *left_hits,
                                          uint32_t *right_hits) {{
  int k;
#ifdef __GNUC__
  typedef {1} keys __attribute__((vector_size(8 * sizeof({1}))));
#ifdef __AVX512VL__
  typedef signed char bytes __attribute__((vector_size(8)));
  const uint64_t places = 0x8040201008040201, sum = 0x0101010101010101;
  bytes narrow_a, narrow_b;
  uint64_t bytes_a, bytes_b;
#else
  const keys places = {{1, 2, 4, 8, 16, 32, 64, 128}};
#endif
  keys a, b, in_a, in_b;
  memcpy(&a, left, sizeof(a));
  memcpy(&b, right, sizeof(b));
  in_a = a == right[0];
  in_b = b == left[0];
#pragma GCC unroll 8
  for (k = 1; k < 8; k++) {{
    in_a |= a == right[k];
    in_b |= b == left[k];
  }}
#ifdef __AVX512VL__
  // one instruction makes bytes of keys
  narrow_a = __builtin_convertvector(in_a, bytes);
  narrow_b = __builtin_convertvector(in_b, bytes);
  memcpy(&bytes_a, &narrow_a, sizeof(bytes_a));
  memcpy(&bytes_b, &narrow_b, sizeof(bytes_b));
  *left_hits = (uint32_t)(((bytes_a & places) * sum) >> 56);
  *right_hits = (uint32_t)(((bytes_b & places) * sum) >> 56);
#else
  in_a = (in_a & places) | ((in_b & places) << 8);
  *left_hits = 0;
#pragma GCC unroll 8
  for (k = 0; k < 8; k++) *left_hits |= (uint32_t)in_a[k];
  *right_hits = *left_hits >> 8;
  *left_hits &= 255;
#endif
#else
  int i;
  *left_hits = *right_hits = 0;
  for (k = 0; k < 8; k++)
    for (i = 0; i < 8; i++) {{
      *left_hits |= (uint32_t)(left[k] == right[i]) << k;
      *right_hits |= (uint32_t)(left[k] == right[i]) << i;
    }}
#endif
}}
)";

/// {0}: suffix, {1}: type, {2}: integer of its size, {3}: the sign's place.
constexpr const char *stored_text =
    R"(// A value as it is stored where 0.0 means that nothing is: zero becomes -0.0.
// Done on the bits, since compilers may take the sign of a zero for nothing.
static inline {1} unravel_stored{0}({1} value) {{
  {2} bits;
  memcpy(&bits, &value, sizeof(bits));
  bits |= ({2})(bits == 0) << {3};
  memcpy(&value, &bits, sizeof(bits));
  return value;
}}
)";

/// Not bits != 0: clang 19 makes a test of the value's class of that, for which it has no vectors.
constexpr const char *is_stored_text = R"(// Whether it is anything but 0.0; -0.0 is a zero that is stored.
static inline int unravel_is_stored{0}({1} value) {{
  {2} bits;
  memcpy(&bits, &value, sizeof(bits));
  return (value != 0) | (int)(bits >> {3});
}}
)";

/// What stands for <immintrin.h> in a text that includes nothing: of its functions, those that are used here.
constexpr const char *masks_in_process =
    R"(#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__has_builtin)
#if __has_builtin(__builtin_ia32_loadupd512_mask) && __has_builtin(__builtin_ia32_gathersiv8df)
#define UNRAVEL_MASKS
typedef unsigned char __mmask8;
typedef float __m256 __attribute__((vector_size(32)));
typedef double __m512d __attribute__((vector_size(64)));
typedef long long __m256i __attribute__((vector_size(32)));
typedef long long __m512i __attribute__((vector_size(64)));
typedef int32_t unravel_ints __attribute__((vector_size(32)));
#define _mm256_maskz_loadu_epi32(mask, from) \
  (__m256i)__builtin_ia32_loaddqusi256_mask((const void *)(from), (unravel_ints){0}, mask)
#define _mm512_maskz_loadu_epi64(mask, from) \
  (__m512i)__builtin_ia32_loaddqudi512_mask((const void *)(from), (__m512i){0}, mask)
#define _mm256_maskz_loadu_ps(mask, from) \
  __builtin_ia32_loadups256_mask((const void *)(from), (__m256){0}, mask)
#define _mm512_maskz_loadu_pd(mask, from) \
  __builtin_ia32_loadupd512_mask((const void *)(from), (__m512d){0}, mask)
#define _mm256_mmask_i32gather_ps(zero, mask, keys, from, size) \
  __builtin_ia32_gather3siv8sf(zero, from, (unravel_ints)(keys), mask, size)
#define _mm512_mask_i64gather_ps(zero, mask, keys, from, size) \
  __builtin_ia32_gatherdiv16sf(zero, from, keys, mask, size)
#define _mm512_mask_i32gather_pd(zero, mask, keys, from, size) \
  __builtin_ia32_gathersiv8df(zero, from, (unravel_ints)(keys), mask, size)
#define _mm512_mask_i64gather_pd(zero, mask, keys, from, size) \
  __builtin_ia32_gatherdiv8df(zero, from, keys, mask, size)
#endif
#endif
)";

constexpr const char *masks_include =
    R"(#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__GNUC__)
#include <immintrin.h>
#define UNRAVEL_MASKS
#endif
)";

constexpr const char *rest_text =
    R"(// Which of 8 places are before the end, `count` places further on; at least one is.
static inline __mmask8 unravel_rest(int64_t count) {
  return (__mmask8)((1u << (count < 8 ? count : 8)) - 1);
}
)";

constexpr const char *stretch_text =
    R"(// Neighbouring elements, 0 where the mask has no bit: these aren't read.
static inline {vector} unravel_stretch{suffix}(__mmask8 rest, const {type} *from) {{
  return _mm{bits}_maskz_loadu_{short}(rest, from);
}}
)";

constexpr const char *lanes_sum_text = R"(static inline double unravel_lanes_sum(__m512d lanes) {
  typedef double half __attribute__((vector_size(32)));
  typedef double quarter __attribute__((vector_size(16)));
  half halves[2];
  quarter quarters[2];
  memcpy(halves, &lanes, sizeof(halves));
  halves[0] += halves[1];
  memcpy(quarters, halves, sizeof(quarters));
  quarters[0] += quarters[1];
  return quarters[0][0] + quarters[0][1];
}
)";

constexpr const char *lanes_sum_single_text = R"(static inline float unravel_lanes_sum_f(__m256 lanes) {
  typedef float half __attribute__((vector_size(16)));
  half halves[2];
  memcpy(halves, &lanes, sizeof(halves));
  halves[0] += halves[1];
  return (halves[0][0] + halves[0][2]) + (halves[0][1] + halves[0][3]);
}
)";

/// Of 32- or 64-bit keys, as they are.
constexpr const char *gather_text =
    R"(// The elements at 8 keys, 0 where the mask has no bit: neither is read there.
static inline {vector} unravel_gather{long}{suffix}(__mmask8 rest, const {type} *from, const {key} *keys) {{
  const {vector} zero = {{0}};
  return {gather}(zero, rest, {load}(rest, keys), from, sizeof({type}));
}}
)";

/// ... of 64-bit ones that are made of them.
constexpr const char *gather_at_text =
    R"(// The elements at scale * key + base, for 8 keys, 0 where the mask has no bit: neither is read there.
static inline {vector} unravel_gather{long}_at{suffix}(__mmask8 rest, const {type} *from, const {key} *keys,
                                           int64_t scale, int64_t base) {{
  typedef int64_t places __attribute__((vector_size(64)));
  typedef {key} short_places __attribute__((vector_size(8 * sizeof({key}))));
  const {vector} zero = {{0}};
  const places wide = __builtin_convertvector((short_places){load}(rest, keys), places);
  return {gather}(zero, rest, (__m512i)(wide * scale + base), from, sizeof({type}));
}}
)";

/// {pointer}: type of the pointers.
constexpr const char *uneven_text =
    R"(// Whether the lengths of neighbouring segments differ: of up to 64 pairs of them one in 8. Where they do,
// the end of a short loop over a segment is mispredicted.
static inline int unravel_uneven{long}(const {pointer} *pointers, int64_t segments) {{
  const int64_t pairs = segments / 2 < 64 ? segments / 2 : 64;
  int64_t differ = 0;
  for (int64_t k = 0; k < pairs; k++) {{
    const {pointer} *at = pointers + k * (segments / pairs);
    differ += at[1] - at[0] != at[2] - at[1];
  }}
  return pairs > 0 && 8 * differ >= pairs;
}}
)";

/// {suffix}, {type}; {integer} of its size; {bytes} of two.
constexpr const char *pairs_text =
    R"(typedef {type} unravel_pair{suffix} __attribute__((vector_size({bytes}), aligned(sizeof({type})), may_alias));
typedef {integer} unravel_mask{suffix} __attribute__((vector_size({bytes}), aligned(sizeof({type})), may_alias));
static inline unravel_pair{suffix} unravel_pair{suffix}_at(const {type} *from) {{
  return *(const unravel_pair{suffix} *)from;
}}
)";

constexpr const char *kept_text =
    R"(// Masks for the first elements: from the place 4 - n on for n of them.
static const {integer} unravel_first{suffix}[8] = {{-1, -1, -1, -1, 0, 0, 0, 0}};
// The pair, 0 where the mask is.
static inline unravel_pair{suffix} unravel_kept{suffix}(unravel_pair{suffix} pair, const {integer} *mask) {{
  return (unravel_pair{suffix})((unravel_mask{suffix})pair & *(const unravel_mask{suffix} *)mask);
}}
)";

constexpr const char *pick_text =
    R"(// The elements at two keys. Of four, compilers would make a gather, which is slow on many processors.
static inline unravel_pair{suffix} unravel_pick{long}{suffix}(const {type} *from, const {key} *keys) {{
  const unravel_pair{suffix} pair = {{from[keys[0]], from[keys[1]]}};
  return pair;
}}
)";

constexpr const char *pick_used_text =
    R"(// The elements at two keys, any one for a negative key.
static inline unravel_pair{suffix} unravel_pick_used{long}{suffix}(const {type} *from, const {key} *keys) {{
  const unravel_pair{suffix} pair = {{from[keys[0] < 0 ? 0 : keys[0]], from[keys[1] < 0 ? 0 : keys[1]]}};
  return pair;
}}
)";

constexpr const char *used_text =
    R"(// The pair, 0 where its key is negative.
static inline unravel_pair{suffix} unravel_used{long}{suffix}(unravel_pair{suffix} pair, const {key} *keys) {{
  const unravel_mask{suffix} mask = {{-({integer})(keys[0] >= 0), -({integer})(keys[1] >= 0)}};
  return (unravel_pair{suffix})((unravel_mask{suffix})pair & mask);
}}
)";

std::string masked(const std::string &text) {
  return "#ifdef UNRAVEL_MASKS\n" + text + "#endif\n";
}

/// Sums in pairs.
std::string pair_helpers(const Needs &needs) {
  const bool single = needs.single_precision;
  const std::string suffix = single ? "_f" : "";
  std::string result;
  for (bool is_long : {false, true})
    if (is_long ? needs.uneven_long : needs.uneven) {
      const std::string text =
          guarded(is_long ? "uneven_long" : "uneven",
                  fmt::format(fmt::runtime(uneven_text), fmt::arg("long", is_long ? "_long" : ""),
                              fmt::arg("pointer", is_long ? "int64_t" : "int32_t")));
      result += needs.uneven_in_pairs ? text : masked(text) + "\n";
    }
  auto of_pairs = [&](const std::string &name, const char *text, bool is_long) {
    const std::string made = fmt::format(
        fmt::runtime(text), fmt::arg("suffix", suffix), fmt::arg("type", single ? "float" : "double"),
        fmt::arg("integer", single ? "int32_t" : "int64_t"), fmt::arg("bytes", single ? 8 : 16),
        fmt::arg("long", is_long ? "_long" : ""), fmt::arg("key", is_long ? "int64_t" : "int32_t"));
    result += guarded(name + suffix, "#ifdef __GNUC__\n" + made + "#endif\n");
  };
  if (needs.pairs) of_pairs("pairs", pairs_text, false);
  if (needs.kept) of_pairs("kept", kept_text, false);
  for (const auto &[form, text] :
       {std::pair("pick", pick_text), {"pick_used", pick_used_text}, {"used", used_text}})
    for (bool is_long : {false, true})
      if (const std::string name = std::string(form) + (is_long ? "_long" : ""); needs.picks.contains(name))
        of_pairs(name, text, is_long);
  return result;
}

constexpr const char *fast_gathers_text = R"(// The machine that this was made for has fast gathers.
#ifndef UNRAVEL_GATHERS
#define UNRAVEL_GATHERS 1
#endif

)";

constexpr const char *gathers_text =
    R"(// Whether the processor's own gathers are faster than plain loads: those of Intel's are.
#ifndef UNRAVEL_GATHERS
#ifdef UNRAVEL_MASKS
#define UNRAVEL_GATHERS __builtin_cpu_is("intel")
#else
#define UNRAVEL_GATHERS 0
#endif
#endif

)";

std::string gather(const char *text, bool is_long, bool is_plain, bool single) {
  const char *load = is_long ? "_mm512_maskz_loadu_epi64" : "_mm256_maskz_loadu_epi32";
  std::string instruction =
      fmt::format("{}_{}gather_{}", single && is_plain && !is_long ? "_mm256_mmask" : "_mm512_mask",
                  is_plain && !is_long ? "i32" : "i64", single ? "ps" : "pd");
  return masked(fmt::format(fmt::runtime(text), fmt::arg("vector", single ? "__m256" : "__m512d"),
                            fmt::arg("long", is_long ? "_long" : ""), fmt::arg("suffix", single ? "_f" : ""),
                            fmt::arg("type", single ? "float" : "double"),
                            fmt::arg("key", is_long ? "int64_t" : "int32_t"), fmt::arg("load", load),
                            fmt::arg("gather", instruction)));
}

/// Functions of vectors with masks.
std::string masked_helpers(const Needs &needs) {
  bool single = needs.single_precision;
  std::string suffix = single ? "_f" : "";
  std::string result = guarded("rest", masked(rest_text)) +
                       guarded("lanes_sum" + suffix, masked(single ? lanes_sum_single_text : lanes_sum_text));
  if (needs.stretch)
    result += guarded(
        "stretch" + suffix,
        masked(fmt::format(fmt::runtime(stretch_text), fmt::arg("vector", single ? "__m256" : "__m512d"),
                           fmt::arg("suffix", suffix), fmt::arg("type", single ? "float" : "double"),
                           fmt::arg("bits", single ? 256 : 512), fmt::arg("short", single ? "ps" : "pd"))));
  if (needs.gather) result += guarded("gather" + suffix, gather(gather_text, false, true, single));
  if (needs.gather_long) result += guarded("gather_long" + suffix, gather(gather_text, true, true, single));
  if (needs.gather_at) result += guarded("gather_at" + suffix, gather(gather_at_text, false, false, single));
  if (needs.gather_long_at)
    result += guarded("gather_long_at" + suffix, gather(gather_at_text, true, false, single));
  return result;
}

constexpr const char *reserve_text =
    R"(// Memory for `count` elements, every byte of them `fill`; what was there is lost. Null where there is
// not enough.
static inline void *unravel_reserve(void *old, int64_t *capacity, int64_t count, size_t size, int fill) {
  void *memory;
  free(old);
  memory = calloc((size_t)count, size);
  *capacity = memory ? count : 0;
  if (memory && fill) memset(memory, fill, (size_t)count * size);
  return memory;
}
)";

constexpr const char *thread_text = R"(// This thread in its team.
static inline int64_t unravel_thread(void) {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}
)";

constexpr const char *threads_text = R"(// How many threads a team may have.
static inline int64_t unravel_threads(void) {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}
)";

/// For float or double.
std::string of_precision(const char *text, bool single) {
  return single ? fmt::format(fmt::runtime(text), "_f", "float", "uint32_t", 31)
                : fmt::format(fmt::runtime(text), "", "double", "uint64_t", 63);
}

bool wants_unsigned(const Needs &needs) {
  return needs.bit || needs.long_bit || needs.set_bit || needs.clear_bit || needs.lowest_bit ||
         needs.equal_pairs || needs.equal_pairs_long || needs.stored || needs.is_stored || needs.hash;
}

bool copies_memory(const Needs &needs) {
  return needs.stored || needs.is_stored || needs.equal_pairs || needs.equal_pairs_long || needs.masks;
}

/// The text includes nothing.
std::string declarations(const Needs &needs, bool has_workspace) {
  std::string result = "typedef __INT32_TYPE__ int32_t;\ntypedef __INT64_TYPE__ int64_t;\n";
  if (has_workspace || wants_unsigned(needs))
    result += "typedef __UINT32_TYPE__ uint32_t;\ntypedef __UINT64_TYPE__ uint64_t;\n";
  bool copies = copies_memory(needs);
  bool sets = needs.memset || needs.reserve;
  if (has_workspace || copies || sets) result += "typedef __SIZE_TYPE__ size_t;\n";
  if (sets) result += "void *memset(void *, int, size_t);\n";
  if (copies) result += "void *memcpy(void *, const void *, size_t);\n";
  if (has_workspace) result += "void *calloc(size_t, size_t);\nvoid free(void *);\n";
  if (needs.threads)
    result += "#ifdef _OPENMP\nint omp_get_thread_num(void);\nint omp_get_max_threads(void);\n#endif\n";
  if (needs.masks || needs.gathers) result += masks_in_process;
  return result + "\n";
}

} // namespace

std::string includes(const Needs &needs, bool has_workspace, const EmitOptions &options, const Names &names) {
  if (options.in_process) return declarations(needs, has_workspace);
  std::string result = "// Generated by Unravel.\n";
  if (options.with_header) result += fmt::format("#include \"{}.h\"\n\n", names.kernel());
  result += "#include <stdint.h>\n";
  if (has_workspace) result += "#include <stdlib.h>\n";
  if (needs.memset || needs.reserve || copies_memory(needs)) result += "#include <string.h>\n";
  if (needs.threads) result += "#ifdef _OPENMP\n#include <omp.h>\n#endif\n";
  if (needs.masks || needs.gathers) result += masks_include;
  return result + "\n";
}

std::string helpers(const Needs &needs, const EmitOptions &options) {
  std::string result;
  if (needs.restrict_macro) result += restrict_macro;
  if (needs.prefetch) result += prefetch_macro;
  if (needs.floor_divide)
    result += "// a / b rounded towards minus infinity; b > 0\n" +
              of_two("floor_divide", "return a / b - (a % b < 0);");
  if (needs.floor_modulo)
    result +=
        "// a - b * floor(a / b); b > 0\n" + of_two("floor_modulo", "return a % b < 0 ? a % b + b : a % b;");
  if (needs.minimum) result += of_two("minimum", "return a < b ? a : b;");
  if (needs.maximum) result += of_two("maximum", "return a > b ? a : b;");
  if (needs.hash) result += guarded("hash", loop::hash_c_text);
  if (needs.lanes) result += guarded("lanes", lanes_text);
  if (needs.stored_lanes) result += guarded("stored_lanes", stored_lanes_text);
  result += pair_helpers(needs);
  if (needs.gathers && options.gathers == EmitOptions::Gathers::Always) result += fast_gathers_text;
  if (needs.gathers) result += gathers_text;
  if (needs.masks) result += masked_helpers(needs);
  if (needs.bit) result += guarded("bit", bit_text);
  if (needs.long_bit) result += guarded("long_bit", long_bit_text);
  if (needs.set_bit) result += guarded("set_bit", set_bit_text);
  if (needs.clear_bit) result += guarded("clear_bit", clear_bit_text);
  if (needs.lowest_bit) result += guarded("lowest_bit", lowest_bit_text);
  if (needs.equal_pairs)
    result += guarded("equal_pairs", fmt::format(fmt::runtime(equal_pairs_text), "", "int32_t"));
  if (needs.equal_pairs_long)
    result += guarded("equal_pairs_long", fmt::format(fmt::runtime(equal_pairs_text), "_long", "int64_t"));
  const char *precision = needs.single_precision ? "_f" : "";
  if (needs.stored)
    result += guarded(std::string("stored") + precision, of_precision(stored_text, needs.single_precision));
  if (needs.is_stored)
    result +=
        guarded(std::string("is_stored") + precision, of_precision(is_stored_text, needs.single_precision));
  if (needs.reserve) result += guarded("reserve", reserve_text);
  if (needs.thread) result += guarded("thread", thread_text);
  if (needs.threads) result += guarded("threads", threads_text);
  return result;
}

} // namespace unravel::emit
