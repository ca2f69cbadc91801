#pragma once

#include "data/tensor_file.h"
#include "fuzz/fuzz.h"

/// The fuzzers of tensor files.
namespace unravel::fuzz {

/// Reads `content` as a file of that name. What is accepted is written, and must be read again as the same
/// entries.
inline void read_as(const std::string &name, std::string_view content) {
  data::ReadOptions options;
  options.max_memory = std::int64_t{1} << 26;
  std::optional<data::Coordinates> tensor;
  refusable([&] { tensor = data::read_tensor(as_file(name, content), options); });
  if (!tensor || tensor->order() > 8) return;
  for (std::int64_t extent : tensor->shape) // some formats write a number for each row, or all elements
    if (extent > 1 << 16) return;
  bool is_written = false;
  const std::string again = (own_folder() / ("again-" + name)).string();
  refusable([&] {
    data::write_tensor(again, *tensor);
    is_written = true;
  });
  if (!is_written) return; // more modes than the format has
  const data::Coordinates read = data::read_tensor(again, options);
  if (read.size() != tensor->size()) fail("written, and read again with another number of entries");
}

} // namespace unravel::fuzz
