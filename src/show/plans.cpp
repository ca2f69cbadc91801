#include "show/sections.h"

#include "cost/contractions.h"
#include "pipeline/weighed.h"
#include "show/forest.h"
#include "show/html.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::show {

namespace {

using contract::Objective;
using pipeline::Weighed;

double cost(const Weighed &weighed, const contract::Plan &plan, Objective objective) {
  return contract::cost_of(weighed.plans.network, plan.forest, {objective});
}

double buffer_bytes(const Weighed &weighed, const contract::Plan &plan) {
  double elements = 0;
  for (const contract::Buffer &buffer : contract::buffers_of(plan.forest))
    if (buffer.modes != 0) elements += weighed.plans.network.elements(buffer.modes);
  return elements * static_cast<double>(weighed.bytes);
}

std::string figure(const Weighed &weighed, const contract::Plan &plan, const std::string &title) {
  const contract::Network &network = weighed.plans.network;
  return fmt::format("<figure>\n<figcaption>{}: {} operations, {} misses, {} of buffers</figcaption>\n"
                     "<div class=\"wide\">{}</div>\n<div class=\"wide\">{}</div>\n</figure>\n",
                     escaped(title), amount_text(cost(weighed, plan, Objective::Work)),
                     amount_text(cost(weighed, plan, Objective::Misses)),
                     bytes_text(buffer_bytes(weighed, plan)), tree_svg(network, plan.forest),
                     forest_svg(network, plan.forest, weighed.bytes));
}

bool keeps_sums(const pipeline::Compilation &compilation) {
  return std::ranges::any_of(compilation.leaves, [](auto &leaf) { return !leaf.plan.hoists.empty(); });
}

/// What was chosen, and why.
std::string chosen_html(const pipeline::Compilation &compilation, const Weighed &weighed) {
  const contract::Plan &written = weighed.plans.written;
  const std::vector<contract::Plan> &plans = weighed.plans.found.plans;
  if (weighed.taken) {
    const contract::Plan &taken = plans[*weighed.taken];
    const double before = cost(weighed, written, Objective::Work),
                 now = cost(weighed, taken, Objective::Work);
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

std::string row(const Weighed &weighed, const contract::Plan &plan, const std::string &name,
                const std::string &kernel, bool is_taken) {
  std::string buffers;
  for (const contract::Buffer &buffer : contract::buffers_of(plan.forest))
    buffers += (buffers.empty() ? "" : ", ") +
               contract::written_text(weighed.plans.network, plan.forest, buffer.term);
  return fmt::format(
      "<tr{}><th scope=\"row\">{}</th><td>{}</td><td>{:.2g}</td><td>{}</td><td>{}</td><td>{}</td>"
      "<td class=\"words\">{}</td><td class=\"words\">{}</td></tr>\n",
      is_taken ? " class=\"taken\"" : "", escaped(name), amount_text(plan.cost),
      weighed.plans.written.cost > 0 ? plan.cost / weighed.plans.written.cost : 1,
      amount_text(cost(weighed, plan, Objective::Work)), amount_text(cost(weighed, plan, Objective::Misses)),
      bytes_text(buffer_bytes(weighed, plan)), escaped(buffers), escaped(kernel));
}

std::string table_html(const pipeline::Compilation &compilation, const Weighed &weighed) {
  const bool is_taken = !weighed.taken.has_value();
  const char *kernel = is_taken && keeps_sums(compilation)
                           ? "one product, with sums in locals: less work than that"
                           : "one product";
  std::string rows = row(weighed, weighed.plans.written, "as written", kernel, is_taken);
  for (std::size_t k = 0; k < weighed.plans.found.plans.size(); ++k)
    rows += row(weighed, weighed.plans.found.plans[k], fmt::format("plan {}", k + 1), weighed.kernels[k],
                weighed.taken == k);
  std::string heads;
  for (const char *head : {"", "cost", "of the line's", "operations", "misses", "buffers' bytes"})
    heads += fmt::format("<th scope=\"col\">{}</th>", escaped(head));
  heads += "<th scope=\"col\" class=\"words\">buffers</th><th scope=\"col\" class=\"words\">kernel</th>";
  return fmt::format("<div class=\"wide\"><table class=\"plans\">\n<caption>What they cost, by the model: "
                     "estimates from the counts that are known</caption>\n<thead><tr>{}</tr></thead>\n"
                     "<tbody>\n{}</tbody></table></div>\n",
                     heads, rows);
}

constexpr const char *key =
    "<p class=\"key\">\n<span class=\"find\">over what a sparse tensor stores</span>\n"
    "<span class=\"loop\">over all values</span>\n<span class=\"reduction\">a buffer, set to 0 "
    "here</span>\n</p>\n";

} // namespace

std::string plans_html(const pipeline::Compilation &compilation) {
  if (!compilation.weighed) return "";
  const Weighed &weighed = *compilation.weighed;
  const std::size_t other = weighed.taken.value_or(0);
  return chosen_html(compilation, weighed) + key + "<div class=\"pictures\">\n" +
         figure(weighed, weighed.plans.written, "As written") +
         figure(
             weighed, weighed.plans.found.plans[other],
             fmt::format("Plan {}{}", other + 1, weighed.taken ? ", taken" : ", the cheapest, not taken")) +
         "</div>\n" + table_html(compilation, weighed) +
         (weighed.plans.found.is_complete ? "" : "<p>There may be cheaper plans: too many to try all.</p>\n");
}

} // namespace unravel::show
