#include "show/sections.h"

#include "cost/contractions.h"
#include "layout/by_modes.h"
#include "pipeline/weighed.h"
#include "show/forest.h"
#include "show/html.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::show {

namespace {

using contract::Objective;
using pipeline::Weighed;

/// A plan with what it is one of.
struct Shown {
  const pipeline::Plans &plans;
  const contract::Plan &plan;
  std::size_t bytes = 0; // of an element

  double cost(Objective objective) const {
    return contract::cost_of(plans.network, plan.forest, {objective});
  }

  double buffer_bytes() const {
    double elements = 0;
    for (const contract::Buffer &buffer : contract::buffers_of(plan.forest))
      if (buffer.modes != 0) elements += plans.network.elements(buffer.modes);
    return elements * static_cast<double>(bytes);
  }
};

using Texts = std::vector<std::string>;

std::string converted_text(const std::string &tensor, const std::string &from, const std::string &to) {
  return fmt::format("{}: {} from {}, once", tensor, to, from);
}

/// Of operands that are converted before the kernel is called.
Texts converted_texts(const pipeline::Compilation &compilation) {
  Texts texts;
  for (const auto &[tensor, given] : compilation.converted)
    texts.push_back(converted_text(tensor, given.name, compilation.layouts.at(tensor).name));
  return texts;
}

/// `once`: what is done before the loops.
std::string figure(const Shown &shown, const std::string &title, const Texts &once) {
  const contract::Network &network = shown.plans.network;
  return fmt::format("<figure>\n<figcaption>{}: {} operations, {} misses, {} of buffers</figcaption>\n"
                     "<div class=\"wide\">{}</div>\n<div class=\"wide\">{}</div>\n</figure>\n",
                     escaped(title), amount_text(shown.cost(Objective::Work)),
                     amount_text(shown.cost(Objective::Misses)), bytes_text(shown.buffer_bytes()),
                     tree_svg(network, shown.plan.forest),
                     forest_svg(network, shown.plan.forest, shown.bytes, once));
}

bool keeps_sums(const pipeline::Compilation &compilation) {
  return std::ranges::any_of(compilation.leaves, [](auto &leaf) { return !leaf.plan.hoists().empty(); });
}

/// What was chosen, and why.
std::string chosen_html(const pipeline::Compilation &compilation, const Weighed &weighed) {
  const contract::Plan &written = weighed.plans.written;
  const std::vector<contract::Plan> &plans = weighed.plans.found.plans;
  if (weighed.taken) {
    const contract::Plan &taken = plans[*weighed.taken];
    const double before = Shown{weighed.plans, written}.cost(Objective::Work),
                 now = Shown{weighed.plans, taken}.cost(Objective::Work);
    return fmt::format("<p>Plan {} is taken: {} operations instead of {}{}. It is {}.</p>\n",
                       *weighed.taken + 1, amount_text(now), amount_text(before),
                       before > 0 ? fmt::format(", {:.2g} of them", now / before) : "",
                       escaped(weighed.kernels[*weighed.taken]));
  }
  const char *why = "the schedule says how it is computed";
  if (keeps_sums(compilation))
    why = "the line's own loops keep sums in locals, where that saves as much";
  else if (plans.front().cost > cost::worth * written.cost)
    why = "none costs clearly less than the line as it is written";
  return fmt::format("<p>No plan is taken: {}. <code>-s 'plan 1'</code> asks for the first.</p>\n", why);
}

/// Of conversions that nobody has asked for: from how many calls on they pay.
std::string conversions_html(const Weighed &weighed) {
  std::string text;
  for (const pipeline::Conversion &each : weighed.conversions)
    text += fmt::format("<p>With <code>-s '{}'</code> a call costs {}; {} more, once, to convert {}: less in "
                        "all from {} calls on.</p>\n",
                        escaped(to_text(each)), amount_text(each.cost()), amount_text(each.once),
                        escaped(each.asked.tensor.text), amount_text(each.least_calls));
  return text;
}

std::string row(const Shown &shown, double written, const std::string &name, const std::string &kernel,
                bool is_taken) {
  const contract::Plan &plan = shown.plan;
  std::string buffers;
  for (const contract::Buffer &buffer : contract::buffers_of(plan.forest))
    buffers +=
        (buffers.empty() ? "" : ", ") + contract::written_text(shown.plans.network, plan.forest, buffer.term);
  return fmt::format(
      "<tr{}><th scope=\"row\">{}</th><td>{}</td><td>{:.2g}</td><td>{}</td><td>{}</td><td>{}</td>"
      "<td class=\"words\">{}</td><td class=\"words\">{}</td></tr>\n",
      is_taken ? " class=\"taken\"" : "", escaped(name), amount_text(plan.cost),
      written > 0 ? plan.cost / written : 1, amount_text(shown.cost(Objective::Work)),
      amount_text(shown.cost(Objective::Misses)), bytes_text(shown.buffer_bytes()), escaped(buffers),
      escaped(kernel));
}

std::string table_html(const pipeline::Compilation &compilation, const Weighed &weighed) {
  const bool is_taken = !weighed.taken.has_value();
  const char *kernel = is_taken && keeps_sums(compilation)
                           ? "one product, with sums in locals: less work than that"
                           : "one product";
  const pipeline::Plans &plans = weighed.plans;
  const double written = plans.written.cost;
  std::string rows = row({plans, plans.written, weighed.bytes}, written, "as written", kernel, is_taken);
  for (std::size_t k = 0; k < plans.found.plans.size(); ++k)
    rows += row({plans, plans.found.plans[k], weighed.bytes}, written, fmt::format("plan {}", k + 1),
                weighed.kernels[k], weighed.taken == k);
  for (const pipeline::Conversion &each : weighed.conversions)
    rows += row({each.plans, each.plans.found.plans.front(), weighed.bytes}, written, to_text(each),
                "not taken; a call's cost, without converting", false);
  std::string heads;
  for (const char *head : {"", "cost", "of the line's", "operations", "misses", "buffers' bytes"})
    heads += fmt::format("<th scope=\"col\">{}</th>", escaped(head));
  heads += "<th scope=\"col\" class=\"words\">buffers</th><th scope=\"col\" class=\"words\">kernel</th>";
  return fmt::format("<div class=\"wide\"><table class=\"plans\">\n<caption>What they cost, by the model: "
                     "estimates from the counts that are known</caption>\n<thead><tr>{}</tr></thead>\n"
                     "<tbody>\n{}</tbody></table></div>\n",
                     heads, rows);
}

constexpr const char *key_of_plans =
    "<p class=\"key\">\n<span class=\"find\">over what a sparse tensor stores</span>\n"
    "<span class=\"loop\">over all values</span>\n<span class=\"reduction\">a buffer, set to 0 "
    "here</span>\n</p>\n";

/// The conversion with which a call costs least.
std::string figure_of_conversion(const pipeline::Compilation &compilation, const Weighed &weighed) {
  if (weighed.conversions.empty()) return "";
  const pipeline::Conversion &best = weighed.conversions.front();
  const std::string &tensor = best.asked.tensor.text;
  Texts once = converted_texts(compilation);
  once.push_back(
      converted_text(tensor, compilation.layouts.at(tensor).name, layout::to_text(best.asked.layout)));
  return figure({best.plans, best.plans.found.plans.front(), weighed.bytes},
                fmt::format("With {}, not taken", to_text(best)), once);
}

} // namespace

std::string plans_html(const pipeline::Compilation &compilation) {
  if (!compilation.weighed) return "";
  const Weighed &weighed = *compilation.weighed;
  const pipeline::Plans &plans = weighed.plans;
  const std::size_t other = weighed.taken.value_or(0);
  const Texts once = converted_texts(compilation);
  return chosen_html(compilation, weighed) + conversions_html(weighed) + key_of_plans +
         "<div class=\"pictures\">\n" + figure({plans, plans.written, weighed.bytes}, "As written", once) +
         figure({plans, plans.found.plans[other], weighed.bytes},
                fmt::format("Plan {}{}", other + 1, weighed.taken ? ", taken" : ", the cheapest, not taken"),
                once) +
         figure_of_conversion(compilation, weighed) + "</div>\n" + table_html(compilation, weighed) +
         (plans.found.is_complete ? "" : "<p>There may be cheaper plans: too many to try all.</p>\n");
}

} // namespace unravel::show
