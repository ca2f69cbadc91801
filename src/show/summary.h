#pragma once

#include "show/page.h"
#include "show/parts.h"

#include <string>

namespace unravel::show {

/// The page in a few sentences: what is computed, by which loops and finds, what was proved for it, how long
/// that took; where it was run, the answer.
std::string summary_html(const Page &page, const Parts &parts);

} // namespace unravel::show
