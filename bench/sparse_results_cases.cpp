#include "sparse_results_cases.h"

#include "check/validate.h"
#include "convert/structure.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace unravel::bench {

namespace {

using data::Coordinates;

/// Products that a run may have: of more it would take seconds.
constexpr double most_work = 4e7, most_work_of_large = 2e8;

/// Bands of 33 places, 40 % of them filled, and two more entries anywhere in each row.
Coordinates filled_band(std::int64_t rows) {
  Coordinates band = generated(fmt::format("banded:{},width=16", rows));
  Coordinates made = generated(fmt::format("random:{0}x{0},entries={1}", rows, 2 * rows));
  std::uint64_t state = 1;
  for (std::size_t e = 0; e < band.size(); ++e) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    if ((state >> 33) % 10 < 4) made.append({band.index[0][e], band.index[1][e]}, band.value[e]);
  }
  data::sort(made, data::natural_modes(2));
  data::combine_duplicates(made);
  return made;
}

/// Dense blocks of 3 x 3 between the 27 neighbours in a cube of nodes, as of finite elements.
Coordinates cube_of_blocks(std::int64_t side) {
  Coordinates made({3 * side * side * side, 3 * side * side * side});
  Coordinates values = generated(fmt::format("random:{},density=1", 3 * 3 * 27 * side * side * side));
  auto inside = [&](std::int64_t x) { return x >= 0 && x < side; };
  for (std::int64_t node = 0; node < side * side * side; ++node)
    for (std::int64_t at = 0; at < 27; ++at) {
      std::int64_t x = node / (side * side) + at / 9 - 1, y = node / side % side + at / 3 % 3 - 1,
                   z = node % side + at % 3 - 1;
      if (!inside(x) || !inside(y) || !inside(z)) continue;
      std::int64_t other = (x * side + y) * side + z;
      for (std::int64_t k = 0; k < 9; ++k)
        made.append({3 * node + k / 3, 3 * other + k % 3}, values.value[made.size()]);
    }
  data::sort(made, data::natural_modes(2));
  return made;
}

/// P(j, a) = 1 where point j of the grid lies in aggregate a, a cube of 2 x 2 x 2 points.
Coordinates aggregates_of_8(std::int64_t side) {
  const std::int64_t half = (side + 1) / 2;
  Coordinates made({side * side * side, half * half * half});
  for (std::int64_t j = 0; j < made.shape[0]; ++j) {
    std::int64_t x = j / (side * side) / 2, y = j / side % side / 2, z = j % side / 2;
    made.append({j, (x * half + y) * half + z}, 1);
  }
  return made;
}

std::int64_t rows_of(const tensor::Tensor &matrix) {
  return matrix.shape()[0];
}

/// The products of A * B, both in csr.
double products(tensor::Tensor &a, tensor::Tensor &b) {
  Compressed left = compressed(a), right = compressed(b);
  double sum = 0;
  for (std::int32_t p = 0; p < left.entries(); ++p)
    sum += right.pos[left.crd[p] + 1] - right.pos[left.crd[p]];
  return sum;
}

using SharedTensor = std::shared_ptr<tensor::Tensor>;

/// Makes the cases of one kernel and shows them.
class Cases {
public:
  Cases(const SparseKernel &kernel, const std::string &folder, Size size,
        const std::function<void(const SparseCase &)> &visit)
      : kernel_(kernel), folder_(folder), size_(size), visit_(visit) {}

  void all() {
    switch (kernel_.kind) {
    case SparseResult::product:
    case SparseResult::unsorted:
    case SparseResult::values: return squares();
    case SparseResult::sum: return sums();
    case SparseResult::elementwise: return elementwise_products();
    case SparseResult::triple: return coarse_grids();
    case SparseResult::transposition: return transpositions();
    case SparseResult::columns: return products_with_vectors();
    }
  }

private:
  static SharedTensor packed(const std::string &layout, const Coordinates &entries) {
    return std::make_shared<tensor::Tensor>(pack_as(layout, entries));
  }

  void show(const std::string &name, std::map<std::string, SharedTensor> operands,
            std::vector<std::int64_t> shape, double work = 0) {
    SparseCase one{name, std::move(operands), std::move(shape), 0, work};
    std::set<SharedTensor> different;
    for (const auto &[operand, tensor] : one.operands)
      if (different.insert(tensor).second) one.entries += tensor->entries();
    if (work == 0) one.work = static_cast<double>(one.entries);
    visit_(one);
  }

  /// Calls use(name, matrix) with the small inputs, with the large ones, with files.
  template <class Use>
  void for_each_matrix(const std::vector<std::function<Input()>> &small,
                       const std::vector<std::function<Input()>> &large, Use use) {
    auto all = [&](const std::vector<std::function<Input()>> &inputs) {
      for (const auto &make : inputs) {
        Input input = make();
        use(input.name, input.matrix);
      }
    };
    if (size_ == Size::quick) return all({small.begin(), small.begin() + 3});
    all(small);
    if (size_ == Size::large) all(large);
    for_each_file(folder_, ".mtx", [&](const std::string &name, const Coordinates &matrix) {
      if (matrix.size() > 50000) use(name, matrix);
    });
  }

  static std::function<Input()> of(const std::string &text) {
    return [text] { return Input{text, generated(text)}; };
  }
  static std::function<Input()> band(std::int64_t rows) {
    return [rows] { return Input{fmt::format("band of {}, 40 % filled", rows), filled_band(rows)}; };
  }
  static std::function<Input()> blocks(std::int64_t side) {
    return [side] { return Input{fmt::format("3x3 blocks, {0}x{0}x{0} nodes", side), cube_of_blocks(side)}; };
  }

  /// A * A.
  void squares() {
    for_each_matrix(
        {of("poisson2d:200x200"), of("rmat:scale=11,edges=8"), of("random:20000x20000,entries=240000"),
         of("poisson3d:30x30x30"), band(12000), blocks(8), of("random:200000x200000,entries=200000")},
        {of("poisson2d:500x500"), of("rmat:scale=13,edges=8"), of("random:100000x100000,entries=600000"),
         of("poisson3d:50x50x50"), band(30000), blocks(12), of("random:800000x800000,entries=800000")},
        [this](const std::string &name, const Coordinates &matrix) { square(name, matrix); });
  }

  void square(const std::string &name, const Coordinates &matrix) {
    if (matrix.shape[0] != matrix.shape[1]) return;
    SharedTensor a = packed("csr", matrix);
    double work = products(*a, *a);
    if (work > (size_ == Size::large ? most_work_of_large : most_work)) return;
    std::map<std::string, SharedTensor> operands{{"A", a}, {"B", a}};
    if (kernel_.kind == SparseResult::values) operands["S"] = structure_of_square(a, matrix.shape);
    show(name, std::move(operands), matrix.shape, work);
  }

  /// The entries of A * A, all values 1.
  static SharedTensor structure_of_square(const SharedTensor &a, const std::vector<std::int64_t> &shape) {
    const std::vector<SparseKernel> kernels = sparse_kernels();
    auto product = std::find_if(kernels.begin(), kernels.end(), [](const SparseKernel &kernel) {
      return kernel.kind == SparseResult::product;
    });
    SparseResultKernel square(*product, {"", {{"A", a}, {"B", a}}, shape}, 1);
    square.run();
    Entries entries = square.entries();
    Coordinates ones(shape);
    ones.index = {std::move(entries.row), std::move(entries.column)};
    ones.value.assign(entries.value.size(), 1);
    return packed("csr", ones);
  }

  /// Matrices that are alike: half of the entries of all but the first are moved.
  void for_each_sum_input(const std::function<void(const std::string &, const Coordinates &)> &use) {
    for_each_matrix(
        {of("poisson2d:250x250"), of("rmat:scale=13,edges=16"), of("random:25000x25000,entries=300000"),
         band(20000), of("random:200000x200000,entries=200000"), of("random:1500x1500,entries=225000")},
        {of("poisson2d:450x450"), of("rmat:scale=16,edges=16"), of("random:400000x400000,entries=4000000"),
         band(100000), of("random:800000x800000,entries=800000"), of("random:4000x4000,entries=1600000")},
        use);
  }

  void sums() {
    for_each_sum_input([this](const std::string &name, const Coordinates &matrix) {
      std::map<std::string, SharedTensor> operands;
      for (std::size_t k = 0; k < kernel_.matrices.size(); ++k)
        operands[kernel_.matrices[k]] = packed("csr", k == 0 ? matrix : jittered(matrix, k));
      show(name, std::move(operands), matrix.shape);
    });
  }

  void elementwise_products() {
    auto pair = [this](const std::string &name, const Coordinates &a, const Coordinates &b) {
      show(name, {{"A", packed("csr", a)}, {"B", packed("csr", b)}}, a.shape);
    };
    for_each_sum_input(
        [&](const std::string &name, const Coordinates &matrix) { pair(name, matrix, jittered(matrix)); });
    if (size_ == Size::quick) return;
    Coordinates blocks_of_nodes = cube_of_blocks(8);
    pair("3x3 blocks, 8x8x8 nodes", blocks_of_nodes, jittered(blocks_of_nodes));
    // Rows of very different lengths.
    for (int length : {5, 25, 300}) {
      auto rows = [](int entries, int seed) {
        return generated(fmt::format("random:2000x20000,entries={},seed={}", 2000 * entries, seed));
      };
      pair(fmt::format("rows of {} : 300", length), rows(length, 1), rows(300, 2));
    }
  }

  void coarse_grids() {
    std::vector<std::int64_t> sides{20, 30, 40};
    if (size_ == Size::quick) sides = {20};
    if (size_ == Size::large) sides.insert(sides.end(), {60, 100});
    for (std::int64_t side : sides) {
      std::string text = fmt::format("poisson3d:{0}x{0}x{0}", side);
      Coordinates p = aggregates_of_8(side), r = data::transpose(p, {1, 0});
      SharedTensor fine = packed("csr", generated(text)), left = packed("csr", r);
      double work = products(*left, *fine) + static_cast<double>(fine->entries());
      show(text, {{"R", left}, {"A", fine}, {"P", packed("csr", p)}}, {p.shape[1], p.shape[1]}, work);
    }
  }

  void transpositions() {
    for_each_matrix(
        {of("poisson2d:400x400"), of("rmat:scale=14,edges=16"), of("random:50000x50000,entries=400000"),
         of("poisson3d:40x40x40"), band(30000), blocks(8), of("random:200000x200000,entries=200000")},
        {of("poisson2d:900x900"), of("rmat:scale=18,edges=16"), of("random:400000x400000,entries=4000000"),
         of("poisson3d:90x90x90"), band(200000), blocks(20), of("random:800000x800000,entries=800000")},
        [this](const std::string &name, const Coordinates &matrix) {
          show(name, {{"A", packed("csr", matrix)}}, matrix.shape);
        });
  }

  /// On the inputs of bench_coiteration.
  void products_with_vectors() {
    std::vector<double> densities =
        size_ == Size::quick ? std::vector{1e-3, 1e-1} : std::vector{1e-4, 1e-3, 1e-2, 1e-1};
    for (const Input &input : coiteration_inputs(folder_, size_)) {
      SharedTensor a = packed("csc", input.matrix);
      Compressed by_columns = compressed(*a);
      for (double density : densities) {
        SharedTensor x = packed("sv", sparse_vector(input.matrix.shape[1], density));
        Sparse entries = sparse(*x);
        double work = 0;
        for (std::int32_t p = 0; p < entries.count; ++p)
          work += by_columns.pos[entries.idx[p] + 1] - by_columns.pos[entries.idx[p]];
        show(fmt::format("{} @ {:g}", input.name, density), {{"A", a}, {"x", x}}, {rows_of(*a)},
             std::max(work, 1.0));
      }
    }
  }

  const SparseKernel &kernel_;
  const std::string &folder_;
  Size size_;
  const std::function<void(const SparseCase &)> &visit_;
};

/// C(i,j) = A1(i,j) + A2(i,j) + ...
SparseKernel sum_of(int count, double wanted) {
  SparseKernel made{SparseResult::sum,
                    "sums",
                    fmt::format("sum of {}", count),
                    fmt::format("sum of {} matrices, against pairwise calls", count),
                    "C(i,j) =",
                    {},
                    {},
                    {{"C", "csr"}},
                    "C",
                    "",
                    {{Statistic::mean, wanted}}};
  for (int k = 1; k <= count; ++k) {
    std::string name = fmt::format("A{}", k);
    made.expression += fmt::format("{} {}(i,j)", k == 1 ? "" : " +", name);
    made.matrices.push_back(name);
    made.formats[name] = "csr";
  }
  return made;
}

SparseKernel product_kernel(SparseResult kind, const std::string &name, const std::string &title,
                            const std::string &layout, std::vector<Target> targets) {
  return {kind,
          name,
          name,
          title,
          "C(i,j) = A(i,k) * B(k,j)",
          {"A", "B"},
          {},
          {{"A", "csr"}, {"B", "csr"}, {"C", layout}},
          "C",
          "",
          std::move(targets)};
}

} // namespace

std::vector<SparseKernel> sparse_kernels() {
  constexpr auto mean = Statistic::mean, greatest = Statistic::greatest;
  std::vector<SparseKernel> kernels{
      product_kernel(SparseResult::product, "spgemm", "A * A, rows sorted", "csr",
                     {{mean, 0.45}, {greatest, 1}}),
      product_kernel(SparseResult::unsorted, "unsorted", "A * A, rows in any order",
                     UNRAVEL_BENCH_FOLDER "/csr_unsorted.layout", {{mean, 0.35}}),
      {SparseResult::values,
       "values",
       "values",
       "A * A, the values of a structure that is there",
       "C(i,j) = A(i,k) * B(k,j)",
       {"S", "A", "B"}, // S: for who masks the product by the structure
       {},
       {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}},
       "C",
       "",
       {{mean, 0.2}}}};
  for (auto [count, wanted] : {std::pair(2, 0.85), {4, 0.5}, {8, 0.25}, {16, 0.15}})
    kernels.push_back(sum_of(count, wanted));
  kernels.push_back({SparseResult::elementwise,
                     "elementwise",
                     "elementwise",
                     "elementwise product",
                     "C(i,j) = A(i,j) * B(i,j)",
                     {"A", "B"},
                     {},
                     {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}},
                     "C",
                     "",
                     {{mean, 0.4}}});
  kernels.push_back({SparseResult::triple,
                     "galerkin",
                     "galerkin",
                     "R * A * P, aggregates of 8 points, against two calls",
                     "C(i,l) = R(i,j) * A(j,k) * P(k,l)",
                     {"R", "A", "P"},
                     {},
                     {{"R", "csr"}, {"A", "csr"}, {"P", "csr"}, {"C", "csr"}},
                     "C",
                     "",
                     {{mean, 0.5}}});
  kernels.push_back({SparseResult::transposition,
                     "transpose",
                     "transpose",
                     "CSR to CSC",
                     "C(i,j) = A(i,j)",
                     {"A"},
                     {},
                     {{"A", "csr"}, {"C", "csc"}},
                     "C",
                     "Eig",
                     {{mean, 0.9}}});
  kernels.push_back({SparseResult::columns,
                     "spmspv",
                     "spmspv",
                     "SpMSpV by columns, sparse result",
                     "y(i) = A(i,j) * x(j)",
                     {"A"},
                     {"x"},
                     {{"A", "csc"}, {"x", "sv"}, {"y", "sv"}},
                     "y",
                     "GrB",
                     {{mean, 0.4}}});
  return kernels;
}

void for_each_case(const SparseKernel &kernel, const std::string &folder, Size size,
                   const std::function<void(const SparseCase &)> &visit) {
  Cases(kernel, folder, size, visit).all();
}

SparseResultKernel::SparseResultKernel(const SparseKernel &kernel, const SparseCase &one, int threads)
    : threads_(threads) {
  pipeline::Request request;
  request.expression = kernel.expression;
  request.formats = kernel.formats;
  if (kernel.kind == SparseResult::values) request.schedules = {"reuse"};
  result_ = pack_as(kernel.formats.at(kernel.result), Coordinates(one.shape));
  std::map<std::string, tensor::Tensor *> tensors{{kernel.result, &result_}};
  for (const auto &[name, tensor] : one.operands) {
    tensors[name] = tensor.get();
    operands_.push_back(tensor);
  }
  request.counts = counts({tensors.begin(), tensors.end()});
  bound_ = std::make_unique<BoundKernel>(request, tensors);
  if (const std::shared_ptr<const pipeline::Compilation> values = bound_->compilation().values) {
    (*bound_)();
    bound_->take_results();
    bound_ = std::make_unique<BoundKernel>(*values, tensors);
  }
}

void SparseResultKernel::run() {
  bound_->set_threads(threads_); // which is the process's, not the kernel's
  (*bound_)();
}

Entries SparseResultKernel::entries() {
  bound_->take_results();
  check::require_ok(check::validate(result_), result_, "the result");
  Coordinates found = convert::unpack(result_);
  if (found.order() == 1) found.index.emplace_back(found.size());
  return {std::move(found.index[0]), std::move(found.index[1]), std::move(found.value)};
}

SparseOperands operands_of(const SparseKernel &kernel, const SparseCase &one) {
  SparseOperands operands;
  operands.kernel = kernel.kind;
  for (const std::string &name : kernel.matrices)
    operands.matrices.push_back(compressed(*one.operands.at(name)));
  for (const std::string &name : kernel.vectors)
    operands.vectors.push_back(sparse(*one.operands.at(name)));
  return operands;
}

} // namespace unravel::bench
