// `jam i by 4`: iterations of a loop go through the loops inside together.
#include "loop/accumulate.h"
#include "loop/iterations.h"
#include "loop/rename.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::loop {

using report::Kind;
using term::Term;

namespace {

std::string name_of_tensor(const std::string &array) {
  return array.substr(0, array.find('.'));
}

/// Merges copies of one body, statement by statement: a loop with the same bounds in all copies becomes one
/// loop around the merged bodies; what else there is follows each other. So a statement of a later iteration
/// comes before those of earlier ones that stand behind it in the body: right where iterations of the loop
/// share nothing but elements that they add to, which is what the dependence test has said of the program's
/// statements, and what is checked here of what lowering has added.
class Jammer {
public:
  Jammer(const For &loop, const Request &request, RequestContext &context)
      : loop_(loop), request_(request), context_(context), own_(effects_of(loop.body).declared) {
    for (std::int64_t k = 0; k < request.factor; ++k)
      copies_.push_back({{{loop.variable, term::variable(loop.variable) + Term(k)}}, {}});
  }

  Block merged() {
    each_statement(loop_.body, [&](const Statement &statement) { check(statement); });
    Block result = merged(loop_.body);
    if (!holds_shared_loop_)
      report::fail(
          Kind::bad_transformation, request_.span,
          fmt::format("the loop over `{}` holds no loop that its iterations could share", request_.variable),
          fmt::format("`unroll {} by {}` writes them out one after the other", request_.variable,
                      request_.factor));
    return result;
  }

private:
  /// What an iteration has in the place of the loop's variable and of what the body declares.
  struct Copy {
    term::Substitution by;
    std::map<std::string, std::string> names; // of all that is declared, locals too
  };

  Block merged(const Block &body) {
    Block result;
    const std::vector<Copy> outside = copies_;
    for (const Statement &statement : body) {
      for (const Copy &copy : copies_)
        copy_bounds(statement, copy.by, context_);
      merge(statement, result);
    }
    copies_ = outside;
    return result;
  }

  void merge(const Statement &statement, Block &result) {
    if (const auto *loop = statement.as<For>()) return merge(*loop, result);
    if (const auto *let = statement.as<Let>()) return merge(*let, result);
    if (statement.is<Accumulate>()) return merge_additions(statement, result);
    if (const auto *test = statement.as<IfValue>())
      if (test->test == IfValue::Test::NotANumber) return merge_tests(statement, result);
    if (const auto *guard = statement.as<If>())
      if (std::optional<Term> condition = common(guard->condition)) {
        If both{*condition, merged(guard->then), guard->comment, merged(guard->otherwise)};
        return result.push_back({std::move(both)});
      }
    if (statement.is<If>()) check_condition(statement);
    check_elements(statement);
    if (const auto *declare = statement.as<DeclareValue>()) declare_in_copies(declare->name);
    for (const Copy &copy : copies_) {
      each_statement(statement, [&](const Statement &inner) { copy_bounds(inner, copy.by, context_); });
      result.push_back(copied(statement, copy));
    }
  }

  void merge(const For &loop, Block &result) {
    if (loop.parallel && !loop.parallel->sum.empty())
      report::fail(
          Kind::not_supported, request_.span,
          fmt::format("iterations of the loop over `{}` can't share the parallel loop over `{}`: each "
                      "has a sum of its own that threads add up",
                      request_.variable, loop.variable),
          fmt::format("`unroll {} by 2`, or another loop in parallel", request_.variable));
    std::optional<Term> lower = common(loop.lower), upper = common(loop.upper);
    if (!lower || !upper)
      report::fail(Kind::not_supported, request_.span,
                   fmt::format("iterations of the loop over `{}` can't share the loop over `{}`: its bounds "
                               "{} and {} depend on `{}`",
                               request_.variable, loop.variable, to_text(full(loop.lower)),
                               to_text(full(loop.upper)), request_.variable),
                   "loops inside must run over the same range in every iteration, as those over dense modes "
                   "do");
    For both = loop;
    both.lower = *lower;
    both.upper = *upper;
    both.together = 1;
    both.masked.reset();
    const For *outside = own_elements_;
    if (loop.parallel || loop.simd) own_elements_ = &loop;
    both.body = merged(loop.body);
    own_elements_ = outside;
    holds_shared_loop_ = true;
    result.push_back({std::move(both)});
  }

  void merge(const Let &let, Block &result) {
    if (std::optional<Term> value = common(let.value)) return result.push_back({Let{let.variable, *value}});
    lets_.emplace(let.variable, let.value);
    declare_in_copies(let.variable);
    for (const Copy &copy : copies_)
      result.push_back(copied({let}, copy));
  }

  /// Additions to one element are one addition.
  void merge_additions(const Statement &statement, Block &result) {
    check_elements(statement);
    std::vector<Statement> all;
    for (const Copy &copy : copies_)
      all.push_back(copied(statement, copy));
    bool same = std::all_of(all.begin(), all.end(), [&](const Statement &each) {
      return same_target(*target_of(each), *target_of(all.front()));
    });
    if (!same) return append(result, std::move(all));
    std::vector<Value> parts;
    for (const Statement &each : all)
      parts.push_back(std::get<Accumulate>(each.kind).value);
    const auto &add = std::get<Accumulate>(statement.kind);
    result.push_back(
        {Accumulate{*target_of(all.front()), value::reduced(add.by, std::move(parts)), add.atomic, add.by}});
  }

  /// Hardly ever is a value not a number: one test says that none is, since the sum would be none, too.
  void merge_tests(const Statement &statement, Block &result) {
    check_elements(statement);
    Block all;
    std::vector<Value> parts;
    for (const Copy &copy : copies_) {
      each_statement(statement, [&](const Statement &inner) { copy_bounds(inner, copy.by, context_); });
      all.push_back(copied(statement, copy));
      auto &test = std::get<IfValue>(all.back().kind);
      test.comment.clear();
      parts.push_back({Local{test.local}});
    }
    const auto &test = std::get<IfValue>(statement.kind);
    const std::string any = context_.names.name(test.local);
    result.push_back({DeclareValue{any, value::sum(std::move(parts))}});
    result.push_back({IfValue{any, std::move(all), test.comment, IfValue::Test::NotANumber}});
  }

  static bool same_target(const Target &a, const Target &b) {
    const auto *one = std::get_if<Element>(&a), *other = std::get_if<Element>(&b);
    if (one && other) return same_place(*one, *other);
    const auto *local = std::get_if<Local>(&a), *other_local = std::get_if<Local>(&b);
    return local && other_local && local->name == other_local->name;
  }

  /// The term, if all copies have the same.
  std::optional<Term> common(const Term &term) const {
    Term first = substitute(term, copies_.front().by);
    for (const Copy &copy : copies_)
      if (substitute(term, copy.by) != first) return {};
    return first;
  }

  /// The first copy keeps the name.
  void declare_in_copies(const std::string &name) {
    for (std::size_t k = 1; k < copies_.size(); ++k) {
      std::string own = context_.names.name(name);
      copies_[k].names[name] = own;
      copies_[k].by.insert_or_assign(name, term::variable(own));
    }
  }

  Statement copied(const Statement &statement, const Copy &copy) const {
    Block one{statement};
    rewrite(one, [&](const Term &term) {
      return substitute(term, {{loop_.variable, copy.by.at(loop_.variable)}});
    });
    rename(one, copy.names);
    return std::move(one.front());
  }

  /// With what names inside the loop stand for: as a user knows the bound.
  Term full(Term term) const {
    for (std::size_t k = 0; k < lets_.size(); ++k)
      term = substitute(term, lets_);
    return term;
  }

  // ---- what must hold

  void check(const Statement &statement) const {
    bool good = !statement.is<While>() && !statement.is<Intersect>() && !statement.is<Merge>() &&
                !statement.is<Declare>() && !statement.is<Assign>() && !statement.is<SetElement>() &&
                !statement.is<Sort>() && !statement.is<Zero>() && !statement.is<Reserve>() &&
                !statement.is<SetCount>() && !statement.is<Break>() && !statement.is<Miss>();
    if (const auto *store = statement.as<Store>()) good = good && may_store(*store);
    if (const Element *element = reduced_element(statement))
      good = good && !context_.workspace.contains(element->array);
    if (good) return;
    report::fail(
        Kind::not_supported, request_.span,
        fmt::format("iterations of the loop over `{}` can't be interleaved: they hold a search, or go on "
                    "where others stopped, as they search or append",
                    request_.variable),
        fmt::format("`unroll {} by {}` keeps their order", request_.variable, request_.factor));
  }

  /// What is set is an iteration's own: where elements are shared, none is set.
  bool may_store(const Store &store) const {
    if (const auto *local = std::get_if<Local>(&store.target)) return own_.contains(local->name);
    return !request_.updates && !context_.workspace.contains(std::get<Element>(store.target).array);
  }

  /// A condition that isn't the same in all iterations, around a loop.
  void check_condition(const Statement &guard) const {
    each_statement(guard, [&](const Statement &inner) {
      if (const auto *loop = inner.as<For>())
        report::fail(Kind::not_supported, request_.span,
                     fmt::format("iterations of the loop over `{}` can't share the loop over `{}`: it stands "
                                 "under the condition {}, which depends on `{}`",
                                 request_.variable, loop->variable,
                                 to_text(full(std::get<If>(guard.kind).condition)), request_.variable),
                     "another `order` may put it outside of that condition");
    });
  }

  /// Where iterations add to the same elements, a loop inside whose iterations have elements of their own
  /// keeps them if they are the same in all copies: else an iteration of the merged loop has several, of
  /// which others may have some.
  void check_elements(const Statement &statement) const {
    if (!request_.updates || !own_elements_) return;
    const Effects inside = effects_of(statement);
    each_statement(statement, [&](const Statement &inner) {
      const Element *element = reduced_element(inner);
      if (!element || (common(element->slot) && !inside.mentions_declared(element->slot))) return;
      const bool parallel = own_elements_->parallel.has_value();
      report::fail(
          Kind::not_supported, request_.span,
          fmt::format("the loop over `{}` can't be both {} and shared by iterations of the loop over "
                      "`{}`: then several of its iterations would add to the same element of {}",
                      own_elements_->variable, parallel ? "parallel" : "vectorised", request_.variable,
                      name_of_tensor(element->array)),
          parallel ? "add `serial`, or leave out `jam`" : "leave out `vectorise`, or leave out `jam`");
    });
  }

  const For &loop_;
  const Request &request_;
  RequestContext &context_;
  std::set<std::string> own_; // what the body declares
  std::vector<Copy> copies_;
  term::Substitution lets_;
  const For *own_elements_ = nullptr; // the parallel or simd loop around
  bool holds_shared_loop_ = false;
};

} // namespace

std::size_t jam_iterations(Block &statements, std::size_t k, const Request &request,
                           RequestContext &context) {
  For loop = std::get<For>(statements[k].kind);
  check_length(loop.body, request.factor, request);
  // A sum over a loop inside is a local of each iteration: then there are several at once.
  accumulate_locally(loop.body, context.names, context.safe);
  Steps steps = in_steps(loop, request.factor, context);
  Block made = std::move(steps.before);
  if (steps.main) {
    steps.main->body = Jammer(loop, request, context).merged();
    made.push_back({std::move(*steps.main)});
  }
  if (steps.rest) made.push_back({std::move(*steps.rest)});
  return replace(statements, k, std::move(made));
}

} // namespace unravel::loop
