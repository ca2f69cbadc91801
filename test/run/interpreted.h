#pragma once

#include "loop/interpret.h"
#include "run/problem.h"
#include "run/small_inputs.h"

#include <optional>

/// A problem compiled to loops and run by the interpreter on small inputs.
namespace unravel::run::test {

/// The inputs of one run.
struct SmallCase {
  std::map<std::string, const Instance *> operands;
  Sizes sizes;
};

class Interpreted {
public:
  /// Compiles; throws what the compiler throws.
  explicit Interpreted(const Problem &problem);

  const pipeline::Compilation &compilation() const { return compilation_; }

  /// Runs and compares with the reference evaluator; a failure of the current test says all about the case.
  /// False where it failed.
  bool check(const SmallCase &input, const loop::InterpretOptions &options = {},
             Values values = Values::Exact) const;

  /// Draws an input at random: sizes, then an instance for each operand. Nothing where there is none of the
  /// sizes.
  std::optional<SmallCase> draw(std::mt19937_64 &random) const;

  /// All inputs of given sizes, if there are at most `limit`; else `limit` of them at random.
  std::vector<SmallCase> inputs(const Sizes &sizes, std::size_t limit, std::mt19937_64 &random) const;

private:
  void give_levels(loop::Memory &memory, const std::vector<std::int64_t> &numbers) const;
  void inspect(loop::Memory &memory) const;

  std::string describe(const SmallCase &input) const;

  Problem problem_;
  pipeline::Compilation compilation_;
  loop::Interpreter interpreter_;
  std::optional<loop::Interpreter> values_; // `reuse`
};

/// Sizes to try: 0, 1, 2, 3 of each index in several combinations.
std::vector<Sizes> small_sizes(const compute::Computation &computation);

} // namespace unravel::run::test
