#pragma once

#include <optional>

/// What it takes one thread to hear from another.
namespace unravel::machine {

/// How many threads can run at once, of so many, with the caller's: what limits are set for the user is seen
/// only where threads are started.
int startable_threads(int wanted);

/// Nanoseconds from waking a thread that sleeps until it is heard from: the median of some 40 times. Two
/// threads can be started.
double time_to_wake();

/// Nanoseconds to get an answer from a thread that is awake and waits for just that: there and back, the
/// least of many times. None where the two never ran at once, for want of processors or as others are too
/// busy.
std::optional<double> time_of_barrier();

} // namespace unravel::machine
