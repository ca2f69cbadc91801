#include "loop/load.h"
#include "loop/passes.h"
#include "loop/segment.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::loop {

using term::Term;

namespace {

/// Segments of so many positions on average: half of them at least are empty. Measured on rows of 1e6, y = A
/// x in CSR: with 0.1 to 1 entries a row the tests take 0.6 to 0.7 of the time that it takes to enter all
/// rows.
constexpr double most_in_empty = 0.5;

/// How many are tested at once, and in which pieces the results are cleared: with 128 to 256 a strip is still
/// near when it is summed up, 1024 take 5 % longer.
constexpr int tested_together = 32;
constexpr std::int64_t tested_strip = 256;

class Skipper {
public:
  Skipper(const Program &program, const Counts &counts) : names_(program), counts_(counts) {}

  void block(Block &statements) {
    for (Statement &statement : statements) {
      for (Block *inner : blocks_of(statement))
        block(*inner);
      auto *loop = statement.as<For>();
      if (loop && is_mostly_empty(*loop))
        statement = {in_strips(*loop, statement.origins), statement.origins};
    }
  }

private:
  /// The parts of the loop's body, if it is: let ...; value s = 0; a loop over a segment; an element = s.
  struct Parts {
    const DeclareValue *sum = nullptr;
    const For *segment = nullptr;
    const Store *store = nullptr;
  };

  static std::optional<Parts> parts_of(const For &loop) {
    if (loop.step != 1 || loop.together > 1 || loop.simd || loop.body.size() < 3) return {};
    auto last = loop.body.end() - 1;
    Parts parts{(last - 2)->as<DeclareValue>(), (last - 1)->as<For>(), last->as<Store>()};
    bool lets = std::all_of(loop.body.begin(), last - 2,
                            [](const Statement &statement) { return statement.is<Let>(); });
    if (!lets || !parts.sum || !parts.segment || !parts.store || parts.segment->parallel) return {};
    const auto *stored = parts.store->value.as<Local>();
    const bool sets = value::is_zero(parts.sum->initial) && stored && stored->name == parts.sum->name &&
                      std::holds_alternative<Element>(parts.store->target);
    return sets && may_clear_before(loop, parts) ? std::optional(parts) : std::nullopt;
  }

  /// Whether the elements may be set to zero before the first segment is entered: nothing reads them or
  /// writes to them meanwhile, and each is stored once.
  static bool may_clear_before(const For &loop, const Parts &parts) {
    const auto &target = std::get<Element>(parts.store->target);
    Effects effects = effects_of(loop.body);
    Effects inside = effects_of(parts.segment->body);
    bool untouched = !inside.stored.contains(target.array) && !reads(loop.body, target.array);
    for (const Statement &statement : loop.body)
      if (const auto *let = statement.as<Let>()) untouched = untouched && !effects.changes(let->value);
    Term slot = substitute(target.slot, lets_of(loop.body));
    std::int64_t stride = term::coefficient_of(slot, loop.variable);
    bool keeps_apart =
        stride != 0 && !mentions(slot - term::scale(stride, term::variable(loop.variable)), loop.variable);
    return untouched && !effects.changes(slot) &&
           ((loop.parallel && loop.parallel->copied.empty()) || keeps_apart);
  }

  bool is_mostly_empty(const For &loop) const {
    std::optional<Parts> parts = parts_of(loop);
    if (!parts) return false;
    const std::optional<Segment> segment = segment_between(parts->segment->lower, parts->segment->upper);
    if (!segment || !segment->whole || is_fixed(segment->number, loop)) return false;
    auto mean = counts_.find(segment->pointers);
    return mean != counts_.end() && mean->second <= most_in_empty;
  }

  /// Whether the loop's variable, and what its body defines by it, doesn't occur.
  static bool is_fixed(const Term &bound, const For &loop) {
    return !mentions(bound, loop.variable) && !effects_of(loop.body).mentions_declared(bound);
  }

  /// for (strip) { clear the strip; test many segments at once, and enter those that hold something }
  For in_strips(const For &loop, const Origins &origins) {
    Parts parts = *parts_of(loop);
    std::string strip = names_.name(loop.variable + "_strip");
    std::string first = names_.name(loop.variable + "_from");
    std::string last = names_.name(loop.variable + "_to");
    For strips{strip, Term(0), term::ceil_divide(loop.upper - loop.lower, tested_strip)};
    strips.comment = "most segments are empty: elements are set to zero in strips";
    strips.parallel = loop.parallel;
    if (strips.parallel) strips.parallel->chunk = std::min(strips.parallel->chunk, 1);
    strips.body.push_back(
        {Let{first, loop.lower + term::scale(tested_strip, term::variable(strip))}, origins});
    Term end = term::minimum({term::variable(first) + Term(tested_strip), loop.upper});
    strips.body.push_back({Let{last, std::move(end)}, origins});
    For clear{loop.variable, term::variable(first), term::variable(last)};
    for (const Statement &statement : loop.body)
      if (statement.is<Let>()) clear.body.push_back(statement);
    const Origins &of_store = loop.body.back().origins;
    clear.body.push_back({Store{parts.store->target, {Number{0}}}, of_store});
    For enter{loop.variable, clear.lower, clear.upper};
    enter.comment = loop.comment;
    enter.body.assign(clear.body.begin(), clear.body.end() - 1);
    If filled{less(parts.segment->lower, parts.segment->upper), {}, "", {}};
    filled.then.assign(loop.body.end() - 3, loop.body.end());
    enter.body.push_back({std::move(filled), loop.body[loop.body.size() - 2].origins});
    enter.together = tested_together;
    if (!may_test_together(enter)) enter.together = 1;
    strips.body.push_back({std::move(clear), of_store});
    strips.body.push_back({std::move(enter), origins});
    return strips;
  }

  FreshNames names_;
  const Counts &counts_;
};

} // namespace

Program skip_empty_segments(Program program, const Known &known) {
  Skipper skipper(program, known.counts);
  skipper.block(program.body);
  program.body = drop_unused(std::move(program.body));
  return program;
}

} // namespace unravel::loop
