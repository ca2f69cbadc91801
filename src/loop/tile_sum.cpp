
#include "loop/arrays.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::loop {

using term::Term;

namespace {

/// The last statement of a block that has only names in front of it; or null.
const Statement *behind_names(const Block &block) {
  const bool names = !block.empty() && std::all_of(block.begin(), block.end() - 1, [](const Statement &each) {
    return each.is<Let>() || each.is<DeclareValue>();
  });
  return names ? &block.back() : nullptr;
}

const For *loop_behind_names(const Block &block) {
  const Statement *last = behind_names(block);
  return last ? last->as<For>() : nullptr;
}

class Tile {
public:
  Tile(const For &loop, const Program &program)
      : loop_(loop), program_(program), effects_(effects_of(Statement{loop})) {}

  std::optional<TileSum> find() {
    if (!is_plain(loop_) || !find_loops() || !has_factors()) return {};
    const auto &target = std::get<Element>(found_.sum->target);
    return adds_to_a_matrix(target) && reads_float64_beside(target.array, loop_.body, program_)
               ? std::optional(found_)
               : std::nullopt;
  }

private:
  bool find_loops() {
    descend(loop_.body);
    return found_.sum && !found_.sum->atomic && found_.sum->by == Operator::Add &&
           std::holds_alternative<Element>(found_.sum->target) && is_range(*found_.rows) &&
           is_range(*found_.columns);
  }

  /// Through loops, conditions and names to the loops over the matrix.
  void descend(const Block &block) {
    const Statement *last = behind_names(block);
    if (!last) return;
    if (const auto *guard = last->as<If>()) {
      if (guard->otherwise.empty() && !guard->speculative) descend(guard->then);
      return;
    }
    const auto *loop = last->as<For>();
    const For *inside = loop ? loop_behind_names(loop->body) : nullptr;
    const auto *sum = inside && inside->body.size() == 1 ? inside->body[0].as<Accumulate>() : nullptr;
    if (sum)
      found_.rows = loop, found_.columns = inside, found_.sum = sum;
    else if (loop && is_plain(*loop))
      descend(loop->body);
  }

  bool is_range(const For &inner) const {
    return is_plain(inner) && inner.lower == Term(0) && !effects_.changes(inner.upper) &&
           !effects_.mentions_declared(inner.upper) && applications_of(inner.upper).empty();
  }

  /// The product, with the names of the rows' loop put in.
  bool has_factors() {
    Value product = found_.sum->value;
    for (auto name = found_.rows->body.rbegin() + 1; name != found_.rows->body.rend(); ++name) {
      const auto *local = name->as<DeclareValue>();
      if (!local || local->type || !parts_of(local->initial).empty()) return false;
      product = map_leaves(product, [&](const Value &leaf) {
        const auto *read = leaf.as<Local>();
        return read && read->name == local->name ? local->initial : leaf;
      });
    }
    if (const auto *negative = arguments_of(Operator::Negate, product)) {
      found_.negative = true;
      product = Value(negative->front());
    }
    const auto *factors = arguments_of(Operator::Multiply, product);
    if (!factors) return false;
    bool good = true, has_row = false;
    for (const Value &factor : *factors) {
      good = good && parts_of(factor).empty() && !factor.is<Term>();
      const auto *element = factor.as<Element>();
      const bool of_row = element && mentions(element->slot, found_.rows->variable);
      if (!element || !mentions(element->slot, found_.columns->variable)) {
        has_row = has_row || of_row;
        found_.of_row.push_back(factor);
        continue;
      }
      good = good && !of_row && runs_along(element->slot, found_.columns->variable);
      found_.along.push_back(*element);
    }
    return good && has_row && !found_.along.empty();
  }

  /// A row's elements lie side by side, and the next row begins behind them.
  bool adds_to_a_matrix(const Element &target) const {
    const std::string &row = found_.rows->variable, &column = found_.columns->variable;
    const Term rest = substitute(target.slot, {{row, Term(0)}, {column, Term(0)}});
    std::set<std::string> changed = effects_.stored;
    changed.erase(target.array);
    changed.insert(effects_.assigned.begin(), effects_.assigned.end());
    return runs_along(target.slot, column) && stride_of(target.slot, row) == found_.columns->upper &&
           !effects_.changes(rest) && !effects_.mentions_declared(rest) && changed.empty();
  }

  const For &loop_;
  const Program &program_;
  const Effects effects_;
  TileSum found_;
};

} // namespace

std::optional<TileSum> tile_sum(const For &loop, const Program &program) {
  return Tile(loop, program).find();
}

} // namespace unravel::loop
