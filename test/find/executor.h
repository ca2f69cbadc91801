#pragma once

#include "find/planner.h"
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
    states_.assign(plans.size(), {});
    maps_.assign(plans.size(), {});
    dense_.assign(plans.size(), {});
    tests_ = 0;
    enter(0);
    return instances_;
  }

  /// Positions that were looked at by the last run.
  std::int64_t tests() const { return tests_; }

private:
  using Slot = std::vector<std::int64_t>;
  using Map = std::map<Slot, std::vector<std::int64_t>>;

  /// A scalar is an array without dimensions.
  struct States {
    std::int64_t start = 0;
    Slot extent;
    std::map<Slot, std::int64_t> slots;

    std::int64_t &at(const Slot &slot) {
      for (std::size_t k = 0; k < slot.size(); ++k)
        if (slot[k] < 0 || slot[k] >= extent.at(k)) throw OutOfRange("array of states");
      return slots.emplace(slot, start).first->second;
    }
  };

  std::int64_t value(const term::Term &term) { return evaluate(term, world_); }

  std::vector<std::int64_t> values(const std::vector<term::Term> &terms) {
    std::vector<std::int64_t> all;
    for (const term::Term &term : terms)
      all.push_back(value(term));
    return all;
  }

  /// What plans declare or fill just before a level.
  void prepare(std::size_t at) {
    for (std::size_t k = 0; k < plans_->size(); ++k) {
      const LevelPlan &plan = (*plans_)[k];
      if (at > plan.level) continue;
      if (keeps_state(plan.method) && plan.state_level == at)
        states_[k] = {value(plan.start), values(plan.state_extent), {}};
      if (plan.method == Method::Hash && plan.map_level == at) fill(plan, maps_[k]);
      if (plan.method == Method::Map && plan.map_level == at) fill_dense(plan, dense_[k]);
    }
  }

  void fill(const LevelPlan &plan, Map &map) {
    map.clear();
    const std::string &name = nest_.levels[plan.level].variable;
    std::int64_t upper = value(plan.map_upper);
    for (std::int64_t q = value(plan.map_lower); q < upper; ++q) {
      world_.variables[name] = q;
      map[values(plan.map_keys)].push_back(q);
    }
    world_.variables.erase(name);
  }

  /// What other segments left stays.
  void fill_dense(const LevelPlan &plan, std::vector<std::int64_t> &map) {
    const std::string &name = nest_.levels[plan.level].variable;
    map.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, value(plan.map_extent))), 1);
    std::int64_t upper = value(plan.map_upper);
    for (std::int64_t q = value(plan.map_lower); q < upper; ++q) {
      world_.variables[name] = q;
      element(map, values(plan.map_keys).at(0), plan) = q;
    }
    world_.variables.erase(name);
  }

  std::int64_t &element(std::vector<std::int64_t> &map, std::int64_t key, const LevelPlan &plan) const {
    if (key < 0 || key >= static_cast<std::int64_t>(map.size()))
      throw OutOfRange("map of " + nest_.levels[plan.level].variable);
    return map[static_cast<std::size_t>(key)];
  }

  void enter(std::size_t at) {
    // Nothing of an earlier visit may be used.
    if (at < nest_.levels.size()) world_.variables.erase(nest_.levels[at].variable);
    prepare(at);
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
    const term::Term match = plan::match_condition(level);
    const std::int64_t lower = value(level.lower), upper = value(level.upper);
    LevelPlan plan;
    std::size_t own = 0;
    for (std::size_t k = 0; k < plans_->size(); ++k)
      if ((*plans_)[k].level == at) plan = (*plans_)[k], own = k;
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
    case Method::Sequential:
    case Method::Galloping: {
      Slot slot = values(plan.state_index);
      std::int64_t q = states_[own].at(slot);
      const bool down = plan.direction == Direction::Down;
      if (plan.clamp) q = down ? std::min(q, upper - 1) : std::max(q, lower);
      auto skips = [&](std::int64_t p) { return p >= lower && p < upper && holds(plan.skip, p); };
      auto inside = [&](std::int64_t p) { return down ? p >= lower : p < upper; };
      const std::int64_t sign = down ? -1 : 1;
      if (plan.method == Method::Sequential) {
        while (inside(q) && holds(plan.skip, q))
          q += sign;
      } else if (inside(q) && holds(plan.skip, q)) {
        std::int64_t step = 1;
        for (; skips(q + sign * step); step *= 2)
          q += sign * step;
        // q is skipped, `step` ahead isn't.
        std::int64_t count = std::min(step, down ? q - lower + 1 : upper - q), passed = 1;
        while (passed < count) {
          std::int64_t middle = passed + (count - passed) / 2;
          if (holds(plan.skip, q + sign * middle))
            passed = middle + 1;
          else
            count = middle;
        }
        q += sign * passed;
      }
      if (!down) {
        q = matches_from(q);
      } else if (inside(q) && holds(match, q)) {
        body(at, q);
        // No template may choose this: a trap's chain in falling order.
        for (std::int64_t r = q - 1; !plan.unique && inside(r) && holds(match, r); --r)
          body(at, r);
        if (plan.advance) --q;
      }
      states_[own].at(slot) = q;
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
    case Method::Probe:
      for (std::int64_t q = value(plan.start); q < upper; ++q) {
        if (q < lower) throw OutOfRange("probe of " + nest_.levels[at].variable);
        if (holds(match, q)) {
          body(at, q);
          if (plan.unique) return;
        }
        if (!holds(plan.skip, q)) return;
      }
      return;
    case Method::Scan:
      for (std::int64_t q = lower; q < upper; ++q)
        if (holds(match, q)) {
          body(at, q);
          if (plan.unique) return;
        }
      return;
    case Method::Hash: {
      auto chain = maps_[own].find(values(plan.map_targets));
      if (chain == maps_[own].end()) return;
      for (std::int64_t q : std::vector<std::int64_t>(chain->second))
        if (holds(match, q)) {
          body(at, q);
          if (plan.unique) return;
        }
      return;
    }
    case Method::Map: {
      std::int64_t target = values(plan.map_targets).at(0);
      if (plan.check_target && (target < 0 || target >= value(plan.map_extent))) return;
      std::int64_t q = element(dense_[own], target, plan);
      if (lower <= q && q < upper && holds(match, q)) body(at, q);
      return;
    }
    }
  }

  const scan::Nest &nest_;
  World world_;
  const std::vector<LevelPlan> *plans_ = nullptr;
  std::vector<States> states_;
  std::vector<Map> maps_;
  std::vector<std::vector<std::int64_t>> dense_;
  std::vector<std::vector<std::int64_t>> instances_;
  std::int64_t tests_ = 0;
};

} // namespace unravel::find::test
