#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

/// Two programs measured against each other on a machine that others use too: in turns, so that a slow spell
/// hits both, and compared pair by pair.
namespace unravel::bench {

/// To be called first: freed memory stays with the process. Where fresh pages are slow, as on virtual
/// machines, everything else would measure page faults.
void keep_memory();

/// Wall-clock time.
class Clock {
public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// CPU time of the process so far, all threads, in milliseconds: what waiting for a processor doesn't count
/// in.
double cpu_milliseconds();

/// Precondition: not empty.
double median(std::vector<double> values);
/// Precondition: not empty, all positive.
double geometric_mean(const std::vector<double> &values);

struct Contest {
  double first = 0;  // milliseconds of one run, median
  double second = 0; // likewise
  double ratio = 0;  // first / second: the median of the ratios of pairs
  double low = 0;    // quartiles of these ratios: how noisy they are
  double high = 0;
};

/// Runs both `pairs` times in turns, the one that begins changing each time. Runs shorter than 2 ms are
/// repeated until they take that long, and divided.
Contest compare(const std::function<void()> &first, const std::function<void()> &second, int pairs);

/// `--name value` among the arguments, or the default.
std::string option(int count, char **arguments, const std::string &name, const std::string &otherwise);

} // namespace unravel::bench
