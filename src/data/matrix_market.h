#pragma once

#include "data/coordinates.h"
#include "data/file_text.h"
#include "value/type.h"

#include <optional>
#include <string_view>

/// Matrix Market files (.mtx): coordinate and array; real, integer, complex and pattern; general, symmetric,
/// skew-symmetric and hermitian. Plain or compressed by gzip, whatever the name.
namespace unravel::data {

/// Reads a matrix. The entries come in the order of the file; of a symmetric file the mirrored entries follow
/// after all the stored ones, the diagonal is not doubled; of a hermitian one they are conjugated. Of an
/// array file every stored element becomes an entry, zeros too. A pattern's entries have the value 1.
/// Duplicates stay. Throws bad_header, bad_entry, entry_out_of_range, entry_count, number_too_large,
/// memory_limit, each with its place. No memory is taken for a number
/// of entries that the file doesn't hold.
Coordinates read_matrix_market(const FileText &file, const ReadOptions &options = {});

/// The type of the values, by the first line: int64 of an `integer` file, complex128 of a `complex` one. A
/// `real` one and a `pattern`, whose entries are ones, say none.
std::optional<value::Type> type_in_matrix_market(std::string_view first_line);

} // namespace unravel::data
