// Which properties a find would need.
#include "find/missing.h"

#include "text/contains.h"

#include <fmt/format.h>

namespace unravel::find {

namespace {

using term::Term;

/// "B.col" as "B" and "col".
std::pair<std::string, std::string> parts_of(const std::string &array) {
  const std::size_t point = array.rfind('.');
  if (point == std::string::npos) return {"", array};
  return {array.substr(0, point), array.substr(point + 1)};
}

/// The array of which the term is the element at the position, if it is one.
std::string array_at(const Term &term, const Term &position) {
  const auto *call = term.as<term::Apply>();
  return call && call->arguments.size() == 1 && call->arguments[0] == position ? call->function : "";
}

/// The segment [f(r), f(r + 1)) has the name f; the whole array has none.
std::optional<std::string> segment_of(const scan::Level &level) {
  if (level.lower == Term(0)) return "";
  const auto *begin = level.lower.as<term::Apply>();
  if (!begin || begin->arguments.size() != 1) return std::nullopt;
  const std::string array = array_at(level.upper, begin->arguments[0] + Term(1));
  return array == begin->function ? std::optional(array) : std::nullopt;
}

/// (f1(p), f2(p), ...) before (f1(q), f2(q), ...), or equal where `may_equal`.
Term in_order(const std::vector<std::string> &arrays, const Term &p, const Term &q, bool may_equal) {
  Term order = may_equal ? term::truth() : term::falsity();
  for (std::size_t k = arrays.size(); k-- > 0;) {
    const Term one = term::apply(arrays[k], {p}), other = term::apply(arrays[k], {q});
    if (k + 1 == arrays.size())
      order = may_equal ? term::at_most(one, other) : term::less(one, other);
    else
      order =
          term::disjunction({term::less(one, other), term::conjunction({term::equal(one, other), order})});
  }
  return order;
}

Term different(const std::vector<std::string> &arrays, const Term &p, const Term &q) {
  std::vector<Term> ways;
  for (const std::string &array : arrays)
    ways.push_back(term::negation(term::equal(term::apply(array, {p}), term::apply(array, {q}))));
  return term::disjunction(std::move(ways));
}

/// Of every application: its arguments lie in its array.
std::vector<Term> domains(const scan::Nest &nest, const Term &formula) {
  std::vector<Term> parts;
  for (const Term &application : term::applications_of(formula)) {
    const auto *call = application.as<term::Apply>();
    const auto extents = nest.arrays.find(call->function);
    for (std::size_t k = 0; extents != nest.arrays.end() && k < call->arguments.size(); ++k)
      parts.push_back(term::between(Term(0), call->arguments[k], extents->second[k]));
  }
  return parts;
}

} // namespace

std::vector<Missing> properties_that_may_miss(const scan::Nest &nest, std::size_t at) {
  const scan::Level &level = nest.levels[at];
  const std::optional<std::string> segment = segment_of(level);
  if (!segment) return {};
  std::vector<std::string> arrays, names;
  std::string tensor = segment->empty() ? "" : parts_of(*segment).first;
  for (const scan::Component &component : level.components) {
    const std::string array = array_at(component.key, term::variable(level.variable));
    if (array.empty() || !component.is_equality() || contains(arrays, array)) return {};
    const auto [owner, name] = parts_of(array);
    if (tensor.empty()) tensor = owner;
    if (owner != tensor) return {};
    arrays.push_back(array);
    names.push_back(name);
  }
  if (arrays.empty() || tensor.empty()) return {};

  const Term p = term::variable("p"), q = term::variable("q"), r = term::variable("r");
  std::vector<std::string> variables{"p", "q"};
  std::vector<Term> guard{term::less(p, q)};
  if (!segment->empty()) {
    variables.emplace_back("r");
    guard = {term::at_most(term::apply(*segment, {r}), p), term::less(p, q),
             term::less(q, term::apply(*segment, {r + Term(1)}))};
  }
  std::string keys = names.size() == 1 ? names.front() : fmt::format("({})", fmt::join(names, ", "));
  if (!segment->empty()) keys += " within " + parts_of(*segment).second;
  std::vector<Missing> found;
  const auto add = [&](const std::string &form, const Term &conclusion) {
    std::vector<Term> all = domains(nest, term::conjunction({term::conjunction(guard), conclusion}));
    all.insert(all.end(), guard.begin(), guard.end());
    const std::string text = fmt::format("property {} {}", form, keys);
    found.push_back({text, tensor, {text, variables, term::conjunction(std::move(all)), conclusion}});
  };
  add("increasing", in_order(arrays, p, q, true));
  add("injective", different(arrays, p, q));
  add("strictly increasing", in_order(arrays, p, q, false));
  return found;
}

} // namespace unravel::find
