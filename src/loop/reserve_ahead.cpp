#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>
#include <map>
#include <optional>

namespace unravel::loop {

using term::Term;

namespace {

/// Of the counts that grow: by how much in all iterations, at most. Each is a variable.
class Ahead {
public:
  void block(Block &statements) {
    Block result;
    for (Statement &statement : statements) {
      for (Block *inner : blocks_of(statement))
        block(*inner);
      if (const std::optional<Term> most = most_iterations(statement))
        for (Reserve &ahead : taken_out(statement, *most))
          result.push_back({std::move(ahead), statement.origins});
      result.push_back(std::move(statement));
    }
    statements = std::move(result);
  }

private:
  /// What the loop's body does with a variable.
  struct Uses {
    int reserves = 0; // for one more than it is, before it is that
    int steps = 0;    // by one
    bool otherwise = false;
  };

  /// How often one of the blocks in the loop is executed, at most: of a merge the last.
  static std::optional<Term> most_iterations(const Statement &statement) {
    if (const auto *loop = std::get_if<For>(&statement.kind); loop && loop->step == 1 && !loop->parallel)
      return loop->upper - loop->lower;
    const auto *merge = std::get_if<Merge>(&statement.kind);
    if (!merge) return {};
    const Term none(0);
    Term sum = none;
    for (const MergedRange &merged : merge->ranges) // one may end before it begins
      sum = sum + term::maximum({none, merged.range.upper - merged.range.lower});
    return sum;
  }

  static std::string end_of(const Reserve &wanted) {
    const Term end = wanted.least - Term(1);
    const auto *variable = end.as<term::Variable>();
    return variable ? variable->name : "";
  }

  static bool is_step(const Assign &assign) {
    return assign.value == term::variable(assign.variable) + Term(1);
  }

  static void look(const Block &statements, bool in_loop, std::map<std::string, Uses> &uses) {
    for (const Statement &statement : statements) {
      if (const auto *wanted = std::get_if<Reserve>(&statement.kind)) {
        const std::string end = end_of(*wanted);
        Uses &of = uses[end];
        of.otherwise = of.otherwise || in_loop || end.empty() || of.steps > 0;
        ++of.reserves;
      }
      if (const auto *assign = std::get_if<Assign>(&statement.kind)) {
        Uses &of = uses[assign->variable];
        of.otherwise = of.otherwise || in_loop || !is_step(*assign);
        ++of.steps;
      }
      if (const auto *declared = std::get_if<Declare>(&statement.kind))
        uses[declared->variable].otherwise = true;
      for (const Block *inner : blocks_of(statement))
        look(*inner, in_loop || is_loop(statement), uses);
    }
  }

  static void erase(Block &statements, const std::vector<Reserve> &taken) {
    std::erase_if(statements, [&](const Statement &statement) {
      const auto *wanted = std::get_if<Reserve>(&statement.kind);
      return wanted &&
             std::ranges::any_of(taken, [&](const Reserve &each) { return each.count == wanted->count; });
    });
    for (Statement &statement : statements)
      for (Block *inner : blocks_of(statement))
        erase(*inner, taken);
  }

  static std::vector<Reserve> taken_out(Statement &loop, const Term &most) {
    std::map<std::string, Uses> uses;
    std::vector<Block *> blocks = blocks_of(loop);
    look(*blocks.back(), false, uses);
    for (std::size_t k = 0; k + 1 < blocks.size(); ++k)
      look(*blocks[k], true, uses); // of a range
    std::vector<Reserve> taken;
    std::map<std::string, int> of_count;
    each_statement(loop, [&](const Statement &statement) {
      if (const auto *wanted = std::get_if<Reserve>(&statement.kind)) {
        ++of_count[wanted->count];
        const Uses &of = uses[end_of(*wanted)];
        if (!of.otherwise && of.reserves == 1 && of.steps == 1)
          taken.push_back({wanted->count, term::variable(end_of(*wanted)) + most, wanted->arrays});
      }
    });
    std::erase_if(taken, [&](const Reserve &each) { return of_count[each.count] != 1; });
    if (!taken.empty()) erase(*blocks_of(loop).back(), taken);
    return taken;
  }
};

} // namespace

Program reserve_ahead(Program program, const Known &) {
  Ahead().block(program.body);
  return program;
}

} // namespace unravel::loop
