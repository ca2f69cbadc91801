#include <stdio.h>
#include <unravel/unravel_c.h>

int main(void) {
  double memory[] = {10, 20};
  int64_t shape[] = {2};
  unravel_array val = {"val", UNRAVEL_FLOAT64, memory, 2, 1};
  unravel_error error = {0};
  unravel_tensor *x = NULL, *result = NULL;
  unravel_kernel *kernel = NULL;
  unravel_argument argument = {"x", NULL, 0, 0};
  if (unravel_tensor_over("dense", 1, shape, 1, &val, 0, NULL, UNRAVEL_CHECK_FULL, NULL, NULL, &x, &error))
    goto failed;
  argument.tensor = x;
  if (unravel_kernel_make("s = x(i) * x(i)", NULL, 1, &argument, &kernel, &error)) goto failed;
  if (unravel_kernel_call(kernel, 1, &argument, &result, &error)) goto failed;
  printf("s = %g\n", *(double *)unravel_tensor_array(result, 0).data);
  unravel_tensor_free(result);
  unravel_kernel_free(kernel);
  unravel_tensor_free(x);
  return 0;
failed:
  fputs(error.message, stderr);
  unravel_error_free(&error);
  return 1;
}
