#pragma once

#include <string>

namespace unravel::test {

/// The folder of this source tree. A function, not a macro of every test's command line: what one clone
/// compiled is then what another one needs, and ccache sees it.
const std::string &source_folder();

/// The program `unravel` of this build; empty where it isn't built.
const std::string &tool_path();

} // namespace unravel::test
