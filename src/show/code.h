#pragma once

#include "show/parts.h"

/// The C of a kernel, line by line, each with links to what it was written for.
namespace unravel::show {

/// A line that a statement of the kernel has made leads to its level; `data-to` names the constraints and
/// proofs behind it, which the page's script lights up and lists beside the text.
std::string code_html(const Parts &parts);

} // namespace unravel::show
