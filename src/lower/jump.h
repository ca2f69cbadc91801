#pragma once

#include "loop/loop.h"
#include "lower/clearing.h"
#include "lower/find_code.h"
#include "lower/lower.h"
#include "lower/workspace.h"

#include <optional>

/// Loops that go on at the least value which a walk inside can meet (find/walk.h).
namespace unravel::lower {

/// The find whose walks say where the loop of that level goes on; null where it takes every value. `cleared`:
/// the level before which the result's elements are cleared.
const plan::LevelPlan *jump_at(const LeafPlan &leaf, std::size_t loop, std::optional<std::size_t> cleared);

/// Without the loop that jumps, would each element of the result be set just before the find? Then the first
/// visit with a state sets what all of these add to.
bool sets_at_visits(const LeafPlan &leaf, const plan::LevelPlan &plan, const Clearing &clearing);

/// Each position of a segment matches in exactly one iteration of a loop that may jump. So what a loop over
/// them would set just before its use, matches set: before that level.
std::optional<std::size_t> set_at_matches(const LeafPlan &leaf, const Clearing &clearing);

/// Code for one such loop.
class JumpingLoop {
public:
  /// Arrays where the plan's states are in one: the states, and for each the loop's next value that its walk
  /// meets. They are the find's alone, of each thread if `per_thread`.
  /// `clear`: sets what the visits with one state add to; before the first of them, or where there is none.
  JumpingLoop(const scan::Nest &nest, const plan::FindPlan &finds, const plan::LevelPlan &plan,
              Workspace &workspace, bool per_thread, loop::Block clear);

  /// Just before the loop: states in an array, each at the begin of its segment. A scalar is declared
  /// already.
  loop::Block begin() const;
  /// The loop over the values that walks meet; `body` is that of an iteration.
  loop::Block loop(loop::Block body, std::string comment) const;
  /// What the find's code may rely on.
  Around around() const;
  /// One visit of the find: where its walk stands at a match. `walk` is the find's code for that.
  loop::Block visit(loop::Block walk) const;

private:
  const plan::Walk &walk() const { return *plan_.walk(); }
  const plan::Jump &jump() const { return *walk().jump; }
  bool in_array() const { return !walk().state_index.empty(); }
  const scan::Level &here() const { return nest_.levels[jump().loop]; }
  const scan::Level &found() const { return nest_.levels[plan_.level]; }
  std::string next() const { return here().variable + ".next"; }
  /// The next value of a walk that stands there.
  term::Term next_at(const term::Term &position) const;
  /// Less than it.
  term::Term end() const;
  loop::Block begin_visits(std::size_t level) const;
  loop::Block begin_visit() const;
  bool fills_all() const;
  loop::Statement least_of_all() const;

  const scan::Nest &nest_;
  const plan::FindPlan &finds_;
  const plan::LevelPlan &plan_;
  loop::Block clear_;
  std::string states_, next_of_;
  std::int64_t none_ = 0; // the next value of a walk that has reached its end
};

} // namespace unravel::lower
