#include "pipeline/plans.h"

#include "combine/structure.h"
#include "compute/as_line.h"
#include "cost/contractions.h"
#include "cost/finds.h"
#include "cost/thresholds.h"
#include "layout/layout.h"
#include "machine/stopwatch.h"
#include "parse/parse.h"
#include "pipeline/types.h"
#include "prove/budget.h"
#include "report/diagnostic.h"
#include "schedule/order.h"
#include "tensor/counts.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace unravel::pipeline {

using report::Kind;

namespace {

std::shared_ptr<const text::Source> text_of(const std::string &content) {
  return std::make_shared<const text::Source>("plan", content);
}

const double *count_of(const schedule::Counts &counts, const std::string &name) {
  const auto found = counts.find(name);
  return found == counts.end() ? nullptr : &found->second;
}

/// The number of an index's values: as it is given, or of a mode that it subscripts.
double size_of(const contract::Network &network, std::size_t index, const compute::Contraction &contraction,
               const compute::Access &target, const Request &request, const Front &front) {
  const std::string &name = network.indices[index].name;
  if (const double *given = count_of(request.counts, name)) return *given;
  std::vector<const compute::Access *> accesses{&target};
  for (const compute::Access &access : contraction.factors)
    accesses.push_back(&access);
  for (const compute::Access *access : accesses) {
    const layout::Layout &layout = front.layouts.at(access->tensor);
    for (std::size_t mode = 0; mode < access->subscripts.size() && mode < layout.sizes.size(); ++mode)
      if (access->subscripts[mode].index == name)
        if (const double *size = count_of(request.counts, access->tensor + "." + layout.sizes[mode]))
          return *size;
  }
  return cost::default_size;
}

/// In which order a factor's indices get their values where it is alone, and how often.
void take_stored(contract::Factor &factor, contract::Set &walked, const compute::Access &access,
                 const contract::Network &network, const Request &request, const Front &front) {
  const layout::Layout &layout = front.layouts.at(access.tensor);
  if (combine::has_slot_of_each(layout) || factor.is_absent) return;
  const std::string sum = compute::fresh_tensor(front.computation, "all");
  const compute::Computation alone =
      compute::make_computation(parse::parse_assignment(text_of(fmt::format("{} = {}", sum, factor.text))));
  std::map<std::string, layout::Layout> layouts{{access.tensor, layout}};
  layouts.emplace(sum, layout::load_layout(parse::parse_layout_reference(text_of("dense")), 0).layout);
  const combine::Combination made = combine::combine(alone, layouts);
  const combine::IterationSpace &space = made.leaves.front();
  const schedule::Order order = schedule::plan_order(space, request.counts);
  const std::map<std::string, double> trips = schedule::trip_counts(space, order, request.counts);
  double visited = 1, all = 1;
  for (const std::string &variable : order) {
    const auto loop = trips.find(variable);
    if (loop != trips.end()) visited *= loop->second;
    const auto index = std::ranges::find(network.indices, variable, &contract::Index::name);
    if (index == network.indices.end()) continue;
    const auto number = static_cast<std::size_t>(index - network.indices.begin());
    all *= index->size;
    factor.stored.push_back(number);
    factor.prefixes.push_back(std::min(visited, all));
    if (loop == trips.end()) walked |= contract::bit(number);
  }
  if (const double *entries =
          count_of(request.counts, fmt::format("{}.{}", access.tensor, tensor::stored_entries));
      entries && !factor.prefixes.empty())
    factor.prefixes.back() = std::min(*entries, all);
}

/// What the data say of each two sparse factors with one index in common.
std::vector<contract::Join> joins_of(const contract::Network &network,
                                     const compute::Contraction &contraction, const Request &request) {
  const auto mode_of = [&](std::size_t factor, std::size_t index) {
    const std::vector<std::size_t> &indices = network.factors[factor].indices;
    return static_cast<std::size_t>(std::ranges::find(indices, index) - indices.begin());
  };
  std::vector<contract::Join> joins;
  for (std::size_t one = 0; one < network.factors.size(); ++one)
    for (std::size_t other = one + 1; other < network.factors.size(); ++other) {
      const contract::Set shared = network.of(one) & network.of(other);
      if (!network.factors[one].is_sparse() || !network.factors[other].is_sparse() ||
          !std::has_single_bit(shared))
        continue;
      const auto index = static_cast<std::size_t>(std::countr_zero(shared));
      if (const double *ratio =
              count_of(request.counts, join_name(contraction.factors[one].tensor, mode_of(one, index),
                                                 contraction.factors[other].tensor, mode_of(other, index))))
        joins.push_back({one, other, *ratio});
    }
  return joins;
}

Front planned(const Request &request, Front front, compute::PlannedLine line, std::string why) {
  front.schedule.plan.reset();
  front.why = std::move(why);
  if (!line.program) {
    front.nested = compute::with_names(std::move(line.nested), front.computation.program);
    return front;
  }
  take_program(request, *line.program, front);
  front.nested = compute::with_names(std::move(line.nested), front.computation.program);
  return front;
}

std::string text_of(const Plans &plans, std::size_t number) {
  const contract::Price work{contract::Objective::Work};
  return fmt::format("# plan {}: {:.3g} operations; as it is written {:.3g}\n", number + 1,
                     contract::cost_of(plans.network, plans.found.plans[number].forest, work),
                     contract::cost_of(plans.network, plans.written.forest, work));
}

/// Stands the last term in the loops through the factor's entries? Else its sums have no place in a result
/// with these entries.
bool writes_at_entries_of(const contract::Forest &forest, const contract::Network &network,
                          std::size_t factor) {
  const std::size_t last = forest.terms.size() - 1;
  const auto has_term = [](const auto &self, const contract::Node &node, const auto &is_one) -> bool {
    return node.is_loop ? std::ranges::any_of(node.body, [&](auto &each) { return self(self, each, is_one); })
                        : is_one(node.number);
  };
  const auto reads = [&](std::size_t term) {
    return std::ranges::find(forest.terms[term].factors, factor) != forest.terms[term].factors.end();
  };
  contract::Set both = 0; // loops around the two
  const std::vector<contract::Node> *nodes = &forest.roots;
  while (nodes) {
    const auto loop = std::ranges::find_if(*nodes, [&](const contract::Node &node) {
      return node.is_loop && has_term(has_term, node, reads) &&
             has_term(has_term, node, [&](std::size_t term) { return term == last; });
    });
    if (loop != nodes->end()) both |= contract::bit(loop->number);
    nodes = loop == nodes->end() ? nullptr : &loop->body;
  }
  return (network.of(factor) & ~both) == 0;
}

/// Has a sparse factor one of the divisor's indices? Then it isn't multiplied by itself: it may be 0 where
/// nothing is stored, and so nothing is divided.
bool meets_sparse(const contract::Network &network, std::size_t divisor) {
  for (std::size_t k = 0; k < network.factors.size(); ++k)
    if (network.factors[k].is_sparse() && (network.of(k) & network.of(divisor)) != 0) return true;
  return false;
}

/// Is a sum over nothing never divided, and no quotient multiplied with one, where the divisor may be 0
/// because nothing is stored there? A term that reads such a sum is then executed where a factor with all of
/// the divisor's indices is stored.
bool divides_as_written(const contract::Forest &forest, const contract::Network &network,
                        std::size_t divisor) {
  for (std::size_t number = 0; number < forest.terms.size(); ++number) {
    if (!contract::has(contract::factors_below(forest, number), divisor)) continue;
    const contract::Term &term = forest.terms[number];
    const bool is_at_entries = std::ranges::any_of(term.factors, [&](std::size_t factor) {
      return network.factors[factor].is_sparse() && (network.of(divisor) & ~network.of(factor)) == 0;
    });
    const bool reads_sum = std::ranges::any_of(term.terms, [&](std::size_t read) {
      const contract::Set below = contract::factors_below(forest, read);
      return network.may_miss(below) && !contract::has(below, divisor);
    });
    if (reads_sum && !is_at_entries) return false;
  }
  return true;
}

double work_of(const Plans &plans, const contract::Forest &forest) {
  return contract::cost_of(plans.network, forest, {contract::Objective::Work});
}

/// Elements of buffers in front of all loops, which are set to begin with.
double cleared_by(const Plans &plans, const contract::Forest &forest) {
  double elements = 0;
  for (const contract::Buffer &buffer : contract::buffers_of(forest))
    if (buffer.shared == 0) elements += plans.network.elements(buffer.modes);
  return elements;
}

bool is_program(const Front &front, const Plans &plans, const contract::Plan &plan) {
  return planned_line(front, plans, plan).program.has_value();
}

/// Is it a kernel of its own, as far as is known before it is compiled? Terms that share loops over the
/// positions of several factors are no parts of one.
bool may_be_kernel(const Front &front, const Plans &plans, const contract::Plan &plan) {
  const compute::PlannedLine line = planned_line(front, plans, plan);
  const auto walks = [&](const std::string &tensor) {
    for (std::size_t k = 0; k < plans.walked.size(); ++k)
      if (plans.contraction.factors[k].tensor == tensor && plans.walked[k] != 0) return true;
    return false;
  };
  return (line.program || !line.nested.empty()) &&
         std::ranges::all_of(line.nested, [&](const compute::NestedTerms &nested) {
           if (!nested.is_product) return false;
           std::set<std::size_t> read; // a term may be the whole line, which has all accesses
           for (const contract::Term &term : nested.forest.terms)
             read.insert(term.factors.begin(), term.factors.end());
           return std::ranges::count_if(
                      read, [&](std::size_t factor) { return walks(nested.accesses[factor]); }) == 1;
         });
}

/// Has the forest no buffer but scalars and rows that stay in registers?
bool is_in_registers(const contract::Forest &forest, const contract::Network &network) {
  return std::ranges::all_of(contract::buffers_of(forest), [&](const contract::Buffer &buffer) {
    return buffer.modes == 0 || contract::is_kept_row(network, buffer.shared, buffer.modes);
  });
}

/// The first plan that is one product, whose loops the order of the line may have by itself, or none.
const contract::Plan *in_one_nest(const Front &front, const Plans &plans) {
  const auto found = std::ranges::find_if(
      plans.found.plans, [&](const contract::Plan &plan) { return !is_program(front, plans, plan); });
  return found == plans.found.plans.end() ? nullptr : &*found;
}

} // namespace

std::string join_name(std::string one, std::size_t mode, std::string other, std::size_t other_mode) {
  one += fmt::format(".{}", mode), other += fmt::format(".{}", other_mode);
  return fmt::format("{}*{}", std::min(one, other), std::max(one, other));
}

bool has_wishes(const parse::ScheduleTree &schedule) {
  return !schedule.order.empty() || !schedule.transformations.empty() || !schedule.loops.empty() ||
         !schedule.parallel.empty() || !schedule.fused.empty() || !schedule.reductions.empty() ||
         !schedule.finds.empty() || schedule.serial || schedule.wavefront || schedule.workspace ||
         schedule.reuse || schedule.drop;
}

std::string layout_of_buffer(const contract::Network &network, const contract::Buffer &buffer) {
  constexpr double least_hashed = 1 << 23; // elements: few of them are come to
  return network.elements(buffer.modes) < least_hashed ? layout_of_entries(std::popcount(buffer.modes))
                                                       : "hashed";
}

Front with_dense_result(Front front, const compute::Access &target) {
  layout::Layout dense =
      layout::load_layout(parse::parse_layout_reference(text_of("dense")), target.subscripts.size()).layout;
  front.layouts.insert_or_assign(target.tensor, std::move(dense));
  return front;
}

bool may_want_finite_values(const Front &front) {
  if (front.schedule.plan) return false;
  const compute::Program &program = front.computation.program;
  if (!program.locals.empty() || !program.local_tensors.empty()) return true;
  if (program.statements.front().is_free) return compute::has_contraction(program);
  const auto line = compute::as_dense_line(front.computation, front.types);
  return line && compute::has_contraction(line->program);
}

bool network_of(const Request &request, const Front &front, Plans &made, std::string &why) {
  const compute::Program &line = front.computation.program;
  std::optional<compute::Contraction> contraction = compute::contraction_of(line, why);
  if (!contraction) return false;
  const compute::Access &target = line.statements.front().target;
  const auto lender = std::ranges::find(contraction->factors, front.structure, &compute::Access::name);
  const auto lending = static_cast<std::size_t>(lender - contraction->factors.begin());
  const bool is_lent = lending < contraction->factors.size() && !contract::has(contraction->masks, lending);
  if (!is_lent && (!front.structure.empty() || !combine::has_slot_of_each(front.layouts.at(target.tensor)))) {
    why = fmt::format("`{}` is neither dense nor like a factor", target.tensor);
    return false;
  }
  for (std::size_t k = 0; k < contraction->factors.size(); ++k) {
    const compute::Access &access = contraction->factors[k];
    if (contract::has(contraction->masks, k)) continue;
    if (combine::has_slot_of_each(front.layouts.at(access.tensor))) continue;
    if (contract::has(contraction->divisors, k)) {
      why = fmt::format("the divisor `{}` is sparse", access.tensor);
      return false;
    }
    if (!compute::is_factor(line.statements.front(), access)) {
      why = fmt::format("what `{}` doesn't store is not what `{}` begins with", access.tensor,
                        value::laws_of(line.statements.front().by).name);
      return false;
    }
  }
  made.network = compute::network_of(line, *contraction);
  contract::Network &network = made.network;
  network.is_lent = is_lent;
  network.line = cost::thresholds_of(request.machine).line;
  for (std::size_t index = 0; index < network.indices.size(); ++index)
    network.indices[index].size = size_of(network, index, *contraction, target, request, front);
  made.walked.resize(network.factors.size());
  for (std::size_t k = 0; k < network.factors.size(); ++k)
    take_stored(network.factors[k], made.walked[k], contraction->factors[k], network, request, front);
  for (std::size_t k = 0; k < network.factors.size(); ++k)
    if (network.factors[k].divides && meets_sparse(network, k))
      network.factors[k].role = contract::Factor::Role::Beside;
  network.joins = joins_of(network, *contraction, request);
  if (std::popcount(network.parts()) < 2) {
    why = "it has fewer than two factors beside its divisors";
    return false;
  }
  made.contraction = std::move(*contraction);
  return true;
}

void search_plans(const Front &front, std::size_t most, Plans &made, double seconds) {
  const prove::Budget budget(seconds);
  const contract::Network &network = made.network;
  const bool is_lent = network.is_lent;
  const auto lender = std::ranges::find(made.contraction.factors, front.structure, &compute::Access::name);
  const auto lending = static_cast<std::size_t>(lender - made.contraction.factors.begin());
  contract::SearchOptions options;
  options.is_spent = [&] { return budget.is_spent(); };
  constexpr std::size_t of_all = 8; // plans so many fit the structure of a factor, or divide as the line does
  const auto is_beside = [](const contract::Factor &factor) {
    return factor.role == contract::Factor::Role::Beside;
  };
  const bool has_beside = std::ranges::any_of(network.factors, is_beside);
  const auto found_by = [&](contract::Objective objective, std::size_t number) {
    options.price.objective = objective;
    options.plans = is_lent || has_beside ? of_all * number : number;
    contract::Found found = contract::search(network, options);
    if (is_lent)
      std::erase_if(found.plans, [&](const contract::Plan &plan) {
        return !writes_at_entries_of(plan.forest, network, lending) || is_program(front, made, plan);
      });
    if (has_beside)
      std::erase_if(found.plans, [&](const contract::Plan &plan) {
        for (std::size_t factor = 0; factor < network.factors.size(); ++factor)
          if (is_beside(network.factors[factor]) && !divides_as_written(plan.forest, network, factor))
            return true;
        return false;
      });
    if (found.plans.size() > number) found.plans.resize(number);
    return found;
  };
  made.found = found_by(contract::Objective::Time, most);
  made.written.forest = contract::as_written(network);
  made.written.cost = contract::cost_of(network, made.written.forest, {contract::Objective::Time});
  made.least_work = work_of(made, made.written.forest);
  for (const contract::Plan &plan : made.found.plans)
    made.least_work = std::min(made.least_work, work_of(made, plan.forest));
  options.less_than = made.least_work;
  for (const contract::Plan &plan : found_by(contract::Objective::Work, 1).plans)
    made.least_work = std::min(made.least_work, plan.cost);
}

std::optional<Plans> plans_of(const Request &request, const Front &front, std::size_t most,
                              std::string &why) {
  Plans made;
  if (!network_of(request, front, made, why)) return std::nullopt;
  search_plans(front, most, made, request.budget / 4); // other searches may follow, and the kernel itself
  return made;
}

compute::PlannedLine planned_line(const Front &front, const Plans &plans, const contract::Plan &plan) {
  return compute::with_plan(front.computation.program, plans.contraction, plans.network, plan.forest,
                            plans.walked);
}

double most_work_of(const Front &front, const Plans &plans, double least) {
  const double written = work_of(plans, plans.written.forest), usual = cost::most_work * least;
  double cost = std::numeric_limits<double>::infinity(); // of those that do no more than usual
  if (written <= usual) cost = plans.written.cost;
  for (const contract::Plan &plan : plans.found.plans)
    if (plan.cost < cost && work_of(plans, plan.forest) <= usual && may_be_kernel(front, plans, plan))
      cost = plan.cost;
  const auto saves_time = [&](double of, double work) {
    return work > usual && work <= cost::most_work_for_time * least &&
           of * work <= cost * least; // also where nothing else is known
  };
  const bool written_saves = saves_time(plans.written.cost, written);
  for (const contract::Plan &plan : plans.found.plans) { // the cheapest first
    if (written_saves && plans.written.cost <= plan.cost) break;
    const double work = work_of(plans, plan.forest);
    if (saves_time(plan.cost, work) && may_be_kernel(front, plans, plan)) return work;
  }
  return written_saves ? written : usual;
}

const contract::Plan &cheapest_of(const Front &front, const Plans &plans) {
  const double most = most_work_of(front, plans, plans.least_work);
  const bool may_be_written = work_of(plans, plans.written.forest) <= most;
  for (const contract::Plan &plan : plans.found.plans) {
    if (may_be_written && plans.written.cost <= plan.cost) break;
    if (work_of(plans, plan.forest) <= most && may_be_kernel(front, plans, plan)) return plan;
  }
  return plans.written;
}

std::optional<std::size_t> choice_of(const Front &front, const Plans &plans) {
  const std::vector<contract::Plan> &all = plans.found.plans;
  const double most = most_work_of(front, plans, plans.least_work);
  const auto best = std::ranges::find_if(all, [&](const contract::Plan &plan) {
    return is_program(front, plans, plan) && work_of(plans, plan.forest) <= most &&
           may_be_kernel(front, plans, plan);
  });
  if (best == all.end() || best->cost > cost::worth * plans.written.cost) return std::nullopt;
  const contract::Plan *one_nest = in_one_nest(front, plans);
  if (one_nest && cost::worth * one_nest->cost <= best->cost) return std::nullopt;
  return static_cast<std::size_t>(best - all.begin());
}

std::vector<std::size_t> choices_beside(const Front &front, const Plans &plans, const contract::Forest &own) {
  const double own_cost = contract::cost_of(plans.network, own, {}), own_work = work_of(plans, own);
  const double most = most_work_of(front, plans, std::min(plans.least_work, own_work));
  const bool is_too_much = own_work > most;
  std::vector<std::size_t> choices, others; // these do too much, too, but less
  for (std::size_t number = 0; number < plans.found.plans.size(); ++number) {
    const contract::Plan &plan = plans.found.plans[number];
    if (!is_too_much && plan.cost > cost::worth_in_registers * own_cost) break;
    if (!is_too_much && plan.cost > cost::worth * own_cost && !is_in_registers(plan.forest, plans.network))
      continue;
    const double work = work_of(plans, plan.forest);
    if (is_too_much && work + cleared_by(plans, plan.forest) >= own_work) continue;
    if (work > most && !is_too_much) continue;
    if (may_be_kernel(front, plans, plan)) (work <= most ? choices : others).push_back(number);
  }
  std::ranges::stable_sort(
      others, {}, [&](std::size_t number) { return work_of(plans, plans.found.plans[number].forest); });
  choices.insert(choices.end(), others.begin(), others.end());
  return choices;
}

Front with_plan(const Request &request, const Front &front, const Plans &plans, std::size_t number) {
  Front made =
      planned(request, front, planned_line(front, plans, plans.found.plans[number]), text_of(plans, number));
  made.plan = number;
  return made;
}

std::optional<Plans> plans_to_choose_from(const Request &request, const Front &front) {
  std::string why;
  if (!front.nested.empty()) return std::nullopt;
  if (const std::optional<parse::ScheduleTree::Plan> &asked = front.schedule.plan) {
    if (asked->number < 1) return std::nullopt;
    const std::size_t most = std::min(static_cast<std::size_t>(asked->number), most_plans);
    return plans_of(request, front, std::max(most, plans_looked_at), why);
  }
  if (has_wishes(front.schedule)) return std::nullopt;
  std::optional<Plans> plans;
  for (std::size_t most = plans_looked_at; most <= most_plans; most *= 10) {
    plans = plans_of(request, front, most, why);
    const auto saves_work = [&](const contract::Plan &plan) {
      return work_of(*plans, plan.forest) <= cost::most_work * plans->least_work &&
             may_be_kernel(front, *plans, plan);
    };
    const std::size_t factors = plans ? plans->network.factors.size() : 0;
    const bool takes_long =
        factors > 6 || (factors > 4 && most > plans_looked_at); // to find ten times as many
    if (!plans || takes_long || plans->found.plans.size() < most ||
        std::ranges::any_of(plans->found.plans, saves_work) ||
        work_of(*plans, plans->written.forest) <= cost::most_work * plans->least_work)
      break;
  }
  return plans;
}

std::optional<Front> with_plan(const Request &request, const Front &front,
                               const std::optional<Plans> &plans) {
  const std::optional<parse::ScheduleTree::Plan> &asked = front.schedule.plan;
  if (!asked) {
    const std::optional<std::size_t> number = plans ? choice_of(front, *plans) : std::nullopt;
    return number ? std::optional(with_plan(request, front, *plans, *number)) : std::nullopt;
  }
  if (asked->number < 1 || !front.nested.empty()) return std::nullopt;
  if (!plans) {
    std::string why;
    plans_of(request, front, 1, why);
    report::fail(Kind::not_supported, asked->span, fmt::format("`plan {}`: {}", asked->number, why),
                 "leave it out: there are no plans to choose from");
  }
  const auto number = static_cast<std::size_t>(asked->number) - 1;
  if (plans->found.plans.size() <= number)
    report::fail(Kind::not_supported, asked->span,
                 fmt::format("`plan {}`: there are {} plans", asked->number, plans->found.plans.size()),
                 "`unravel plan` lists them");
  const compute::PlannedLine line = planned_line(front, *plans, plans->found.plans[number]);
  if (!line.program && line.nested.empty()) return std::nullopt;
  return with_plan(request, front, *plans, number);
}

} // namespace unravel::pipeline
