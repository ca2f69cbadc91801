#include "emit/emit.h"
#include "emit/read_kernel.h"
#include "golden.h"
#include "loop/verify.h"

using namespace unravel;

namespace {

loop::Program read(const std::string &input) {
  loop::Program program = test::read_kernel(input);
  loop::verify(program);
  return program;
}

} // namespace

TEST(EmitGolden, kernels) {
  for (const std::string &name : test::golden_names("emit", "kernel_"))
    test::golden_run("emit", name, [](const std::string &input) {
      return test::with_named_parts(emit::emit_c(read(input)));
    });
}

TEST(EmitGolden, in_process) {
  test::golden_run("emit", "in_process", [](const std::string &input) {
    emit::EmitOptions options;
    options.in_process = true;
    options.openmp_pragmas = false;
    return test::with_named_parts(emit::emit_c(read(input), options));
  });
}

TEST(EmitGolden, header) {
  test::golden_run("emit", "header", [](const std::string &input) {
    emit::EmitOptions options;
    options.with_header = true;
    return emit::emit_header(read(input)) + "// ---- the C file that goes with it\n" +
           test::with_named_parts(emit::emit_c(read(input), options));
  });
}
