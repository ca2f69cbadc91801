#include "coiteration_cases.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace unravel::bench {

namespace {

using data::Coordinates;

Coordinates random_vector(std::int64_t size, std::int64_t entries, int seed) {
  return generated(fmt::format("random:{},entries={},seed={}", size, entries, seed));
}

/// The strictly lower triangle of A + A', all values 1.
Coordinates lower_triangle(const Coordinates &matrix) {
  Coordinates lower(matrix.shape);
  for (std::size_t e = 0; e < matrix.size(); ++e) {
    std::int64_t i = matrix.index[0][e], j = matrix.index[1][e];
    if (i != j) lower.append({std::max(i, j), std::min(i, j)}, 1);
  }
  data::sort(lower, data::natural_modes(2));
  data::combine_duplicates(lower);
  std::fill(lower.value.begin(), lower.value.end(), 1.0);
  return lower;
}

/// Makes the cases of one kernel and shows them.
class Cases {
public:
  Cases(const KernelSpec &spec, const std::vector<Input> &inputs, Size size,
        const std::function<void(Case &)> &visit, std::vector<double> more_densities)
      : spec_(spec), inputs_(inputs), size_(size), visit_(visit), more_densities_(std::move(more_densities)) {
  }

  void all() {
    switch (spec_.kind) {
    case Coiteration::spmspv_rows:
    case Coiteration::spmspv_columns: return products();
    case Coiteration::dot: return pairs();
    case Coiteration::triple_dot: return triples();
    case Coiteration::row_dot: return row_dots();
    case Coiteration::inner: return inner_products();
    case Coiteration::triple_rows: return triple_rows();
    case Coiteration::triangles: return triangles();
    }
  }

private:
  bool quick() const { return size_ == Size::quick; }

  void show(const std::string &name, const std::map<std::string, Coordinates> &operands,
            std::vector<std::int64_t> result, bool in_least = true) {
    Case one{name, {}, in_least};
    for (const auto &[operand, coordinates] : operands)
      one.tensors.emplace(operand, pack_as(spec_.formats.at(operand), coordinates));
    one.tensors.emplace(spec_.result, pack_as("dense", Coordinates(std::move(result))));
    visit_(one);
  }

  void products() {
    std::vector<double> densities = quick() ? std::vector{1e-3, 1e-1} : std::vector{1e-4, 1e-3, 1e-2, 1e-1};
    densities.insert(densities.end(), more_densities_.begin(), more_densities_.end());
    for (const Input &input : inputs_)
      for (double density : densities) {
        Coordinates x = sparse_vector(input.matrix.shape[1], density);
        bool in_least = x.size() > 10;
        show(fmt::format("{} @ {:g}", input.name, density), {{"A", input.matrix}, {"x", std::move(x)}},
             {input.matrix.shape[0]}, in_least);
      }
  }

  void pairs() {
    using Sizes = std::array<std::int64_t, 3>;
    std::vector<Sizes> cases = {{20000, 10000, 10000},    {100000, 10000, 10000},   {1000000, 100000, 100000},
                                {1000000, 10000, 100000}, {1000000, 100000, 10000}, {100000, 50, 50000},
                                {1000000, 300, 300000},   {1000000, 300000, 300}};
    if (quick()) cases = {{20000, 10000, 10000}, {100000, 1000, 10000}, {100000, 50, 50000}};
    if (size_ == Size::large)
      cases.insert(cases.end(), {{10000000, 3000000, 3000000}, {10000000, 5000, 5000000}});
    for (auto [n, a, b] : cases)
      show(fmt::format("{} of {} . {}", n, a, b),
           {{"a", random_vector(n, a, 1)}, {"b", random_vector(n, b, 2)}}, {});
  }

  void triples() {
    using Sizes = std::array<std::int64_t, 4>;
    std::vector<Sizes> cases = {{20000, 10000, 10000, 10000},
                                {100000, 10000, 10000, 10000},
                                {1000000, 100000, 100000, 100000},
                                {1000000, 1000, 100000, 100000},
                                {1000000, 100000, 100000, 1000}};
    if (quick()) cases = {{20000, 10000, 10000, 10000}, {100000, 100, 10000, 10000}};
    if (size_ == Size::large) cases.push_back({10000000, 3000000, 3000000, 3000000});
    for (auto [n, a, b, c] : cases)
      show(fmt::format("{} of {} . {} . {}", n, a, b, c),
           {{"a", random_vector(n, a, 1)}, {"b", random_vector(n, b, 2)}, {"c", random_vector(n, c, 3)}}, {});
  }

  void row_dots() {
    for (const Input &input : inputs_)
      show(input.name, {{"A", input.matrix}, {"B", jittered(input.matrix)}}, {input.matrix.shape[0]});
    // Rows of very different lengths: 5, 25 and 300 entries against 300.
    for (int length : {5, 25, 300}) {
      if (quick() && length != 5) continue;
      auto rows = [](int entries, int seed) {
        return generated(fmt::format("random:2000x20000,entries={},seed={}", 2000 * entries, seed));
      };
      show(fmt::format("rows of {} : 300", length), {{"A", rows(length, 1)}, {"B", rows(300, 2)}}, {2000});
    }
  }

  void inner_products() {
    std::vector<std::string> texts = {
        "poisson2d:32x32",  "banded:1000,width=8",          "rmat:scale=10,edges=8",
        "fem:1000,block=3", "random:600x600,entries=36000", "random:2000x2000,entries=8000"};
    if (quick()) texts = {"poisson2d:16x16", "random:300x300,entries=9000"};
    for (const std::string &text : texts) {
      Coordinates a = generated(text);
      Coordinates b = jittered(a);
      std::vector<std::int64_t> shape = {a.shape[0], b.shape[1]};
      show(text, {{"A", std::move(a)}, {"B", std::move(b)}}, std::move(shape));
    }
  }

  void triple_rows() {
    std::vector<double> densities = quick() ? std::vector{1e-1} : std::vector{1e-3, 1e-2, 1e-1};
    for (const Input &input : inputs_)
      for (double density : densities)
        show(fmt::format("{} @ {:g}", input.name, density),
             {{"A", input.matrix},
              {"B", jittered(input.matrix)},
              {"x", sparse_vector(input.matrix.shape[1], density)}},
             {input.matrix.shape[0]});
  }

  void triangles() {
    for (const Input &input : inputs_)
      if (input.matrix.shape[0] == input.matrix.shape[1])
        show(input.name, {{"L", lower_triangle(input.matrix)}}, {});
    std::string dense = "random:1000x1000,entries=40000";
    show(dense, {{"L", lower_triangle(generated(dense))}}, {});
  }

  const KernelSpec &spec_;
  const std::vector<Input> &inputs_;
  Size size_;
  const std::function<void(Case &)> &visit_;
  std::vector<double> more_densities_;
};

} // namespace

const std::vector<KernelSpec> &coiteration_kernels() {
  using K = Coiteration;
  constexpr auto mean = Statistic::mean, least = Statistic::least;
  static const std::vector<Target> none, not_slower{{least, 0.9}};
  static const std::vector<KernelSpec> kernels = {{1,
                                                   K::spmspv_rows,
                                                   "SpMSpV, A by rows",
                                                   "y(i) = A(i,j) * x(j)",
                                                   {{"A", "csr"}, {"x", "sv"}},
                                                   {"A"},
                                                   {"x"},
                                                   "y",
                                                   {"x=seq"},
                                                   {{mean, 3}, {least, 0.9}},
                                                   {{mean, 40}},
                                                   none},
                                                  {2,
                                                   K::spmspv_columns,
                                                   "SpMSpV, A by columns",
                                                   "y(i) = A(i,j) * x(j)",
                                                   {{"A", "csc"}, {"x", "sv"}},
                                                   {"A"},
                                                   {"x"},
                                                   "y",
                                                   {"x=seq"},
                                                   none,
                                                   none,
                                                   {{mean, 2}, {least, 1}}},
                                                  {3,
                                                   K::dot,
                                                   "dot product",
                                                   "t = a(i) * b(i)",
                                                   {{"a", "sv"}, {"b", "sv"}},
                                                   {},
                                                   {"a", "b"},
                                                   "t",
                                                   {"b=seq"},
                                                   not_slower,
                                                   none,
                                                   none},
                                                  {4,
                                                   K::row_dot,
                                                   "row dot products",
                                                   "y(i) = A(i,j) * B(i,j)",
                                                   {{"A", "csr"}, {"B", "csr"}},
                                                   {"A", "B"},
                                                   {},
                                                   "y",
                                                   {"B=seq"},
                                                   {{mean, 2}, {least, 0.9}},
                                                   none,
                                                   none},
                                                  {5,
                                                   K::inner,
                                                   "inner products, rows x columns",
                                                   "C(i,j) = A(i,k) * B(k,j)",
                                                   {{"A", "csr"}, {"B", "csc"}},
                                                   {"A", "B"},
                                                   {},
                                                   "C",
                                                   {},
                                                   not_slower,
                                                   none,
                                                   none},
                                                  {6,
                                                   K::triple_dot,
                                                   "product of three vectors",
                                                   "t = a(i) * b(i) * c(i)",
                                                   {{"a", "sv"}, {"b", "sv"}, {"c", "sv"}},
                                                   {},
                                                   {"a", "b", "c"},
                                                   "t",
                                                   {"b=seq", "c=seq"},
                                                   not_slower,
                                                   none,
                                                   none},
                                                  {6,
                                                   K::triple_rows,
                                                   "row dot products with a sparse vector",
                                                   "y(i) = A(i,j) * B(i,j) * x(j)",
                                                   {{"A", "csr"}, {"B", "csr"}, {"x", "sv"}},
                                                   {"A", "B"},
                                                   {"x"},
                                                   "y",
                                                   {"B=seq", "x=seq"},
                                                   not_slower,
                                                   none,
                                                   none},
                                                  {7,
                                                   K::triangles,
                                                   "triangles",
                                                   "t = L(i,j) * L(j,k) * L(i,k)",
                                                   {{"L", "csr"}},
                                                   {"L"},
                                                   {},
                                                   "t",
                                                   {"L#3=seq"},
                                                   not_slower,
                                                   none,
                                                   {{mean, 3}}}};
  return kernels;
}

std::vector<Input> coiteration_inputs(const std::string &folder, Size size) {
  if (size == Size::quick)
    return matrices("", {"poisson2d:150x150", "rmat:scale=12,edges=16", "random:12000x12000,entries=200000"},
                    0, 50000);
  std::vector<std::string> generators = {"poisson2d:150x150",
                                         "poisson3d:25x25x25",
                                         "fem:4000,block=3",
                                         "rmat:scale=14,edges=16",
                                         "banded:20000,width=8",
                                         "hypersparse:50000,rows=25000,edges=2",
                                         "random:12000x12000,entries=876000",
                                         "random:50000x50000,entries=400000"};
  if (size == Size::large)
    generators.insert(generators.end(), {"poisson2d:900x900", "fem:60000,block=3", "rmat:scale=18,edges=16",
                                         "banded:300000,width=8", "hypersparse:4000000,rows=1000000,edges=1",
                                         "random:400000x400000,entries=4000000"});
  return matrices(folder, generators, 49000, size == Size::large ? 5000000 : 200000);
}

void for_each_case(const KernelSpec &spec, const std::vector<Input> &inputs, Size size,
                   const std::function<void(Case &)> &visit, const std::vector<double> &more_densities) {
  Cases(spec, inputs, size, visit, more_densities).all();
}

std::shared_ptr<BoundKernel> bound_kernel(const KernelSpec &spec, Case &one,
                                          const std::vector<std::string> &finds, bool known) {
  pipeline::Request request;
  request.expression = spec.expression;
  request.formats = spec.formats;
  request.finds = finds;
  std::map<std::string, tensor::Tensor *> tensors;
  std::map<std::string, const tensor::Tensor *> data;
  for (auto &[tensor, packed] : one.tensors) {
    tensors[tensor] = &packed;
    data[tensor] = &packed;
  }
  if (known) request.counts = counts(data);
  return std::make_shared<BoundKernel>(request, tensors);
}

Operands operands_of(const KernelSpec &spec, Case &one) {
  Operands operands;
  operands.kernel = spec.kind;
  for (const std::string &name : spec.matrices)
    operands.matrices.push_back(compressed(one.tensors.at(name)));
  for (const std::string &name : spec.vectors)
    operands.vectors.push_back(sparse(one.tensors.at(name)));
  operands.result = one.tensors.at(spec.result).array("val").size();
  return operands;
}

} // namespace unravel::bench
