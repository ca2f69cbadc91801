#include "data/generate.h"
#include "data/tensor_file.h"
#include "tool/commands.h"
#include "tool/options.h"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace unravel::tool {

namespace {

struct GenerateOptions {
  std::string specification, output, max_memory;
};

} // namespace

void add_generate(CLI::App &app, bool &as_json) {
  auto *command = app.add_subcommand("generate", "write a test matrix or tensor to a file");
  auto options = std::make_shared<GenerateOptions>();
  command
      ->add_option("specification", options->specification,
                   "random:1000x1000,density=0.01,seed=1; ones:100; poisson2d:100x100; poisson3d:20x20x20; "
                   "fem:1000; rmat:scale=12,edges=8; banded:1000,width=5; hypersparse:100000")
      ->required();
  command->add_option("-o,--output", options->output, "file.mtx or file.tns, with .gz compressed")
      ->required();
  add_memory_option(*command, options->max_memory);
  command->add_flag("--json", as_json, "print JSON");
  command->footer("Example:\n  unravel generate poisson2d:300x300 -o poisson.mtx.gz");
  command->callback([options, &as_json] {
    data::WriteOptions writing;
    if (!options->max_memory.empty()) writing.max_memory = memory_bytes(options->max_memory);
    const data::Coordinates made =
        data::generate(data::parse_generator(options->specification, "specification"), writing.max_memory);
    data::write_tensor(options->output, made, writing);
    if (as_json)
      std::cout << json_text(
          nlohmann::json{{"file", options->output}, {"shape", made.shape}, {"entries", made.size()}});
    else
      std::cout << fmt::format("{}: {} with {} entries\n", options->output, fmt::join(made.shape, " x "),
                               made.size());
  });
}

} // namespace unravel::tool
