#pragma once

#include <cstddef>
#include <functional>

namespace unravel::data {

/// Runs work(k) for k in [0, count) on as many threads as there are cores, the caller's included. `between`
/// is called on the caller's thread with the number of items done. When some work throws, the exception of
/// the lowest k is rethrown once all threads are done: which one doesn't depend on timing.
void run_parallel(std::size_t count, const std::function<void(std::size_t)> &work,
                  const std::function<void(std::size_t)> &between = {});

/// Runs work(begin, end) on stretches of [0, count) in parallel; short ranges stay on the caller's thread.
void run_ranges(std::size_t count, const std::function<void(std::size_t, std::size_t)> &work);

} // namespace unravel::data
