#include "tool/commands.h"
#include "tool/facts.h"
#include "tool/options.h"
#include "tool/text_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace unravel::tool {

namespace {

struct CompileOptions : Options {
  std::string output;
};

} // namespace

void add_compile(CLI::App &app, int &code, bool &json) {
  (void)code;
  auto *command = app.add_subcommand("compile", "write the kernel as C that depends on nothing but the C library and OpenMP");
  auto options = std::make_shared<CompileOptions>();
  add_kernel_options(*command, *options);
  command->add_option("-o,--output", options->output, "file.c; the header goes beside it (default: one text on standard output)");
  command->footer("Examples:\n"
                  "  unravel compile 'y(i) = A(i,j) * x(j)' -f A=csr -o spmv.c\n"
                  "  unravel compile 'y(i) = A(i,j) * x(j)' -f A=csr -f x=sv --type f32 --index int64");
  command->callback([options, &json] {
    json = options->json;
    pipeline::Request request = compile_request(*options);
    std::filesystem::path path = options->output;
    if (options->name.empty() && !options->output.empty()) request.name = path.stem().string();
    pipeline::Compilation compilation = pipeline::compile(request);
    for (const report::Diagnostic &warning : compilation.warnings) std::cerr << report::render(warning, "warning");
    emit::EmitOptions how;
    if (!options->output.empty()) {
      if (path.extension() != ".c")
        report::fail(report::Kind::bad_option, fmt::format("`-o {}`: the name of a C file is expected", options->output), "as in -o kernel.c");
      how.with_header = emit::kernel_name(compilation.program) == path.stem().string();
      if (how.with_header) write_text_file(std::filesystem::path(path).replace_extension(".h").string(), emit::emit_header(compilation.program));
      write_text_file(options->output, emit::emit_c(compilation.program, how));
    }
    if (json) {
      std::cout << nlohmann::json{{"expression", compilation.computation.text}, {"function", emit::kernel_name(compilation.program)},
                                  {"loops", loops_json(compilation)}, {"finds", finds_json(compilation)},
                                  {"times_ms", {{"compile", compilation.milliseconds()}}}, {"c", emit::emit_c(compilation.program)}}.dump(2) << "\n";
    } else if (options->output.empty()) {
      std::cout << emit::emit_c(compilation.program);
    }
  });
}

} // namespace unravel::tool
