#include "run/packed.h"

#include "convert/halves.h"
#include "run/assembled.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace unravel::run {

namespace {

/// The extents of the modes, from a struct that begins with the sizes, each name once.
std::vector<std::int64_t> shape_in(const std::uint64_t *slots, const layout::Layout &layout) {
  std::vector<std::string> names;
  std::vector<std::int64_t> shape;
  for (const std::string &size : layout.sizes) {
    auto known = std::ranges::find(names, size);
    const auto at = static_cast<std::size_t>(known - names.begin());
    if (known == names.end()) names.push_back(size);
    shape.push_back(static_cast<std::int64_t>(slots[at]));
  }
  return shape;
}

} // namespace

ListPacking::ListPacking(layout::Layout list_layout, const pipeline::PackedResult &wanted,
                         convert::PackOptions how)
    : list(std::move(list_layout)), layout(wanted.layout), options(how),
      plan_of_list(packing::plan_packing(list)), plan(packing::plan_packing(layout)),
      scan(convert::plan_tree(list)), drops_zeros(wanted.drops_zeros) {
  options.fill = wanted.nothing;
}

tensor::Tensor ListPacking::pack(const tensor::Tensor &entries) const {
  const value::Type type = layout::type_of_values(layout, options.value).value_or(options.value);
  if (!drops_zeros && !value::is_integer(type))
    return convert::convert(entries, scan, layout, plan, options).tensor;
  data::Coordinates all = convert::unpack_exactly(entries, options.max_memory);
  data::sort(all, data::natural_modes(all.order()));
  data::combine_duplicates(all);
  if (value::is_integer(type)) convert::wrap_around(all, type);
  if (drops_zeros) data::drop_zeros(all);
  return all.in_halves ? convert::pack_halves(layout, std::move(all), options)
                       : convert::pack(layout, plan, std::move(all), options);
}

ListedResult::ListedResult(const ListPacking &how, void *wanted)
    : how_(how), wanted_(static_cast<std::uint64_t *>(wanted)),
      list_(convert::pack(how.list, how.plan_of_list, data::Coordinates(shape_in(wanted_, how.layout)),
                          how.options)),
      slots_(tensor::kernel_arguments(list_).slots()) {}

void ListedResult::take() {
  Assembled(list_, slots_).take();
}

void ListedResult::pack() {
  tensor::Tensor made = how_.pack(list_);
  const tensor::KernelArguments from = tensor::kernel_arguments(made);
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::vector<std::unique_ptr<void, Free>> arrays;
  for (std::size_t k = 0; k < from.arrays.size(); ++k) {
    const std::size_t bytes = made.array(how_.layout.arrays[k].name).bytes();
    arrays.emplace_back(std::malloc(std::max<std::size_t>(bytes, 1)));
    if (!arrays.back()) throw std::bad_alloc();
    if (bytes > 0) std::memcpy(arrays.back().get(), from.arrays[k], bytes);
  }
  std::uint64_t *slot = wanted_ + from.sizes.size();
  for (const std::int64_t count : from.counts)
    *slot++ = static_cast<std::uint64_t>(count);
  for (std::unique_ptr<void, Free> &array : arrays)
    *slot++ = reinterpret_cast<std::uint64_t>(array.release());
}

} // namespace unravel::run
