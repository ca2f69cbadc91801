// Packing from coordinates in no order, int32 indices and f64 values: CSR against Eigen's setFromTriplets,
// other layouts against our CSR, and CSR to CSC against Eigen's transpose.
//   packing [--data FOLDER] [--rounds N] [--quick] [--json FILE]
//   packing --turns FOLDER     for pack_csr.py: writes each input's .npy files to the folder, packs when told
// Targets: CSR no slower than Eigen and SciPy (geometric mean), others within 2x of CSR, conversion
// within 1.2x.

#include "convert/convert.h"
#include "convert/entry_tree.h"
#include "convert/pack.h"
#include "data/generate.h"
#include "data/npy.h"
#include "kernel.h"
#include "report.h"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <thread>

namespace {

using namespace unravel;
using EigenRows = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
using EigenColumns = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

/// The same entries in no order, as they come from a mesh or a measurement.
data::Coordinates shuffled(const data::Coordinates &matrix) {
  std::vector<std::size_t> order(matrix.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    order[k] = k;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(5));
  data::Coordinates result(matrix.shape);
  result.resize(matrix.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::size_t mode = 0; mode < 2; ++mode)
      result.index[mode][k] = matrix.index[mode][order[k]];
    result.value[k] = matrix.value[order[k]];
  }
  return result;
}

std::size_t diagonals(const data::Coordinates &matrix) {
  std::vector<bool> seen(static_cast<std::size_t>(matrix.shape[0] + matrix.shape[1]));
  for (std::size_t e = 0; e < matrix.size(); ++e)
    seen[static_cast<std::size_t>(matrix.index[1][e] - matrix.index[0][e] + matrix.shape[0])] = true;
  return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
}

std::size_t longest_row(const data::Coordinates &matrix) {
  std::vector<std::size_t> length(static_cast<std::size_t>(matrix.shape[0]));
  for (std::int64_t row : matrix.index[0])
    ++length[static_cast<std::size_t>(row)];
  return *std::max_element(length.begin(), length.end());
}

/// Whether the layout's arrays are not much longer than the entries are many.
bool suits(const std::string &layout, const data::Coordinates &matrix) {
  auto slots = [&](std::size_t per_row) {
    return static_cast<double>(per_row) * static_cast<double>(matrix.shape[0]);
  };
  double most = 3 * static_cast<double>(matrix.size());
  if (layout == "dia") return slots(diagonals(matrix)) <= most;
  if (layout == "ell") return slots(longest_row(matrix)) <= most;
  return true;
}

/// One way to make something of the input; what it is given is copied before the clock runs.
struct Way {
  std::string name;
  std::function<double()> milliseconds;
};

template <class Work> double timed(Work work) {
  bench::Clock clock;
  work();
  return clock.milliseconds();
}

Way packing(const std::string &name, const std::string &layout_text, const data::Coordinates &entries) {
  layout::Layout layout = bench::pack_as(layout_text, data::Coordinates(entries.shape)).layout;
  return {name, [layout, plan = packing::plan_packing(layout), &entries] {
            data::Coordinates copy = entries;
            std::optional<tensor::Tensor> packed;
            return timed([&] { packed = convert::pack(layout, plan, std::move(copy)); });
          }};
}

/// The same by a kernel that is made for `B(i,j) = A(i,j)`, on all cores; the entries in no order are A.
/// `from`: A's layout.
struct GeneratedWay {
  tensor::Tensor from, to;
  std::unique_ptr<bench::BoundKernel> kernel;

  GeneratedWay(const std::string &from_layout, const std::string &to_layout, const data::Coordinates &entries)
      : from(bench::pack_as(from_layout, entries)),
        to(bench::pack_as(to_layout, data::Coordinates(entries.shape))) {
    pipeline::Request request;
    request.expression = "B(i,j) = A(i,j)";
    request.formats = {{"A", from_layout}, {"B", to_layout}};
    request.counts = bench::counts({{"A", &from}});
    kernel = std::make_unique<bench::BoundKernel>(
        request, std::map<std::string, tensor::Tensor *>{{"A", &from}, {"B", &to}});
    kernel->set_threads(static_cast<int>(std::thread::hardware_concurrency()));
  }
};

Way generated(const std::string &name, std::shared_ptr<GeneratedWay> way) {
  return {name, [way = std::move(way)] { return timed([&] { (*way->kernel)(); }); }};
}

Way converting(const std::string &name, const std::string &from_layout, const std::string &to_layout,
               const data::Coordinates &entries) {
  const auto from = std::make_shared<tensor::Tensor>(bench::pack_as(from_layout, entries));
  const layout::Layout to = bench::pack_as(to_layout, data::Coordinates(entries.shape)).layout;
  return {name, [from, to, plan = packing::plan_packing(to), scan = convert::plan_tree(from->layout)] {
            std::optional<convert::Conversion> converted;
            return timed([&] { converted = convert::convert(*from, scan, to, plan); });
          }};
}

std::vector<double> medians_of_ratios(const std::vector<std::vector<double>> &times, std::size_t by) {
  std::vector<double> result;
  for (const std::vector<double> &way : times) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < way.size(); ++round)
      ratios.push_back(way[round] / times[by][round]);
    result.push_back(bench::median(ratios));
  }
  return result;
}

/// `times[way][round]`; in each round another way begins.
std::vector<std::vector<double>> take_turns(const std::vector<Way> &ways, int rounds) {
  std::vector<std::vector<double>> times(ways.size());
  for (int round = -1; round < rounds; ++round) // the first one warms up
    for (std::size_t k = 0; k < ways.size(); ++k) {
      std::size_t way = (k + static_cast<std::size_t>(round + 1)) % ways.size();
      double time = ways[way].milliseconds();
      if (round >= 0) times[way].push_back(time);
    }
  return times;
}

/// Packing and conversion, by this library and by kernels that Unravel makes.
void measure_generated(const bench::Input &input, int rounds, bench::Table &table) {
  const data::Coordinates entries = shuffled(input.matrix);
  std::vector<Way> ways;
  std::vector<std::string> names;
  for (const char *layout : {"csr", "csc", "coo", "dcsr", "bcsr<3,3>"}) {
    ways.push_back(packing("", layout, entries));
    ways.push_back(generated("", std::make_shared<GeneratedWay>("coo_unsorted", layout, entries)));
    names.push_back(layout);
  }
  for (const auto &[from, to] : std::vector<std::pair<std::string, std::string>>{
           {"csr", "csc"}, {"csr", "coo"}, {"csr", "bcsr<3,3>"}, {"csc", "dcsr"}}) {
    ways.push_back(converting("", from, to, entries));
    ways.push_back(generated("", std::make_shared<GeneratedWay>(from, to, entries)));
    names.push_back(from + " to " + to);
  }
  const std::vector<std::vector<double>> times = take_turns(ways, rounds);
  table.row(input.name, entries.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < times[2 * k].size(); ++round)
      ratios.push_back(times[2 * k + 1][round] / times[2 * k][round]);
    table.figure(names[k], bench::median(times[2 * k]));
    table.ratio("kernel, " + names[k], bench::median(ratios));
  }
  table.print_row();
}

void measure(const bench::Input &input, int rounds, bench::Table &table) {
  data::Coordinates entries = shuffled(input.matrix);
  std::vector<Eigen::Triplet<double, int>> triplets;
  for (std::size_t e = 0; e < entries.size(); ++e)
    triplets.emplace_back(static_cast<int>(entries.index[0][e]), static_cast<int>(entries.index[1][e]),
                          entries.value[e]);
  std::vector<Way> ways{packing("csr", "csr", entries)};
  ways.push_back({"Eigen", [&] {
                    EigenRows matrix(entries.shape[0], entries.shape[1]);
                    return timed([&] { matrix.setFromTriplets(triplets.begin(), triplets.end()); });
                  }});
  for (const auto &[name, layout] : std::vector<std::pair<std::string, std::string>>{
           {"coo", "coo"}, {"bcsr", "bcsr<3,3>"}, {"dia", "dia"}, {"ell", "ell"}, {"sell", "sell<8>"}})
    if (suits(name, entries)) ways.push_back(packing(name, layout, entries));

  tensor::Tensor csr = bench::pack_as("csr", entries);
  layout::Layout csc = bench::pack_as("csc", data::Coordinates(entries.shape)).layout;
  packing::PackPlan plan = packing::plan_packing(csc);
  std::optional<convert::TreePlan> scan = convert::plan_tree(csr.layout);
  std::size_t converting = ways.size();
  ways.push_back({"to csc", [&] {
                    std::optional<convert::Conversion> converted;
                    return timed([&] { converted = convert::convert(csr, scan, csc, plan); });
                  }});
  EigenRows rows(entries.shape[0], entries.shape[1]);
  rows.setFromTriplets(triplets.begin(), triplets.end());
  ways.push_back({"Eigen to csc", [&] {
                    EigenColumns columns;
                    return timed([&] { columns = rows; });
                  }});

  const std::vector<std::vector<double>> times = take_turns(ways, rounds);
  std::vector<double> to_csr = medians_of_ratios(times, 0), to_eigen = medians_of_ratios(times, 1),
                      to_transpose = medians_of_ratios(times, ways.size() - 1);
  table.row(input.name, entries.size());
  for (std::size_t k = 0; k < ways.size(); ++k)
    table.figure(ways[k].name, bench::median(times[k]));
  table.ratio("csr / Eigen", to_eigen[0]);
  for (std::size_t k = 2; k < converting; ++k)
    table.ratio(ways[k].name + " / csr", to_csr[k]);
  table.ratio("csr to csc / Eigen", to_transpose[converting]);
  table.print_row();
}

/// The other half of pack_csr.py: a line per input; after that "pack" is answered with milliseconds, until
/// "next".
void answer_turns(const std::vector<bench::Input> &inputs, const std::string &folder) {
  for (const bench::Input &input : inputs) {
    data::Coordinates entries = shuffled(input.matrix);
    data::write_npy(folder + "/row.npy", data::Array::of(entries.index[0]));
    data::write_npy(folder + "/column.npy", data::Array::of(entries.index[1]));
    data::write_npy(folder + "/value.npy", data::Array::of(entries.value));
    Way csr = packing("csr", "csr", entries);
    fmt::print("{}\t{}\t{}\n", input.name, entries.shape[0], entries.shape[1]);
    std::fflush(stdout);
    for (std::string word; std::getline(std::cin, word) && word == "pack";) {
      fmt::print("{}\n", csr.milliseconds());
      std::fflush(stdout);
    }
  }
}

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  bench::Report report(count, arguments, "bench_packing");
  bool quick = bench::has_option(count, arguments, "quick");
  int rounds = std::max(1, std::atoi(bench::option(count, arguments, "rounds", quick ? "5" : "9").c_str()));
  std::vector<std::string> generators{"poisson2d:500x500", "fem:8000,block=3", "rmat:scale=16,edges=16",
                                      "banded:100000,width=8"};
  if (!quick)
    generators.insert(generators.end(),
                      {"poisson3d:60x60x60", "banded:200000,width=8", "random:200000x200000,entries=1600000",
                       "random:20000x20000,entries=400000", "hypersparse:1000000,rows=60000,edges=4"});
  std::vector<bench::Input> inputs =
      bench::matrices(bench::data_folder(count, arguments), generators, 50000, INT32_MAX);
  if (std::string to = bench::option(count, arguments, "turns", ""); !to.empty()) {
    answer_turns(inputs, to);
    return 0;
  }
  bench::Table &table =
      report.table("packing", "Packing from coordinates in no order", bench::unit_of(bench::Timing::wall),
                   static_cast<int>(std::thread::hardware_concurrency()));
  using bench::Better, bench::Statistic;
  table.expect("csr / Eigen", Better::lower, {{Statistic::mean, 1}});
  for (const char *layout : {"coo", "bcsr", "dia", "ell", "sell"})
    table.expect(fmt::format("{} / csr", layout), Better::lower, {{Statistic::mean, 2}});
  table.expect("csr to csc / Eigen", Better::lower, {{Statistic::mean, 1.2}});
  for (const bench::Input &input : inputs)
    measure(input, rounds, table);
  report.finish(table);
  bench::Table &kernels = report.table(
      "packing_by_kernels", "Packing and conversion: kernels of B(i,j) = A(i,j) against the library's own",
      bench::unit_of(bench::Timing::wall), static_cast<int>(std::thread::hardware_concurrency()));
  for (const bench::Input &input : inputs)
    measure_generated(input, rounds, kernels);
  report.finish(kernels);
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
