#include "check/free_statement.h"

#include <algorithm>

namespace unravel::check {

using compute::Access;
using compute::Statement;

Statement in_loops(const Statement &free, const ProgramInput &input) {
  Statement made = free;
  made.is_free = false, made.accumulate = true;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> bounds = input.ranges;
  std::vector<std::string> order;
  auto visit = [&](const Access &access) {
    const auto operand = input.operands.find(access.tensor);
    const std::vector<std::int64_t> &shape =
        operand == input.operands.end() ? input.results.at(access.tensor).shape : operand->second->shape;
    for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
      const compute::Subscript &own = access.subscripts[k];
      auto &[low, high] = bounds.try_emplace(own.index, 0, INT64_MAX).first->second;
      low = std::max({low, -own.shift, std::int64_t{0}});
      high = std::min(high, shape.at(k) - own.shift);
      if (std::ranges::find(order, own.index) == order.end()) order.push_back(own.index);
    }
  };
  for (const bool factors : {true, false})
    compute::each_read(free, [&](const Access &access) {
      if (compute::is_factor(free, access) == factors) visit(access);
    });
  visit(free.target);
  for (const std::string &index : order) {
    const auto [low, high] = bounds.at(index);
    made.loops.push_back({index, term::Term(low), term::Term(high)});
    made.place.push_back(0);
  }
  return made;
}

} // namespace unravel::check
