#include "combine/structure.h"

#include "combine/naming.h"
#include "layout/structure.h"
#include "report/diagnostic.h"
#include "report/suggest.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace unravel::combine {

using compute::Access;
using compute::Subscript;
using report::Kind;

namespace {

bool has_index(const Access &access, const std::string &index) {
  return std::ranges::any_of(access.subscripts,
                             [&](const Subscript &subscript) { return subscript.index == index; });
}

/// How much of the result's subscripts a factor has, as plain ones: indices, then indices of the same mode.
std::pair<std::size_t, std::size_t> in_common(const Access &target, const Access &factor) {
  std::size_t indices = 0, modes = 0;
  for (std::size_t k = 0; k < target.subscripts.size(); ++k) {
    const std::string &index = target.subscripts[k].index;
    indices += has_plain(factor, index);
    modes += k < factor.subscripts.size() && is_plain(factor.subscripts[k], index);
  }
  return {indices, modes};
}

/// The occurrence of the tensor that has most in common with the result: a factor, or a mask.
const Access &factor_named(const compute::Statement &statement, const parse::LayoutReference &reference) {
  const Access *best = nullptr;
  std::vector<std::string> names;
  compute::each_read(statement, [&](const Access &factor) {
    if (!compute::is_factor(statement, factor)) return;
    if (factor.tensor == reference.like &&
        (!best || in_common(statement.target, factor) > in_common(statement.target, *best)))
      best = &factor;
    if (!contains(names, factor.tensor)) names.push_back(factor.tensor);
  });
  if (best) return *best;
  report::fail(Kind::unknown_tensor, reference.span,
               fmt::format("`like:{}`: the expression has no factor `{}`", reference.like, reference.like),
               report::suggest(reference.like, names,
                               names.empty() ? "only an operand of the product has a structure to share"
                                             : fmt::format("the factors are {}", fmt::join(names, ", "))));
}

[[noreturn]] void fail(const parse::LayoutReference &reference, const std::string &what,
                       const std::string &hint) {
  report::fail(Kind::bad_structure, reference.span, what, hint);
}

} // namespace

Structure structure_like(const compute::Computation &computation,
                         const std::map<std::string, layout::Layout> &layouts,
                         const parse::LayoutReference &reference) {
  const compute::Statement &statement =
      *compute::free_statement_of(computation.program, computation.tensors.front().name);
  if (computation.program.statements.size() > 1)
    fail(reference, "the result is a sum of several products: it can't have the structure of one operand yet",
         "leave it dense; or compute each product by itself, with `+=`");
  const Access &factor = factor_named(statement, reference);
  std::string result = compute::to_text(statement.target), operand = compute::to_text(factor);
  std::vector<layout::SharedMode> modes;
  std::set<std::size_t> used;
  for (const Subscript &subscript : statement.target.subscripts) {
    if (subscript.shift != 0)
      fail(reference,
           fmt::format("the result is `{}`: with a shifted subscript it can't have an operand's structure",
                       result),
           "use plain indices as subscripts of the result, or leave it dense");
    layout::SharedMode mode;
    for (std::size_t k = factor.subscripts.size(); k-- > 0;)
      if (is_plain(factor.subscripts[k], subscript.index) && !used.count(k)) mode = k;
    if (!mode && has_index(factor, subscript.index))
      fail(reference,
           fmt::format("the result is `{}`, but the operand `{}`: `{}` doesn't stand for the same modes",
                       result, operand, subscript.index),
           "an index that both have must be a plain subscript of both, equally often");
    if (mode) used.insert(*mode);
    modes.push_back(mode);
  }
  if (used.empty())
    fail(reference, fmt::format("the result `{}` has no index of `{}`", result, operand),
         "it has nothing to share; leave it dense");
  return {factor.name(), layout::structure_of(layouts.at(factor.tensor), modes, reference.span)};
}

std::string lender_of(const std::string &access, const compute::Program &program) {
  std::string found;
  for (const compute::Statement &statement : program.statements)
    compute::each_read(statement, [&](const compute::Access &read) {
      if (read.name() == access) found = read.tensor;
    });
  return found;
}

} // namespace unravel::combine
