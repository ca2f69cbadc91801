#pragma once

#include "show/page.h"

#include <string>

namespace unravel::show {

/// Each layout as it was understood, and its arrays drawn: their first elements, where there are data; else
/// those of a small tensor that is packed for the purpose, if the layout can be packed.
std::string layouts_html(const Page &page);

} // namespace unravel::show
