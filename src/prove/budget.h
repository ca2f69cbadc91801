#pragma once

#include "report/diagnostic.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

/// For how long the compiler may look for what makes a kernel faster. A kernel is right without all of it.
namespace unravel::prove {

/// CPU time of this thread: machines are shared, and wall-clock time would measure the others.
double cpu_milliseconds();

/// A span of CPU time of the thread that made it, and a list of what was left out since it was spent.
class Budget {
public:
  /// So many seconds from now on; 0: without a limit.
  explicit Budget(double seconds = 0)
      : end_(seconds > 0 ? cpu_milliseconds() + seconds * 1e3 : std::numeric_limits<double>::infinity()) {}

  bool is_limited() const { return end_ != std::numeric_limits<double>::infinity(); }
  bool is_spent() const { return is_limited() && cpu_milliseconds() >= end_; }
  /// For a budget within this one: what is left, or next to nothing.
  double seconds_left() const {
    return is_limited() ? std::max((end_ - cpu_milliseconds()) * 1e-3, 1e-9) : 0;
  }
  /// May this be tried? Else it is noted as left out.
  bool allows(const std::string &what) {
    bool spent = is_spent();
    if (spent) leave_out(what);
    return !spent;
  }
  /// What was left out, with how often where it was more than once.
  std::vector<std::string> left_out() const;

  void leave_out(const std::string &what) { ++left_out_[what]; }

private:
  double end_; // in cpu_milliseconds()
  std::map<std::string, int> left_out_;
};

/// What the user is told, where something was left out.
report::Diagnostic notice_of(const std::vector<std::string> &left_out, double seconds);

} // namespace unravel::prove
