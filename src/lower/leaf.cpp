#include "lower/leaf.h"

#include "loop/copies.h"
#include "loop/walk.h"
#include "lower/append.h"
#include "lower/jump.h"
#include "lower/local.h"
#include "lower/lookups.h"
#include "lower/map_code.h"
#include "lower/origins.h"
#include "lower/parts.h"
#include "lower/pieces.h"
#include "lower/sorted.h"
#include "lower/state.h"
#include "lower/values.h"
#include "plan/states.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace unravel::lower {

using loop::Block;
using loop::Statement;
using scan::Level;
using term::Term;

namespace {

constexpr int tested_together = 32; // iterations of a loop, for a mark

/// Lowers one leaf.
class Lowerer {
public:
  /// `number`: of the leaf and of its plan, in the origins of statements.
  Lowerer(const combine::IterationSpace &space, const LeafPlan &plan, loop::Origin number,
          const SharedLoops &shared, const Clearing *clearing, Workspace &workspace)
      : space_(space), plan_(plan), values_(space, plan), number_(number), shared_(shared),
        clearing_(clearing), workspace_(workspace) {
    if (clearing_) clear_at_ = clearing_->where(plan);
    if (clearing_ && !clear_at_) clear_at_ = set_at_matches(plan, *clearing_);
    if (clear_at_ && *clear_at_ > begin_of_sums(plan)) clear_at_.reset();
    parallel_ = plan.parallel;
    if (clear_at_ && stands_behind_mask(space, plan, parallel_, *clear_at_)) clear_at_.reset();
    entries_ = code_of_entries(space, plan, shared, workspace);
  }

  /// What is done at each point, in place of the statement; without looking for divisors.
  void visit(Block what) { visit_ = std::move(what); }

  LoweredLeaf lowered() {
    LoweredLeaf leaf;
    for (std::size_t k = 0; k < shared_.count; ++k)
      leaf.around.push_back(around_shared(k));
    leaf.inside = shared_.count == 0 ? level(0) : guarded(shared_.count - 1);
    if (!shared_.conditions.empty())
      leaf.inside = made_for(shared_.count - 1, where(shared_.conditions, std::move(leaf.inside)));
    return leaf;
  }

private:
  /// What stands around one of the loops that other statements have, too.
  AroundLoop around_shared(std::size_t index) {
    AroundLoop around = this->around(index);
    Block before = cleared(index);
    loop::append(before, std::move(around.before));
    return {std::move(before), std::move(around.behind)};
  }

  /// The find whose walks say where the loop goes on, or null.
  const LevelPlan *jump_at(std::size_t loop) const {
    // What other statements do in a tile needs every tile.
    if (loop < shared_.count || visit_ || search_ || parallel_ == loop) return nullptr;
    return lower::jump_at(plan_, loop, clearing_ ? clear_at_ : std::nullopt);
  }

  /// Do the walk's first visits set what they add to?
  bool clears_by_walks(const LevelPlan &plan) const {
    return clearing_ && !clear_at_ && plan.walk() && plan.walk()->jump &&
           jump_at(plan.walk()->jump->loop) == &plan && sets_at_visits(plan_, plan, *clearing_);
  }

  /// Do threads add to sums of their own, or to copies of the result?
  bool adds_up() const { return plan_.reduction == plan::Reduction::Scalar; }
  bool has_copies() const { return plan_.reduction == plan::Reduction::Private; }

  /// Would iterations of the parallel loop share this state?
  bool is_shared(const LevelPlan &plan) const {
    return parallel_ && plan::sharing_of(plan_.nest, plan, *parallel_) == plan::Sharing::PerChunk;
  }

  /// Is what is made before the level made by each thread?
  bool is_per_thread(std::size_t index) const {
    return in_parallel_ || (parallel_ && index > *parallel_) ||
           (plan_.shared_parallel && index > *plan_.shared_parallel) || (shared_.in_wavefronts && index > 0);
  }

  /// The leaf, if what is made before the level is kept while other statements are executed.
  std::optional<int> owner(std::size_t index) const {
    return index < plan_.shared ? std::optional(number_.leaf) : std::nullopt;
  }

  /// Whatever was made for no level further in was made for this one.
  Block made_for(std::size_t level, Block block) const {
    return with_origin(std::move(block), {number_.leaf, number_.plan, static_cast<int>(level)});
  }

  /// What is done at each point, and before or after it to what it sets.
  Block of_statement(Block block) const { return made_for(plan_.nest.levels.size(), std::move(block)); }

  /// From the level on.
  Block level(std::size_t index) {
    if (search_ && index == search_->end) return at_match(space_.lookups[search_->lookup], search_->place);
    if (index == plan_.visits() && visit_ && !search_) return *visit_;
    // From the first level on, each plan sets the result as it suits it.
    if (is_choice(index) && index == 0) return chosen(index);
    Block block = search_ ? Block() : cleared(index);
    if (index == 0 && !search_ && clears_before_masks()) {
      block = of_statement({clearing_->everything()});
      clearing_ = nullptr;
    }
    loop::append(block, looked_up(index, 0));
    return block;
  }

  /// Is all of the result set, and may a mask skip all loops?
  bool clears_before_masks() const {
    return clearing_ && !clear_at_ && stands_behind_mask(space_, plan_, parallel_, 1);
  }

  bool is_looked_up_at(std::size_t index, std::size_t lookup) const {
    return looked_up_before(plan_, lookup, parallel_) == index;
  }

  /// From the level on, behind those lookups, from that one on, that are done here.
  Block looked_up(std::size_t index, std::size_t lookup) {
    while (lookup < space_.lookups.size() && (search_ || visit_ || !is_looked_up_at(index, lookup)))
      ++lookup;
    if (lookup == space_.lookups.size()) return rest(index);
    Block block =
        before_search(space_.lookups[lookup], compute::type_of(space_.types, space_.lookups[lookup].tensor));
    for (const plan::Search &search : plan_.searches) {
      if (search.lookup != lookup) continue;
      search_ = &search;
      Block code = level(search.first);
      search_ = nullptr;
      loop::append(block, where(search.conditions, std::move(code)));
    }
    Block inside = looked_up(index, lookup + 1);
    loop::append(block, behind_search(space_.lookups[lookup], std::move(inside)));
    return made_for(index, std::move(block));
  }

  /// From the level on, behind what is done before it.
  Block rest(std::size_t index) {
    if (plan_.parts && plan_.parts->begin == index && !visit_) {
      Block block;
      if (clearing_ && !clear_at_ && index == 0) block = {clearing_->everything()};
      loop::append(block, in_parts(space_, plan_, workspace_, is_per_thread(index), writes()));
      return of_statement(std::move(block));
    }
    return is_choice(index) ? chosen(index) : all_of(index);
  }

  Block cleared(std::size_t index) const {
    if (clear_at_ != index || plan_.is_owned()) return {};
    Block block = clearing_->rows_between(plan_);
    if (is_set_at_cut(index)) {
      if (!block.empty()) block = {{loop::If{*begins_, std::move(block), ""}}};
      return block;
    }
    if (!is_set_by_sum(index)) loop::append(block, clearing_->slots_before(plan_, index));
    return of_statement(std::move(block));
  }

  /// What was made around a part of the leaf.
  void take_over(const Lowerer &outer) {
    sum_ = outer.sum_, listed_ = outer.listed_;
    map_arrays_ = outer.map_arrays_, state_arrays_ = outer.state_arrays_;
  }

  bool is_choice(std::size_t index) const { return index == plan_.split && !plan_.alternatives.empty(); }

  /// Of an iteration that pieces share: was the slot set before, by at_cuts?
  bool is_set_at_cut(std::size_t index) const { return begins_ && index <= *plan_.equal()->within; }

  /// A sum that is all there is replaces what the slot held.
  bool is_set_by_sum(std::size_t index) const {
    if (search_ || clear_at_ != index || (is_choice(index) && index > 0) || is_set_at_cut(index))
      return false;
    for (std::size_t k = 0; k < space_.lookups.size(); ++k)
      if (is_looked_up_at(index, k)) return false; // the sum may not be reached
    return index == parallel_ ? adds_up() : summed_map(space_, plan_, index) != nullptr;
  }

  /// What stands around the level, but for what sets the result.
  AroundLoop around(std::size_t index) {
    AroundLoop around;
    for (const LevelPlan &plan : plan_.finds.levels) {
      if (!plan.filled_map() || plan.filled_map()->level != index) continue;
      const Level &found = plan_.nest.levels[plan.level];
      const loop::Element value = values_.at(found.variable);
      const MapArrays &arrays = map_arrays_[plan.level] =
          workspace_.add_map(found, plan, value, is_per_thread(index), owner(index));
      loop::append(around.before, made_for(plan.level, fill_map(found, plan, arrays, {value})));
      loop::append(around.behind, made_for(plan.level, clear_map(found, plan, arrays)));
    }
    if (!plan_.is_owned() || index > 0) loop::append(around.before, states(index));
    return around;
  }

  /// The level with what stands around it, and what is inside.
  Block all_of(std::size_t index) {
    AroundLoop around = this->around(index);
    Block block = std::move(around.before);
    loop::append(block, code_of(index));
    loop::append(block, std::move(around.behind));
    return block;
  }

  /// if (condition of the first alternative) ... else ... this plan.
  Block chosen(std::size_t index) {
    Block otherwise = index == 0 ? cleared(index) : Block();
    loop::append(otherwise, all_of(index));
    for (std::size_t k = plan_.alternatives.size(); k-- > 0;) {
      const Alternative &other = plan_.alternatives[k];
      const Clearing *clearing = index == 0 ? clearing_ : nullptr;
      loop::Origin number{number_.leaf, static_cast<int>(k) + 1, 0};
      Lowerer lowerer(space_, other.plan, number, shared_, clearing, workspace_);
      lowerer.take_over(*this);
      Block then = lowerer.level(index);
      loop::If choice{other.condition, std::move(then), other.reason};
      choice.otherwise = std::move(otherwise);
      number.level = choice_of_plan;
      otherwise = {{std::move(choice), {number}}};
    }
    return otherwise;
  }

  /// What the level's loop begins with.
  Block states(std::size_t index) {
    Block block;
    const auto &finds = plan_.finds.levels;
    if (clearing_ && !clear_at_ && index == 0 &&
        std::ranges::none_of(finds, [&](const LevelPlan &plan) { return clears_by_walks(plan); }))
      block = of_statement({clearing_->everything()});
    for (const LevelPlan &plan : finds) {
      bool jumps = jump_at(index) == &plan;
      const plan::Walk *walk = plan.walk();
      if (walk && !walk->in_step && begins_state_at(plan_, plan, search_, index) && !is_shared(plan) &&
          (!jumps || walk->state_index.empty())) {
        loop::Declare state{state_variable(plan_.nest.levels[plan.level], plan), walk->start};
        loop::append(block, made_for(plan.level, walk->state_index.empty()
                                                     ? Block{{std::move(state)}}
                                                     : filled_states(plan, is_per_thread(index))));
      }
      if (!jumps) continue;
      Block clear;
      if (clears_by_walks(plan)) clear = of_statement(clearing_->slots_before(plan_, plan.level));
      auto made = jumps_.try_emplace(index, plan_.nest, plan_.finds, plan, workspace_, is_per_thread(index),
                                     std::move(clear));
      loop::append(block, made_for(plan.level, made.first->second.begin()));
    }
    return block;
  }

  Block code_of(std::size_t index) {
    if (index == plan_.visits() && !search_) return of_statement(statement());
    if (plan_.is_owned() && index == 0) return owned_chunks();
    const Level &here = plan_.nest.levels[index];
    switch (here.kind) {
    case Level::Kind::Let: {
      Block block = made_for(index, {{loop::Let{here.variable, here.value}}});
      loop::append(block, made_for(index, guarded(index)));
      return block;
    }
    case Level::Kind::Loop: {
      Block block = made_for(index, loop_over(index));
      if (clearing_ && index == 0) append(block, of_statement(clearing_->rows_behind(plan_, clear_at_)));
      return block;
    }
    case Level::Kind::Find: break;
    }
    return made_for(index, find_at_level(index));
  }

  Block find_at_level(std::size_t index) {
    const Level &here = plan_.nest.levels[index];
    const LevelPlan &plan = *plan_.finds.at(index);
    const plan::Walk *walk = plan.walk();
    if (walk && walk->in_step) return guarded(index); // its loop has found it
    if (const Members *members = members_at(space_, plan_, plan, workspace_))
      return over_members(*members, here.variable, [&] { return guarded(index); });
    if (walk && walk->jump && jumps_.contains(walk->jump->loop)) {
      const JumpingLoop &loop = jumps_.at(walk->jump->loop);
      return loop.visit(find_code(here, plan, loop.around(), [&] { return guarded(index); }));
    }
    Around outside = around(plan);
    if (plan.filled_map()) outside.arrays = map_arrays_.at(index);
    Block code = find_code(here, plan, outside, [&] { return guarded(index); });
    if (!walk || walk->state_index.empty()) return code;
    return with_slot(state_arrays_.at(index), here, plan, std::move(code));
  }

  Around around(const LevelPlan &plan) const {
    std::size_t loop = plan.level;
    while (loop > 0 && !plan_.nest.levels[loop].is_loop())
      --loop;
    // Other statements have more to do in a loop that they share; and what isn't found counts, too.
    const bool ends = !search_ && loop >= shared_.count;
    const bool divides =
        search_ && space_.lookups[search_->lookup].wanted == combine::Lookup::Wanted::Divisor;
    return {ends && ends_loop(plan_, plan, clear_at_), find_in_step(loop) != nullptr, divides};
  }

  /// The find that goes in step with that loop, or null.
  const LevelPlan *find_in_step(std::size_t loop) const {
    for (const LevelPlan &plan : plan_.finds.levels)
      if (plan.is_in_step_with(loop)) return &plan;
    return nullptr;
  }

  /// The inner levels behind this level's conditions.
  Block guarded(std::size_t index) {
    std::vector<Term> guards = plan_.nest.levels[index].guards;
    bool outside =
        std::exchange(atomic_, atomic_ || (plan_.reduction == plan::Reduction::Atomic && parallel_ == index));
    Block inside = level(index + 1);
    if (entries_ && !search_) inside = entries_->with_node(index, std::move(inside));
    atomic_ = outside;
    return where(std::move(guards), std::move(inside));
  }

  /// The loop once for members that are listed, and once for others: no insertion tests it.
  Block in_both_ways(std::size_t index) {
    Block ways[2];
    for (bool listed : {true, false})
      listed_ = listed, ways[listed] = loop_over(index);
    listed_.reset();
    const Members &members = *workspace_.members(space_.target.tensor);
    return {{loop::If{members.are_listed(), std::move(ways[1]), "", std::move(ways[0])}}};
  }

  Block loop_over(std::size_t index) {
    const Level &here = plan_.nest.levels[index];
    if (!listed_ && asks_for_list(plan_, shared_.count, index) && workspace_.members(space_.target.tensor))
      return in_both_ways(index);
    loop::For loop{here.variable, here.lower, here.upper, 1, std::nullopt, {}, comment(here)};
    const bool parallel = parallel_ == index;
    if (((parallel && adds_up()) || plan_.sums_at == index) && !sum_) return in_copies(index);
    if (parallel && plan_.equal()) return in_pieces(index, std::move(loop));
    if (parallel && plan::with_state_of_chunks(plan_, index)) return in_chunks(index, std::move(loop));
    if (jumps_.contains(index)) return jumps_.at(index).loop(guarded(index), comment(here));
    if (const LevelPlan *plan = find_in_step(index))
      return {intersect(index, *plan, here.lower, here.upper, plan_.nest.levels[plan->level].lower)};
    if (plan_.sorted && plan_.sorted->level == index)
      return sorted_loop(here, *plan_.sorted, workspace_, is_per_thread(index), guarded(index));
    if (const plan::DenseMap *map = parallel ? nullptr : summed_map(space_, plan_, index))
      return sum_over_map(index, loop, map->holds_values());
    if (parallel) {
      loop.parallel = parallel_with(plan_.chunk, plan_.least);
      if (plan_.work) loop.parallel->cut_by_work(std::get<plan::Chunks>(plan_.cut).share);
      if (entries_)
        loop.parallel->appended = appended_to(*workspace_.combination().assembly(space_.target.tensor));
    }
    loop.body = guarded(index);
    if (loop.parallel && has_copies() && !loop::only_adds_to(loop.body, space_.target.array))
      loop.parallel.reset();
    loop.brief = !parallel && plan_.brief == index;
    if (!parallel && looks_for_marks(plan_, index, loop.body)) loop.together = tested_together;
    const LevelPlan *walk = parallel ? nullptr : walk_in_order(plan_, index);
    if (walk && around(*walk).ends_loop) return {where_they_overlap(plan_, *walk, std::move(loop))};
    return {{std::move(loop)}};
  }

  loop::Parallel parallel_with(int chunk, std::int64_t least) const {
    return {
        plan_.chunk_per_thread ? 0 : chunk,      least, plan_.work,    sum_ && adds_up() ? sum_->name : "",
        has_copies() ? space_.target.array : "", 0,     plan_.schedule};
  }

  /// The loop adds to a sum, or in parallel to copies of one, which is added to the result afterwards.
  Block in_copies(std::size_t index) {
    sum_ = loop::Local{space_.target.tensor + ".sum"};
    Block block{{loop::DeclareValue{sum_->name, identity(), declared(space_.target_type())}}};
    loop::append(block, loop_over(index));
    const loop::Local sum = *std::exchange(sum_, std::nullopt);
    loop::append(block, put(sum, is_set_by_sum(index)));
    return block;
  }

  Statement intersect(std::size_t index, const LevelPlan &plan, const Term &lower, const Term &upper,
                      const Term &start) {
    const Level &here = plan_.nest.levels[index];
    const Level &found = plan_.nest.levels[plan.level];
    return {loop::Intersect{{here.variable, lower, upper, plan.walk()->in_step->loop_keys},
                            {found.variable, start, found.upper, plan.walk()->in_step->keys},
                            guarded(index),
                            fmt::format("positions of {}; find {}: in step", here.tensor, found.variable)}};
  }

  Block sum_over_map(std::size_t index, const loop::For &head, bool holds_values) {
    const loop::Local sum{head.variable + ".sum"};
    Block of_map = values_of_map(plan_, index, [&](std::size_t k) { return map_arrays_.at(k).map; });
    if (!holds_values) {
      auto [block, all] = sum_of_present(space_, plan_, head, std::move(of_map), values_.value());
      loop::append(block, of_statement(writes().written(std::move(all), is_set_by_sum(index))));
      return block;
    }
    of_map.push_back({loop::Accumulate{sum, as_target(values_.value(), space_)}});
    const std::optional<loop::Local> outer = std::exchange(sum_, sum);
    Block block = sum_of_map(sum, space_.target_type(), head, std::move(of_map), guarded(index));
    sum_ = outer;
    loop::append(block, put(sum, is_set_by_sum(index)));
    return block;
  }

  /// for (v.chunk = 0; v.chunk < chunks; v.chunk++) in parallel { v.from = the chunk's first value; }
  loop::For chunks_of(const Level &here, std::string comment) const {
    loop::For outer = lower::chunks_of(here, plan_.chunk, std::move(comment));
    outer.parallel =
        parallel_with(1, plan_.work ? plan_.least : (plan_.least + plan_.chunk - 1) / plan_.chunk);
    return outer;
  }

  /// for (c = 0; c < chunks; c++) in parallel { the positions of the intervals of [v.from, v.to) }
  Block owned_chunks() {
    const std::size_t owner = *plan_.parallel;
    const Level &found = plan_.nest.levels[owner];
    Term first = term::variable(found.variable + ".from");
    Term end = term::variable(found.variable + ".to");
    loop::For outer = chunks_of(found, fmt::format("chunks of {} values of {}", plan_.chunk, found.variable));
    outer.body.push_back(
        {loop::Let{found.variable + ".to", term::minimum({first + Term(plan_.chunk), found.upper})}});
    if (clear_at_ == owner)
      outer.body.push_back(
          {loop::For{found.variable, first, end, 1, {}, {{loop::Store{writes().target(), identity()}}}, ""}});
    const LeafPlan inside = plan_of_chunk(plan_, first, end);
    Lowerer chunk(space_, inside, number_, shared_, nullptr, workspace_);
    chunk.in_parallel_ = true;
    chunk.map_arrays_ = map_arrays_;
    loop::append(outer.body, chunk.level(0));
    Block block = clearing_ && !clear_at_ ? of_statement({clearing_->everything()}) : Block();
    loop::append(block, made_for(owner, {{std::move(outer)}}));
    return block;
  }

  /// for (c = 0; c < chunks; c++) in parallel { first, last; states of their own; for (v = first; v < last;
  /// v++) }
  Block in_chunks(std::size_t index, loop::For inner) {
    const Level &here = plan_.nest.levels[index];
    loop::For outer = chunks_of(
        here, fmt::format("chunks of {} iterations: each searches with a state of its own", plan_.chunk));
    inner.lower = term::variable(here.variable + ".from");
    inner.upper = term::minimum({inner.lower + Term(plan_.chunk), here.upper});
    add_chunk(index, outer.body, std::move(inner), [&] { return guarded(index); });
    return {{std::move(outer)}};
  }

  /// The loop over a chunk, with the states that it begins with.
  void add_chunk(std::size_t index, Block &block, loop::For inner, const Body &body) {
    for (const LevelPlan &plan : plan_.finds.levels)
      if (is_shared(plan))
        loop::append(block, made_for(plan.level, plan.walk()->state_index.empty()
                                                     ? seed(plan_.nest, plan, index, inner.lower)
                                                     : filled_states(plan, true)));
    if (const LevelPlan *beside = find_in_step(index)) {
      const Term start = term::variable(begin_of(plan_.nest, *beside));
      block.push_back(intersect(index, *beside, inner.lower, inner.upper, start));
      return;
    }
    inner.body = body();
    if (looks_for_marks(plan_, index, inner.body)) inner.together = tested_together;
    block.push_back({std::move(inner)});
  }

  /// for (c = 0; c < pieces; c++) in parallel { from, to: where a piece of equal work begins and ends; for (v
  /// = from; v < to; v++) }
  Block in_pieces(std::size_t index, loop::For inner) {
    const Level &here = plan_.nest.levels[index];
    const EqualWork &equal = *plan_.equal();
    Pieces pieces = pieces_of(here, equal, plan_.chunk);
    pieces.loop.parallel = parallel_with(1, plan_.least);
    inner.lower = pieces.from, inner.upper = pieces.to;
    Block piece;
    add_chunk(index, piece, std::move(inner), [&]() -> Block {
      if (!equal.within) return guarded(index);
      loop::If choice{is_whole(here, equal, pieces), guarded(index), ""};
      choice.otherwise = cut_iteration(index, pieces);
      return {{std::move(choice)}};
    });
    if (!equal.within &&
        plan::with_state_of_chunks(plan_, index)) // without an iteration there is nothing to begin with
      piece = {{loop::If{term::less(pieces.from, pieces.to), std::move(piece), ""}}};
    loop::append(pieces.loop.body, std::move(piece));
    if (has_copies() && !loop::only_adds_to(pieces.loop.body, space_.target.array))
      pieces.loop.parallel.reset();
    Block block;
    if (equal.within && clear_at_ && *clear_at_ > index && *clear_at_ <= *equal.within) {
      Block clear;
      for (std::size_t k = index + 1; k < *clear_at_; ++k)
        clear.push_back({loop::Let{plan_.nest.levels[k].variable, plan_.nest.levels[k].value}});
      loop::append(clear, clearing_->slots_before(plan_, *clear_at_));
      block = at_cuts(here, equal, plan_.chunk, std::move(clear));
    }
    block.push_back({std::move(pieces.loop)});
    if (equal.when_empty) return block;
    return {{loop::If{term::less(here.lower, here.upper), std::move(block), ""}}};
  }

  /// An iteration of which the piece has a part.
  Block cut_iteration(std::size_t index, const Pieces &pieces) {
    LeafPlan part = plan_;
    Level &inner = part.nest.levels[*plan_.equal()->within];
    inner = part_of(inner, *plan_.equal(), pieces);
    Lowerer lowerer(space_, part, number_, shared_, clearing_, workspace_);
    lowerer.clear_at_ = clear_at_, lowerer.parallel_ = parallel_; // in the same loops
    lowerer.begins_ = begins_inside(*plan_.equal(), pieces);
    lowerer.take_over(*this);
    lowerer.jumps_ = jumps_;
    lowerer.atomic_ = plan_.equal()->adds;
    return lowerer.guarded(index);
  }

  /// The array of a find's states, filled. `per_thread`: a part of it for each thread.
  Block filled_states(const LevelPlan &plan, bool per_thread) {
    const Level &found = plan_.nest.levels[plan.level];
    std::string array = state_arrays_[plan.level] =
        workspace_.add_states(found, *plan.walk(), per_thread, owner(plan.walk()->state_level));
    return fill_states(array, found, *plan.walk());
  }

  /// To what it is added to, or, as all there is, to the result.
  Block put(const loop::Local &sum, bool sets) const { return of_statement(writes().written({sum}, sets)); }

  Writes writes() const { return {space_, plan_, workspace_, entries_.get(), sum_, listed_, atomic_}; }
  loop::Value identity() const { return {loop::Number{value::identity_of(space_.by)}}; }
  /// What is done at each point.
  Block statement() const {
    if (visit_) return *visit_;
    Block block;
    loop::append(block, writes().written(as_target(values_.value(), space_), space_.sets));
    loop::append(block, zero_once_read(space_.operands, workspace_.combination()));
    return block;
  }

  const combine::IterationSpace &space_;
  const LeafPlan &plan_;
  const Values values_;
  const loop::Origin number_;
  const SharedLoops &shared_; // its first levels
  const Clearing *clearing_;  // null: the result is set elsewhere
  std::optional<std::size_t> clear_at_;
  std::optional<std::size_t> parallel_;  // the level that does run in parallel
  const plan::Search *search_ = nullptr; // inside which it is
  bool in_parallel_ = false;             // the whole leaf stands in a parallel loop
  bool atomic_ = false;                  // what is added here, threads may add to at the same time
  std::optional<Term> begins_;           // in an iteration that pieces share: whether it begins in this one
  std::map<std::size_t, MapArrays> map_arrays_;     // by the level of the find
  std::map<std::size_t, std::string> state_arrays_; // likewise
  std::map<std::size_t, JumpingLoop> jumps_;        // by the level of the loop
  Workspace &workspace_;
  std::optional<Block> visit_;
  std::shared_ptr<const EntryCode> entries_; // where the result is assembled
  std::optional<bool> listed_;               // members of what is inserted into, where it is known
  std::optional<loop::Local> sum_;           // what is added to in place of the result
};

} // namespace

LoweredLeaf lower_leaf(const combine::IterationSpace &space, const LeafPlan &plan, std::size_t number,
                       const SharedLoops &shared, const Clearing *clearing, Workspace &workspace) {
  const LeafPlan repeated = with_repeated_lookups(plan);
  return Lowerer(space, repeated, main_plan(number), shared, clearing, workspace).lowered();
}

LoweredLeaf visit_leaf(const combine::IterationSpace &space, LeafPlan plan, std::size_t number,
                       const SharedLoops &shared, Block visit, Workspace &workspace) {
  plan.sums_at.reset(); // nothing is computed
  Lowerer lowerer(space, plan, main_plan(number), shared, nullptr, workspace);
  lowerer.visit(std::move(visit));
  return lowerer.lowered();
}

} // namespace unravel::lower
