#pragma once

#include "kernel.h"
#include "operands.h"
#include "report.h"

#include <functional>
#include <memory>

/// The kernels of bench_coiteration and the data they are measured on.
namespace unravel::bench {

struct KernelSpec {
  int number; // as after --kernels
  Coiteration kind;
  std::string title;
  std::string expression;
  std::map<std::string, std::string> formats; // of the operands
  std::vector<std::string> matrices;          // operands in the expression's order
  std::vector<std::string> vectors;
  std::string result;
  std::vector<std::string> sequential; // finds of the contestant `seq`; none where nothing can walk along
  /// Of the ratios peer / ours: the fastest peer of each case, the merge, GraphBLAS.
  std::vector<Target> best, merge, graphblas;
};

const std::vector<KernelSpec> &coiteration_kernels();

/// One input: all tensors packed, the result's too.
struct Case {
  std::string name;
  std::map<std::string, tensor::Tensor> tensors;
  bool in_least = true; // whether GraphBLAS' least ratio is asked of it
};

enum class Size { quick, normal, large };

/// The matrices of a run: files of a folder (none where the name is empty, or with Size::quick), and
/// generated ones, up to 5 million entries with Size::large.
std::vector<Input> coiteration_inputs(const std::string &folder, Size size);

/// Calls `visit` with each case of a kernel, made one at a time; those with a sparse vector also with vectors
/// of `more_densities`.
void for_each_case(const KernelSpec &spec, const std::vector<Input> &inputs, Size size,
                   const std::function<void(Case &)> &visit, const std::vector<double> &more_densities = {});

/// The kernel for the case's tensors; `known`: told the counts of the data. Throws report::Error where a find can't
/// be had.
std::shared_ptr<BoundKernel> bound_kernel(const KernelSpec &spec, Case &one,
                                          const std::vector<std::string> &finds, bool known);

/// Views of the operands.
Operands operands_of(const KernelSpec &spec, Case &one);

} // namespace unravel::bench
