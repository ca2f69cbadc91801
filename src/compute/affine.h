#pragma once

#include "parse/tree.h"
#include "term/term.h"

#include <functional>
#include <string>

/// Terms and conditions of integers, as they are written.
namespace unravel::compute {

/// What a name stands for; throws a mistake where it stands for nothing.
using NamedTerm = std::function<term::Term(const parse::Name &)>;

/// Sums of what names stand for and integers, times integers (term/limits.h). Throws a mistake otherwise;
/// `what` it is, for the message: "a subscript".
term::Term affine_of(const parse::Expression &written, const std::string &what, const NamedTerm &named);

/// Comparisons of such terms, joined by `and`, `or`, `not`, `=>`.
term::Term condition_of(const parse::Expression &written, const NamedTerm &named);

/// A hint for what is no such term: an imaginary number is one that has lost its `*`. `other`: of all else.
std::string hint_without_product(const parse::Expression &written, const std::string &other);

} // namespace unravel::compute
