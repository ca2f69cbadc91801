#pragma once

#include "check/reference.h"
#include "check/reference_program.h"
#include "pipeline.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// Computations with layouts, all together and one by one: what the tests of whole kernels go over.
namespace unravel::run::test {

/// A computation with a layout for each of its tensors and, maybe, a schedule.
struct Problem {
  std::string expression;                     // or a program; with `from`: the text of the C
  std::map<std::string, std::string> formats; // "@name": of test/layouts/odd.layout
  std::vector<std::string> schedules;
  std::vector<std::string> finds;
  std::string name = "kernel";
  loop::ElementType index = loop::ElementType::Int32;
  loop::ElementType value = loop::ElementType::Float64;
  std::optional<std::size_t> only_alternative; // as in pipeline::Request
  schedule::Counts counts;                     // likewise: right or wrong, they only decide about speed
  bool untiled_for_one_tile = true;            // likewise
  double budget = 0;                           // likewise
  std::string from;                            // likewise

  pipeline::Request request() const;
  /// As one would type it.
  std::string text() const;
};

/// A computation and what its tensors may be stored in.
struct Computation {
  std::string expression;
  /// Per tensor that isn't dense: "matrix" or "vector", or a list of layouts.
  std::map<std::string, std::vector<std::string>> choices;
};

/// Sums over segments, told that these are mostly empty, or long.
std::vector<Problem> with_known_lengths();

const std::vector<std::string> &shipped_matrices();
/// Layouts of the literature: for matrices of any shape; for square ones; for tensors of order 3; of order 4.
const std::vector<std::string> &literature_matrices();
const std::vector<std::string> &literature_squares();
const std::vector<std::string> &literature_tensors();
const std::vector<std::string> &literature_order_4();
const std::vector<std::string> &odd_matrices();
const std::vector<std::string> &vectors();

/// All computations of the first issue.
const std::vector<Computation> &computations();

/// Every computation with every choice of layouts, in a fixed order.
std::vector<Problem> all_problems();

/// A seeded sample of `count` problems (or some more) in which every computation, every layout and every pair
/// of the layouts of `shipped_matrices` that some computation has occurs; all of them where
/// UNRAVEL_TEST_ALL=1. UNRAVEL_TEST_SEED=N takes another sample.
std::vector<Problem> sample_of(const std::vector<Problem> &problems, std::size_t count, std::uint64_t seed);

/// A seeded sample as above of the problems that have a layout of the literature.
std::vector<Problem> literature_sample(std::size_t count, std::uint64_t seed);

/// Problems that have several plans each.
std::vector<Problem> with_alternatives();

/// A problem with a walk whose states are kept in an array, and how.
struct ArrayState {
  Problem problem;      // its --find asks for sequential iteration
  std::string found;    // the variable
  std::string index;    // of a slot
  std::string room;     // elements of the array
  bool per_thread;      // whether threads have arrays of their own
  std::string parallel; // the parallel loop's variable
};
std::vector<ArrayState> array_states();

/// How many plans a leaf has, at most: its alternatives and the main one.
std::size_t number_of_plans(const Problem &problem);

bool take_all();

/// Primes in turn: values that make every sum of products tell its terms.
double prime(std::size_t k);

/// Extents of the index variables, and of tensors where they follow from no plain subscript.
struct Sizes {
  std::map<std::string, std::int64_t> indices;
  std::int64_t shifted_surplus = 0; // a mode subscripted with a shift has the index's extent plus this
};

/// The shape that a tensor has, or nothing where its accesses disagree.
std::optional<std::vector<std::int64_t>> shape_of(const compute::Computation &computation,
                                                  const std::string &tensor, const Sizes &sizes);

/// The names whose values are `Sizes`: index variables, of a program its sizes.
const std::vector<std::string> &names_of_sizes(const compute::Computation &computation);

/// Of a program: do its sizes keep all subscripts inside of their tensors, and are none less than declared?
bool stays_inside(const compute::Computation &computation, const Sizes &sizes);

/// Gives the sizes that no tensor has other values, of any sign: the `number`-th of several choices.
void choose_given(const compute::Computation &computation, Sizes &sizes, std::size_t number);

/// Of a program, with the first divisor that isn't stored.
check::ProgramReference program_reference(const compute::Computation &computation,
                                          const std::map<std::string, const data::Coordinates *> &operands,
                                          const Sizes &sizes, const std::vector<double> &initial,
                                          const std::vector<double> &imaginary = {});

/// What the reference evaluator says.
check::Reference reference_of(const compute::Computation &computation,
                              const std::map<std::string, const data::Coordinates *> &operands,
                              const Sizes &sizes, const std::vector<double> &initial,
                              const std::vector<double> &imaginary = {});

/// Which values operands have.
enum class Values {
  Exact,     // numbers whose sums and products are exact
  Special,   // among them zeros, infinities and NaN
  Cancelling // -1, 0 and 1
};

/// Every few elements another value that spoils a sum: a zero, an infinity, a NaN.
double special(std::size_t k, double otherwise);

/// A tensor with random entries: about `density` of all, some of them twice where `repeats` is set; values
/// are small integers, so that sums are exact.
data::Coordinates random_tensor(const std::vector<std::int64_t> &shape, double density, bool repeats,
                                std::mt19937_64 &random);

} // namespace unravel::run::test
