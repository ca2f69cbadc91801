#include "pipeline/term_plans.h"

#include "combine/structure.h"
#include "compute/as_line.h"
#include "compute/build_tree.h"
#include "machine/stopwatch.h"
#include "pipeline/plans.h"
#include "pipeline/types.h"
#include "prove/budget.h"
#include "text/contains.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iterator>

namespace unravel::pipeline {

namespace {

using compute::ResultLocal;
using compute::Statement;
using parse::StatementTree;

std::size_t statements_in(const std::vector<StatementTree> &body) {
  std::size_t count = 0;
  for (const StatementTree &each : body)
    count += each.body.empty() ? 1 : statements_in(each.body);
  return count;
}

/// What plans make of one term.
struct Made {
  std::vector<StatementTree> before, inside; // of the loops around the local
  std::vector<compute::NestedTerms> nested;
  std::map<std::string, std::string> layouts;
};

class TermPlanner {
public:
  TermPlanner(const Request &request, const Front &front, const ResultLocal *local)
      : request_(request), front_(front), local_(local) {
    for (const compute::TensorUse &use : front.computation.tensors)
      taken_.push_back(use.name);
    taken_.insert(taken_.end(), front.computation.indices.begin(), front.computation.indices.end());
    taken_.insert(taken_.end(), front.other_formats.begin(), front.other_formats.end());
    if (local) taken_.push_back(local->tensor);
  }

  TermPlans all() {
    TermPlans made;
    const prove::Budget budget(request_.budget);
    const std::vector<Statement> &terms = front_.computation.program.statements;
    std::size_t before = local_ || terms.front().accumulate ? 0 : 1; // statements
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (budget.is_spent()) { // the others stay as they are written
        made.why += fmt::format("# no plans of {} terms: the budget is spent\n", terms.size() - k);
        break;
      }
      std::optional<Made> planned = plan(k, before, made.why);
      before += planned ? statements_in(planned->inside) : 1;
      if (!planned) continue;
      compute::append(made.statements.before, std::move(planned->before));
      made.statements.terms.emplace(k, std::move(planned->inside));
      std::ranges::move(planned->nested, std::back_inserter(made.nested));
      made.layouts.merge(planned->layouts);
    }
    return made;
  }

private:
  /// `before`: so many statements stand before it in the program.
  std::optional<Made> plan(std::size_t number, std::size_t before, std::string &why) {
    const Front term = front_of(number);
    std::optional<Plans> plans = plans_for(term);
    if (!plans) return std::nullopt;
    const std::optional<std::size_t> choice = choice_of(term, *plans);
    if (!choice) return std::nullopt;
    const contract::Plan &plan = plans->found.plans[*choice];
    std::optional<Made> made = made_of(term, *plans, plan, before);
    for (const contract::Buffer &buffer : contract::buffers_of(plan.forest))
      taken_.push_back(contract::buffer_name(plans->network, buffer.term));
    const contract::Price work{contract::Objective::Work};
    why += fmt::format("# `{}` by a plan: {:.3g} operations; as it is written {:.3g}\n",
                       compute::to_text(front_.computation.program.statements[number].value),
                       contract::cost_of(plans->network, plan.forest, work),
                       contract::cost_of(plans->network, plans->written.forest, work));
    return made;
  }

  /// The term alone, as a line that adds to a dense result.
  Front front_of(std::size_t number) const {
    Front term = front_;
    Statement statement = front_.computation.program.statements[number];
    statement.accumulate = true;
    if (local_ && local_->is_masked) { // what becomes of the local is masked
      statement.masks.clear();
      statement.condition = term::truth();
    }
    term.structure.clear();
    term = with_dense_result(std::move(term), statement.target);
    term.computation.program.statements = {std::move(statement)};
    return term;
  }

  std::optional<Plans> plans_for(const Front &term) const {
    const auto with_names = [&](std::optional<Plans> plans) {
      if (plans) plans->network.taken.insert(plans->network.taken.end(), taken_.begin(), taken_.end());
      return plans;
    };
    if (!local_) return with_names(plans_to_choose_from(request_, term));
    std::optional<Plans> plans;
    std::string why;
    for (std::size_t most = plans_looked_at; most <= 10 * plans_looked_at; most *= 10) {
      plans = with_names(plans_of(request_, term, most, why));
      if (!plans) return std::nullopt;
      std::erase_if(plans->found.plans,
                    [&](const contract::Plan &plan) { return !made_of(term, *plans, plan, 0); });
      if (!plans->found.plans.empty()) break;
    }
    plans->least_work = contract::cost_of(plans->network, plans->written.forest, {contract::Objective::Work});
    for (const contract::Plan &plan : plans->found.plans)
      plans->least_work = std::min(
          plans->least_work, contract::cost_of(plans->network, plan.forest, {contract::Objective::Work}));
    return plans;
  }

  /// Nothing where the local can't have it so.
  std::optional<Made> made_of(const Front &term, const Plans &plans, const contract::Plan &plan,
                              std::size_t before) const {
    compute::Program line = term.computation.program;
    Made made;
    if (local_) {
      if (!list_entries(plans, plan, made)) return std::nullopt;
      compute::Access &target = line.statements.front().target;
      std::erase_if(target.subscripts, [&](const compute::Subscript &subscript) {
        return !contains(local_->modes, subscript.index);
      });
      target.tensor = local_->tensor;
    }
    compute::PlannedBody planned =
        compute::planned_body(line, plans.contraction, plans.network, plan.forest, plans.walked, before);
    made.inside = std::move(planned.body);
    made.nested = std::move(planned.nested);
    if (local_ && (!made.nested.empty() || !take_out_of_loops(made))) return std::nullopt;
    return made;
  }

  /// Says which buffers list their entries. False where one would have to that has several modes, or stands
  /// outside of the loops around the local.
  bool list_entries(const Plans &plans, const contract::Plan &plan, Made &made) const {
    const contract::Network &network = plans.network;
    contract::Set around = 0;
    for (std::size_t index = 0; index < network.indices.size(); ++index)
      if (contains(local_->around, network.indices[index].name)) around |= contract::bit(index);
    for (const contract::Buffer &buffer : contract::buffers_of(plan.forest)) {
      if (!network.may_miss(contract::factors_below(plan.forest, buffer.term))) continue;
      if (!std::has_single_bit(buffer.modes) || (around & ~buffer.shared) != 0) return false;
      made.layouts.emplace(contract::buffer_name(network, buffer.term), layout_of_buffer(network, buffer));
    }
    return true;
  }

  /// Of the last statement, which is the loops around the local, only what they go through is left inside.
  bool take_out_of_loops(Made &made) const {
    if (local_->around.empty()) return true;
    made.before = std::move(made.inside);
    made.inside.clear();
    if (made.before.empty()) return false;
    made.inside.push_back(std::move(made.before.back()));
    made.before.pop_back();
    for (const std::string &variable : local_->around) {
      StatementTree loop = std::move(made.inside.front());
      if (made.inside.size() != 1 || loop.kind != StatementTree::Kind::For || loop.variable.text != variable)
        return false;
      made.inside = std::move(loop.body);
    }
    return true;
  }

  const Request &request_;
  const Front &front_;
  const ResultLocal *local_;
  std::vector<std::string> taken_; // names
};

/// The front with the line that the loops say, where it has loops; nothing where they say more. None of a
/// line that is one product, either: its plans are those of the line (pipeline/plans.h).
std::optional<Front> line_of(const Request &request, const Front &front) {
  const std::vector<Statement> &statements = front.computation.program.statements;
  if (statements.front().is_free) return statements.size() > 1 ? std::optional(front) : std::nullopt;
  std::optional<compute::Computation> line;
  if (!front.is_planned && front.why.empty() && !front.schedule.plan && !has_wishes(front.schedule))
    line = compute::as_dense_line(front.computation, front.types);
  if (!line || !compute::has_contraction(line->program)) return std::nullopt;
  Front made = front;
  made.line = compute::text_of_line(line->program);
  made.computation = std::move(*line);
  settle_types(request, made);
  return made;
}

} // namespace

TermPlans plans_of_terms(const Request &request, const Front &front, const ResultLocal *local) {
  if (front.schedule.plan || has_wishes(front.schedule)) return {};
  return TermPlanner(request, front, local).all();
}

std::optional<Front> with_planned_terms(const Request &request, const Front &front) {
  machine::Stopwatch watch;
  const std::string result = front.computation.program.statements.front().target.tensor;
  const auto layout = front.layouts.find(result); // of a scalar or a local that a program begins with none
  if (!front.structure.empty() || layout == front.layouts.end() || !combine::has_slot_of_each(layout->second))
    return std::nullopt;
  std::optional<Front> made = line_of(request, front);
  if (!made || !compute::may_have_result_local(made->computation.program)) return std::nullopt;
  TermPlans planned = plans_of_terms(request, *made, nullptr);
  if (planned.empty()) return std::nullopt;
  const compute::Program &line = made->computation.program;
  const parse::ProgramTree tree = compute::with_planned_terms(line, std::move(planned.statements));
  made->why = std::move(planned.why);
  made->computation.text = front.computation.text;
  take_program(request, tree, *made);
  made->nested = compute::with_names(std::move(planned.nested), made->computation.program);
  made->milliseconds += watch.milliseconds();
  return made;
}

} // namespace unravel::pipeline
