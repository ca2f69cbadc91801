#include "loop/jam.h"
#include "loop/passes.h"

#include <algorithm>

namespace unravel::loop {

namespace {

using term::Term;

/// Of a vector of 8-byte values a strip takes 4 KB: with the parts of other vectors that a few diagonals far
/// apart read it stays in a first-level cache. Shorter ones interrupt the processor's prefetching.
constexpr std::int64_t strip_length = 512;
/// Where keys say what is read, as in the slots of ELLPACK, a strip is a block of lanes: their sums stay in
/// registers from slot to slot, as those of a slice do.
constexpr std::int64_t lanes_of_strip = 8;

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
    for (std::size_t k = 0; k < statements.size(); ++k) {
      if (std::optional<Strip> strip = cut(statements[k])) {
        if (k > 0 && clear_inside(statements[k - 1], statements[k], *strip))
          statements.erase(place(statements, k-- - 1));
        continue;
      }
      if (auto *loop = statements[k].as<For>();
          loop && loop->parallel && loop->parallel->least == Parallel::never)
        loop->parallel.reset();
      for (Block *inner : blocks_of(statements[k]))
        block(*inner);
    }
  }

private:
  /// What a strip is of: iterations from `begin` to `end`, by a variable; from `first` to `last` in a strip.
  struct Strip {
    Term begin, end;
    std::string variable, first, last;
  };

  /// The parallel loop that is all there is in a serial one, behind Lets; or null.
  static For *only_inner(For &outer) {
    if (outer.parallel || outer.team || outer.together > 1 || !behind_lets(outer.body)) return nullptr;
    auto *inner = outer.body.back().as<For>();
    return inner && inner->parallel && inner->step == 1 ? inner : nullptr;
  }

  static bool reads_keys(const For &loop) {
    bool reads = false;
    each_statement(loop.body, [&](const Statement &statement) {
      each_own_term(statement, [&](const Term &term) {
        for (const Term &load : applications_of(term))
          reads = reads || mentions(load, loop.variable);
      });
    });
    return reads;
  }

  std::optional<Strip> cut(Statement &statement) {
    auto *outer = statement.as<For>();
    For *inner = outer ? only_inner(*outer) : nullptr;
    if (!inner || !only_adds(statement)) return {};
    Effects effects = effects_of(statement);
    Parts lower = parts_of<term::Maximum>(inner->lower, effects);
    Parts upper = parts_of<term::Minimum>(inner->upper, effects);
    if (lower.fixed.empty() || upper.fixed.empty() || !keeps_to_its_element(*inner, effects)) return {};
    Term begin = term::maximum(lower.fixed);
    Term end = term::minimum(upper.fixed);
    const std::int64_t length = reads_keys(*inner) ? lanes_of_strip : strip_length;
    if (std::int64_t all = 0; constant_difference(begin, end, all) && all <= length) return {};
    std::string name = names_.name(inner->variable + "_strip");
    std::string first = names_.name(inner->variable + "_from");
    std::string last = names_.name(inner->variable + "_to");
    For strips{name, Term(0), term::ceil_divide(end - begin, length)};
    strips.comment =
        length == lanes_of_strip ? "blocks of lanes" : "strips of the result that stay in the cache";
    if (inner->parallel->least != Parallel::never) {
      const int strips_of_chunk = static_cast<int>(strip_length / length);
      strips.parallel = Parallel{std::min(inner->parallel->chunk, strips_of_chunk), 0, std::nullopt, ""};
      strips.parallel->schedule = inner->parallel->schedule;
    }
    if (strips.parallel && inner->parallel->least > 0) {
      strips.parallel->least = inner->parallel->least;
      strips.parallel->work = multiply(outer->upper - outer->lower, end - begin);
    }
    inner->parallel.reset();
    inner->simd = length > lanes_of_strip && !holds(inner->body, is_loop);
    lower.moving.push_back(term::variable(first));
    upper.moving.push_back(term::variable(last));
    inner->lower = term::maximum(lower.moving);
    inner->upper = term::minimum(upper.moving);
    Term start = begin + term::scale(length, term::variable(name));
    const Origins origins = statement.origins;
    strips.body.push_back({Let{first, start}, origins});
    strips.body.push_back({Let{last, term::minimum({term::variable(first) + Term(length), end})}, origins});
    Strip strip{begin, end, inner->variable, first, last};
    strips.body.push_back(std::move(statement));
    statement = {std::move(strips), origins};
    return strip;
  }

  /// Each strip of a result is cleared where it is summed up, if that is all that is cleared before.
  bool clear_inside(const Statement &before, Statement &strips, const Strip &strip) {
    const auto *zero = before.as<Zero>();
    if (!zero || strip.begin != Term(0) || strip.end != zero->count) return false;
    bool plain = true;
    bool adds = false;
    each_statement(strips, [&](const Statement &statement) {
      const Element *element = reduced_element(statement);
      if (!element || element->array != zero->array) return;
      adds = true;
      plain = plain && element->slot == term::variable(strip.variable);
    });
    if (!plain || !adds) return false;
    For clear{names_.name(strip.variable), term::variable(strip.first), term::variable(strip.last)};
    clear.body.push_back(
        {Store{Element{zero->array, term::variable(clear.variable)}, {Number{0}}}, before.origins});
    Block &body = std::get<For>(strips.kind).body;
    body.insert(body.begin() + 2, {std::move(clear), before.origins});
    return true;
  }

  FreshNames names_;
};

} // namespace

Program cut_strips(Program program, const Known & /*known*/) {
  Strips(program).block(program.body);
  return program;
}

} // namespace unravel::loop
