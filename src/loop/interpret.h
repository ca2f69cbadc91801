#pragma once

#include "loop/loop.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// The loop IR run without a C compiler: the judge of every other stage, and of finds on all small inputs.
namespace unravel::loop {

/// What the kernel is given, by qualified names ("A.rowptr", "A.val", "A.M").
struct Memory {
  std::map<std::string, std::vector<std::int64_t>> indices;
  std::map<std::string, std::vector<double>> values;
  std::map<std::string, std::int64_t> sizes; // sizes and counts
  std::map<std::string, std::vector<double>> imaginary =
      {}; // of complex values, whose real parts `values` has
};

/// Is told what happens in a run, as it happens: for inspection. Variables and arrays have numbers.
class Observer {
public:
  virtual ~Observer() = default;
  /// The run begins; the arrays are those of the parameters and of the workspace.
  virtual void start(const std::vector<std::string> &variables, const std::vector<std::string> &arrays) = 0;
  /// An iteration of a For begins, or of a While whose body begins with a Let: with this value of the
  /// variable.
  virtual void enter(std::size_t variable, std::int64_t value) = 0;
  virtual void leave(std::size_t variable) = 0;
  /// Elements of an array are read or written: `count` of them, from that slot on.
  virtual void touch(std::size_t array, std::int64_t slot, std::int64_t count) = 0;
  /// A product is added to the result, or to a sum on its way there, or is an entry that is appended to it:
  /// one point of an iteration space.
  virtual void point() = 0;
  /// Values are joined by an operator: so many times. A reduction is one time; a conversion is none.
  virtual void operate(std::size_t times) { static_cast<void>(times); }
};

struct InterpretOptions {
  /// Iterations of all loops together; beyond it the run fails.
  std::int64_t iteration_budget = 100'000'000;
  /// Runs the iterations of every parallel loop in an order drawn from `seed`, and fails where two race for
  /// an element: both touch it, and one writes to it, not both atomically.
  bool permute_parallel = false;
  std::uint64_t seed = 1;
  /// Then what a thread must leave behind in its own arrays isn't checked: an iteration costs what it does.
  Observer *observer = nullptr;
};

/// A program with its names resolved, to be run many times. Values that aren't integers are computed in
/// double precision, integers exactly (types.h); but what lies in memory is a double, which may round one of
/// 64 bits.
class Interpreter {
public:
  /// Verifies the program (verify.h). The program isn't needed afterwards.
  explicit Interpreter(const Program &program);
  ~Interpreter();
  Interpreter(Interpreter &&) noexcept;
  Interpreter &operator=(Interpreter &&) noexcept;

  /// What the kernel returns: 0, 1 where a precondition fails (nothing is changed then), 3 where a divisor
  /// was missed. Of an assembled result the memory need hold nothing but the sizes; its counts and arrays are
  /// set when the run ends with 0, and otherwise left as they are: also where it returns 4, since a count is
  /// above what the index arrays hold, or 2, since nobody has memory for so many elements. Fails with kind
  /// internal, naming array, slot and extent, when an access lies outside the array's extents or its vector;
  /// when a size or an array that the body uses isn't given; when the budget is used up; when a workspace
  /// array doesn't hold its initial value again at the end, or, where each thread has its own, after an
  /// iteration of a parallel loop; when a count is set for which less was reserved. Workspace arrays without
  /// initial value begin with odd values, those of threads in each iteration.
  int run(Memory &memory, const InterpretOptions &options = {}) const;

private:
  struct Code;
  std::unique_ptr<const Code> code_;
};

/// Interpreter(program).run(memory, options).
int interpret(const Program &program, Memory &memory, const InterpretOptions &options = {});

} // namespace unravel::loop
