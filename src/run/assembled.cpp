#include "run/assembled.h"

#include "report/diagnostic.h"

#include <cstdlib>
#include <memory>
#include <utility>

namespace unravel::run {

Assembled::Assembled(Assembled &&other) noexcept
    : tensor_(other.tensor_), slots_(std::exchange(other.slots_, nullptr)) {}

/// Behind the sizes and counts.
std::uint64_t *Assembled::arrays() const {
  return slots_->data() + (slots_->size() - tensor_->layout.arrays.size());
}

Assembled::~Assembled() {
  if (!slots_) return;
  for (std::size_t k = 0; k < tensor_->layout.arrays.size(); ++k)
    std::free(reinterpret_cast<void *>(std::exchange(arrays()[k], 0)));
}

void Assembled::take() {
  const layout::Layout &layout = tensor_->layout;
  const std::uint64_t *count = arrays() - layout.counts.size();
  for (const layout::Count &each : layout.counts)
    tensor_->counts[each.name] = static_cast<std::int64_t>(*count++);
  for (const layout::Array &array : layout.arrays) {
    const std::size_t k = static_cast<std::size_t>(&array - layout.arrays.data());
    const std::optional<std::int64_t> size = tensor::element_count(array, *tensor_);
    report::require(size.has_value(), "the extents of an assembled result are known");
    auto *memory = reinterpret_cast<void *>(std::exchange(arrays()[k], 0));
    data::Elements &elements = tensor_->array(array.name);
    elements = data::Elements::over(elements.type(), memory, static_cast<std::size_t>(memory ? *size : 0),
                                    std::shared_ptr<void>(memory, std::free));
  }
}

} // namespace unravel::run
