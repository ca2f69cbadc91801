/* The C interface, in C99 without warnings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unravel/unravel_c.h>

static int failures = 0;

static void expect(int holds, const char *what, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: %s\n", __FILE__, line, what);
  ++failures;
}
#define EXPECT(condition) expect((condition) != 0, #condition, __LINE__)

static void expect_error(int failed, unravel_error *error, const char *kind, const char *part, int line) {
  expect(failed == 1, "something fails", line);
  expect(error->kind && strcmp(error->kind, kind) == 0, error->kind ? error->kind : "no kind", line);
  expect(error->message && strstr(error->message, part), error->message ? error->message : "no message",
         line);
  expect(!error->is_bug, "no bug", line);
  unravel_error_free(error);
  expect(!error->message, "it is freed", line);
}
#define EXPECT_ERROR(call, kind, part) expect_error(call, &error, kind, part, __LINE__)

static int released = 0;
static void release(void *owner) {
  *(int *)owner += 1;
}

static int32_t rowptr[] = {0, 2, 2, 3}, col[] = {0, 2, 1};
static double val[] = {1, 2, 3};

static unravel_tensor *matrix(void) {
  unravel_array arrays[] = {{"val", UNRAVEL_FLOAT64, val, 3, 1},
                            {"rowptr", UNRAVEL_INT32, rowptr, 4, 1},
                            {"col", UNRAVEL_INT32, col, 3, 1}};
  int64_t shape[] = {3, 3};
  unravel_tensor *made = NULL;
  unravel_error error;
  EXPECT(unravel_tensor_over("csr", 2, shape, 3, arrays, 0, NULL, UNRAVEL_CHECK_FULL, release, &released,
                             &made, &error) == 0);
  return made;
}

static unravel_tensor *vector(double *memory, int64_t size, int writable) {
  unravel_array array;
  unravel_tensor *made = NULL;
  array.name = "val";
  array.type = UNRAVEL_FLOAT64;
  array.data = memory;
  array.count = (size_t)size;
  array.writable = writable;
  EXPECT(unravel_tensor_over("dense", 1, &size, 1, &array, 0, NULL, UNRAVEL_CHECK_FULL, NULL, NULL, &made,
                             NULL) == 0);
  return made;
}

static unravel_argument argument(const char *name, unravel_tensor *tensor) {
  unravel_argument made;
  made.name = name;
  made.tensor = tensor;
  made.number = 0;
  made.is_integer = 0;
  return made;
}

static void test_tensors(void) {
  unravel_error error;
  unravel_tensor *A = matrix(), *csc = NULL, *packed = NULL;
  unravel_array array;
  unravel_type type;
  size_t entries = 0;
  int64_t *indices = NULL;
  double *values = NULL;
  int64_t shape[] = {2, 2}, rows[] = {0, 1}, cols[] = {1, 0};
  const int64_t *coordinates[2];
  float numbers[] = {5, 6};
  EXPECT(strcmp(unravel_tensor_layout(A), "csr") == 0);
  EXPECT(unravel_tensor_order(A) == 2 && unravel_tensor_shape(A)[0] == 3);
  EXPECT(unravel_tensor_array_count(A) == 3 && unravel_tensor_number_count(A) == 3);
  array = unravel_tensor_array(A, 1);
  EXPECT(strcmp(array.name, "col") == 0 && array.data == col && array.type == UNRAVEL_INT32 &&
         array.count == 3);
  EXPECT(strcmp(unravel_tensor_number(A, 2).name, "NNZ") == 0 && unravel_tensor_number(A, 2).value == 3);
  EXPECT(unravel_tensor_array(A, 3).name == NULL && unravel_tensor_number(A, 3).name == NULL);
  EXPECT(unravel_tensor_convert(A, "csc", &csc, &error) == 0);
  EXPECT(unravel_tensor_coordinates(csc, &entries, &indices, &values, &error) == 0);
  EXPECT(entries == 3 && indices[1] == 2 && indices[3 + 1] == 1 && values[1] == 3);
  unravel_free(indices);
  unravel_free(values);
  coordinates[0] = rows;
  coordinates[1] = cols;
  EXPECT(unravel_tensor_pack("csr", 2, shape, 2, coordinates, UNRAVEL_FLOAT32, numbers, UNRAVEL_INT64,
                             &packed, &error) == 0);
  EXPECT(unravel_tensor_array(packed, 1).type == UNRAVEL_INT64);
  EXPECT(unravel_tensor_array(packed, 2).type == UNRAVEL_FLOAT32);
  EXPECT(((float *)unravel_tensor_array(packed, 2).data)[1] == 6);
  EXPECT(unravel_tensor_fill(packed) == 0);
  EXPECT(unravel_tensor_value_type(packed, &type) == 0 && type == UNRAVEL_FLOAT32);
  unravel_tensor_free(packed);
  coordinates[0] = coordinates[1] = cols; /* one coordinate twice */
  cols[0] = cols[1] = 1;
  EXPECT(unravel_tensor_pack_combined("csr", 2, shape, 2, coordinates, UNRAVEL_FLOAT32, numbers,
                                      UNRAVEL_INT64, "second", &packed, &error) == 0);
  EXPECT(unravel_tensor_array(packed, 2).count == 1 &&
         ((float *)unravel_tensor_array(packed, 2).data)[0] == 6);
  unravel_tensor_free(packed);
  EXPECT_ERROR(unravel_tensor_pack_combined("csr", 2, shape, 2, coordinates, UNRAVEL_FLOAT32, numbers,
                                            UNRAVEL_INT64, "mix", &packed, &error),
               "unknown-operator", "`mix` is not an operator");
  coordinates[0] = rows;
  cols[1] = 2;
  EXPECT_ERROR(unravel_tensor_pack("csr", 2, shape, 2, coordinates, UNRAVEL_FLOAT32, numbers, UNRAVEL_INT64,
                                   &packed, &error),
               "entry-out-of-range", "entry 1 has the index 2 in mode 1");
  EXPECT(packed == NULL);
  EXPECT_ERROR(unravel_tensor_convert(A, "csrr", &packed, &error), "unknown-layout", "layout:1:1");
  EXPECT_ERROR(unravel_tensor_read("no such file.mtx", NULL, -1, &packed, &error), "cannot-read",
               "no such file");
  EXPECT_ERROR(unravel_tensor_read_combined("no such file.mtx", NULL, -1, "min", &packed, &error),
               "cannot-read", "no such file");
  EXPECT_ERROR(
      unravel_tensor_over(NULL, 0, NULL, 0, NULL, 0, NULL, UNRAVEL_CHECK_FULL, NULL, NULL, &packed, &error),
      "missing-input", "`layout` is a null pointer");
  EXPECT(unravel_tensor_convert(A, "csrr", &packed, NULL) == 1);
  {
    unravel_array twice[] = {{"val", UNRAVEL_FLOAT64, val, 3, 1}, {"val", UNRAVEL_FLOAT64, val, 3, 1}};
    unravel_number counts[] = {{"NNZ", 3}, {"NNZ", 2}};
    int64_t size = 3;
    EXPECT_ERROR(unravel_tensor_over("dense", 1, &size, 2, twice, 0, NULL, UNRAVEL_CHECK_FULL, NULL, NULL,
                                     &packed, &error),
                 "duplicate-name", "`val` is given twice");
    EXPECT_ERROR(unravel_tensor_over("dense", 1, &size, 1, twice, 2, counts, UNRAVEL_CHECK_FULL, NULL, NULL,
                                     &packed, &error),
                 "duplicate-name", "`NNZ` is given twice");
  }
  shape[0] = shape[1] = (int64_t)1 << 40;
  EXPECT_ERROR(unravel_tensor_pack("dense", 2, shape, 0, coordinates, UNRAVEL_FLOAT64, NULL, UNRAVEL_INT32,
                                   &packed, &error),
               "memory-limit", "");
  unravel_tensor_free(A);
  unravel_tensor_free(csc);
  unravel_tensor_free(NULL);
  EXPECT(released == 1);
}

static void test_lists_of_options(void) {
  unravel_error error;
  unravel_kernel *kernel = NULL;
  for (int which = 0; which < 3; ++which) {
    unravel_options options = unravel_options_new();
    *(which == 0 ? &options.format_count : which == 1 ? &options.schedule_count : &options.find_count) = 1;
    EXPECT_ERROR(unravel_kernel_make("y(i) = x(i)", &options, 0, NULL, &kernel, &error), "missing-input",
                 which == 0   ? "`formats`"
                 : which == 1 ? "`schedules`"
                              : "`finds`");
  }
}

static void test_kernels(void) {
  unravel_error error;
  unravel_tensor *A = matrix();
  double b[] = {10, 20, 30}, y_val[] = {0, 0, 0};
  unravel_tensor *x = vector(b, 3, 0), *y = vector(y_val, 3, 1), *result = NULL, *four;
  double more[4] = {0};
  unravel_argument all[3];
  unravel_kernel *kernel = NULL;
  unravel_options options = unravel_options_new();
  unravel_format format = {"A", "csr"};
  unravel_tensor *tensors[3] = {NULL, NULL, NULL};
  double other_x[] = {100, 200, 300, 0};
  void *arrays[3] = {NULL, NULL, NULL};
  all[0] = argument("A", A);
  all[1] = argument("x", x);
  all[2] = argument("y", y);
  options.format_count = 1;
  options.formats = &format;
  options.machine = "portable";
  options.later = 1;
  EXPECT(unravel_kernel_make("y(i) = A(i,j) * x(j)", &options, 0, NULL, &kernel, &error) == 0);
  EXPECT(unravel_kernel_argument_count(kernel) == 3 && unravel_kernel_result_count(kernel) == 1 &&
         unravel_kernel_size_count(kernel) == 0);
  EXPECT(strcmp(unravel_kernel_argument(kernel, 1), "A") == 0 && !unravel_kernel_argument(kernel, 3));
  EXPECT(unravel_kernel_call(kernel, 3, all, NULL, &error) == 0);
  EXPECT(y_val[0] == 70 && y_val[1] == 0 && y_val[2] == 60);
  EXPECT(unravel_kernel_call(kernel, 2, all, &result, &error) == 0);
  EXPECT(((double *)unravel_tensor_array(result, 0).data)[0] == 70);
  unravel_tensor_free(result);
  tensors[1] = A;
  tensors[2] = x;
  y_val[0] = 0;
  EXPECT(unravel_kernel_run_into(kernel, tensors, NULL, NULL, y_val, sizeof y_val, &error) == 0);
  EXPECT(y_val[0] == 70);
  EXPECT_ERROR(unravel_kernel_run_into(kernel, tensors, NULL, NULL, y_val, 8, &error), "extent-mismatch",
               "has 8 bytes, but it needs 24");
  EXPECT(unravel_kernel_run(kernel, tensors, NULL, NULL, &result, &error) == 0);
  EXPECT(((double *)unravel_tensor_array(result, 0).data)[2] == 60);
  unravel_tensor_free(result);
  arrays[2] = other_x;
  EXPECT(unravel_kernel_run_into(kernel, tensors, arrays, NULL, y_val, sizeof y_val, &error) == 0);
  EXPECT(y_val[0] == 700 && y_val[2] == 600);
  EXPECT(unravel_kernel_run(kernel, tensors, arrays, NULL, &result, &error) == 0);
  EXPECT(((double *)unravel_tensor_array(result, 0).data)[0] == 700);
  unravel_tensor_free(result);
  EXPECT(unravel_kernel_run(kernel, tensors, NULL, NULL, &result, &error) == 0);
  EXPECT(((double *)unravel_tensor_array(result, 0).data)[0] == 70);
  unravel_tensor_free(result);
  arrays[2] = (char *)other_x + 4;
  EXPECT_ERROR(unravel_kernel_run(kernel, tensors, arrays, NULL, &result, &error), "value-width",
               "the address of array `x` isn't a multiple of 8");
  arrays[1] = other_x, arrays[2] = NULL;
  EXPECT_ERROR(unravel_kernel_run(kernel, tensors, arrays, NULL, &result, &error), "bad-structure",
               "in place of that of `A`, which isn't dense");
  EXPECT_ERROR(unravel_kernel_run_into(kernel, tensors, NULL, NULL, NULL, sizeof y_val, &error),
               "missing-input", "the memory given for a result is a null pointer");
  EXPECT_ERROR(unravel_kernel_run_into(kernel, tensors, NULL, NULL, (char *)more + 4, sizeof y_val, &error),
               "value-width", "the address of array `y` isn't a multiple of 8");
  tensors[0] = (unravel_tensor *)(void *)more; /* nobody looks at it */
  arrays[0] = more, arrays[1] = NULL;
  EXPECT(unravel_kernel_run_into(kernel, tensors, arrays, NULL, y_val, sizeof y_val, &error) == 0);
  EXPECT(y_val[0] == 70);
  tensors[0] = tensors[2] = NULL;
  EXPECT_ERROR(unravel_kernel_run(kernel, tensors, NULL, NULL, NULL, &error), "missing-input", "`x`");
  result = A;
  EXPECT_ERROR(unravel_kernel_run(kernel, tensors, NULL, NULL, &result, &error), "missing-input", "`x`");
  EXPECT(result == NULL);
  four = vector(more, 4, 1);
  all[1] = argument("x", four);
  EXPECT_ERROR(unravel_kernel_call(kernel, 2, all, NULL, &error), "size-mismatch",
               "index `j` has extent 3 in `A(i, j)`, but 4 in `x(j)`");
  EXPECT_ERROR(unravel_kernel_call(kernel, 1, all, NULL, &error), "missing-input", "`x`");
  result = A;
  EXPECT_ERROR(unravel_kernel_call(kernel, 1, all, &result, &error), "missing-input", "`x`");
  EXPECT(result == NULL);
  EXPECT_ERROR(unravel_kernel_set_threads(kernel, 0, &error), "bad-option", "at least one");
  EXPECT(unravel_kernel_set_threads(kernel, 1, &error) == 0);
  unravel_kernel_free(kernel);
  EXPECT_ERROR(unravel_kernel_make("y(i) = A(i,j", &options, 0, NULL, &kernel, &error), "syntax-error", "^");
  EXPECT(kernel == NULL);
  unravel_tensor_free(four);
  unravel_tensor_free(A);
  unravel_tensor_free(x);
  unravel_tensor_free(y);
}

/* What is returned through pointers is null on errors, whatever was there. */
static void test_errors_set_to_null(void) {
  unravel_error error;
  unravel_tensor *A = matrix(), *made;
  unravel_kernel *kernel;
  unravel_argument all[1];
  unravel_c_source source;
  size_t entries = 7;
  int64_t shape[] = {2, 2}, there = 0, *indices = &there;
  double number = 0, *values = &number;
  const int64_t *coordinates[2] = {shape, shape};
  char text[] = "text", *page = text;
  all[0] = argument("B", A);
  source.function = source.source = source.header = text;
#define EXPECT_NULL(pointer, value, call, kind)                                                              \
  pointer = value;                                                                                           \
  EXPECT_ERROR(call, kind, "");                                                                              \
  EXPECT(pointer == NULL)
  EXPECT_NULL(
      made, A,
      unravel_tensor_over("csr", 2, shape, 0, NULL, 0, NULL, UNRAVEL_CHECK_FULL, NULL, NULL, &made, &error),
      "bad-array-folder");
  EXPECT_NULL(made, A,
              unravel_tensor_pack("csr", 2, shape, 1, coordinates, UNRAVEL_FLOAT64, &number, UNRAVEL_INT32,
                                  &made, &error),
              "entry-out-of-range");
  EXPECT_NULL(made, A, unravel_tensor_read("no such file.mtx", NULL, -1, &made, &error), "cannot-read");
  EXPECT_NULL(made, A, unravel_tensor_convert(A, "csrr", &made, &error), "unknown-layout");
  EXPECT_NULL(made, A, unravel_tensor_same_arrays(NULL, &made, &error), "missing-input");
  EXPECT_NULL(kernel, (unravel_kernel *)(void *)A,
              unravel_kernel_make("y(i) =", NULL, 0, NULL, &kernel, &error), "syntax-error");
  EXPECT_NULL(page, text, unravel_explain("y(i) = A(i,j)", NULL, 1, all, &page, &error), "unknown-tensor");
  EXPECT_NULL(page, text, unravel_explain_as_html("y(i) = A(i,j)", NULL, 1, all, &page, &error),
              "unknown-tensor");
  EXPECT_NULL(source.source, text, unravel_make_c("y(i) = A(i,j)", NULL, 1, all, &source, &error),
              "unknown-tensor");
  EXPECT(!source.function && !source.header);
  EXPECT_NULL(indices, &there, unravel_tensor_coordinates(NULL, &entries, &indices, &values, &error),
              "missing-input");
  EXPECT(!values);
  EXPECT_NULL(indices, &there, unravel_tensor_coordinates(A, NULL, &indices, &values, &error),
              "missing-input");
  EXPECT(!values);
  EXPECT_NULL(values, &number, unravel_tensor_imaginary(NULL, &entries, &values, &error), "missing-input");
  EXPECT_NULL(indices, &there, unravel_tensor_integers(NULL, &entries, &indices, &error), "missing-input");
#undef EXPECT_NULL
  unravel_tensor_free(A);
}

/* Doubles don't hold them. */
static void test_large_integers(void) {
  const int64_t large = ((int64_t)1 << 53) + 1;
  unravel_error error;
  unravel_tensor *packed = NULL, *dense = NULL, *A = matrix(), *result = NULL;
  int64_t size = 3, where[] = {2}, values[1], *found = NULL;
  const int64_t *coordinates[1];
  size_t entries = 0;
  unravel_kernel *kernel = NULL;
  unravel_argument all[2];
  coordinates[0] = where;
  values[0] = large;
  EXPECT(unravel_tensor_pack("sv", 1, &size, 1, coordinates, UNRAVEL_INT64, values, UNRAVEL_INT32, &packed,
                             &error) == 0);
  EXPECT(((int64_t *)unravel_tensor_array(packed, 1).data)[0] == large);
  EXPECT(unravel_tensor_convert(packed, "dense", &dense, &error) == 0);
  EXPECT(((int64_t *)unravel_tensor_array(dense, 0).data)[2] == large);
  EXPECT(unravel_tensor_integers(packed, &entries, &found, &error) == 0);
  EXPECT(entries == 1 && found[0] == large);
  unravel_free(found);
  EXPECT(unravel_tensor_integers(A, &entries, &found, &error) == 0);
  EXPECT(entries == 0 && !found);

  EXPECT(unravel_kernel_make("for i { y(i) = x(i); z(i) = 2*x(i); }", NULL, 0, NULL, &kernel, &error) == 0);
  EXPECT_ERROR(unravel_kernel_run_into(kernel, NULL, NULL, NULL, NULL, 0, &error), "several-results",
               "the kernel has 2 results, not one");
  unravel_kernel_free(kernel);
  EXPECT(unravel_kernel_make("y(i) = x(i+1)", NULL, 0, NULL, &kernel, &error) == 0);
  all[0] = argument("x", vector(val, 3, 0));
  all[1] = argument("i", NULL);
  all[1].is_integer = 1;
  all[1].number = (double)large;
  EXPECT_ERROR(unravel_kernel_call(kernel, 2, all, NULL, &error), "bad-option",
               "`i` is the extent of an index");
  all[1].number = 1e300;
  EXPECT_ERROR(unravel_kernel_call(kernel, 2, all, NULL, &error), "bad-option",
               "an integer below 2^53 is expected");
  all[1].number = -3;
  EXPECT_ERROR(unravel_kernel_call(kernel, 2, all, NULL, &error), "bad-option",
               "the extent of an index is not negative");
  all[1].number = 2;
  EXPECT(unravel_kernel_call(kernel, 2, all, &result, &error) == 0);
  EXPECT(unravel_tensor_shape(result)[0] == 2);
  unravel_kernel_free(kernel);

  /* So many elements that their bytes are 2^64, which isn't 0. */
  size = (int64_t)1 << 61;
  unravel_tensor_free(packed);
  EXPECT(unravel_tensor_pack("sv", 1, &size, 0, coordinates, UNRAVEL_FLOAT64, NULL, UNRAVEL_INT64, &packed,
                             &error) == 0);
  {
    unravel_options options = unravel_options_new();
    unravel_format format = {"x", "sv"};
    unravel_tensor *tensors[2] = {NULL, NULL};
    tensors[1] = packed;
    options.format_count = 1;
    options.formats = &format;
    EXPECT(unravel_kernel_make("y(i) = 2 * x(i)", &options, 0, NULL, &kernel, &error) == 0);
    EXPECT(unravel_kernel_run_into(kernel, tensors, NULL, NULL, NULL, 0, &error) == 1);
    EXPECT(error.kind && strcmp(error.kind, "no-memory") == 0);
    unravel_error_free(&error);
    unravel_kernel_free(kernel);
  }
  unravel_tensor_free(all[0].tensor);
  unravel_tensor_free(packed);
  unravel_tensor_free(dense);
  unravel_tensor_free(result);
  unravel_tensor_free(A);
}

/* The memory that a tensor had before it is computed anew lives as long as another tensor has it. */
static void test_same_arrays(void) {
  unravel_error error;
  unravel_options options = unravel_options_new();
  unravel_format formats[] = {{"A", "csr"}, {"C", "csr"}};
  unravel_kernel *kernel = NULL;
  unravel_tensor *A = matrix(), *C[2] = {NULL, NULL}, *kept = NULL;
  unravel_argument all[2];
  unravel_array before;
  options.format_count = 2;
  options.formats = formats;
  all[0] = argument("A", A);
  EXPECT(unravel_kernel_make("C(i,j) = A(i,j) * A(i,j)", &options, 0, NULL, &kernel, &error) == 0);
  EXPECT(unravel_kernel_call(kernel, 1, all, &C[0], &error) == 0);
  EXPECT(unravel_tensor_same_arrays(C[0], &kept, &error) == 0);
  before = unravel_tensor_array(C[0], 2);
  EXPECT(unravel_tensor_array(kept, 2).data == before.data);
  all[1] = argument("C", C[0]);
  val[2] = 5;
  EXPECT(unravel_kernel_call(kernel, 2, all, &C[1], &error) == 0);
  val[2] = 3;
  EXPECT(((double *)unravel_tensor_array(C[0], 2).data)[2] == 25);
  EXPECT(((double *)before.data)[2] == 9);
  EXPECT(unravel_tensor_number(kept, 2).value == 3);
  unravel_tensor_free(C[0]);
  unravel_tensor_free(C[1]);
  unravel_tensor_free(kept);
  unravel_tensor_free(A);
  unravel_kernel_free(kernel);
}

static void test_texts(void) {
  unravel_error error;
  unravel_tensor *A = matrix();
  unravel_argument all[1];
  unravel_c_source source;
  char *text = NULL;
  all[0] = argument("A", A);
  EXPECT(unravel_make_c("y(i) = A(i,j) * x(j)", NULL, 1, all, &source, &error) == 0);
  EXPECT(strstr(source.header, "int kernel(") && strstr(source.source, "#include \"kernel.h\"") &&
         strcmp(source.function, "kernel") == 0);
  unravel_free(source.function);
  unravel_free(source.source);
  unravel_free(source.header);
  EXPECT(unravel_explain("y(i) = A(i,j) * x(j)", NULL, 1, all, &text, &error) == 0);
  EXPECT(strstr(text, "== C"));
  unravel_free(text);
  EXPECT(unravel_explain_as_html("y(i) = A(i,j) * x(j)", NULL, 1, all, &text, &error) == 0);
  EXPECT(text && strncmp(text, "<!DOCTYPE html>", 15) == 0 && strstr(text, "Generated C"));
  unravel_free(text);
  text = NULL;
  EXPECT_ERROR(unravel_explain("y(i) = B(i,j)", NULL, 1, all, &text, &error), "unknown-tensor", "`A`");
  unravel_tensor_free(A);
}

int main(void) {
  EXPECT(strcmp(unravel_version(), "0.1.0") == 0);
  test_tensors();
  test_lists_of_options();
  test_kernels();
  test_errors_set_to_null();
  test_large_integers();
  test_same_arrays();
  test_texts();
  if (failures == 0) puts("all went well");
  return failures != 0;
}
