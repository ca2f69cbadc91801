#include "show/facts.h"

#include "depend/distance.h"
#include "value/exact.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace unravel::show {

using nlohmann::json;
using scan::Level;

namespace {

/// How the loop of a level is run where there is enough to do: parallel, reduction, serial.
std::string kind_of(const pipeline::Leaf &leaf, std::size_t index) {
  const std::string &variable = leaf.plan.nest.levels[index].variable;
  if (leaf.parallel == index || leaf.plan.shared_parallel == index) return "parallel";
  for (const depend::LoopVerdict &verdict : leaf.verdicts)
    if (verdict.variable == variable && verdict.verdict == depend::Verdict::Reduction) return "reduction";
  return "serial";
}

double proof_milliseconds(const pipeline::Compilation &compilation, const plan::LevelPlan &plan) {
  double sum = 0;
  for (const plan::Obligation &obligation : plan.obligations)
    sum += compilation.prover->log().at(obligation.question).milliseconds;
  return sum;
}

/// The plan of the find at a level. Precondition: it is a find.
const plan::LevelPlan &plan_of(const pipeline::Leaf &leaf, std::size_t index) {
  const plan::LevelPlan *plan = leaf.plan.finds.at(index);
  if (!plan) throw std::logic_error("a find without a plan");
  return *plan;
}

/// A plan's finds, for `run`.
json finds_json(const pipeline::Compilation &compilation, const plan::LeafPlan &plan) {
  json finds = json::array();
  each_find(plan, [&](const plan::LevelPlan &own, const Level &level) {
    json find = {{"tensor", level.tensor},
                 {"variable", level.variable},
                 {"template", plan::name_of(own.method())},
                 {"unique", own.unique},
                 {"obligations", own.obligations.size()},
                 {"proof_ms", proof_milliseconds(compilation, own)}};
    if (const plan::Walk *walk = own.walk()) {
      find["direction"] = plan::name_of(walk->direction);
      find["state"] = walk->state;
      find["advance"] = walk->advance;
    }
    finds.push_back(std::move(find));
  });
  return finds;
}

std::vector<std::string> notes_of(const run::Report &report) {
  std::vector<std::string> notes = report.compilation.notes;
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  return notes;
}

} // namespace

bool is_shared_with_earlier(const pipeline::Compilation &compilation, const pipeline::Leaf &leaf,
                            const std::string &variable) {
  auto number = static_cast<std::size_t>(&leaf - compilation.leaves.data());
  if (number == 0) return false;
  if (leaf.plan.joins) return leaf.plan.nest.levels.front().variable == variable;
  const combine::IterationSpace &before = compilation.combination.leaves[number - 1];
  const combine::IterationSpace &space = compilation.combination.leaves[number];
  const auto shared =
      space.loops.begin() + static_cast<std::ptrdiff_t>(compute::shared_loops(before.place, space.place));
  return std::find(space.loops.begin(), shared, variable) != shared;
}

std::string sum_text(const plan::LeafPlan &plan, std::size_t level) {
  for (const plan::Hoist &hoist : plan.hoists())
    if (hoist.level == level)
      return fmt::format("sums{}{} in a local, then times {}", hoist.modes.empty() ? "" : " over ",
                         fmt::join(hoist.modes, ", "), fmt::join(hoist.outside, " * "));
  return {};
}

json loops_json(const pipeline::Compilation &compilation) {
  json loops = json::array();
  each_level(compilation, [&](const pipeline::Leaf &leaf, std::size_t index, const Level &level) {
    if (level.kind == Level::Kind::Loop) {
      loops.push_back({{"variable", level.variable}, {"kind", kind_of(leaf, index)}});
      for (const plan::Hoist &hoist : leaf.plan.hoists())
        if (hoist.level == index) loops.back()["sums"] = {{"over", hoist.modes}, {"times", hoist.outside}};
    }
    if (level.kind == Level::Kind::Find) loops.push_back({{"variable", level.variable}, {"kind", "find"}});
  });
  return loops;
}

std::vector<std::string> order_of(const plan::LeafPlan &plan) {
  std::vector<std::string> order;
  for (const Level &level : plan.nest.levels)
    order.push_back(level.variable);
  return order;
}

std::optional<std::string> place_of_choice(const plan::LeafPlan &plan) {
  if (plan.split == 0) return std::nullopt;
  return plan.nest.levels[plan.split - 1].variable;
}

json main_finds_json(const pipeline::Compilation &compilation, const FindsOf &finds_of) {
  json finds = json::array();
  for (const pipeline::Leaf &leaf : compilation.leaves)
    for (json &find : finds_of(leaf.plan))
      finds.push_back(std::move(find));
  return finds;
}

json alternatives_json(const pipeline::Compilation &compilation, const FindsOf &finds_of) {
  json alternatives = json::array();
  for (std::size_t k = 0; k < compilation.leaves.size(); ++k) {
    const plan::LeafPlan &plan = compilation.leaves[k].plan;
    std::optional<std::string> inside = place_of_choice(plan);
    for (const plan::Alternative &other : plan.alternatives)
      alternatives.push_back({{"leaf", k},
                              {"inside", inside ? json(*inside) : json(nullptr)},
                              {"condition", term::to_text(other.condition)},
                              {"reason", other.reason},
                              {"order", order_of(other.plan)},
                              {"finds", finds_of(other.plan)}});
  }
  return alternatives;
}

void add_not_tried(json &out, const std::vector<std::string> &not_tried) {
  if (!not_tried.empty()) out["not_tried"] = not_tried;
}

json or_null(const std::string &text) {
  return text.empty() ? json(nullptr) : json(text);
}

json plans_json(const pipeline::Compilation &compilation) {
  auto finds_of = [&](const plan::LeafPlan &plan) { return finds_json(compilation, plan); };
  json out = {{"loops", loops_json(compilation)},
              {"finds", main_finds_json(compilation, finds_of)},
              {"alternatives", alternatives_json(compilation, finds_of)}};
  add_not_tried(out, compilation.not_tried);
  return out;
}

std::vector<std::string> loops_of(const pipeline::Leaf &leaf) {
  std::vector<std::string> loops;
  for (const Level &level : leaf.plan.nest.levels)
    if (level.kind == Level::Kind::Loop) loops.push_back(level.variable);
  return loops;
}

json dependences_json(const pipeline::Compilation &compilation) {
  json loops = json::array();
  for (const pipeline::Leaf &leaf : compilation.leaves)
    for (const depend::LoopVerdict &verdict : leaf.verdicts) {
      json dependences = json::array();
      for (const depend::Dependence &each :
           depend::dependences_of(verdict, loops_of(leaf), *compilation.prover)) {
        json directions = json::array(), distances = json::array();
        for (const depend::Distance &distance : each.distances) {
          directions.push_back(depend::direction_name(distance));
          distances.push_back(distance.constant ? json(*distance.constant) : json(nullptr));
        }
        dependences.push_back({{"tensor", each.tensor},
                               {"kind", each.kind},
                               {"loops", loops_of(leaf)},
                               {"direction", directions},
                               {"distance", distances}});
      }
      loops.push_back({{"variable", verdict.variable},
                       {"verdict", depend::name_of(verdict.verdict)},
                       {"dependences", dependences},
                       {"relation", depend::relation_text(verdict, leaf.order)},
                       {"witness", or_null(verdict.witness)},
                       {"witness_relation", or_null(depend::witness_text(verdict, leaf.order))},
                       {"decided_by", verdict.reason}});
    }
  return loops;
}

/// Of a complex number both parts; integers in full.
static json number_json(const value::Scalar &number) {
  if (number.type == value::Type::UInt64) return static_cast<std::uint64_t>(number.integer);
  if (value::is_integer(number.type)) return number.integer;
  if (value::is_complex(number.type)) return {number.real, number.imaginary};
  return number.real;
}

json run_json(const run::Report &report) {
  const pipeline::Compilation &compilation = report.compilation;
  json out;
  out["expression"] = compilation.computation.text;
  json check = {{"performed", report.comparison.has_value()}};
  if (report.comparison) {
    check["ok"] = report.comparison->ok;
    check["max_rel_error"] = report.comparison->max_relative_error;
  }
  out["check"] = check;
  out["times_ms"] = {
      {"read", report.read_ms},
      {"pack", report.pack_ms},
      {"validate", report.validate_ms},
      {"compile", compilation.milliseconds()},
      {"clang", report.clang_ms},
      {"cached", report.cached},
      {"kernel",
       {{"median", report.kernel.median}, {"min", report.kernel.least}, {"runs", report.kernel.runs}}}};
  if (report.count_ms) out["times_ms"]["count"] = *report.count_ms;
  if (report.conversion_ms) out["times_ms"]["convert"] = *report.conversion_ms;
  if (report.structure)
    out["times_ms"]["structure"] = {{"median", report.structure->median}, {"min", report.structure->least}};
  if (report.inspector_ms) {
    out["times_ms"]["inspector"] = *report.inspector_ms;
    out["wavefronts"] = {{"levels", report.levels}, {"work", report.inspected}};
  }
  out.update(plans_json(compilation));
  if (!report.sizes.empty()) out["sizes"] = report.sizes;
  if (report.result_pack_ms) out["times_ms"]["pack_results"] = *report.result_pack_ms;
  for (const auto &[name, packed] : compilation.packed)
    out["packed_results"].push_back(
        {{"name", name}, {"layout", packed.layout.name}, {"why", packed.why.message}});
  out["operands"] = json::array();
  for (const auto &[name, entries] : report.entries)
    out["operands"].push_back({{"name", name},
                               {"layout", compilation.layouts.at(name).name},
                               {"shape", report.shapes.at(name)},
                               {"entries", entries}});
  const std::string &result = compilation.computation.tensors.front().name;
  out["result"] = {
      {"name", result}, {"shape", report.shapes.at(result)}, {"entries", report.result.entries()}};
  if (report.answer) {
    out["result"]["norm"] = report.answer->norm;
    for (const auto &[coordinate, value] : report.answer->first)
      out["result"]["first"].push_back({{"coordinate", coordinate}, {"value", number_json(value)}});
  }
  for (const compute::TensorUse &use : compilation.computation.tensors)
    if (use.is_result && use.name != result)
      out["further_results"].push_back({{"name", use.name}, {"shape", report.shapes.at(use.name)}});
  out["notes"] = notes_of(report);
  return out;
}

std::string loops_text(const pipeline::Compilation &compilation) {
  std::string text;
  each_level(compilation, [&](const pipeline::Leaf &leaf, std::size_t index, const Level &level) {
    if (level.kind == Level::Kind::Loop) {
      const std::string sums = sum_text(leaf.plan, index);
      text += fmt::format("loop  {:<8} {}", level.variable, kind_of(leaf, index));
      text += (sums.empty() ? "" : "; " + sums) + "\n";
    }
    if (level.kind != Level::Kind::Find) return;
    const plan::LevelPlan &plan = plan_of(leaf, index);
    text += fmt::format("find  {:<8} {}", level.variable, plan::name_of(plan.method()));
    if (const plan::Walk *walk = plan.walk())
      text +=
          fmt::format(" {}, state per {{{}}}", plan::name_of(walk->direction), fmt::join(walk->state, ", "));
    text += fmt::format("{} ({} obligations, {:.1f} ms)\n", plan.unique ? ", at most one match" : "",
                        plan.obligations.size(), proof_milliseconds(compilation, plan));
  });
  return text;
}

/// "1.5+2j", as NumPy writes complex numbers; integers in full.
std::string number_text(const value::Scalar &number, bool is_short) {
  if (value::is_integer(number.type)) return value::integer_text(number);
  const auto &[type, real, integer, imaginary] = number;
  if (!value::is_complex(type)) return is_short ? fmt::format("{:.6g}", real) : fmt::format("{}", real);
  return is_short ? fmt::format("{:.6g}{:+.6g}j", real, imaginary) : fmt::format("{}{:+}j", real, imaginary);
}

/// "s = 3.5"; "y 100, norm 12.5: y(0) = 1, y(1) = 2, ..."
std::string answer_text(const std::string &name, const run::Answer &answer) {
  if (answer.shape.empty())
    return fmt::format("{} = {}\n", name,
                       answer.first.empty() ? "0" : number_text(answer.first[0].value, false));
  std::vector<std::string> first;
  for (const auto &[coordinate, value] : answer.first)
    first.push_back(fmt::format("{}({}) = {}", name, fmt::join(coordinate, ","), number_text(value, true)));
  if (answer.entries > first.size()) first.push_back("...");
  return fmt::format("{:<5} {} with {} entries, norm {:.6g}{}{}\n", name, fmt::join(answer.shape, " x "),
                     answer.entries, answer.norm, first.empty() ? "" : ": ", fmt::join(first, ", "));
}

std::string run_text(const run::Report &report) {
  return fmt::format("{}\n", report.compilation.computation.text) + operands_text(report) +
         loops_text(report.compilation) + answers_text(report);
}

std::string operands_text(const run::Report &report) {
  std::string text;
  for (const auto &[name, value] : report.sizes)
    text += fmt::format("{:<5} {}\n", name, value);
  for (const auto &[name, entries] : report.entries)
    if (const std::vector<std::int64_t> &shape = report.shapes.at(name); shape.empty())
      text += fmt::format("{:<5} a scalar\n", name);
    else
      text += fmt::format("{:<5} {} {} with {} entries\n", name, report.compilation.layouts.at(name).name,
                          fmt::join(shape, " x "), entries);
  return text;
}

std::string answers_text(const run::Report &report) {
  const pipeline::Compilation &compilation = report.compilation;
  std::string text;
  for (const std::string &note : notes_of(report))
    text += "note  " + note + "\n";
  const std::string counted = report.count_ms ? fmt::format("count {:.1f}, ", *report.count_ms) : "";
  text +=
      fmt::format("times read {:.1f}, pack {:.1f}, validate {:.1f}, {}compile {:.1f}, clang {:.1f}{} ms\n",
                  report.read_ms, report.pack_ms, report.validate_ms, counted, compilation.milliseconds(),
                  report.clang_ms, report.cached ? " (cached)" : "");
  if (report.conversion_ms) {
    std::vector<std::string> layouts;
    for (const auto &[name, given] : compilation.converted)
      layouts.push_back(fmt::format("{} from {} to {}", name, given.name, compilation.layouts.at(name).name));
    text += fmt::format("converted {} {:.3f} ms, once\n", fmt::join(layouts, ", "), *report.conversion_ms);
  }
  if (report.inspector_ms)
    text += fmt::format("inspector {:.3f} ms: {} levels, {} iterations and dependences\n",
                        *report.inspector_ms, report.levels, report.inspected);
  const auto times = [&](const char *what, const run::KernelTimes &kernel) {
    text += fmt::format("{} {:.3f} ms (median of {}, least {:.3f})\n", what, kernel.median, kernel.runs,
                        kernel.least);
  };
  if (report.structure) times("structure", *report.structure);
  times(report.structure ? "values" : "kernel", report.kernel);
  if (report.result_pack_ms) {
    std::vector<std::string> layouts;
    for (const auto &[name, packed] : compilation.packed)
      layouts.push_back(fmt::format("{} in {}", name, packed.layout.name));
    text += fmt::format("packed {} {:.3f} ms\n", fmt::join(layouts, ", "), *report.result_pack_ms);
  }
  const std::string &result = compilation.computation.tensors.front().name;
  text += report.answer ? answer_text(result, *report.answer)
                        : fmt::format("{:<5} {} with {} entries\n", result,
                                      fmt::join(report.shapes.at(result), " x "), report.result.entries());
  if (!report.comparison) return text;
  const check::Comparison &comparison = *report.comparison;
  if (comparison.ok)
    return text + fmt::format("check ok, largest relative error {:.2g}\n", comparison.max_relative_error);
  return text + fmt::format("check FAILED: {} elements differ; the first at ({}): {} instead of {}\n",
                            comparison.bad_elements, fmt::join(comparison.coordinate, ", "),
                            number_text(comparison.got, false), number_text(comparison.expected, false));
}

} // namespace unravel::show
