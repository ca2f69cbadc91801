#pragma once

#include "pipeline.h"

#include <optional>
#include <string>

/// Results that the kernel lists, by coordinates with indices of 64 bits, and that are packed behind it.
namespace unravel::pipeline {

/// The request with the result listed, or, where it is already, with a list in any order, in which entries of
/// one coordinate may stand for their sum, if that is right (`may_repeat`). Nothing where neither is news.
std::optional<Front> with_list(Front front, const std::string &tensor, bool may_repeat,
                               const report::Diagnostic &why);

/// The request compiled with the entries that the space makes collected before they are the result's: in a
/// list that is packed behind the kernel, or else, of a program, in a local tensor (with_kept_result; `why`:
/// for people). Throws `refused` where neither is possible, or where a local holds them already.
Compilation compile_collected(const Request &request, const Front &front,
                              const combine::IterationSpace &space, const std::string &why,
                              const report::Diagnostic &refused);

// ---- as C: a function around the kernel packs

/// Throws a limit where the C text of a packing doesn't do all that the layout asks for.
void require_packing_in_c(const Compilation &compilation);

/// The kernel, the functions that pack and the one around both, which has the name that the request gives;
/// `index` and `value` are the request's. In front stands packed_header's text, or a line that includes it as
/// a file. Precondition: require_packing_in_c, and some result is packed.
std::string packed_c_text(const Compilation &compilation, loop::ElementType index, loop::ElementType value,
                          bool with_header);
/// The structs, and the prototype of the function around.
std::string packed_header(const Compilation &compilation, loop::ElementType index, loop::ElementType value);

} // namespace unravel::pipeline
