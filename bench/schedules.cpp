// Tilings of SpMM and SDDMM against the untiled loops, all by Unravel; with --loops, loops unrolled, jammed
// and vectorised against the loops that Unravel makes by itself (width 16, or K).
//   schedules [--kernels spmm,sddmm,spmv] [--threads 1|2] [--data FOLDER] [--width K] [--budget MS] [--quick]
//             [--loops]
// The ratio is the untiled time by the tiled one: above 1 the tiles pay. FOLDER: of .mtx files; also
// $UNRAVEL_DATA. Only matrices whose dense operand B exceeds 2 MiB. "one tile": a tile as large as the mode,
// what the guards cost.

#include "contest.h"
#include "kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
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

std::vector<Schedule> schedules(std::int64_t columns) {
  std::vector<Schedule> result = {{"untiled", "", {}}};
  for (std::int64_t size : {1024, 4096, 16384})
    if (size < columns)
      for (const char *find : {"seq", "binary"})
        result.push_back({fmt::format("{} {}", size, find),
                          fmt::format("tile j by {}", size),
                          {fmt::format("A.p={}", find)}});
  result.push_back({"one tile", fmt::format("tile j by {}", columns), {}});
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
  tensor::Tensor made = bench::pack_as("dense", tensor::Coordinates(std::move(shape)));
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
             bool loops) {
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
  for (const Schedule &schedule : loops ? loop_schedules(kernel.name, width) : schedules(columns)) {
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
  bench::Standings standings =
      bench::compare(contestants, threads > 1 ? bench::Timing::wall : bench::Timing::cpu, budget);
  fmt::print("{:<6} {:<36} {:>9.3f} ms", kernel.name, input.name, standings.milliseconds(0));
  for (std::size_t k = 1; k < contestants.size(); ++k)
    fmt::print(fmt::runtime(loops ? "\n    {1:>6.2f}  {0}" : "  {0} {1:.2f}"), contestants[k].name,
               standings.ratio(0, k));
  fmt::print("\n");
  std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  const char *environment = std::getenv("UNRAVEL_DATA");
  std::string folder = bench::option(count, arguments, "data", environment ? environment : "");
  const bool loops = bench::has_option(count, arguments, "loops");
  std::int64_t width =
      std::max(1, std::atoi(bench::option(count, arguments, "width", loops ? "16" : "32").c_str()));
  int threads = std::clamp(std::atoi(bench::option(count, arguments, "threads", "1").c_str()), 1, 64);
  double budget = std::max(1, std::atoi(bench::option(count, arguments, "budget", "1500").c_str()));
  std::string wanted = "," + bench::option(count, arguments, "kernels", "spmm,sddmm") + ",";
  std::vector<std::string> generators = {"random:50000x50000,entries=1000000"};
  if (!bench::has_option(count, arguments, "quick"))
    generators.insert(generators.end(),
                      {"random:20000x200000,entries=4000000", "rmat:scale=17,edges=16", "fem:30000,block=3"});
  else
    folder.clear();
  for (const Kernel &kernel : kernels) {
    if (wanted.find("," + kernel.name + ",") == std::string::npos) continue;
    for (const bench::Input &input : bench::matrices(folder, generators, 50000, INT32_MAX))
      if (kernel.name == "spmv" || input.matrix.shape[1] * width * 8 > (2 << 20))
        measure(kernel, input, width, threads, budget, loops);
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
