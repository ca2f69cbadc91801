#include "prove/budget.h"

#include <algorithm>
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

namespace {

/// The first of them, each as far as a line goes: there may be hundreds.
std::string in_short(const std::vector<std::string> &left_out) {
  constexpr std::size_t most = 5, length = 100;
  std::vector<std::string> first;
  for (std::size_t k = 0; k < std::min(left_out.size(), most); ++k)
    first.push_back(left_out[k].size() <= length ? left_out[k] : left_out[k].substr(0, length) + "...");
  const std::size_t others = left_out.size() - first.size();
  return fmt::format("{}{}", fmt::join(first, "; "), others == 0 ? "" : fmt::format("; and {} more", others));
}

} // namespace

report::Diagnostic notice_of(const std::vector<std::string> &left_out, double seconds) {
  return {
      report::Kind::budget_spent,
      {},
      fmt::format("the budget of {} s ran out before all was tried; not tried: {}", seconds,
                  in_short(left_out)),
      fmt::format(
          "the kernel is correct without it; allow more with `--budget {:g}`, or any time with `--budget 0`",
          5 * seconds)};
}

} // namespace unravel::prove
