#include "run/outputs.h"

#include "convert/convert.h"
#include "convert/exact.h"
#include "data/folder.h"
#include "report/diagnostic.h"
#include "tensor/raw_arrays.h"

#include <filesystem>
#include <fmt/format.h>

namespace unravel::run {

void check_outputs(const std::map<std::string, std::string> &outputs) {
  // The result's name is known only after parsing; that the folder exists is known at once.
  for (const auto &[tensor, path] : outputs) {
    data::is_output_file(path); // or it is refused
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (path.ends_with('/')) folder = folder.parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
      report::fail(report::Kind::cannot_write, text::Place::of_file(path),
                   fmt::format("cannot write: there is no folder `{}`", folder.string()));
  }
}

void write_output(const std::string &path, const std::string &name, const tensor::Tensor &result,
                  bool is_sparse, const data::WriteOptions &options) {
  if (!data::is_output_file(path)) return data::write_folder(path, tensor::to_folder(result));
  convert::require_exact(result, fmt::format("`{}` holds the values of `{}` as doubles", path, name),
                         "name a folder: its arrays are exact");
  const data::Coordinates entries = convert::unpack(result);
  is_sparse ? data::write_tensor(path, entries, options) : data::write_dense(path, entries, options);
}

} // namespace unravel::run
