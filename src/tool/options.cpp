#include "tool/options.h"

#include "build/cache.h"
#include "cfront/cfront.h"
#include "machine/keep.h"
#include "report/diagnostic.h"
#include "text/source.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace unravel::tool {

using report::Kind;

void add_kernel_options(CLI::App &command, Options &options, bool &as_json) {
  command.add_option("expression", options.expression,
                     "assignment in tensor index notation, such as 'y(i) = A(i,j) * x(j)', or a program");
  command.add_option("-F,--file", options.file, "read the expression from a file, or from standard input: -")
      ->allow_extra_args(false);
  command
      .add_option("--from", options.from,
                  "read a dense loop nest in C instead of an expression: file.c:function")
      ->allow_extra_args(false);
  command
      .add_option("-f,--format", options.formats,
                  "layout of a tensor: A=csr, A=bcsr<4,4>, A=./mine.layout:name (default: dense)")
      ->allow_extra_args(false);
  command
      .add_option(
          "-s,--schedule", options.schedules,
          "schedule: 'tile j by 64; order j.tile, i, A.p; parallel i; find x by binary; chunk 64; serial'")
      ->allow_extra_args(false);
  command
      .add_option("--find", options.finds, "how a tensor's entries are found: x=seq, B.p=binary, A=scan, ...")
      ->allow_extra_args(false);
  add_type_options(command, options.index, options.type);
  command.add_option("--name", options.name,
                     "name of the C function (default: of `compile -o spmv.c` spmv, else kernel)");
  command.add_option(
      "--machine", options.machine,
      "the machine that choices are made for: a file of `unravel machine -o`, portable or here "
      "(default: here for run, else portable)");
  command.add_flag("--json", as_json, "print JSON on standard output");
  command.add_flag("--trust", options.trust,
                   "don't stop where a property or range was neither proved nor fully checked");
  add_budget_option(command, options.budget);
}

void add_type_options(CLI::App &command, std::string &index, std::string &type) {
  command.add_option("--index", index, "type of index arrays: int32 or int64")
      ->check(CLI::IsMember({"int32", "int64"}));
  command.add_option("--type", type, "type of values: f64, f32, int32, bool, uint8, ...")
      ->check([](const std::string &word) {
        return value::type_called(word) ? std::string() : "not one of " + value::type_words();
      });
}

void add_memory_option(CLI::App &command, std::string &max_memory) {
  command.add_option(
      "--max-memory", max_memory,
      "refuse data that takes more, in bytes or with K, M, G (default: half of the machine's)");
}

std::string seconds_refusal(const std::string &text, bool with_zero) {
  char *end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool is_number = !text.empty() && *end == '\0' && std::isfinite(number);
  if (is_number && (number > 0 || (with_zero && number == 0))) return "";
  return fmt::format("`{}` is not a number of seconds, {}", text, with_zero ? "0 or more" : "more than 0");
}

void add_budget_option(CLI::App &command, double &seconds) {
  command
      .add_option("--budget", seconds,
                  fmt::format("seconds of CPU time to spend on finding faster kernels; 0: no limit (default: "
                              "{}, or UNRAVEL_BUDGET)",
                              default_budget))
      ->envname("UNRAVEL_BUDGET")
      ->check([](const std::string &text) { return seconds_refusal(text, true); });
}

void add_data_options(CLI::App &command, Options &options) {
  command
      .add_option("-i,--input", options.inputs,
                  "data of a tensor: A=file.mtx[.gz], A=file.tns[.gz], A=file.npy, A=file.npz, A=FOLDER, "
                  "A=random:1000x1000,density=0.01,seed=1, x=random, x=ones, a=2.5")
      ->allow_extra_args(false);
  command
      .add_option("--combine", options.combined,
                  "how entries of a file with the same coordinates are combined: A=min, A=second, or "
                  "another operator (default: by their sum)")
      ->allow_extra_args(false);
  command.add_option("--size", options.sizes, "extent of an index: i=1000")->allow_extra_args(false);
  add_memory_option(command, options.max_memory);
}

namespace {

/// "A=csr" -> ("A", "csr")
std::pair<std::string, std::string> split_assignment(const std::string &option, const std::string &text) {
  std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    report::fail(Kind::bad_option, fmt::format("`{} {}`: a name, `=` and a value are expected", option, text),
                 fmt::format("as in {} A={}", option,
                             option == "-f"          ? "csr"
                             : option == "--size"    ? "100"
                             : option == "--combine" ? "min"
                                                     : "file.mtx"));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::map<std::string, std::string> assignments(const std::string &option,
                                               const std::vector<std::string> &texts) {
  std::map<std::string, std::string> result;
  for (const std::string &text : texts) {
    auto [name, value] = split_assignment(option, text);
    if (!result.emplace(name, value).second)
      report::fail(Kind::bad_option, fmt::format("`{}` is given twice for `{}`", option, name));
  }
  return result;
}

/// Of any sign: a program's sizes may have either.
std::int64_t size_of(const std::string &name, const std::string &text) {
  std::int64_t size = 0;
  const char *end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, size); read.ec != std::errc() || read.ptr != end)
    report::fail(Kind::bad_option,
                 fmt::format("`--size {}={}`: an integer of 64 bits is expected", name, text));
  return size;
}

} // namespace

std::int64_t memory_bytes(const std::string &text, const std::string &option) {
  std::size_t used = 0;
  long long value = -1;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception &) {
    used = 0;
  }
  std::int64_t unit = 1;
  if (used + 1 == text.size()) {
    std::size_t power = std::string("KMGT").find(text[used]);
    if (power != std::string::npos) unit = std::int64_t{1} << (10 * (power + 1)), ++used;
  }
  std::int64_t result = 0;
  if (used == 0 || used != text.size() || value < 0 ||
      __builtin_mul_overflow(static_cast<std::int64_t>(value), unit, &result))
    report::fail(Kind::bad_option, fmt::format("`{} {}` is not a number of 64 bits, 0 or more", option, text),
                 fmt::format("as in {} 4G", option));
  return result;
}

std::function<void(double)> reading_progress() {
  if (!isatty(STDERR_FILENO)) return {};
  return [](double done) {
    std::cerr << fmt::format("\rreading: {:3.0f} %{}", done * 100, done >= 1 ? "\r              \r" : "")
              << std::flush;
  };
}

pipeline::Request compile_request(const Options &options) {
  pipeline::Request request;
  if (options.expression.empty() && options.file.empty() && options.from.empty())
    throw CLI::RequiredError("expression");
  const std::string other = options.from.empty() ? "-F " + options.file : "--from " + options.from;
  if (options.expression.empty() + options.file.empty() + options.from.empty() < 2)
    report::fail(Kind::bad_option,
                 options.expression.empty()
                     ? fmt::format("both `-F {}` and `--from {}` are given", options.file, options.from)
                     : fmt::format("both an expression and `{}` are given", other),
                 "leave one of them out");
  std::error_code ignored;
  if (std::filesystem::is_regular_file(options.expression, ignored)) // no expression is the name of one
    report::fail(Kind::bad_option, fmt::format("`{}` is a file, not an expression", options.expression),
                 options.expression.ends_with(".c")
                     ? fmt::format("to read a loop nest in C: `--from {}`", options.expression)
                     : fmt::format("to read a program from it: `-F {}`", options.expression));
  request.expression = options.expression;
  if (!options.file.empty()) {
    const std::string path = options.file == "-" ? "/dev/stdin" : options.file;
    request.expression = text::Source::from_file(path)->content();
    request.file = path;
  }
  request.from = options.from;
  request.formats = assignments("-f", options.formats);
  request.schedules = options.schedules;
  request.finds = options.finds;
  request.index = options.index == "int64" ? loop::ElementType::Int64 : loop::ElementType::Int32;
  request.value = value::type_called(options.type); // empty: none
  if (!options.name.empty()) request.name = options.name;
  request.trust = options.trust;
  request.budget = options.budget;
  if (!options.machine.empty())
    request.machine = machine::profile_of(options.machine, build::cache_directory(""));
  return request;
}

run::Request run_request(const Options &options) {
  run::Request request;
  request.compile = compile_request(options);
  request.inputs = assignments("-i", options.inputs);
  request.combine = assignments("--combine", options.combined);
  request.outputs = assignments("-o", options.outputs);
  request.other_files = {options.emit_c, options.report};
  for (const std::string &file : request.other_files)
    keep_source(options, file);
  for (const auto &[tensor, file] : request.outputs)
    keep_source(options, file);
  for (const auto &[index, extent] : assignments("--size", options.sizes))
    request.extents[index] = size_of(index, extent);
  if (options.threads > 0) request.threads = options.threads;
  request.repeat = options.repeat > 0 ? options.repeat : options.time ? 7 : 1;
  request.check = options.check;
  request.validate = !options.no_validate;
  if (!options.max_memory.empty()) request.max_memory = memory_bytes(options.max_memory);
  request.build.cache = !options.no_cache;
  request.progress = reading_progress();
  return request;
}

void require_data(const Options &options) {
  const std::string given = !options.combined.empty()     ? "--combine"
                            : !options.max_memory.empty() ? "--max-memory"
                            : options.no_validate         ? "--no-validate"
                                                          : "";
  if (!given.empty())
    report::fail(Kind::bad_option, fmt::format("`{}` is about data, but none are given", given),
                 "add -i A=FILE, or leave it out");
}

void keep_source(const Options &options, const std::string &output) {
  const std::string source = options.from.empty() ? options.file : cfront::file_of(options.from);
  std::error_code ignored;
  if (!source.empty() && !output.empty() && std::filesystem::equivalent(source, output, ignored))
    report::fail(Kind::bad_option, fmt::format("`{}` is the text that the kernel is made of", output),
                 "name another file to be written");
}

void add_dense_inputs(run::Request &request) {
  const pipeline::Front front = pipeline::read_request(request.compile);
  for (const compute::TensorUse &use : front.computation.tensors)
    if (!use.is_result && (!request.compile.formats.contains(use.name) ||
                           combine::has_slot_of_each(front.layouts.at(use.name))))
      request.inputs.emplace(use.name, use.order == 0 ? "1" : "ones");
}

void print_warnings(const pipeline::Compilation &compilation) {
  for (const report::Diagnostic &warning : compilation.warnings)
    std::cerr << report::render(warning, "warning");
}

pipeline::Compilation compile(const Options &options, bool details) {
  pipeline::Request request = compile_request(options);
  request.details = details;
  pipeline::Compilation compilation = pipeline::compile(request);
  print_warnings(compilation);
  return compilation;
}

nlohmann::json to_json(const report::Diagnostic &diagnostic) {
  return {{"kind", report::name_of(diagnostic.kind)},
          {"file", diagnostic.place.file},
          {"line", diagnostic.place.line},
          {"column", diagnostic.place.column},
          {"message", diagnostic.message},
          {"hint", diagnostic.hint}};
}

int report_error(const report::Error &error, bool as_json) {
  const report::Diagnostic &diagnostic = error.diagnostic();
  if (as_json) {
    nlohmann::json out;
    out["error"] = to_json(diagnostic);
    std::cout << json_text(out);
  } else {
    std::cerr << error.what();
  }
  return report::exit_code(diagnostic.kind);
}

} // namespace unravel::tool
