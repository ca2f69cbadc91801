// .tns files: read; each that is accepted is written, and read again as the same tensor.
#include "fuzz/tensor_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  unravel::fuzz::read_as("input.tns", unravel::fuzz::text_of(data, size));
  return 0;
}
