#pragma once

#include "check/resolved_statement.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace unravel::check {

/// The points of a free statement at which it may do something: those at which each of its supports is
/// stored. They are found by joining the entries of the supports, from the one with fewest on; each further
/// one is looked up in a hash index by the subscripts that are known by then. Indices that no support has
/// take all their values.
///
/// The order of the visits is that of the join, not of the text. Each point is visited once, and its value is
/// computed there as written: only the order in which terms reach an element is another, and no reduction
/// depends on it.
class FreePoints {
public:
  /// `ranges`: of index variables whose values are restricted to [first, second).
  FreePoints(ResolvedStatement &statement, Memory &memory,
             const std::map<std::string, std::pair<std::int64_t, std::int64_t>> &ranges);

  /// Calls visit() at each point: the index variables have their values there, and places of supports their
  /// entries.
  void each(const std::function<void()> &visit);

private:
  struct Index {
    Variables::Variable *variable;
    std::int64_t low = 0, high = INT64_MAX;
    bool is_bound = false; // by the steps so far, while they are planned
  };
  struct Mode {
    std::size_t mode;
    PlaceSubscript *subscript;
    Index *index; // null of a constant
  };
  /// An access of a support: entries are found by the modes that are known, and bind the others.
  struct Access {
    Place *place;
    std::vector<Mode> known, fresh;
    std::vector<std::size_t> known_modes;
    const EntryIndex *entries = nullptr;
    std::vector<Index *> missing; // indices of the support's other accesses that this one doesn't have
    Coordinate at;                // room for indices in the known modes
  };
  using Step = std::vector<Access>;

  void take_bounds(Place &place);
  Index *index_of(const PlaceSubscript &subscript);
  void plan();
  Step step_of(const std::vector<Place *> &support);
  double steps_of(const Step &step) const;
  void join(std::size_t depth);
  void join(std::size_t depth, std::size_t number);
  bool binds(const Access &access, std::size_t e) const;
  void fill_in(std::size_t depth, std::size_t number, std::size_t k);
  void run_over(std::size_t k);

  ResolvedStatement &statement_;
  Memory &memory_;
  std::map<const Variables::Variable *, Index> indices_;
  std::vector<Index *> order_; // of the text
  std::vector<Step> steps_;
  std::vector<Index *> rest_; // that no support has
  const std::function<void()> *visit_ = nullptr;
};

} // namespace unravel::check
