#pragma once

#include <string>

namespace unravel::build {

/// Does the kernel's text call BLAS?
bool calls_blas(const std::string &c_text);

/// Loads OpenBLAS, once, so that kernels find its functions. Throws not_supported where there is none.
void load_blas();

} // namespace unravel::build
