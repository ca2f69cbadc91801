// C files of one function: read by Clang, and made into a program. What Clang itself takes is no part of it.
#include "cfront/cfront.h"
#include "fuzz/fuzz.h"

using namespace unravel;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::refusable([&] {
    auto source = std::make_shared<const text::Source>("input.c", std::string(fuzz::text_of(data, size)));
    cfront::read(source, "");
  });
  return 0;
}
