#pragma once

#include "data/tensor_file.h"
#include "tensor/tensor.h"

#include <map>
#include <string>
#include <vector>

/// Where results go: files of entries, or folders with the arrays of their layouts.
namespace unravel::run {

/// Before anything is read: refuses a path that can't be written (cannot_write), or is named like a file of
/// another kind (unknown_file_type).
void check_output(const std::string &path);
/// All of them, and two that are one file or folder (bad_option). `others`: files that the caller writes.
void check_outputs(const std::map<std::string, std::string> &outputs, const std::vector<std::string> &others);

/// Writes a result, wholly or not at all. `is_sparse`: a file has what is stored, else all elements. Throws
/// what data::write_tensor does. `notes` gets what the file doesn't say.
void write_output(const std::string &path, const tensor::Tensor &result, bool is_sparse,
                  const data::WriteOptions &options, std::vector<std::string> &notes);

} // namespace unravel::run
