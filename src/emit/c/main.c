// The program around a kernel, C99 and C++. Every name starts with unravel_, which no kernel's does. The tables and
// unravel_run are made for each kernel; the parts `example` show what they look like. VALUE stands for `double _Complex`
// where some tensor is complex, else for `double`, and _OF_VALUE for `_complex` or `_real`; RESULT, _OF_RESULT and FIELD
// say the same of each result, with `uint64_t` where it is an integer, `_natural` where it is a uint64.
// part: includes
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

// part: not_negative
static int64_t unravel_not_negative(int64_t size) {
  return size < 0 ? 0 : size;
}

// part: example
#include <complex.h>
#define VALUE double _Complex
#define unravel_read_OF_VALUE unravel_read_complex
#define unravel_mirrored_OF_VALUE unravel_mirrored_complex
#define unravel_check_OF_VALUE unravel_check_complex
#define RESULT double _Complex
#define FIELD "complex"
#define unravel_print_OF_RESULT unravel_print_complex
#define unravel_write_OF_RESULT unravel_write_complex
#define unravel_show_OF_RESULT unravel_show_complex
#define unravel_show_stored_OF_RESULT unravel_show_stored_complex
#pragma GCC diagnostic ignored "-Wunused-function"
#define UNRAVEL_TENSORS 2
#define UNRAVEL_RESULTS 1
#define UNRAVEL_ORDER 2
#define UNRAVEL_SIZES 2
#define UNRAVEL_GIVEN 1
static const char *const unravel_about = "y(i) = A(i,j)";
static const char *const unravel_names[UNRAVEL_TENSORS] = {"y", "A"};
static const int unravel_orders[UNRAVEL_TENSORS] = {1, 2};
static const int unravel_size[UNRAVEL_TENSORS][UNRAVEL_ORDER] = {{0, 0}, {0, 1}};
static const char *const unravel_given_names[UNRAVEL_GIVEN] = {"k"};
static int64_t unravel_given[UNRAVEL_GIVEN];
static int unravel_is_given[UNRAVEL_GIVEN];
static const int64_t unravel_least[UNRAVEL_TENSORS] = {INT64_MIN, 0};
static const uint64_t unravel_greatest[UNRAVEL_TENSORS] = {INT64_MAX, 0};
static const int unravel_adds[UNRAVEL_TENSORS] = {1, 0};
static const int unravel_modes[UNRAVEL_RESULTS][UNRAVEL_ORDER] = {{0, 0}};
static const char *const unravel_fills[UNRAVEL_TENSORS] = {"0", "inf"};
static void unravel_follow(int64_t *known) {
  if (known[0] < 0 && known[1] >= 0) known[0] = unravel_not_negative(known[1] + unravel_given[0] + 2);
}

// part: tools
// Entries of a tensor: index[m][e] is the coordinate of entry e in mode m. A size of -1 isn't known yet.
typedef struct unravel_entries {
  int64_t sizes[UNRAVEL_ORDER];
  int64_t n;
  int64_t room;
  int64_t *index[UNRAVEL_ORDER];
  VALUE *values;
  int is_given;
  int is_filled;
  double filling;
  const char *fill; // what elements are that aren't stored
// part: some_integers
  // Of the tensor's type, where that is one of integers, else 0: their bits are in the memory of the values.
  int64_t least;
  uint64_t greatest;
  uint64_t filling_size;
  int is_filling_negative;
// part: tools
} unravel_entries;

static void unravel_end(const char *where, const char *what, int code) {
  fflush(stdout);
  fprintf(stderr, "error: %s: %s\n", where, what);
  exit(code);
}

static void unravel_fail(const char *where, const char *what) {
  unravel_end(where, what, 1);
}

// A wrong argument.
static void unravel_misuse(const char *where, const char *what) {
  unravel_end(where, what, 2);
}

static void *unravel_resize(void *memory, int64_t count, size_t size) {
  void *result = NULL;
  if ((uint64_t)count <= SIZE_MAX / size) result = realloc(memory, (size_t)count * size);
  if (!result) unravel_fail("program", "there is not enough memory");
  return result;
}

static void unravel_add(unravel_entries *to, int order, const int64_t *at, VALUE value) {
  int m;
  if (to->n == to->room) {
    to->room = to->room ? 2 * to->room : 1024;
    for (m = 0; m < order; m++)
      to->index[m] = (int64_t *)unravel_resize(to->index[m], to->room, sizeof(int64_t));
    to->values = (VALUE *)unravel_resize(to->values, to->room, sizeof(VALUE));
  }
  for (m = 0; m < order; m++) to->index[m][to->n] = at[m];
  to->values[to->n++] = value;
}

// A comment may say what elements are that aren't stored: then it says the fill that the kernel was made for.
static void unravel_check_fill(const char *comment, const char *mark, const char *fill, const char *name) {
  char *end, message[256];
  const char *said = comment + strlen(mark);
  if (strncmp(comment, mark, strlen(mark)) != 0) return;
  double value = strtod(said, &end);
  if (end == said || end[strspn(end, " \t\r\n")] || value == strtod(fill, NULL)) return;
  snprintf(message, sizeof(message), "elements that aren't stored are %g there, but this program was made for %s: "
           "compile it with `-f 'TENSOR=LAYOUT fill %g'`", value, fill, value);
  unravel_fail(name, message);
}

// Reads the next line that is neither empty nor a comment. Returns its beginning, or NULL at the end of the file.
static char *unravel_line(FILE *file, char comment, char *line, int size, const char *name) {
  while (fgets(line, size, file)) {
    char *start = line + strspn(line, " \t\r\n");
    if (!strchr(line, '\n') && !feof(file)) unravel_fail(name, "a line is too long");
    if (*start && *start != comment) return start;
  }
  return NULL;
}

// An integer of 0 or more, behind which `at` is moved; -1 where there is none.
static int64_t unravel_size_at(char **at) {
  char *end;
  long long value;
  errno = 0;
  value = strtoll(*at, &end, 10);
  if (end == *at || errno || value < 0) return -1;
  *at = end;
  return value;
}

static int unravel_is_end(char c) {
  return !c || isspace((unsigned char)c);
}

static int64_t unravel_integer(char **at, const char *name) {
  const int64_t value = unravel_size_at(at);
  if (value < 0 || !unravel_is_end(**at)) unravel_fail(name, "a line lacks an integer of 0 or more");
  return value;
}

// A decimal number; of the field 3 an integer, which isn't rounded.
static double unravel_number(char **at, int field, const char *name) {
  const double most = 4611686018427387904.0; // 2^62
  char *end;
  double value;
  int is_hexadecimal;
  errno = 0;
  value = strtod(*at, &end);
  is_hexadecimal = strcspn(*at, "xX") < (size_t)(end - *at);
  if (end == *at || is_hexadecimal || !unravel_is_end(*end)) unravel_fail(name, "a line lacks a value");
  if (errno && (value > 1 || value < -1)) unravel_fail(name, "a value is too large for a double");
  if (field == 3) {
    if (strspn(*at, " \t\r\v\f+-0123456789") < (size_t)(end - *at)) unravel_fail(name, "a value isn't an integer");
    if (value > most || value < -most || (int64_t)value != strtoll(*at, NULL, 10))
      unravel_fail(name, "an integer isn't exact as a double");
  }
  *at = end;
  return value;
}

static void unravel_end_line(const char *at, const char *name) {
  if (at[strspn(at, " \t\r\n\v\f")]) unravel_fail(name, "a line goes on behind what it should have");
}

// part: real
static double unravel_read_real(char **at, int field, const char *name) {
  return field == 1 ? 1 : unravel_number(at, field, name);
}

static double unravel_mirrored_real(double value, int sign) {
  return sign * value;
}

static void unravel_check_real(int field, int sign, const char *name) {
  if (field == 2 || sign == 2) unravel_fail(name, "complex matrices can't be read");
}

// part: complex
static double _Complex unravel_read_complex(char **at, int field, const char *name) {
  union {
    double parts[2];
    double _Complex whole;
  } number = {{1, 0}};
  if (field != 1) number.parts[0] = unravel_number(at, field, name);
  if (field == 2) number.parts[1] = unravel_number(at, field, name);
  return number.whole;
}

static double _Complex unravel_mirrored_complex(double _Complex value, int sign) {
  return sign == 2 ? conj(value) : sign * value;
}

static void unravel_check_complex(int field, int sign, const char *name) {
  if (field != 2 && sign == 2) unravel_fail(name, "a hermitian matrix is complex");
}

// part: some_real
// The values of a tensor that isn't complex, in the same memory.
static double *unravel_real_values(unravel_entries *of, const char *name) {
  double *parts = (double *)of->values;
  int64_t k;
  for (k = 0; k < of->n; k++) {
    if (parts[2 * k + 1] != 0) unravel_fail(name, "it has complex values, but the kernel reads real ones");
    parts[k] = parts[2 * k];
  }
  return parts;
}

// part: some_integers
// Adds an integer, of which it is given the absolute value.
static void unravel_add_integer(unravel_entries *to, int order, const int64_t *at, uint64_t size, int is_negative,
                                const char *name) {
  if (size > (is_negative ? 0 - (uint64_t)to->least : to->greatest))
    unravel_fail(name, "a value is none of the tensor's type");
  unravel_add(to, order, at, 0);
  ((uint64_t *)to->values)[to->n - 1] = is_negative ? 0 - size : size;
}

// Compares coordinates; sorted entries' numbers stand behind these, in as many columns as UNRAVEL_ORDER.
static int unravel_compare(const void *a, const void *b) {
  const int64_t *one = (const int64_t *)a, *other = (const int64_t *)b;
  int m;
  for (m = 0; m < UNRAVEL_ORDER; m++)
    if (one[m] != other[m]) return one[m] < other[m] ? -1 : 1;
  return 0;
}

// Fails where entries of one coordinate add up to what isn't of the tensor's type.
static void unravel_check_sums(const unravel_entries *of, int order, const char *name) {
  const size_t size = (UNRAVEL_ORDER + 1) * sizeof(int64_t);
  int64_t *sorted, e, k;
  int m;
  if (of->n < 2) return;
  sorted = (int64_t *)unravel_resize(NULL, of->n, size);
  for (e = 0; e < of->n; e++) {
    for (m = 0; m < UNRAVEL_ORDER; m++) sorted[e * (UNRAVEL_ORDER + 1) + m] = m < order ? of->index[m][e] : 0;
    sorted[e * (UNRAVEL_ORDER + 1) + UNRAVEL_ORDER] = e;
  }
  qsort(sorted, (size_t)of->n, size, unravel_compare);
  for (e = 0; e < of->n; e = k) {
    const int64_t *const first = sorted + e * (UNRAVEL_ORDER + 1);
    uint64_t above = 0, below = 0, next; // of the positive and of the negative ones
    int is_too_large = 0;
    for (k = e; k < of->n && unravel_compare(first, sorted + k * (UNRAVEL_ORDER + 1)) == 0; k++) {
      const uint64_t value = ((const uint64_t *)of->values)[sorted[k * (UNRAVEL_ORDER + 1) + UNRAVEL_ORDER]];
      const int is_negative = of->least < 0 && value > of->greatest;
      uint64_t *const sum = is_negative ? &below : &above;
      next = *sum + (is_negative ? 0 - value : value);
      is_too_large |= next < *sum;
      *sum = next;
    }
    is_too_large |= above >= below ? above - below > of->greatest : below - above > 0 - (uint64_t)of->least;
    if (is_too_large) unravel_fail(name, "values of one coordinate add up to none of the tensor's type");
  }
  free(sorted);
}

// Reads an integer, of which it returns the absolute value; of the field 3 exactly, else as a double.
static uint64_t unravel_read_integer(char **at, int field, int *is_negative, const char *name) {
  uint64_t size;
  *is_negative = 0;
  if (field == 1) return 1;
  if (field == 3) {
    char *start = *at + strspn(*at, " \t\r\v\f");
    *is_negative = *start == '-';
    if (*start == '-' || *start == '+') start++;
    errno = 0;
    size = strtoull(start, at, 10);
    if (!isdigit((unsigned char)*start) || !unravel_is_end(**at)) unravel_fail(name, "a value isn't an integer");
    if (errno) unravel_fail(name, "a value is none of the tensor's type");
  } else {
    double value = unravel_number(at, 0, name);
    *is_negative = value < 0;
    if (*is_negative) value = -value;
    size = value < 18446744073709551616.0 ? (uint64_t)value : 0;
    if ((double)size != value) unravel_fail(name, "a value is none of the tensor's type");
  }
  return size;
}

// As unravel_add_entry does it. Without a sign `at` and `mirrored` may be of any order.
static void unravel_add_integers(unravel_entries *to, int order, const int64_t *at, const int64_t *mirrored,
                                 char *start, int sign, int field, const char *name) {
  int is_negative;
  const uint64_t size = unravel_read_integer(&start, field, &is_negative, name);
  if (field == 2) unravel_fail(name, "it has complex values, but the kernel reads real ones");
  unravel_end_line(start, name);
  if (sign < 0 && at[0] == at[1] && size) unravel_fail(name, "an entry of the diagonal doesn't fit the symmetry");
  unravel_add_integer(to, order, at, size, is_negative, name);
  if (sign && at[0] != at[1])
    unravel_add_integer(to, order, mirrored, size, sign < 0 ? !is_negative : is_negative, name);
}

// part: tools
// Adds the entry of a line and, of a symmetric matrix, the other one. field: 0 real, 1 pattern, 2 complex, 3 integer.
// sign: 0 general, 1 symmetric, -1 skew-symmetric, 2 hermitian
static void unravel_add_entry(unravel_entries *to, int order, const int64_t *at, char *start, int sign, int field,
                              const char *name) {
  const int64_t mirrored[2] = {at[1], at[0]};
// part: some_integers
  if (to->greatest) {
    unravel_add_integers(to, order, at, mirrored, start, sign, field, name);
    return;
  }
// part: tools
  const VALUE value = unravel_read_OF_VALUE(&start, field, name);
  unravel_end_line(start, name);
  if (at[0] == at[1] && (sign < 0 || sign == 2) && value != unravel_mirrored_OF_VALUE(value, sign))
    unravel_fail(name, "an entry of the diagonal doesn't fit the symmetry");
  unravel_add(to, order, at, value);
  if (sign && at[0] != at[1]) unravel_add(to, order, mirrored, unravel_mirrored_OF_VALUE(value, sign));
}

static void unravel_read_array(unravel_entries *to, int order, const int64_t *sizes, int sign, int field, FILE *file,
                               const char *name) {
  char line[4096];
  int64_t at[2];
  for (at[1] = 0; at[1] < sizes[1]; at[1]++)
    for (at[0] = sign ? at[1] + (sign < 0) : 0; at[0] < sizes[0]; at[0]++) {
      char *start = unravel_line(file, '%', line, sizeof(line), name);
      if (!start) unravel_fail(name, "there are fewer values than the sizes ask for");
      unravel_add_entry(to, order, at, start, sign, field, name);
    }
}

static void unravel_read_coordinates(unravel_entries *to, int order, const int64_t *sizes, int64_t count, int sign,
                                     int field, FILE *file, const char *name) {
  char line[4096];
  int64_t at[2];
  for (; count > 0; count--) {
    char *start = unravel_line(file, '%', line, sizeof(line), name);
    if (!start) unravel_fail(name, "there are fewer entries than the header says");
    at[0] = unravel_integer(&start, name) - 1;
    at[1] = unravel_integer(&start, name) - 1;
    if (at[0] < 0 || at[0] >= sizes[0] || at[1] < 0 || at[1] >= sizes[1])
      unravel_fail(name, "an entry lies outside of the matrix");
    unravel_add_entry(to, order, at, start, sign, field, name);
  }
}

// Which of these words it is.
static int unravel_choose(const char *word, const char *const *words, int count, const char *name, const char *what) {
  int k;
  for (k = 0; k < count; k++)
    if (strcmp(word, words[k]) == 0) return k;
  unravel_fail(name, what);
  return 0;
}

// A Matrix Market file: coordinate or array. A vector is a matrix of one column.
static void unravel_read_matrix(unravel_entries *to, int order, FILE *file, const char *name) {
  static const char *const formats[2] = {"coordinate", "array"};
  static const char *const numbers[5] = {"real", "pattern", "complex", "integer", "double"};
  static const char *const symmetries[4] = {"skew-symmetric", "general", "symmetric", "hermitian"};
  char line[4096], words[6][64];
  char *at = line;
  int64_t sizes[2], count = 0;
  int sign, field, is_array, m;
  if (order > 2) unravel_fail(name, "a tensor of order 3 or more comes from a .tns file");
  if (!fgets(line, sizeof(line), file)) line[0] = 0;
  for (; *at; at++) *at = (char)tolower((unsigned char)*at);
  m = sscanf(line, "%63s %63s %63s %63s %63s %63s", words[0], words[1], words[2], words[3], words[4], words[5]);
  if (m != 5 || strcmp(words[0], "%%matrixmarket") != 0 || strcmp(words[1], "matrix") != 0)
    unravel_fail(name, "this is not a Matrix Market file");
  is_array = unravel_choose(words[2], formats, 2, name, "the format is unknown");
  field = unravel_choose(words[3], numbers, 5, name, "the type of its values is unknown") % 4;
  sign = unravel_choose(words[4], symmetries, 4, name, "the symmetry is unknown") - 1;
  if (field == 1 && (is_array || sign < 0)) unravel_fail(name, "a pattern is neither an array nor skew-symmetric");
  unravel_check_OF_VALUE(field, sign, name);
  at = NULL;
  while (!at && fgets(line, sizeof(line), file)) {
    unravel_check_fill(line, "%fill ", to->fill, name);
    at = line + strspn(line, " \t\r\n");
    if (!*at || *at == '%') at = NULL;
  }
  if (!at) unravel_fail(name, "the line with the sizes is missing");
  sizes[0] = unravel_integer(&at, name);
  sizes[1] = unravel_integer(&at, name);
  if (!is_array) count = unravel_integer(&at, name);
  unravel_end_line(at, name);
  for (m = order; m < 2; m++)
    if (sizes[m] != 1) unravel_fail(name, "the matrix has more rows or columns than the tensor");
  if (sign && sizes[0] != sizes[1]) unravel_fail(name, "a symmetric matrix is square");
  for (m = 0; m < order; m++) to->sizes[m] = sizes[m];
  if (is_array)
    unravel_read_array(to, order, sizes, sign, field, file, name);
  else
    unravel_read_coordinates(to, order, sizes, count, sign, field, file, name);
  if (unravel_line(file, '%', line, sizeof(line), name))
    unravel_fail(name, "there are more entries than the header says");
}

// The sizes in a line `# shape: 3 4 5` among the comments that a file begins with; whether there is one.
static int unravel_read_shape(unravel_entries *to, int order, FILE *file, const char *name) {
  const char mark[] = "# shape:";
  char line[4096];
  int m, is_whole = 1, is_given = 0;
  while (fgets(line, sizeof(line), file) && (!is_whole || *line == '#' || *line == '\n')) {
    if (is_whole) unravel_check_fill(line, "# fill: ", to->fill, name);
    if (is_whole && !is_given && strncmp(line, mark, sizeof(mark) - 1) == 0) {
      char *at = line + sizeof(mark) - 1;
      for (m = 0; m < order; m++) to->sizes[m] = unravel_integer(&at, name);
      at += strspn(at, " \t\r\n");
      if (*at && *at != '#') unravel_fail(name, "the shape doesn't fit the tensor");
      is_given = 1;
    }
    is_whole = strchr(line, '\n') != NULL;
  }
  rewind(file);
  return is_given;
}

// A FROSTT file: coordinates from 1 on and a value in each line. Where no line says the sizes, these are the
// greatest coordinates.
static void unravel_read_tensor(unravel_entries *to, int order, FILE *file, const char *name) {
  char line[4096];
  char *start;
  int64_t at[UNRAVEL_ORDER];
  int m, is_shape_given;
  for (m = 0; m < order; m++) to->sizes[m] = 0;
  is_shape_given = unravel_read_shape(to, order, file, name);
  while ((start = unravel_line(file, '#', line, sizeof(line), name)) != NULL) {
    for (m = 0; m < order; m++) {
      int64_t coordinate = unravel_integer(&start, name);
      if (coordinate < 1) unravel_fail(name, "coordinates start at 1");
      if (is_shape_given && coordinate > to->sizes[m]) unravel_fail(name, "an entry lies outside of the tensor");
      if (coordinate > to->sizes[m]) to->sizes[m] = coordinate;
      at[m] = coordinate - 1;
    }
// part: some_integers
    if (to->greatest) {
      unravel_add_integers(to, order, at, at, start, 0, 0, name);
      continue;
    }
// part: tools
    unravel_add(to, order, at, unravel_number(&start, 0, name));
    unravel_end_line(start, name);
  }
  if (!is_shape_given && to->n == 0) unravel_fail(name, "a file without entries needs a line as `# shape: 4 5 6`");
}

// Whether it is a number, for a scalar, or `ones` or `zeros`, perhaps with sizes as in `ones:10x20`; or nothing but
// these, `sizes:10x20`.
static int unravel_is_word(unravel_entries *to, int order, const char *what) {
  static const char *const words[3] = {"zeros", "ones", "sizes"};
  char *at;
  int m, word = 0;
  errno = 0;
  to->filling = strtod(what, &at);
  to->is_filled = order == 0 && at != what && !*at;
  if (to->is_filled && errno && (to->filling > 1 || to->filling < -1))
    unravel_fail(what, "a value is too large for a double");
// part: some_integers
  at = (char *)what;
  if (to->is_filled && to->greatest) to->filling_size = unravel_read_integer(&at, 3, &to->is_filling_negative, what);
// part: tools
  if (to->is_filled) return 1;
  while (word < 3 && strncmp(what, words[word], strlen(words[word])) != 0) word++;
  if (word == 3) return 0;
  at = (char *)what + strlen(words[word]);
  if (*at && *at != ':') return 0;
  to->is_given = to->is_filled = word < 2;
  to->filling = word;
// part: some_integers
  to->filling_size = (uint64_t)word;
// part: tools
  for (m = 0; m < order && *at; m++) {
    at++;
    to->sizes[m] = unravel_size_at(&at);
    if (to->sizes[m] < 0) unravel_misuse(what, "a size is an integer of 0 or more");
  }
  if (*at) unravel_misuse(what, "the sizes don't fit the tensor");
  return 1;
}

// Such a word, or the name of a file.
static void unravel_read(unravel_entries *to, int order, const char *what) {
  size_t length = strlen(what);
  to->is_given = 1;
  if (!unravel_is_word(to, order, what)) {
    FILE *file = fopen(what, "r");
    if (!file) unravel_fail(what, strerror(errno));
    if (length > 4 && strcmp(what + length - 4, ".tns") == 0)
      unravel_read_tensor(to, order, file, what);
    else
      unravel_read_matrix(to, order, file, what);
    if (ferror(file)) unravel_fail(what, "it can't be read to its end");
    fclose(file);
  }
}

// Sizes that no file gives come from the tensors that must agree in them.
static void unravel_find_sizes(unravel_entries *in) {
  int64_t known[UNRAVEL_SIZES];
  int k, m, other;
  for (k = 0; k < UNRAVEL_TENSORS; k++)
    for (m = 0; m < unravel_orders[k]; m++)
      for (other = 0; other < m; other++)
        if (unravel_size[k][m] == unravel_size[k][other] && in[k].sizes[m] >= 0 && in[k].sizes[other] >= 0 &&
            in[k].sizes[m] != in[k].sizes[other])
          unravel_fail(unravel_names[k], "the sizes of its modes differ, but must be equal");
  for (k = 0; k < UNRAVEL_SIZES; k++) known[k] = -1;
  for (k = 0; k < UNRAVEL_TENSORS; k++)
    for (m = 0; m < unravel_orders[k]; m++)
      if (in[k].sizes[m] >= 0 && known[unravel_size[k][m]] < 0) known[unravel_size[k][m]] = in[k].sizes[m];
// part: follow
  unravel_follow(known);
// part: tools
  for (k = 0; k < UNRAVEL_TENSORS; k++)
    for (m = 0; m < unravel_orders[k]; m++) {
      if (in[k].sizes[m] < 0) in[k].sizes[m] = known[unravel_size[k][m]];
      if (in[k].sizes[m] < 0)
        unravel_fail(unravel_names[k], "a size is not known: give them, as in x=ones:10, y=sizes:10");
    }
}

static void unravel_fill(unravel_entries *to, int order) {
  int64_t at[UNRAVEL_ORDER];
  int m;
  for (m = 0; m < order; m++) {
    at[m] = 0;
    if (to->sizes[m] == 0) return;
  }
  do {
// part: some_integers
    if (to->greatest)
      unravel_add_integer(to, order, at, to->filling_size, to->is_filling_negative, "a number");
    else
// part: tools
    unravel_add(to, order, at, to->filling);
    for (m = order - 1; m >= 0 && ++at[m] == to->sizes[m]; m--) at[m] = 0;
  } while (m >= 0);
}

// part: release
static void unravel_release(unravel_entries *entries) {
  int m;
  for (m = 0; m < UNRAVEL_ORDER; m++) free(entries->index[m]);
  free(entries->values);
}

// part: tools
static double unravel_seconds(void) {
#ifdef _OPENMP
  return omp_get_wtime();
#else
  return (double)clock() / CLOCKS_PER_SEC;
#endif
}

// part: read_given
// Whether the argument is `k=5`, an integer that the kernel is given.
static int unravel_is_size(const char *argument) {
  const int64_t most = (int64_t)1 << 53;
  int k;
  for (k = 0; k < UNRAVEL_GIVEN; k++) {
    size_t length = strlen(unravel_given_names[k]);
    char *end;
    long long value;
    if (strncmp(argument, unravel_given_names[k], length) != 0 || argument[length] != '=') continue;
    if (unravel_is_given[k]) unravel_misuse(argument, "the size is given twice");
    errno = 0;
    value = strtoll(argument + length + 1, &end, 10);
    if (end == argument + length + 1 || *end || errno || value > most || value < -most)
      unravel_misuse(argument, "a size is an integer of up to 2^53");
    unravel_given[k] = value;
    unravel_is_given[k] = 1;
    return 1;
  }
  return 0;
}

// part: example
#ifdef UNRAVEL_RUN_FOLLOWS
static void unravel_run(unravel_entries *in, const char *const *output);
#else
static void unravel_run(unravel_entries *in, const char *const *output) {
  printf("%lld %s\n", (long long)in[0].sizes[unravel_modes[0][0]], output[0]);
}
#endif

// part: example
#define UNRAVEL_TOOLS_STAND_ABOVE
#include "arguments.c"
