#include "loop/iterations.h"

#include "loop/rename.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::loop {

using term::Term;

namespace {

/// In the text of all iterations together.
constexpr std::int64_t most_statements = 4096;

bool is_never_negative(const Term &term, const std::set<std::string> &sizes) {
  auto holds = [&](const Term &part) { return is_never_negative(part, sizes); };
  if (const auto *number = term.as<term::Constant>()) return number->value >= 0;
  if (const auto *name = term.as<term::Variable>()) return sizes.contains(name->name);
  if (const auto *product = term.as<term::Product>()) return holds(product->left) && holds(product->right);
  if (const auto *quotient = term.as<term::FloorDivide>()) return holds(quotient->numerator);
  const auto *sum = term.as<term::Linear>();
  return sum && sum->constant >= 0 && std::all_of(sum->parts.begin(), sum->parts.end(), [&](auto &part) {
           return part.second >= 0 && holds(part.first);
         });
}

/// A bound that is read from an array, or that the body changes, has a name in front of the loops.
Term named(const Term &bound, const std::string &wanted, const For &loop, Block &before, FreshNames &names) {
  if (applications_of(bound).empty() && !effects_of(loop.body).changes(bound)) return bound;
  std::string name = names.name(wanted);
  before.push_back({Let{name, bound}});
  return term::variable(name);
}

} // namespace

std::set<std::string> declared_at_top(const Block &block) {
  std::set<std::string> names;
  for (const Statement &statement : block) {
    if (const auto *let = statement.as<Let>()) names.insert(let->variable);
    if (const auto *declare = statement.as<Declare>()) names.insert(declare->variable);
    if (const auto *declare = statement.as<DeclareValue>()) names.insert(declare->name);
  }
  return names;
}

void copy_bounds(const Statement &statement, const term::Substitution &by, RequestContext &context) {
  auto copy = [&](const Term &place) {
    if (context.safe(place)) context.in_bounds.insert(substitute(place, by));
  };
  auto add = [&](const Element &element) { copy(term::apply(element.array, {element.slot})); };
  each_own_term(statement, [&](const Term &term) {
    for (const Term &load : applications_of(term))
      copy(load);
  });
  each_own_value(statement, [&](const Value &value) { each_element(value, add); });
  if (statement.is<Blas>()) return;
  if (const Element *element = written_element(statement)) add(*element);
}

void check_length(const Block &body, std::int64_t copies, const Request &request) {
  std::int64_t statements = 0;
  each_statement(body, [&](const Statement &) { ++statements; });
  if (statements * copies > most_statements)
    report::fail(report::Kind::bad_transformation, request.span,
                 fmt::format("{} iterations of the loop over `{}` are {} statements: too many", copies,
                             request.variable, statements * copies),
                 fmt::format("the most are {}: write out fewer iterations", most_statements));
}

Steps in_steps(const For &loop, std::int64_t factor, RequestContext &context) {
  FreshNames &names = context.names;
  Steps steps;
  For main = loop;
  main.step = factor;
  main.together = 1;
  main.simd = false;
  main.masked.reset();
  // what threads append apart must be all that the result has
  if (main.parallel && main.parallel->appended) main.parallel.reset();
  if (main.parallel) {
    auto fewer = [&](std::int64_t of) { return std::max<std::int64_t>(1, of / factor); };
    main.parallel->chunk = static_cast<int>(fewer(main.parallel->chunk));
    if (main.parallel->share > 0) main.parallel->share = fewer(main.parallel->share);
  }
  For rest = loop;
  rest.together = 1;
  rest.masked.reset();
  rest.parallel.reset();
  rest.brief = true;
  rest.comment = "the remaining iterations";
  rest.variable = names.name(loop.variable + "_rest");
  rename(rest.body, {{loop.variable, rest.variable}});
  each_statement(loop.body, [&](const Statement &statement) {
    copy_bounds(statement, {{loop.variable, term::variable(rest.variable)}}, context);
  });

  if (std::int64_t length = 0; constant_difference(loop.lower, loop.upper, length)) {
    std::int64_t whole = length / factor * factor;
    main.upper = rest.lower = loop.lower + Term(whole);
    if (whole > 0) steps.main = std::move(main);
    if (whole < length) steps.rest = std::move(rest);
    return steps;
  }
  main.lower = named(loop.lower, loop.variable + "_from", loop, steps.before, names);
  Term end = named(loop.upper, loop.variable + "_to", loop, steps.before, names);
  main.upper = end - Term(factor - 1);
  Term length = end - main.lower;
  if (!is_never_negative(length, context.sizes)) length = term::maximum({length, Term(0)});
  rest.lower = main.lower + term::scale(factor, term::floor_divide(length, factor));
  rest.upper = end;
  steps.main = std::move(main);
  steps.rest = std::move(rest);
  return steps;
}

} // namespace unravel::loop
