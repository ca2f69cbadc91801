#pragma once

#include "find/world.h"
#include "prove/prover.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// Small random arrays that have the properties which layouts state, and all points of a formula in a small
/// box: brute force against which the rooms are tested.
namespace unravel::test {

using find::test::OutOfRange;
using find::test::World;
using Random = std::mt19937;

inline int below(Random &random, int bound) {
  return static_cast<int>(random() % static_cast<unsigned>(bound));
}

/// Does the axiom hold for all values of its variables in [-1, 5]?
inline bool holds(World &world, const prove::Axiom &axiom) {
  std::vector<std::int64_t> values(axiom.variables.size(), -1);
  for (;;) {
    for (std::size_t k = 0; k < values.size(); ++k)
      world.variables[axiom.variables[k]] = values[k];
    if (evaluate(axiom.guard, world) && !evaluate(axiom.conclusion, world)) return false;
    std::size_t k = 0;
    while (k < values.size() && ++values[k] > 5)
      values[k++] = -1;
    if (k == values.size()) return true;
  }
}

/// An array to be made: extents over sizes and counts.
struct WantedArray {
  std::string name;
  std::vector<term::Term> extents;
  bool is_value = false;
};

/// Arrays of random length and content: sorted or not, beginning with 0 or not; values 0 to 4.
inline void fill_array(Random &random, World &world, const WantedArray &array) {
  std::int64_t size = 1;
  for (const term::Term &extent : array.extents)
    size *= evaluate(extent, world);
  std::vector<std::int64_t> &elements = world.arrays[array.name];
  elements.assign(static_cast<std::size_t>(size), 0);
  if (array.is_value) return;
  for (std::int64_t &element : elements)
    element = below(random, 5);
  int shape = below(random, 4);
  if (shape > 0) std::sort(elements.begin(), elements.end());
  if (shape == 2 && !elements.empty()) elements.front() = 0;
  if (shape == 3 && below(random, 2)) std::reverse(elements.begin(), elements.end());
}

/// Tries to give the counts and arrays values such that all axioms hold; false after many failures.
inline bool fill_world(Random &random, World &world, const std::vector<std::string> &counts,
                       const std::vector<WantedArray> &arrays, std::vector<prove::Axiom> axioms) {
  std::stable_sort(axioms.begin(), axioms.end(), [](const prove::Axiom &a, const prove::Axiom &b) {
    return a.variables.size() < b.variables.size();
  });
  for (int round = 0; round < 20000; ++round) {
    // Kept for a while, or the arrays without entries, which are found soon, would be all that is found.
    for (const std::string &count : counts)
      if (round % 2500 == 0) world.variables[count] = below(random, 5);
    for (const WantedArray &array : arrays)
      fill_array(random, world, array);
    try {
      if (std::all_of(axioms.begin(), axioms.end(),
                      [&](const prove::Axiom &axiom) { return holds(world, axiom); }))
        return true;
    } catch (const OutOfRange &) {
    }
  }
  return false;
}

/// All points of a conjunction whose variables lie in [-low, high]. A part that reads outside an array counts
/// as false: in a checked layout other parts are false there.
class Points {
public:
  Points(const term::Term &formula, std::vector<std::string> variables, World world, int low = 1,
         int high = 5)
      : variables_(std::move(variables)), world_(std::move(world)), low_(low), high_(high),
        parts_(variables_.size() + 1) {
    for (const term::Term &part : term::conjuncts(formula)) {
      std::size_t last = 0;
      for (std::size_t k = 0; k < variables_.size(); ++k)
        if (term::mentions(part, variables_[k])) last = k + 1;
      parts_[last].push_back(part);
    }
    visit(0);
  }

  const std::vector<std::vector<std::int64_t>> &all() const { return points_; }

private:
  bool true_at(std::size_t known) {
    for (const term::Term &part : parts_[known]) {
      try {
        if (!evaluate(part, world_)) return false;
      } catch (const OutOfRange &) {
        return false;
      }
    }
    return true;
  }

  void visit(std::size_t known) {
    if (!true_at(known)) return;
    if (known == variables_.size()) {
      std::vector<std::int64_t> point;
      for (const std::string &variable : variables_)
        point.push_back(world_.variables.at(variable));
      points_.push_back(std::move(point));
      return;
    }
    for (std::int64_t value = -low_; value <= high_; ++value) {
      world_.variables[variables_[known]] = value;
      visit(known + 1);
    }
    world_.variables.erase(variables_[known]);
  }

  std::vector<std::string> variables_;
  World world_;
  int low_, high_;
  std::vector<std::vector<term::Term>> parts_; // by the number of variables that must be known
  std::vector<std::vector<std::int64_t>> points_;
};

} // namespace unravel::test
