#pragma once

#include "tool/report_page.h"

#include <string>

namespace unravel::tool {

/// Each layout as it was understood, and its arrays drawn: their first elements, where there are data; else
/// those of a small tensor that is packed for the purpose, if the layout can be packed.
std::string layouts_html(const ReportPage &page);

} // namespace unravel::tool
