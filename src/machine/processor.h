#pragma once

#include <string>

namespace unravel::machine {

/// The processor's model and features, some lines; empty where the machine does not tell.
std::string processor_identity();

/// The processor's name, for people: "AMD EPYC"; "unknown processor" where the machine does not tell.
std::string processor_name();

} // namespace unravel::machine
