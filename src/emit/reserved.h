#pragma once

#include <string>

namespace unravel::emit {

/// Whether an identifier means something in C, C++, their standard libraries, POSIX or OpenMP, or is one of
/// ours, so that a user's name must not be it.
bool is_reserved(const std::string &identifier);

} // namespace unravel::emit
