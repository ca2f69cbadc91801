#include "loop/arrays.h"
#include "loop/jam.h"
#include "loop/passes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace unravel::loop {

namespace {

using term::Term;

/// The slots of a result that a block has: from length * variable on, as far as there are any.
struct Range {
  Term lower, upper;
  friend bool operator==(const Range &, const Range &) = default;
};

/// Whether all that is added to the array is added to slots of one range, by loops over that range. `around`
/// has those of the loops around, by their variables.
bool add_to_one_range(const Block &block, const std::string &array, std::map<std::string, Range> around,
                      std::optional<Range> &range) {
  for (const Statement &statement : block) {
    const Element *element = reduced_element(statement);
    if (element && element->array == array) {
      const auto *slot = element->slot.as<term::Variable>();
      auto own = slot ? around.find(slot->name) : around.end();
      if (own == around.end() || (range && *range != own->second)) return false;
      range = own->second;
    }
    std::map<std::string, Range> inside = around;
    if (const auto *loop = statement.as<For>(); loop && loop->step == 1)
      inside[loop->variable] = {loop->lower, loop->upper};
    for (const Block *inner : blocks_of(statement))
      if (!add_to_one_range(*inner, array, inside, range)) return false;
  }
  return true;
}

/// Whether the loop's ranges are the blocks of `length` slots, of `count` in all.
bool are_all_blocks(const For &loop, const Range &range, const Term &count) {
  std::int64_t length = coefficient_of(range.lower, loop.variable);
  if (length < 2 || range.lower != term::scale(length, term::variable(loop.variable))) return false;
  bool all = loop.upper == term::ceil_divide(count, length) ||
             loop.upper == term::floor_divide(count - Term(1), length) + Term(1);
  Term end = range.lower + Term(length);
  return all && loop.step == 1 && loop.lower == Term(0) &&
         (range.upper == term::minimum({count, end}) || range.upper == term::minimum({end, count}));
}

/// What sets a stretch of an array to a number, an element for each value of a variable.
struct Setting {
  std::string array, variable;
  Term slot, lower, upper;
  Value number;
  const Origins &origins;
  const Parallel *parallel = nullptr;
};

/// A loop whose iterations are done one by one, or by threads that don't add to copies.
bool is_plain_loop(const For &loop) {
  return loop.step == 1 && loop.together == 1 && !loop.simd && !loop.team &&
         (!loop.parallel || (loop.parallel->copied.empty() && !loop.parallel->appended));
}

std::optional<Setting> setting_of(const Statement &statement) {
  if (const auto *zero = statement.as<Zero>()) {
    const std::string variable = zero->array + ".slot";
    return Setting{zero->array, variable,    term::variable(variable), Term(0),
                   zero->count, {Number{0}}, statement.origins};
  }
  const auto *loop = statement.as<For>();
  const auto *store = loop && loop->body.size() == 1 ? loop->body[0].as<Store>() : nullptr;
  const auto *element = store ? std::get_if<Element>(&store->target) : nullptr;
  if (!element || !value::number_of(store->value) || !is_plain_loop(*loop) ||
      (loop->parallel && loop->parallel->least == 0))
    return std::nullopt;
  return Setting{
      element->array, loop->variable, element->slot,         loop->lower,
      loop->upper,    store->value,   loop->body[0].origins, loop->parallel ? &*loop->parallel : nullptr};
}

/// Do the statements read and write that slot of the array alone, if any?
bool keeps_to(const Element &element, const Block &block) {
  const auto strays = [&](const Element &other) {
    return other.array == element.array && !same_place(other, element);
  };
  return !holds(block, [&](const Statement &statement) {
    const Element *written = written_element(statement);
    if (statement.is<Blas>())
      return reads(statement, element.array) || (written && written->array == element.array);
    bool astray = written && strays(*written);
    each_own_value(statement, [&](const Value &value) {
      each_element(value, [&](const Element &read) { astray = astray || strays(read); });
    });
    if (const auto *loop = statement.as<For>(); loop && loop->parallel)
      return loop->parallel->copied == element.array;
    if (const auto *add = statement.as<Accumulate>())
      return astray || (add->atomic && written->array == element.array);
    const bool is_whole = !written && blocks_of(statement).empty();
    return astray || (is_whole && effects_of(statement).touches(element.array));
  });
}

/// The element that each iteration of the loop has for itself, where those of all iterations are what is set.
std::optional<Element> own_element(const For &loop, const Setting &set) {
  const std::int64_t factor = coefficient_of(set.slot, set.variable);
  const Term rest = set.slot - term::scale(factor, term::variable(set.variable));
  const Effects effects = effects_of(loop.body);
  if (factor == 0 || mentions(rest, set.variable) || !is_plain_loop(loop) || loop.lower != set.lower ||
      loop.upper != set.upper || effects.breaks || holds<Reserve>(loop.body) || effects.changes(rest))
    return std::nullopt;
  Element element{set.array, substitute(set.slot, {{set.variable, term::variable(loop.variable)}})};
  return keeps_to(element, loop.body) ? std::optional(std::move(element)) : std::nullopt;
}

class Clearer {
public:
  explicit Clearer(const Program &program) : program_(program), names_(program) {}

  void block(Block &statements) {
    for (std::size_t k = 0; k + 1 < statements.size();)
      if (in_blocks(statements[k], statements[k + 1]) || in_own_loop(statements, k))
        statements.erase(place(statements, k));
      else
        ++k;
    for (Statement &statement : statements)
      for (Block *inner : blocks_of(statement))
        block(*inner);
  }

private:
  bool in_blocks(const Statement &clearing, Statement &next) {
    const auto *zero = clearing.as<Zero>();
    auto *loop = next.as<For>();
    std::optional<Range> range;
    if (!zero || !loop || !only_adds(next) || !add_to_one_range(loop->body, zero->array, {}, range) ||
        !range || !are_all_blocks(*loop, *range, zero->count))
      return false;
    For clear{names_.name(zero->array.substr(0, zero->array.find('.')) + ".slot"), range->lower,
              range->upper};
    clear.body.push_back(
        {Store{Element{zero->array, term::variable(clear.variable)}, {Number{0}}}, clearing.origins});
    of_blocks_.insert(clear.variable);
    loop->body.insert(loop->body.begin(), {std::move(clear), clearing.origins});
    return true;
  }

  /// What the k-th statement sets is set in the first loop behind it that touches the array. A block of the
  /// result is not: the loop over its elements does nothing but add, and is written out as such.
  bool in_own_loop(Block &statements, std::size_t k) const {
    const std::optional<Setting> set = setting_of(statements[k]);
    const WorkspaceArray *own = set ? find_workspace(set->array, program_) : nullptr;
    if (!set || of_blocks_.contains(set->variable) || (own && (!own->has_values() || own->per_thread)))
      return false;
    for (std::size_t next = k + 1; next < statements.size(); ++next) {
      const Effects effects = effects_of(statements[next]);
      if (effects.touches(set->array) || reads(statements[next], set->array)) {
        auto *loop = statements[next].as<For>();
        const std::optional<Element> element = loop ? own_element(*loop, *set) : std::nullopt;
        if (!element) return false;
        add_work(*loop, *set);
        loop->body.insert(loop->body.begin(), {Store{*element, set->number}, set->origins});
        return true;
      }
      if (effects.breaks || effects.changes(set->slot) || effects.changes(set->lower) ||
          effects.changes(set->upper))
        return false;
    }
    return false;
  }

  static void add_work(For &loop, const Setting &set) {
    if (!loop.parallel || !loop.parallel->work || !set.parallel || !set.parallel->work) return;
    const std::int64_t least = loop.parallel->least;
    if (least <= 0 || set.parallel->least % least != 0) return;
    *loop.parallel->work =
        *loop.parallel->work + term::floor_divide(*set.parallel->work, set.parallel->least / least);
  }

  const Program &program_;
  FreshNames names_;
  std::set<std::string> of_blocks_; // the variables of loops that set a block of a result
};

} // namespace

Program clear_in_blocks(Program program, const Known & /*known*/) {
  Clearer(program).block(program.body);
  return program;
}

} // namespace unravel::loop
