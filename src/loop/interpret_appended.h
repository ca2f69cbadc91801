#pragma once

#include "loop/interpret_arrays.h"

#include <functional>
#include <map>

/// Parallel loops that append (loop::Appended), as the interpreter runs them: each iteration, in whatever
/// order, has arrays of its own, and these are joined in the order of the iterations.
namespace unravel::loop {

class AppendedParts {
public:
  /// `make_room` makes the arrays of a count as long as it asks for. Precondition: the iterations are those
  /// of [lower, upper).
  AppendedParts(const AppendedCode &code, std::vector<std::int64_t> &variables, std::int64_t lower,
                std::int64_t upper,
                std::function<void(const AppendedCode::Counter &, std::int64_t)> make_room,
                std::function<const Array &(std::size_t)> array);

  /// Before an iteration and behind it.
  void begin(std::int64_t iteration);
  void end(std::int64_t iteration);
  /// Behind all.
  void join();

private:
  struct Part {
    std::vector<std::int64_t> counts;                             // of each counter
    std::map<std::size_t, std::vector<std::int64_t>> indices;     // by the array
    std::map<std::size_t, std::vector<double>> values, imaginary; // likewise
    std::vector<std::pair<std::int64_t, std::int64_t>> has_begun; // the nodes of each array of pointers
  };

  void raise(std::size_t number);
  void join(std::size_t counter);

  const AppendedCode &code_;
  std::vector<std::int64_t> &variables_;
  std::int64_t lower_, upper_;
  std::function<void(const AppendedCode::Counter &, std::int64_t)> make_room_;
  std::function<const Array &(std::size_t)> array_;
  std::vector<std::int64_t> first_; // the nodes of each array of pointers that were begun before
  std::vector<Part> parts_;
};

} // namespace unravel::loop
