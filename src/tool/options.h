#pragma once

#include "run/session.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// The options that several commands share, as they are typed.
namespace unravel::tool {

/// Seconds of CPU time that a command may look for what makes a kernel faster.
inline constexpr double default_budget = 2;

struct Options {
  std::string expression;
  std::string file; // that has it
  std::string from; // --from FILE.c:FUNCTION
  std::vector<std::string> formats, inputs, combined, outputs, schedules, finds, sizes;
  std::string index = "int32";
  std::string type; // empty: none
  std::string name;
  std::string max_memory;
  std::string machine; // --machine FILE, portable or here; empty: as the command has it by default
  int threads = 0;
  int repeat = 0;
  double tune = 0; // seconds; 0: nothing is measured
  double budget = default_budget;
  bool time = false;
  bool check = false;
  bool no_validate = false;
  bool trust = false;
  bool no_cache = false;
  std::string emit_c; // --emit-c FILE
  std::string smtlib; // --smtlib DIR
  std::string report; // --report FILE.html
};

/// What a command that makes a kernel takes: expression, -f, -s, --find, --index, --type, --json, ...
void add_kernel_options(CLI::App &command, Options &options, bool &as_json);
/// What is wrong with a time in seconds; empty: nothing.
std::string seconds_refusal(const std::string &text, bool with_zero);
void add_budget_option(CLI::App &command, double &seconds);
void add_type_options(CLI::App &command, std::string &index, std::string &type);
void add_memory_option(CLI::App &command, std::string &max_memory);
/// What a command that has data takes besides: -i, --combine, --size, --max-memory.
void add_data_options(CLI::App &command, Options &options);

/// The value of an option: bytes, or with K, M, G, T. Throws bad_option.
std::int64_t memory_bytes(const std::string &text, const std::string &option = "--max-memory");

/// Shows on a terminal how far reading is; nothing where there is none.
std::function<void(double)> reading_progress();

/// For a kernel that goes to other machines: without --machine it is made for the portable profile.
pipeline::Request compile_request(const Options &options);
/// The same with data.
run::Request run_request(const Options &options);
/// Refuses options that are about data where there are none, of a command that works without, too.
void require_data(const Options &options);
/// Refuses to write a file (none where it is empty) over the text that the kernel is made of.
void keep_source(const Options &options, const std::string &output);
/// Dense operands without data are ones, where values decide nothing.
void add_dense_inputs(run::Request &request);
/// Compiles as the options say; warnings go to the standard error stream.
pipeline::Compilation compile(const Options &options, bool details);
void print_warnings(const pipeline::Compilation &compilation);

/// What --json prints. Names of files and comments may hold bytes that aren't UTF-8: they are replaced.
template <class Json> std::string json_text(const Json &value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The members of a message, for programs.
nlohmann::json to_json(const report::Diagnostic &diagnostic);

/// What the tool prints is either for people or, with --json, for programs. Throws nothing.
int report_error(const report::Error &error, bool as_json);

} // namespace unravel::tool
