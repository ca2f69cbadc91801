#pragma once

#include "parse/tree.h"

#include <memory>
#include <string>

/// Dense C as input: one function of a C file, read with Clang, as the program that it is.
namespace unravel::cfront {

/// A function as a program. The tree's spans lie in the C file, so that whatever later rooms have to say is
/// said of it.
struct Function {
  std::string name;
  parse::ProgramTree tree;
  bool is_float = false; // computes with `float`, not `double`
};

/// `where` as after `--from`: "file.c:function", or "file.c" where the file defines one function.
Function read(const std::string &where);
/// The same of a text; `function` may be empty.
Function read(const std::shared_ptr<const text::Source> &source, const std::string &function);

/// The file that `where` names.
std::string file_of(const std::string &where);

/// Whether Unravel was configured with Clang. Without it `read` throws kind `not-supported`.
bool is_available();

} // namespace unravel::cfront
