#include "data/file_text.h"
#include "data/output_file.h"
#include "run/tune.h"
#include "show/facts.h"
#include "show/page.h"
#include "tool/commands.h"
#include "tool/options.h"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace unravel::tool {

namespace {

/// What the kernel is called to which nothing was added.
std::string unchanged(const Options &options) {
  return options.schedules.empty() ? "without a schedule" : "as scheduled";
}

std::string name_of(const run::Trial &trial, const Options &options) {
  const std::string name = trial.schedule.empty() ? unchanged(options) : trial.schedule;
  return trial.once > 0 ? fmt::format("and {:.3f} ms once {}", trial.once, name) : name;
}

std::string progress_text(const run::Progress &progress, const Options &options) {
  return fmt::format("tune  {:.3f} ms {} ({:.1f} s of {:g} s)\n", progress.trial.milliseconds,
                     name_of(progress.trial, options), progress.seconds, options.tune);
}

std::string tuning_text(const run::Tuning &tuning, const Options &options) {
  const run::Trial &best = tuning.trials[tuning.best];
  std::string text = fmt::format("tuned {:.3f} ms {}", best.milliseconds, name_of(best, options));
  if (tuning.best != 0)
    text += fmt::format(", {} {:.3f} ms", unchanged(options), tuning.trials[0].milliseconds);
  if (tuning.is_kept)
    text += "; chosen by an earlier run";
  else if (tuning.trials.size() == 1)
    text += "; no other kernel was measured";
  else
    text += fmt::format("; {} kernels were measured", tuning.trials.size());
  return text + (best.schedule.empty() ? "" : fmt::format("; to choose it again: -s '{}'", best.schedule)) +
         "\n";
}

nlohmann::json tuning_json(const run::Tuning &tuning) {
  nlohmann::json trials = nlohmann::json::array();
  for (const run::Trial &trial : tuning.trials)
    trials.push_back({{"schedule", trial.schedule}, {"ms", trial.milliseconds}, {"once_ms", trial.once}});
  return {{"trials", trials}, {"best", tuning.best}, {"kept", tuning.is_kept}};
}

/// Takes the tensors out of it.
void write_report(const Options &options, run::Report report) {
  std::map<std::string, tensor::Tensor> tensors = std::move(report.tensors);
  tensors.emplace(report.compilation.computation.tensors.front().name, std::move(report.result));
  data::write_text_file(options.report, show::to_html({.compilation = report.compilation,
                                                       .schedules = options.schedules,
                                                       .tensors = &tensors,
                                                       .max_memory = data::default_max_memory(),
                                                       .ran = &report}));
}

} // namespace

void add_run(CLI::App &app, int &code, bool &as_json) {
  auto *command = app.add_subcommand("run", "make a kernel, run it on data, print a summary, write results");
  auto options = std::make_shared<Options>();
  add_kernel_options(*command, *options, as_json);
  add_data_options(*command, *options);
  command
      ->add_option(
          "-o,--output", options->outputs,
          "where the result goes: y=file.mtx, T=file.tns, y=file.npy, y=file.npz, y=file.txt, y=FOLDER")
      ->allow_extra_args(false);
  command->add_option("--threads", options->threads, "threads of parallel loops (default: all)")
      ->check(CLI::Range(1, 4096));
  command->add_option("--repeat", options->repeat, "how often the kernel is run and timed")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--time", options->time, "run the kernel 7 times for its median time");
  command
      ->add_option("--tune", options->tune,
                   "spend so many seconds measuring plans and schedules on the data, and take the fastest")
      ->check([](const std::string &text) { return seconds_refusal(text, false); });
  command->add_flag("--check", options->check, "compare with the reference evaluator");
  command->add_flag("--no-validate", options->no_validate,
                    "don't check that the arrays keep the layouts' properties");
  command->add_flag("--no-cache", options->no_cache, "don't use or fill the cache of compiled kernels");
  command->add_option("--emit-c", options->emit_c, "write the kernel's C to a file");
  command->add_option("--report", options->report,
                      "write one HTML page: the answer, the arrays, loops, proofs, C");
  command->footer("Examples:\n"
                  "  unravel run 'y(i) = A(i,j) * x(j)' -f A=csr -i A=matrix.mtx -i x=random --check\n"
                  "  unravel run 'y(i) = A(i,j) * x(j)' -f A=dcsr -f x=sv -i A=rmat:scale=12 -i "
                  "x=random,density=0.01 -o y=y.mtx\n"
                  "  unravel run 's = A(i,j) * B(i,j)' -f A=csr -f B=coo -i A=a.mtx -i B=b.mtx --json");
  command->callback([options, &code, &as_json] {
    if (options->machine.empty()) options->machine = "here"; // the kernel runs here, and nowhere else
    run::Request request = run_request(*options);
    const bool details = !options->report.empty();
    std::optional<run::Tuning> tuning;
    run::Report report;
    if (options->tune > 0) {
      run::Tuned tuned = run::tune(request, options->tune, details, [&](const run::Progress &progress) {
        if (!as_json) std::cerr << progress_text(progress, *options);
      });
      tuning = std::move(tuned.tuning);
      report = std::move(tuned.report);
    } else {
      request.compile.details = details;
      report = run::run(request);
    }
    print_warnings(report.compilation);
    if (!options->emit_c.empty())
      data::write_text_file(options->emit_c, pipeline::c_text(report.compilation));
    std::string text;
    if (as_json) {
      nlohmann::json out = show::run_json(report);
      if (tuning) out["tuning"] = tuning_json(*tuning);
      text = json_text(out);
    } else {
      text = show::run_text(report) + (tuning ? tuning_text(*tuning, *options) : "");
    }
    if (report.comparison && !report.comparison->ok) code = 1;
    if (!options->report.empty()) write_report(*options, std::move(report));
    std::cout << text;
  });
}

} // namespace unravel::tool
