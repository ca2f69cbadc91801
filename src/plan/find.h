#pragma once

#include "scan/nest.h"
#include "scan/uses.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Which algorithm finds the positions of each Find level, and the proofs that allow it.
/// (Zhao et al., section 6 and Appendix A; obligations as in docs/find-synthesis.md.)
namespace unravel::plan {

enum class Method { Direct, Probe, Sequential, Galloping, Binary, Hash, Map, Scan };
std::string
name_of(Method method); // "direct", "probe", "sequential", "galloping", "binary", "hash", "map", "scan"

/// Where walking starts and how far it may be trusted.
enum class Direction { Up, Down };
std::string name_of(Direction direction); // "up", "down"

/// What a dense map holds of a segment, by key.
enum class MapForm {
  Positions, // map[key(q)] = q. A hit is tested again, so what other segments left in the map does no harm
  Values,    // map[key(q)] = the operand's value at q, nothing elsewhere; cleared key by key after use
  Marked,    // Values, and a bit per key that says whether there is one: many targets are tested at once
  Presence,  // map[key(q)] = 1, 0 elsewhere, a byte each; cleared key by key after use
  Marks,     // the same, a bit each: many targets are tested at once
};

/// One obligation that was asked for a level.
struct Obligation {
  std::string name;             // "O-stop(up, >)", "O-persist{i}"
  bool wanted_possible = false; // vacuity and profit: should be possible, all others refuted
  bool holds = false;
  std::size_t question = 0; // index in the prover's log
};

/// A template that was considered: chosen, available or lost, and why.
struct Candidate {
  Method method = Method::Scan;
  bool proved = false;
  bool tried = true;  // false: something cheaper was taken before
  std::string reason; // why it lost or failed: "O-part not proved", "another template costs less", ...
};

/// A loop that walks in step with a find: the intersection of what two index arrays hold, at the loop's
/// values and in the find's segment.
struct InStep {
  std::size_t loop = 0;  // the level
  std::string loop_keys; // strictly increases over the loop
  std::string keys;      // strictly increases over the segment
};

/// A loop outside of a walk that goes on at the least value which one of the walks inside of it can meet: in
/// between there is none with a match (find/walk.h).
struct Jump {
  std::size_t loop = 0; // the level
  /// Over the find's position and variables that don't depend on the loop's: the least value of the loop's
  /// variable for which that position, or one behind it, matches. It does match then.
  term::Term next;
  /// The segment, the same for each value of the loop's variable. Without an array of states: over the
  /// variables outside the loop only, and `next` too.
  term::Term begin, end;
};

// How a Find level is executed, by method. Positions q run over [lower, upper) of the level; `match` is
// match_condition. A chain is always walked upwards, so positions are visited in rising order by every
// method.

/// q = position; if (lower <= q < upper and match) body
struct Direct {
  term::Term position; // the only possible one
  /// What must still be tested there before it counts (false: proved to hold whenever the find is reached).
  bool check_bounds = true; // lower <= position < upper
  bool check_match = true;  // match_condition
};

/// q = start; while (q < upper and skip): if (match) body, unique: leave; ++q
struct Probe {
  term::Term start, skip;
};

/// q = state (clamp: max(state, lower)); while (q < upper and skip) ++q;
/// unique: if (q < upper and match) { body; advance: ++q }
/// chain:  r = q; while (r < upper and match at r) { body at r; ++r }  advance: q = r
/// state = q
/// Down walks with --q, q >= lower and min. Galloping walks by steps of doubling length and bisection of the
/// last step.
struct Walk {
  bool gallops = false;
  Direction direction = Direction::Up;
  /// While this holds at position q, walking goes on (over the level's variable and outer variables).
  term::Term skip;
  std::string skip_name; // ">" or "> row, > col"
  /// skip holds on a prefix of the range (O-part, proved): a state may also be found by binary search.
  bool partitioned = false;
  /// The state is kept per value of these outer variables...
  std::vector<std::string> state;
  /// ... in a scalar declared just before the level `state_level` of the nest (0: before the outermost), or,
  /// where state_index isn't empty, in an array declared there: its slot per outer values at the find, and
  /// its extents (over the variables outside `state_level`, empty where one is below 1).
  std::vector<term::Term> state_index, state_extent;
  /// Over sizes and counts: no extent is ever larger.
  std::vector<term::Term> state_room;
  std::size_t state_level = 0;
  /// The state's first value (in an array: of each slot), over the variables outside `state_level`.
  term::Term start;
  bool clamp = false;   // q = max(state, lower) (down: min(state, upper - 1)) at each visit
  bool advance = false; // `++q` after a match is allowed (O-inc)
  /// The plan is executed where there are few positions: the walk takes single steps.
  bool few_positions = false;
  /// Keys strictly increase over the segment, and targets over the loop that leads to the find: where the
  /// ranges of both lie apart, that loop is passed by.
  bool in_order = false;
  /// Without a state, in step with the loop that leads to the find (find/walk.h).
  std::optional<InStep> in_step;
  /// The loop that need not take every value.
  std::optional<Jump> jump;
  /// Where a loop might, but does take every value: "O-jump not proved for j.tile". Else empty.
  std::string no_jump;
};

/// q = the first position of [lower, upper) where skip is false; then as Walk, without state
struct Binary {
  term::Term skip;
};

/// What hashed and dense maps have in common: they are filled before a level of the nest.
struct FilledMap {
  /// The segment and the keys depend on nothing from this level on. Where a loop inside is parallel, its
  /// iterations share the map.
  std::size_t level = 0;
  term::Term lower, upper; // the segment, over the variables outside `level`
  /// At a match at q the keys (over q and the variables outside `level`) equal the targets (over the outer
  /// variables).
  std::vector<term::Term> keys, targets;
};

/// Chains, in rising order, of the positions of the segment by their keys; then every q of the chain of the
/// targets: if (match) body; unique: leave after the hit
struct HashMap : FilledMap {};

/// By key, see MapForm; then q = map[target], if it matches: body
struct DenseMap : FilledMap {
  term::Term extent; // keys lie in [0, extent)
  /// Not 0: where the extent is larger, another plan is executed, and the map needs no memory.
  std::int64_t limit = 0;
  bool check_target = true; // the target may lie outside of [0, extent)
  MapForm form = MapForm::Positions;
  /// Of presence: keys strictly increase over the segment, and targets over the loop that leads to the find.
  bool in_order = false;

  bool holds_values() const { return form == MapForm::Values || form == MapForm::Marked; }
  bool has_marks() const { return form == MapForm::Marked || form == MapForm::Marks; }
  /// Does it hold nothing where the segment has no key?
  bool tells_absence() const { return form != MapForm::Positions; }
};

/// Every q: if (match) body; unique: leave the loop after the hit
struct Scan {};

/// The plan of one Find level of the nest.
struct LevelPlan {
  std::size_t level = 0; // index in the nest
  std::variant<Scan, Direct, Probe, Walk, Binary, HashMap, DenseMap> how;
  bool unique = false; // at most one match per visit
  bool contiguous = false;
  scan::Need need = scan::Need::Position;
  std::vector<Obligation> obligations;
  std::vector<Candidate> candidates;

  Method method() const;
  template <class T> const T *as() const { return std::get_if<T>(&how); }
  template <class T> T *as() { return std::get_if<T>(&how); }
  const Walk *walk() const { return as<Walk>(); }
  const FilledMap *filled_map() const;
  FilledMap *filled_map();
  /// The level before which a walk's state or a map is made; nothing where visits share neither.
  std::optional<std::size_t> made_at() const;
  /// Does it walk in step with that loop? Does that loop jump to where it stands?
  bool is_in_step_with(std::size_t loop) const;
  bool lets_jump(std::size_t loop) const;
};

struct FindPlan {
  std::vector<LevelPlan> levels; // one per Find level, in nest order
  /// The layouts' properties contradict each other under the conditions of this nest: nothing was proved from
  /// them and every level is a scan.
  bool vacuous = false;

  /// The plan of the find at that level of the nest; null where it is no find.
  const LevelPlan *at(std::size_t level) const;
};

/// Was it proved that no key lies behind the last value of the loop that jumps (O-last)? Then the last tile
/// has all that is left of a segment.
bool ends_with_loop(const LevelPlan &plan);

/// The find condition of a level: all components hold. Over the level's and outer variables.
term::Term match_condition(const scan::Level &level);

/// "{i, j}"
std::string braces(const std::vector<std::string> &variables);

/// For `unravel explain`: per find the method, its parts, the obligations with their verdicts and the
/// candidates with the reasons why they lost. No times, so that it is the same from run to run.
std::string to_text(const FindPlan &plan, const scan::Nest &nest);

} // namespace unravel::plan
