#include "tool/commands.h"
#include "tool/facts.h"
#include "tool/options.h"
#include "tool/text_file.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace unravel::tool {

void add_run(CLI::App &app, int &code, bool &json) {
  auto *command = app.add_subcommand("run", "make a kernel, run it on data, print a summary, write results");
  auto options = std::make_shared<Options>();
  add_kernel_options(*command, *options);
  add_data_options(*command, *options);
  command
      ->add_option("-o,--output", options->outputs, "where the result goes: y=file.mtx, T=file.tns, y=file.npy, y=file.txt, y=FOLDER")
      ->allow_extra_args(false);
  command->add_option("--threads", options->threads, "threads of parallel loops (default: all)")
      ->check(CLI::Range(1, 4096));
  command->add_option("--repeat", options->repeat, "how often the kernel is run and timed")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--time", options->time, "run the kernel 7 times for its median time");
  command->add_flag("--check", options->check, "compare with the reference evaluator");
  command->add_flag("--no-validate", options->no_validate,
                    "don't check that the arrays keep the layouts' properties");
  command->add_flag("--no-cache", options->no_cache, "don't use or fill the cache of compiled kernels");
  command->add_option("--emit-c", options->emit_c, "write the kernel's C to a file");
  command->footer("Examples:\n"
                  "  unravel run 'y(i) = A(i,j) * x(j)' -f A=csr -i A=matrix.mtx -i x=random --check\n"
                  "  unravel run 'y(i) = A(i,j) * x(j)' -f A=dcsr -f x=sv -i A=rmat:scale=12 -i "
                  "x=random,density=0.01 -o y=y.mtx\n"
                  "  unravel run 's = A(i,j) * B(i,j)' -f A=csr -f B=coo -i A=a.mtx -i B=b.mtx --json");
  command->callback([options, &code, &json] {
    json = options->json;
    if (options->machine.empty()) options->machine = "here"; // the kernel runs here, and nowhere else
    run::Report report = run::run(run_request(*options));
    print_warnings(report.compilation);
    if (!options->emit_c.empty()) write_text_file(options->emit_c, pipeline::c_text(report.compilation));
    std::cout << (json ? run_json(report).dump(2) + "\n" : run_text(report));
    if (report.comparison && !report.comparison->ok) code = 1;
  });
}

} // namespace unravel::tool
