#include "lower/jump.h"

#include "loop/walk.h"
#include "lower/origins.h"
#include "lower/state.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::lower {

using loop::Block;
using loop::Statement;
using scan::Level;
using term::Term;

const LevelPlan *jump_at(const LeafPlan &leaf, std::size_t loop, std::optional<std::size_t> cleared) {
  // What is done where nothing is found needs every tile.
  if (!leaf.searches.empty() || leaf.is_owned()) return nullptr;
  if (!leaf.alternatives.empty() && leaf.split > loop) return nullptr;
  for (const LevelPlan &plan : leaf.finds.levels)
    if (plan.lets_jump(loop) && !plan.walk()->in_step) {
      bool clears_between = cleared && *cleared > loop && *cleared <= plan.level;
      return clears_between ? nullptr : &plan;
    }
  return nullptr;
}

std::optional<std::size_t> set_at_matches(const LeafPlan &leaf, const Clearing &clearing) {
  if (!leaf.alternatives.empty() || leaf.is_owned() || !leaf.searches.empty()) return std::nullopt;
  for (const LevelPlan &plan : leaf.finds.levels) {
    if (!plan::ends_with_loop(plan)) continue;
    LeafPlan once = leaf;
    once.increasing.reset();
    once.nest.levels[plan.level].kind = Level::Kind::Loop;
    once.nest.levels.erase(once.nest.levels.begin() + static_cast<std::ptrdiff_t>(plan.walk()->jump->loop));
    std::optional<std::size_t> level = clearing.where(once);
    if (level >= plan.level) return *level + 1;
  }
  return std::nullopt;
}

bool sets_at_visits(const LeafPlan &leaf, const LevelPlan &plan, const Clearing &clearing) {
  if (plan.walk()->state_index.empty() || !leaf.alternatives.empty()) return false;
  LeafPlan once = leaf;
  once.increasing.reset();
  once.nest.levels.erase(once.nest.levels.begin() + static_cast<std::ptrdiff_t>(plan.walk()->jump->loop));
  return clearing.where(once) == plan.level - 1;
}

JumpingLoop::JumpingLoop(const scan::Nest &nest, const plan::FindPlan &finds, const LevelPlan &plan,
                         Workspace &workspace, bool per_thread, Block clear)
    : nest_(nest), finds_(finds), plan_(plan), clear_(std::move(clear)) {
  if (!in_array()) return;
  states_ = workspace.add_states(found(), walk(), per_thread);
  next_of_ = workspace.add_next(found(), walk(), per_thread, none_);
}

Term JumpingLoop::next_at(const Term &position) const {
  return term::substitute(jump().next, {{found().variable, position}});
}

Term JumpingLoop::end() const {
  return term::variable(here().variable + ".end");
}

/// Do the loops between run over all slots?
bool JumpingLoop::fills_all() const {
  std::size_t loops = 0;
  for (std::size_t k = jump().loop + 1; k < plan_.level; ++k) {
    const Level &level = nest_.levels[k];
    if (!level.guards.empty() || level.is_find()) return false;
    if (level.is_let()) continue;
    bool over_slots = false;
    for (std::size_t n = 0; n < walk().state_index.size(); ++n)
      over_slots |= walk().state_index[n] == term::variable(level.variable) - level.lower &&
                    walk().state_extent[n] == level.upper - level.lower;
    if (!over_slots) return false;
    ++loops;
  }
  return loops == walk().state_index.size();
}

Block JumpingLoop::begin() const {
  Block block{{loop::Let{here().variable + ".end",
                         in_array() ? term::minimum({here().upper, Term(none_)}) : here().upper}}};
  if (!in_array()) return block;
  block.push_back({loop::Declare{next(), end()}});
  if (!fills_all()) {
    std::string slot = found().variable + ".slot";
    loop::For fill{slot, Term(0), slots_of(walk().state_extent)};
    fill.body = {{loop::SetElement{next_of_, term::variable(slot), Term(none_)}}};
    block.push_back({std::move(fill)});
  }
  Block visits = begin_visits(jump().loop + 1);
  for (Statement &statement : visits)
    if (auto *loop = std::get_if<loop::For>(&statement.kind))
      loop->comment = fmt::format("find {}: initialise the states", found().variable);
  loop::append(block, std::move(visits));
  return block;
}

/// The visits of one iteration of the loop, from that level on.
Block JumpingLoop::begin_visits(std::size_t level) const {
  if (level == plan_.level) return begin_visit();
  const Level &between = nest_.levels[level];
  auto inside = [&] { return where(between.guards, begin_visits(level + 1)); };
  switch (between.kind) {
  case Level::Kind::Let: {
    Block block{{loop::Let{between.variable, between.value}}};
    loop::append(block, inside());
    return block;
  }
  case Level::Kind::Loop:
    return {{loop::For{between.variable, between.lower, between.upper, 1, std::nullopt, inside(), ""}}};
  case Level::Kind::Find:
    for (const LevelPlan &plan : finds_.levels)
      if (plan.level == level) return find_code(between, plan, {}, inside);
  }
  return {};
}

Block JumpingLoop::begin_visit() const {
  std::string first = found().variable + ".begin", value = found().variable + ".at_tile";
  Term slot = slot_of(walk()), position = term::variable(first), next_value = term::variable(value);
  loop::If any{term::less(position, jump().end), {{loop::Assign{value, next_at(position)}}}, ""};
  Block block{{loop::Let{first, jump().begin}},
              {loop::Declare{value, Term(none_)}},
              {std::move(any)},
              {loop::SetElement{states_, slot, position}},
              {loop::SetElement{next_of_, slot, next_value}},
              {loop::Assign{next(), term::minimum({term::variable(next()), next_value})}}};
  Term never = term::negation(term::between(here().lower, next_value, end()));
  if (!clear_.empty()) block.push_back({loop::If{never, clear_, "there will be no visit"}});
  return block;
}

Statement JumpingLoop::least_of_all() const {
  std::string slot = found().variable + ".slot";
  Term value = term::apply(next_of_, {term::variable(slot)});
  loop::For all{slot, Term(0), slots_of(walk().state_extent)};
  all.body = {{loop::Assign{next(), term::minimum({term::variable(next()), value})}}};
  all.comment = fmt::format("the next {} at which something is found", here().variable);
  return {std::move(all)};
}

Block JumpingLoop::loop(Block body, std::string comment) const {
  if (!comment.empty()) comment += "; ";
  comment += fmt::format("continue where the first of the walks over {} stands", found().tensor);
  Term value = in_array() ? term::variable(next()) : next_at(term::variable(state_variable(found(), plan_)));
  Term goes_on = term::between(here().lower, value, end());
  loop::While loop{goes_on, {{loop::Let{here().variable, value}}}, std::move(comment)};
  loop::append(loop.body, std::move(body));
  Block block;
  if (in_array()) {
    loop.body.push_back({loop::Assign{next(), end()}});
    loop.body.push_back(least_of_all());
  } else {
    Term state = term::variable(state_variable(found(), plan_));
    loop.condition = term::conjunction({term::less(state, jump().end), goes_on});
    if (walk().clamp)
      block.push_back({loop::If{term::less(state, jump().begin),
                                {{loop::Assign{state_variable(found(), plan_), jump().begin}}},
                                ""}});
  }
  block.push_back({std::move(loop)});
  return block;
}

Around JumpingLoop::around() const {
  Term last = term::equal(term::variable(here().variable) + Term(1), end());
  return {
      .at_match = true, .takes_all = plan::ends_with_loop(plan_) ? last : term::falsity(), .clear = clear_};
}

Block JumpingLoop::visit(Block walk) const {
  if (!in_array()) return walk;
  Block block;
  Term slot = named_slot(found(), this->walk(), block);
  std::string state = state_variable(found(), plan_);
  Term position = term::variable(state);
  Block then{{loop::Declare{state, term::apply(states_, {slot})}}};
  loop::append(then, std::move(walk));
  then.push_back({loop::SetElement{states_, slot, position}});
  loop::If more{term::less(position, segment_end(found())),
                {{loop::SetElement{next_of_, slot, next_at(position)}}},
                ""};
  more.otherwise = {{loop::SetElement{next_of_, slot, Term(none_)}}};
  then.push_back({std::move(more)});
  Term meets = term::equal(term::apply(next_of_, {slot}), term::variable(here().variable));
  block.push_back({loop::If{meets, std::move(then), ""}});
  return block;
}

} // namespace unravel::lower
