#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Unravel as a library. From tensors in any layout and an assignment in tensor index notation, or a program,
/// it makes the result, a kernel that can be called, or C text. Functions may be called from several threads
/// at once. docs/library.md shows it.
///
///     unravel::Tensor A = unravel::Tensor::read("matrix.mtx", "csr");
///     unravel::Tensor x = unravel::Tensor::over("dense", {n}, {{"val", my_vector}}); // no copy
///     unravel::Tensor y = unravel::evaluate("y(i) = A(i,j) * x(j)", {{"A", A}, {"x", x}});
///
///     unravel::Kernel kernel = unravel::make_kernel("y(i) = A(i,j) * x(j)", {{"A", A}, {"x", x}});
///     kernel(y, A, x);                               // again and again, into y
///     kernel({{"y", y}, {"A", A}, {"x", x}});        // the same by names
namespace unravel {

/// Why an input is refused. what() is the whole message, with the place underlined.
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
enum class ValueType {
  Float32,
  Float64,
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Complex64, // std::complex<float>, C's float _Complex
  Complex128
};

/// "f64", "int32": as written after a layout.
std::string name_of(ValueType type);
/// Bytes of one element.
std::size_t size_of(ValueType type);

/// The type of elements of a C++ type.
template <class T> constexpr ValueType value_type() {
  using U = std::remove_const_t<T>;
  if constexpr (std::is_same_v<U, bool>)
    return ValueType::Bool;
  else if constexpr (std::is_same_v<U, float>)
    return ValueType::Float32;
  else if constexpr (std::is_same_v<U, double>)
    return ValueType::Float64;
  else if constexpr (std::is_same_v<U, std::complex<float>>)
    return ValueType::Complex64;
  else if constexpr (std::is_same_v<U, std::complex<double>>)
    return ValueType::Complex128;
  else {
    static_assert(std::is_integral_v<U> && sizeof(U) <= 8, "a type that the elements of arrays have");
    constexpr ValueType with_sign[] = {ValueType::Int8, ValueType::Int16, ValueType::Int32, ValueType::Int64};
    constexpr ValueType without[] = {ValueType::UInt8, ValueType::UInt16, ValueType::UInt32,
                                     ValueType::UInt64};
    constexpr int log_size = sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3;
    return std::is_signed_v<U> ? with_sign[log_size] : without[log_size];
  }
}

/// Elements of one type in somebody's memory: a vector's, a span's, or `count` ones from a pointer on.
class Array {
public:
  template <class T>
  Array(T *data, std::size_t count)
      : type_(value_type<T>()), data_(const_cast<std::remove_const_t<T> *>(data)), count_(count),
        writable_(!std::is_const_v<T>) {}
  template <class T> Array(std::vector<T> &elements) : Array(elements.data(), elements.size()) {}
  template <class T> Array(const std::vector<T> &elements) : Array(elements.data(), elements.size()) {}
  template <class T> Array(std::vector<T> &&) = delete; // it would be gone
  template <class T> Array(std::span<T> elements) : Array(elements.data(), elements.size()) {}
  Array(ValueType type, void *data, std::size_t count, bool writable)
      : type_(type), data_(data), count_(count), writable_(writable) {}

  ValueType type() const { return type_; }
  void *data() const { return data_; }
  std::size_t count() const { return count_; }
  /// May results be written there?
  bool is_writable() const { return writable_; }

private:
  ValueType type_;
  void *data_;
  std::size_t count_;
  bool writable_;
};

/// The entries of a tensor: entry e has the value values[e] at (indices[0][e], indices[1][e], ...), indices
/// count from 0. Entries of equal coordinates add up.
struct Coordinates {
  std::vector<std::int64_t> shape;
  std::vector<std::vector<std::int64_t>> indices; // per mode
  std::vector<double> values;
  std::vector<double> imaginary = {}; // of complex values, whose real parts are `values`; else empty
  /// Values of int64 or, as their bits, of uint64: exact, where `values` are rounded beyond 2^53 (or empty).
  std::vector<std::int64_t> integers = {};
};

/// How thoroughly the arrays of Tensor::over are checked. A kernel relies on them: on arrays that break a
/// property of their layout it may read outside them.
enum class Check {
  Full,    // extents and all properties, in time linear in the arrays
  Extents, // that each array has as many elements as the layout says, in constant time
};

/// A tensor in a layout: its sizes, counts and arrays. A handle: copies are the same tensor. Layouts are
/// given as text: "csr", "bcsr<4,4>", "./mine.layout:name", or the text of a layout itself, "layout mine(i:
/// M) {...}"; a type of values and a fill may follow, "csr int32 fill inf". Several threads must not change
/// one tensor at the same time.
class Tensor {
public:
  /// An empty handle, which can only be assigned to.
  Tensor() = default;

  /// From a file (.mtx, .tns, each also with .gz; .npy), in a layout of the order that the file's tensor has,
  /// or of `order`: a matrix of one column may become a vector. A .npy file's type of elements is kept where
  /// the layout doesn't say another. From a folder of arrays (`unravel convert`), in the layout that they are
  /// in, where `layout` is empty; these are taken as they are, without `combine` (see pack). Throws Error.
  static Tensor read(const std::string &path, const std::string &layout = "",
                     std::optional<std::size_t> order = std::nullopt, const std::string &combine = "");
  /// The caller's own arrays, by the layout's names: they are not copied, and must live as long as the tensor
  /// and its copies, or as long as `owner` does. Arrays of values have any type; index arrays are int32 or
  /// int64, all of a tensor the same, but for those whose type the layout states. `shape`: the extents of the
  /// modes. `counts`: those that follow neither from the layout's equations nor from an array's length.
  /// Throws Error, which says which array has how many elements too few.
  static Tensor over(const std::string &layout, const std::vector<std::int64_t> &shape,
                     const std::map<std::string, Array> &arrays,
                     const std::map<std::string, std::int64_t> &counts = {}, Check check = Check::Full,
                     std::shared_ptr<void> owner = nullptr);
  /// From coordinates, packed: arrays of its own. Values are of the type that the layout's text says, else
  /// `type`; index arrays as `index` says. Of integers beyond 2^53 doubles are refused: `integers` of the
  /// entries are exact. Entries of one coordinate are added up, or stay apart where the layout holds several;
  /// `combine` names an operator of two arguments that makes one value of them instead, in the order of the
  /// entries, in the type of the values: "min", "or", "first", "second", "+". Throws Error.
  static Tensor pack(const std::string &layout, const Coordinates &entries,
                     ValueType type = ValueType::Float64, IndexType index = IndexType::Int32,
                     const std::string &combine = "");
  /// A tensor without entries; in a dense layout zeros.
  static Tensor zeros(const std::string &layout, const std::vector<std::int64_t> &shape,
                      ValueType type = ValueType::Float64, IndexType index = IndexType::Int32);
  /// A tensor of order 0.
  static Tensor scalar(double value);
  static Tensor scalar(std::complex<double> value);
  /// In another layout: arrays of its own, of the same types, directly where the order of entries allows it,
  /// else by coordinates. Integers stay exact. Throws Error.
  Tensor to(const std::string &layout) const;
  /// Another tensor over the same arrays, which live as long as it does, also if a kernel computes this one
  /// anew.
  Tensor same_arrays() const;

  explicit operator bool() const { return state_ != nullptr; }
  /// The layout's name, with parameters: "bcsr<4, 4>".
  const std::string &layout() const;
  std::size_t order() const { return shape().size(); }
  const std::vector<std::int64_t> &shape() const;
  /// By the layout's names, "M", "NNZ": its sizes and counts.
  std::map<std::string, std::int64_t> numbers() const;
  /// In the layout's order.
  std::vector<std::string> array_names() const;
  bool has_array(const std::string &name) const;
  /// Throws Error where the layout has none of that name. The memory lives as long as the tensor is not
  /// computed anew.
  Array array(const std::string &name) const;
  /// The same as elements of that type; throws Error where they have another.
  template <class T> std::span<T> elements(const std::string &name) const {
    const Array found = array_of(name, value_type<T>());
    return {static_cast<T *>(found.data()), found.count()};
  }
  /// The types of the values and of the index arrays, if it has such.
  std::optional<ValueType> value_type_of() const;
  std::optional<ValueType> index_type_of() const;
  /// The only element of one of order 0, rounded where no double holds it. Throws Error where it is complex.
  double value() const;
  std::complex<double> complex_value() const;
  /// All entries, in the order of the arrays, with zeros that are stored; their `integers` too, of int64 and
  /// uint64.
  Coordinates coordinates() const;
  /// All elements, row-major, rounded where no double holds them. Throws Error where they are complex.
  std::vector<double> to_dense() const;
  /// The same of any type.
  std::vector<std::complex<double>> to_complex_dense() const;
  /// Are both handles of one tensor?
  friend bool operator==(const Tensor &a, const Tensor &b) { return a.state_ == b.state_; }

  struct State;

private:
  friend struct Access;
  Array array_of(const std::string &name, ValueType type) const;
  explicit Tensor(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

using Tensors = std::map<std::string, Tensor>;

struct Options {
  /// Per tensor its layout, as text: see Tensor. Of the result also "like:S", the structure of the operand S,
  /// whose index arrays aren't copied. Others are dense, row-major. A type of values may follow: "csr int32",
  /// "dense bool".
  std::map<std::string, std::string> formats;
  /// Schedules (docs/schedules.md): "order i, A.p, j; parallel i".
  std::vector<std::string> schedules;
  /// Of the C function; changed where it isn't an identifier or collides with one of C or C++.
  std::string name = "kernel";
  /// Only of make_c: a prefix for the names of all functions and structs, for programs that have others
  /// called `csr` or `kernel`; letters, digits and _.
  std::string prefix;
  /// Only of make_c: the structs of operands hold pointers to const arrays, and are named `const_csr` and the
  /// like.
  bool const_operands = false;
  /// The type of index arrays for which neither a tensor nor the layout states one.
  IndexType index = IndexType::Int32;
  /// Of the values of tensors whose formats don't say theirs, and of results; where it isn't given f64, and
  /// of results what C's conversions make of the operands' types. Tensors that a kernel is made for or called
  /// with bring their own.
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
  /// Methods of finding entries (docs/find-synthesis.md): "x=binary", "x.p=scan".
  std::vector<std::string> finds;
  /// Threads of a kernel's parallel loops; if it isn't given, as OpenMP chooses (OMP_NUM_THREADS).
  std::optional<int> threads;
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
/// For the types, layouts and counts of these tensors.
CSource make_c(const std::string &expression, const Tensors &tensors, const Options &options = {});

/// The stages of the compiler in a row: iteration space, order of loops, dependences, finds with their
/// proofs, loops, C. For people. Throws Error.
std::string explain(const std::string &expression, const Options &options = {});
std::string explain(const std::string &expression, const Tensors &tensors, const Options &options = {});
/// The same as one page of HTML, which needs no network; with the arrays of the tensors drawn.
std::string explain_as_html(const std::string &expression, const Options &options = {});
std::string explain_as_html(const std::string &expression, const Tensors &tensors,
                            const Options &options = {});

/// What a kernel is called with, for the time of the call: a tensor, or a number for a scalar or for a
/// program's size.
class Argument {
public:
  Argument(const Tensor &tensor) : tensor_(&tensor) {}
  template <class T>
  requires std::is_arithmetic_v<T> Argument(T number)
      : number_(static_cast<double>(number)), is_integer_(std::is_integral_v<T>) {}
  Argument(std::complex<double> number)
      : number_(number.real()), imaginary_(number.imag()), is_complex_(true) {}

  const Tensor *tensor() const { return tensor_; }
  double number() const { return number_; }
  /// 0 for real numbers.
  double imaginary() const { return imaginary_; }
  bool is_integer() const { return is_integer_; }
  bool is_complex() const { return is_complex_; }

private:
  const Tensor *tensor_ = nullptr;
  double number_ = 0;
  double imaginary_ = 0;
  bool is_integer_ = false;
  bool is_complex_ = false;
};
struct NamedArgument {
  std::string_view name;
  Argument argument;
};

/// A kernel in this process. A handle: copies share the code, and the memory that the kernel works with,
/// which it keeps from call to call, one piece for each of the calls that run at once; both are freed with
/// the last handle.
///
/// It is called with tensors in the layouts that it was made for. Their element types may be others than
/// those that it was made for: machine code for these is made then, in some milliseconds, and kept. Calls
/// throw Error where there are too many or too few arguments (kind wrong-arity), where a name is not one of
/// the computation's (unknown-tensor), where a tensor is in another layout (unknown-layout) or has values of
/// a type that a format excludes (value-width), where sizes disagree (size-mismatch: which, and what each
/// says), where a result is read-only or an operand too (result-is-operand). Nothing is changed then. A call
/// of a kernel with dense results takes less than a microsecond besides its work.
class Kernel {
public:
  /// The tensors of the computation, results first, then the operands as they occur, then a program's sizes
  /// that no tensor has. Results that are given are filled in place: a dense one is set or, by `+=`, added
  /// to; one that has an operand's structure has its index arrays; others get new arrays. Results that are
  /// left out (all of them) are made. Returns the first result.
  template <class... Arguments>
  requires(sizeof...(Arguments) > 0 && (std::is_convertible_v<const Arguments &, Argument> && ...)) Tensor
  operator()(const Arguments &...arguments) const {
    const Argument all[] = {Argument(arguments)...};
    return call(std::span<const Argument>(all));
  }
  /// The same by names, in any order; also extents of indices that no tensor tells, as numbers: {"i", 6}.
  Tensor operator()(std::initializer_list<NamedArgument> arguments) const {
    return call(std::span<const NamedArgument>(arguments.begin(), arguments.size()));
  }
  Tensor call(std::span<const Argument> arguments) const;
  Tensor call(std::span<const NamedArgument> arguments) const;
  /// All results, by name, given or made.
  Tensors results(std::span<const NamedArgument> arguments) const;

  /// The names of the arguments of a call, in its order.
  std::vector<std::string> arguments() const;
  /// How many of them are results, which come first.
  std::size_t result_count() const;

  /// Calls it with pointers to the structs of its tensors, the results first, then the operands as they
  /// occur; the structs are those of make_c's header; a program's sizes that no tensor has, as in `size k;`,
  /// come last, each as a pointer to an std::int64_t. Of a result with an operand's structure the index
  /// arrays aren't read: null, or the operand's. Returns 0 on success, 1 if sizes
  /// disagree, 2 if memory runs out; on an error nothing is changed. Throws Error if the number of pointers
  /// is wrong, or one is null, or if a result is packed ("ell") and the layout has no place for an entry. May
  /// be called from several threads at once.
  int operator()(const std::vector<void *> &structs) const;
  /// Of a kernel with wavefronts (schedule "wavefront i"): finds out which iterations depend on which, in
  /// time proportional to a call's. Later calls, of tensors with the same index arrays ("wavefront i packed":
  /// and values), run in parallel where that pays; without, and for other numbers of iterations or other
  /// sizes that no tensor has, they are sequential. The structs are those of a call. Returns 0, or 1 where
  /// their sizes disagree; 0 too for a kernel without wavefronts. Not while a call runs.
  int inspect(const std::vector<void *> &structs) const;
  /// With the tensors of a call, its results too.
  void inspect(std::initializer_list<NamedArgument> arguments) const;
  /// Of a kernel that assembles a sparse result (schedule "reuse"): computes the values anew, of the entries
  /// that a call has found, for operands with the same index arrays. The structs are those of the call.
  /// Returns as a call does. Throws Error for other kernels. May be called from several threads at once, with
  /// different results.
  int values(const std::vector<void *> &structs) const;
  /// With the tensors of a call, its results too.
  void values(std::initializer_list<NamedArgument> arguments) const;
  /// How many threads its parallel loop takes from now on. Throws Error for less than one.
  void set_threads(int threads) const;

  struct Code;

private:
  friend struct Access;
  explicit Kernel(std::shared_ptr<const Code> code) : code_(std::move(code)) {}
  /// Throws Error for a handle that was moved from.
  const Code &code() const;
  std::shared_ptr<const Code> code_;
};

/// Compiles in process, or with the system's C compiler where Unravel was built without LLVM; kernels are
/// kept on disk (UNRAVEL_CACHE_DIR). Throws Error. The compiler in process is the file
/// lib/unravel/libunravel-clang.so, looked for beside and above the program or shared library that this code
/// is part of, then where Unravel was configured to be installed; the variable UNRAVEL_JIT_MODULE names
/// another one.
Kernel make_kernel(const std::string &expression, const Options &options = {});
/// For these tensors: their layouts, types, and counts, which choices between plans rest on. It may be called
/// with others in the same layouts.
Kernel make_kernel(const std::string &expression, const Tensors &tensors, const Options &options = {});

/// Makes a kernel for the operands, calls it once and returns its first result, which is in the layout that
/// the options' formats say, else dense. Throws Error.
Tensor evaluate(const std::string &expression, const Tensors &operands, const Options &options = {});

/// "0.1.0"
std::string version();

} // namespace unravel
