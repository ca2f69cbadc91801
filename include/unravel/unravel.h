#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// Unravel as a library: an assignment in tensor index notation and layouts in, C text or a kernel that can
/// be called out. Functions may be called from several threads at once.
///
///     unravel::Options options;
///     options.formats = {{"A", "csr"}};
///     unravel::Kernel kernel = unravel::make_kernel("y(i) = A(i,j) * x(j)", options);
///     int failed = kernel({&y, &A, &x}); // structs as in CSource::header
namespace unravel {

/// What the compiler has against an input. what() is the whole message, with the place underlined.
class Error : public std::runtime_error {
public:
  Error(const std::string &message, std::string kind, bool is_bug)
      : std::runtime_error(message), kind_(std::move(kind)), is_bug_(is_bug) {}

  /// The stable name of the kind of message, such as "unknown-layout" (docs/errors.md).
  const std::string &kind() const { return kind_; }
  /// A failure of the compiler itself; otherwise the input is at fault, or not supported yet.
  bool is_bug() const { return is_bug_; }

private:
  std::string kind_;
  bool is_bug_ = false;
};

enum class IndexType { Int32, Int64 };
enum class ValueType { Float32, Float64, Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64 };

struct Options {
  /// Per tensor its layout: "csr", "dense<1,0>", "./mine.layout:name"; of the result also "like:S", the
  /// structure of the operand S, whose index arrays aren't copied. Others are dense, row-major. A type of
  /// values may follow: "csr int32", "dense bool".
  std::map<std::string, std::string> formats;
  /// As after `-s` on the command line: "order i, A.p, j; parallel i".
  std::vector<std::string> schedules;
  /// Of the C function; changed where it isn't an identifier or collides with one of C or C++.
  std::string name = "kernel";
  IndexType index = IndexType::Int32;
  /// Of the values of tensors whose formats don't say theirs, and of results; where it isn't given f64, and
  /// of results what C's conversions make of the operands' types.
  std::optional<ValueType> value;
  /// Seconds of CPU time for what makes the kernel faster: other plans, proofs that entries can be found
  /// without a scan, or that loops may run in parallel. What isn't tried by then isn't used: the kernel is
  /// right without it. 0: no limit; then the same input always gives the same kernel, on whatever machine.
  double budget_seconds = 2;
  /// The machine that choices between plans are made for: "here", the one at hand, which is measured once, in
  /// less than half a second, and kept beside the compiled kernels; "portable", a fixed one; or a file that
  /// `unravel machine -o` has written. Empty: "here" for make_kernel, "portable" for make_c.
  std::string machine;
  /// Makes kernels too for layouts of which it isn't proved that they read nothing outside their arrays
  /// (kind "argument-range").
  bool trust = false;
};

/// A kernel as C99 that is C++ too, with or without OpenMP. One with wavefronts has its inspector in front,
/// `<function>_inspect`.
struct CSource {
  std::string function; // its name
  std::string source;   // includes "<function>.h"
  std::string header;   // one struct per layout, the prototype; its workspace where the kernel has one
};

/// Throws Error.
CSource make_c(const std::string &expression, const Options &options = {});

/// A kernel in this process. A handle: copies share the code, and the memory that the kernel works with,
/// which it keeps from call to call, one piece for each of the calls that run at once; both are freed with
/// the last handle.
class Kernel {
public:
  /// Calls it with pointers to the structs of its tensors, the results first, then the operands as they
  /// occur; the structs are those of make_c's header; a program's sizes that no tensor has, as in `size k;`,
  /// come last, each as a pointer to an std::int64_t. Of a result with an operand's structure the index
  /// arrays aren't read: null, or the operand's. Returns 0; 1 where their sizes disagree, and 2 where there
  /// is not enough memory to work with (nothing is changed then). Throws Error where the number of pointers
  /// is wrong, or one is null, or where a result is packed ("ell") and the layout has no place for an entry.
  /// May be called from several threads at once.
  int operator()(const std::vector<void *> &structs) const;
  /// Of a kernel with wavefronts (schedule "wavefront i"): finds out which iterations depend on which, in
  /// time proportional to a call's. Later calls, of tensors with the same index arrays ("wavefront i packed":
  /// and values), run in parallel where that pays; without, and for other numbers of iterations or other
  /// sizes that no tensor has, they are sequential. The structs are those of a call. Returns 0, or 1 where
  /// their sizes disagree; 0 too for a kernel without wavefronts. Not while a call runs.
  int inspect(const std::vector<void *> &structs) const;
  /// Of a kernel that assembles a sparse result (schedule "reuse"): computes the values anew, of the entries
  /// that a call has found, for operands with the same index arrays. The structs are those of the call.
  /// Returns as a call does. Throws Error for other kernels. May be called from several threads at once, with
  /// different results.
  int values(const std::vector<void *> &structs) const;
  /// How many threads its parallel loop takes from now on. Throws Error for less than one.
  void set_threads(int threads) const;

private:
  friend Kernel make_kernel(const std::string &, const Options &);
  struct Code;
  explicit Kernel(std::shared_ptr<const Code> code) : code_(std::move(code)) {}
  std::shared_ptr<const Code> code_;
};

/// Compiles in process, or with the system's C compiler where Unravel was built without LLVM; kernels are
/// kept on disk (UNRAVEL_CACHE_DIR). Throws Error. A program that lies outside of the tree where Unravel was
/// installed, and the tree not where it was configured to be, names lib/unravel/libunravel-clang.so by the
/// variable UNRAVEL_JIT_MODULE.
Kernel make_kernel(const std::string &expression, const Options &options = {});

/// "0.1.0"
std::string version();

} // namespace unravel
