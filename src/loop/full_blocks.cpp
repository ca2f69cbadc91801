#include "loop/accumulate.h"
#include "loop/facts.h"
#include "loop/jam.h"
#include "loop/passes.h"
#include "loop/vector_sums.h"

#include <algorithm>

namespace unravel::loop {

namespace {

using term::Term;

/// Longer loops are no blocks: whether their bounds are constant matters little.
constexpr std::int64_t longest_block = 64;
/// Iterations and additions that are written out.
constexpr std::int64_t longest_unrolled = 8;
constexpr std::int64_t most_additions = 32;

constexpr const char *split_comment = "a full block; others take the general loops";

/// How long a loop is where nothing cuts it short, and when that is.
struct Full {
  std::int64_t length = 0;
  Term condition = term::truth();
};

std::optional<Full> full_length(const For &loop) {
  if (loop.step != 1 || loop.together > 1) return {};
  const auto *several = loop.upper.as<term::Minimum>();
  std::optional<Full> full;
  std::vector<Term> others;
  for (const Term &part : several ? several->of : std::vector<Term>{loop.upper}) {
    std::int64_t length = 0;
    if (constant_difference(loop.lower, part, length) && !full)
      full = Full{length};
    else
      others.push_back(part);
  }
  if (!full || full->length < 2 || full->length > longest_block) return {};
  std::vector<Term> conditions;
  for (const Term &other : others)
    conditions.push_back(at_most(loop.lower + Term(full->length), other));
  full->condition = term::conjunction(std::move(conditions));
  return full;
}

int additions_in(const Block &block) {
  int number = 0;
  each_statement(block, [&](const Statement &statement) { number += addition_of(statement) != nullptr; });
  return number;
}

/// Lets that read nothing are written out where they are used.
Block without_plain_lets(Block body) {
  for (std::size_t k = 0; k < body.size();) {
    const auto *let = body[k].as<Let>();
    if (!let || !applications_of(let->value).empty()) {
      ++k;
      continue;
    }
    Let plain = *let;
    body.erase(place(body, k));
    substitute_variable(body, plain.variable, plain.value);
  }
  return body;
}

/// A loop over a block, and the loops around it that are split with it, from the outermost.
struct LoopOverBlock {
  Block *block = nullptr;
  std::size_t index = 0;
  std::vector<For *> around;
  Full full;
  bool unroll = false;

  For &loop() const { return std::get<For>((*block)[index].kind); }
};

class Splitter {
public:
  Splitter(const Program &program, const Safe &safe) : names_(program), safe_(safe) {}

  void block(Block &statements, const Facts &before) {
    Facts facts = before;
    for (std::size_t k = 0; k < statements.size(); ++k) {
      std::size_t made = split(statements, k, facts);
      if (made && k > 0 && join(statements[k - 1], statements[k])) {
        statements.erase(loop::place(statements, k--));
        facts.pass(statements[k]);
        continue;
      }
      std::vector<Block *> blocks = made ? std::vector<Block *>() : blocks_of(statements[k]);
      for (std::size_t inner = 0; inner < blocks.size(); ++inner)
        block(*blocks[inner], facts.inside(statements[k], inner));
      for (std::size_t last = k + std::max<std::size_t>(made, 1); k + 1 < last; ++k)
        facts.pass(statements[k]);
      facts.pass(statements[k]);
    }
  }

private:
  /// What the other statements declare.
  static std::set<std::string> declared_beside(const Block &statements, std::size_t k) {
    Block others = statements;
    others.erase(loop::place(others, k));
    return effects_of(others).declared;
  }

  /// Puts two splits by the same condition into the first one, if there are two.
  static bool join(Statement &first, Statement &second) {
    auto *one = first.as<If>();
    auto *other = second.as<If>();
    if (!one || !other || one->condition != other->condition || one->comment != split_comment ||
        other->comment != split_comment || effects_of(first).changes(one->condition))
      return false;
    first.origins = joined(first.origins, second.origins);
    append(one->then, std::move(other->then));
    append(one->otherwise, std::move(other->otherwise));
    return true;
  }

  /// Replaces statement k by what is done for full blocks, and, where some may not be full, as it was; the
  /// number of statements that stand there then, or 0 if there is nothing to split.
  std::size_t split(Block &statements, std::size_t k, const Facts &facts) {
    if (statements[k].is<If>()) return 0;
    Effects changed = effects_of(statements[k]);
    Block then{statements[k]};
    std::optional<LoopOverBlock> place = find(then, {}, changed);
    if (!place) return 0;
    std::vector<Term> open = conjuncts(place->full.condition);
    std::erase_if(open, [&](const Term &part) { return facts.imply(part); });
    Term condition = term::conjunction(std::move(open));
    std::set<Term> outside = in_bounds_;
    if (place->unroll)
      in_bounds_.merge(unroll(*place));
    else
      make_constant(*place);
    Facts inside = facts;
    inside.learn(condition);
    block(then, inside);
    // Inner loops too have sums of their own: what is carried from block to block is one addition.
    if (!in_bounds_.empty())
      accumulate_locally(then, names_, [&](const Term &load) {
        return in_bounds_.contains(load) || (safe_ && safe_(load));
      });
    in_bounds_ = std::move(outside);
    if (is_true(condition)) {
      if (place->unroll) keep_apart(then, declared_beside(statements, k), names_);
      return replace(statements, k, std::move(then)) - k;
    }
    const auto here = loop::place(statements, k);
    Block general{std::move(*here)};
    Origins origins = general[0].origins;
    *here = {If{condition, std::move(then), split_comment, std::move(general)}, std::move(origins)};
    return 1;
  }

  /// The first loop that may be split here: outside the statements with the effects `changed` (all of what
  /// stands here), unless it is all that stands here.
  std::optional<LoopOverBlock> find(Block &block, const std::vector<For *> &around, const Effects &changed) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      auto *loop = block[k].as<For>();
      auto *guard = block[k].as<If>();
      if (loop) {
        LoopOverBlock place{&block, k, around, {}, false};
        if (may_split(place, changed)) return place;
        if (loop->parallel || loop->together > 1) continue;
        std::vector<For *> longer = around;
        longer.push_back(loop);
        if (std::optional<LoopOverBlock> inner = find(loop->body, longer, changed)) return inner;
      } else if (guard && !around.empty()) {
        if (std::optional<LoopOverBlock> inner = find(guard->then, around, changed)) return inner;
      }
    }
    return {};
  }

  static bool may_split(LoopOverBlock &place, const Effects &changed) {
    const For &loop = place.loop();
    std::optional<Full> full = full_length(loop);
    if (loop.parallel || !full) return false;
    const Term &condition = full->condition;
    bool known = applications_of(condition).empty() && !changed.changes(condition) &&
                 !changed.mentions_declared(condition);
    if (!place.around.empty() && !known) return false;
    place.full = *full;
    place.unroll = is_clearing(place) || pays_unrolled(place);
    bool ragged = loop.upper != loop.lower + Term(full->length);
    return place.unroll || (ragged && !holds(loop.body, is_loop));
  }

  /// A short loop that sets elements to a number.
  static bool is_clearing(const LoopOverBlock &place) {
    const Block &body = place.loop().body;
    const auto *store = body.size() == 1 ? body[0].as<Store>() : nullptr;
    return store && written_element(body[0]) && store->value.is<Number>() &&
           place.full.length <= 2 * longest_unrolled;
  }

  /// Whether its iterations, written out side by side, add to elements that a loop inside doesn't change:
  /// they are summed up in locals then. Not of a loop that others stand around: that its elements are in
  /// bounds may be due to these.
  static bool pays_unrolled(const LoopOverBlock &place) {
    const For &loop = place.loop();
    if (!place.around.empty() || place.full.length > longest_unrolled || !only_adds(loop.body)) return false;
    // Branches that the data decide are better left to vectors with masks.
    if (holds<If>(loop.body) || !holds(loop.body, is_loop)) return false;
    Block body = without_plain_lets(loop.body);
    if (additions_in(body) * place.full.length > most_additions) return false;
    Effects inside = effects_of(body);
    return holds(body, [&](const Statement &statement) {
      const Element *sum = reduced_element(statement);
      return sum && mentions(sum->slot, loop.variable) && !inside.mentions_declared(sum->slot);
    });
  }

  void make_constant(const LoopOverBlock &place) {
    For &loop = place.loop();
    loop.upper = loop.lower + Term(place.full.length);
    loop.brief = false; // of a known length, compilers know what to do
    bool has_lanes = only_adds(loop.body) && !place.around.empty() && are_lanes(*place.around.back());
    bool keeps = holds<If>(loop.body) && only_adds(loop.body) && keeps_to_its_element(loop, {});
    if (!has_lanes && !keeps) return;
    if (has_lanes) place.around.back()->in_lanes = true;
    // Lanes from 0 on: compilers see the length.
    std::string lane = names_.name(loop.variable + "_lane");
    substitute_variable(loop.body, loop.variable, loop.lower + term::variable(lane));
    loop.variable = lane;
    loop.lower = Term(0);
    loop.upper = Term(place.full.length);
    loop.simd = keeps;
    loop.body = adding_always(std::move(loop.body));
  }

  /// Whether the loop adds to elements in lanes, all of which are known to exist.
  bool are_lanes(const For &loop) const {
    std::optional<LaneSums> sums = lane_sums(loop);
    return sums && safe_ && safe_(term::apply(std::get<Element>(sums->sum->target).array, {sums->slot}));
  }

  /// What is added under a condition is added in any case, and 0 where the condition doesn't hold: then the
  /// result is read and written without masks, which processors can't pass from a store to the next load.
  Block adding_always(Block body) {
    Block result;
    for (Statement &statement : body) {
      auto *guard = statement.as<If>();
      const Accumulate *add = guard && guard->then.size() == 1 && guard->otherwise.empty()
                                  ? addition_of(guard->then[0])
                                  : nullptr;
      if (!add) {
        result.push_back(std::move(statement));
        continue;
      }
      Accumulate always = *add;
      std::string term = names_.name(std::get<Element>(always.target).array.substr(0, 1) + ".term");
      *guard = If{guard->condition, {{Store{Local{term}, add->value}}}, guard->comment, {}};
      always.value = {Local{term}};
      result.push_back({DeclareValue{term, {Number{0}}}});
      result.push_back(std::move(statement));
      result.push_back({std::move(always)});
    }
    return result;
  }

  /// Writes the iterations out. Returns the elements that are added to, by array and slot, as far as they
  /// are known to be in bounds.
  std::set<Term> unroll(const LoopOverBlock &place) {
    bool is_clear = is_clearing(place);
    For loop = std::move(place.loop());
    loop.body = without_plain_lets(std::move(loop.body));
    std::set<Term> in_bounds;
    Block all;
    for (std::int64_t k = 0; k < place.full.length; ++k) {
      Term value = loop.lower + Term(k);
      Block copy = loop.body;
      each_statement(copy, [&](const Statement &statement) {
        const Element *element = reduced_element(statement);
        if (!element) return;
        Term load = term::apply(element->array, {element->slot});
        if (safe_ && safe_(load)) in_bounds.insert(substitute(load, {{loop.variable, value}}));
      });
      substitute_variable(copy, loop.variable, value);
      if (k == 0 || is_clear)
        append(all, std::move(copy));
      else
        all = jam(std::move(all), std::move(copy), names_);
    }
    place.block->erase(loop::place(*place.block, place.index));
    keep_apart(all, effects_of(*place.block).declared, names_);
    place.block->insert(loop::place(*place.block, place.index), std::make_move_iterator(all.begin()),
                        std::make_move_iterator(all.end()));
    return in_bounds;
  }

  FreshNames names_;
  const Safe &safe_;
  std::set<Term> in_bounds_; // elements that are known to be in bounds in the full blocks around
};

/// A loop over a block is too short for threads.
void keep_short_serial(Block &block) {
  each_statement(block, [](Statement &statement) {
    auto *loop = statement.as<For>();
    if (!loop || !loop->parallel || loop->parallel->work || !loop->parallel->sum.empty()) return;
    const std::optional<Full> full = full_length(*loop);
    if (full && full->length < loop->parallel->least && !adds_atomically(loop->body)) loop->parallel.reset();
  });
}

} // namespace

Program split_full_blocks(Program program, const Known &known) {
  keep_short_serial(program.body);
  Splitter(program, known.safe).block(program.body, {});
  return program;
}

} // namespace unravel::loop
