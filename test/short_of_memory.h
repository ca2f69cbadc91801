#pragma once

#include <string>

namespace unravel::test {

/// Where memory ends after so many allocations of the kernel.
inline const std::string short_of_memory = R"(
#include <stdlib.h>
static long unravel_left = -1, unravel_living = 0;
static void *unravel_scarce(void *array, size_t size) {
  void *memory;
  if (unravel_left == 0) return 0;
  if (unravel_left > 0) unravel_left--;
  memory = realloc(array, size);
  if (!array) unravel_living++;
  return memory;
}
void *unravel_scarce_zeros(size_t count, size_t size) {
  if (unravel_left == 0) return 0;
  if (unravel_left > 0) unravel_left--;
  unravel_living++;
  return calloc(count, size);
}
static void unravel_freed(void *array) {
  if (array) unravel_living--;
  free(array);
}
#define malloc(size) unravel_scarce(0, size)
#define realloc unravel_scarce
#define calloc unravel_scarce_zeros
#define free unravel_freed
)";

} // namespace unravel::test
