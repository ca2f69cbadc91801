#pragma once

#include "check/operand_entries.h"
#include "compute/computation.h"

#include <map>
#include <set>
#include <string>
#include <vector>

/// Which elements of locals and results that list their entries are stored, while a program is executed.
namespace unravel::check {

class StoredElements {
public:
  /// `statements`: those of the program, free ones perhaps in loops; they outlive this. `listed`: the
  /// tensors.
  StoredElements(const compute::Program &program, const std::vector<compute::Statement> &statements,
                 const std::set<std::string> &listed);

  bool has(const std::string &tensor) const { return tensors_.contains(tensor); }
  /// Preconditions of the others: has(the tensor).
  bool contains(const std::string &tensor, const Coordinate &at) const {
    return tensors_.at(tensor).stored.contains(at);
  }
  /// What elements are that aren't stored: of a local as it is declared.
  double fill_of(const compute::Access &target) const;

  /// The statement has set the element at that coordinate, or added to it. It is stored from then on where
  /// `is_there`; unless all elements are set to what they are where they aren't stored: then none is.
  void note(const compute::Statement &statement, const Coordinate &at, bool is_there);

private:
  struct Tensor {
    bool is_local = false;
    double fill = 0; // of a local
    std::set<Coordinate> stored;
  };

  std::map<std::string, Tensor> tensors_;
  std::set<const compute::Statement *> emptying_; // that set all elements of a local to its fill
  std::set<const compute::Statement *> keeping_;  // that set some of them to it: what is stored stays so
};

} // namespace unravel::check
