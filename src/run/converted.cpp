#include "run/converted.h"

#include "convert/convert.h"
#include "cost/contractions.h"
#include "machine/stopwatch.h"
#include "pipeline/conversions.h"
#include "pipeline/plans.h"
#include "report/diagnostic.h"
#include "run/operand.h"
#include "tensor/counts.h"

#include <utility>

namespace unravel::run {

namespace {

/// Front::converted has the other ones of the given and the wanted layouts then.
void swap_layouts(pipeline::Front &front) {
  for (auto &[name, layout] : front.converted)
    std::swap(layout, front.layouts.at(name));
}

} // namespace

pipeline::Front Converted::read_front(const pipeline::Request &request) {
  pipeline::Front front = pipeline::read_request(request);
  swap_layouts(front);
  return front;
}

std::optional<double> Converted::convert(const Request &request, pipeline::Front &front,
                                         std::map<std::string, tensor::Tensor> &tensors, bool trust) {
  if (front.converted.empty() && front.converted_uses.empty()) return std::nullopt;
  const machine::Stopwatch clock;
  convert_uses(request, front, tensors, trust);
  swap_layouts(front);
  for (const auto &[name, given] : front.converted) {
    tensor::Tensor &tensor = tensors.at(name);
    const convert::PackOptions options = pack_options(request, fill_of(front, name));
    tensor::Tensor made = convert::convert(tensor, front.layouts.at(name), {options, trust}).tensor;
    given_.emplace(name, std::exchange(tensor, std::move(made)));
  }
  return clock.milliseconds();
}

std::optional<double> Converted::convert_if_it_pays(const Request &request, const pipeline::Request &known,
                                                    int calls, pipeline::Front &front,
                                                    std::map<std::string, tensor::Tensor> &tensors,
                                                    bool trust) {
  const auto conversion = pipeline::conversion_that_pays(known, front, calls);
  if (!conversion) return std::nullopt;
  pipeline::convert_operand(request.compile, front, conversion->asked);
  swap_layouts(front);
  return convert(request, front, tensors, trust);
}

void Converted::convert_uses(const Request &request, const pipeline::Front &front,
                             std::map<std::string, tensor::Tensor> &tensors, bool trust) {
  for (const auto &[access, use] : front.converted_uses) {
    const std::string tensor = pipeline::operand_of(access);
    const convert::PackOptions options = pack_options(request, fill_of(front, tensor));
    tensors.emplace(use.tensor, convert::convert(tensors.at(tensor), use.layout, {options, trust}).tensor);
    made_.push_back(use.tensor);
  }
}

std::optional<double> Converted::convert_for_loops(const Request &request, const pipeline::Request &known,
                                                   const pipeline::Compilation &compiled, int calls,
                                                   pipeline::Front &front,
                                                   std::map<std::string, tensor::Tensor> &tensors,
                                                   bool trust) {
  const auto count = [&](const std::string &operand, const layout::Layout &layout, const std::string &name,
                         schedule::Counts &counts) {
    const convert::PackOptions options = pack_options(request, fill_of(front, operand));
    tensor::put_counts(name, convert::convert(tensors.at(operand), layout, {options, trust}).tensor, counts);
  };
  const auto entries = [&](const std::string &operand) {
    return static_cast<double>(tensors.at(operand).entries());
  };
  std::optional<pipeline::Front> best =
      pipeline::with_conversion_for_loops(known, front, compiled, calls, {entries, count});
  if (!best) return std::nullopt;
  front = std::move(*best);
  swap_layouts(front);
  return convert(request, front, tensors, trust);
}

std::vector<std::string> Converted::worth_trying(const pipeline::Request &known,
                                                 const pipeline::Front &front) {
  std::string why;
  std::vector<std::string> schedules;
  if (const auto plans = pipeline::plans_of(known, front, pipeline::plans_looked_at, why))
    for (const pipeline::Conversion &each : pipeline::conversions_of(front, *plans))
      schedules.push_back(to_text(each));
  return schedules;
}

void Converted::give_back(std::map<std::string, tensor::Tensor> &tensors) {
  for (auto &[name, tensor] : given_)
    tensors.at(name) = std::move(tensor);
  given_.clear();
  for (const std::string &name : std::exchange(made_, {}))
    tensors.erase(name);
}

} // namespace unravel::run
