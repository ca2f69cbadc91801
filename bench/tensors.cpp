// Kernels with tensors of order 3 and with dense factors, f64, int32, against hand-written ones.
//   tensors [--data FOLDER] [--kernels ttv,ttm,mttkrp,mttkrp4,ttmc,spmm,sddmm,sums,spmspm] [--threads 1|2]
//   [--budget MS] [--quick] [--json FILE]
// FOLDER: of .tns (order 3 and 4) and .mtx files; also $UNRAVEL_DATA. bench/README.md has the targets.

#include "convert/structure.h"
#include "data/generate.h"
#include "kernel.h"
#include "report.h"
#include "tensors_hand.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>

namespace {

using namespace unravel;

struct Options {
  int threads = 1;
  double budget = 300;
  bool quick = false;
};

template <class T> const T *elements(tensor::Tensor &tensor, const char *array) {
  return static_cast<const T *>(tensor.array(array).data());
}

bench::Fibres fibres(tensor::Tensor &csf) {
  return {static_cast<std::int32_t>(csf.array("row").size()),
          elements<std::int32_t>(csf, "row"),
          elements<std::int32_t>(csf, "rowptr"),
          elements<std::int32_t>(csf, "col"),
          elements<std::int32_t>(csf, "fibptr"),
          elements<std::int32_t>(csf, "tube"),
          elements<double>(csf, "val")};
}

bench::Fibres4 fibres_of_4(tensor::Tensor &csf) {
  return {static_cast<std::int32_t>(csf.array("row").size()),
          elements<std::int32_t>(csf, "row"),
          elements<std::int32_t>(csf, "rowptr"),
          elements<std::int32_t>(csf, "col"),
          elements<std::int32_t>(csf, "colptr"),
          elements<std::int32_t>(csf, "tube"),
          elements<std::int32_t>(csf, "fibptr"),
          elements<std::int32_t>(csf, "last"),
          elements<double>(csf, "val")};
}

tensor::Tensor dense(std::vector<std::int64_t> shape) {
  std::size_t count = 1;
  for (std::int64_t extent : shape)
    count *= static_cast<std::size_t>(extent);
  std::vector<double> values(count);
  std::mt19937_64 random(3);
  for (double &value : values)
    value = std::uniform_real_distribution<double>(-1, 1)(random);
  return bench::pack_as("dense", data::from_dense(std::move(shape), values));
}

/// An expression, its operands (filled) and the hand-written programs that fill an array like the result's.
struct Case {
  std::string expression;
  std::map<std::string, std::string> formats;
  std::vector<std::int64_t> shape; // of the result
  std::map<std::string, tensor::Tensor *> operands;
  std::vector<std::pair<std::string, std::function<void(double *)>>> others;
};

/// The result, with the structure of an operand where the formats say so.
tensor::Tensor result_of(const pipeline::Request &request, const Case &of) {
  pipeline::Front front = pipeline::read_request(request);
  const std::string &name = front.computation.tensors[0].name;
  if (front.structure.empty()) return bench::pack_as("dense", data::Coordinates(of.shape));
  return convert::with_structure_of(*of.operands.at(front.structure), front.layouts.at(name), of.shape);
}

double difference(const double *a, const double *b, std::size_t count) {
  double most = 0, largest = 1e-300;
  for (std::size_t k = 0; k < count; ++k) {
    most = std::max(most, std::abs(a[k] - b[k]));
    largest = std::max(largest, std::abs(b[k]));
  }
  return most / largest;
}

const std::string gain = "1 thread / 2 threads";

void measure(const bench::Input &input, Case of, const Options &options, bench::Table &table) {
  pipeline::Request request;
  request.expression = of.expression;
  request.formats = of.formats;
  std::map<std::string, const tensor::Tensor *> data(of.operands.begin(), of.operands.end());
  request.counts = bench::counts(data);
  tensor::Tensor result = result_of(request, of);
  std::map<std::string, tensor::Tensor *> tensors = of.operands;
  tensors[of.expression.substr(0, of.expression.find('('))] = &result;
  bench::BoundKernel ours(request, tensors);

  std::vector<double> buffer(result.array("val").size());
  std::vector<bench::Contestant> contestants{{"ours", [&] { ours(); }, {}}};
  for (auto &[name, run] : of.others)
    contestants.push_back({name, [&run, &buffer] { run(buffer.data()); }, {}});
  ours();
  for (auto &[name, run] : of.others) {
    run(buffer.data());
    double off = difference(result.array("val").as<double>().data(), buffer.data(), buffer.size());
    if (!(off < 1e-10))
      throw std::runtime_error(fmt::format("{}, {}: the results differ by {}", input.name, name, off));
  }
  if (options.threads == 2) {
    auto two = std::make_shared<bench::BoundKernel>(request, tensors);
    // The number is the process's, not the kernel's.
    contestants = {{"1 thread", [&] { ours.set_threads(1), ours(); }, {}},
                   {"2 threads", [two] { two->set_threads(2), (*two)(); }, {}}};
  }
  bench::Standings standings = bench::compare(contestants, bench::timing_of(options.threads), options.budget);
  table.row(input.name, input.matrix.size());
  for (std::size_t k = 0; k < contestants.size(); ++k)
    table.figure(contestants[k].name, standings.milliseconds(k));
  if (options.threads == 2)
    table.ratio(gain, standings.ratio(0, 1));
  else
    for (std::size_t k = 1; k < contestants.size(); ++k)
      table.ratio(contestants[k].name + " / ours", standings.ratio(k, 0));
  table.print_row();
}

/// For one kernel with dense factors of one width, with its targets.
bench::Table &table_of(bench::Report &report, const std::string &kernel, std::int64_t width,
                       const std::string &expression, const Options &options) {
  using bench::Better, bench::Statistic;
  const std::string title = kernel == "ttv" ? expression : fmt::format("{}, width {}", expression, width);
  bench::Table &table = report.table(fmt::format("{} {}", kernel, width), title,
                                     bench::unit_of(bench::timing_of(options.threads)), options.threads);
  if (options.threads == 2) {
    table.expect(gain, Better::higher, {{Statistic::mean, 1.8}});
  } else if (kernel == "mttkrp") {
    for (const char *other : {"TACO / ours", "vectors / ours"})
      table.expect(other, Better::higher);
    table.expect("acc[R] / ours", Better::higher, {{Statistic::mean, 1.5}});
  } else if (kernel == "spmm" || kernel == "sddmm") {
    table.expect("hand / ours", Better::higher, {{Statistic::mean, 1}});
  } else if (kernel == "sums") {
    table.expect("pairwise / ours", Better::higher, {{Statistic::mean, 1.5}});
  } else if (kernel == "mttkrp4" || kernel == "ttmc") {
    table.expect("TACO / ours", Better::higher, {{Statistic::mean, kernel == "ttmc" ? 3.0 : 2.0}});
  } else {
    table.expect("TACO / ours", Better::higher, {{Statistic::mean, 1.5}});
  }
  return table;
}

/// Of that order: the generated ones, and what the folder has.
std::vector<bench::Input> tensors_of_order(std::size_t order, const std::vector<std::string> &generators,
                                           const std::string &folder) {
  std::vector<bench::Input> found;
  for (const std::string &text : generators)
    found.push_back({text, bench::generated(text)});
  bench::for_each_file(folder, ".tns", [&](const std::string &name, data::Coordinates entries) {
    if (entries.order() == order && entries.size() > 10000) found.push_back({name, std::move(entries)});
  });
  return found;
}

void order_3(bench::Report &report, const std::string &kernel, const std::vector<bench::Input> &inputs,
             const Options &options) {
  const std::string expression = kernel == "ttv"    ? "D(i,j) = T(i,j,k) * C(k)"
                                 : kernel == "ttm"  ? "D(i,j,r) = T(i,j,k) * C(k,r)"
                                 : kernel == "ttmc" ? "Y(i,q,r) = T(i,j,k) * B(j,q) * C(k,r)"
                                                    : "Y(i,r) = T(i,j,k) * B(j,r) * C(k,r)";
  std::vector<std::int64_t> widths = kernel == "mttkrp" ? std::vector<std::int64_t>{16, 32, 64}
                                     : kernel == "ttm" || kernel == "ttmc" ? std::vector<std::int64_t>{16, 32}
                                                                           : std::vector<std::int64_t>{1};
  for (std::int64_t width : widths) {
    bench::Table &table = table_of(report, kernel, width, expression, options);
    for (const bench::Input &input : inputs) {
      tensor::Tensor t = bench::pack_as("csf3", input.matrix);
      std::vector<std::int64_t> shape = input.matrix.shape;
      tensor::Tensor c = kernel == "ttv" ? dense({shape[2]}) : dense({shape[2], width});
      tensor::Tensor b = dense({shape[1], width});
      bench::Fibres tree = fibres(t);
      const double *b_val = elements<double>(b, "val"), *c_val = elements<double>(c, "val");
      Case of;
      if (kernel == "ttv") {
        of = {expression,
              {{"T", "csf3"}, {"D", "like:T"}},
              {shape[0], shape[1]},
              {{"T", &t}, {"C", &c}},
              {{"TACO", [=](double *d) { bench::taco_ttv(tree, c_val, d); }}}};
      } else if (kernel == "ttm") {
        of = {expression,
              {{"T", "csf3"}, {"D", "like:T"}},
              {shape[0], shape[1], width},
              {{"T", &t}, {"C", &c}},
              {{"TACO", [=](double *d) { bench::taco_ttm(tree, c_val, width, d); }}}};
      } else if (kernel == "ttmc") {
        std::int64_t lines = shape[0];
        if (lines * width * width > 20'000'000) continue;
        of = {expression,
              {{"T", "csf3"}},
              {lines, width, width},
              {{"T", &t}, {"B", &b}, {"C", &c}},
              {{"TACO", [=](double *y) { bench::taco_ttmc(tree, b_val, c_val, width, lines, y); }}}};
      } else {
        std::int64_t lines = shape[0];
        of = {expression,
              {{"T", "csf3"}},
              {lines, width},
              {{"T", &t}, {"B", &b}, {"C", &c}},
              {{"TACO", [=](double *y) { bench::taco_mttkrp(tree, b_val, c_val, width, lines, y); }},
               {"acc[R]", [=](double *y) { bench::plain_mttkrp(tree, b_val, c_val, width, lines, y); }},
               {"vectors", [=](double *y) { bench::vector_mttkrp(tree, b_val, c_val, width, lines, y); }}}};
      }
      measure(input, of, options, table);
    }
    report.finish(table);
  }
}

void order_4(bench::Report &report, const std::vector<bench::Input> &inputs, const Options &options) {
  const std::string expression = "Y(i,r) = T(i,j,k,l) * B(j,r) * C(k,r) * D(l,r)";
  for (std::int64_t width : {16, 32}) {
    bench::Table &table = table_of(report, "mttkrp4", width, expression, options);
    for (const bench::Input &input : inputs) {
      tensor::Tensor t = bench::pack_as("csf4", input.matrix);
      const std::vector<std::int64_t> shape = input.matrix.shape;
      tensor::Tensor b = dense({shape[1], width}), c = dense({shape[2], width}), d = dense({shape[3], width});
      const bench::Fibres4 tree = fibres_of_4(t);
      const double *b_val = elements<double>(b, "val"), *c_val = elements<double>(c, "val"),
                   *d_val = elements<double>(d, "val");
      const std::int64_t lines = shape[0];
      measure(
          input,
          {expression,
           {{"T", "csf4"}},
           {lines, width},
           {{"T", &t}, {"B", &b}, {"C", &c}, {"D", &d}},
           {{"TACO", [=](double *y) { bench::taco_mttkrp(tree, b_val, c_val, d_val, width, lines, y); }}}},
          options, table);
    }
    report.finish(table);
  }
}

/// C(i,j) = A1(i,j) + A2(i,j) + ..., C dense.
void sums(bench::Report &report, const Options &options) {
  for (int count : {2, 4, 8, 16}) {
    std::string expression;
    for (int k = 1; k <= count; ++k)
      expression += fmt::format("{}A{}(i,j)", k == 1 ? "C(i,j) = " : " + ", k);
    bench::Table &table =
        table_of(report, "sums", count, fmt::format("sums of {} CSR matrices", count), options);
    for (const char *size : {"500x500,density=0.02", "3000x3000,density=0.002", "3000x3000,density=0.02"}) {
      if (options.quick && std::string(size) != "3000x3000,density=0.002") continue;
      std::vector<tensor::Tensor> matrices;
      data::Coordinates entries;
      for (int k = 1; k <= count; ++k) {
        entries = data::generate(data::parse_generator(fmt::format("random:{},seed={}", size, k)));
        matrices.push_back(bench::pack_as("csr", entries));
      }
      Case of;
      of.expression = expression;
      of.shape = matrices[0].shape();
      std::vector<bench::Compressed> views;
      for (int k = 1; k <= count; ++k) {
        tensor::Tensor &matrix = matrices[static_cast<std::size_t>(k - 1)];
        of.formats[fmt::format("A{}", k)] = "csr";
        of.operands[fmt::format("A{}", k)] = &matrix;
        views.push_back(bench::compressed(matrix));
      }
      of.others = {{"pairwise", [views](double *c) { bench::pairwise_sum(views, c); }}};
      measure({fmt::format("random:{}", size), std::move(entries)}, of, options, table);
    }
    report.finish(table);
  }
}

void matrix_kernel(bench::Report &report, const std::string &kernel, const std::vector<bench::Input> &inputs,
                   const Options &options) {
  const std::string expression =
      kernel == "spmm" ? "Y(i,r) = A(i,j) * B(j,r)" : "D(i,j) = A(i,j) * X(i,r) * B(j,r)";
  for (std::int64_t width : {16, 64}) {
    bench::Table &table = table_of(report, kernel, width, expression, options);
    for (const bench::Input &input : inputs) {
      if (input.matrix.shape[0] * width > 20'000'000 || input.matrix.shape[1] * width > 20'000'000) continue;
      tensor::Tensor a = bench::pack_as("csr", input.matrix);
      bench::Compressed view = bench::compressed(a);
      std::int64_t lines = input.matrix.shape[0], columns = input.matrix.shape[1];
      tensor::Tensor x = dense({lines, width}), b = dense({columns, width});
      const double *x_val = elements<double>(x, "val"), *b_val = elements<double>(b, "val");
      Case of;
      if (kernel == "spmm")
        of = {expression,
              {{"A", "csr"}},
              {lines, width},
              {{"A", &a}, {"B", &b}},
              {{"hand", [=](double *y) { bench::row_spmm(view, b_val, width, y); }}}};
      else
        of = {expression,
              {{"A", "csr"}, {"D", "like:A"}},
              {lines, columns},
              {{"A", &a}, {"X", &x}, {"B", &b}},
              {{"hand", [=](double *d) { bench::row_sddmm(view, x_val, b_val, width, d); }}}};
      measure(input, of, options, table);
    }
    report.finish(table);
  }
}

/// C(i,j) = A(i,k) B(k,j), C dense: each pair of layouts, milliseconds (Zhao et al., table 5).
void products(bench::Report &report, const Options &options) {
  const std::vector<std::string> layouts{"coo", "csr", "dcsr", "bcsr<4,4>"};
  const std::int64_t size = options.quick ? 200 : 400;
  auto entries = [&](int seed) {
    return data::generate(
        data::parse_generator(fmt::format("random:{0}x{0},density=0.1,seed={1}", size, seed)));
  };
  data::Coordinates left = entries(1), right = entries(2);
  bench::Table &table = report.table(
      "spmspm", fmt::format("C(i,j) = A(i,k) * B(k,j), {0} x {0}, density 0.1; A down, B across", size),
      bench::unit_of(bench::Timing::cpu), 1);
  std::vector<double> reference;
  for (const std::string &of_a : layouts) {
    table.row(of_a, left.size());
    for (const std::string &of_b : layouts) {
      tensor::Tensor a = bench::pack_as(of_a, left), b = bench::pack_as(of_b, right),
                     c = bench::pack_as("dense", data::Coordinates({size, size}));
      pipeline::Request request;
      request.expression = "C(i,j) = A(i,k) * B(k,j)";
      request.formats = {{"A", of_a}, {"B", of_b}};
      request.counts = bench::counts({{"A", &a}, {"B", &b}});
      bench::BoundKernel kernel(request, {{"C", &c}, {"A", &a}, {"B", &b}});
      bench::Standings standings =
          bench::compare({{"ours", [&] { kernel(); }, {}}}, bench::Timing::cpu, options.budget);
      auto values = c.array("val").as<double>();
      if (reference.empty()) reference.assign(values.begin(), values.end());
      if (difference(values.data(), reference.data(), reference.size()) > 1e-10)
        throw std::runtime_error(fmt::format("{} times {}: a wrong product", of_a, of_b));
      table.figure(of_b, standings.milliseconds(0));
    }
    table.print_row();
  }
  report.finish(table);
}

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("KMP_BLOCKTIME", "0", 0);
  bench::Report report(count, arguments, "bench_tensors");
  const std::string folder = bench::data_folder(count, arguments);
  Options options;
  options.threads = bench::thread_count(count, arguments, "1") > 1 ? 2 : 1;
  options.quick = bench::has_option(count, arguments, "quick");
  options.budget = std::atof(bench::option(count, arguments, "budget", options.quick ? "80" : "300").c_str());
  std::vector<bench::Input> of_order_3, of_order_4, matrices;
  std::istringstream kernels(
      bench::option(count, arguments, "kernels", "ttv,ttm,mttkrp,mttkrp4,ttmc,spmm,sddmm,sums,spmspm"));
  for (std::string kernel; std::getline(kernels, kernel, ',');) {
    if (kernel == "spmspm") {
      if (options.threads == 1) products(report, options);
    } else if (kernel == "spmm" || kernel == "sddmm") {
      std::vector<std::string> generators{"poisson2d:300x300", "rmat:scale=14,edges=16", "fem:4000,block=3"};
      if (!options.quick)
        generators.insert(generators.end(), {"banded:50000,width=8", "random:20000x20000,entries=400000"});
      if (matrices.empty()) matrices = bench::matrices(folder, generators, 50000, 300000);
      matrix_kernel(report, kernel, matrices, options);
    } else if (kernel == "ttv" || kernel == "ttm" || kernel == "mttkrp" || kernel == "ttmc") {
      std::vector<std::string> generators{"random:2000x2000x2000,entries=400000,seed=1",
                                          "random:300x300x300,entries=500000,seed=2"};
      if (!options.quick)
        generators.insert(generators.end(), {"random:200x4000x3000,entries=800000,seed=3",
                                             "random:50000x300x3000,entries=500000,seed=4"});
      if (of_order_3.empty()) of_order_3 = tensors_of_order(3, generators, folder);
      order_3(report, kernel, of_order_3, options);
    } else if (kernel == "mttkrp4") {
      if (of_order_4.empty())
        of_order_4 = tensors_of_order(
            4, {"random:50x60x70x800,entries=800000,seed=1", "random:2000x30x20x400,entries=500000,seed=2"},
            folder);
      order_4(report, of_order_4, options);
    } else if (kernel == "sums") {
      sums(report, options);
    } else {
      throw std::runtime_error(fmt::format("there is no kernel `{}`", kernel));
    }
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
