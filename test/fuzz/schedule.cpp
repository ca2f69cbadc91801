// Schedules of a product of dense matrices, and finds: read, and applied.
#include "fuzz/fuzz.h"
#include "pipeline.h"

using namespace unravel;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::refusable([&] {
    pipeline::Request request;
    request.expression = "C(i,j) = A(i,k) * B(k,j)";
    request.schedules = {std::string(fuzz::text_of(data, size))};
    request.budget = 0.01;
    pipeline::c_text(pipeline::compile(request));
  });
  return 0;
}
