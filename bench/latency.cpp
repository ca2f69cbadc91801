// How long it takes to make a kernel, in milliseconds, wall clock and CPU time.
//   latency [--runs N] [--quick] [--tool FILE] [--json FILE]
//                                         --tool: the program unravel, looked for beside this one
//   latency --only TEXT                   only the cases whose names contain the text
//   latency --repeat N [--only TEXT]      only makes the kernels N times in this process, for profilers
// Expression to C, for one sparse operand, with a sparse vector, for all pairs of csr, csc, coo and dcsr
// entry by entry and as a product, for triangles, for compressed fibers of order 3 against themselves, and
// the worst cases that are known (long chains, a thousand factors), with the budget that the tool has: in a
// fresh process, and once more in the same process ("warm"). "z3" is a question after these that only Z3 can
// answer: a kernel that needs one pays for Z3's beginning in "fresh". Then whole processes: the tool's
// --help, and `run` with a kernel that the cache on disk has. (From C to a callable function: build_latency.)
// The targets are printed with the results.

#include "files/file.h"
#include "kernel.h"
#include "prove/prover.h"
#include "report.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <map>
#include <spawn.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace {

using namespace unravel;

struct Case {
  std::string expression;
  std::map<std::string, std::string> formats;
  std::string worst = {}; // of a worst case: its name

  std::string group() const {
    if (!worst.empty()) return "worst cases";
    if (expression.find("i,j,k") != std::string::npos) return "order 3";
    if (expression.find('k') != std::string::npos) return formats.size() > 1 ? "products" : "triangles";
    if (formats.count("x")) return "sparse vectors";
    return formats.size() > 1 ? "pairs" : "one sparse operand";
  }
  std::string name() const {
    if (!worst.empty()) return worst;
    std::string text = expression;
    for (const auto &[tensor, format] : formats)
      text += fmt::format(" {}={}", tensor, format);
    return text;
  }
};

/// CPU time that is wanted at most, in milliseconds.
const std::map<std::string, double> targets{
    {"one sparse operand", 20}, {"sparse vectors", 10}, {"pairs", 30},        {"products", 50},
    {"triangles", 50},          {"order 3", 50},        {"worst cases", 2000}};

/// `Y(i,l) = A(i,j) * B(j,k) * C(k,l)`, for three of a layout.
Case chain(std::size_t length, const std::string &format) {
  const std::string indices = "ijklmno";
  Case made{fmt::format("Y(i,{})=", indices[length]), {}, fmt::format("chain of {} {}", length, format)};
  for (std::size_t k = 0; k < length; ++k) {
    const std::string tensor(1, static_cast<char>('A' + k));
    made.expression += fmt::format("{}{}({},{})", k == 0 ? "" : "*", tensor, indices[k], indices[k + 1]);
    made.formats.emplace(tensor, format);
  }
  return made;
}

/// A product of so many factors; `#` in a factor is its number.
Case product(std::size_t factors, const std::string &factor,
             const std::map<std::string, std::string> &formats) {
  Case made{"y(i)=", formats, fmt::format("{} factors {}", factors, factor)};
  for (std::size_t k = 0; k < factors; ++k) {
    std::string one = factor;
    if (auto place = one.find('#'); place != std::string::npos) one.replace(place, 1, std::to_string(k));
    made.expression += (k == 0 ? "" : "*") + one;
  }
  return made;
}

std::vector<Case> cases(const std::string &only) {
  const std::vector<std::string> formats{"csr", "csc", "coo", "dcsr"};
  std::vector<Case> all;
  for (const std::string &a : formats)
    all.push_back({"y(i)=A(i,j)*x(j)", {{"A", a}}});
  for (const std::string expression : {"s=A(i,j)*B(i,j)", "y(i)=A(i,j)*B(i,j)", "C(i,j)=A(i,k)*B(k,j)"})
    for (const std::string &a : formats)
      for (const std::string &b : formats)
        all.push_back({expression, {{"A", a}, {"B", b}}});
  for (const std::string &a : formats)
    all.push_back({"y(i)=A(i,j)*x(j)", {{"A", a}, {"x", "sv"}}});
  all.push_back({"t=L(i,j)*L(j,k)*L(i,k)", {{"L", "csr"}}});
  all.push_back({"s=A(i,j,k)*B(i,j,k)", {{"A", "csf3"}, {"B", "csf3"}}});
  for (std::size_t length : {4, 6})
    all.push_back(chain(length, "csb<64>"));
  all.push_back(chain(4, "symmetric_csr"));
  all.push_back(product(1000, "x(i)", {}));
  all.push_back(product(1000, "x#(i)", {}));
  all.push_back(product(60, "A(i,j)", {{"A", "csr"}})); // 64 variables are planned for
  std::erase_if(all, [&](const Case &each) { return each.name().find(only) == std::string::npos; });
  return all;
}

/// Milliseconds, by what was timed: "z3", "fresh", "warm", with " cpu" after it the CPU time instead, and
/// "fresh: " or "warm: " with a stage.
using Times = std::map<std::string, double>;

/// Comparisons that are no differences of two variables: only Z3 can tell.
void question_for_z3() {
  term::Term x = term::variable("x");
  term::Term y = term::variable("y");
  prove::Prover prover({});
  term::Term z = term::variable("z");
  prover.refute("first", "", {term::less(x, y + y), term::less(y + y, z), term::less(z, x)});
}

void make(const Case &one, const std::string &label, Times &times) {
  pipeline::Request request;
  request.expression = one.expression;
  request.formats = one.formats;
  request.budget = 2; // as the tool's
  double cpu = bench::cpu_milliseconds();
  bench::Clock clock;
  pipeline::Compilation compilation = pipeline::compile(request);
  bench::Clock emission;
  std::string text = emit::emit_in_process(compilation.program);
  times[label + ": emission"] = emission.milliseconds();
  times[label] = clock.milliseconds();
  times[label + " cpu"] = bench::cpu_milliseconds() - cpu;
  for (const pipeline::Stage &stage : compilation.stages)
    times[label + ": " + stage.name] += stage.milliseconds;
}

std::string in_fresh_process(const std::function<std::string()> &work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    int code = 1;
    try {
      std::string text = work();
      code = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1;
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(code);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the process that measures failed");
  return text;
}

Times measure(const Case &one) {
  std::string text = in_fresh_process([&] {
    Times times;
    make(one, "fresh", times);
    make(one, "warm", times);
    bench::Clock clock;
    question_for_z3();
    times["z3"] = clock.milliseconds();
    std::string lines;
    for (const auto &[what, milliseconds] : times)
      lines += fmt::format("{} {}\n", milliseconds, what);
    return lines;
  });
  Times times;
  std::istringstream lines(text);
  double milliseconds = 0;
  for (std::string what; lines >> milliseconds && std::getline(lines >> std::ws, what);)
    times[what] = milliseconds;
  return times;
}

using Samples = std::map<std::string, std::vector<double>>;

const std::string wall_clock = bench::unit_of(bench::Timing::wall),
                  both_clocks = "ms of wall clock and of CPU time (cpu)";

/// The stages of the compiler: the cases' medians.
void report_stages(bench::Report &report, const std::vector<Samples> &samples, const std::string &label) {
  std::map<std::string, std::vector<double>> by_stage;
  for (const Samples &one : samples)
    for (const auto &[what, values] : one)
      if (what.starts_with(label + ": "))
        by_stage[what.substr(label.size() + 2)].push_back(bench::median(values));
  bench::Table &table =
      report.table("stages " + label, "Stages of the compiler over all cases, " + label, wall_clock, 1);
  for (const auto &[stage, values] : by_stage) {
    table.row(stage);
    table.figure("median", bench::median(values));
    table.figure("greatest", *std::max_element(values.begin(), values.end()));
    table.print_row();
  }
  report.finish(table);
}

void expressions_to_c(bench::Report &report, int runs, const std::string &only) {
  std::vector<Case> all = cases(only);
  std::vector<Samples> samples(all.size());
  // Round by round, so that a slow spell of the machine doesn't hit one case only.
  for (int run = 0; run < runs; ++run)
    for (std::size_t k = 0; k < all.size(); ++k)
      for (const auto &[what, milliseconds] : measure(all[k]))
        samples[k][what].push_back(milliseconds);
  for (const auto &[group, wanted] : targets) {
    if (std::none_of(all.begin(), all.end(), [&](const Case &one) { return one.group() == group; })) continue;
    bench::Table &table =
        report.table(group, fmt::format("Expression to C, {}, medians of {} fresh processes", group, runs),
                     both_clocks, 1);
    for (const char *column : {"fresh cpu", "warm cpu"})
      table.expect(column, bench::Better::lower, {{bench::Statistic::greatest, wanted}});
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k].group() != group) continue;
      table.row(all[k].name());
      for (const char *column : {"z3", "fresh", "fresh cpu", "warm", "warm cpu"})
        table.figure(column, bench::median(samples[k][column]));
      table.print_row();
    }
    report.finish(table);
  }
  report_stages(report, samples, "fresh");
  report_stages(report, samples, "warm");
}

/// Wall clock and CPU time of a program that is started, in milliseconds.
std::pair<double, double> time_process(const std::vector<std::string> &words) {
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  bench::Clock clock;
  pid_t child = 0;
  rusage used{};
  int status = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  if (status == 0) wait4(child, &status, 0, &used);
  double milliseconds = clock.milliseconds();
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) throw std::runtime_error(fmt::format("`{}` failed", fmt::join(words, " ")));
  auto of = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3;
  };
  return {milliseconds, of(used.ru_utime) + of(used.ru_stime)};
}

/// A sorted list of coordinates, as a user's layout.
std::string coordinate_list(int order) {
  std::string coordinates, names, arrays, conditions, ranges, keys;
  for (int k = 0; k < order; ++k) {
    const char *comma = k == 0 ? "" : ", ";
    coordinates += fmt::format("{}i{}: N{}", comma, k, k);
    names += fmt::format("{}i{}", comma, k);
    arrays += fmt::format("{}c{}[NNZ]", comma, k);
    conditions += fmt::format(" and i{0} = c{0}(p)", k);
    ranges += fmt::format("property range c{0} in [0, N{0});\n", k);
    keys += fmt::format("{}c{}", comma, k);
  }
  return fmt::format("layout list({}) {{\nindex {};\ncount NNZ;\nvalue val[NNZ];\n"
                     "stored {{ [p] -> [{}] : 0 <= p < NNZ{} }} at val(p);\n{}"
                     "property strictly increasing ({});\n}}\n",
                     coordinates, arrays, names, conditions, ranges, keys);
}

void whole_processes(bench::Report &report, const std::string &tool, int runs) {
  struct Command {
    std::string name;
    std::vector<std::string> words;
    std::vector<double> walls = {}, cpus = {};
  };
  files::PrivateFolder folder;
  setenv("UNRAVEL_CACHE_DIR", folder.path().c_str(), 1);
  const std::string list = (std::filesystem::path(folder.path()) / "list.layout").string();
  std::ofstream(list) << coordinate_list(20);
  std::vector<Command> commands{
      {"unravel --help", {tool, "--help"}},
      {"layout check, order 20", {tool, "layout", "check", list}},
      {"unravel run, SpMV, cached",
       {tool, "run", "y(i)=A(i,j)*x(j)", "-f", "A=csr", "-i", "A=poisson2d:10x10", "-i", "x=random"}},
      {"unravel run, pair, cached",
       {tool, "run", "s=A(i,j)*B(i,j)", "-f", "A=csr", "-f", "B=csr", "-i", "A=poisson2d:10x10", "-i",
        "B=poisson2d:10x10"}}};
  for (const Command &command : commands)
    time_process(command.words); // fills the cache
  for (int run = 0; run < runs; ++run)
    for (Command &command : commands) {
      auto [wall, cpu] = time_process(command.words);
      command.walls.push_back(wall);
      command.cpus.push_back(cpu);
    }
  auto table_of = [&](const std::string &name, const std::string &title, double wanted,
                      const std::vector<Command> &part) {
    bench::Table &table =
        report.table(name, fmt::format("{}, medians of {} runs", title, runs), both_clocks, 1);
    table.expect("cpu", bench::Better::lower, {{bench::Statistic::greatest, wanted}});
    for (const Command &command : part) {
      table.row(command.name);
      table.figure("wall clock", bench::median(command.walls));
      table.figure("cpu", bench::median(command.cpus));
      table.print_row();
    }
    report.finish(table);
  };
  table_of("help", "The whole process, nothing compiled", 30, {commands[0]});
  table_of("check", "The whole process, a layout of order 20 is checked", 1000, {commands[1]});
  table_of("cached", "The whole process, a cached kernel", 25, {commands[2], commands[3]});
}

/// For profilers: every kernel is made again and again in this process.
void repeat(int times, const std::string &only) {
  Times ignored;
  for (int k = 0; k < times; ++k)
    for (const Case &one : cases(only))
      make(one, "repeated", ignored);
}

} // namespace

int main(int count, char **arguments) try {
  std::string only = bench::option(count, arguments, "only", "");
  if (int times = std::atoi(bench::option(count, arguments, "repeat", "0").c_str()); times > 0) {
    repeat(times, only);
    return 0;
  }
  bench::Report report(count, arguments, "bench_latency");
  const char *few = bench::has_option(count, arguments, "quick") ? "3" : "9";
  int runs = std::max(1, std::atoi(bench::option(count, arguments, "runs", few).c_str()));
  std::string beside = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "unravel").string();
  std::string tool = bench::option(count, arguments, "tool", beside);
  expressions_to_c(report, runs, only);
  if (std::filesystem::exists(tool))
    whole_processes(report, tool, 2 * runs + 1);
  else
    fmt::print("whole processes are not measured: there is no `{}`\n", tool);
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
