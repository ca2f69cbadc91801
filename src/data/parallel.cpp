#include "data/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace unravel::data {

void run_parallel(std::size_t count, const std::function<void(std::size_t)> &work,
                  const std::function<void(std::size_t)> &between) {
  std::atomic<std::size_t> next = 0, done = 0;
  std::vector<std::exception_ptr> failures(count);
  std::atomic<bool> failed = false;
  auto run = [&](bool caller) {
    // Items are handed out in order, so that everything before the first failure is done too.
    while (!failed) {
      std::size_t item = next++;
      if (item >= count) return;
      try {
        work(item);
      } catch (...) {
        failures[item] = std::current_exception();
        failed = true;
      }
      std::size_t finished = ++done;
      if (caller && between) between(finished);
    }
  };
  std::size_t threads = std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t t = 1; t < threads; ++t)
        others.emplace_back(run, false);
    } catch (const std::system_error &) {
      // There may be no more threads: those that there are do it.
    }
    run(true);
  }
  for (const std::exception_ptr &failure : failures)
    if (failure) std::rethrow_exception(failure);
}

void run_ranges(std::size_t count, const std::function<void(std::size_t, std::size_t)> &work) {
  constexpr std::size_t length = std::size_t{1} << 16;
  run_parallel((count + length - 1) / length,
               [&](std::size_t k) { work(k * length, std::min(count, (k + 1) * length)); });
}

} // namespace unravel::data
