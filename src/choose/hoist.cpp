#include "choose/hoist.h"

#include "term/children.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <set>

namespace unravel::choose {

using combine::IterationSpace;
using combine::Operand;
using plan::Hoist;
using plan::LeafPlan;
using scan::Level;
using term::Term;

namespace {

using Names = std::set<std::string>;

/// Sums of hardly more than one term are not worth a pass over the local's elements for each.
constexpr double least_length = 1.25;

/// Does the loop go through all of a size, whatever other loops are at?
bool is_dense_loop(const Level &level, const scan::Nest &nest) {
  if (!level.is_loop() || !level.tensor.empty() || !level.guards.empty() || level.lower != Term(0))
    return false;
  const auto *size = level.upper.as<term::Variable>();
  return size && std::ranges::find(nest.levels, size->name, &Level::variable) == nest.levels.end();
}

bool mentions_any(const Operand &operand, const Names &names) {
  return term::mentions_any(operand.slot, names);
}

/// Does one plain sum of products stand at each point, in loops alone?
bool is_plain(const LeafPlan &plan, const IterationSpace &space) {
  // A sum that is kept has the target's type: then it is the same, however it is made.
  return space.type == space.target_type() && space.adds_in_any_order() && space.is_product() &&
         space.target.structure.empty() && plan.finds.levels.empty() && plan.alternatives.empty() &&
         plan.searches.empty() && !plan.sums_at && plan.is_plain() &&
         std::ranges::all_of(space.operands, [](const Operand &operand) { return !operand.array.empty(); }) &&
         !space.has_coordinates();
}

/// Where the loops over dense modes begin, which stand innermost.
std::size_t begin_of_dense(const scan::Nest &nest) {
  std::size_t begin = nest.levels.size();
  for (std::size_t k = begin; k-- > 0;) {
    const Level &level = nest.levels[k];
    if (is_dense_loop(level, nest))
      begin = k;
    else if (!level.is_let() || !level.guards.empty())
      break;
  }
  return begin;
}

/// The terms in the loop's sums on average, by the lengths of it and the loops in it, if these are known.
std::optional<double> terms_in(const scan::Nest &nest, std::size_t loop, std::size_t dense,
                               const find::Lengths &lengths) {
  double terms = 1;
  for (std::size_t k = loop; k < dense; ++k) {
    if (!nest.levels[k].is_loop()) continue;
    auto length = lengths.find(nest.levels[k].variable);
    if (length == lengths.end()) return std::nullopt;
    terms *= length->second;
  }
  return terms;
}

/// The loops whose sums are kept, outermost first.
std::vector<Hoist> hoists_of(const LeafPlan &plan, const IterationSpace &space,
                             const find::Lengths &lengths) {
  if (!is_plain(plan, space)) return {};
  const scan::Nest &nest = plan.nest;
  const std::size_t dense = begin_of_dense(nest);
  std::vector<Hoist> hoists;
  for (std::size_t loop = 0; loop < nest.levels.size(); ++loop) {
    if (!nest.levels[loop].is_loop()) continue;
    const bool is_dense = loop >= dense; // then those over dense modes behind it alone are the sum's
    if (is_dense && !hoists.empty()) break;
    // What comes to no point must not be taken for a sum that is zero: each loop inside has a sum, too.
    const auto begin = nest.levels.begin() + static_cast<std::ptrdiff_t>(loop);
    const bool is_tested =
        std::any_of(begin, nest.levels.end(), [](const Level &level) { return !level.guards.empty(); });
    Names inside; // what gets its values in the loop
    std::vector<std::string> modes;
    for (std::size_t k = loop; k < nest.levels.size(); ++k) {
      const Level &level = nest.levels[k];
      if (k >= dense && k != loop && is_dense_loop(level, nest))
        modes.push_back(level.variable);
      else if (!is_dense || k == loop || term::mentions_any(level.value, inside))
        inside.insert(level.variable);
    }
    if (mentions_any(space.target, inside)) {
      hoists.clear();
      continue;
    }
    Hoist hoist;
    hoist.level = loop;
    Names needed; // by the factors inside
    for (const Operand &operand : space.operands)
      if (mentions_any(operand, inside))
        needed.merge(term::variables_of(operand.slot));
      else
        hoist.outside.insert(operand.name);
    for (std::size_t k = nest.levels.size(); k-- > 0;) // and by what their positions are computed of
      if (nest.levels[k].is_let() && needed.contains(nest.levels[k].variable))
        needed.merge(term::variables_of(nest.levels[k].value));
    std::ranges::copy_if(modes, std::back_inserter(hoist.modes),
                         [&](const std::string &mode) { return needed.contains(mode); });
    const std::size_t left = hoists.empty() ? modes.size() : hoists.back().modes.size();
    const bool saves = !is_tested && hoist.modes.size() < left;
    if (!saves ||
        terms_in(nest, loop, std::max(dense, loop + 1), lengths).value_or(least_length) < least_length)
      hoists.clear();
    else
      hoists.push_back(std::move(hoist));
  }
  return hoists;
}

/// The parts: the last hoist's sum first, then what it is multiplied with in the one around it, and so on.
plan::Parts parts_for(std::vector<Hoist> hoists, const LeafPlan &plan, const IterationSpace &space) {
  const std::vector<Level> &levels = plan.nest.levels;
  const std::size_t innermost = hoists.back().level;
  const auto is_mode = [&](std::size_t k) {
    return k > innermost && levels[k].is_loop() && levels[k].tensor.empty();
  };
  // The levels behind the last hoist's that need no other modes than these.
  const auto with_modes = [&](const std::vector<std::string> &modes, std::size_t begin) {
    std::vector<Level> some;
    Names others;
    for (std::size_t k = begin; k < levels.size(); ++k) {
      const Level &level = levels[k];
      const bool is_other = is_mode(k) ? !contains(modes, level.variable)
                                       : level.is_let() && term::mentions_any(level.value, others);
      if (is_other)
        others.insert(level.variable);
      else
        some.push_back(level);
    }
    return some;
  };
  std::vector<Level> all_modes;
  for (std::size_t k = innermost + 1; k < levels.size(); ++k)
    if (is_mode(k)) all_modes.push_back(levels[k]);
  const auto loops_over = [&](const std::vector<std::string> &modes) {
    std::vector<Level> some = all_modes;
    std::erase_if(some, [&](const Level &level) { return !contains(modes, level.variable); });
    return some;
  };

  plan::Parts parts;
  parts.begin = hoists.front().level;
  for (std::size_t part = 0; part <= hoists.size(); ++part) { // in hoist `size - 1 - part`, the last in none
    const std::size_t around = hoists.size() - part;
    plan::Part made;
    for (const Operand &operand : space.operands) {
      const bool is_taken = around < hoists.size() && !hoists[around].outside.contains(operand.name);
      const bool is_left = around > 0 && hoists[around - 1].outside.contains(operand.name);
      if (!is_taken && !is_left) made.factors.insert(operand.name);
    }
    const bool is_last = around == 0;
    if (!is_last) made.modes = loops_over(hoists[around - 1].modes);
    made.may_be_empty = !is_last;
    plan::PartNode node{part, {}, {}, {}};
    if (part == 0) {
      node.levels = with_modes(hoists.back().modes, innermost);
      node.begins = {0};
      parts.body = {std::move(node)};
    } else {
      made.parts = {part - 1};
      node.levels = is_last ? all_modes : made.modes;
      parts.body.push_back(std::move(node));
      if (!is_last) {
        const auto begin = levels.begin();
        plan::PartNode loops{{},
                             {begin + static_cast<std::ptrdiff_t>(hoists[around - 1].level),
                              begin + static_cast<std::ptrdiff_t>(hoists[around].level)},
                             std::move(parts.body),
                             {part}};
        parts.body = {std::move(loops)};
      }
    }
    parts.all.push_back(std::move(made));
  }
  parts.hoists = std::move(hoists);
  return parts;
}

} // namespace

bool may_hoist(const IterationSpace &space) {
  return space.lookups.empty() && space.type == space.target_type() && space.operands.size() > 2 &&
         space.coordinates.size() > 3 && space.adds_in_any_order();
}

std::vector<std::string> dense_loops_last(const scan::Nest &nest, const IterationSpace &space) {
  Names needed; // by the loops over what is stored
  for (std::size_t k = nest.levels.size(); k-- > 0;) {
    const Level &level = nest.levels[k];
    if (level.is_let() && needed.contains(level.variable)) needed.merge(term::variables_of(level.value));
    if (!level.is_loop() || is_dense_loop(level, nest)) continue;
    needed.merge(term::variables_of(level.lower));
    needed.merge(term::variables_of(level.upper));
  }
  std::vector<std::string> stored, dense;
  bool is_last = true;
  for (const Level &level : nest.levels) {
    if (level.is_find()) return {};
    if (!level.is_loop()) continue;
    const bool is_dense = is_dense_loop(level, nest) && !needed.contains(level.variable);
    (is_dense ? dense : stored).push_back(level.variable);
    is_last = is_last && (is_dense || dense.empty());
  }
  if (stored.empty() || dense.size() < 2) return {};
  auto factors_with = [&](const std::string &variable) {
    return std::ranges::count_if(space.operands,
                                 [&](const Operand &operand) { return mentions_any(operand, {variable}); });
  };
  // Its sums are there before the loops over modes that only other factors have.
  auto is_summed_first = [&](const std::string &variable) {
    return !mentions_any(space.target, {variable}) &&
           std::ranges::any_of(dense, [&](const std::string &other) {
             return other != variable && std::ranges::none_of(space.operands, [&](const Operand &operand) {
                      return mentions_any(operand, {variable}) && mentions_any(operand, {other});
                    });
           });
  };
  if (stored.size() < 2 && std::ranges::none_of(dense, is_summed_first)) return {};
  std::vector<std::string> order = dense;
  std::ranges::stable_sort(order, [&](const std::string &one, const std::string &other) {
    const bool is_first = is_summed_first(one);
    return is_first != is_summed_first(other) ? is_first : factors_with(one) < factors_with(other);
  });
  if (is_last && order == dense) return {};
  stored.insert(stored.end(), order.begin(), order.end());
  return stored;
}

std::optional<plan::Parts> sums_in_locals(const LeafPlan &plan, const IterationSpace &space,
                                          const find::Lengths &lengths) {
  std::vector<Hoist> hoists = hoists_of(plan, space, lengths);
  if (hoists.empty()) return std::nullopt;
  return parts_for(std::move(hoists), plan, space);
}

std::string reasons_of(const LeafPlan &plan) {
  const scan::Nest &nest = plan.nest;
  const std::size_t dense = begin_of_dense(nest);
  std::string text;
  for (const Hoist &hoist : plan.hoists()) {
    std::vector<std::string> left;
    for (std::size_t k = std::max(dense, hoist.level + 1); k < nest.levels.size(); ++k)
      if (is_dense_loop(nest.levels[k], nest) && !contains(hoist.modes, nest.levels[k].variable))
        left.push_back(nest.levels[k].variable);
    text += fmt::format(
        "# {0}: its sum{1}{2} is kept in a local, then times {3}: that doesn't change in the loop, "
        "so the loop over {4} runs once for each sum, not for each of its terms\n",
        nest.levels[hoist.level].variable, hoist.modes.empty() ? "" : " for each ",
        fmt::join(hoist.modes, ", "), fmt::join(hoist.outside, " * "), fmt::join(left, ", "));
  }
  return text;
}

} // namespace unravel::choose
