#pragma once

#include "loop/loop.h"

#include <map>
#include <set>
#include <string>
#include <vector>

/// C text for kernels, clean under C99 and C++, with and without OpenMP.
///
/// One struct type per layout: 64-bit sizes, then counts, then pointers to the arrays, in the order in which
/// the program lists them; every member has 8 bytes, so a host may fill it as an array of slots. A kernel is
///
///     int name(result_type *y, const csr *A, const sv *x);
///
/// with one parameter per tensor in the program's order, then an `int64_t k` for each of the program's sizes.
/// A program with workspace arrays has one more,
///
///     int name(result_type *y, const csr *A, const sv *x, name_workspace *work);
///     void name_workspace_init(name_workspace *work);
///     void name_workspace_free(name_workspace *work);
///
/// a struct with a pointer and a capacity for each array, which the caller initialises once, passes to any
/// number of calls, one at a time, and frees; the kernel makes the arrays larger as it needs.
///
/// The kernel returns 0, or 1 (and does nothing) where a precondition fails, or 2 (and does nothing) where
/// there is not enough memory for the workspace, or 3 where a divisor was missed.
///
/// Of a result that the kernel assembles the caller sets the sizes, and nothing else. The kernel sets the
/// counts and makes the arrays, by malloc; for the struct csr there is a function
///
///     static inline void csr_free(csr *tensor);
///
/// that frees them. It returns 2 where there is not enough memory for them, and 4 where a count is above what
/// 32-bit indices hold: then, as where it returns 3, the struct is as it was and nothing is to be freed. With
/// 2 and 4 the workspace is an empty one.
///
/// Pointers of arrays must not be null where a kernel clears the array, even if empty.
namespace unravel::emit {

struct EmitOptions {
  /// Puts `#pragma omp parallel for` at parallel loops (under #ifdef _OPENMP).
  bool openmp_pragmas = true;
  /// For the compiler in process: the text includes nothing, declares what it needs, and has an entry
  /// `int unravel_entry(void **arguments)` that calls the kernel with pointers to the structs, then to an
  /// int64_t for each of the program's sizes. Where the program has a workspace, a pointer to that comes
  /// last, or null, and then it is made for the call; the text has `void *unravel_workspace_new(void)` (null
  /// without memory) and `void unravel_workspace_free(void *)` then, and not otherwise. The arrays of an
  /// assembled result are to be freed with free().
  bool in_process = false;
  /// The text includes "<kernel>.h" (emit_header) and doesn't declare the structs itself.
  bool with_header = false;
  /// Nor does it here, where a header that declares them is included above.
  bool is_declared = false;
  /// Sums over segments have a second form, with the processor's own gathers, which are fast on some
  /// processors and far slower than plain loads on others. Tested: both, and the kernel asks which processor
  /// runs it; -DUNRAVEL_GATHERS=0 or 1 decides beforehand. In process that is Never.
  enum class Gathers { Never, Tested, Always };
  Gathers gathers = Gathers::Tested;
};

/// The program as a C file. Precondition: loop::verify accepts it. Declarations that are never used are
/// dropped.
std::string emit_c(const loop::Program &program, const EmitOptions &options = {});

/// The same for the compiler in process.
std::string emit_in_process(const loop::Program &program,
                            EmitOptions::Gathers gathers = EmitOptions::Gathers::Tested);

/// A line of the C text, and what it was written for.
struct Line {
  std::string text;
  loop::Origins origins;  // of the innermost statement that the line belongs to
  bool of_kernel = false; // of the function and its comment, not of what they need
  bool behind = false;    // it comes behind what is inside of that: the brace that closes a loop
};
/// emit_c's text, line by line.
std::vector<Line> emit_lines(const loop::Program &program, const EmitOptions &options = {});

/// The header that goes with it: structs and prototype.
std::string emit_header(const loop::Program &program);

struct MainOptions {
  /// The text is a file of its own, which includes "<kernel>.h". Otherwise it goes behind emit_c's.
  bool with_header = false;
  /// By tensor: the name of the size of each mode, where that isn't the parameter's `sizes` (a square matrix
  /// has two modes of one size).
  std::map<std::string, std::vector<std::string>> modes;
  /// Sizes that follow from others, "y.M", unless they are known: sums of sizes of tensors, of integers that
  /// the kernel is given, and of constants.
  std::map<std::string, term::Term> following = {};
  /// By sparse result: the kernel whose workspace arrays, one per mode, say where its values lie (from 1 on;
  /// 0: nowhere). Its text stands in front. Without one such a result isn't written.
  std::map<std::string, loop::Program> places = {};
  /// The inspector that makes the kernel's last parameter, its levels, called before it; its text stands in
  /// front. Null: the kernel has none.
  const loop::Program *inspector = nullptr;
  /// Called behind the kernel, with the same tensors: it computes the values of the only result. Its text
  /// stands in front. Null: the kernel does.
  const loop::Program *values = nullptr;
  /// By result: what its values begin with, unless that is 0 or it is assembled.
  std::map<std::string, double> initial = {};
  /// By tensor: what elements are that aren't stored, unless that is 0.
  std::map<std::string, double> fills = {};
  /// By tensor whose pack function is given the fill as its last argument: that argument.
  std::map<std::string, std::string> packed_fills = {};
  /// The tensors of which packing adds up the entries of one coordinate.
  std::set<std::string> adding = {};
  /// The levels' size M and their counts, over sizes and counts of the other parameters.
  std::vector<term::Term> numbers = {};
};

/// A small main() for the kernel, in C99 and C++: `./spmv A=matrix.mtx x=ones -o y.mtx` reads the operands
/// (.mtx, from order 3 on .tns; or ones, zeros, a scalar's value), runs the kernel once and prints its time,
/// and the sum and first values of each result or writes it. Results are the first parameters, all of them
/// real or all complex. Sizes that no file gives follow from the preconditions that are plain
/// equalities; the program's own are given as `k=5`. It calls, and declares, for each struct type T of the
/// program
///
///     int pack_T(T *A, int64_t n, int64_t *const index[], const double *values, int64_t M, int64_t N);
///     void free_T(T *tensor);
///
/// pack_T makes a tensor of n entries, the e-th at (index[0][e], index[1][e], ...), in any order, with
/// duplicates to be summed, with the value values[e], of the type that packing::emit_pack_c says; it returns
/// 0, or an error. The sizes are the parameter's, in its order. The arrays of index and values may be null
/// where n is 0.
std::string emit_main(const loop::Program &program, const MainOptions &options = {});

/// What the C text calls a parameter's struct type, and its sizes, counts and arrays in it.
struct StructNames {
  std::string type;
  std::map<std::string, std::string> members; // all of them, by the names in the program
};
/// One for each parameter.
std::vector<StructNames> struct_names(const loop::Program &program);

/// The C identifier of the kernel: the program's name, changed where it isn't one or collides.
std::string kernel_name(const loop::Program &program);

} // namespace unravel::emit
