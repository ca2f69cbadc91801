// Tilings of SpMM and SDDMM against the untiled loops, all by Unravel; with --loops, loops unrolled, jammed
// and vectorised against the loops that Unravel makes by itself (width 16, or K).
//   schedules [--kernels spmm,sddmm,spmv] [--threads 1|2] [--data FOLDER] [--width K] [--budget MS] [--quick]
//             [--loops] [--also SCHEDULE] [--json FILE]
// The ratio is the untiled time by the tiled one: above 1 the tiles pay. FOLDER: of .mtx files; also
// $UNRAVEL_DATA. Only matrices whose dense operand B exceeds 2 MiB. "one tile": a tile as large as the mode,
// what the guards cost. --also: all have this as well, the untiled loops too ("jam A.p by 4; vectorise r").
//   schedules --sharing [--threads 2] ...
// SpMV with its rows shared out in each way: times faster than on one thread. Matrices as they are, and with
// their rows sorted by length, so that pieces of equally many rows are far from equal. "at most": what static
// pieces can give, as the one with most entries has so many.

#include "kernel.h"
#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <sstream>

namespace {

using namespace unravel;

struct Kernel {
  std::string name, expression;
  std::map<std::string, std::string> formats;
};

const std::vector<Kernel> kernels = {
    {"spmv", "y(i) = A(i,j) * x(j)", {{"A", "csr"}}},
    {"spmm", "Y(i,r) = A(i,j) * B(j,r)", {{"A", "csr"}}},
    {"sddmm", "D(i,j) = A(i,j) * X(i,r) * B(j,r)", {{"A", "csr"}, {"D", "like:A"}}},
};

struct Schedule {
  std::string name, text;
  std::vector<std::string> finds;
};

const std::string one_tile = "one tile";
/// What is asked of it: the guards cost little.
const std::vector<bench::Target> guards = {{bench::Statistic::least, 0.95}};

std::vector<Schedule> schedules(std::int64_t columns, const std::string &also) {
  std::vector<Schedule> result = {{"untiled", also, {}}};
  for (std::int64_t size : {4096, 16384, 32768})
    if (size < columns)
      for (const char *find : {"seq", "binary"})
        result.push_back({fmt::format("{} {}", size, find),
                          fmt::format("tile j by {}; {}", size, also),
                          {fmt::format("A.p={}", find)}});
  result.push_back({one_tile, fmt::format("tile j by {}; {}", columns, also), {"A.p=seq"}});
  return result;
}

/// What users ask for of the loops over entries (A.p) and over the dense mode (r).
std::vector<Schedule> loop_schedules(const std::string &kernel, std::int64_t width) {
  const std::string bound = fmt::format("bound r = {}; ", width);
  std::vector<std::string> texts = {"jam A.p by 2", "jam A.p by 4", "vectorise r",
                                    "jam A.p by 4; vectorise r", "unroll r by 4"};
  if (width <= 64) texts.push_back(bound + "unroll r");
  if (kernel == "spmm") texts.push_back("order i, r, A.p; jam r by 8");
  if (kernel == "spmv") texts = {"unroll A.p by 4", "vectorise A.p", "unroll i by 4"};
  std::vector<Schedule> result = {{"by itself", "", {}}};
  if (kernel != "spmv") result.push_back({bound.substr(0, bound.size() - 2), bound, {}});
  for (const std::string &text : texts)
    result.push_back({text, text, {}});
  return result;
}

/// A matrix or a vector without zeros.
tensor::Tensor full(std::vector<std::int64_t> shape) {
  tensor::Tensor made = bench::pack_as("dense", data::Coordinates(std::move(shape)));
  auto values = made.array("val").as<double>();
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = 0.5 + static_cast<double>(k * 2654435761u % 1024) / 1024;
  return made;
}

bool agree(const std::vector<double> &a, const std::vector<double> &b) {
  double largest = 1e-300, off = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max(largest, std::abs(a[k]));
    off = std::max(off, std::abs(a[k] - b[k]));
  }
  return a.size() == b.size() && off / largest < 1e-10;
}

void measure(const Kernel &kernel, const bench::Input &input, std::int64_t width, int threads, double budget,
             bool loops, const std::string &also, bench::Table &table) {
  std::int64_t rows = input.matrix.shape[0], columns = input.matrix.shape[1];
  tensor::Tensor A = bench::pack_as("csr", input.matrix);
  std::map<std::string, tensor::Tensor> dense;
  if (kernel.name == "spmv") {
    dense.emplace("x", full({columns}));
    dense.emplace("y", full({rows}));
  } else {
    dense.emplace("B", full({columns, width}));
    if (kernel.name == "spmm") dense.emplace("Y", full({rows, width}));
    if (kernel.name == "sddmm") dense.emplace("X", full({rows, width}));
  }
  tensor::Tensor D = A;
  std::map<std::string, tensor::Tensor *> tensors = {{"A", &A}};
  for (auto &[name, tensor] : dense)
    tensors[name] = &tensor;
  if (kernel.name == "sddmm") tensors["D"] = &D;
  tensor::Tensor &result = kernel.name == "sddmm" ? D : dense.at(kernel.name == "spmm" ? "Y" : "y");

  std::map<std::string, const tensor::Tensor *> known(tensors.begin(), tensors.end());
  std::vector<std::unique_ptr<bench::BoundKernel>> bound;
  std::vector<bench::Contestant> contestants;
  for (const Schedule &schedule : loops ? loop_schedules(kernel.name, width) : schedules(columns, also)) {
    pipeline::Request request;
    request.expression = kernel.expression;
    request.formats = kernel.formats;
    if (!schedule.text.empty()) request.schedules = {schedule.text};
    request.finds = schedule.finds;
    request.counts = bench::counts(known);
    bound.push_back(std::make_unique<bench::BoundKernel>(request, tensors));
    bench::BoundKernel &made = *bound.back();
    made.set_threads(threads);
    contestants.push_back({schedule.name, [&made] { made(); },
                           [&result] {
                             auto values = result.array("val").as<double>();
                             return std::vector<double>(values.begin(), values.end());
                           }});
  }
  std::vector<double> expected;
  for (const bench::Contestant &contestant : contestants) {
    contestant.run();
    if (expected.empty())
      expected = contestant.result();
    else if (!agree(expected, contestant.result())) {
      std::fprintf(stderr, "%s: the results of `%s` differ\n", kernel.name.c_str(), contestant.name.c_str());
      std::exit(1);
    }
  }
  bench::Standings standings = bench::compare(contestants, bench::timing_of(threads), budget, 1);
  table.row(input.name, input.matrix.size());
  double best_tiles = 0;
  for (std::size_t k = 0; k < contestants.size(); ++k) {
    const std::string &name = contestants[k].name;
    table.figure(name, standings.milliseconds(k));
    if (k == 0) continue;
    const std::string ratio = fmt::format("{} / {}", contestants[0].name, name);
    table.expect(ratio, bench::Better::higher, name == one_tile ? guards : std::vector<bench::Target>());
    table.ratio(ratio, standings.ratio(0, k));
    if (!loops && name != one_tile) best_tiles = std::max(best_tiles, standings.ratio(0, k));
  }
  if (best_tiles > 0) table.ratio("untiled / best tiles", best_tiles);
  table.print_row();
}

/// The rows with most entries first.
data::Coordinates sorted_by_length(const data::Coordinates &matrix) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(matrix.shape[0]));
  for (std::size_t k = 0; k < matrix.size(); ++k)
    ++lengths[static_cast<std::size_t>(matrix.index[0][k])];
  std::vector<std::int64_t> rows(lengths.size()), place(lengths.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
    return lengths[static_cast<std::size_t>(a)] > lengths[static_cast<std::size_t>(b)];
  });
  for (std::size_t k = 0; k < rows.size(); ++k)
    place[static_cast<std::size_t>(rows[k])] = static_cast<std::int64_t>(k);
  data::Coordinates sorted(matrix.shape);
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    std::vector<std::int64_t> at = matrix.coordinate(k);
    at[0] = place[static_cast<std::size_t>(at[0])];
    sorted.append(at, matrix.value[k]);
  }
  return sorted;
}

/// All entries by those of the piece with most, where each thread has equally many rows.
double most_by_rows(const tensor::Tensor &csr, int threads) {
  auto pointers = csr.array("rowptr").as<std::int32_t>();
  std::size_t rows = pointers.size() - 1, count = static_cast<std::size_t>(threads);
  std::int64_t most = 1;
  for (std::size_t k = 0; k < count; ++k)
    most = std::max<std::int64_t>(most, pointers[rows * (k + 1) / count] - pointers[rows * k / count]);
  return static_cast<double>(pointers[rows]) / static_cast<double>(most);
}

/// Times faster than on one thread, with pieces of equal work.
constexpr double balanced_target = 1.8;
const std::string where_chunks_are_less = "one thread / balanced, where static is below 1.8";

void measure_sharing(const std::string &name, const data::Coordinates &matrix, int threads, double budget,
                     bench::Table &table) {
  tensor::Tensor A = bench::pack_as("csr", matrix);
  tensor::Tensor x = full({matrix.shape[1]}), y = full({matrix.shape[0]});
  const std::map<std::string, tensor::Tensor *> tensors = {{"A", &A}, {"x", &x}, {"y", &y}};
  const std::map<std::string, const tensor::Tensor *> known(tensors.begin(), tensors.end());
  std::vector<std::unique_ptr<bench::BoundKernel>> bound;
  std::vector<bench::Contestant> contestants;
  for (const char *schedule :
       {"serial", "parallel i static", "parallel i static; chunk 64", "parallel i dynamic",
        "parallel i guided", "parallel i balanced", "fuse i, A.p"}) {
    pipeline::Request request;
    request.expression = kernels[0].expression;
    request.formats = kernels[0].formats;
    request.schedules = {schedule};
    request.counts = bench::counts(known);
    bound.push_back(std::make_unique<bench::BoundKernel>(request, tensors));
    bench::BoundKernel &made = *bound.back();
    contestants.push_back({schedule, [&made, threads] { made.set_threads(threads), made(); },
                           [&y] {
                             auto values = y.array("val").as<double>();
                             return std::vector<double>(values.begin(), values.end());
                           }});
  }
  std::vector<double> expected;
  for (const bench::Contestant &contestant : contestants) {
    contestant.run();
    if (expected.empty()) expected = contestant.result();
    if (agree(expected, contestant.result())) continue;
    std::fprintf(stderr, "the results of `%s` differ\n", contestant.name.c_str());
    std::exit(1);
  }
  bench::Standings standings = bench::compare(contestants, bench::Timing::wall, budget, 1);
  table.row(name, matrix.size());
  table.figure("one thread", standings.milliseconds(0));
  for (std::size_t k = 1; k < contestants.size(); ++k) {
    const std::string ratio = "one thread / " + contestants[k].name;
    table.expect(ratio, bench::Better::higher);
    table.ratio(ratio, standings.ratio(0, k));
  }
  const double balanced = standings.ratio(0, 5), chunks = standings.ratio(0, 1);
  if (chunks < balanced_target) table.ratio(where_chunks_are_less, balanced);
  table.note("static at most", fmt::format("{:.2f}", most_by_rows(A, threads)));
  table.print_row();
}

void measure_sharing(bench::Report &report, const std::string &folder, int threads, double budget,
                     bool quick) {
  bench::Table &table = report.table("sharing", "y = A x, rows shared out, against one thread",
                                     bench::unit_of(bench::Timing::wall), threads);
  table.expect(where_chunks_are_less, bench::Better::higher, {{bench::Statistic::least, balanced_target}});
  std::vector<std::string> generators = {"rmat:scale=17,edges=16", "random:200000x200000,entries=3000000"};
  if (quick) generators.resize(1);
  for (const bench::Input &input : bench::matrices(folder, generators, 300000, INT32_MAX)) {
    measure_sharing(input.name, input.matrix, threads, budget, table);
    measure_sharing(input.name + ", rows by length", sorted_by_length(input.matrix), threads, budget, table);
  }
  report.finish(table);
}

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  bench::Report report(count, arguments, "bench_schedules");
  const std::string folder = bench::data_folder(count, arguments);
  const bool loops = bench::has_option(count, arguments, "loops"),
             quick = bench::has_option(count, arguments, "quick");
  std::int64_t width =
      std::max(1, std::atoi(bench::option(count, arguments, "width", loops ? "16" : "32").c_str()));
  int threads = bench::thread_count(count, arguments, "1");
  double budget =
      std::max(1, std::atoi(bench::option(count, arguments, "budget", quick ? "200" : "1500").c_str()));
  if (bench::has_option(count, arguments, "sharing")) {
    measure_sharing(report, folder, std::max(2, threads), budget, quick);
    return 0;
  }
  std::string wanted = "," + bench::option(count, arguments, "kernels", "spmm,sddmm") + ",";
  const std::string also = bench::option(count, arguments, "also", "");
  std::vector<std::string> generators = {"random:50000x50000,entries=1000000"};
  if (!quick)
    generators.insert(generators.end(),
                      {"random:20000x200000,entries=4000000", "rmat:scale=17,edges=16", "fem:30000,block=3"});
  for (const Kernel &kernel : kernels) {
    if (wanted.find("," + kernel.name + ",") == std::string::npos) continue;
    bench::Table &table =
        report.table(kernel.name + (loops ? " loops" : " tiles"),
                     fmt::format("{}, width {}: {}", kernel.expression, width,
                                 loops ? "loops that are asked for" : "tiles against the untiled loops"),
                     bench::unit_of(bench::timing_of(threads)), threads);
    if (!loops) table.expect("untiled / best tiles", bench::Better::higher, {{bench::Statistic::mean, 1.3}});
    for (const bench::Input &input : bench::matrices(folder, generators, 50000, INT32_MAX))
      if (kernel.name == "spmv" || input.matrix.shape[1] * width * 8 > (2 << 20))
        measure(kernel, input, width, threads, budget, loops, also, table);
    report.finish(table);
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
