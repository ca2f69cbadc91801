#include "run/outputs.h"

#include "convert/halves.h"
#include "data/folder.h"
#include "report/diagnostic.h"
#include "tensor/raw_arrays.h"

#include <filesystem>
#include <fmt/format.h>

namespace unravel::run {

namespace {

/// The same text for all paths that lead there.
std::filesystem::path resolved(const std::string &path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  std::filesystem::path whole = std::filesystem::weakly_canonical(absolute, error);
  if (error) whole = absolute;
  return whole.has_filename() ? whole : whole.parent_path();
}

/// What is written last would be all that is left. Into a device or a pipe may go several.
void require_different(const std::vector<std::string> &paths) {
  std::map<std::filesystem::path, std::string> known;
  for (const std::string &path : paths) {
    std::error_code ignored;
    if (path.empty() || std::filesystem::is_other(path, ignored)) continue;
    const auto [first, is_first] = known.emplace(resolved(path), path);
    if (!is_first)
      report::fail(
          report::Kind::bad_option,
          first->second == path
              ? fmt::format("`{}` is to be written twice", path)
              : fmt::format("`{}` and `{}` are one file, which is to be written twice", first->second, path),
          "name another file for one of them");
  }
}

} // namespace

void check_output(const std::string &path) {
  data::is_output_file(path); // or it is refused
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (path.ends_with('/')) folder = folder.parent_path();
  std::error_code error;
  const auto type = std::filesystem::status(folder.empty() ? "." : folder, error).type();
  if (type == std::filesystem::file_type::directory) return;
  report::fail(report::Kind::cannot_write, text::Place::of_file(path),
               type == std::filesystem::file_type::none
                   ? "cannot write: " + error.message()
                   : fmt::format("cannot write: there is no folder `{}`", folder.string()));
}

void check_outputs(const std::map<std::string, std::string> &outputs,
                   const std::vector<std::string> &others) {
  std::vector<std::string> all = others;
  for (const auto &[tensor, path] : outputs)
    all.push_back(path);
  require_different(all);
  // The result's name is known only after parsing; that the folder exists is known at once.
  for (const auto &[tensor, path] : outputs)
    check_output(path);
}

void write_output(const std::string &path, const tensor::Tensor &result, bool is_sparse,
                  const data::WriteOptions &options, std::vector<std::string> &notes) {
  if (!data::is_output_file(path))
    return data::write_folder(path, tensor::to_folder(result, is_sparse ? options.fill : 0));
  if (is_sparse && data::loses_fill(path, options)) notes.push_back(data::note_of_lost_fill(options));
  const data::Coordinates entries = convert::unpack_exactly(result);
  is_sparse ? data::write_tensor(path, entries, options) : data::write_dense(path, entries, options);
}

} // namespace unravel::run
