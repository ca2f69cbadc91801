#pragma once

#include "compute/computation.h"

#include <functional>

/// Values as sums of quotients of products: what brackets say is multiplied out.
namespace unravel::compute {

/// The terms of a sum.
using Sum = std::vector<Value>;

/// The value that an expression stands for; `access` makes a tensor's access. Throws mistakes: what is no
/// value, division by a sum or by zero.
Sum sum_of(const parse::Expression &written, const std::function<Access(const parse::Expression &)> &access);

Sum negated(Sum sum);

/// x = x + e is x += e: takes the target's old value out of a sum of several terms. False where it isn't one.
bool take_old_value(Sum &sum, const Access &target);

} // namespace unravel::compute
