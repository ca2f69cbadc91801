#include "build/cache.h"
#include "cost/thresholds.h"
#include "data/output_file.h"
#include "machine/facts.h"
#include "machine/keep.h"
#include "machine/profile.h"
#include "report/diagnostic.h"
#include "run/tiling.h"
#include "tool/commands.h"
#include "tool/options.h"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace unravel::tool {

namespace {

struct MachineOptions {
  std::string machine = "here", output;
  bool measure = false;
};

/// A profile, and the file that it was read from or is kept in; empty where it is kept nowhere.
struct Shown {
  machine::Profile profile;
  std::string file;
};

Shown profile_to_show(const MachineOptions &options) {
  if (options.machine != "here") {
    if (options.measure)
      report::fail(
          report::Kind::bad_option,
          fmt::format("`--measure` is of this machine, but `--machine {}` is given", options.machine),
          "leave one of them out");
    machine::Profile profile = machine::profile_of(options.machine, "");
    return {profile, options.machine == "portable" ? "" : options.machine};
  }
  const std::string folder = build::cache_directory("");
  const std::string file = machine::kept_file(folder);
  if (options.measure) return {machine::measure_and_keep(folder), file};
  return {file.empty() ? machine::measure() : machine::here(folder), file};
}

/// A threshold: its name, its value, what it is.
struct Consequence {
  std::string name;
  nlohmann::ordered_json value; // a number
  std::string meaning;
};

std::vector<Consequence> consequences(const machine::Profile &profile) {
  const cost::Thresholds made = cost::thresholds_of(profile);
  return {
      {"least_entries", made.least_entries, "entries from which on a loop gets a team of threads"},
      {"least_found_entries", made.least_found_entries, "... where each is looked for in another tensor"},
      {"least_marked_entries", made.least_marked_entries, "... where most are skipped, having no mark"},
      {"least_iterations_inside_tiles", made.least_iterations_inside_tiles,
       "iterations from which on a loop inside tiles gets a team"},
      {"entries_per_row", made.entries_per_row, "entries that take as long as the start of a row"},
      {"keys_per_mark", made.keys_per_mark, "keys per entry from which on marks are tested"},
      {"keys_per_mark_in_long_rows", made.keys_per_mark_in_long_rows, "... in long rows"},
      {"search_ratio", made.search_ratio, "a segment this many times longer is searched, not walked"},
      {"chunk_of_entries", made.chunk_of_entries, "entries in a chunk of a parallel loop over entries"},
      {"owned_chunk", made.owned_chunk, "rows in a chunk of a loop that tests marks"},
      {"work_of_piece", made.work_of_piece, "entries in a piece of a loop cut into equal work"},
      {"least_work_of_level", made.least_work_of_level,
       "iterations and dependences per level of a wavefront"},
      {"least_work_of_packed_level", made.least_work_of_packed_level, "... where what they read is packed"},
      {"least_work_of_iteration", made.least_work_of_iteration, "... per iteration, where it isn't"},
      {"line", made.line,
       "cost of a line that lies anywhere, in contraction plans: in proportion to portable's"},
  };
}

nlohmann::ordered_json to_json(const Shown &shown) {
  nlohmann::ordered_json out = {{"profile", nlohmann::ordered_json::parse(machine::to_json(shown.profile))}};
  out["file"] = shown.file.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(shown.file);
  out["gathers_pay"] = machine::gathers_pay(shown.profile);
  for (const Consequence &each : consequences(shown.profile))
    out["thresholds"][each.name] = each.value;
  return out;
}

std::string to_text(const Shown &shown) {
  std::string text = shown.profile.processor + "\n";
  text += shown.file.empty() ? "kept in no file\n" : fmt::format("in {}\n", shown.file);
  text += "\n== facts\n";
  for (const machine::Fact &fact : machine::facts()) {
    const double value = fact.of(shown.profile);
    const std::string number = value == 0 ? "none" : fmt::format("{:g} {}", value, fact.unit);
    const std::string decides = fact.decides.empty() ? "" : "; decides: " + fact.decides;
    text += fmt::format("  {:<16} {:>12}  {}{}\n", fact.name, number, fact.meaning, decides);
  }
  text += "  " + run::caches_text(shown.profile.caches);
  text += "\n== what follows\n";
  for (const Consequence &each : consequences(shown.profile))
    text += fmt::format("  {:<28} {:>10}  {}\n", each.name, each.value.dump(), each.meaning);
  return text + fmt::format("  {:<28} {:>10}  sums over segments by masked gathers\n", "gathers_pay",
                            machine::gathers_pay(shown.profile) ? "yes" : "no");
}

} // namespace

void add_machine(CLI::App &app, bool &as_json) {
  auto *command = app.add_subcommand(
      "machine", "show what was measured on this machine, and the choices that rest on it");
  auto options = std::make_shared<MachineOptions>();
  command->add_option("--machine", options->machine, "another profile: a file, or portable (default: here)");
  command->add_flag("--measure", options->measure, "measure again, also where a profile is kept");
  command->add_option("-o,--output", options->output, "write the profile to a file, for --machine");
  command->add_flag("--json", as_json, "print JSON");
  command->footer("Examples:\n"
                  "  unravel machine\n"
                  "  unravel machine --measure -o here.json\n"
                  "  unravel compile 'y(i) = A(i,j) * x(j)' -f A=csr --machine here.json");
  command->callback([options, &as_json] {
    const Shown shown = profile_to_show(*options);
    if (!options->output.empty()) data::write_text_file(options->output, machine::to_json(shown.profile));
    std::cout << (as_json ? json_text(to_json(shown)) : to_text(shown));
  });
}

} // namespace unravel::tool
