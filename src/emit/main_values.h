#pragma once

#include "loop/loop.h"
#include "value/exact.h"

#include <map>
#include <set>
#include <string>
#include <vector>

/// The numbers in the program around a kernel: how it reads and writes them.
namespace unravel::emit {

/// The C type of the values that are read.
inline const char *type_of_values(bool is_complex) {
  return is_complex ? "double _Complex" : "double";
}

/// Of the tensor's values, of several arrays the common type; f64 where there are none.
value::Type value_type(const loop::TensorParameter &tensor);
/// Are they read as integers, for its pack function?
bool has_packed_integers(const loop::TensorParameter &tensor);
/// The C tables that say which integers each of the tensors holds, and of which entries of one coordinate are
/// added up, those of `adding`. Empty where none is packed of integers.
std::string tables_of_integers(const std::vector<loop::TensorParameter> &tensors,
                               const std::set<std::string> &adding);

/// The C table that says of each tensor what its elements are that aren't stored: 0, unless `fills` says it.
std::string table_of_fills(const std::vector<loop::TensorParameter> &tensors,
                           const std::map<std::string, double> &fills);

/// How a result is written: the C type that its values have then, its name in c/results.c, and the field of a
/// .mtx file.
struct WrittenAs {
  const char *type, *name, *field;
};

WrittenAs written_as(value::Type type);

/// A result that is written: all elements, or what is stored.
struct WrittenResult {
  value::Type type;
  bool is_sparse;
};

/// The C functions that write these.
std::string writers(const std::vector<WrittenResult> &results);

/// The text with what the words of main.c stand for.
std::string with_types_of_values(std::string text, bool has_complex);

} // namespace unravel::emit
