#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

/// Which elements the iterations of a parallel loop touch, so that the interpreter tells two that race.
namespace unravel::loop {

class Races {
public:
  enum class Touch { Read, Write, Atomic };

  /// A parallel loop begins. Loops inside it are its iterations' own. `copied`: an array that threads have
  /// copies of; whatever is done to it is no race.
  void enter(std::optional<std::size_t> copied) {
    if (depth_++ == 0) touched_.clear(), copied_ = copied;
  }
  void leave() { --depth_; }
  /// An iteration of the outermost of these loops begins.
  void begin_iteration(std::int64_t number) {
    if (depth_ == 1) iteration_ = number;
  }

  /// Another iteration, if it has touched the element too, and not both only read it or change it atomically.
  std::optional<std::int64_t> touch(std::size_t array, std::int64_t slot, Touch how) {
    if (depth_ == 0 || array == copied_) return std::nullopt;
    auto [at, is_new] = touched_.try_emplace(key(array, slot), Record{iteration_, how, false});
    if (is_new) return std::nullopt;
    Record &record = at->second;
    bool alike = record.how == how && how != Touch::Write;
    if (record.iteration != iteration_ && !alike) return record.iteration;
    if (record.several && !alike) return record.iteration;
    record.several = record.several || record.iteration != iteration_;
    if (!alike) record.how = Touch::Write; // what is touched in two ways is one iteration's own
    return std::nullopt;
  }

private:
  struct Record {
    std::int64_t iteration = 0;
    Touch how = Touch::Read;
    bool several = false; // touched by more iterations than this one
  };

  static std::uint64_t key(std::size_t array, std::int64_t slot) {
    return (static_cast<std::uint64_t>(array) << 48U) ^ static_cast<std::uint64_t>(slot);
  }

  std::unordered_map<std::uint64_t, Record> touched_;
  std::optional<std::size_t> copied_;
  std::int64_t iteration_ = 0;
  int depth_ = 0;
};

} // namespace unravel::loop
