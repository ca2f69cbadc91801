#pragma once

#include "parse/tree.h"

#include <string>

/// Sparse results of programs that can't be appended to as the program makes them.
namespace unravel::compute {

/// "C is set in rounds", "C is read": why the result's entries can't be appended; empty: neither is so, or it
/// is a mask, which results can't be.
std::string why_kept(const parse::ProgramTree &tree, const std::string &result);

/// The program with a local tensor in the result's place, which is copied to it behind all else.
/// `repeat 3 { for i { for j { C(i,j) += A(i,j); } } }` is
///
///     let C_now(i2, j2) = 0;
///     repeat 3 { for i { for j { C_now(i,j) += A(i,j); } } }
///     for i2 { for j2 { C(i2,j2) = C_now(i2,j2); } }
///
/// `order`: the number of the result's modes. `nothing`: what its elements are that aren't stored.
parse::ProgramTree with_kept_result(parse::ProgramTree tree, const std::string &result,
                                    const std::string &local, std::size_t order, double nothing);

} // namespace unravel::compute
