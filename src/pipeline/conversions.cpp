#include "pipeline/conversions.h"

#include "combine/structure.h"
#include "cost/contractions.h"
#include "layout/by_modes.h"
#include "pipeline/leaf.h"
#include "pipeline/types.h"
#include "report/diagnostic.h"
#include "schedule/order.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <utility>

namespace unravel::pipeline {

using report::Kind;

namespace {

constexpr std::size_t most_modes = 8; // of an operand that is converted

/// How many prefixes a factor stores once that index is its first one. Of sets of indices that are prefixes
/// now, too, as many; of others as many as if its entries lay anywhere.
contract::Factor with_first(const contract::Network &network, std::size_t factor, std::size_t index) {
  const contract::Factor &given = network.factors[factor];
  contract::Factor made = given;
  std::erase(made.stored, index);
  made.stored.insert(made.stored.begin(), index);
  const double entries = given.prefixes.back();
  contract::Set now = 0;
  for (std::size_t k = 0; k < made.stored.size(); ++k) {
    now |= contract::bit(made.stored[k]);
    const double all = network.elements(now);
    made.prefixes[k] = std::min(all * -std::expm1(-entries / std::max(all, 1.0)), entries);
    contract::Set before = 0;
    for (std::size_t other = 0; other < given.stored.size(); ++other) {
      before |= contract::bit(given.stored[other]);
      if (before == now) made.prefixes[k] = given.prefixes[other];
    }
  }
  return made;
}

/// The modes of the tensor as a factor stores them.
std::vector<std::size_t> modes_of(const contract::Factor &factor) {
  std::vector<std::size_t> modes;
  for (std::size_t index : factor.stored)
    modes.push_back(
        static_cast<std::size_t>(std::ranges::find(factor.indices, index) - factor.indices.begin()));
  return modes;
}

bool may_be_converted(const Front &front, const Plans &given, std::size_t factor) {
  const contract::Factor &each = given.network.factors[factor];
  const std::string &tensor = given.contraction.factors[factor].tensor;
  return each.stored.size() > 1 && each.stored.size() == each.indices.size() &&
         each.stored.size() <= most_modes && !front.converted.contains(tensor) &&
         combine::lender_of(front.structure, front.computation.program) != tensor &&
         std::ranges::count(given.contraction.factors, tensor, &compute::Access::tensor) == 1;
}

} // namespace

std::string operand_of(const std::string &access) {
  return access.substr(0, access.find('#'));
}

/// The accesses of the operand, as they occur.
static std::vector<std::string> uses_of(const compute::Program &program, const std::string &tensor) {
  std::vector<std::string> names;
  const auto add = [&](const compute::Access &access) {
    if (access.tensor == tensor && std::ranges::count(names, access.name()) == 0)
      names.push_back(access.name());
  };
  for (const compute::Statement &statement : program.statements)
    compute::each_read(statement, add);
  return names;
}

Front with_converted_uses(Request &request, Front front) {
  const auto copy_entry = [](auto &map, const std::string &from, const std::string &to) {
    const auto found = map.find(from);
    if (found == map.end()) return;
    auto copy = found->second;
    map.insert_or_assign(to, std::move(copy));
  };
  compute::Program &program = front.computation.program;
  std::vector<compute::TensorUse> &tensors = front.computation.tensors;
  for (auto &converted : std::exchange(front.converted_uses, {})) {
    const std::string &access = converted.first, tensor = operand_of(access);
    auto &use = converted.second;
    const auto rename = [&](compute::Access &each) {
      if (each.name() == access) each.tensor = use.tensor, each.occurrence = 1;
    };
    for (compute::Statement &statement : program.statements)
      compute::each_read(statement, rename);
    compute::TensorUse own = *std::ranges::find(tensors, tensor, &compute::TensorUse::name);
    own.name = use.tensor;
    tensors.push_back(std::move(own));
    for (auto *types : {&front.types, &front.computation.types})
      copy_entry(*types, tensor, use.tensor);
    copy_entry(program.fills, tensor, use.tensor);
    copy_entry(request.arrays, tensor, use.tensor);
    copy_entry(request.files, tensor, use.tensor);
    copy_entry(request.elements, tensor, use.tensor);
    const auto given = front.converted.find(tensor);
    front.converted.emplace(use.tensor,
                            given == front.converted.end() ? front.layouts.at(tensor) : given->second);
    front.layouts.emplace(use.tensor, std::move(use.layout));
    front.stands_for.emplace(use.tensor, access);
  }
  settle_types(request, front);
  return front;
}

static void convert_use(const Request &request, Front &front, const parse::ScheduleTree::Conversion &asked) {
  const std::string &access = asked.tensor.text, tensor = operand_of(access);
  const compute::Program &program = front.computation.program;
  const std::vector<std::string> uses = uses_of(program, tensor);
  if (std::ranges::count(uses, access) == 0)
    report::fail(Kind::unknown_tensor, asked.tensor.span,
                 fmt::format("`convert {}`: there is no such use of a tensor", access),
                 uses.empty() ? "write `convert T to csf<1,0,2>`"
                              : fmt::format("`{}` has the use{} `{}`", tensor, uses.size() == 1 ? "" : "s",
                                            fmt::join(uses, "`, `")));
  if (!program.statements.front().is_free)
    report::fail(Kind::not_supported, asked.tensor.span,
                 fmt::format("`convert {}`: in programs all uses of a tensor have one layout", access),
                 fmt::format("write `convert {} to {}`", tensor, layout::to_text(asked.layout)));
  std::string name = access;
  std::ranges::replace(name, '#', '_');
  const auto use = std::ranges::find(front.computation.tensors, tensor, &compute::TensorUse::name);
  ConvertedUse &made = front.converted_uses[access];
  made = {compute::fresh_tensor(front.computation, name),
          layout::load_layout(asked.layout, use->order).layout};
  Request own = request;
  made.layout = with_converted_uses(own, front).layouts.at(made.tensor); // its values have their type
}

std::vector<parse::ScheduleTree::Conversion> conversions_to_try(const Front &front) {
  std::vector<parse::ScheduleTree::Conversion> all;
  const compute::Program &program = front.computation.program;
  const bool is_line = program.statements.front().is_free; // in programs all uses have one layout
  for (const compute::TensorUse &use : front.computation.tensors) {
    const auto layout = front.layouts.find(use.name);
    if (use.is_result || use.order < 2 || use.order > most_modes || layout == front.layouts.end() ||
        combine::has_slot_of_each(layout->second) || combine::lender_of(front.structure, program) == use.name)
      continue;
    for (std::size_t first = 0; first < use.order; ++first) {
      std::vector<std::size_t> modes{first};
      for (std::size_t mode = 0; mode < use.order; ++mode)
        if (mode != first) modes.push_back(mode);
      parse::ScheduleTree::Conversion made;
      made.layout = layout::layout_by_modes(modes);
      if (layout::load_layout(made.layout, use.order).layout.name == layout->second.name) continue;
      for (std::string &access : is_line ? uses_of(program, use.name) : std::vector{use.name}) {
        made.tensor.text = std::move(access);
        all.push_back(made);
      }
    }
  }
  return all;
}

bool reads_inserted(const combine::Combination &combination, const combine::IterationSpace &space) {
  return std::ranges::any_of(space.operands, [&](const combine::Operand &operand) {
    const combine::LocalTensor *local = combination.local(operand.tensor);
    return local && local->insertion;
  });
}

double visits_of(const Compilation &compilation, const schedule::Counts &counts) {
  const combine::Combination &combination = compilation.combination;
  const auto is_sorted_at_the_end = [&](const combine::Operand &target) {
    const combine::LocalTensor *local = combination.local(target.tensor);
    return local && local->insertion && local->around == 0;
  };
  double visits = 0;
  for (std::size_t k = 0; k < compilation.leaves.size(); ++k) {
    const combine::IterationSpace &space = combination.leaves[k];
    if (reads_inserted(combination, space)) continue;
    const double own =
        schedule::cost_of(space, compilation.leaves[k].order, counts, scans_of(compilation.leaves[k].plan));
    visits += is_sorted_at_the_end(space.target) ? own * std::log2(own + 2) : own;
  }
  return visits;
}

void convert_operand(const Request &request, Front &front, const parse::ScheduleTree::Conversion &asked) {
  const std::string tensor = operand_of(asked.tensor.text);
  const std::vector<compute::TensorUse> &uses = front.computation.tensors;
  const auto use = std::ranges::find(uses, tensor, &compute::TensorUse::name);
  std::vector<std::string> operands;
  for (const compute::TensorUse &each : uses)
    if (!each.is_result) operands.push_back(each.name);
  if (use == uses.end() || use->is_result)
    report::fail(Kind::unknown_tensor, asked.tensor.span,
                 fmt::format("`convert {}`: {}", tensor,
                             use == uses.end() ? "there is no such tensor" : "it is a result"),
                 fmt::format("the operands are `{}`", fmt::join(operands, "`, `")));
  if (tensor != asked.tensor.text) return convert_use(request, front, asked);
  if (combine::lender_of(front.structure, front.computation.program) == tensor)
    report::fail(Kind::not_supported, asked.tensor.span,
                 fmt::format("`convert {}`: the result has the entries of `{}` as they are given", tensor,
                             front.structure),
                 "leave it out, or give the result a layout of its own");
  layout::Layout &layout = front.layouts.at(tensor);
  front.converted.emplace(tensor, layout); // of several conversions the first one's
  layout = layout::load_layout(asked.layout, use->order).layout;
  settle_types(request, front); // the values keep theirs
}

std::string to_text(const Conversion &conversion) {
  return fmt::format("convert {} to {}", conversion.asked.tensor.text,
                     layout::to_text(conversion.asked.layout));
}

std::vector<Conversion> conversions_of(const Front &front, const Plans &given) {
  std::vector<Conversion> all;
  const double given_cost = cheapest_of(front, given).cost;
  for (std::size_t factor = 0; factor < given.network.factors.size(); ++factor) {
    if (!may_be_converted(front, given, factor)) continue;
    const contract::Factor &before = given.network.factors[factor];
    for (std::size_t k = 1; k < before.stored.size(); ++k) {
      Conversion made;
      made.plans.contraction = given.contraction;
      made.plans.walked = given.walked;
      made.plans.network = given.network;
      contract::Factor &now = made.plans.network.factors[factor];
      now = with_first(given.network, factor, before.stored[k]);
      made.asked.tensor.text = given.contraction.factors[factor].tensor;
      made.asked.layout = layout::layout_by_modes(modes_of(now));
      made.once = before.prefixes.back() * cost::converted_entry;
      search_plans(front, plans_looked_at, made.plans);
      made.plans.found.plans = {contract::Plan(cheapest_of(front, made.plans))};
      const double saved = given_cost - made.cost();
      if (saved <= 0) continue;
      made.least_calls = std::ceil(made.once / saved);
      all.push_back(std::move(made));
    }
  }
  std::ranges::stable_sort(all, {}, &Conversion::cost);
  return all;
}

std::optional<Conversion> conversion_that_pays(const Request &request, const Front &front, int calls) {
  if (has_wishes(front.schedule) || front.schedule.plan || !front.converted.empty()) return std::nullopt;
  std::string why;
  Plans given;
  if (!network_of(request, front, given, why)) return std::nullopt;
  double least = std::numeric_limits<double>::infinity(); // of what converting costs
  for (const contract::Factor &factor : given.network.factors)
    if (factor.is_sparse()) least = std::min(least, factor.prefixes.back() * cost::converted_entry);
  const contract::Forest written = contract::as_written(given.network);
  if (least > cost::worth * calls * contract::cost_of(given.network, written, {})) return std::nullopt;
  search_plans(front, plans_looked_at, given);
  std::optional<Conversion> best;
  double lowest = cost::worth * calls * cheapest_of(front, given).cost;
  for (Conversion &each : conversions_of(front, given)) {
    const double both = each.once + calls * each.cost();
    if (both < lowest) lowest = both, best = std::move(each);
  }
  return best;
}

/// Is there no conversion yet, and no schedule that depends on how operands are stored?
static bool may_add_conversion(const Front &front) {
  return !has_wishes(front.schedule) && !front.schedule.plan && front.converted.empty() &&
         front.converted_uses.empty();
}

bool may_be_worth_converting(const Front &front, const Compilation &compiled) {
  return may_add_conversion(front) && !compiled.inspector && !compiled.values &&
         visits_of(compiled, {}) > least_visits && !conversions_to_try(front).empty();
}

std::optional<Front> with_conversion_for_loops(const Request &known, const Front &front,
                                               const Compilation &compiled, int calls,
                                               const OperandData &data) {
  std::string why;
  Plans weighed;
  if (!may_add_conversion(front) || network_of(known, front, weighed, why)) return std::nullopt;
  double lowest = cost::worth * calls * visits_of(compiled, known.counts);
  if (lowest < least_visits) return std::nullopt;
  std::optional<Front> best;
  for (const parse::ScheduleTree::Conversion &asked : conversions_to_try(front)) {
    const std::string operand = operand_of(asked.tensor.text);
    const double once = data.entries(operand) * cost::converted_entry;
    if (once >= lowest) continue;
    Front other = front;
    const auto made = report::unless_refused([&] {
      convert_operand(known, other, asked);
      Request asking = known;
      if (other.converted_uses.empty()) {
        data.count(operand, other.layouts.at(operand), operand, asking.counts);
      } else {
        const ConvertedUse &use = other.converted_uses.begin()->second;
        data.count(operand, use.layout, use.tensor, asking.counts);
      }
      return visits_of(compile_for_data(asking, other), asking.counts);
    });
    if (const double both = made ? once + calls * *made : lowest; both < lowest)
      lowest = both, best = std::move(other);
  }
  return best;
}

void require_given_layouts(const Compilation &compilation) {
  if (compilation.converted.empty()) return;
  const std::string &tensor = compilation.converted.begin()->first;
  report::fail(
      Kind::not_supported,
      fmt::format("`convert {}`: the function around the kernel packs, but doesn't convert", tensor),
      fmt::format("give `{}` that layout, -f '{}={}'", tensor, tensor, compilation.layouts.at(tensor).name));
}

void add_conversions(const Request &request, Compilation &compilation) {
  if (!compilation.packed.empty()) require_given_layouts(compilation);
  for (const auto &[tensor, given] : compilation.converted) {
    const layout::Layout &layout = compilation.layouts.at(tensor);
    const std::string from = compute::fresh_tensor(compilation.computation, tensor + "_given");
    std::vector<std::string> modes;
    for (std::size_t mode = 0; mode < layout.order(); ++mode)
      modes.push_back(fmt::format("i{}", mode));
    Request own;
    own.machine = request.machine;
    own.index = request.index;
    own.value = request.value;
    own.elements = request.elements;
    own.name = fmt::format("{}_converts_{}", request.name, tensor);
    own.expression = fmt::format("{0}({2}) = {1}({2})", tensor, from, fmt::join(modes, ","));
    own.formats = {{tensor, layout.name}, {from, given.name}};
    compilation.conversions.push_back(std::make_shared<const Compilation>(compile(own)));
    require_appended(*compilation.conversions.back());
  }
}

} // namespace unravel::pipeline
