#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

/// Programs measured against each other on a machine that others use too: in turns, so that a slow spell hits
/// all, and compared round by round.
namespace unravel::bench {

/// To be called first: freed memory stays with the process. Where fresh pages are slow, as on virtual
/// machines, everything else would measure page faults.
void keep_memory();

/// To be called before anything else, where contestants run on several threads: idle threads of one OpenMP
/// runtime must not take the processors from another's, so both sleep at once. They read this when they are
/// loaded, so the program starts itself again. Not where OMP_WAIT_POLICY is set already.
void let_threads_sleep(char **arguments);

/// The machine's load average of the last minute: wall-clock times beside other jobs mean little.
double load();

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

/// Wall-clock time, for what runs on several threads, or the CPU time of the calling thread.
enum class Timing { wall, cpu };

/// What kernels on so many threads are timed by: CPU time on one, which other jobs disturb less.
Timing timing_of(int threads);
/// The unit of such times, as the tables print it.
std::string unit_of(Timing timing);

struct Contest {
  double first = 0;  // milliseconds of one run, median
  double second = 0; // likewise
  double ratio = 0;  // first / second: the median of the ratios of pairs
  double low = 0;    // quartiles of these ratios: how noisy they are
  double high = 0;
};

/// Runs both `pairs` times in turns, the one that begins changing each time. Runs shorter than 2 ms are
/// repeated until they take that long, and divided.
Contest compare(const std::function<void()> &first, const std::function<void()> &second, int pairs,
                Timing timing = Timing::cpu);

/// One of several programs that compute the same.
struct Contestant {
  std::string name;
  std::function<void()> run;
  std::function<std::vector<double>()> result; // of the last run
};

/// What several contestants took, in milliseconds of one run: per contestant one number per round. A slow one
/// may have been left out of the last rounds.
class Standings {
public:
  explicit Standings(std::vector<std::vector<double>> times) : times_(std::move(times)) {}

  /// The median of contestant k.
  double milliseconds(std::size_t k) const { return median(times_[k]); }
  /// k's time divided by that of `by`: the median over the rounds that both ran in.
  double ratio(std::size_t k, std::size_t by) const;

private:
  std::vector<std::vector<double>> times_;
};

/// Runs all in rounds, each round beginning with another one: as many rounds as `budget` milliseconds allow
/// (per contestant), at least 3 and at most 15. Runs shorter than 0.5 ms are repeated until they take that
/// long, and divided. Each runs `warming` times, untimed, before it is timed: or some would find in the
/// cache the arrays that they share with the one before, and others none.
Standings compare(const std::vector<Contestant> &contestants, Timing timing, double budget, int warming = 0);

/// `--name value` among the arguments, or the default.
std::string option(int count, char **arguments, const std::string &name, const std::string &otherwise);
/// Whether `--name` is among them.
bool has_option(int count, char **arguments, const std::string &name);
/// The folder of the input files: of `--data`, or $UNRAVEL_DATA. Empty: none, or `--quick`, which takes small
/// generated inputs only.
std::string data_folder(int count, char **arguments);
/// Of `--threads N`, at least 1 and at most 64.
int thread_count(int count, char **arguments, const std::string &otherwise);
/// Of `--threads 1|2|both`, both where it isn't given.
std::vector<int> thread_counts(int count, char **arguments);

} // namespace unravel::bench
