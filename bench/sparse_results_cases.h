#pragma once

#include "coiteration_cases.h"
#include "kernel.h"
#include "report.h"
#include "sparse_results_peers.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// The kernels of bench_sparse_results and the data they are measured on.
namespace unravel::bench {

struct SparseKernel {
  SparseResult kind{};
  std::string name;  // as after --kernels
  std::string table; // its table's: sums have several
  std::string title;
  std::string expression;
  std::vector<std::string> matrices, vectors; // operands in the expression's order
  std::map<std::string, std::string> formats; // of operands and result
  std::string result;
  std::string rivals;          // what the names of the peers that targets are about begin with; empty: all
  std::vector<Target> targets; // of ours / the best of these
};

/// All of them, sums of 2, 4, 8 and 16 matrices each by itself.
std::vector<SparseKernel> sparse_kernels();

/// One input. Operands that are the same matrix are one tensor.
struct SparseCase {
  std::string name;
  std::map<std::string, std::shared_ptr<tensor::Tensor>> operands;
  std::vector<std::int64_t> shape; // of the result
  std::size_t entries = 0;         // of all operands
  double work = 0;                 // products, or entries that are added
};

/// Calls `visit` with each case of a kernel, made one at a time: generated ones, up to 5 million entries with
/// Size::large, and with those files of a folder (none where the name is empty) that are neither too small to
/// be timed nor too large to be repeated.
void for_each_case(const SparseKernel &kernel, const std::string &folder, Size size,
                   const std::function<void(const SparseCase &)> &visit);

/// Our kernel bound to the operands of a case, and its result.
class SparseResultKernel {
public:
  /// Told the counts of the data. Throws report::Error where there is no such kernel.
  SparseResultKernel(const SparseKernel &kernel, const SparseCase &one, int threads);

  void run();
  /// Of the last run. Throws report::Error where the arrays don't keep what the result's layout promises.
  Entries entries();

private:
  int threads_;
  std::vector<std::shared_ptr<tensor::Tensor>> operands_; // kept alive
  tensor::Tensor result_;
  std::unique_ptr<BoundKernel> bound_;
};

/// Views of the operands.
SparseOperands operands_of(const SparseKernel &kernel, const SparseCase &one);

} // namespace unravel::bench
