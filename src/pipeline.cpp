// The table of contents of the compiler: the steps in their order, each timed and printed.
#include "pipeline.h"

#include "choose/asked.h"
#include "choose/assembled.h"
#include "choose/merge.h"
#include "choose/parallel.h"
#include "choose/statements.h"
#include "choose/threads.h"
#include "choose/wavefronts.h"
#include "combine/forward.h"
#include "combine/repeated.h"
#include "combine/structure.h"
#include "cost/thresholds.h"
#include "find/planner.h"
#include "layout/layout.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "pipeline/brackets.h"
#include "pipeline/conversions.h"
#include "pipeline/excess.h"
#include "pipeline/leaf.h"
#include "pipeline/loops.h"
#include "pipeline/own_plan.h"
#include "pipeline/packed.h"
#include "pipeline/plans.h"
#include "pipeline/read_first.h"
#include "pipeline/reuse.h"
#include "pipeline/steps.h"
#include "pipeline/summed_first.h"
#include "pipeline/term_plans.h"
#include "pipeline/weighed.h"
#include "pipeline/words_of_user.h"
#include "report/diagnostic.h"
#include "scan/tree.h"
#include "schedule/determination.h"
#include "schedule/sequence.h"
#include "schedule/supports.h"
#include "schedule/transform.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace unravel::pipeline {

using report::Kind;

namespace {

find::Requests find_requests(const parse::ScheduleTree &schedule) {
  static const std::map<std::string, plan::Method> methods = {
      {"direct", plan::Method::Direct},  {"probe", plan::Method::Probe},
      {"seq", plan::Method::Sequential}, {"gallop", plan::Method::Galloping},
      {"binary", plan::Method::Binary},  {"hash", plan::Method::Hash},
      {"map", plan::Method::Map},        {"scan", plan::Method::Scan}};
  find::Requests requests;
  for (const parse::ScheduleTree::Find &find : schedule.finds) {
    if (find.method.text == "auto") continue;
    requests.insert_or_assign(
        find.target.text, // the parser knows the names of methods
        find::Request(methods.at(find.method.text), find.target.span, find.method.span));
  }
  return requests;
}

/// What is left of the request's budget behind reading it.
std::shared_ptr<prove::Budget> budget_of(const Request &request, const Front &front) {
  if (request.budget <= 0) return std::make_shared<prove::Budget>();
  return std::make_shared<prove::Budget>(std::max(request.budget - front.milliseconds * 1e-3, 1e-9));
}

void note_not_tried(Compilation &result, const Request &request, const prove::Budget &budget, Steps &steps) {
  result.not_tried = budget.left_out();
  if (result.not_tried.empty()) return;
  result.warnings.push_back(prove::notice_of(result.not_tried, request.budget));
  steps.add("not tried", 0, [&] { return fmt::format("{}\n", fmt::join(result.not_tried, "\n")); });
}

constexpr const char *masked_local_text =
    "; products are added without asking the mask, at which the local is set before and read behind them";

value::Type type_of_result(const Front &front) {
  return front.types.at(front.computation.tensors.front().name);
}

using Distrusted = std::set<std::string>; // properties, as "A: increasing rowptr"

std::string name_of(const std::string &tensor, const layout::Property &property) {
  return fmt::format("{}: {}", tensor, property.axiom.text);
}

/// The layout without the properties of the tensor that are distrusted, with the lemmas that still follow;
/// nothing where all are trusted.
std::optional<layout::Layout> weaker_layout(const std::string &tensor, const layout::Layout &layout,
                                            const Distrusted &distrusted) {
  layout::Layout weaker = layout;
  if (std::erase_if(weaker.properties,
                    [&](auto &each) { return distrusted.count(name_of(tensor, each)) > 0; }) == 0)
    return std::nullopt;
  weaker.lemmas.clear();
  layout::derive_lemmas(weaker);
  return weaker;
}

/// The axioms without the properties that are distrusted and the lemmas that don't follow without these.
void leave_out(combine::Combination &combination, const Distrusted &distrusted) {
  Distrusted dropped = distrusted;
  for (const combine::Binding &binding : combination.bindings) {
    std::optional<layout::Layout> weaker = weaker_layout(binding.tensor, binding.layout, dropped);
    if (!weaker) continue;
    for (const layout::Property &lemma : binding.layout.lemmas)
      if (std::none_of(weaker->lemmas.begin(), weaker->lemmas.end(),
                       [&](auto &each) { return each.axiom.text == lemma.axiom.text; }))
        dropped.insert(name_of(binding.tensor, lemma));
  }
  std::erase_if(combination.axioms, [&](const prove::Axiom &axiom) { return dropped.count(axiom.text) > 0; });
}

/// An operand's structure must be one without the properties that are distrusted too.
void check_structure(const Front &front, const Distrusted &distrusted) {
  std::map<std::string, layout::Layout> layouts = front.layouts;
  bool news = false;
  for (auto &[tensor, layout] : layouts)
    if (std::optional<layout::Layout> weaker = weaker_layout(tensor, layout, distrusted))
      layout = std::move(*weaker), news = true;
  if (news) combine::structure_like(front.computation, layouts, *front.like);
}

/// Of several leaves those that the properties exclude: of a symmetric matrix times itself, what is stored on
/// one side and meant on the other. (What is empty without a property isn't there any more.)
/// `before`: the same leaves before they were transformed.
void drop_excluded(combine::Combination &combination, std::vector<combine::IterationSpace> &before,
                   prove::Prover &prover) {
  if (combination.leaves.size() < 2) return;
  prove::Prover::Optional optional(prover, "whether some of the products are empty");
  for (std::size_t k = combination.leaves.size(); k-- > 0;)
    if (prover.refute("empty leaf", "", term::conjuncts(combination.leaves[k].relation)) ==
        prove::Answer::Refuted) {
      combination.leaves.erase(combination.leaves.begin() + static_cast<std::ptrdiff_t>(k));
      before.erase(before.begin() + static_cast<std::ptrdiff_t>(k));
      for (combine::Clear &clear : combination.clears)
        if (clear.before > k) --clear.before;
    }
}

std::string conversions_text(const Compilation &compilation) {
  std::string text;
  for (const auto &[tensor, given] : compilation.converted)
    text += fmt::format("{}: from {} to {}, before the kernel is called\n", tensor, given.name,
                        compilation.layouts.at(tensor).name);
  return text;
}

std::string to_text(const PackedResults &packed) {
  std::string text;
  for (const auto &[tensor, result] : packed)
    text += fmt::format("{} is listed by the kernel, then packed: {}\n", tensor, result.why.message);
  return text;
}

std::vector<scan::Node> nest_tree(const Compilation &made) {
  std::vector<scan::Nested> statements;
  for (std::size_t k = 0; k < made.leaves.size(); ++k)
    statements.push_back({k, &made.combination.leaves[k], &made.leaves[k].plan.nest,
                          made.combination.loops_of_rounds(made.combination.leaves[k])});
  return scan::nest_tree(statements);
}

/// Do the loops of all statements that reduce go through the result's indices first?
bool are_by_rows(const std::vector<Leaf> &leaves, const parse::AssignmentTree &line) {
  const std::vector<parse::Expression> &indices = line.target.children;
  return std::ranges::all_of(leaves, [&](const Leaf &leaf) {
    const std::vector<scan::Level> &levels = leaf.plan.nest.levels;
    return levels.size() >= indices.size() &&
           std::all_of(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(indices.size()),
                       [&](const scan::Level &level) {
                         return level.kind == scan::Level::Kind::Loop &&
                                std::ranges::any_of(indices, [&](const parse::Expression &index) {
                                  return index.name.text == level.variable;
                                });
                       });
  });
}

/// Where there are locals that list their entries.
void merge_loops(Compilation &made, Steps &steps) {
  std::vector<plan::LeafPlan *> plans;
  for (Leaf &leaf : made.leaves)
    plans.push_back(&leaf.plan);
  steps.run(
      "merges", [&] { return choose::merge_loops(made.combination, plans, nest_tree(made), *made.prover); },
      [](const std::vector<choose::MergedLocal> &locals) { return choose::to_text(locals); });
}

/// Are all contractions in shared loops what the plan wants them to be? Else they are one product.
bool has_all_parts(const Compilation &made, const Front &planned) {
  const auto parts =
      std::ranges::count_if(made.leaves, [](const Leaf &leaf) { return leaf.plan.has_planned_parts(); });
  return static_cast<std::size_t>(parts) == planned.nested.size();
}

/// The line by the first of these plans that has all of its parts.
std::optional<Compilation> with_one_of(const std::vector<std::size_t> &numbers, const Request &request,
                                       const Front &front, const Plans &plans) {
  constexpr std::size_t most = 8; // each is compiled
  for (std::size_t k = 0; k < std::min(numbers.size(), most); ++k) {
    const Front planned = with_plan(request, front, plans, numbers[k]);
    Compilation made = compile(request, planned);
    if (has_all_parts(made, planned)) return made;
  }
  return std::nullopt;
}

/// The line by another plan, where its own loops, which are planned, are clearly worse.
std::optional<Compilation> with_better_plan(const Request &request, const Front &front,
                                            const std::optional<Plans> &plans, const Compilation &own) {
  if (!plans || front.schedule.plan || own.leaves.size() != 1 || own.combination.has_loops())
    return std::nullopt;
  const contract::Forest forest = own_forest(*plans, own.leaves.front().plan).value_or(plans->written.forest);
  return with_one_of(choices_beside(front, *plans, forest), request, front, *plans);
}

/// A request that names neither a find nor a tensor is a misspelling.
void check_names_of_finds(const find::Requests &requests, const std::vector<std::string> &findable,
                          const Compilation &made) {
  std::vector<std::string> tensors;
  for (const compute::TensorUse &use : made.computation.tensors)
    tensors.push_back(use.name);
  for (const combine::LocalTensor &local : made.combination.locals)
    tensors.push_back(local.tensor);
  for (const auto &[name, request] : requests)
    if (std::ranges::count(findable, name) == 0 &&
        std::ranges::count(tensors, name.substr(0, name.find_first_of(".#"))) == 0)
      report::fail(report::Kind::unknown_tensor, request.name_span,
                   fmt::format("`{}` names no tensor of the expression", name),
                   fmt::format("it has `{}`", fmt::join(tensors, "`, `")));
}

} // namespace

double Compilation::milliseconds() const {
  double sum = 0;
  for (const Stage &stage : stages)
    sum += stage.milliseconds;
  return sum;
}

std::vector<const plan::LeafPlan *> Compilation::plans() const {
  std::vector<const plan::LeafPlan *> plans;
  for (const Leaf &leaf : leaves)
    plans.push_back(&leaf.plan);
  return plans;
}

bool Compilation::has_scans() const {
  return std::ranges::any_of(leaves, [](const Leaf &leaf) {
    return std::ranges::any_of(leaf.plan.finds.levels, [](const plan::LevelPlan &level) {
      return level.method() == plan::Method::Scan;
    });
  });
}

bool Compilation::has_merged_loops() const {
  return std::ranges::any_of(leaves, [](const Leaf &leaf) { return leaf.plan.merged.has_value(); });
}

void Compilation::take_stage(const std::string &name, const Compilation &other) {
  const auto stage = std::ranges::find(other.stages, name, &Stage::name);
  if (stage != other.stages.end()) stages.push_back(*stage);
}

Compilation compile(const Request &request) {
  return compile(request, read_request(request));
}

static Compilation compile_front(const Request &request, const Front &front,
                                 const std::optional<Plans> &plans) {
  if (const std::optional<Front> planned = with_plan(request, front, plans)) {
    Compilation made = compile(request, *planned);
    if (front.schedule.plan || has_all_parts(made, *planned)) return made;
  }
  if (const std::optional<Front> terms = with_planned_terms(request, front)) return compile(request, *terms);
  if (const std::optional<Front> other = for_sparse_result(request, front)) return compile(request, *other);
  if (const std::optional<Front> sums = with_sums_first(request, front))
    if (auto made = report::unless_refused([&] { return compile(request, *sums); })) return std::move(*made);
  if (front.schedule.reuse) return compile_for_reuse(request, front);
  Compilation result;
  Steps steps(result.stages, request.details);
  auto no_text = [](const auto &) { return std::string(); };

  using Gathers = emit::EmitOptions::Gathers;
  if (request.machine != machine::portable())
    result.gathers = machine::gathers_pay(request.machine) ? Gathers::Always : Gathers::Never;

  parse::ScheduleTree schedule = front.schedule;
  find::Requests requests = find_requests(schedule);

  result.computation = front.computation;
  result.layouts = front.layouts;
  result.packed = front.packed;
  result.converted = front.converted;
  result.structure = front.structure;
  result.plan = front.plan;
  result.warnings = front.warnings;
  const auto line_text = [&] { return compute::text_of_line(front.computation.program); };
  const auto add_line = [&] {
    if (!front.line.empty()) steps.add("line", 0, [&] { return front.line; });
  };
  if (!front.why.empty()) add_line(); // of which the program was made
  if (!front.program.empty() || front.plan)
    steps.add(front.is_planned && !front.plan ? "program by plans" : "program", 0,
              [&] { return front.why + (front.program.empty() ? line_text() : front.program); });
  if (front.why.empty()) add_line();
  if (!front.converted.empty()) steps.add("conversions", 0, [&] { return conversions_text(result); });
  if (!front.packed.empty()) steps.add("packed results", 0, [&] { return to_text(front.packed); });
  steps.add("layouts and computation", front.milliseconds,
            [&] { return compute::to_text(result.computation.program); });

  result.combination = steps.run(
      "iteration space",
      [&] {
        return front.is_planned ? combine::combine_planned(result.computation, result.layouts)
                                : combine::combine(result.computation, result.layouts, result.structure);
      },
      [](const combine::Combination &made) { return combine::to_text(made); });
  Distrusted distrusted(request.distrusted.begin(), request.distrusted.end());
  const auto local_in = [&](std::size_t most_loops) {
    return schedule.order.empty() && schedule.transformations.empty()
               ? choose::local_for_result(result.combination, result.computation, request.counts, most_loops)
               : std::nullopt;
  };
  const std::optional<compute::ResultLocal> local = local_in(std::string::npos);
  report::Diagnostic refused;
  const auto with = [&](const compute::ResultLocal &made_of, const std::string &why) {
    const auto compiled_with = [&](const compute::ResultLocal &each) {
      return report::unless_refused(
          [&] { return compile(request, with_result_local(request, front, each, why)); }, &refused);
    };
    auto made = compiled_with(made_of);
    if (!made && refused.kind != Kind::entries_out_of_order) throw report::Error(refused);
    // In loops around the local operands may have to be scanned, which only the proofs tell.
    for (compute::ResultLocal fewer = made_of; made && !fewer.around.empty() && made->has_scans();) {
      fewer = *local_in(fewer.around.size() - 1);
      if (auto other = compiled_with(fewer);
          other &&
          choose::most_overhead * visits_of(*other, request.counts) < visits_of(*made, request.counts))
        made = std::move(other);
    }
    return made;
  };
  const auto with_local = [&](const std::string &why) { return with(*local, why); };
  // Loops that fill a list may be merged; where they aren't, others than lists need no sorting.
  const auto with_merged = [&](const std::string &why) {
    const std::optional<compute::ResultLocal> list = choose::local_to_merge(*local);
    if (!list) return with_local(why);
    auto merged = with(*list, why);
    if (merged && merged->has_merged_loops()) return merged;
    auto made = with_local(why);
    if (made && merged) made->take_stage("merges", *merged);
    return made;
  };
  const auto collected = [&](const combine::IterationSpace &space, const std::string &why) {
    return compile_collected(request, front, space, why, refused);
  };
  if (local && choose::adds_several_products(result.combination))
    if (auto made = with_merged(choose::why_united)) return std::move(*made);
  const compute::Program &source = result.computation.program;
  if (const auto check = [&] { return choose::check_assembled(result.combination, source), 0; };
      !report::unless_refused(check, &refused)) {
    if (const combine::IterationSpace *again = choose::appended_again(result.combination, source))
      return collected(*again, again->target.tensor + " is a sum of several products");
    throw report::Error(refused);
  }
  leave_out(result.combination, distrusted);
  if (front.like) check_structure(front, distrusted);
  const std::vector<prove::Axiom> &axioms = result.combination.axioms;
  const std::shared_ptr<prove::Budget> budget = budget_of(request, front);
  auto make_prover = [&] {
    result.prover = steps.run(
        "prover", [&] { return std::make_shared<prove::Prover>(axioms, prove::default_rlimit, budget); },
        no_text);
  };
  const bool details =
      request.details || !schedule.parallel.empty() || !schedule.fused.empty() || !schedule.loops.empty();
  std::vector<combine::IterationSpace> &spaces = result.combination.leaves;
  const bool repeats = std::any_of(spaces.begin(), spaces.end(), combine::repeats_access);
  make_prover();
  choose::require_places(spaces, *result.prover);
  if (repeats)
    steps.run(
        "repeated accesses",
        [&] {
          prove::Prover::Optional optional(*result.prover, "whether repeated accesses read one entry");
          for (combine::IterationSpace &space : spaces)
            combine::share_positions(space, *result.prover);
          return &result.combination;
        },
        [](const combine::Combination *made) { return combine::to_text(*made); });
  for (combine::IterationSpace &space : spaces)
    if (space.variables().size() > schedule::most_variables) combine::use_coordinates(space);
  if (const auto other = with_searched_masks(front, spaces, *result.prover)) return compile(request, *other);
  if (result.combination.has_loops()) {
    prove::Prover &prover = *result.prover;
    steps.run(
        "statements",
        [&] {
          schedule::free_loops(result.combination, prover);
          schedule::distribute(result.combination, request.counts, prover);
          schedule::free_loops(result.combination, prover);
          schedule::share_supports(result.combination, schedule, request.counts, prover);
          return &result.combination;
        },
        [](const combine::Combination *made) { return combine::to_text(*made); });
  }
  auto leave_out_empty_loops = [&] {
    schedule =
        schedule::without_empty_loops(std::move(schedule), result.computation.indices, result.combination);
  };
  leave_out_empty_loops();
  choose::check_rounds(schedule, result.combination);
  schedule = choose::with_fused_parallel(std::move(schedule), result.combination);
  std::vector<combine::IterationSpace> untransformed = result.combination.leaves;
  machine::Stopwatch transforming;
  schedule::transform(result.combination, schedule);
  schedule::transform_shared(result.combination, schedule);
  if (!schedule.transformations.empty())
    steps.add("transformations", transforming.milliseconds(),
              [&] { return combine::to_text(result.combination); });
  // A fixed extent changes axioms.
  if (!schedule.transformations.empty()) make_prover();

  drop_excluded(result.combination, untransformed, *result.prover);
  leave_out_empty_loops(); // also what a `bound` has emptied

  const cost::Thresholds thresholds = cost::thresholds_of(request.machine);
  LeafPlanner planner({request, result.combination, untransformed, schedule, requests, *result.prover,
                       thresholds, details, front});
  for (std::size_t k = 0; k < result.combination.leaves.size(); ++k)
    result.leaves.push_back(planner.plan(k, steps));
  if (front.argmin && are_by_rows(result.leaves, *front.argmin))
    return compile(request, with_rows_of_argmin(request, front));
  if (std::optional<Compilation> other = with_better_plan(request, front, plans, result))
    return std::move(*other);
  if (planner.out_of_order() && local) {
    const auto masked = request.formats.contains(local->tensor)
                            ? std::nullopt
                            : choose::masked_local(*local, result.computation, type_of_result(front));
    if (masked)
      if (auto made = with(*masked, planner.why_out_of_order() + masked_local_text)) return std::move(*made);
    if (auto made = with_local(planner.why_out_of_order())) return std::move(*made);
  }
  if (planner.out_of_order()) {
    report::unless_refused([&] { return planner.fail_out_of_order(), 0; }, &refused);
    return collected(result.combination.leaves[*planner.out_of_order()], "its entries don't come in order");
  }
  check_formats(request, front);
  planner.join_teams(result.leaves, steps);
  for (std::size_t k = 0; k < result.leaves.size(); ++k)
    planner.add_alternatives(result.leaves[k], k, steps);
  choose::check_reductions(schedule, planner.reduced());
  if (result.combination.has_loops()) {
    steps.run(
        "order against the source's",
        [&] {
          auto violation = [&](bool example) {
            return choose::violation(result.combination, untransformed, result.plans(), *result.prover,
                                     example);
          };
          while (auto found = violation(false)) {
            bool news = false;
            for (std::size_t number : {found->first, found->second})
              if (schedule.order.empty() && planner.keep_as_written(number)) {
                news = true;
                result.leaves[number] = planner.plan(number, steps);
                if (planner.out_of_order()) planner.fail_out_of_order();
                planner.add_alternatives(result.leaves[number], number, steps);
              }
            if (!news) choose::fail_order(result.combination, *violation(true), schedule);
          }
          std::vector<scan::Node> tree = nest_tree(result);
          planner.plan_shared(tree, result.leaves);
          return tree;
        },
        [](const std::vector<scan::Node> &tree) { return scan::to_text(tree); });
  }

  planner.join_loops(result.leaves);
  if (std::ranges::any_of(result.combination.locals, choose::lists_entries) && !schedule.wavefront &&
      schedule.loops.empty())
    merge_loops(result, steps);
  choose::check_parallel(result.plans(), schedule);
  choose::check_cuts(result.plans(), schedule, planner.not_cut());
  check_names_of_finds(requests, planner.findable(), result);
  std::vector<std::string> trials;
  for (const Leaf &leaf : result.leaves)
    for (std::string &name : find::names_of_trials(leaf.plan.nest))
      trials.push_back(std::move(name));
  find::check_requests(planner.findable(), requests, trials);

  lower::LowerOptions options{request.name, result.computation.text, request.index,
                              request.value.value_or(value::Type::Float64), front.dropped};
  if (schedule.wavefront) {
    options.wavefronts = steps.run(
        "wavefronts",
        [&] {
          return choose::wavefronts(result.combination, result.plans(), schedule, *result.prover, thresholds);
        },
        [&](const auto &made) { return choose::to_text(*made, result.combination); });
    if (request.always_parallel) options.wavefronts->least = options.wavefronts->least_of_iteration = 0;
    for (std::size_t k = options.wavefronts->first; k < options.wavefronts->last; ++k) {
      plan::LeafPlan &plan = result.leaves[k].plan;
      plan.parallel = result.leaves[k].parallel = plan.shared_parallel = std::nullopt;
      for (plan::Alternative &other : plan.alternatives)
        other.plan.parallel = std::nullopt;
    }
    result.wavefronts = options.wavefronts;
  }
  loop::For in_wavefronts;
  loop::Program lowered = steps.run(
      "loops", [&] { return lower::lower(result.combination, result.plans(), options, &in_wavefronts); },
      [](const loop::Program &program) { return loop::to_text(program); });
  loop::verify(lowered);
  const Loops loops(
      {request, result.combination, untransformed, result.leaves, schedule, *result.prover, details});
  const std::size_t conditions = lowered.preconditions.size();
  result.program = loops.improve(std::move(lowered), steps);
  for (std::size_t k = conditions; k < result.program.preconditions.size(); ++k) // of BLAS
    result.combination.conditions.push_back(
        {result.program.preconditions[k].formula, result.program.preconditions[k].message});
  if (options.wavefronts) {
    result.inspector = steps.run(
        "inspector",
        [&] {
          lower::Inspector made =
              lower::lower_inspector(result.combination, result.plans(), options, in_wavefronts);
          made.program = loop::improve(std::move(made.program), {loops.is_safe(), request.counts});
          return made;
        },
        [](const lower::Inspector &made) { return loop::to_text(made.program); });
  }
  std::ranges::move(excesses_of(result, request.counts), std::back_inserter(result.warnings));
  note_not_tried(result, request, *budget, steps);
  return result;
}

static Compilation compile_in_own_words(const Request &request, const Front &front) {
  if (!front.converted_uses.empty()) {
    Request own = request;
    const Front other = with_converted_uses(own, front);
    return compile(own, other);
  }
  if (std::optional<Compilation> made = compile_with_brackets(request, front)) return std::move(*made);
  std::optional<Plans> plans = plans_to_choose_from(request, front); // a search: once
  Compilation made = with_reads_first(request, front, [&] { return compile_front(request, front, plans); });
  if (request.details && !made.weighed)
    made.weighed = weighed_plans(request, front, std::move(plans), made.plan);
  return made;
}

Compilation compile(const Request &request, const Front &front) {
  try {
    Compilation made = compile_in_own_words(request, front);
    say_in_words_of_user(made, request, front);
    return made;
  } catch (const report::Error &error) {
    throw report::Error(in_words_of_user(error.diagnostic(), request, front));
  }
}

std::string to_text(const Compilation &compilation) {
  std::string text;
  for (const Stage &stage : compilation.stages)
    if (!stage.text.empty())
      text += fmt::format("== {} ({:.2f} ms)\n{}\n", stage.name, stage.milliseconds, stage.text);
  return text;
}

} // namespace unravel::pipeline
