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
      if (plan.made_at() != at) continue;
      if (const plan::Walk *walk = plan.walk())
        states_[k] = {value(walk->start), values(walk->state_extent), {}};
      if (const auto *map = plan.as<plan::HashMap>()) fill(plan, *map, maps_[k]);
      if (const auto *map = plan.as<plan::DenseMap>()) fill_dense(plan, *map, dense_[k]);
    }
  }

  void fill(const LevelPlan &plan, const plan::HashMap &how, Map &map) {
    map.clear();
    const std::string &name = nest_.levels[plan.level].variable;
    std::int64_t upper = value(how.upper);
    for (std::int64_t q = value(how.lower); q < upper; ++q) {
      world_.variables[name] = q;
      map[values(how.keys)].push_back(q);
    }
    world_.variables.erase(name);
  }

  /// What other segments left stays.
  void fill_dense(const LevelPlan &plan, const plan::DenseMap &how, std::vector<std::int64_t> &map) {
    const std::string &name = nest_.levels[plan.level].variable;
    map.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, value(how.extent))), 1);
    std::int64_t upper = value(how.upper);
    for (std::int64_t q = value(how.lower); q < upper; ++q) {
      world_.variables[name] = q;
      element(map, values(how.keys).at(0), plan) = q;
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

  /// One visit of a find.
  struct Visit {
    std::size_t at = 0, own = 0; // the level; of the plan
    LevelPlan plan;
    term::Term match;
    std::int64_t lower = 0, upper = 0;
  };

  void find(std::size_t at) {
    const scan::Level &level = nest_.levels[at];
    Visit visit{at, 0, {}, plan::match_condition(level), value(level.lower), value(level.upper)};
    for (std::size_t k = 0; k < plans_->size(); ++k)
      if ((*plans_)[k].level == at) visit.plan = (*plans_)[k], visit.own = k;
    std::visit([&](const auto &how) { this->by(how, visit); }, visit.plan.how);
  }

  bool holds(const term::Term &condition, std::int64_t q, const Visit &visit) {
    const std::string &name = nest_.levels[visit.at].variable;
    if (q < visit.lower || q >= visit.upper) throw OutOfRange("segment of " + name);
    world_.variables[name] = q;
    ++tests_;
    return value(condition) != 0;
  }

  /// Returns where walking may resume.
  std::int64_t matches_from(std::int64_t q, bool advance, const Visit &visit) {
    if (visit.plan.unique) {
      if (q < visit.upper && holds(visit.match, q, visit)) {
        body(visit.at, q);
        if (advance) ++q;
      }
      return q;
    }
    std::int64_t r = q;
    for (; r < visit.upper && holds(visit.match, r, visit); ++r)
      body(visit.at, r);
    return advance ? r : q;
  }

  void by(const plan::Direct &how, const Visit &visit) {
    std::int64_t q = value(how.position);
    const bool is_outside = q < visit.lower || q >= visit.upper;
    if (how.check_bounds && is_outside) return;
    if (how.check_match && !holds(visit.match, q, visit)) return;
    if (is_outside) throw OutOfRange("segment of " + nest_.levels[visit.at].variable);
    body(visit.at, q);
  }

  void by(const plan::Walk &how, const Visit &visit) {
    Slot slot = values(how.state_index);
    std::int64_t q = states_[visit.own].at(slot);
    const bool down = how.direction == Direction::Down;
    if (how.clamp) q = down ? std::min(q, visit.upper - 1) : std::max(q, visit.lower);
    auto skips = [&](std::int64_t p) {
      return p >= visit.lower && p < visit.upper && holds(how.skip, p, visit);
    };
    auto inside = [&](std::int64_t p) { return down ? p >= visit.lower : p < visit.upper; };
    const std::int64_t sign = down ? -1 : 1;
    if (!how.gallops) {
      while (inside(q) && holds(how.skip, q, visit))
        q += sign;
    } else if (inside(q) && holds(how.skip, q, visit)) {
      std::int64_t step = 1;
      for (; skips(q + sign * step); step *= 2)
        q += sign * step;
      // q is skipped, `step` ahead isn't.
      std::int64_t count = std::min(step, down ? q - visit.lower + 1 : visit.upper - q), passed = 1;
      while (passed < count) {
        std::int64_t middle = passed + (count - passed) / 2;
        if (holds(how.skip, q + sign * middle, visit))
          passed = middle + 1;
        else
          count = middle;
      }
      q += sign * passed;
    }
    if (!down) {
      q = matches_from(q, how.advance, visit);
    } else if (inside(q) && holds(visit.match, q, visit)) {
      body(visit.at, q);
      // No template may choose this: a trap's chain in falling order.
      for (std::int64_t r = q - 1; !visit.plan.unique && inside(r) && holds(visit.match, r, visit); --r)
        body(visit.at, r);
      if (how.advance) --q;
    }
    states_[visit.own].at(slot) = q;
  }

  void by(const plan::Binary &how, const Visit &visit) {
    std::int64_t low = visit.lower, high = visit.upper;
    while (low < high) {
      std::int64_t middle = low + (high - low) / 2;
      if (holds(how.skip, middle, visit))
        low = middle + 1;
      else
        high = middle;
    }
    matches_from(low, false, visit);
  }

  void by(const plan::Probe &how, const Visit &visit) {
    for (std::int64_t q = value(how.start); q < visit.upper; ++q) {
      if (q < visit.lower) throw OutOfRange("probe of " + nest_.levels[visit.at].variable);
      if (holds(visit.match, q, visit)) {
        body(visit.at, q);
        if (visit.plan.unique) return;
      }
      if (!holds(how.skip, q, visit)) return;
    }
  }

  void by(const plan::Scan &, const Visit &visit) {
    for (std::int64_t q = visit.lower; q < visit.upper; ++q)
      if (holds(visit.match, q, visit)) {
        body(visit.at, q);
        if (visit.plan.unique) return;
      }
  }

  void by(const plan::HashMap &how, const Visit &visit) {
    auto chain = maps_[visit.own].find(values(how.targets));
    if (chain == maps_[visit.own].end()) return;
    for (std::int64_t q : std::vector<std::int64_t>(chain->second))
      if (holds(visit.match, q, visit)) {
        body(visit.at, q);
        if (visit.plan.unique) return;
      }
  }

  void by(const plan::DenseMap &how, const Visit &visit) {
    std::int64_t target = values(how.targets).at(0);
    if (how.check_target && (target < 0 || target >= value(how.extent))) return;
    std::int64_t q = element(dense_[visit.own], target, visit.plan);
    if (visit.lower <= q && q < visit.upper && holds(visit.match, q, visit)) body(visit.at, q);
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
