#include "value/operators.h"

namespace unravel::value {

const std::array<Laws, 5> all_operators = {{
    {Operator::Negate, "minus", "", 1, false, Arguments::All},
    {Operator::Add, "sum", "+", 2, true, Arguments::None},
    {Operator::Multiply, "product", "*", 2, true, Arguments::All},
    {Operator::Divide, "quotient", "/", 2, false, Arguments::First},
    {Operator::Stored, "stored", "", 1, false, Arguments::None},
}};

const Laws &laws_of(Operator op) {
  return all_operators[static_cast<std::size_t>(op)];
}

bool is_linear_in(Operator op, std::size_t argument) {
  switch (laws_of(op).linear) {
  case Arguments::None: return false;
  case Arguments::First: return argument == 0;
  case Arguments::All: return true;
  }
  return false;
}

} // namespace unravel::value
