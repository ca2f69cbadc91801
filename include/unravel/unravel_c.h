#ifndef UNRAVEL_C_H
#define UNRAVEL_C_H

/* Unravel in C99, as a shared library: tensors in any layout, kernels for expressions in tensor index
 * notation. The C++ interface, unravel.h, says more of what each thing means; docs/library.md shows both.
 *
 * Functions that can fail return 0 on success. On an error they return 1, fill `error` unless it is null, and
 * set what they return through pointers to null. Nothing is thrown. Texts are UTF-8, end with a 0, and are
 * copied. Functions may be called from several threads at once, except those that change or free the same
 * tensor.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct unravel_tensor unravel_tensor; /* to be freed with unravel_tensor_free */
typedef struct unravel_kernel unravel_kernel; /* to be freed with unravel_kernel_free */

/* Why something was not done. Its texts live until unravel_error_free. */
typedef struct {
  const char *kind;    /* a stable name, such as "size-mismatch" (docs/errors.md), or "no-memory" */
  const char *message; /* of one or more lines, with the place underlined where there is one */
  int is_bug; /* a failure of the compiler itself; otherwise the input is at fault, or not supported yet */
} unravel_error;
void unravel_error_free(unravel_error *error);

/* "0.1.0" */
const char *unravel_version(void);

/* ---- types of elements */

typedef enum {
  UNRAVEL_FLOAT32,
  UNRAVEL_FLOAT64,
  UNRAVEL_BOOL,
  UNRAVEL_INT8,
  UNRAVEL_INT16,
  UNRAVEL_INT32,
  UNRAVEL_INT64,
  UNRAVEL_UINT8,
  UNRAVEL_UINT16,
  UNRAVEL_UINT32,
  UNRAVEL_UINT64,
  UNRAVEL_COMPLEX64, /* float _Complex: the real part, then the imaginary one */
  UNRAVEL_COMPLEX128
} unravel_type;

/* ---- tensors */

/* Elements in memory, by the layout's name for them. */
typedef struct {
  const char *name;
  unravel_type type;
  void *data;
  size_t count;
  int writable; /* may it be written to? Results are, to arrays of values */
} unravel_array;

/* A size or count, by the layout's name for it. */
typedef struct {
  const char *name;
  int64_t value;
} unravel_number;

/* How thoroughly the caller's arrays are checked. Kernels rely on them: where a property doesn't hold
 * they may read outside of the arrays. */
typedef enum {
  UNRAVEL_CHECK_FULL,   /* extents and all properties, in time linear in the arrays */
  UNRAVEL_CHECK_EXTENTS /* that each array has as many elements as the layout says, in constant time */
} unravel_check;

/* The caller's own arrays, which aren't copied. `release(owner)` is called once no tensor needs them, and
 * also where this fails; without it they must live as long as the tensor, and as long as results that have
 * its structure. The arrays may come in any order. `counts`: those that follow neither from the layout nor
 * from an array's length. */
int unravel_tensor_over(const char *layout, size_t order, const int64_t *shape, size_t array_count,
                        const unravel_array *arrays, size_t count_count, const unravel_number *counts,
                        unravel_check check, void (*release)(void *), void *owner, unravel_tensor **made,
                        unravel_error *error);
/* From entries: entry e has the value values[e], of that type, at (indices[0][e], indices[1][e], ...).
 * Entries of equal coordinates add up. `index`: UNRAVEL_INT32 or UNRAVEL_INT64, of index arrays. */
int unravel_tensor_pack(const char *layout, size_t order, const int64_t *shape, size_t entries,
                        const int64_t *const *indices, unravel_type type, const void *values,
                        unravel_type index, unravel_tensor **made, unravel_error *error);
/* The same, but `combine` names an operator of two arguments that makes one value of entries of equal
 * coordinates, in their order: "min", "or", "first", "second", "+". Null or "": they add up. */
int unravel_tensor_pack_combined(const char *layout, size_t order, const int64_t *shape, size_t entries,
                                 const int64_t *const *indices, unravel_type type, const void *values,
                                 unravel_type index, const char *combine, unravel_tensor **made,
                                 unravel_error *error);
/* From a file or a folder of arrays. `layout` may be null: dense, or the folder's. `order`: the one
 * that is wanted, or -1. */
int unravel_tensor_read(const char *path, const char *layout, int order, unravel_tensor **made,
                        unravel_error *error);
/* The same with `combine`, of files alone. */
int unravel_tensor_read_combined(const char *path, const char *layout, int order, const char *combine,
                                 unravel_tensor **made, unravel_error *error);
/* In another layout: arrays of its own. */
int unravel_tensor_convert(const unravel_tensor *tensor, const char *layout, unravel_tensor **made,
                           unravel_error *error);
/* Another tensor over the same arrays, which live until it is freed, also if a kernel computes the first one
 * anew. */
int unravel_tensor_same_arrays(const unravel_tensor *tensor, unravel_tensor **made, unravel_error *error);
/* Does nothing for null. */
void unravel_tensor_free(unravel_tensor *tensor);

/* Of a tensor; what they return lives as long as it does, and as no kernel computes it anew. */
const char *unravel_tensor_layout(const unravel_tensor *tensor);
size_t unravel_tensor_order(const unravel_tensor *tensor);
const int64_t *unravel_tensor_shape(const unravel_tensor *tensor);
double unravel_tensor_fill(const unravel_tensor *tensor); /* what elements are that aren't stored */
/* The type of the values; 1 where the layout stores none. */
int unravel_tensor_value_type(const unravel_tensor *tensor, unravel_type *type);
size_t unravel_tensor_array_count(const unravel_tensor *tensor);
unravel_array unravel_tensor_array(const unravel_tensor *tensor, size_t k); /* k < array_count */
size_t unravel_tensor_number_count(const unravel_tensor *tensor);
unravel_number unravel_tensor_number(const unravel_tensor *tensor, size_t k); /* sizes, then counts */

/* All entries, in the order of the arrays, with zeros that are stored: indices[mode * entries + e],
 * values[e], of complex ones the real parts. Both are to be freed with unravel_free. */
int unravel_tensor_coordinates(const unravel_tensor *tensor, size_t *entries, int64_t **indices,
                               double **values, unravel_error *error);
/* The imaginary parts of these values, in the same order, to be freed with unravel_free; zeros of real ones.
 */
int unravel_tensor_imaginary(const unravel_tensor *tensor, size_t *entries, double **imaginary,
                             unravel_error *error);
/* These values of a tensor of int64 or, as their bits, of uint64, in the same order, to be freed with
 * unravel_free: exact, where doubles are rounded beyond 2^53. Null where the values are of another type. */
int unravel_tensor_integers(const unravel_tensor *tensor, size_t *entries, int64_t **integers,
                            unravel_error *error);

/* ---- kernels */

typedef struct {
  const char *name;
  const char *text;
} unravel_format;

/* As Options of unravel.h. Made by unravel_options_new alone, so that later versions may have more of them.
 */
typedef struct {
  size_t format_count;
  const unravel_format *formats;
  size_t schedule_count;
  const char *const *schedules;
  size_t find_count;
  const char *const *finds;
  const char *name;
  unravel_type index;
  int has_value;
  unravel_type value; /* where has_value isn't 0 */
  int threads;        /* 0: as OpenMP has it */
  double budget_seconds;
  const char *machine; /* "" or "here", "portable", a file */
  int trust;
  /* No machine code is made before the first call, whose tensors say the types; and nothing is made of the
   * counts of the tensors that the kernel is made for: it is for any. */
  int later;
  const char *prefix; /* of unravel_make_c; null: none */
  int const_operands;
} unravel_options;
unravel_options unravel_options_new(void);

/* A tensor, or where that is null a number: of a scalar, or of a program's size. */
typedef struct {
  const char *name;
  unravel_tensor *tensor;
  double number;
  int is_integer;
} unravel_argument;

/* `options` may be null. The tensors say layouts, types and counts; there may be none. */
int unravel_kernel_make(const char *expression, const unravel_options *options, size_t tensor_count,
                        const unravel_argument *tensors, unravel_kernel **made, unravel_error *error);
void unravel_kernel_free(unravel_kernel *kernel);

/* The names of its arguments: results, then operands, then a program's sizes. */
size_t unravel_kernel_argument_count(const unravel_kernel *kernel);
size_t unravel_kernel_result_count(const unravel_kernel *kernel);
size_t unravel_kernel_size_count(const unravel_kernel *kernel);
const char *unravel_kernel_argument(const unravel_kernel *kernel, size_t k);

/* By names, in any order; extents of indices that no tensor tells, as integers, too. Results that aren't
 * given are made. `results`: null, or room for all of them, given or made, each to be freed. */
int unravel_kernel_call(const unravel_kernel *kernel, size_t argument_count,
                        const unravel_argument *arguments, unravel_tensor **results, unravel_error *error);
/* By places, without texts: for each tensor of the kernel's arguments, results first, one, or null for a
 * result that is to be made; then an integer for each size. `arrays`: null; or for each tensor null, or of a
 * dense one the array, of as many elements of the same type, that this call is to have in place of its own.
 * `results` as above. */
int unravel_kernel_run(const unravel_kernel *kernel, unravel_tensor *const *tensors, void *const *arrays,
                       const int64_t *sizes, unravel_tensor **results, unravel_error *error);
/* The same for a kernel with one result, a dense one, which is written to `memory`, of so many bytes as it
 * has. tensors[0] is not looked at. */
int unravel_kernel_run_into(const unravel_kernel *kernel, unravel_tensor *const *tensors, void *const *arrays,
                            const int64_t *sizes, void *memory, size_t bytes, unravel_error *error);
/* How many threads its parallel loops take from now on. */
int unravel_kernel_set_threads(const unravel_kernel *kernel, int threads, unravel_error *error);

/* ---- texts */

/* A kernel as C: its function's name, its source, which includes "<function>.h", and that header. To be freed
 * with unravel_free, each. */
typedef struct {
  char *function, *source, *header;
} unravel_c_source;
int unravel_make_c(const char *expression, const unravel_options *options, size_t tensor_count,
                   const unravel_argument *tensors, unravel_c_source *made, unravel_error *error);
/* The compiler's stages, for people. To be freed with unravel_free. */
int unravel_explain(const char *expression, const unravel_options *options, size_t tensor_count,
                    const unravel_argument *tensors, char **text, unravel_error *error);
/* The same as one page of HTML, with the arrays of the tensors drawn. */
int unravel_explain_as_html(const char *expression, const unravel_options *options, size_t tensor_count,
                            const unravel_argument *tensors, char **page, unravel_error *error);

void unravel_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
