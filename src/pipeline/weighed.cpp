#include "pipeline/weighed.h"

#include <algorithm>

namespace unravel::pipeline {

namespace {

constexpr std::size_t plans_shown = 10;

} // namespace

std::shared_ptr<const Weighed> weighed_plans(const Request &request, const Front &front,
                                             std::optional<Plans> plans, std::optional<std::size_t> taken) {
  const std::size_t most = std::max(plans_shown, taken.value_or(0) + 1);
  std::string why;
  if (!plans) plans = plans_of(request, front, most, why);
  if (plans && plans->found.plans.size() > most) plans->found.plans.resize(most);
  if (!plans || plans->found.plans.empty()) return nullptr;
  auto made = std::make_shared<Weighed>();
  made->plans = std::move(*plans);
  made->taken = taken;
  made->conversions = conversions_of(front, made->plans);
  for (const contract::Plan &plan : made->plans.found.plans)
    made->kernels.push_back(kernel_text(planned_line(front, made->plans, plan)));
  made->bytes = value::facts_of(front.types.at(front.computation.tensors.front().name)).bytes;
  return made;
}

std::string kernel_text(const compute::PlannedLine &line) {
  if (line.nested.empty()) return line.program ? "a program" : "one product";
  return line.program ? "a program, with sums in the loops of a sparse factor"
                      : "one loop nest, with sums in the loops of a sparse factor";
}

} // namespace unravel::pipeline
