#include "contest.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <malloc.h>
#include <unistd.h>

namespace unravel::bench {

void keep_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
}

void let_threads_sleep(char **arguments) {
  if (std::getenv("OMP_WAIT_POLICY")) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  setenv("KMP_BLOCKTIME", "0", 1);
  execv("/proc/self/exe", arguments);
}

double load() {
  double average = 0;
  return getloadavg(&average, 1) == 1 ? average : 0;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double geometric_mean(const std::vector<double> &values) {
  double sum = 0;
  for (double value : values)
    sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

namespace {

constexpr double least_milliseconds = 0.5;
constexpr int most_repetitions = 10000;

double milliseconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

double time_of(const std::function<void()> &run, int repetitions, Timing timing = Timing::cpu) {
  const clockid_t clock = timing == Timing::wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
  const double begin = milliseconds_of(clock);
  for (int k = 0; k < repetitions; ++k)
    run();
  return (milliseconds_of(clock) - begin) / repetitions;
}

int repetitions_for(const std::function<void()> &run, Timing timing) {
  run(); // caches and branch predictors are warm from here on
  double once = std::min(time_of(run, 1, timing), time_of(run, 1, timing));
  return std::clamp(static_cast<int>(least_milliseconds / std::max(once, 1e-6)), 1, most_repetitions);
}

} // namespace

double cpu_milliseconds() {
  return milliseconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

Contest compare(const std::function<void()> &first, const std::function<void()> &second, int pairs,
                Timing timing) {
  int first_repetitions = repetitions_for(first, timing);
  int second_repetitions = repetitions_for(second, timing);
  std::vector<double> firsts, seconds, ratios;
  for (int pair = 0; pair < pairs; ++pair) {
    double a = 0, b = 0;
    if (pair % 2 == 0) a = time_of(first, first_repetitions, timing);
    b = time_of(second, second_repetitions, timing);
    if (pair % 2 != 0) a = time_of(first, first_repetitions, timing);
    firsts.push_back(a);
    seconds.push_back(b);
    ratios.push_back(a / b);
  }
  std::sort(ratios.begin(), ratios.end());
  return {median(firsts), median(seconds), ratios[ratios.size() / 2], ratios[ratios.size() / 4],
          ratios[ratios.size() * 3 / 4]};
}

double Standings::ratio(std::size_t k, std::size_t by) const {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < std::min(times_[k].size(), times_[by].size()); ++round)
    ratios.push_back(times_[k][round] / times_[by][round]);
  return median(ratios);
}

Standings compare(const std::vector<Contestant> &contestants, Timing timing, double budget, int warming) {
  constexpr int least_rounds = 3, most_rounds = 15;
  std::vector<int> repetitions, rounds;
  for (const Contestant &contestant : contestants) {
    contestant.run(); // caches and branch predictors are warm from here on
    double once = std::max(time_of(contestant.run, 1, timing), 1e-6);
    if (once < 10 * least_milliseconds) once = std::min(once, time_of(contestant.run, 3, timing));
    repetitions.push_back(std::clamp(static_cast<int>(least_milliseconds / once), 1, most_repetitions));
    double fitting = budget / (once * repetitions.back());
    rounds.push_back(static_cast<int>(std::clamp<double>(fitting, least_rounds, most_rounds)));
  }
  std::vector<std::vector<double>> times(contestants.size());
  for (int round = 0; round < most_rounds; ++round)
    for (std::size_t turn = 0; turn < contestants.size(); ++turn) {
      std::size_t k = (turn + static_cast<std::size_t>(round)) % contestants.size();
      if (round >= rounds[k]) continue;
      for (int run = 0; run < warming; ++run)
        contestants[k].run();
      times[k].push_back(time_of(contestants[k].run, repetitions[k], timing));
    }
  return Standings(std::move(times));
}

Timing timing_of(int threads) {
  return threads == 1 ? Timing::cpu : Timing::wall;
}

std::string unit_of(Timing timing) {
  switch (timing) {
  case Timing::cpu: return "ms of CPU time";
  case Timing::wall: break;
  }
  return "ms of wall clock";
}

std::string option(int count, char **arguments, const std::string &name, const std::string &otherwise) {
  for (int k = 1; k + 1 < count; ++k)
    if (arguments[k] == "--" + name) return arguments[k + 1];
  return otherwise;
}

bool has_option(int count, char **arguments, const std::string &name) {
  return std::any_of(arguments + 1, arguments + count,
                     [&](const char *argument) { return "--" + name == argument; });
}

std::string data_folder(int count, char **arguments) {
  if (has_option(count, arguments, "quick")) return "";
  const char *environment = std::getenv("UNRAVEL_DATA");
  return option(count, arguments, "data", environment ? environment : "");
}

int thread_count(int count, char **arguments, const std::string &otherwise) {
  return std::clamp(std::atoi(option(count, arguments, "threads", otherwise).c_str()), 1, 64);
}

std::vector<int> thread_counts(int count, char **arguments) {
  if (option(count, arguments, "threads", "both") == "both") return {1, 2};
  return {thread_count(count, arguments, "1")};
}

} // namespace unravel::bench
