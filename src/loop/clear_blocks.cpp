#include "loop/jam.h"
#include "loop/passes.h"

#include <map>
#include <optional>

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

class Clearer {
public:
  explicit Clearer(const Program &program) : names_(program) {}

  void block(Block &statements) {
    for (std::size_t k = 0; k + 1 < statements.size(); ++k) {
      const auto *zero = statements[k].as<Zero>();
      auto *loop = statements[k + 1].as<For>();
      std::optional<Range> range;
      if (!zero || !loop || !only_adds(statements[k + 1]) ||
          !add_to_one_range(loop->body, zero->array, {}, range) || !range ||
          !are_all_blocks(*loop, *range, zero->count))
        continue;
      For clear{names_.name(zero->array.substr(0, zero->array.find('.')) + ".slot"), range->lower,
                range->upper};
      const Origins &origins = statements[k].origins;
      clear.body.push_back(
          {Store{Element{zero->array, term::variable(clear.variable)}, {Number{0}}}, origins});
      loop->body.insert(loop->body.begin(), {std::move(clear), origins});
      statements.erase(place(statements, k));
    }
    for (Statement &statement : statements)
      for (Block *inner : blocks_of(statement))
        block(*inner);
  }

private:
  FreshNames names_;
};

} // namespace

Program clear_in_blocks(Program program, const Known & /*known*/) {
  Clearer(program).block(program.body);
  return program;
}

} // namespace unravel::loop
