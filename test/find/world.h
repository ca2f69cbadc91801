#pragma once

#include "prove/prover.h"
#include "term/term.h"

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

/// Concrete arrays for tests: the environment in which nests, properties and plans are executed.
namespace unravel::find::test {

/// Thrown where something reads outside an array or outside the segment of a find.
struct OutOfRange : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct World : term::Environment {
  std::map<std::string, std::int64_t> variables;
  std::map<std::string, std::vector<std::int64_t>> arrays;
  std::map<std::string, std::int64_t> strides; // of arrays with two arguments

  std::int64_t variable(const std::string &name) const override {
    auto at = variables.find(name);
    if (at == variables.end()) throw std::logic_error("no value for " + name);
    return at->second;
  }

  std::int64_t apply(const std::string &function, const std::vector<std::int64_t> &arguments) const override {
    const std::vector<std::int64_t> &values = arrays.at(function);
    std::int64_t at = arguments.at(0);
    if (arguments.size() == 2) {
      std::int64_t stride = strides.at(function);
      if (arguments[1] < 0 || arguments[1] >= stride) throw OutOfRange(function);
      at = at * stride + arguments[1];
    }
    if (at < 0 || at >= static_cast<std::int64_t>(values.size())) throw OutOfRange(function);
    return values[static_cast<std::size_t>(at)];
  }
};

/// Does the world satisfy the axiom for all values of its variables in [-1, 8]? (All test arrays are
/// smaller.)
inline bool satisfies(World world, const prove::Axiom &axiom) {
  std::vector<std::int64_t> values(axiom.variables.size(), -1);
  for (;;) {
    for (std::size_t k = 0; k < values.size(); ++k)
      world.variables[axiom.variables[k]] = values[k];
    if (evaluate(axiom.guard, world) && !evaluate(axiom.conclusion, world)) return false;
    std::size_t k = 0;
    while (k < values.size() && ++values[k] > 8)
      values[k++] = -1;
    if (k == values.size()) return true;
  }
}

} // namespace unravel::find::test
