#pragma once

#include "find/plan.h"
#include "world.h"

#include <algorithm>
#include <functional>

namespace unravel::find::test {

/// Executes a nest with a plan on concrete arrays exactly as plan.h says the methods do; without plans all
/// finds are scans. A read of a find's position outside its segment throws OutOfRange.
class Executor {
public:
  Executor(const scan::Nest &nest, World world) : nest_(nest), world_(std::move(world)) {}

  /// The values of all variables per executed instance, in order.
  std::vector<std::vector<std::int64_t>> run(const std::vector<LevelPlan> &plans) {
    plans_ = &plans;
    instances_.clear();
    states_.assign(plans.size(), 0);
    tests_ = 0;
    enter(0);
    return instances_;
  }

  /// Positions that were looked at by the last run.
  std::int64_t tests() const { return tests_; }

private:
  std::int64_t value(const term::Term &term) { return evaluate(term, world_); }

  void enter(std::size_t at) {
    for (std::size_t k = 0; k < plans_->size(); ++k)
      if ((*plans_)[k].method == Method::Sequential && (*plans_)[k].state_level == at &&
          at <= (*plans_)[k].level)
        states_[k] = value((*plans_)[k].start);
    if (at == nest_.levels.size()) {
      std::vector<std::int64_t> instance;
      for (const scan::Level &level : nest_.levels)
        instance.push_back(world_.variables.at(level.variable));
      instances_.push_back(std::move(instance));
      return;
    }
    const scan::Level &level = nest_.levels[at];
    switch (level.kind) {
    case scan::Level::Kind::Let: body(at, value(level.value)); return;
    case scan::Level::Kind::Loop: {
      std::int64_t upper = value(level.upper);
      for (std::int64_t q = value(level.lower); q < upper; ++q)
        body(at, q);
      return;
    }
    case scan::Level::Kind::Find: find(at); return;
    }
  }

  void body(std::size_t at, std::int64_t q) {
    const scan::Level &level = nest_.levels[at];
    world_.variables[level.variable] = q;
    for (const term::Term &guard : level.guards)
      if (!value(guard)) return;
    enter(at + 1);
  }

  void find(std::size_t at) {
    const scan::Level &level = nest_.levels[at];
    const term::Term match = match_condition(level);
    const std::int64_t lower = value(level.lower), upper = value(level.upper);
    LevelPlan plan;
    std::int64_t *state = nullptr;
    for (std::size_t k = 0; k < plans_->size(); ++k)
      if ((*plans_)[k].level == at) plan = (*plans_)[k], state = &states_[k];
    auto holds = [&](const term::Term &condition, std::int64_t q) {
      if (q < lower || q >= upper) throw OutOfRange("segment of " + level.variable);
      world_.variables[level.variable] = q;
      ++tests_;
      return value(condition) != 0;
    };
    auto matches_from = [&](std::int64_t q) { // returns where walking may resume
      if (plan.unique) {
        if (q < upper && holds(match, q)) {
          body(at, q);
          if (plan.advance) ++q;
        }
        return q;
      }
      std::int64_t r = q;
      for (; r < upper && holds(match, r); ++r)
        body(at, r);
      return plan.advance ? r : q;
    };
    switch (plan.method) {
    case Method::Direct: {
      std::int64_t q = value(plan.position);
      if (plan.check_bounds && (q < lower || q >= upper)) return;
      if (plan.check_match && !holds(match, q)) return;
      if (q < lower || q >= upper) throw OutOfRange("segment of " + level.variable);
      body(at, q);
      return;
    }
    case Method::Sequential: {
      std::int64_t q = *state;
      if (plan.direction == Direction::Up) {
        if (plan.clamp) q = std::max(q, lower);
        while (q < upper && holds(plan.skip, q))
          ++q;
        *state = matches_from(q);
        return;
      }
      if (plan.clamp) q = std::min(q, upper - 1);
      while (q >= lower && holds(plan.skip, q))
        --q;
      if (q >= lower && holds(match, q)) {
        body(at, q);
        if (plan.advance) --q;
      }
      *state = q;
      return;
    }
    case Method::Binary: {
      std::int64_t low = lower, high = upper;
      while (low < high) {
        std::int64_t middle = low + (high - low) / 2;
        if (holds(plan.skip, middle))
          low = middle + 1;
        else
          high = middle;
      }
      matches_from(low);
      return;
    }
    case Method::Scan:
      for (std::int64_t q = lower; q < upper; ++q)
        if (holds(match, q)) {
          body(at, q);
          if (plan.unique) return;
        }
      return;
    case Method::Galloping:
    case Method::Hash:
    case Method::Map: throw std::logic_error("method without an execution");
    }
  }

  const scan::Nest &nest_;
  World world_;
  const std::vector<LevelPlan> *plans_ = nullptr;
  std::vector<std::int64_t> states_;
  std::vector<std::vector<std::int64_t>> instances_;
  std::int64_t tests_ = 0;
};

} // namespace unravel::find::test
