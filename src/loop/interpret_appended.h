#pragma once

#include "loop/interpret_arrays.h"

#include <algorithm>
#include <functional>
#include <map>

/// Parallel loops that append (loop::Appended), as the interpreter runs them: each iteration, in whatever
/// order, has arrays of its own, and these are joined in the order of the iterations.
namespace unravel::loop {

class AppendedParts {
public:
  /// `make_room` makes the arrays of a count as long as it asks for. Precondition: the iterations are those
  /// of [lower, upper), `step` apart.
  AppendedParts(const AppendedCode &code, std::vector<std::int64_t> &variables, std::int64_t lower,
                std::int64_t upper, std::int64_t step,
                std::function<void(const AppendedCode::Counter &, std::int64_t)> make_room,
                std::function<const Array &(std::size_t)> array)
      : code_(code), variables_(variables), lower_(lower), upper_(upper), step_(step),
        make_room_(std::move(make_room)), array_(std::move(array)) {
    for (const AppendedCode::Counter &counter : code.counters)
      if (variables[counter.end] != 0) refuse("entries were appended before a parallel loop that appends");
    for (const AppendedCode::Pointers &pointers : code.pointers)
      first_.push_back(variables[pointers.end]);
    parts_.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, (upper - lower + step - 1) / step)));
  }

  /// Before an iteration and behind it.
  void begin(std::int64_t iteration) {
    Part &part = part_of(iteration);
    for (const AppendedCode::Counter &counter : code_.counters) {
      variables_[counter.end] = 0;
      make_room_(counter, 0);
    }
    for (std::size_t k = 0; k < code_.pointers.size(); ++k) {
      const AppendedCode::Pointers &pointers = code_.pointers[k];
      if (!pointers.is_counted) variables_[pointers.end] = iteration == lower_ ? first_[k] : iteration;
      part.has_begun.emplace_back(variables_[pointers.end], 0);
    }
  }

  void end(std::int64_t iteration) {
    Part &part = part_of(iteration);
    for (std::size_t k = 0; k < code_.pointers.size(); ++k) {
      const AppendedCode::Pointers &pointers = code_.pointers[k];
      std::int64_t &end = variables_[pointers.end];
      if (!pointers.is_counted && iteration + step_ < upper_)
        for (; end < iteration + step_; ++end)
          array_(pointers.array).indices->at(static_cast<std::size_t>(end)) = variables_[pointers.into];
      part.has_begun[k].second = end;
    }
    for (const AppendedCode::Counter &counter : code_.counters) {
      part.counts.push_back(variables_[counter.end]);
      make_room_(counter, part.counts.back()); // and no more
      for (std::size_t array : counter.arrays) {
        const Array &elements = array_(array);
        if (elements.values)
          part.values[array] = *elements.values;
        else
          part.indices[array] = *elements.indices;
        if (elements.imaginary) part.imaginary[array] = *elements.imaginary;
      }
    }
  }

  /// Behind all.
  void join() {
    if (parts_.empty()) return;
    for (std::size_t k = 0; k < code_.pointers.size(); ++k)
      raise(k);
    for (std::size_t k = 0; k < code_.counters.size(); ++k)
      join(k);
    for (std::size_t k = 0; k < code_.pointers.size(); ++k)
      if (!code_.pointers[k].is_counted)
        variables_[code_.pointers[k].end] = parts_.back().has_begun[k].second;
  }

private:
  struct Part {
    std::vector<std::int64_t> counts;                             // of each counter
    std::map<std::size_t, std::vector<std::int64_t>> indices;     // by the array
    std::map<std::size_t, std::vector<double>> values, imaginary; // likewise
    std::vector<std::pair<std::int64_t, std::int64_t>> has_begun; // the nodes of each array of pointers
  };

  Part &part_of(std::int64_t iteration) {
    return parts_[static_cast<std::size_t>((iteration - lower_) / step_)];
  }

  /// Pointers, by what the parts before have.
  void raise(std::size_t number) {
    const AppendedCode::Pointers &pointers = code_.pointers[number];
    std::size_t into = 0;
    while (code_.counters[into].end != pointers.into)
      ++into;
    std::int64_t before = 0;
    for (Part &part : parts_) {
      std::vector<std::int64_t> &elements =
          pointers.is_counted ? part.indices.at(pointers.array) : *array_(pointers.array).indices;
      for (std::int64_t node = part.has_begun[number].first; node < part.has_begun[number].second; ++node)
        elements.at(static_cast<std::size_t>(node)) += before;
      before += part.counts[into];
    }
  }

  void join(std::size_t number) {
    const AppendedCode::Counter &counter = code_.counters[number];
    std::int64_t count = 0;
    for (const Part &part : parts_)
      count += part.counts[number];
    variables_[counter.end] = count;
    make_room_(counter, count);
    const auto copy = [&](const auto &part, std::int64_t begin, std::int64_t length, auto &to) {
      std::copy_n(part.begin(), length, to.begin() + begin);
    };
    for (std::size_t array : counter.arrays) {
      const Array &elements = array_(array);
      const auto size =
          static_cast<std::int64_t>(elements.values ? elements.values->size() : elements.indices->size());
      const std::int64_t length = count > 0 ? size / count : 0; // of an entry; pointers have one more element
      std::int64_t begin = 0;
      for (const Part &part : parts_) {
        if (elements.values)
          copy(part.values.at(array), begin, part.counts[number] * length, *elements.values);
        else
          copy(part.indices.at(array), begin, part.counts[number] * length, *elements.indices);
        if (elements.imaginary)
          copy(part.imaginary.at(array), begin, part.counts[number] * length, *elements.imaginary);
        begin += part.counts[number] * length;
      }
    }
  }

  const AppendedCode &code_;
  std::vector<std::int64_t> &variables_;
  std::int64_t lower_, upper_, step_;
  std::function<void(const AppendedCode::Counter &, std::int64_t)> make_room_;
  std::function<const Array &(std::size_t)> array_;
  std::vector<std::int64_t> first_; // the nodes of each array of pointers that were begun before
  std::vector<Part> parts_;
};

} // namespace unravel::loop
