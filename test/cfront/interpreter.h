#pragma once

#include "parse/tree.h"

#include <complex>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

/// Executes the tree of a program, statement by statement, on arrays as C has them.
namespace unravel::test {

/// Numbers before and behind what a pointer points to: subscripts may run out of the array, in the program as
/// in C.
inline constexpr std::int64_t margin = 1 << 14;

using Number = std::complex<double>; // also of what is real

struct World {
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, Number> scalars;
  std::map<std::string, std::vector<Number>> arrays; // of 2 * margin numbers, row-major from `margin` on
};

class Interpreter {
public:
  Interpreter(const parse::ProgramTree &tree, World &world);
  void run();
  std::size_t assignments() const { return assignments_; }

private:
  std::int64_t integer(const parse::Expression &e) const;
  bool holds(const parse::Expression &e) const;
  Number value(const parse::Expression &e);
  Number &element(const parse::Expression &e);
  /// Is it computed with complex numbers?
  bool is_complex(const parse::Expression &e) const;
  void body(const std::vector<parse::StatementTree> &statements);

  const parse::ProgramTree &tree_;
  World &world_;
  std::map<std::string, std::int64_t> loops_;
  std::map<std::string, Number> scalars_;             // declared in the program
  std::map<std::string, std::vector<Number>> locals_; // arrays of the function's own
  std::set<std::string> complex_;                     // of both
  std::map<std::string, std::vector<std::int64_t>> local_extents_;
  std::size_t assignments_ = 0;
};

} // namespace unravel::test
