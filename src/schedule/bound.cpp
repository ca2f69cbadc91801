// Parts of an iteration space, and extents that are known when the kernel is made.
#include "combine/substitute.h"
#include "report/diagnostic.h"
#include "schedule/transform.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::schedule {

using term::Term;

void bound(combine::IterationSpace &space, const Transformation &how) {
  if (how.low >= how.high)
    report::fail(report::Kind::bad_transformation, how.span,
                 fmt::format("the range [{}, {}) is empty", how.low, how.high),
                 "a range contains its lower end: `bound j in [0, 64)`");
  if (!contains(space.coordinates, how.variable.text))
    report::fail(report::Kind::bad_transformation, how.variable.span,
                 fmt::format("`{}` is not a coordinate", how.variable.text),
                 fmt::format("the coordinates are {}", fmt::join(space.coordinates, ", ")));
  Term range = term::between(Term(how.low), term::variable(how.variable.text), Term(how.high));
  space.relation = term::conjunction({space.relation, range});
}

void fix_extent(combine::Combination &combination, const Transformation &how) {
  const std::string &index = how.variable.text;
  auto extent = combination.extents.find(index);
  const term::Variable *size =
      extent == combination.extents.end() ? nullptr : extent->second.as<term::Variable>();
  if (!size)
    report::fail(
        report::Kind::bad_transformation, how.variable.span,
        fmt::format("`{}` has no extent of its own", index),
        "only coordinates that are a subscript by themselves have one: write `bound r = 16` for the r of "
        "B(j,r)");
  const std::string name = size->name;
  combination.conditions.push_back(
      {term::equal(term::variable(name), Term(how.number)),
       fmt::format("the kernel was made for {} of index {}", how.number, index)});
  const term::Substitution by{{name, Term(how.number)}};
  auto fix = [&](Term &term) { term = term::substitute(term, by); };
  for (combine::IterationSpace &leaf : combination.leaves)
    combine::substitute(leaf, by);
  for (prove::Axiom &axiom : combination.axioms)
    fix(axiom.guard), fix(axiom.conclusion);
  for (auto &[array, extents] : combination.arrays)
    for (Term &each : extents)
      fix(each);
  for (auto &[of, term] : combination.extents)
    fix(term);
}

} // namespace unravel::schedule
