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
  double decimal = 0, imaginary = 0;
  std::string text, type_name;
  std::vector<Node> children;

  bool is(UnravelSyntaxFlag flag) const { return (flags & flag) != 0; }
  bool is_there() const { return kind != UnravelAbsent; }
};

inline bool is_complex(UnravelSyntaxType type) {
  return type == UnravelComplexFloat || type == UnravelComplexDouble;
}
/// Of the real and of the imaginary part; of another type itself.
inline UnravelSyntaxType type_of_parts(UnravelSyntaxType type) {
  return type == UnravelComplexFloat ? UnravelFloat : type == UnravelComplexDouble ? UnravelDouble : type;
}
/// Of numbers that are no integers; `long double` is one, too.
inline bool is_number(UnravelSyntaxType type) {
  const UnravelSyntaxType parts = type_of_parts(type);
  return parts == UnravelFloat || parts == UnravelDouble || parts == UnravelOtherFloating;
}

/// The function's syntax, from the module. Throws the C's first mistake (kind `c-error`), and
/// `unknown-function`.
Node read_syntax(const std::shared_ptr<const text::Source> &source, const std::string &function);

} // namespace unravel::cfront
