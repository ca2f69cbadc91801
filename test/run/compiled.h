#pragma once

#include "build/kernel.h"
#include "convert/pack.h"
#include "run/interpreted.h"
#include "run/problem.h"

#include <functional>
#include <map>
#include <random>
#include <string>

/// A problem compiled to machine code and called on packed tensors.
namespace unravel::run::test {

/// Operands packed in a problem's layouts, what they mean, and the result expected of them.
struct PackedCase {
  std::map<std::string, data::Coordinates> coordinates;
  std::map<std::string, tensor::Tensor> tensors; // the result too, filled with what must be overwritten
  std::vector<double> initial;                   // of the result, row-major
  std::vector<double> imaginary;                 // of that, where it is complex
  Sizes sizes;
  check::Reference expected;
  std::map<std::string, check::Reference> further; // of the results behind the first, which begin as zeros
  bool misses = false;     // a divisor: the kernel returns 3, unless the layout stores a zero there
  bool is_outside = false; // for these sizes a subscript leaves its tensor: the kernel returns 1
  std::string about;
};

/// The computation and layouts of a problem, with plans for packing; throws cannot_pack.
class Packer {
public:
  explicit Packer(const Problem &problem);
  const pipeline::Front &front() const { return front_; }

  /// A random case of these sizes; nothing where a tensor can't have its shape or the layout excludes the
  /// entries.
  /// With special values only what is drawn is stored: for layouts that fill no gaps, and no entry twice.
  std::optional<PackedCase> draw(const Sizes &sizes, std::mt19937_64 &random,
                                 Values values = Values::Exact) const;

private:
  std::optional<data::Coordinates> draw_entries(const compute::TensorUse &use,
                                                const std::vector<std::int64_t> &shape,
                                                std::mt19937_64 &random, Values values) const;

  Problem problem_;
  pipeline::Front front_;
  std::map<std::string, packing::PackPlan> plans_;
};

/// An input of the interpreter as a kernel is called with it: also of layouts that can't be packed.
PackedCase packed(const SmallCase &input, const pipeline::Compilation &compilation, const Problem &problem);

/// Sizes of every kind: empty, one row, one column, none of the extents, longer than a chunk.
std::vector<Sizes> sizes_of_all_kinds(const compute::Computation &computation);

class Compiled {
public:
  /// `change`: applied to the kernel's text before it is compiled.
  explicit Compiled(const Problem &problem, const std::function<std::string(std::string)> &change = {})
      : Compiled(problem.request(), problem, change) {}
  /// Of another request than the problem's.
  Compiled(const pipeline::Request &request, const Problem &problem,
           const std::function<std::string(std::string)> &change = {});

  /// Calls the kernel on the case's tensors.
  check::Comparison compare(PackedCase input, int threads) const;
  /// Calls the kernel on the case's tensors and compares; false where the current test failed.
  bool check(PackedCase input, int threads) const;
  const std::string &first_result() const { return compilation_.computation.tensors.front().name; }

private:
  Problem problem_;
  pipeline::Compilation compilation_;
  std::string c_text_;
  build::Kernel kernel_;
  build::Workspace workspace_; // of all checks, which are one at a time
};

} // namespace unravel::run::test
