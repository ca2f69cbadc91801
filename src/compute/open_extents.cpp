#include "compute/open_extents.h"

#include "report/diagnostic.h"

#include <fmt/format.h>

namespace unravel::compute {

using term::Term;

void require_sizes(const Term &extent, const std::function<bool(const std::string &name)> &is_loop,
                   const parse::Name &name, const text::Span &span) {
  for (const std::string &variable : term::variables_of(extent))
    if (is_loop(variable))
      report::fail(report::Kind::unknown_extent, span,
                   fmt::format("the extent `{}` of `{}` depends on the loop over `{}`", term::to_text(extent),
                               name.text, variable),
                   "write a sum of sizes that is large enough for all iterations, as in `[0, n)`");
}

Term OpenExtents::resolved(Term extent) const {
  while (true) {
    term::Substitution known;
    for (const auto &[name, value] : values_)
      if (value && term::mentions(extent, name)) known.emplace(name, *value);
    if (known.empty()) return extent;
    extent = term::substitute(extent, known);
  }
}

void OpenExtents::set(const Term &extent, const Term &value) {
  try_set(resolved(extent), resolved(value));
}

void OpenExtents::join(const Term &one, const Term &other) {
  const Term first = resolved(one), second = resolved(other);
  if (!try_set(first, second)) try_set(second, first);
}

std::vector<std::string> OpenExtents::unknown() const {
  std::vector<std::string> names;
  for (const auto &[name, value] : values_)
    if (!value) names.push_back(name);
  return names;
}

bool OpenExtents::try_set(const Term &extent, const Term &value) {
  const auto *name = extent.as<term::Variable>();
  const auto open = name ? values_.find(name->name) : values_.end();
  if (open == values_.end() || term::mentions(value, open->first)) return false;
  open->second = value;
  return true;
}

} // namespace unravel::compute
