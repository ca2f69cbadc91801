// What the program around a kernel does with results; as main.c, behind whose tools it stands.
#define UNRAVEL_RUN_FOLLOWS
#include "main.c"

// part: real_result
static void unravel_print_real(double value, int digits) {
  printf(" %.*g", digits, value);
}

static void unravel_write_real(FILE *file, double value) {
  fprintf(file, "%.17g\n", value);
}

// part: complex_result
static void unravel_print_complex(double _Complex value, int digits) {
  printf(" %.*g%+.*gj", digits, creal(value), digits, cimag(value));
}

static void unravel_write_complex(FILE *file, double _Complex value) {
  fprintf(file, "%.17g %.17g\n", creal(value), cimag(value));
}

// part: integer_result
// Integers as they wrap around; of negative ones the bits.
static void unravel_print_integer(uint64_t value, int digits) {
  (void)digits;
  printf(" %lld", (long long)value);
}

static void unravel_write_integer(FILE *file, uint64_t value) {
  fprintf(file, "%lld\n", (long long)value);
}

// part: natural_result
static void unravel_print_natural(uint64_t value, int digits) {
  (void)digits;
  printf(" %llu", (unsigned long long)value);
}

static void unravel_write_natural(FILE *file, uint64_t value) {
  fprintf(file, "%llu\n", (unsigned long long)value);
}

// part: files
// The file for a result. Where a file is there or nothing, that is another one, `part`, which then takes its place: so
// an earlier result is lost no sooner than the new one is whole. What else is there, as a device, is written itself.
static FILE *unravel_open(const char *output, char **part) {
  const size_t length = strlen(output);
  struct stat status;
#ifdef S_IFLNK
  const int is_there = lstat(output, &status) == 0;
#else
  const int is_there = stat(output, &status) == 0;
#endif
  FILE *file = NULL;
  *part = NULL;
  if (!is_there || S_ISREG(status.st_mode)) {
    if (is_there && !(file = fopen(output, "r+"))) unravel_fail(output, strerror(errno)); // it may be protected
    if (file) fclose(file);
    *part = (char *)unravel_resize(NULL, (int64_t)length + 6, 1);
    memcpy(*part, output, length);
    memcpy(*part + length, ".part", 6);
  }
  file = fopen(*part ? *part : output, "w");
  if (!file) unravel_fail(output, strerror(errno));
  return file;
}

static void unravel_close(FILE *file, const char *output, char *part) {
  int has_failed = ferror(file);
  has_failed = fclose(file) || has_failed;
  if (part && !has_failed) has_failed = rename(part, output);
  if (part && has_failed) remove(part);
  if (has_failed) unravel_fail(output, "it can't be written");
  free(part);
}

// part: all_values
// A result: to a file (.mtx, from order 3 on lines of a .tns), or its sum and first values.
static void unravel_show_OF_RESULT(int result, const unravel_entries *shape, const RESULT *values, const char *output) {
  const int *modes = unravel_modes[result];
  int64_t stride[UNRAVEL_ORDER], at[UNRAVEL_ORDER], count = 1, k, slot;
  RESULT sum = 0;
  FILE *file;
  char *part;
  int m, order = unravel_orders[result];
  for (m = order - 1; m >= 0; m--) {
    stride[modes[m]] = count;
    count *= shape->sizes[modes[m]];
  }
  for (k = 0; k < count; k++) sum += values[k];
  printf("%s: %lld values, sum", unravel_names[result], (long long)count);
  unravel_print_OF_RESULT(sum, 17);
  printf(", first:");
  for (k = 0; k < count && k < 8; k++) unravel_print_OF_RESULT(values[k], 6);
  printf("\n");
  if (!output) return;
  file = unravel_open(output, &part);
  if (order <= 2)
    fprintf(file, "%%%%MatrixMarket matrix array %s general\n%lld %lld\n", FIELD,
            (long long)(order > 0 ? shape->sizes[0] : 1), (long long)(order > 1 ? shape->sizes[1] : 1));
  for (m = 0; m < order; m++) at[m] = 0;
  for (k = 0; k < count; k++) {
    for (slot = 0, m = 0; m < order; m++) {
      slot += stride[m] * at[m];
      if (order > 2) fprintf(file, "%lld ", (long long)at[m] + 1);
    }
    unravel_write_OF_RESULT(file, values[slot]);
    for (m = 0; m < order && ++at[m] == shape->sizes[m]; m++) at[m] = 0;
  }
  unravel_close(file, output, part);
}

// part: stored_values
// A result's stored values: to a file (.mtx, from order 3 on lines of a .tns), or their sum and the first.
static void unravel_show_stored_OF_RESULT(int result, const unravel_entries *shape, int64_t count, const int64_t *const *at,
                                const RESULT *values, const char *output) {
  int64_t stored = 0, shown = 0, k;
  RESULT sum = 0;
  FILE *file;
  char *part;
  int m, order = unravel_orders[result];
  for (k = 0; k < count; k++)
    if (at[0][k] > 0) stored++, sum += values[k];
  printf("%s: %lld values, sum", unravel_names[result], (long long)stored);
  unravel_print_OF_RESULT(sum, 17);
  printf(", first:");
  for (k = 0; k < count && shown < 8; k++)
    if (at[0][k] > 0) shown++, unravel_print_OF_RESULT(values[k], 6);
  printf("\n");
  if (!output) return;
  file = unravel_open(output, &part);
  if (order <= 2) fprintf(file, "%%%%MatrixMarket matrix coordinate %s general\n", FIELD);
  if (strcmp(unravel_fills[result], "0") != 0)
    fprintf(file, order <= 2 ? "%%fill %s\n" : "# fill: %s\n", unravel_fills[result]);
  if (order <= 2)
    fprintf(file, "%lld %lld %lld\n", (long long)shape->sizes[0], (long long)(order > 1 ? shape->sizes[1] : 1),
            (long long)stored);
  for (k = 0; k < count; k++) {
    if (at[0][k] == 0) continue;
    for (m = 0; m < order; m++) fprintf(file, "%lld ", (long long)at[m][k]);
    if (order == 1) fprintf(file, "1 ");
    unravel_write_OF_RESULT(file, values[k]);
  }
  unravel_close(file, output, part);
}

// part: example
static void unravel_run(unravel_entries *in, const char *const *output) {
  double start = unravel_seconds();
  unravel_show_OF_RESULT(0, &in[1], in[1].values, output[0]);
  unravel_show_stored_OF_RESULT(0, &in[1], in[1].n, (const int64_t *const *)in[1].index, in[1].values, output[0]);
  unravel_release(&in[1]);
  printf("%g\n", unravel_seconds() - start);
}
