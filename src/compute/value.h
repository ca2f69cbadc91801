#pragma once

#include "compute/own_operators.h"

#include <functional>
#include <optional>

/// Values as terms that are reduced by one operator, sums of quotients of products above all: what brackets
/// say is multiplied out.
namespace unravel::compute {

/// What `+` and `*` mean in an assignment, and what its terms are reduced by.
struct Algebra {
  value::Operator add = value::Operator::Add, multiply = value::Operator::Multiply;
  value::Operator by = value::Operator::Add; // with `in` the same as `add`
  bool is_semiring = false;                  // `in min.+`: what isn't stored is nothing

  bool is_plain() const { return add == value::Operator::Add && multiply == value::Operator::Multiply; }
};

/// Throws mistakes: names of no operators, reductions by operators that have no identity.
Algebra algebra_of(const parse::AssignmentTree &tree, const Operators &operators);

/// Throws a mistake where `+` and `*` mean other operators, so that `what` ("a difference") means nothing.
void refuse_in_semiring(const Algebra &algebra, const text::Span &span, const std::string &what);

/// Terms that are combined by `+`, whatever it means.
using Sum = std::vector<Value>;

/// What a name or an access stands for: a tensor's access, or a coordinate.
using LeafOf = std::function<Value(const parse::Expression &)>;

/// The value that an expression stands for. Throws mistakes: what is no
/// value, division by a sum or by zero, a sum in a product that can't be multiplied out.
Sum sum_of(const parse::Expression &written, const LeafOf &leaf, const Algebra &algebra,
           const Operators &operators);

Sum negated(Sum sum);

/// The terms that the target is reduced by, one after the other. `as_one`: one that stands for all.
std::vector<Value> reduced_terms(Sum sum, const Algebra &algebra, bool as_one = false);

/// x = x + e is x += e, x = min(x, e) is x min= e: takes the target's old value out, and says by what the
/// rest is reduced. None where there is no such old value.
std::optional<value::Operator> take_old_value(Sum &sum, const Access &target, const Algebra &algebra);

/// Throws a mistake where the name of a tensor that is assigned to, or declared, is that of an operator.
void check_target_name(const parse::Name &name, const Operators &operators);

/// Whether the name stands for infinity or NaN in values.
bool is_number_name(const std::string &name);

/// Throws a mistake where that name of a number, `what`, means another in values.
void check_number_name(const parse::Name &name, const std::string &what);

} // namespace unravel::compute
