#pragma once

#include "pipeline.h"
#include "machine/stopwatch.h"

#include <string>
#include <vector>

namespace unravel::pipeline {

/// Runs the steps; keeps time, without that of the steps inside, and, with details, what each printed.
class Steps {
public:
  Steps(std::vector<Stage> &stages, bool details) : stages_(stages), details_(details) {}

  template <class Work, class Print> auto run(const std::string &name, Work work, Print print) {
    const std::size_t inside = stages_.size();
    machine::Stopwatch watch;
    auto result = work();
    double spent = watch.milliseconds();
    for (std::size_t k = inside; k < stages_.size(); ++k)
      spent -= stages_[k].milliseconds;
    add(name, spent, [&] { return print(result); });
    return result;
  }

  /// A step that was done.
  template <class Print> void add(const std::string &name, double milliseconds, Print print) {
    stages_.push_back({name, details_ ? print() : std::string(), milliseconds});
  }

private:
  std::vector<Stage> &stages_;
  bool details_;
};

} // namespace unravel::pipeline
