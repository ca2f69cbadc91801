// Lines of index notation and programs. What is accepted is printed, and read again as the same computation.
#include "fuzz/fuzz.h"
#include "pipeline.h"

using namespace unravel;

namespace {

pipeline::Request request_of(std::string text) {
  pipeline::Request request;
  request.expression = std::move(text);
  request.budget = 0.01;
  return request;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::refusable([&] { pipeline::read_request(request_of(std::string(fuzz::text_of(data, size)))); });
  return 0;
}
