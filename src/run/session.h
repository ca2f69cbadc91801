#pragma once

#include "build/kernel.h"
#include "check/reference.h"
#include "pipeline.h"
#include "run/answer.h"
#include "tensor/tensor.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// A computation on data: inputs are read or generated, packed and validated, the kernel is made, compiled
/// and called, its result checked and written.
namespace unravel::run {

struct Request {
  pipeline::Request compile;
  std::map<std::string, std::string> inputs;   // per tensor: file, folder, generator, or a number; per size
  std::map<std::string, std::string> combine;  // per tensor: the operator that makes one entry of several
  std::map<std::string, std::string> outputs;  // of the result: file or folder
  std::vector<std::string> other_files;        // that the caller writes: no output may be one of them
  std::map<std::string, std::int64_t> extents; // --size i=N
  std::optional<int> threads;
  int repeat = 1;
  bool check = false;
  bool validate = true;
  std::int64_t max_memory = 0; // bytes; 0: half of the machine's
  build::Options build;
  std::function<void(double)> progress; // of long reads; may be empty
};

struct KernelTimes {
  double median = 0;
  double least = 0;
  int runs = 0;
};

struct Report {
  pipeline::Compilation compilation;
  std::string c_text; // as it was compiled
  double read_ms = 0, pack_ms = 0, validate_ms = 0, clang_ms = 0;
  bool cached = false;
  KernelTimes kernel;
  std::optional<double> count_ms;         // of what is counted to choose a plan, and looked for
  std::optional<double> conversion_ms;    // of operands that the kernel has in another layout
  std::optional<KernelTimes> structure;   // `reuse`: of the kernel that made it; the other one is the values'
  std::optional<double> inspector_ms;     // where the kernel runs in wavefronts
  std::int64_t levels = 0, inspected = 0; // their number; the iterations and dependences in them
  std::map<std::string, std::vector<std::int64_t>> shapes; // of all tensors
  std::map<std::string, std::int64_t> sizes;               // those that no tensor has
  std::map<std::string, std::size_t> entries;              // stored entries of the operands
  std::optional<double> result_pack_ms;                    // of results that the kernel lists
  std::vector<std::string> notes;                          // properties that were only sampled, and the like
  bool has_special_values = false; // infinities, NaN, a zero divisor: plans make something else of them
  std::optional<check::Comparison> comparison;
  tensor::Tensor result;
  std::optional<Answer> answer;                  // of the result
  std::map<std::string, tensor::Tensor> tensors; // the others
};

/// A kernel that isn't made yet, with its data.
struct Prepared {
  pipeline::Compilation compilation;
  std::map<std::string, tensor::Tensor> tensors; // all of them, the result too
  std::map<std::string, std::int64_t> sizes;     // those that no tensor has
  std::vector<std::string> notes;                // as in Report
  std::int64_t max_memory = 0;                   // bytes, as run() understands the request
};

/// What run() does before there is C.
Prepared prepare(const Request &request);

class Session;

/// A request's inputs, read, packed and validated once, for several kernels of it.
class Data {
public:
  /// Throws as run() does.
  explicit Data(const Request &request);
  ~Data();
  Data(const Data &) = delete;
  Data &operator=(const Data &) = delete;

  /// Makes the kernel with these schedules in place of the request's, and calls it so often, or until its
  /// calls have taken so many milliseconds; once at least. Nothing is checked or written; the results are as
  /// they were before the next kernel is made. Not where a result's arrays are made by the kernel. Of the
  /// report there is what is known before the result is looked at.
  Report measure(const std::vector<std::string> &schedules, int calls, double milliseconds);
  /// Schedules that convert an operand to another order of its modes, by which calls may take less: the best
  /// first, by the estimates for what was measured last.
  std::vector<std::string> conversions() const;
  /// What run() does behind reading, with these schedules. The last thing that the object is for.
  Report run(const std::vector<std::string> &schedules, bool details);

private:
  std::unique_ptr<Session> session_;
};

/// Throws mistakes of any stage: missing or unreadable inputs, sizes that disagree, arrays that break a
/// property, outputs that can't be written. A failed check is in the report, not thrown.
Report run(const Request &request);

} // namespace unravel::run
