#include "machine/team.h"

#include "machine/stopwatch.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>
#if defined(__linux__)
#include <sched.h>
#endif

namespace unravel::machine {

namespace {

/// Waits until the counter has another value, and returns that. Precondition: the thread that changes it has
/// another processor.
int await_other(const std::atomic<int> &counter, int value) {
  int now = value;
  while (now == value)
    now = counter.load(std::memory_order_acquire);
  return now;
}

/// Two of the processors on which this process may run, or as many as there are.
std::vector<int> two_processors() {
  std::vector<int> processors;
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return {};
  for (int k = 0; k < CPU_SETSIZE && processors.size() < 2; ++k)
    if (CPU_ISSET(k, &set)) processors.push_back(k);
#else
  for (int k = 0; k < 2 && k < static_cast<int>(std::thread::hardware_concurrency()); ++k)
    processors.push_back(k);
#endif
  return processors;
}

/// From now on this thread runs on that processor: where others are busy, the system likes to put threads
/// that talk to each other on the same one.
void stay_on([[maybe_unused]] int processor) {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof(set), &set); // without it the time is less exact
#endif
}

} // namespace

int startable_threads(int wanted) {
  std::vector<std::thread> others;
  std::promise<void> all;
  const std::shared_future<void> wait_for_all = all.get_future().share();
  try {
    while (static_cast<int>(others.size()) + 1 < wanted)
      others.emplace_back([wait_for_all] { wait_for_all.wait(); });
  } catch (const std::system_error &) {
    // no more
  }
  all.set_value();
  for (std::thread &other : others)
    other.join();
  return static_cast<int>(others.size()) + 1;
}

double time_to_wake() {
  constexpr int rounds = 40;
  // Where the system polls for some 0.2 ms before it lets a core sleep, this is longer.
  constexpr std::chrono::microseconds time_to_fall_asleep(1000);
  std::mutex mutex;
  std::condition_variable called;
  int call = 0; // guarded by the mutex
  std::atomic<int> answer{0};
  std::thread sleeper([&] {
    for (int round = 1; round <= rounds; ++round) {
      std::unique_lock lock(mutex);
      called.wait(lock, [&] { return call == round; });
      answer.store(round, std::memory_order_release);
    }
  });
  std::vector<double> times;
  for (int round = 1; round <= rounds; ++round) {
    std::this_thread::sleep_for(time_to_fall_asleep);
    Stopwatch watch;
    {
      const std::lock_guard lock(mutex);
      call = round;
    }
    called.notify_one();
    while (answer.load(std::memory_order_acquire) != round)
      std::this_thread::yield(); // both may be on one processor
    times.push_back(watch.nanoseconds());
  }
  sleeper.join();
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}

std::optional<double> time_of_barrier() {
  constexpr int rounds = 1000, calls_per_round = 20, stop = -1;
  constexpr double enough = 3e7;    // ns, where other threads are on these processors
  constexpr double too_long = 5000; // then they never ran at once
  const std::vector<int> processors = two_processors();
  if (processors.size() < 2) return std::nullopt;
  std::atomic<int> call{0}, answer{0};
  double least = std::numeric_limits<double>::infinity();
  std::thread partner([&] {
    stay_on(processors[0]);
    for (int heard = 0; (heard = await_other(call, heard)) != stop;)
      answer.store(heard, std::memory_order_release);
  });
  std::thread caller([&] {
    stay_on(processors[1]);
    const Stopwatch all;
    for (int round = 0, last = 0; round < rounds && (round == 0 || all.nanoseconds() < enough); ++round) {
      const Stopwatch watch;
      for (int k = 0; k < calls_per_round; ++k) {
        call.store(last + 1, std::memory_order_release);
        last = await_other(answer, last);
      }
      least = std::min(least, watch.nanoseconds() / calls_per_round);
    }
    call.store(stop, std::memory_order_release);
  });
  caller.join();
  partner.join();
  if (least > too_long) return std::nullopt;
  return least;
}

} // namespace unravel::machine
