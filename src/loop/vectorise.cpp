// `vectorise r`: an innermost loop becomes a simd loop, its sums locals.
#include "loop/accumulate.h"
#include "loop/iterations.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::loop {

using report::Kind;
using term::Term;

namespace {

void check_form(const For &loop, const Request &request, const RequestContext &context);

/// What may be vectorised in place of a loop that holds another one.
std::string hint_for(const For &outer, const For &inner, const Request &request,
                     const RequestContext &context) {
  const bool may_be =
      report::unless_refused([&] { return check_form(inner, request, context), 0; }).has_value();
  const std::string order =
      fmt::format("an `order`, if one is possible, that puts `{}` inside", outer.variable);
  return may_be ? fmt::format("`vectorise {}`; or {}", inner.variable, order) : order;
}

/// Vectors take the iterations in any order: nothing may pass from one to the next.
void check_form(const For &loop, const Request &request, const RequestContext &context) {
  const std::set<std::string> own = effects_of(loop.body).declared;
  bool keeps_state = effects_of(loop.body).breaks || effects_of(loop.body).misses;
  each_statement(loop.body, [&](const Statement &statement) {
    if (const auto *inner = statement.as<For>())
      report::fail(Kind::bad_transformation, request.span,
                   fmt::format("the loop over `{}` isn't innermost: it holds the loop over `{}`",
                               loop.variable, inner->variable),
                   hint_for(loop, *inner, request, context));
    if (const auto *add = statement.as<Accumulate>(); add && add->atomic)
      report::fail(
          Kind::not_supported, request.span,
          fmt::format("the loop over `{}` can't be vectorised: its additions are atomic", loop.variable),
          "leave out `reduce ... by atomic` or `fuse`, which make them so, or vectorise another loop");
    const auto *assign = statement.as<Assign>();
    const Local *stored = statement.is<Store>() ? written_local(statement) : nullptr;
    const Element *element = statement.is<Blas>() ? nullptr : written_element(statement);
    keeps_state = keeps_state || is_loop(statement) || statement.is<SetElement>() || statement.is<Sort>() ||
                  statement.is<Zero>() || statement.is<Reserve>() ||
                  (assign && !own.contains(assign->variable)) || (stored && !own.contains(stored->name)) ||
                  (element && context.workspace.contains(element->array));
  });
  if (keeps_state)
    report::fail(
        Kind::not_supported, request.span,
        fmt::format("the loop over `{}` can't be vectorised: it holds a search, or its iterations go on "
                    "where others stopped, as they search or append",
                    request.variable),
        "for a search another way to find may do, as `hash`; else leave out `vectorise`");
}

/// The element is the same in all iterations.
bool is_fixed(const Element &element, const For &loop) {
  Effects effects = effects_of(loop.body);
  return !mentions(element.slot, loop.variable) && !effects.changes(element.slot) &&
         !effects.mentions_declared(element.slot);
}

struct Sums {
  std::vector<Element> fixed; // the same in all iterations, each once
  std::optional<Element> other;
};

Sums sums_of(const For &loop) {
  Sums sums;
  each_statement(loop.body, [&](const Statement &statement) {
    const Element *element = reduced_element(statement);
    if (!element) return;
    if (!is_fixed(*element, loop))
      sums.other = *element;
    else if (std::ranges::none_of(sums.fixed,
                                  [&](const Element &each) { return same_place(each, *element); }))
      sums.fixed.push_back(*element);
  });
  return sums;
}

void check_sums(const Sums &sums, const For &loop, const Request &request) {
  if (!sums.other || (!request.updates && sums.fixed.empty())) return;
  report::fail(Kind::not_parallel, request.span,
               fmt::format("the loop over `{}` can't be vectorised: several of its iterations may add to the "
                           "same element of {}",
                           loop.variable, sums.other->array.substr(0, sums.other->array.find('.'))),
               "sums of one element in all iterations can be; or another loop, chosen by `order`");
}

/// Adds up in a local what the loop adds to the element, also where that isn't known to exist: then the loop
/// must be entered to add to it.
void sum_where_entered(Block &statements, std::size_t k, const Element &sum, const Request &request,
                       RequestContext &context) {
  auto &loop = std::get<For>(statements[k].kind);
  std::string local = context.names.name(sum.array.substr(0, sum.array.find('.')) + ".sum");
  bool always = false;
  const Operator by = reduction_of(loop.body, sum.array).value_or(Operator::Add);
  for (Statement &statement : loop.body)
    if (const Element *element = reduced_element(statement); element && same_place(*element, sum))
      statement.as<Accumulate>()->target = Local{local}, always = true;
  if (!always || !sums_of(loop).fixed.empty())
    report::fail(
        Kind::not_supported, request.span,
        fmt::format("the loop over `{}` can't be vectorised: under a condition it adds to an element "
                    "of {} that may not exist where the condition doesn't hold",
                    request.variable, sum.array.substr(0, sum.array.find('.'))),
        "leave out `vectorise`");
  If entered{less(loop.lower, loop.upper), {{Accumulate{sum, {Local{local}}, false, by}}}, "", {}};
  statements.insert(place(statements, k + 1), {std::move(entered)});
  statements.insert(place(statements, k), Statement{DeclareValue{local, {Number{value::identity_of(by)}}}});
}

} // namespace

std::size_t vectorise(Block &statements, std::size_t k, const Request &request, RequestContext &context) {
  const std::size_t behind = statements.size() - k - 1;
  {
    auto &loop = std::get<For>(statements[k].kind);
    check_form(loop, request, context);
    check_sums(sums_of(loop), loop, request);
    loop.simd = true;
    loop.together = 1;
    loop.brief = false;
    loop.masked.reset();
  }
  k = accumulate_of_loop(statements, k, context.names, context.safe);
  const std::vector<Element> left = sums_of(std::get<For>(statements[k].kind)).fixed;
  for (const Element &sum : left)
    sum_where_entered(statements, k++, sum, request, context);
  return statements.size() - behind;
}

} // namespace unravel::loop
