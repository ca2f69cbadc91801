#include "data/output_file.h"
#include "depend/distance.h"
#include "show/facts.h"
#include "show/page.h"
#include "show/proofs.h"
#include "tool/commands.h"
#include "tool/options.h"
#include "tool/wavefront_answers.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace unravel::tool {

void add_explain(CLI::App &app, bool &as_json) {
  auto *command = app.add_subcommand("explain", "show every stage: iteration space, loop order, dependences, "
                                                "how entries are found, with proofs, loops, C");
  auto options = std::make_shared<Options>();
  add_kernel_options(*command, *options, as_json);
  command->add_option("--smtlib", options->smtlib,
                      "write every question to the prover to a folder, as SMT-LIB, with an index.txt");
  command->add_option("--report", options->report, "write all of it to one HTML page");
  command->footer("Examples:\n"
                  "  unravel explain 'y(i) = A(i,j) * x(j)' -f A=csr -f x=sv\n"
                  "  unravel explain 's = A(i,j) * B(i,j)' -f A=csr -f B=./mine.layout:mine --smtlib proofs");
  command->callback([options, &as_json] {
    keep_source(*options, options->report);
    pipeline::Compilation compilation = compile(*options, true);
    if (!options->smtlib.empty()) show::write_smtlib(options->smtlib, *compilation.prover);
    if (!options->report.empty())
      data::write_text_file(options->report,
                            show::to_html({.compilation = compilation, .schedules = options->schedules}));
    std::string c = pipeline::c_text(compilation);
    if (as_json) {
      nlohmann::json out = {{"expression", compilation.computation.text},
                            {"loops", show::loops_json(compilation)},
                            {"obligations", show::obligations_json(compilation)},
                            {"dependences", show::dependences_json(compilation)},
                            {"c", c}};
      out.update(show::proofs_json(compilation));
      show::add_not_tried(out, compilation.not_tried);
      out["notes"] = compilation.notes;
      out["stages"] = nlohmann::json::array();
      for (const pipeline::Stage &stage : compilation.stages)
        out["stages"].push_back({{"name", stage.name}, {"text", stage.text}, {"ms", stage.milliseconds}});
      std::cout << json_text(out);
      return;
    }
    for (const std::string &note : compilation.notes)
      std::cout << "note: " << note << "\n\n";
    std::cout << pipeline::to_text(compilation);
    std::cout << "== obligations\n" << show::proofs_text(compilation) << "\n== C\n" << c;
  });
}

void add_deps(CLI::App &app, bool &as_json) {
  auto *command = app.add_subcommand(
      "deps",
      "show per loop whether its iterations may run at once, only add up, or depend on each other; the "
      "dependence relation and an example; wavefronts");
  auto options = std::make_shared<Options>();
  add_kernel_options(*command, *options, as_json);
  command->footer("Example:\n  unravel deps 'y(i) = A(i,j) * x(j)' -f A=dcsr");
  command->callback([options, &as_json] {
    pipeline::Compilation compilation = compile(*options, true);
    const std::vector<WavefrontAnswer> answers = wavefront_answers(compile_request(*options), compilation);
    if (as_json) {
      nlohmann::json out = {{"expression", compilation.computation.text},
                            {"loops", show::dependences_json(compilation)},
                            {"wavefronts", to_json(answers)}};
      show::add_not_tried(out, compilation.not_tried);
      std::cout << json_text(out);
      return;
    }
    for (const pipeline::Leaf &leaf : compilation.leaves)
      std::cout << depend::to_text(leaf.verdicts, leaf.order, show::loops_of(leaf), *compilation.prover);
    std::cout << to_text(answers);
  });
}

} // namespace unravel::tool
