#pragma once

#include "data/coordinates.h"
#include "data/file_text.h"
#include "value/type.h"

#include <optional>
#include <vector>

/// Tensor files of any format, told apart by their names: .mtx, .tns, each with or without .gz after it;
/// .npy, an array; .npz, a sparse matrix of SciPy's or an array; .txt, written alone: all elements as text.
namespace unravel::data {

/// Whether the name ends as a tensor file's does.
bool is_tensor_file_name(const std::string &path);

/// Whether what is written to the path is a tensor file; otherwise it's a folder. Throws unknown_file_type
/// for the names of other files: `y.csv`, `-`, unless there is such a folder, or a slash comes last.
bool is_output_file(const std::string &path);

/// Reads a tensor; see read_matrix_market, read_frostt, read_npz and read_npy: an array has an entry for each
/// element. Throws unknown_file_type for other names.
Coordinates read_tensor(const std::string &path, const ReadOptions &options = {});

/// The type of the values in a file, by its beginning: of arrays that of their elements; of .mtx files as
/// type_in_matrix_market says. None of others, nor of what is no regular file.
std::optional<value::Type> type_in(const std::string &path);

/// What elements are that have no entry, where a comment line says so in front of them: `%fill inf` in a .mtx
/// file, `# fill: inf` in a .tns file. It is looked for in the file's beginning. None of others, nor of what is
/// no regular file.
std::optional<double> fill_in(const std::string &path);

struct WriteOptions {
  /// Of the values. Numbers of 32 bits are written as shortly as reads back to the same 32 bits.
  value::Type type = value::Type::Float64;
  /// What elements are that have no entry: written where all are, and in a comment line of .mtx and .tns files.
  double fill = 0;
  /// Comment lines put after the banner, each without its comment sign.
  std::vector<std::string> comments;
  /// Bytes that a file's text may take before it is written.
  std::int64_t max_memory = default_max_memory();
};

/// Writes the entries as they stand. A .mtx file is a coordinate general file, real, integer or complex: a
/// vector becomes an n x 1 matrix, a scalar 1 x 1, and more than two modes are refused (unsupported_file). A
/// .tns file has its shape in a comment line. A .npy file has all elements, of that type; a .txt file, too, a
/// line for each that has the same coordinates but for the last one; a .npz file is a matrix in SciPy's
/// format csr. Complex numbers are written to all but .tns files. Throws cannot_write, unknown_file_type,
/// unsupported_file, memory_limit.
void write_tensor(const std::string &path, const Coordinates &tensor, const WriteOptions &options = {});

/// Whether write_tensor writes the entries, and not what other elements are; a note that says so.
bool loses_fill(const std::string &path, const WriteOptions &options);
std::string note_of_lost_fill(const WriteOptions &options);

/// Writes all elements of a tensor: a .mtx file as an array file, a .tns file with an entry for each.
void write_dense(const std::string &path, const Coordinates &tensor, const WriteOptions &options = {});

} // namespace unravel::data
