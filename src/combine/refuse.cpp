#include "combine/refuse.h"

#include "report/diagnostic.h"

#include <fmt/format.h>

namespace unravel::combine {

using compute::Access;
using report::Kind;

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

void refuse_adding(const compute::Statement &statement) {
  report::fail(
      Kind::sparse_result, statement.span,
      fmt::format("`{}` begins without entries: there is nothing to add to", statement.target.tensor),
      "write `=`, or leave the result dense");
}

} // namespace unravel::combine
