#pragma once

#include "data/coordinates.h"
#include "data/file_text.h"

#include <vector>

/// Tensor files of any format, told apart by their names: .mtx, .tns, each with or without .gz after it.
namespace unravel::data {

/// Whether the name ends as a tensor file's does.
bool is_tensor_file_name(const std::string &path);

/// Reads a tensor; see read_matrix_market and read_frostt. Throws unknown_file_type for other names.
Coordinates read_tensor(const std::string &path, const ReadOptions &options = {});

struct WriteOptions {
  /// The values are 32-bit floating-point numbers: written as shortly as reads back to the same 32 bits.
  bool single_precision = false;
  /// Comment lines put after the banner, each without its comment sign.
  std::vector<std::string> comments;
};

/// Writes the entries as they stand. A .mtx file is a coordinate real general file: a vector becomes an n x 1
/// matrix, a scalar 1 x 1, and more than two modes are refused (unsupported_file). A .tns file has its shape
/// in a comment line. Throws cannot_write, unknown_file_type, unsupported_file.
void write_tensor(const std::string &path, const Coordinates &tensor, const WriteOptions &options = {});

/// Writes a dense tensor, given row-major: a .mtx file as an array file, a .tns file with all its elements.
void write_dense(const std::string &path, const std::vector<std::int64_t> &shape,
                 const std::vector<double> &values, const WriteOptions &options = {});

} // namespace unravel::data
