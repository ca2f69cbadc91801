#include "lower/shared_loops.h"

#include "loop/rename.h"
#include "loop/walk.h"
#include "lower/members.h"
#include "lower/merge.h"
#include "lower/origins.h"
#include "lower/pieces.h"
#include "lower/values.h"
#include "report/diagnostic.h"
#include "term/children.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace unravel::lower {

using loop::Block;
using term::Term;

namespace {

using Names = std::set<std::string>;

/// The names that the block declares for what follows in it.
Names declared_for_rest(const Block &block) {
  Names names;
  for (const loop::Statement &statement : block) {
    if (const auto *let = std::get_if<loop::Let>(&statement.kind)) names.insert(let->variable);
    if (const auto *declare = std::get_if<loop::Declare>(&statement.kind)) names.insert(declare->variable);
    if (const auto *value = std::get_if<loop::DeclareValue>(&statement.kind)) names.insert(value->name);
  }
  return names;
}

/// These, and the positions of ranges that are merged.
Names outermost_of(const Block &block) {
  Names names = declared_for_rest(block);
  for (const loop::Statement &statement : block)
    if (std::holds_alternative<loop::Merge>(statement.kind))
      for (const loop::KeyedRange *range : loop::keyed_ranges_of(statement))
        names.insert(range->variable);
  return names;
}

Names declared_in(const std::vector<Block *> &blocks) {
  Names names;
  for (const Block *block : blocks)
    names.merge(loop::effects_of(*block).declared);
  return names;
}

/// Others in place of those of the names that are taken: `p_2`.
void rename_taken(const std::vector<Block *> &blocks, const Names &names, const Names &taken) {
  const Names own = declared_in(blocks);
  std::map<std::string, std::string> others;
  for (const std::string &name : names) {
    if (!taken.contains(name)) continue;
    std::string other = name;
    for (int number = 2; taken.contains(other) || own.contains(other); ++number)
      other = fmt::format("{}_{}", name, number);
    others[name] = other;
  }
  if (others.empty()) return;
  for (Block *block : blocks)
    loop::rename(*block, others);
}

/// The statement's code from that shared loop on.
std::vector<Block *> blocks_from(LoweredStatement &statement, std::size_t depth) {
  std::vector<Block *> blocks;
  for (std::size_t k = depth; k < statement.code.around.size(); ++k)
    for (Block *block : {&statement.code.around[k].before, &statement.code.around[k].behind})
      blocks.push_back(block);
  blocks.push_back(&statement.code.inside);
  return blocks;
}

/// The statement's conditions that are known outside of that shared loop.
std::vector<Term> conditions_outside(const LoweredStatement &statement, std::size_t depth) {
  const std::vector<scan::Level> &levels = statement.plan->nest.levels;
  std::vector<Term> conditions = statement.shared.conditions;
  const std::vector<Term> &guards = levels[statement.shared.count - 1].guards;
  conditions.insert(conditions.end(), guards.begin(), guards.end());
  std::erase_if(conditions, [&](const Term &condition) {
    return std::any_of(levels.begin() + static_cast<std::ptrdiff_t>(depth), levels.end(),
                       [&](const scan::Level &level) { return term::mentions(condition, level.variable); });
  });
  return conditions;
}

/// What stands around a shared loop is done where the statement's conditions hold; its variables are declared
/// anyway, for what follows.
AroundLoop guarded(AroundLoop around, const std::vector<Term> &conditions, const loop::Origin &origin) {
  const auto guard = [&](Block block) {
    return block.empty() ? Block() : with_origin(where(conditions, std::move(block)), origin);
  };
  if (conditions.empty()) return around;
  Block declared;
  for (loop::Statement &statement : around.before)
    if (auto *declare = std::get_if<loop::Declare>(&statement.kind)) {
      declared.push_back({loop::Declare{declare->variable, Term(0)}, statement.origins});
      statement.kind = loop::Assign{declare->variable, declare->initial};
    }
  report::require(declared_for_rest(around.before).empty(), "only states are declared in front of a loop");
  loop::append(declared, guard(std::move(around.before)));
  return {std::move(declared), guard(std::move(around.behind))};
}

/// The loop over pieces of equal work.
loop::Statement in_pieces(loop::For loop, const LeafPlan &plan) {
  scan::Level range;
  range.variable = loop.variable;
  range.lower = loop.lower, range.upper = loop.upper;
  Pieces pieces = pieces_of(range, *plan.equal(), plan.chunk);
  pieces.loop.parallel = loop::Parallel{1, plan.least, plan.work};
  pieces.loop.parallel->schedule = plan.schedule;
  loop.lower = pieces.from, loop.upper = pieces.to;
  loop.parallel.reset();
  pieces.loop.body.push_back({std::move(loop)});
  if (plan.equal()->when_empty) return {std::move(pieces.loop)};
  return {loop::If{term::less(range.lower, range.upper), {{std::move(pieces.loop)}}, ""}};
}

/// Writes the tree.
class Writer {
public:
  Writer(LoweredStatements statements, std::map<std::string, LocalCode> local_codes,
         const std::map<std::string, std::string> &rounds,
         const std::function<bool(std::size_t)> &is_in_wavefronts, const Replace &in_wavefronts)
      : local_codes_(std::move(local_codes)), rounds_(rounds), is_in_wavefronts_(is_in_wavefronts),
        in_wavefronts_(in_wavefronts) {
    for (LoweredStatement &statement : statements)
      statements_.emplace(statement.number, std::move(statement));
  }

  Block all(const std::vector<scan::Node> &tree) {
    Names locals;
    for (const auto &[number, statement] : statements_)
      if (statement.space->target.is_scalar()) locals.insert(statement.space->target.local);
    Block block = block_of(tree, {}, std::move(locals));
    empty_anew(block);
    return block;
  }

private:
  /// Where a local is set to nothing once more, its entries are taken out.
  void empty_anew(Block &block) const {
    for (std::size_t k = 0; k < block.size(); ++k) {
      for (Block *inner : loop::blocks_of(block[k]))
        empty_anew(*inner);
      const auto *store = std::get_if<loop::Store>(&block[k].kind);
      const auto *target = store ? std::get_if<loop::Local>(&store->target) : nullptr;
      const auto tensor = target ? local_codes_.find(target->name) : local_codes_.end();
      if (tensor == local_codes_.end()) continue;
      Block code = tensor->second.end;
      for (const loop::Statement &statement : tensor->second.begin) {
        const auto &counter = std::get<loop::Declare>(statement.kind);
        code.push_back({loop::Assign{counter.variable, counter.initial}});
      }
      for (loop::Statement &statement : code)
        statement.origins = block[k].origins;
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(k));
      block.insert(block.begin() + static_cast<std::ptrdiff_t>(k), code.begin(), code.end());
      k += code.size();
      --k;
    }
  }

  bool is_about(const scan::Node &node, const std::string &local) const {
    return std::ranges::any_of(node.statements, [&](std::size_t number) {
      const combine::IterationSpace &space = *statements_.at(number).space;
      return space.target.local == local || space.reads(local);
    });
  }

  /// The variables that belong into the loop: nothing else in its block is about them.
  Names inside_of(const scan::Node &loop, const std::vector<scan::Node> &nodes, const Names &locals) const {
    Names inside;
    for (const std::string &local : locals)
      if (is_about(loop, local) &&
          std::ranges::count_if(nodes, [&](auto &node) { return is_about(node, local); }) == 1)
        inside.insert(local);
    return inside;
  }

  /// In front of the code that begins there, or where that sets it.
  void declare(const std::string &local, Block &block, std::size_t begin) const {
    const auto code = block.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto tensor = local_codes_.find(local);
    for (auto statement = code; statement != block.end(); ++statement) {
      loop::Statement *sets = &*statement;
      if (tensor != local_codes_.end()) sets = &without_conditions(*sets); // it is empty anyway
      auto *store = std::get_if<loop::Store>(&sets->kind);
      const auto *target = store ? std::get_if<loop::Local>(&store->target) : nullptr;
      if (!target || target->name != local) continue;
      if (tensor != local_codes_.end())
        block.insert(block.erase(statement), tensor->second.begin.begin(), tensor->second.begin.end());
      else
        statement->kind = loop::DeclareValue{local, std::move(store->value), type_of(local)};
      return;
    }
    if (tensor != local_codes_.end()) {
      block.insert(code, tensor->second.begin.begin(), tensor->second.begin.end());
      return;
    }
    loop::Origins origins;
    for (const auto &[number, statement] : statements_)
      if (origins.empty() && statement.space->sets && statement.space->target.local == local)
        origins.push_back(
            {static_cast<int>(number), 0, static_cast<int>(statement.plan->nest.levels.size())});
    const bool ends_rounds =
        std::ranges::any_of(rounds_, [&](const auto &each) { return each.second == local; });
    const double first = ends_rounds ? 1 : 0; // where the conditions around rounds don't hold, there are none
    block.insert(code,
                 {loop::DeclareValue{local, {loop::Number{first}}, type_of(local)}, std::move(origins)});
  }

  /// What is done where conditions hold, if that is one statement.
  static loop::Statement &without_conditions(loop::Statement &statement) {
    auto *where = std::get_if<loop::If>(&statement.kind);
    const bool is_one = where && where->then.size() == 1 && where->otherwise.empty();
    return is_one ? without_conditions(where->then.front()) : statement;
  }

  /// Of a scalar, as far as it must be said.
  std::optional<loop::ElementType> type_of(const std::string &local) const {
    const std::map<std::string, value::Type> &types = statements_.begin()->second.space->types;
    const bool is_one =
        std::ranges::all_of(types, [&](const auto &each) { return each.second == types.begin()->second; });
    return is_one ? declared(compute::type_of(types, local)) : std::optional(compute::type_of(types, local));
  }

  /// How the node's statement is merged with others; null where it isn't.
  const plan::Merged *merged_at(const scan::Node &node) const {
    const std::optional<plan::Merged> &merged = statements_.at(node.statements.front()).plan->merged;
    return !node.is_loop() && merged ? &*merged : nullptr;
  }

  /// The code of the nodes that are merged, the last of which is that one. They declare no name twice.
  std::vector<Block> merges_until(const std::vector<scan::Node> &nodes, std::size_t last) {
    std::vector<Block> blocks;
    Names anywhere, in_scope; // of the blocks before
    const auto is_merged = [&](const scan::Node &node) {
      const plan::Merged *merged = merged_at(node);
      return merged && merged->local == merged_at(nodes[last])->local;
    };
    std::size_t first = last;
    while (first > 0 && is_merged(nodes[first - 1]))
      --first;
    for (std::size_t k = first; k <= last; ++k) {
      Block &code = statements_.at(nodes[k].statements.front()).code.inside;
      rename_taken({&code}, outermost_of(code), anywhere);
      rename_taken({&code}, declared_in({&code}), in_scope);
      in_scope.merge(outermost_of(code));
      Names declared = declared_in({&code});
      for (const loop::Statement &statement : code)
        if (const auto *merge = std::get_if<loop::Merge>(&statement.kind)) declared.erase(merge->variable);
      anywhere.merge(declared);
      blocks.push_back(std::move(code));
    }
    return blocks;
  }

  /// Nodes one after the other. `outside`: names that are in scope where the block will stand. `locals`: the
  /// variables that are declared in it.
  Block block_of(const std::vector<scan::Node> &nodes, const Names &outside, Names locals) {
    Block block, ends;
    std::vector<Block> taken_out;
    std::vector<const Members *> members; // of locals that begin here
    Names taken = outside;
    auto add = [&](Block code) {
      drop_known(code, block);
      rename_taken({&code}, loop::effects_of(code).declared, taken);
      taken.merge(declared_for_rest(code));
      loop::append(block, std::move(code));
    };
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const scan::Node &node = nodes[k];
      LoweredStatement &first = statements_.at(node.statements.front());
      if (node.depth == 0) add(std::move(first.clears));
      const std::size_t begin = block.size();
      if (const plan::Merged *merged = merged_at(node)) {
        if (k + 1 < nodes.size() && merged_at(nodes[k + 1]) && !merged->reads()) continue;
        add(joined_merges(merges_until(nodes, k), *merged));
      } else if (node.is_loop()) {
        const Names inside = inside_of(node, nodes, locals);
        for (const std::string &local : inside)
          locals.erase(local);
        add(loop_of(node, outside, inside));
      } else {
        add(std::move(first.code.inside));
      }
      std::erase_if(locals, [&](const std::string &local) {
        if (!is_about(node, local)) return false;
        declare(local, block, begin);
        const auto code = local_codes_.find(local);
        if (code == local_codes_.end()) return true;
        taken_out.push_back(code->second.end);
        if (code->second.members) members.push_back(code->second.members);
        return true;
      });
    }
    for (Block &end : taken_out)
      if (!joined_with(block, end)) loop::append(ends, std::move(end));
    add(std::move(ends));
    for (const Members *each : members)
      decide_ahead(block, *each);
    return block;
  }

  /// Without what the code begins with that the block knows by the same name already.
  static void drop_known(Block &code, Block &block) {
    while (!code.empty()) {
      const auto *let = std::get_if<loop::Let>(&code.front().kind);
      const auto known = std::ranges::find_if(block, [&](const loop::Statement &statement) {
        const auto *other = std::get_if<loop::Let>(&statement.kind);
        return let && other && other->variable == let->variable;
      });
      if (known == block.end() || std::get<loop::Let>(known->kind).value != let->value) return;
      known->origins.insert(known->origins.end(), code.front().origins.begin(), code.front().origins.end());
      code.erase(code.begin());
    }
  }

  /// What stands in front of the loop is in scope in the bodies of all its statements: each declares names of
  /// its own.
  void keep_apart(const scan::Node &node) {
    auto before = [&](std::size_t number) -> const Block & {
      return statements_.at(number).code.around[node.depth].before;
    };
    Names in_scope;
    for (std::size_t number : node.statements) {
      const std::vector<Block *> blocks = blocks_from(statements_.at(number), node.depth);
      rename_taken(blocks, declared_in(blocks), in_scope);
      in_scope.merge(declared_for_rest(before(number)));
    }
    for (std::size_t number : node.statements) {
      Names of_others;
      for (std::size_t other : node.statements)
        if (other != number) of_others.merge(declared_in(blocks_from(statements_.at(other), node.depth)));
      Names names = declared_for_rest(before(number));
      rename_taken(blocks_from(statements_.at(number), node.depth), names, of_others);
    }
  }

  /// What the loop's body begins with that has one value in all iterations, and may be read before them.
  Block invariants_of(const scan::Node &node, Block &body) const {
    const std::set<Term> &safe = statements_.at(node.statements.front()).plan->nest.safe_loads;
    Names inside{node.variable};
    Block taken;
    for (auto statement = body.begin(); statement != body.end();) {
      const auto *let = std::get_if<loop::Let>(&statement->kind);
      if (!let) break;
      const bool is_safe = std::ranges::all_of(term::applications_of(let->value),
                                               [&](const Term &load) { return safe.contains(load); });
      if (is_safe && !term::mentions_any(let->value, inside)) {
        taken.push_back(std::move(*statement));
        statement = body.erase(statement);
      } else {
        inside.insert(let->variable);
        ++statement;
      }
    }
    return taken;
  }

  Block loop_of(const scan::Node &node, const Names &outside, Names locals) {
    keep_apart(node);
    Block before, behind;
    loop::Origins origins;
    for (std::size_t number : node.statements) {
      LoweredStatement &statement = statements_.at(number);
      const loop::Origin origin{static_cast<int>(number), 0, static_cast<int>(node.depth)};
      AroundLoop around = guarded(std::move(statement.code.around[node.depth]),
                                  conditions_outside(statement, node.depth), origin);
      loop::append(before, std::move(around.before));
      loop::append(behind, std::move(around.behind));
      origins.push_back(origin);
    }
    loop::For loop{node.variable, node.lower, node.upper};
    const LeafPlan &plan = *statements_.at(node.statements.front()).plan;
    if (plan.shared_parallel == node.depth && declared_for_rest(before).empty()) {
      loop.parallel = loop::Parallel{plan.chunk_per_thread ? 0 : plan.chunk, plan.least, plan.work};
      loop.parallel->schedule = plan.schedule;
      if (const auto *chunks = std::get_if<plan::Chunks>(&plan.cut); chunks && plan.work)
        loop.parallel->cut_by_work(chunks->share);
    }
    Names known = declared_for_rest(before);
    known.insert(outside.begin(), outside.end());
    loop.body = block_of(node.body, known, std::move(locals));
    if (!loop.parallel) loop::append(before, invariants_of(node, loop.body));
    if (const auto ends = rounds_.find(node.variable); ends != rounds_.end())
      loop.body.push_back({loop::IfValue{ends->second, {{loop::Break{}}}, "the last round"}, origins});
    for (std::size_t number : node.statements)
      if (loop.parallel && statements_.at(number).appended)
        loop.parallel->appended = statements_.at(number).appended;
    Block block = std::move(before);
    if (node.depth == 0 && is_in_wavefronts_ && is_in_wavefronts_(node.statements.front())) {
      loop::append(block, in_wavefronts_(std::move(loop), origins));
    } else {
      const bool is_cut = loop.parallel && plan.equal();
      block.push_back(is_cut ? in_pieces(std::move(loop), plan) : loop::Statement{std::move(loop)});
      block.back().origins = std::move(origins);
    }
    loop::append(block, std::move(behind));
    return block;
  }

  std::map<std::size_t, LoweredStatement> statements_;
  const std::map<std::string, LocalCode> local_codes_;
  const std::map<std::string, std::string> &rounds_;
  const std::function<bool(std::size_t)> &is_in_wavefronts_;
  const Replace &in_wavefronts_;
};

} // namespace

SharedLoops loops_around(const std::vector<scan::Node> &tree, std::size_t number, const LeafPlan &plan) {
  SharedLoops loops;
  const std::vector<scan::Node> *nodes = &tree;
  while (true) {
    const auto node = std::find_if(nodes->begin(), nodes->end(),
                                   [&](const scan::Node &each) { return contains(each.statements, number); });
    if (!node->is_loop()) return loops;
    const std::vector<Term> conditions = scan::conditions_of(plan.nest.levels[loops.count++], *node);
    loops.conditions.insert(loops.conditions.end(), conditions.begin(), conditions.end());
    nodes = &node->body;
  }
}

Block in_shared_loops(const std::vector<scan::Node> &tree, LoweredStatements statements,
                      std::map<std::string, LocalCode> locals,
                      const std::map<std::string, std::string> &rounds,
                      const std::function<bool(std::size_t)> &is_in_wavefronts,
                      const Replace &in_wavefronts) {
  return Writer(std::move(statements), std::move(locals), rounds, is_in_wavefronts, in_wavefronts).all(tree);
}

} // namespace unravel::lower
