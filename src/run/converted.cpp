#include "run/converted.h"

#include "convert/convert.h"
#include "machine/stopwatch.h"
#include "pipeline/conversions.h"
#include "run/operand.h"

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
  if (front.converted.empty()) return std::nullopt;
  const machine::Stopwatch clock;
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
}

} // namespace unravel::run
