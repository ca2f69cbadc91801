#pragma once

#include "build/kernel.h"
#include "data/coordinates.h"
#include "operands.h"
#include "pipeline.h"
#include "run/assembled.h"
#include "run/levels.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Kernels of Unravel on packed arrays, and matrices to call them on.
namespace unravel::bench {

/// An expression compiled and bound to its tensors: what a caller of the library holds.
class BoundKernel {
public:
  /// The tensors must outlive this. Not taken from the cache on disk. `sizes`: of a program's sizes that no
  /// tensor has.
  BoundKernel(const pipeline::Request &request, const std::map<std::string, tensor::Tensor *> &tensors,
              const std::map<std::string, std::int64_t> &sizes = {});
  BoundKernel(pipeline::Compilation compilation, const std::map<std::string, tensor::Tensor *> &tensors,
              const std::map<std::string, std::int64_t> &sizes = {});
  BoundKernel(const BoundKernel &) = delete;
  BoundKernel &operator=(const BoundKernel &) = delete;

  /// Throws where the sizes disagree. Frees the sparse results of the call before.
  void operator()();
  /// Copies the sparse results of the last call to their tensors.
  void take_results();
  /// Parallel loops take `n` threads from now on; one before.
  void set_threads(int n) { kernel_.set_threads(n); }
  /// Of a kernel with wavefronts: from now on it has levels. Returns the milliseconds of the inspector.
  double inspect();
  const run::Levels &levels() const { return *levels_; }
  const pipeline::Compilation &compilation() const { return compilation_; }

private:
  /// Of a kernel with wavefronts: the structs of the tensors and the sizes, without that of the levels.
  std::vector<void *> operands();
  /// The parameters whose arrays the kernel makes.
  std::vector<std::size_t> made_by_kernel() const;

  pipeline::Compilation compilation_;
  build::Kernel kernel_;
  build::Workspace workspace_;
  int (*entry_)(void **);
  std::map<std::string, tensor::Tensor *> tensors_;
  std::map<std::string, std::int64_t> sizes_;
  std::optional<run::Levels> levels_;
  std::vector<std::vector<std::uint64_t>> structs_;
  std::vector<void *> arguments_;
  std::vector<std::size_t> made_;
  std::vector<run::Assembled> assembled_; // by the last call; frees what `structs_` name
};

tensor::Tensor pack_as(const std::string &layout, const data::Coordinates &coordinates, value::Type type);
tensor::Tensor pack_as(const std::string &layout, const data::Coordinates &coordinates);

/// Views of a tensor in csr or csc, and of one in sv.
Compressed compressed(tensor::Tensor &matrix);
Sparse sparse(tensor::Tensor &vector);

/// What `unravel run` tells the compiler of such data.
schedule::Counts counts(const std::map<std::string, const tensor::Tensor *> &tensors);

/// What a generator's text stands for.
data::Coordinates generated(const std::string &text);

/// The matrix with the columns of half of its entries moved by 1 to 8 places.
data::Coordinates jittered(data::Coordinates matrix, std::uint64_t seed = 1);

struct Input {
  std::string name;
  data::Coordinates matrix;
};

/// Reads the files of a folder whose names contain `ending`, in their order; those that can't be read are
/// named on stderr and left out. No `folder`: none.
void for_each_file(const std::string &folder, const std::string &ending,
                   const std::function<void(const std::string &, data::Coordinates)> &visit);

/// Every matrix of more than `least_entries` entries and at most `most_rows` rows and columns: the .mtx files
/// of a folder (none where the name is empty), then those made from generator texts.
std::vector<Input> matrices(const std::string &folder, const std::vector<std::string> &generators,
                            std::size_t least_entries, std::int64_t most_rows);

/// A vector with `density` of its places filled, at least one.
data::Coordinates sparse_vector(std::int64_t size, double density);

} // namespace unravel::bench
