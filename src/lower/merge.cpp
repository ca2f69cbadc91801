#include "lower/merge.h"

#include "loop/rename.h"
#include "loop/walk.h"
#include "lower/append.h"
#include "lower/origins.h"
#include "report/diagnostic.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>

namespace unravel::lower {

using loop::Block;
using loop::Merge;
using loop::Statement;
using plan::Merged;
using term::Term;

namespace {

/// Says whether something was added at this coordinate.
std::string test_variable(const Merged &merged) {
  return merged.local + ".stored";
}

/// With a note of each addition to the local.
Block with_notes(Block block, const Merged &merged) {
  Block result;
  for (Statement &statement : block) {
    for (Block *inner : loop::blocks_of(statement))
      *inner = with_notes(std::move(*inner), merged);
    const auto *add = std::get_if<loop::Accumulate>(&statement.kind);
    const auto *target = add ? std::get_if<loop::Local>(&add->target) : nullptr;
    const bool is_noted = target && target->name == merged.local;
    loop::Origins origins = statement.origins;
    result.push_back(std::move(statement));
    if (is_noted) result.push_back({loop::Assign{test_variable(merged), Term(1)}, std::move(origins)});
  }
  return result;
}

/// Without the constants of these names.
Block without(Block block, const std::function<bool(const std::string &)> &is_left_out) {
  std::erase_if(block, [&](const Statement &statement) {
    const auto *let = std::get_if<loop::Let>(&statement.kind);
    return let && is_left_out(let->variable);
  });
  for (Statement &statement : block)
    for (Block *inner : loop::blocks_of(statement))
      *inner = without(std::move(*inner), is_left_out);
  return block;
}

/// The plan with the loop as one that is not its own.
LeafPlan plan_inside(LeafPlan plan) {
  const Merged &merged = *plan.merged;
  plan.parallel.reset(), plan.brief.reset();
  plan.cut = plan::Chunks{};
  plan.reduction = plan::Reduction::None;
  if (plan.sums_at && (merged.is_tested || *plan.sums_at <= merged.level)) plan.sums_at.reset();
  for (LevelPlan &find : plan.finds.levels)
    if (auto *walk = find.as<plan::Walk>(); walk && walk->in_step && walk->in_step->loop <= merged.level)
      walk->in_step.reset();
  return plan;
}

/// The plan's first levels, to find where the range begins and ends.
LeafPlan plan_of_range(LeafPlan plan, std::size_t levels) {
  plan.merged.reset();
  plan.nest.levels.resize(levels);
  std::erase_if(plan.finds.levels, [&](const LevelPlan &find) { return find.level >= levels; });
  return plan;
}

/// The key in place of the element that holds it.
void put_in_key(Block &block, const std::string &keys, const std::string &position, const std::string &key,
                const loop::ValueMap &values) {
  const std::map<Term, Term> by{{term::apply(keys, {term::variable(position)}), term::variable(key)}};
  loop::rewrite(
      block, [&](const Term &term) { return term::replace(term, by); }, values);
}

/// Lowers one statement.
class MergedPart {
public:
  MergedPart(const combine::IterationSpace &space, const LeafPlan &plan, std::size_t number,
             const SharedLoops &shared, Workspace &workspace)
      : space_(space), plan_(plan_inside(plan)), merged_(*plan.merged), number_(number), shared_(shared),
        workspace_(workspace), local_(*workspace.combination().local(merged_.local)),
        here_(plan_.nest.levels[merged_.level]) {}

  LoweredLeaf lowered() {
    LoweredLeaf leaf = lower_leaf(space_, plan_, number_, {merged_.level + 1, {}}, nullptr, workspace_);
    Merge loop{local_.modes.front(), {}, {}, ""};
    const bool is_found = merged_.is_conditional && !merged_.reads();
    Block block = is_found ? found_range() : before(leaf), behind;
    for (std::size_t k = leaf.around.size(); k-- > shared_.count;)
      if (!is_found) loop::append(behind, std::move(leaf.around[k].behind));
    if (merged_.reads())
      loop.body = reading(std::move(leaf.inside));
    else
      loop.ranges.push_back(adding(std::move(leaf.inside)));
    block.push_back({std::move(loop)});
    loop::append(block, std::move(behind));
    leaf.around.resize(shared_.count);
    leaf.inside = with_origin(std::move(block), origin(merged_.level));
    return leaf;
  }

private:
  loop::Origin origin(std::size_t level) const {
    loop::Origin origin = main_plan(number_);
    origin.level = static_cast<int>(level);
    return origin;
  }

  /// What stands between the shared loops and this one: assignments, and what they begin with.
  Block before(LoweredLeaf &leaf) const {
    Block block;
    std::optional<Appending> appending;
    if (space_.target.appends) appending.emplace(space_, plan_, shared_, workspace_.combination());
    for (std::size_t k = shared_.count; k <= merged_.level; ++k) {
      if (appending && k > 0) loop::append(block, appending->with_node(k - 1, {}));
      loop::append(block, std::move(leaf.around[k].before));
      if (k == merged_.level) break;
      block.push_back({loop::Let{plan_.nest.levels[k].variable, plan_.nest.levels[k].value}, {origin(k)}});
    }
    return block;
  }

  std::string begin() const { return here_.variable + ".from"; }
  std::string end() const { return here_.variable + ".to"; }

  /// Of a range that may not be there: then it is empty. Positions that are found lie side by side.
  Block found_range() const {
    const bool is_find = here_.is_find();
    const Term position = term::variable(here_.variable), first = term::variable(begin());
    Block found{{loop::Assign{begin(), is_find ? position : here_.lower}}};
    if (is_find) found = {{loop::If{term::equal(first, term::variable(end())), std::move(found), ""}}};
    found.push_back({loop::Assign{end(), is_find ? position + Term(1) : here_.upper}});
    Block block{{loop::Declare{begin(), Term(0)}}, {loop::Declare{end(), Term(0)}}};
    loop::append(block, visit_leaf(space_, plan_of_range(plan_, merged_.level + is_find), number_, shared_,
                                   std::move(found), workspace_)
                            .inside);
    return block;
  }

  loop::MergedRange adding(Block inside) const {
    if (merged_.is_tested) inside = with_notes(std::move(inside), merged_);
    put_in_key(inside, merged_.keys, here_.variable, local_.modes.front(),
               [](const loop::Value &value) { return value; });
    const bool is_found = merged_.is_conditional;
    std::string position = here_.variable;
    if (here_.is_find()) { // a walk keeps its state by that name
      position += ".at";
      loop::rename(inside, {{here_.variable, position}});
    }
    return {{position, is_found ? term::variable(begin()) : here_.lower,
             is_found ? term::variable(end()) : here_.upper, merged_.keys},
            std::move(inside)};
  }

  /// Where conditions stand around the loop, they stand in it.
  Block reading(Block inside) const {
    std::vector<Term> conditions = shared_.conditions;
    for (std::size_t k = shared_.count == 0 ? 0 : shared_.count - 1; k < merged_.level; ++k)
      conditions.insert(conditions.end(), plan_.nest.levels[k].guards.begin(),
                        plan_.nest.levels[k].guards.end());
    const Term position = term::variable(here_.variable);
    const auto is_position = [&](const std::string &name) { return contains(merged_.positions, name); };
    inside = without(std::move(inside), is_position);
    term::Substitution by;
    for (const std::string &name : merged_.positions)
      by[name] = position;
    loop::rewrite(
        inside, [&](const Term &term) { return term::substitute(term, by); },
        [](const loop::Value &value) { return value; });
    for (const layout::IndexElement &element : local_.insertion->sets)
      if (element.value == term::variable(local_.modes.front()))
        put_in_key(inside, element.array, here_.variable, local_.modes.front(),
                   [&](const loop::Value &value) {
                     return loop::map_leaves(value, [&](const loop::Value &leaf) {
                       const auto *read = std::get_if<loop::Element>(&leaf.kind);
                       const bool is_local = read && read->array == local_.array && read->slot == position;
                       return is_local ? loop::Value{loop::Local{merged_.local}} : leaf;
                     });
                   });
    for (const Statement &statement : inside)
      report::require(loop::occurrences(statement, position) == 0, "no position of the local is left");
    return where(std::move(conditions), std::move(inside));
  }

  const combine::IterationSpace &space_;
  const LeafPlan plan_;
  const Merged merged_;
  const std::size_t number_;
  const SharedLoops &shared_;
  Workspace &workspace_;
  const combine::LocalTensor &local_;
  const scan::Level &here_;
};

} // namespace

LoweredLeaf lower_merged(const combine::IterationSpace &space, const LeafPlan &plan, std::size_t number,
                         const SharedLoops &shared, Workspace &workspace) {
  return MergedPart(space, plan, number, shared, workspace).lowered();
}

Block joined_merges(std::vector<Block> blocks, const Merged &merged) {
  Merge all;
  loop::Origins origins;
  Block result, behind;
  for (Block &block : blocks) {
    const auto at = std::ranges::find_if(
        block, [](const Statement &statement) { return std::holds_alternative<Merge>(statement.kind); });
    auto &part = std::get<Merge>(at->kind);
    all.variable = part.variable;
    std::ranges::move(part.ranges, std::back_inserter(all.ranges));
    loop::append(all.body, std::move(part.body));
    origins = loop::joined(origins, at->origins);
    std::move(block.begin(), at, std::back_inserter(result));
    std::move(at + 1, block.end(), std::back_inserter(behind));
  }
  all.body.push_back({loop::Store{loop::Local{merged.local}, {loop::Number{0}}}});
  if (merged.is_tested) {
    all.body.push_back({loop::Assign{test_variable(merged), Term(0)}});
    Term is_stored = term::equal(term::variable(test_variable(merged)), Term(1));
    all.body = {{loop::If{std::move(is_stored), std::move(all.body), ""}}};
  }
  if (merged.is_tested)
    result.insert(result.begin(), {loop::Declare{test_variable(merged), Term(0)}, origins});
  all.comment = fmt::format("{} ranges, merged", all.ranges.size());
  result.push_back({std::move(all), std::move(origins)});
  loop::append(result, std::move(behind));
  return result;
}

} // namespace unravel::lower
