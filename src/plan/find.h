#pragma once

#include "scan/nest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Which algorithm finds the positions of each Find level, and the proofs that allow it.
/// (Zhao et al., section 6 and Appendix A; obligations as in docs/find-synthesis.md.)
namespace unravel::plan {

enum class Method { Direct, Probe, Sequential, Galloping, Binary, Hash, Map, Scan };
std::string
name_of(Method method); // "direct", "probe", "sequential", "galloping", "binary", "hash", "map", "scan"
/// Sequential and Galloping keep a position from visit to visit.
bool keeps_state(Method method);
/// Hash and Map fill a map before a level of the nest.
bool fills_map(Method method);

/// Where walking starts and how far it may be trusted.
enum class Direction { Up, Down };
std::string name_of(Direction direction); // "up", "down"

/// What a dense map holds of a segment, by key.
enum class MapForm {
  Positions, // map[key(q)] = q. A hit is tested again, so what other segments left in the map does no harm
  Values,    // map[key(q)] = the operand's value at q, nothing elsewhere; cleared key by key after use
  Marked,    // Values, and a bit per key that says whether there is one: many targets are tested at once
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
/// between there is none with a match (find/jump.h).
struct Jump {
  std::size_t loop = 0; // the level
  /// Over the find's position and variables that don't depend on the loop's: the least value of the loop's
  /// variable for which that position, or one behind it, matches. It does match then.
  term::Term next;
  /// The segment, the same for each value of the loop's variable. Without an array of states: over the
  /// variables outside the loop only, and `next` too.
  term::Term begin, end;
};

/// The plan of one Find level of the nest. Positions q run over [lower, upper) of the level; what each method
/// stands for (up; `match` is match_condition, down walks with --q, q >= lower and min):
///   Direct      q = position; if (lower <= q < upper and match) body
///   Probe       q = start; while (q < upper and skip): if (match) body, unique: leave; ++q
///   Sequential  q = state (clamp: max(state, lower)); while (q < upper and skip) ++q;
///               unique: if (q < upper and match) { body; advance: ++q }
///               chain:  r = q; while (r < upper and match at r) { body at r; ++r }  advance: q = r
///               state = q
///   Binary      q = the first position of [lower, upper) where skip is false; then as above, without state
///   Galloping   as Sequential, but walking is by steps of doubling length and bisection of the last step
///   Hash        before level `map_level`: chains, in rising order, of the positions of [map_lower,
///   map_upper)
///               by their map_keys; then every q of the chain of map_targets: if (match) body; unique:
///               leave after the hit
///   Map         before level `map_level`: by key, see MapForm; then q = map[target], if it matches: body
///   Scan        every q: if (match) body; unique: leave the loop after the hit
/// A chain is always walked upwards, so positions are visited in rising order below every method.
struct LevelPlan {
  std::size_t level = 0; // index in the nest
  Method method = Method::Scan;
  Direction direction = Direction::Up;
  /// While this holds at position q, walking goes on (over the level's variable and outer variables).
  term::Term skip;
  std::string skip_name; // ">" or "> row, > col"
  bool unique = false;   // at most one match per visit
  bool contiguous = false;
  /// Direct: the only possible position, and what must still be tested there before it counts (false: proved
  /// to hold whenever the find is reached).
  term::Term position;
  bool check_bounds = true; // lower <= position < upper
  bool check_match = true;  // match_condition
  /// Sequential, Galloping: the state is kept per value of these outer variables...
  std::vector<std::string> state;
  /// ... in a scalar declared just before the level `state_level` of the nest (0: before the outermost), or,
  /// where state_index isn't empty, in an array declared there: its slot per outer values at the find, and
  /// its extents (over the variables outside `state_level`, empty where one is below 1).
  std::vector<term::Term> state_index, state_extent;
  /// Over sizes and counts: no extent is ever larger.
  std::vector<term::Term> state_room;
  bool clamp = false; // q = max(state, lower) (down: min(state, upper - 1)) at each visit
  std::size_t state_level = 0;
  /// The state's first value (in an array: of each slot), over the variables outside `state_level`. Probe:
  /// the first position of the visit.
  term::Term start;
  bool advance = false; // `++q` after a match is allowed (O-inc)
  /// The plan is executed where there are few positions: the walk takes single steps.
  bool few_positions = false;
  /// Sequential: without a state, in step with the loop that leads to the find (find/in_step.h).
  std::optional<InStep> in_step;
  /// Sequential, Galloping: the loop that need not take every value.
  std::optional<Jump> jump;
  /// Where a loop might, but does take every value: "O-jump not proved for j.tile". Else empty.
  std::string no_jump;
  /// Hash, Map: the level of the nest before which the map is filled; the segment and the keys depend on
  /// nothing from there on. Where a loop inside is parallel, its iterations share the map.
  std::size_t map_level = 0;
  term::Term map_lower, map_upper; // the segment, over the variables outside `map_level`
  /// At a match at q the map_keys (over q and the variables outside `map_level`) equal the map_targets (over
  /// the outer variables).
  std::vector<term::Term> map_keys, map_targets;
  /// Map: keys lie in [0, map_extent).
  term::Term map_extent;
  /// Not 0: where map_extent is larger, another plan is executed, and the map needs no memory.
  std::int64_t map_limit = 0;
  bool check_target = true; // the target may lie outside of [0, map_extent)
  /// The position is needed only to read one operand's value.
  bool only_value = false;
  MapForm map_form = MapForm::Positions;
  /// skip holds on a prefix of the range (O-part, proved): a state may also be found by binary search.
  bool partitioned = false;
  std::vector<Obligation> obligations;
  std::vector<Candidate> candidates;
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
