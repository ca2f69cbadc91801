// Calls whose machine code has an operand in another layout.
#include "convert/convert.h"
#include "cost/contractions.h"
#include "library/code.h"
#include "pipeline/conversions.h"
#include "tensor/counts.h"

#include <algorithm>

namespace unravel {

namespace {

tensor::Tensor converted(const Tensor &operand, const TensorKind &kind) {
  const Tensor::State &state = Access::state(operand);
  return convert::convert(state.tensor(), kind.layout,
                          {pack_options(kind, state.fill), state.kind->sampled.empty()})
      .tensor;
}

/// Calls that are so many times larger than the last one that was weighed are weighed anew.
constexpr double grown = 16;

/// Extents and elements of arrays: what loops run over grows with them.
double size_of(const Tensor::State &state) {
  double size = 0;
  for (const std::int64_t extent : state.shape)
    size += static_cast<double>(extent);
  for (const data::Elements &array : state.arrays)
    size += static_cast<double>(array.size());
  return size;
}

} // namespace

std::vector<Tensor> Kernel::Code::converted_operands(const Bound &bound, const Prepared &prepared) {
  std::vector<Tensor> made;
  for (const ConvertedOperand &each : prepared.converted)
    made.push_back(wrap(converted(bound.tensors[each.argument], *each.kind), each.kind));
  return made;
}

std::optional<pipeline::Front> Kernel::Code::front_with_conversion(const Bound &bound,
                                                                   const pipeline::Request &known,
                                                                   const Prepared &prepared) const {
  pipeline::Front front = pipeline::read_request(known);
  if (const auto conversion = pipeline::conversion_that_pays(known, front, 1)) {
    pipeline::convert_operand(known, front, conversion->asked);
    return front;
  }
  const auto tensor_of = [&](const std::string &name) -> const Tensor & {
    return bound.tensors[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
  };
  const auto entries = [&](const std::string &operand) {
    return static_cast<double>(Access::state(tensor_of(operand)).tensor().entries());
  };
  const auto count = [&](const std::string &operand, const layout::Layout &layout, const std::string &name,
                         schedule::Counts &counts) {
    const TensorKind *kind = kind_of(layout, "", known.index, known.value.value_or(value::Type::Float64));
    tensor::put_counts(name, converted(tensor_of(operand), *kind), counts);
  };
  return pipeline::with_conversion_for_loops(known, front, prepared.variant->compilation(), 1,
                                             {entries, count});
}

const Kernel::Code::Prepared &Kernel::Code::cheapest_for(const Bound &bound, const Prepared &prepared) const {
  if (!prepared.is_dear) return prepared;
  double size = 0;
  for (std::size_t k = results; k < tensors; ++k)
    size += size_of(Access::state(bound.tensors[k]));
  std::scoped_lock lock(prepared.mutex);
  const bool is_new = !prepared.cheaper && size > grown * prepared.weighed;
  if (!prepared.cheaper && !is_new) return prepared; // most calls: counting takes longer than small ones do
  schedule::Counts counts;
  for (std::size_t k = results; k < tensors; ++k)
    tensor::put_counts(names[k], Access::state(bound.tensors[k]).tensor(), counts);
  const double visits = cost::worth * pipeline::visits_of(prepared.variant->compilation(), counts);
  if (is_new) prepared.weighed = size;
  if (is_new && visits >= pipeline::least_visits) {
    pipeline::Request known = request_for(bound);
    for (const auto &[name, number] : counts)
      known.counts.insert_or_assign(name, number);
    if (const auto other = front_with_conversion(bound, known, prepared))
      prepared.cheaper = prepare(bound, known, *other);
  }
  if (!prepared.cheaper) return prepared;
  double once = pipeline::least_visits;
  for (const ConvertedOperand &each : prepared.cheaper->converted)
    once += static_cast<double>(Access::state(bound.tensors[each.argument]).tensor().entries()) *
            cost::converted_entry;
  return once < visits ? *prepared.cheaper : prepared;
}

} // namespace unravel
