#pragma once

#include "cfront/clang/interface.h"
#include "text/source.h"

#include <memory>
#include <string>
#include <vector>

namespace unravel::cfront {

/// The syntax of C, typed: an UnravelNode with its children.
struct Node {
  UnravelSyntaxKind kind = UnravelAbsent;
  UnravelSyntaxType type = UnravelAnyOther;
  int bits = 0;
  bool is_unsigned = false;
  int flags = 0;
  text::Span span;
  text::Span head; // of a For or If
  int declaration = -1;
  std::int64_t integer = 0;
  double decimal = 0;
  std::string text, type_name;
  std::vector<Node> children;

  bool is(UnravelSyntaxFlag flag) const { return (flags & flag) != 0; }
  bool is_there() const { return kind != UnravelAbsent; }
};

/// The function's syntax, from the module. Throws the C's first mistake (kind `c-error`), and
/// `unknown-function`.
Node read_syntax(const std::shared_ptr<const text::Source> &source, const std::string &function);

} // namespace unravel::cfront
