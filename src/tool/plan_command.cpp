#include "contract/modes.h"
#include "cost/finds.h"
#include "parse/parse.h"
#include "pipeline/conversions.h"
#include "pipeline/weighed.h"
#include "report/diagnostic.h"
#include "report/suggest.h"
#include "run/joins.h"
#include "tensor/counts.h"
#include "tool/commands.h"
#include "tool/options.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace unravel::tool {

using contract::Objective;
using nlohmann::json;
using pipeline::Plans;

namespace {

/// What is known of data that are there.
void count_data(const Options &options, pipeline::Request &request) {
  for (const std::string &size : options.sizes)
    if (size.substr(0, size.find('=')).find('.') != std::string::npos)
      report::fail(report::Kind::bad_option,
                   fmt::format("`--size {}`: where data are given, counts are taken from them", size),
                   "leave it out, or leave out -i");
  run::Request on_data = run_request(options);
  on_data.compile.schedules.push_back("plan none");
  add_dense_inputs(on_data);
  const run::Prepared data = run::prepare(on_data);
  request.counts.merge(run::joins_of(data.compilation.computation.program, data.tensors));
  for (const auto &[name, tensor] : data.tensors) {
    tensor::put_counts(name, tensor, request.counts);
    for (const auto &[size, value] : tensor.sizes) // 0, too
      request.counts[name + "." + size] = static_cast<double>(value);
  }
}

/// Refuses what nothing is called by.
void check_name(const std::string &name, std::int64_t value, const pipeline::Front &front) {
  const auto refuse = [&](const std::string &has_no, const std::string &word,
                          const std::vector<std::string> &words, const std::string &otherwise) {
    report::fail(report::Kind::unknown_extent,
                 fmt::format("`--size {}={}`: {} `{}`", name, value, has_no, word),
                 report::suggest(word, words, otherwise));
  };
  const std::size_t point = name.find('.');
  const auto found = front.layouts.find(name.substr(0, point));
  if (point == std::string::npos || found == front.layouts.end()) {
    std::vector<std::string> words = front.computation.program.sizes;
    for (const compute::Statement &statement : front.computation.program.statements)
      words.insert(words.end(), statement.indices.begin(), statement.indices.end());
    if (std::ranges::count(words, name) == 0)
      refuse("the expression has no index", name, words, "as in --size i=1000, or --size A.NNZ=50000");
    return;
  }
  const layout::Layout &layout = found->second;
  std::vector<std::string> words = layout.sizes;
  for (const layout::Count &count : layout.counts)
    words.push_back(count.name);
  for (const layout::Array &array : layout.arrays)
    if (!array.is_value) words.push_back(array.name);
  const std::string word = name.substr(point + 1);
  if (std::ranges::count(words, word) == 0)
    refuse(fmt::format("layout `{}` of `{}` has no size, count or index array", layout.name, found->first),
           word, words, "it has " + report::list_words(words));
}

/// Counts of a tensor from those that are given, its segments' average lengths from the counts at their ends:
/// `count NNZ = rowptr(M)` says that of the segments of rowptr.
class Averages {
public:
  Averages(const std::string &tensor, const layout::Layout &layout, schedule::Counts &counts)
      : tensor_(tensor), layout_(layout), counts_(counts) {}

  void take() {
    for (const layout::Count &count : layout_.counts)
      if (const double *given = known(count.name); given && count.definition) {
        const auto *last = count.definition->as<term::Apply>();
        if (!last || last->arguments.size() != 1) continue;
        const double segments = estimate(last->arguments[0], *given);
        if (segments > 0) counts_.emplace(tensor_ + "." + last->function, *given / segments);
      }
  }

private:
  const double *known(const std::string &name) const {
    const auto found = counts_.find(tensor_ + "." + name);
    return found == counts_.end() ? nullptr : &found->second;
  }

  /// Where nothing is known, a list is no longer than a mode, nor than what is `below` it.
  double estimate(const term::Term &of, double below) {
    if (const auto *last = of.as<term::Apply>(); last && last->arguments.size() == 1) {
      const double *length = known(last->function);
      return (length ? *length : cost::default_segment) * estimate(last->arguments[0], below);
    }
    const term::Linear form = term::linear_form(of);
    auto sum = static_cast<double>(form.constant);
    for (const auto &[part, factor] : form.parts) {
      const auto *quotient = part.as<term::FloorDivide>();
      const auto *name = part.as<term::Variable>();
      sum += static_cast<double>(factor) *
             (quotient ? estimate(quotient->numerator, below) / static_cast<double>(quotient->divisor)
              : name   ? value_of(name->name, below)
                       : cost::default_size);
    }
    return sum;
  }

  double value_of(const std::string &name, double below) {
    if (const double *value = known(name)) return *value;
    const layout::Count *count = layout_.count(name);
    if (count && count->definition) return std::min(estimate(*count->definition, below), below);
    if (!count) return cost::default_size;
    double longest = 0;
    for (const std::string &size : layout_.sizes)
      longest = std::max(longest, value_of(size, below));
    return counts_[tensor_ + "." + name] = std::min({cost::default_size, longest, below});
  }

  const std::string &tensor_;
  const layout::Layout &layout_;
  schedule::Counts &counts_;
};

/// `--size i=1000`, of all modes that the index subscripts; `--size A.NNZ=50000`.
void take_sizes(const Options &options, const pipeline::Front &front, pipeline::Request &request) {
  for (const auto &[name, value] : run_request(options).extents) {
    check_name(name, value, front);
    if (value < 0 && std::ranges::count(front.computation.program.sizes, name) == 0)
      report::fail(report::Kind::bad_option,
                   fmt::format("`--size {}={}`: there are 0 or more of what is counted", name, value));
    request.counts[name] = static_cast<double>(value);
    for (const compute::Statement &statement : front.computation.program.statements)
      compute::each_access(statement, [&, index = &name, size = value](const compute::Access &access) {
        const layout::Layout &layout = front.layouts.at(access.tensor);
        for (std::size_t mode = 0; mode < access.subscripts.size(); ++mode)
          if (access.subscripts[mode].index == *index)
            request.counts[access.tensor + "." + layout.sizes[mode]] = static_cast<double>(size);
      });
  }
  for (const auto &[tensor, layout] : front.layouts)
    Averages(tensor, layout, request.counts).take();
}

double cost(const Plans &plans, const contract::Forest &forest, Objective objective) {
  return contract::cost_of(plans.network, forest, {objective});
}

std::vector<std::string> names(const Plans &plans, contract::Set indices) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < plans.network.indices.size(); ++k)
    if (contract::has(indices, k)) all.push_back(plans.network.indices[k].name);
  return all;
}

std::vector<std::string> modes_of(const Plans &plans, const contract::Buffer &buffer) {
  std::vector<std::string> modes;
  for (std::size_t index : contract::modes_in_order(plans.network, buffer))
    modes.push_back(plans.network.indices[index].name);
  return modes;
}

std::string costs_text(const Plans &plans, const contract::Plan &plan) {
  return fmt::format("cost {:.3g}, {:.3g} operations, {:.3g} misses", plan.cost,
                     cost(plans, plan.forest, Objective::Work), cost(plans, plan.forest, Objective::Misses));
}

std::string buffers_text(const Plans &plans, const contract::Forest &forest) {
  std::string text;
  for (const contract::Buffer &buffer : contract::buffers_of(forest)) {
    const std::vector<std::string> modes = modes_of(plans, buffer);
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", contract::buffer_name(plans.network, buffer.term),
                        modes.empty() ? "" : fmt::format("({})", fmt::join(modes, ",")));
    if (!modes.empty()) text += fmt::format(" {:g}", plans.network.elements(buffer.modes));
  }
  return text;
}

std::string indented(const std::string &text) {
  std::string made = "  ";
  for (std::size_t k = 0; k < text.size(); ++k) {
    made += text[k];
    if (text[k] == '\n' && k + 1 < text.size()) made += "  ";
  }
  return made;
}

/// Of plans that need another order of an operand's modes: what a call costs then, and what converting does.
std::string conversions_text(const std::vector<pipeline::Conversion> &conversions) {
  std::string text;
  for (const pipeline::Conversion &each : conversions) {
    const contract::Plan &plan = each.plans.found.plans.front();
    text += fmt::format(
        "\nwith -s '{}': {}\n  and {:.3g} once, to convert {}: less in all from {:.3g} calls on\n",
        to_text(each), costs_text(each.plans, plan), each.once, each.asked.tensor.text, each.least_calls);
    text += indented(to_text(each.plans.network, plan.forest));
  }
  return text;
}

std::string plans_text(const Plans &plans, const pipeline::Front &front, std::optional<std::size_t> taken) {
  std::string text = to_text(plans.network);
  text += fmt::format("as written: {}\n", costs_text(plans, plans.written));
  for (std::size_t k = 0; k < plans.found.plans.size(); ++k) {
    const contract::Plan &plan = plans.found.plans[k];
    text += fmt::format("\nplan {}{}: {}\n", k + 1, taken == k ? ", taken" : "", costs_text(plans, plan));
    text += fmt::format("  buffers: {}\n", buffers_text(plans, plan.forest));
    text += fmt::format("  kernel: {}\n", pipeline::kernel_text(pipeline::planned_line(front, plans, plan)));
    text += indented(to_text(plans.network, plan.forest));
  }
  if (!plans.found.is_complete) text += "\nthere may be cheaper plans: there are too many to try all\n";
  return text;
}

json loops_json(const Plans &plans, const std::vector<contract::Node> &nodes) {
  json all = json::array();
  for (const contract::Node &node : nodes)
    if (node.is_loop)
      all.push_back(
          {{"loop", plans.network.indices[node.number].name}, {"body", loops_json(plans, node.body)}});
    else
      all.push_back({{"term", node.number}});
  return all;
}

json plan_json(const Plans &plans, const pipeline::Front &front, const contract::Plan &plan) {
  json buffers = json::array();
  for (const contract::Buffer &buffer : contract::buffers_of(plan.forest))
    buffers.push_back({{"name", contract::buffer_name(plans.network, buffer.term)},
                       {"modes", modes_of(plans, buffer)},
                       {"shared", names(plans, buffer.shared)},
                       {"elements", plans.network.elements(buffer.modes)}});
  json made = {{"cost", plan.cost},
               {"operations", cost(plans, plan.forest, Objective::Work)},
               {"misses", cost(plans, plan.forest, Objective::Misses)},
               {"largest_dimension", cost(plans, plan.forest, Objective::Dimension)},
               {"largest_buffer", cost(plans, plan.forest, Objective::Size)},
               {"buffers", buffers},
               {"loops", loops_json(plans, plan.forest.roots)},
               {"text", to_text(plans.network, plan.forest)}};
  const compute::PlannedLine line = pipeline::planned_line(front, plans, plan);
  made["program"] = line.program ? json(parse::to_text(*line.program)) : json(nullptr);
  made["nested"] = json::array();
  for (const compute::NestedTerms &nested : line.nested)
    made["nested"].push_back(nested.statement + 1);
  return made;
}

json conversions_json(const std::vector<pipeline::Conversion> &conversions) {
  json all = json::array();
  for (const pipeline::Conversion &each : conversions) {
    const contract::Plan &plan = each.plans.found.plans.front();
    all.push_back({{"schedule", to_text(each)},
                   {"cost", plan.cost},
                   {"operations", cost(each.plans, plan.forest, Objective::Work)},
                   {"once", each.once},
                   {"least_calls", each.least_calls},
                   {"text", to_text(each.plans.network, plan.forest)}});
  }
  return all;
}

json plans_json(const Plans &plans, const pipeline::Front &front, std::optional<std::size_t> taken) {
  json out = {
      {"expression", front.computation.text},
      {"complete", plans.found.is_complete},
      {"taken", taken ? json(*taken + 1) : json(nullptr)},
      {"as_written",
       {{"cost", plans.written.cost}, {"operations", cost(plans, plans.written.forest, Objective::Work)}}}};
  out["indices"] = json::array();
  for (const contract::Index &index : plans.network.indices)
    out["indices"].push_back({{"name", index.name}, {"size", index.size}});
  out["factors"] = json::array();
  for (const contract::Factor &factor : plans.network.factors) {
    json stored = json::array();
    for (std::size_t k = 0; k < factor.stored.size(); ++k)
      stored.push_back(
          {{"index", plans.network.indices[factor.stored[k]].name}, {"prefixes", factor.prefixes[k]}});
    out["factors"].push_back({{"text", factor.text}, {"stored", stored}});
  }
  out["plans"] = json::array();
  for (const contract::Plan &plan : plans.found.plans)
    out["plans"].push_back(plan_json(plans, front, plan));
  return out;
}

/// The program in which terms of the line are computed by plans; false where none is.
bool print_plans_of_terms(pipeline::Request request, const pipeline::Front &front, bool as_json) {
  request.details = true;
  const pipeline::Compilation made = pipeline::compile(request, front);
  const auto program = std::ranges::find(made.stages, "program by plans", &pipeline::Stage::name);
  if (program == made.stages.end()) return false;
  std::cout << (as_json ? json_text(json{{"program", program->text}}) : program->text);
  return true;
}

} // namespace

void add_plan(CLI::App &app, bool &as_json) {
  auto *command = app.add_subcommand("plan", "show ways to compute a product of several tensors: what is "
                                             "computed first, in which loops, at which cost");
  auto options = std::make_shared<Options>();
  auto most = std::make_shared<std::size_t>(5);
  add_kernel_options(*command, *options, as_json);
  add_data_options(*command, *options);
  command->add_option("--plans", *most, "how many of the best are shown (default: 5)")
      ->check(CLI::Range(std::size_t{1}, pipeline::most_plans));
  command->footer("Examples:\n"
                  "  unravel plan 'y(i) = A(i,j) * B(j,k) * x(k)' -f A=csr -f B=csr\n"
                  "  unravel plan 'Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)' -f T=csf3 --size r=16 --size s=32");
  command->callback([options, most, &as_json] {
    pipeline::Request request = compile_request(*options);
    const pipeline::Front front = pipeline::read_request(request);
    if (!options->inputs.empty()) {
      count_data(*options, request);
    } else {
      require_data(*options);
      take_sizes(*options, front, request);
    }
    std::string why;
    std::optional<Plans> plans =
        pipeline::plans_of(request, front, std::max(*most, pipeline::plans_looked_at), why);
    if (!plans && print_plans_of_terms(request, front, as_json)) return;
    if (!plans)
      report::fail(report::Kind::not_supported, front.computation.program.statements.front().span,
                   fmt::format("there are no plans: {}", why), "it is compiled as it is written");
    const std::vector<pipeline::Conversion> conversions = pipeline::conversions_of(front, *plans);
    const std::optional<std::size_t> taken = pipeline::compile(request, front).plan;
    const std::size_t shown = std::max(*most, taken ? *taken + 1 : 0);
    if (plans->found.plans.size() > shown) plans->found.plans.resize(shown);
    if (!as_json) {
      std::cout << plans_text(*plans, front, taken) << conversions_text(conversions);
      return;
    }
    json out = plans_json(*plans, front, taken);
    out["conversions"] = conversions_json(conversions);
    std::cout << json_text(out);
  });
}

} // namespace unravel::tool
