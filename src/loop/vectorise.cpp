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

/// Vectors take the iterations in any order: nothing may pass from one to the next.
void check_form(const For &loop, const Request &request, const RequestContext &context) {
  const std::set<std::string> own = effects_of(loop.body).declared;
  bool keeps_state = effects_of(loop.body).breaks || effects_of(loop.body).misses;
  auto is_in_workspace = [&](const Target &target) {
    const auto *element = std::get_if<Element>(&target);
    return element && context.workspace.contains(element->array);
  };
  auto is_outside = [&](const Target &target) {
    const auto *local = std::get_if<Local>(&target);
    return (local && !own.contains(local->name)) || is_in_workspace(target);
  };
  each_statement(loop.body, [&](const Statement &statement) {
    if (const auto *inner = std::get_if<For>(&statement.kind))
      report::fail(Kind::bad_transformation, request.span,
                   fmt::format("the loop over `{}` isn't innermost: it holds the loop over `{}`",
                               request.variable, inner->variable),
                   fmt::format("`vectorise {}`; or an `order` that puts `{}` inside", inner->variable,
                               request.variable));
    keeps_state = keeps_state || is_loop(statement) || std::holds_alternative<SetElement>(statement.kind) ||
                  std::holds_alternative<Sort>(statement.kind) ||
                  std::holds_alternative<Zero>(statement.kind) ||
                  std::holds_alternative<Reserve>(statement.kind);
    if (const auto *assign = std::get_if<Assign>(&statement.kind))
      keeps_state = keeps_state || !own.contains(assign->variable);
    if (const auto *store = std::get_if<Store>(&statement.kind))
      keeps_state = keeps_state || is_outside(store->target);
    if (const auto *add = std::get_if<Accumulate>(&statement.kind))
      keeps_state = keeps_state || is_in_workspace(add->target);
  });
  if (keeps_state)
    report::fail(Kind::not_supported, request.span,
                 fmt::format("the loop over `{}` can't be vectorised: it holds a search, or its iterations "
                             "share the state of one",
                             request.variable),
                 "another way to find may do: `find x by hash`");
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
    const auto *add = std::get_if<Accumulate>(&statement.kind);
    const auto *element = add ? std::get_if<Element>(&add->target) : nullptr;
    if (!element) return;
    if (!is_fixed(*element, loop))
      sums.other = *element;
    else if (std::none_of(sums.fixed.begin(), sums.fixed.end(), [&](const Element &each) {
               return each.array == element->array && each.slot == element->slot;
             }))
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
    if (auto *add = std::get_if<Accumulate>(&statement.kind))
      if (auto *element = std::get_if<Element>(&add->target);
          element && element->array == sum.array && element->slot == sum.slot)
        add->target = Local{local}, always = true;
  if (!always || !sums_of(loop).fixed.empty())
    report::fail(
        Kind::not_supported, request.span,
        fmt::format("the loop over `{}` can't be vectorised: under a condition it adds to an element "
                    "of {} that may not exist where the condition doesn't hold",
                    request.variable, sum.array.substr(0, sum.array.find('.'))),
        "leave out `vectorise`");
  If entered{less(loop.lower, loop.upper), {{Accumulate{sum, {Local{local}}, false, by}}}, "", {}};
  auto here = statements.begin() + static_cast<std::ptrdiff_t>(k);
  statements.insert(here + 1, {std::move(entered)});
  statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(k),
                    Statement{DeclareValue{local, {Number{value::identity_of(by)}}}});
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
