#pragma once

#include "convert/pack.h"
#include "data/folder.h"
#include "run/session.h"

#include <complex>

/// Operands: from what the user gave to coordinates, with sizes that agree.
namespace unravel::run {

/// One operand before packing.
struct Operand {
  data::Coordinates coordinates;
  std::optional<tensor::Tensor> packed; // arrays given as a folder
  std::vector<std::int64_t> shape;
};

/// All tensors of a computation with data: extents of the indices agreed upon, generated operands made.
struct Operands {
  std::map<std::string, Operand> by_name;      // operands; the result too where it was given as an input
  std::map<std::string, std::int64_t> extents; // of index variables; of a program its sizes
  std::map<std::string, std::vector<std::int64_t>> result_shapes;
};

/// Folders of arrays, by tensor.
using Folders = std::map<std::string, data::ArrayFolder>;

/// Limits and progress of every read, as the request has them.
data::ReadOptions read_options(const Request &request);
convert::PackOptions pack_options(const Request &request, double fill = 0);
/// What the tensor's elements are that aren't stored, in its type.
double fill_of(const pipeline::Front &front, const std::string &tensor);
/// Of a sparse result: what elements are that it doesn't store.
double nothing_of(const pipeline::Front &front, const std::string &result);

/// A number as the user writes a scalar: 1.5, 2i or 1.5-2i, with j for i too. None where the text isn't one.
/// Throws number_too_large.
std::optional<std::complex<double>> number_in(const std::string &text);

/// The operator of two arguments that an option names: in the table, or of the user's own. Throws mistakes:
/// there is none, or none for that type.
value::Operator combining_operator(const std::string &name, const std::string &option,
                                   const std::vector<parse::OperatorTree> &own, value::Type type);

/// Reads folders: what they say of their arrays' layout and fill is noted as their tensors' formats, where
/// nothing is said of those otherwise. Throws mistakes.
Folders take_folders(Request &request);
/// Throws the error, of a format that isn't the user's words, as one of the folder that says it.
[[noreturn]] void fail_in_folder(const report::Error &error, const Request &request, const Folders &folders);

/// The types that files, and complex numbers, have are noted as known of their tensors.
void note_types(Request &request);

/// `notes`: as in Report, to which some may be added.
Operands read_operands(const Request &request, const pipeline::Front &front, const Folders &folders,
                       std::vector<std::string> &notes);

} // namespace unravel::run
