#pragma once

#include "compute/computation.h"
#include "data/coordinates.h"
#include "tensor/tensor.h"

#include <map>
#include <string>

/// What the reference evaluator must know of the tensors that kernels compute with.
namespace unravel::run {

/// Is there an infinity or a NaN in a tensor that statements compute with?
bool has_special_values(const compute::Program &program,
                        const std::map<std::string, tensor::Tensor> &tensors);
/// Does a statement divide by a tensor with a zero among its stored values? Then a plan may make a NaN of a
/// sum over nothing.
bool has_zero_divisor(const compute::Program &program, const std::map<std::string, tensor::Tensor> &tensors);

/// Does a statement ask for it, by a mask or with a product of a semiring, which zeros are stored?
bool asks_what_is_stored(const compute::Program &program);

/// Does it matter to others? Where there are infinities: in what statements read, or made on the way to a
/// result that isn't finite. `tensors`: the results too, as the statements have left them.
bool meets_special_values(const compute::Program &program,
                          const std::map<std::string, tensor::Tensor> &tensors);

/// The entries, and those slots of the stored ones that no entry has.
data::Coordinates with_slots_of(const data::Coordinates &stored, data::Coordinates entries);

/// Rounds the entries to single precision where the tensor that was packed of them has it: kernels compute
/// with that, and what they compare, or make integers of, shows the difference. Entries that packing adds up
/// become one. O(entries); of entries with equal coordinates also the time to sort them, and to unpack the
/// tensor.
void round_as_stored(data::Coordinates &entries, const tensor::Tensor &stored);

} // namespace unravel::run
