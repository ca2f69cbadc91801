#include "lower/lower.h"

#include "lower/find_code.h"
#include "lower/type_name.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::lower {

using find::LevelPlan;
using loop::Block;
using loop::Statement;
using scan::Level;
using term::Term;

namespace {

void append(Block &to, Block from) {
  for (Statement &statement : from)
    to.push_back(std::move(statement));
}

/// Lowers one leaf.
class Lowerer {
public:
  Lowerer(const combine::IterationSpace &space, const LeafPlan &plan, std::optional<std::size_t> clear_at)
      : space_(space), plan_(plan), clear_at_(clear_at) {}

  Block lower() { return level(0); }

private:
  const LevelPlan *find_at(std::size_t index) const {
    for (const LevelPlan &plan : plan_.finds.levels)
      if (plan.level == index) return &plan;
    return nullptr;
  }

  /// Would iterations of the parallel loop share this state?
  bool is_shared(const LevelPlan &plan) const {
    return plan_.parallel && find::keeps_state(plan.method) && plan.state_level <= *plan_.parallel &&
           plan.level > *plan_.parallel;
  }

  Block level(std::size_t index) {
    Block block;
    if (clear_at_ == index) block.push_back({loop::Store{target(), loop::Value{loop::Number{0}}}});
    for (const LevelPlan &plan : plan_.finds.levels)
      if (find::keeps_state(plan.method) && plan.state_level == index && !is_shared(plan))
        block.push_back({loop::Declare{state_variable(plan_.nest.levels[plan.level], plan), plan.start}});
    if (index == plan_.nest.levels.size()) {
      block.push_back({loop::Accumulate{target(), product()}});
      return block;
    }
    const Level &here = plan_.nest.levels[index];
    switch (here.kind) {
    case Level::Kind::Let:
      block.push_back({loop::Let{here.variable, here.value}});
      append(block, guarded(index));
      break;
    case Level::Kind::Loop: append(block, loop_over(index)); break;
    case Level::Kind::Find:
      append(block, find_code(here, *find_at(index), [&] { return guarded(index); }));
      break;
    }
    return block;
  }

  /// The inner levels behind this level's conditions.
  Block guarded(std::size_t index) {
    const Level &here = plan_.nest.levels[index];
    if (here.guards.empty()) return level(index + 1);
    return {{loop::If{term::conjunction(here.guards), level(index + 1), ""}}};
  }

  Block loop_over(std::size_t index) {
    const Level &here = plan_.nest.levels[index];
    loop::For loop{here.variable, here.lower, here.upper, 1, std::nullopt, {}, comment(here)};
    bool parallel = plan_.parallel == index;
    bool shares = parallel && std::any_of(plan_.finds.levels.begin(), plan_.finds.levels.end(),
                                          [&](const LevelPlan &plan) { return is_shared(plan); });
    if (shares) return in_chunks(index, std::move(loop));
    if (parallel) loop.parallel = loop::Parallel{plan_.chunk, plan_.least};
    loop.body = guarded(index);
    return {{std::move(loop)}};
  }

  std::string comment(const Level &here) const {
    if (here.tensor.empty()) return "";
    return fmt::format("positions of {}", here.tensor);
  }

  /// for (c = 0; c < chunks; c++) in parallel { first, last; states of their own; for (v = first; v < last;
  /// v++) }
  Block in_chunks(std::size_t index, loop::For inner) {
    const Level &here = plan_.nest.levels[index];
    std::string name = here.variable + "_chunk";
    Term chunk = term::variable(name);
    Term first = term::variable(here.variable + "_from");
    loop::For outer;
    outer.variable = name;
    outer.lower = Term(0);
    outer.upper = term::ceil_divide(here.upper - here.lower, plan_.chunk);
    outer.parallel = loop::Parallel{1, (plan_.least + plan_.chunk - 1) / plan_.chunk};
    outer.comment = fmt::format("chunks of {} iterations: each finds with a state of its own", plan_.chunk);
    outer.body.push_back({loop::Let{here.variable + "_from", here.lower + term::scale(plan_.chunk, chunk)}});
    for (const LevelPlan &plan : plan_.finds.levels)
      if (is_shared(plan)) append(outer.body, seed(index, plan, first));
    inner.lower = first;
    inner.upper = term::minimum({first + Term(plan_.chunk), here.upper});
    inner.body = guarded(index);
    outer.body.push_back({std::move(inner)});
    return {{std::move(outer)}};
  }

  /// The state with which a chunk starts: where the search for its first target would stop. Where that can't
  /// be said in advance, the state's first value.
  Block seed(std::size_t parallel, const LevelPlan &plan, const Term &first) const {
    const Level &found = plan_.nest.levels[plan.level];
    std::string state = state_variable(found, plan);
    term::Substitution by{{plan_.nest.levels[parallel].variable, first}};
    std::set<std::string> inner;
    for (std::size_t k = parallel + 1; k < plan.level; ++k) {
      const Level &between = plan_.nest.levels[k];
      if (between.kind == Level::Kind::Let)
        by[between.variable] = term::substitute(between.value, by);
      else
        inner.insert(between.variable);
    }
    Term skip = term::substitute(plan.skip, by);
    Level range = found;
    range.lower = term::substitute(found.lower, by);
    range.upper = term::substitute(found.upper, by);
    bool known = plan.partitioned && plan.direction == find::Direction::Up;
    for (const Term &used : {skip, range.lower, range.upper})
      for (const std::string &name : term::variables_of(used))
        known = known && inner.count(name) == 0;
    if (!known) return {{loop::Declare{state, plan.start}}};
    return lower_bound(state, range, skip);
  }

  loop::Element target() const { return {space_.target.array, space_.target.slot}; }

  loop::Value product() const {
    double constant = space_.constant;
    std::vector<loop::Value> factors;
    for (const combine::Operand &operand : space_.operands) {
      if (operand.negative) constant = -constant;
      if (operand.array.empty())
        constant *= operand.literal;
      else
        factors.push_back({loop::Element{operand.array, operand.slot}});
    }
    if (constant == -1 && !factors.empty()) {
      loop::Value value = factors.size() == 1 ? factors[0] : loop::Value{loop::Times{factors}};
      return {loop::Minus{{value}}};
    }
    if (constant != 1 || factors.empty()) factors.insert(factors.begin(), {loop::Number{constant}});
    return factors.size() == 1 ? factors[0] : loop::Value{loop::Times{factors}};
  }

  const combine::IterationSpace &space_;
  const LeafPlan &plan_;
  std::optional<std::size_t> clear_at_;
};

/// The first level at which the target's slot is known, if the levels before it visit every slot exactly
/// once: then the slot is set there, and the result needs no clearing.
std::optional<std::size_t> covering_prefix(const combine::IterationSpace &space, const scan::Nest &nest,
                                           const std::map<std::string, Term> &extents) {
  std::set<std::string> looped;
  std::set<std::string> coordinates;
  for (const Term &coordinate : space.target.coordinates) {
    const auto *plain = coordinate.as<term::Variable>();
    if (!plain || !coordinates.insert(plain->name).second) return std::nullopt;
  }
  std::size_t index = 0;
  for (; index < nest.levels.size() && looped.size() < coordinates.size(); ++index) {
    const Level &level = nest.levels[index];
    if (level.kind == Level::Kind::Find || !level.guards.empty()) return std::nullopt;
    if (level.kind == Level::Kind::Let) continue;
    // The whole range of the coordinate.
    auto extent = extents.find(level.variable);
    if (!coordinates.count(level.variable) || level.lower != Term(0) || extent == extents.end() ||
        level.upper != extent->second)
      return std::nullopt;
    looped.insert(level.variable);
  }
  if (looped != coordinates) return std::nullopt;
  // Assignments to positions of the result may follow: they hold everywhere.
  while (index < nest.levels.size() && nest.levels[index].kind == Level::Kind::Let &&
         nest.levels[index].guards.empty())
    ++index;
  return index;
}

loop::ElementType element_type(const layout::Array &array, const LowerOptions &options) {
  if (array.element == "int32") return loop::ElementType::Int32;
  if (array.element == "int64") return loop::ElementType::Int64;
  if (array.element == "f32") return loop::ElementType::Float32;
  if (array.element == "f64") return loop::ElementType::Float64;
  return array.is_value ? options.value : options.index;
}

loop::TensorParameter parameter(const combine::Binding &binding, const LowerOptions &options) {
  const layout::Layout &layout = binding.layout;
  loop::TensorParameter result;
  result.name = binding.tensor;
  result.layout = layout.name;
  result.type_name = type_name(layout, options.index, options.value);
  result.about = layout.comment;
  result.is_result = binding.is_result;
  for (const std::string &size : layout.sizes)
    if (std::find(result.sizes.begin(), result.sizes.end(), size) == result.sizes.end())
      result.sizes.push_back(size);
  std::map<std::string, std::string> qualified;
  for (const std::string &size : result.sizes)
    qualified[size] = binding.tensor + "." + size;
  for (const layout::Count &count : layout.counts) {
    result.counts.push_back(count.name);
    qualified[count.name] = binding.tensor + "." + count.name;
  }
  for (const layout::Array &array : layout.arrays) {
    loop::ArrayParameter made;
    made.name = array.name;
    made.is_value = array.is_value;
    made.element = element_type(array, options);
    for (const Term &extent : array.extents)
      made.extents.push_back(term::rename(extent, qualified, {}));
    result.arrays.push_back(std::move(made));
  }
  return result;
}

/// All slots of the result.
loop::Zero clear(const combine::Combination &combination) {
  const combine::Binding &binding = combination.bindings[0];
  const combine::Operand &target = combination.target;
  Term count(1);
  for (const loop::ArrayParameter &array : parameter(binding, {}).arrays)
    if (binding.tensor + "." + array.name == target.array)
      for (const Term &extent : array.extents)
        count = term::multiply(count, extent);
  return {target.array, count};
}

} // namespace

loop::Program lower(const combine::Combination &combination, const std::vector<LeafPlan> &plans,
                    const LowerOptions &options) {
  report::require(plans.size() == combination.leaves.size(), "one plan per leaf");
  loop::Program program;
  program.name = options.name;
  program.expression = options.expression;
  for (const combine::Binding &binding : combination.bindings)
    program.parameters.push_back(parameter(binding, options));
  for (const combine::SizeCondition &condition : combination.conditions)
    program.preconditions.push_back({condition.formula, condition.message});
  std::optional<std::size_t> clear_at;
  if (!combination.accumulate && plans.size() == 1)
    clear_at = covering_prefix(combination.leaves[0], plans[0].nest, combination.extents);
  if (!combination.accumulate && !clear_at) program.body.push_back({clear(combination)});
  for (std::size_t k = 0; k < plans.size(); ++k)
    append(program.body, Lowerer(combination.leaves[k], plans[k], clear_at).lower());
  return program;
}

} // namespace unravel::lower
