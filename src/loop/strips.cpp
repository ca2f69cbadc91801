#include "loop/jam.h"
#include "loop/passes.h"

#include <algorithm>

namespace unravel::loop {

namespace {

using term::Term;

/// Of a vector of 8-byte values a strip takes 16 KB: half of a small first-level cache.
constexpr std::int64_t strip_length = 2048;
/// Below so much work waking threads doesn't pay: that of rows of compressed matrices (src/choose).
constexpr std::int64_t least_work = 524288;

/// A bound's parts that the outer loop doesn't change, and the others.
struct Parts {
  std::vector<Term> fixed, moving;
};

template <class Extreme> Parts parts_of(const Term &bound, const Effects &effects) {
  const auto *several = bound.as<Extreme>();
  Parts result;
  for (const Term &part : several ? several->of : std::vector<Term>{bound})
    (effects.changes(part) || effects.mentions_declared(part) ? result.moving : result.fixed).push_back(part);
  return result;
}

class Strips {
public:
  explicit Strips(const Program &program) : names_(program) {}

  void block(Block &statements) {
    for (Statement &statement : statements) {
      if (cut(statement)) continue;
      for (Block *inner : blocks_of(statement))
        block(*inner);
    }
  }

private:
  /// The parallel loop that is all there is in a serial one, behind Lets; or null.
  static For *only_inner(For &outer) {
    if (outer.parallel || outer.together > 1 || outer.body.empty()) return nullptr;
    bool lets = std::all_of(outer.body.begin(), outer.body.end() - 1, [](const Statement &statement) {
      return std::holds_alternative<Let>(statement.kind);
    });
    auto *inner = std::get_if<For>(&outer.body.back().kind);
    return lets && inner && inner->parallel && inner->step == 1 ? inner : nullptr;
  }

  bool cut(Statement &statement) {
    auto *outer = std::get_if<For>(&statement.kind);
    For *inner = outer ? only_inner(*outer) : nullptr;
    if (!inner || !only_adds(statement)) return false;
    Effects effects = effects_of(statement);
    Parts lower = parts_of<term::Maximum>(inner->lower, effects);
    Parts upper = parts_of<term::Minimum>(inner->upper, effects);
    if (lower.fixed.empty() || upper.fixed.empty() || !keeps_to_its_element(*inner, effects)) return false;
    Term begin = term::maximum(lower.fixed);
    Term end = term::minimum(upper.fixed);
    if (std::int64_t length = 0; constant_difference(begin, end, length) && length <= strip_length)
      return false;
    std::string name = names_.name(inner->variable + "_strip");
    std::string first = names_.name(inner->variable + "_from");
    std::string last = names_.name(inner->variable + "_to");
    For strips{name, Term(0), term::ceil_divide(end - begin, strip_length)};
    strips.comment = "strips of the result that stay in the cache";
    strips.parallel = Parallel{1, 0, std::nullopt, ""};
    if (inner->parallel->least > 0) {
      strips.parallel->least = least_work;
      strips.parallel->work = multiply(outer->upper - outer->lower, end - begin);
    }
    inner->parallel.reset();
    lower.moving.push_back(term::variable(first));
    upper.moving.push_back(term::variable(last));
    inner->lower = term::maximum(lower.moving);
    inner->upper = term::minimum(upper.moving);
    Term start = begin + term::scale(strip_length, term::variable(name));
    strips.body.push_back({Let{first, start}});
    strips.body.push_back({Let{last, term::minimum({term::variable(first) + Term(strip_length), end})}});
    strips.body.push_back(std::move(statement));
    statement = {std::move(strips)};
    return true;
  }

  FreshNames names_;
};

} // namespace

Program cut_strips(Program program) {
  Strips(program).block(program.body);
  return program;
}

} // namespace unravel::loop
