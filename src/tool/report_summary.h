#pragma once

#include "tool/report_page.h"
#include "tool/report_parts.h"

#include <string>

namespace unravel::tool {

/// The page in a few sentences: what is computed, by which loops and finds, what was proved for it, how long
/// that took; where it was run, the answer.
std::string summary_html(const ReportPage &page, const ReportParts &parts);

} // namespace unravel::tool
