#include "combine/refuse.h"

#include "combine/given_sizes.h"
#include "report/diagnostic.h"

#include <fmt/format.h>

namespace unravel::combine {

using compute::Access;
using report::Kind;

void refuse_outside(const Access &access, const std::string &range, const space::Set &outside,
                    const term::Substitution &size_of) {
  std::string where;
  if (auto sample = outside.sample())
    for (const auto &[atom, value] : *sample)
      where += fmt::format("{}{} = {}", where.empty() ? "" : ", ", name_of_size(atom, size_of), value);
  report::fail(Kind::outside_extent, access.span,
               fmt::format("`{}` may lie outside its tensor: {}{}", compute::to_text(access), range,
                           where.empty() ? "" : "; it isn't where " + where),
               "the loops' bounds and conditions must keep each subscript inside");
}

void refuse_divisor(const Access &access, const layout::Layout &layout, bool is_local) {
  report::fail(Kind::not_supported, access.span,
               fmt::format("`{}` divides, but has no place for each element: its layout is `{}`",
                           compute::to_text(access), layout.name),
               is_local ? "choose a dense layout: what isn't stored is zero"
                        : "choose a dense layout, or write the loops: a program looks for its divisors");
}

void refuse_mask_of_result(const Access &access) {
  report::fail(Kind::not_supported, access.span,
               fmt::format("the mask `{}` is written by the kernel itself", access.tensor),
               "use an operand as the mask");
}

void refuse_total_mask(const Access &access) {
  const std::string text = compute::to_text(access);
  report::fail(Kind::not_supported, access.span,
               fmt::format("`{}` stores every element: a mask by it says nothing", text),
               "a mask tests what is stored; to test values, write `select(" + text + ", ..., 0)`");
}

void check_adding(const compute::Statement &statement, const layout::Layout &layout) {
  const std::string &result = statement.target.tensor;
  const double identity = compute::identity_of(statement);
  if (statement.by == value::Operator::Add && statement.target.fill != identity)
    report::fail(Kind::sparse_result, statement.span,
                 fmt::format("`{}` begins without entries: there is nothing to add to", result),
                 "write `=`, or leave the result dense");
  if (statement.target.fill_or_zero() == identity) return; // what isn't stored is 0 where no fill is given
  report::fail(
      Kind::sparse_result, statement.span,
      fmt::format("`{}` has no fill, but what it is reduced by begins with {}", result, identity),
      fmt::format("give it one, as -f '{}={} fill {}', or leave it dense", result, layout.name, identity));
}

} // namespace unravel::combine
