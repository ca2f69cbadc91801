#pragma once

#include "loop/loop.h"

#include <map>
#include <optional>
#include <string>

/// The types of a program's values. A value is computed in one type: C's common type of all that it reads, as
/// the program has explicit conversions (value::conversion_to) where that isn't the type of some part. Of its
/// numbers only those that no integer type holds make it one of floating point, and so do roots and the like.
namespace unravel::loop {

class Types {
public:
  explicit Types(const Program &program);

  /// Of an array's elements.
  ElementType of_array(const std::string &array) const { return arrays_.at(array); }
  /// As it is declared, else that of its initial value; where that is a number, of the array that the local
  /// is written to, else of what is written to the local, else what all values have in common.
  ElementType of_local(const std::string &local) const;
  ElementType of(const Target &target) const;
  /// What the value is computed in; none of a number that every type holds.
  std::optional<ElementType> of(const Value &value) const;
  /// Of what a part is taken of a complex number in this type; none of other operators.
  std::optional<ElementType> below_part(const Value::Apply &made) const;
  /// Is there an integer among the values?
  bool has_integers() const { return has_integers_; }

private:
  void find(const Block &body);
  std::optional<ElementType> of_leaf(const Value &leaf) const;

  std::map<std::string, ElementType> arrays_, locals_;
  ElementType common_ = ElementType::Float64;
  bool has_integers_ = false, has_complex_ = false;
};

} // namespace unravel::loop
