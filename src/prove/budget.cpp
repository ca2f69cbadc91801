#include "prove/budget.h"

#include <ctime>
#include <fmt/format.h>

namespace unravel::prove {

double cpu_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

std::vector<std::string> Budget::left_out() const {
  std::vector<std::string> lines;
  for (const auto &[what, times] : left_out_)
    lines.push_back(times == 1 ? what : fmt::format("{} ({} questions)", what, times));
  return lines;
}

report::Diagnostic notice_of(const std::vector<std::string> &left_out, double seconds) {
  return {
      report::Kind::budget_spent,
      {},
      fmt::format("the budget of {} s ran out before all was tried; not tried: {}", seconds,
                  fmt::join(left_out, "; ")),
      fmt::format(
          "the kernel is correct without it; allow more with `--budget {:g}`, or any time with `--budget 0`",
          5 * seconds)};
}

} // namespace unravel::prove
