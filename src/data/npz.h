#pragma once

#include "data/coordinates.h"
#include "data/npy.h"

/// Archives of arrays: sparse matrices as SciPy's save_npz writes them, and one array as NumPy's savez does.
namespace unravel::data {

/// All elements of an array. Throws value_width where options don't take integers that no double holds.
Coordinates entries_of(const Array &array, const ReadOptions &options = {});

/// Reads a matrix in SciPy's format csr, csc, bsr, coo or dia, or the one array that the archive has. Entries
/// come in the order in which they are stored, duplicates too. Throws cannot_read, bad_array_file (no
/// archive, an array that is missing, of the wrong shape, or with indices that lie outside),
/// unsupported_file, memory_limit.
Coordinates read_npz(const std::string &path, const ReadOptions &options = {});

/// What the file of the values' array begins with, its header; empty where there is none.
std::string beginning_of_values(const std::string &path);

/// Writes a tensor of at most two modes as SciPy's format csr, which scipy.sparse.load_npz reads: rows in
/// order, a row's entries in the order that they have. A vector becomes an n x 1 matrix. `type`: of the
/// values; `max_memory`: bytes for where rows begin. Throws cannot_write, memory_limit.
void write_npz(const std::string &path, const Coordinates &tensor, value::Type type,
               std::int64_t max_memory = default_max_memory());
/// Writes one array, "arr_0", as numpy.savez does.
void write_npz(const std::string &path, const Array &array);

} // namespace unravel::data
