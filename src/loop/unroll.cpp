// `unroll r by 4`: iterations that follow each other in a loop's body.
#include "loop/iterations.h"
#include "loop/rename.h"
#include "report/diagnostic.h"

#include <fmt/format.h>

namespace unravel::loop {

using report::Kind;
using term::Term;

namespace {

constexpr std::int64_t most_iterations = 64;

/// The body for each of `values`, one after the other. Names differ from `taken`, which grows.
Block copies(const For &loop, const std::vector<Term> &values, std::set<std::string> taken,
             RequestContext &context) {
  Block all;
  const std::set<std::string> own = declared_at_top(loop.body);
  for (const Term &value : values) {
    std::map<std::string, std::string> names;
    term::Substitution by{{loop.variable, value}};
    for (const std::string &name : own)
      if (!taken.insert(name).second) {
        names[name] = context.names.name(name);
        by.insert_or_assign(name, term::variable(names[name]));
      }
    Block copy = loop.body;
    rewrite(copy, [&](const Term &term) { return substitute(term, {{loop.variable, value}}); });
    rename(copy, names);
    each_statement(loop.body, [&](const Statement &statement) { copy_bounds(statement, by, context); });
    append(all, std::move(copy));
  }
  return all;
}

void check_breaks(const For &loop, const Request &request) {
  if (effects_of(loop.body).breaks)
    report::fail(Kind::not_supported, request.span,
                 fmt::format("the loop over `{}` may end before its last iteration: it can't be unrolled",
                             request.variable),
                 "a search that stops at a match needs no copies of its body");
}

std::int64_t number_of_iterations(const For &loop, const Request &request) {
  std::int64_t length = 0;
  if (!constant_difference(loop.lower, loop.upper, length) || loop.step != 1)
    report::fail(
        Kind::bad_transformation, request.span,
        fmt::format("the number of iterations of the loop over `{}` isn't known when the kernel is "
                    "made",
                    request.variable),
        fmt::format("write `unroll {} by 4`; a coordinate's extent may be given, as by `bound r = 16`",
                    request.variable));
  if (length > most_iterations)
    report::fail(
        Kind::bad_transformation, request.span,
        fmt::format("the {} iterations of the loop over `{}` are too many to be written out", length,
                    request.variable),
        fmt::format("the most are {}; `unroll {} by 4` writes out some", most_iterations, request.variable));
  return length;
}

} // namespace

std::size_t unroll(Block &statements, std::size_t k, const Request &request, RequestContext &context) {
  const For loop = std::get<For>(statements[k].kind);
  check_breaks(loop, request);
  auto values = [](const Term &first, std::int64_t count) {
    std::vector<Term> result;
    for (std::int64_t each = 0; each < count; ++each)
      result.push_back(first + Term(each));
    return result;
  };
  Block made;
  if (request.factor == 0) {
    std::int64_t count = number_of_iterations(loop, request);
    check_length(loop.body, count, request);
    Block others = statements;
    others.erase(place(others, k));
    made = copies(loop, values(loop.lower, count), effects_of(others).declared, context);
  } else {
    check_length(loop.body, request.factor, request);
    Steps steps = in_steps(loop, request.factor, context);
    made = std::move(steps.before);
    if (steps.main) {
      steps.main->body = copies(loop, values(term::variable(loop.variable), request.factor), {}, context);
      made.push_back({std::move(*steps.main)});
    }
    if (steps.rest) made.push_back({std::move(*steps.rest)});
  }
  return replace(statements, k, std::move(made));
}

} // namespace unravel::loop
