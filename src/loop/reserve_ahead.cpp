#include "loop/arrays.h"
#include "loop/passes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace unravel::loop {

using term::Term;

namespace {

/// What has been read by now of arrays of one extent, so that it exists: also the elements of that slot of
/// all others that are as long.
class Existing {
public:
  explicit Existing(const Program &program) {
    each_array(program, [&](const std::string &name, const ArrayParameter &array, const TensorParameter &) {
      if (array.extents.size() == 1) extents_.emplace(name, array.extents.front());
    });
  }

  void read(const std::string &array, const Term &slot) {
    if (const auto found = extents_.find(array); found != extents_.end())
      read_.emplace_back(found->second, slot);
  }
  void read(const Term &term) {
    for (const Term &load : term::applications_of(term))
      read(load.as<term::Apply>()->function, load.as<term::Apply>()->arguments.front());
  }
  /// What the statement itself reads in any case.
  void read(const Statement &statement) {
    if (!blocks_of(statement).empty()) return;
    each_own_term(statement, [&](const Term &term) { read(term); });
    each_element(statement, [&](const Element &element) { read(element.array, element.slot); });
  }
  /// They may have other values from here on.
  void forget(const std::set<std::string> &variables) {
    std::erase_if(read_, [&](const auto &known) {
      return std::ranges::any_of(variables,
                                 [&](const std::string &name) { return mentions(known.second, name); });
    });
  }

  bool has(const std::string &array, const Term &slot) const {
    const auto found = extents_.find(array);
    return found != extents_.end() && term::applications_of(slot).empty() &&
           std::ranges::find(read_, std::pair(found->second, slot)) != read_.end();
  }
  bool has_all_read_in(const Block &block) const {
    bool all = true;
    each_statement(block, [&](const Statement &statement) {
      each_own_term(statement, [&](const Term &term) {
        for (const Term &load : term::applications_of(term))
          all = all && has(load.as<term::Apply>()->function, load.as<term::Apply>()->arguments.front());
      });
    });
    each_element(block, [&](const Element &element) { all = all && has(element.array, element.slot); });
    return all;
  }

private:
  std::map<std::string, Term> extents_;
  std::vector<std::pair<Term, Term>> read_; // an extent, a slot
};

/// The block with the count as its last statement, so that what it sets lies behind the last element.
Block counted_last(const Block &block, const std::string &end) {
  Block result, counts;
  for (Statement statement : block) {
    const auto *assign = statement.as<Assign>();
    if (counts.empty() && assign && assign->variable == end) {
      counts.push_back(std::move(statement));
      continue;
    }
    if (!counts.empty()) {
      const Term next = term::variable(end) + Term(1);
      rewrite(statement, [&](const Term &term) { return term::substitute(term, {{end, next}}); });
    }
    result.push_back(std::move(statement));
  }
  append(result, std::move(counts));
  return result;
}

/// Of the counts that grow: by how much in all iterations, at most. Each is a variable.
class Ahead {
public:
  explicit Ahead(const Program &program) : program_(program), existing_(program) {}

  void block(Block &statements) {
    Block result;
    for (Statement &statement : statements) {
      for (Block *inner : blocks_of(statement))
        block(*inner);
      if (const std::optional<Term> most = most_iterations(statement))
        for (Reserve &ahead : taken_out(statement, *most)) {
          if (auto *loop = statement.as<For>(); loop && loop->together == 1)
            speculate(loop->body, name_of(ahead.least - *most), existing_);
          result.push_back({std::move(ahead), statement.origins});
        }
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
    if (const auto *loop = statement.as<For>(); loop && loop->step == 1 && !loop->parallel)
      return loop->upper - loop->lower;
    const auto *merge = statement.as<Merge>();
    if (!merge) return {};
    const Term none(0);
    Term sum = none;
    for (const MergedRange &merged : merge->ranges) // one may end before it begins
      sum = sum + term::maximum({none, merged.range.upper - merged.range.lower});
    return sum;
  }

  static std::string name_of(const Term &end) {
    const auto *variable = end.as<term::Variable>();
    return variable ? variable->name : "";
  }
  static std::string end_of(const Reserve &wanted) { return name_of(wanted.least - Term(1)); }

  static bool is_step(const Assign &assign) {
    return assign.value == term::variable(assign.variable) + Term(1);
  }

  static void look(const Block &statements, bool in_loop, std::map<std::string, Uses> &uses) {
    for (const Statement &statement : statements) {
      if (const auto *wanted = statement.as<Reserve>()) {
        const std::string end = end_of(*wanted);
        Uses &of = uses[end];
        of.otherwise = of.otherwise || in_loop || end.empty() || of.steps > 0;
        ++of.reserves;
      }
      if (const auto *assign = statement.as<Assign>()) {
        Uses &of = uses[assign->variable];
        of.otherwise = of.otherwise || in_loop || !is_step(*assign);
        ++of.steps;
      }
      if (const auto *declared = statement.as<Declare>()) uses[declared->variable].otherwise = true;
      for (const Block *inner : blocks_of(statement))
        look(*inner, in_loop || is_loop(statement), uses);
    }
  }

  static void erase(Block &statements, const std::vector<Reserve> &taken) {
    std::erase_if(statements, [&](const Statement &statement) {
      const auto *wanted = statement.as<Reserve>();
      return wanted &&
             std::ranges::any_of(taken, [&](const Reserve &each) { return each.count == wanted->count; });
    });
    for (Statement &statement : statements)
      for (Block *inner : blocks_of(statement))
        erase(*inner, taken);
  }

  /// Room in a hash table is for elements that differ, which may be far fewer than there are iterations.
  bool may_have_more(const Reserve &wanted) const {
    const WorkspaceArray *array = find_workspace(wanted.arrays.front(), program_);
    return !array || !array->hashed;
  }

  std::vector<Reserve> taken_out(Statement &loop, const Term &most) const {
    std::map<std::string, Uses> uses;
    std::vector<Block *> blocks = blocks_of(loop);
    look(*blocks.back(), false, uses);
    for (std::size_t k = 0; k + 1 < blocks.size(); ++k)
      look(*blocks[k], true, uses); // of a range
    std::vector<Reserve> taken;
    std::map<std::string, int> of_count;
    each<Reserve>(loop, [&](const Reserve &wanted) {
      ++of_count[wanted.count];
      const Uses &of = uses[end_of(wanted)];
      if (!of.otherwise && of.reserves == 1 && of.steps == 1 &&
          (wanted.arrays.empty() || may_have_more(wanted)))
        taken.push_back({wanted.count, term::variable(end_of(wanted)) + most, wanted.arrays});
    });
    std::erase_if(taken, [&](const Reserve &each) { return of_count[each.count] != 1; });
    if (!taken.empty()) erase(*blocks_of(loop).back(), taken);
    return taken;
  }

  /// Where the block appends only if a condition holds. There is room behind the end: for each iteration.
  static void speculate(Block &statements, const std::string &end, Existing existing) {
    const std::set<std::string> assigned = effects_of(statements).assigned;
    for (Statement &statement : statements) {
      existing.forget(assigned);
      auto *guard = statement.as<If>();
      auto *value = statement.as<IfValue>();
      if (guard && guard->otherwise.empty() && appends_alone(guard->then, end, existing))
        guard->speculative = true;
      if (value && appends_alone(value->then, end, existing)) value->speculative = true;
      for (Block *inner : blocks_of(statement))
        if (!is_loop(statement)) speculate(*inner, end, existing);
      existing.read(statement);
    }
  }

  static bool appends_alone(Block &then, const std::string &end, const Existing &existing) {
    Block last = counted_last(then, end);
    if (appends_to(last) != end || !existing.has_all_read_in(last)) return false;
    then = std::move(last);
    return true;
  }

  const Program &program_;
  const Existing existing_;
};

} // namespace

Program reserve_ahead(Program program, const Known &) {
  Ahead ahead(program);
  ahead.block(program.body);
  return program;
}

} // namespace unravel::loop
