#include "choose/merge.h"

#include "find/walk.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::choose {

using combine::Combination;
using combine::IterationSpace;
using combine::LocalTensor;
using combine::Operand;
using plan::LeafPlan;
using plan::Merged;
using scan::Level;
using term::Term;

bool lists_entries(const LocalTensor &local) {
  return local.insertion && !local.insertion->position.empty() && !local.repeats() && local.modes.size() == 1;
}

namespace {

using Nodes = std::vector<scan::Node>;

/// The array with the coordinate of each entry, or empty.
std::string coordinates_of(const LocalTensor &local) {
  for (const layout::IndexElement &element : local.insertion->sets)
    if (element.slots == std::vector<Term>{term::variable(local.insertion->count)} &&
        element.value == term::variable(local.modes.front()))
      return element.array;
  return "";
}

/// Plans one local.
class Merger {
public:
  Merger(const Combination &combination, const std::vector<LeafPlan *> &plans, const LocalTensor &local,
         prove::Prover &prover)
      : combination_(combination), plans_(plans), local_(local), prover_(prover) {}

  MergedLocal merge(const Nodes &tree) {
    result_.local = local_.tensor;
    result_.hindrance = plan(tree);
    if (!result_.hindrance.empty()) return result_;
    const bool is_tested = std::ranges::any_of(plans_of_, [](auto &each) { return each.second.is_tested; });
    for (auto &[number, merged] : plans_of_) {
      merged.is_tested = is_tested;
      plans_[number]->merged = std::move(merged);
      plans_[number]->sorted.reset();
    }
    return result_;
  }

private:
  bool is_about(const IterationSpace &space) const {
    return space.target.local == local_.tensor || space.reads(local_.tensor);
  }

  bool is_about(const scan::Node &node) const {
    return std::ranges::any_of(node.statements,
                               [&](std::size_t k) { return is_about(combination_.leaves[k]); });
  }

  /// The nodes that are about the local.
  static std::vector<const scan::Node *> pick(const Nodes &nodes,
                                              const std::function<bool(const scan::Node &)> &wanted) {
    std::vector<const scan::Node *> picked;
    for (const scan::Node &node : nodes)
      if (wanted(node)) picked.push_back(&node);
    return picked;
  }

  /// Fills in plans_of_ and the ranges; returns what is in the way.
  std::string plan(const Nodes &nodes) {
    const auto about = pick(nodes, [&](const scan::Node &node) { return is_about(node); });
    if (about.size() == 1 && about.front()->is_loop()) {
      around_.push_back(about.front());
      return plan(about.front()->body);
    }
    if (std::ranges::any_of(about, [](const scan::Node *node) { return node->is_loop(); }))
      return "statements that it is about share a loop with others";
    if (about.size() < 3 || !combination_.leaves[about[0]->statements.front()].target.is_scalar())
      return "nothing is added to it, or nothing reads it";
    if (about.back() - about[1] != static_cast<std::ptrdiff_t>(about.size()) - 2)
      return "other statements stand between those that it is about";
    if (about.size() - 2 > most_merged) return fmt::format("more than {} ranges", most_merged);
    const std::size_t reader = about.back()->statements.front();
    for (std::size_t k = 1; k < about.size(); ++k) {
      const std::size_t number = about[k]->statements.front();
      const std::string hindrance = k + 1 < about.size() ? range_of(number, reader) : entries_of(number);
      if (!hindrance.empty()) return fmt::format("statement {}: {}", number, hindrance);
    }
    return "";
  }

  std::string general_hindrance(std::size_t number) const {
    const IterationSpace &space = combination_.leaves[number];
    const LeafPlan &plan = *plans_[number];
    if (!space.lookups.empty()) return "it looks for what may not be stored";
    if (!plan.alternatives.empty() || plan.parts || combination_.clear_of(number))
      return "it has several plans, or sums of its own";
    if (plan.finds.vacuous) return "the layouts' properties contradict each other";
    if (std::ranges::any_of(plan.finds.levels, [&](const plan::LevelPlan &find) {
          const plan::Walk *walk = find.walk();
          return walk && walk->jump && walk->jump->loop >= around_.size();
        }))
      return "its loops jump to what they find";
    return "";
  }

  /// Of a statement that adds to the local.
  std::string range_of(std::size_t number, std::size_t reader) {
    const std::size_t depth = around_.size();
    const IterationSpace &space = combination_.leaves[number];
    const LeafPlan &plan = *plans_[number];
    const std::vector<Level> &levels = plan.nest.levels;
    if (std::string why = general_hindrance(number); !why.empty()) return why;
    if (space.target.local != local_.tensor || !space.adds() || space.reads(local_.tensor))
      return "it does more than to add to it";
    const std::string &written = combination_.leaves[reader].target.tensor;
    if (space.reads(written))
      return fmt::format("it reads {}, which is written for each coordinate", written);
    const Term key = scan::through_lets(space.target.coordinates.back(), levels, depth);
    const auto *load = key.as<term::Apply>();
    const auto *position =
        load && load->arguments.size() == 1 ? load->arguments[0].as<term::Variable>() : nullptr;
    const auto loop = std::ranges::find_if(levels, [&](const Level &level) {
      return position && !level.is_let() && level.variable == position->name;
    });
    Merged merged{
        local_.tensor, static_cast<std::size_t>(loop - levels.begin()), load ? load->function : "", {}};
    if (loop == levels.end() || merged.level < depth || loop->tensor.empty())
      return "no loop over positions holds its coordinates";
    if (loop->is_find()) {
      const plan::LevelPlan &find = *plan.finds.at(merged.level);
      if (!(find.unique || find.contiguous) || !loop->guards.empty())
        return fmt::format("the positions that are found for {} may not lie side by side", loop->variable);
    }
    if (std::string why = look_around(plan, space, merged); !why.empty()) return why;
    const find::Rising rising = find::rising(plan.nest, merged.level, key, plan.finds, prover_);
    result_.ranges.push_back(fmt::format("{} by {}: {} {}proved", position->name, merged.keys,
                                         rising.obligation, rising.is_proved ? "" : "not "));
    if (!rising.is_proved)
      return fmt::format("the coordinates may not strictly increase{}{}", rising.example.empty() ? "" : ": ",
                         rising.example);
    merged.is_tested = !loop->guards.empty() || std::any_of(loop + 1, levels.end(), [](const Level &level) {
      return !level.is_let() || !level.guards.empty();
    });
    plans_of_.emplace_back(number, std::move(merged));
    return "";
  }

  /// Do conditions stand around what is in the shared loops?
  bool has_conditions(const std::vector<Level> &levels) const {
    for (std::size_t k = 0; k < around_.size(); ++k)
      if (!scan::conditions_of(levels[k], *around_[k]).empty()) return true;
    return !around_.empty() && !levels[around_.size() - 1].guards.empty();
  }

  /// What stands between the loops that statements share and the one that is merged.
  std::string look_around(const LeafPlan &plan, const IterationSpace &space, Merged &merged) const {
    const std::vector<Level> &levels = plan.nest.levels;
    const std::size_t depth = around_.size(), loop = merged.level;
    merged.is_conditional = has_conditions(levels) || levels[loop].is_find();
    for (std::size_t k = depth; k < loop; ++k) {
      if (levels[k].is_loop()) return "another loop stands around it";
      if (levels[k].is_find() && !plan.finds.at(k)->unique)
        return fmt::format("several ranges may be found for {}", levels[k].variable);
      merged.is_conditional = merged.is_conditional || levels[k].is_find() || !levels[k].guards.empty();
    }
    if (!merged.is_conditional) return "";
    // What is found is known where its range is taken, and not in the merging loop.
    std::vector<Term> inside = levels[loop].guards;
    for (std::size_t k = loop + 1; k < levels.size(); ++k)
      for (const Term &term : terms_of(levels[k]))
        inside.push_back(term);
    for (const Operand &operand : space.operands)
      inside.push_back(operand.slot);
    for (std::size_t k = depth; k < loop; ++k)
      if (std::ranges::any_of(inside, [&](auto &each) { return term::mentions(each, levels[k].variable); }))
        return fmt::format("its terms are about {} too", levels[k].variable);
    for (const plan::LevelPlan &find : plan.finds.levels) {
      const std::optional<std::size_t> made_at = find.made_at();
      if (find.level > loop && made_at && *made_at >= depth && *made_at <= loop)
        return fmt::format("{} is found with a state or a map of the loop's own",
                           levels[find.level].variable);
    }
    return "";
  }

  /// Of the statement that reads the local.
  std::string entries_of(std::size_t number) {
    const std::size_t depth = around_.size();
    const IterationSpace &space = combination_.leaves[number];
    const LeafPlan &plan = *plans_[number];
    const std::vector<Level> &levels = plan.nest.levels;
    if (std::string why = general_hindrance(number); !why.empty()) return why;
    std::size_t loop = depth;
    while (loop < levels.size() && levels[loop].is_let())
      ++loop;
    const bool is_over_all = loop < levels.size() && levels[loop].is_loop() &&
                             levels[loop].lower == Term(0) &&
                             levels[loop].upper == term::variable(local_.insertion->count);
    if (!is_over_all || space.target.local == local_.tensor)
      return "it doesn't go through the entries one by one";
    // Of its position nothing is left but its coordinate and its value.
    const std::string coordinates = coordinates_of(local_);
    std::vector<std::string> positions{levels[loop].variable};
    std::map<Term, Term> by{{term::apply(coordinates, {term::variable(positions.front())}), Term(0)}};
    if (plan.is_dealt) return "its entries are dealt";
    if (plan.sorted &&
        (plan.sorted->level != loop || plan.sorted->keys != std::vector<Term>{by.begin()->first}))
      return "it goes through the entries in another order";
    std::vector<Term> others = levels[loop].guards;
    for (std::size_t k = loop + 1; k < levels.size(); ++k) {
      if (levels[k].is_let() && levels[k].value == term::variable(positions.front())) {
        positions.push_back(levels[k].variable);
        by.emplace(term::apply(coordinates, {term::variable(positions.back())}), Term(0));
        others.insert(others.end(), levels[k].guards.begin(), levels[k].guards.end());
      } else {
        for (const Term &term : terms_of(levels[k]))
          others.push_back(term);
      }
    }
    bool reads_here = false;
    for (const Operand &operand : space.operands) {
      const auto *slot = operand.slot.as<term::Variable>();
      const bool is_entry = operand.tensor == local_.tensor && operand.positions.size() == 1 && slot &&
                            contains(positions, slot->name);
      if (operand.tensor == local_.tensor && !is_entry) return "it reads another element too";
      reads_here = reads_here || is_entry;
      if (!is_entry) others.push_back(operand.slot);
    }
    if (!reads_here || std::ranges::any_of(others, [&](const Term &term) {
          return std::ranges::any_of(positions, [&](const std::string &position) {
            return term::mentions(term::replace(term, by), position);
          });
        }))
      return "it needs the positions of the entries";
    plans_of_.emplace_back(
        number, Merged{local_.tensor, loop, "", std::move(positions), false, has_conditions(levels)});
    return "";
  }

  const Combination &combination_;
  const std::vector<LeafPlan *> &plans_;
  const LocalTensor &local_;
  prove::Prover &prover_;
  MergedLocal result_;
  std::vector<const scan::Node *> around_;               // the loops that all of its statements share
  std::vector<std::pair<std::size_t, Merged>> plans_of_; // by the number of the leaf
};

} // namespace

std::vector<MergedLocal> merge_loops(const Combination &combination, const std::vector<LeafPlan *> &plans,
                                     const Nodes &tree, prove::Prover &prover) {
  std::vector<MergedLocal> locals;
  for (const LocalTensor &local : combination.locals)
    if (lists_entries(local)) locals.push_back(Merger(combination, plans, local, prover).merge(tree));
  return locals;
}

std::string to_text(const std::vector<MergedLocal> &locals) {
  std::string text;
  for (const MergedLocal &each : locals) {
    text += fmt::format("{}: {}\n", each.local,
                        each.hindrance.empty() ? "merged" : "not merged: " + each.hindrance);
    for (const std::string &range : each.ranges)
      text += "  " + range + "\n";
  }
  return text;
}

} // namespace unravel::choose
