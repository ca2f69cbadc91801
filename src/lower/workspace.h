#pragma once

#include "combine/space.h"
#include "find/plan.h"
#include "loop/loop.h"

/// The arrays that a program's maps and states need.
namespace unravel::lower {

class Workspace {
public:
  /// `index`: the type of index arrays, which holds any position.
  Workspace(const combine::Combination &combination, const std::vector<loop::TensorParameter> &parameters,
            loop::ElementType index)
      : combination_(combination), parameters_(parameters), index_(index) {}

  /// The arrays of the map of a find. `value`: the operand's element where the map holds values.
  void add_map(const scan::Level &level, const find::LevelPlan &plan, const loop::Element &value,
               bool per_thread);

  /// The array of a find's states; returns its name.
  std::string add_states(const scan::Level &level, const find::LevelPlan &plan, bool per_thread);

  /// The array of the next values of a loop that its walks meet (jump.h); `none`: more than any value.
  std::string add_next(const scan::Level &level, const find::LevelPlan &plan, bool per_thread,
                       std::int64_t &none);

  std::vector<loop::WorkspaceArray> take() { return std::move(arrays_); }

private:
  void add(loop::WorkspaceArray array);
  std::string add_numbered(loop::WorkspaceArray array);
  void add_hash(const scan::Level &level, const find::LevelPlan &plan, bool per_thread);
  loop::ElementType element_of(const std::string &of) const;
  loop::ElementType state_element(const scan::Level &level, const find::LevelPlan &plan) const;

  const combine::Combination &combination_;
  const std::vector<loop::TensorParameter> &parameters_;
  loop::ElementType index_;
  std::vector<loop::WorkspaceArray> arrays_;
};

} // namespace unravel::lower
