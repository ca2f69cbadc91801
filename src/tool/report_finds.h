#pragma once

#include "tool/report_parts.h"

namespace unravel::tool {

/// Per find of each plan its template, the obligations with their verdicts, the candidates that lost, with
/// counterexamples.
std::string finds_html(const ReportParts &parts);

} // namespace unravel::tool
