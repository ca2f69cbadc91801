#pragma once

#include "data/coordinates.h"
#include "data/file_text.h"

/// FROSTT files (.tns): one entry per line, its indices from 1 and its value; '#' starts a comment line.
/// Plain or compressed by gzip, whatever the name.
namespace unravel::data {

/// Reads a tensor. Its order is the number of columns of the first line less one; its shape is the largest
/// index of each mode, or, where the file has a comment line `# shape: 4 5 6` before the first entry (which
/// our writer makes, as the format can't say it), the shape given there. Throws
/// bad_header (nothing that tells the order), bad_entry, entry_out_of_range, number_too_large, memory_limit,
/// each with its place.
Coordinates read_frostt(const FileText &file, const ReadOptions &options = {});

} // namespace unravel::data
