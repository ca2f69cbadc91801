#pragma once

#include <cstdint>
#include <vector>

/// Constraints x - y <= c over integers, which come and go like a stack. They are possible exactly as long as
/// no cycle of them has a negative sum (S. Cotton, O. Maler, *Fast and Flexible Difference Constraint
/// Propagation for DPLL(T)*, SAT 2006).
namespace unravel::prove {

/// x - y <= bound, for unknowns x and y by number.
struct Difference {
  int x = 0;
  int y = 0;
  std::int64_t bound = 0;
};

class Differences {
public:
  /// Within these limits, values stay within 64 bits over 2^22 additions: one lowers by a path's sum at most.
  static constexpr std::int64_t greatest_bound = std::int64_t{1} << 32;
  static constexpr std::size_t most_unknowns = 1 << 8;

  int add_unknown();
  std::size_t unknowns() const { return values_.size(); }
  /// Adds a constraint that `tag` stands for. False where it contradicts those before: then it isn't added,
  /// and conflict() has the tags of a contradictory part, its own among them.
  bool add(const Difference &constraint, int tag);
  const std::vector<int> &conflict() const { return conflict_; }
  /// How many constraints there are, and back to so many.
  std::size_t size() const { return edges_.size(); }
  void shrink(std::size_t size);

  /// Values that satisfy all constraints; they stay as they are when constraints go.
  std::int64_t value(int unknown) const { return values_[static_cast<std::size_t>(unknown)]; }
  bool holds(const Difference &constraint) const {
    return value(constraint.x) - value(constraint.y) <= constraint.bound;
  }

private:
  struct Edge {
    Difference constraint;
    int tag = 0;
  };

  std::vector<std::int64_t> values_;
  std::vector<std::vector<int>> from_; // per unknown y its constraints x - y <= c, by number
  std::vector<Edge> edges_;
  std::vector<int> conflict_;
  // While a constraint is added:
  std::vector<int> reason_;                           // per unknown the edge that lowered it last
  std::vector<std::pair<int, std::int64_t>> lowered_; // unknowns and what they were before
  std::vector<int> queue_;
  std::vector<char> waits_; // per unknown: it is in the queue
};

} // namespace unravel::prove
