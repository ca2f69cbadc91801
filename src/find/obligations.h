#pragma once

#include "find/planner.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// The formulas of find synthesis over one Find level of a nest. Each function asks the prover one question:
/// "is this conjunction impossible under the properties?" (docs/find-synthesis). A visit x of the find is one
/// value of all outer variables; C(x) is what is known at a visit; a second visit x' has primed variables.
/// (Zhao et al., appendix A: C1 to C4 are `context` and `earlier`, P5 are the prover's axioms. P6 is not
/// used: the positions of two visits are compared directly, since properties that hold within segments say
/// nothing about targets of different segments.)
namespace unravel::find {

using plan::braces;
using plan::match_condition;

/// While `condition` holds, walking goes on: for each component in some order a sign, lexicographically.
struct Skip {
  term::Term condition;
  std::string name; // ">" or "> B.row, > B.col"
};

using Variables = std::vector<std::string>;

/// Asks and records; the same obligation is asked once.
class Obligations {
public:
  /// `outer` are the plans of the finds before `level`; `plan` is the level's own, obligations are added to
  /// it.
  Obligations(const scan::Nest &nest, std::size_t level, const std::vector<LevelPlan> &outer,
              prove::Prover &prover, LevelPlan &plan);

  /// Without `complete`, a template need not ask what matters only once it is taken, where it isn't
  /// worthwhile.
  void set_complete(bool complete) { complete_ = complete; }
  bool complete() const { return complete_; }

  const scan::Level &level() const { return nest_.levels[level_]; }
  const scan::Nest &nest() const { return nest_; }
  const std::vector<prove::Axiom> &axioms() const { return prover_.axioms(); }
  const std::vector<LevelPlan> &outer_plans() const { return outer_; }
  /// All variables of outer levels, outermost first.
  const Variables &outer() const { return outer_variables_; }
  /// The outer levels that iterate: loops, and finds that may match more than once.
  bool iterates(std::size_t level) const;

  /// What an outer level's variable equals wherever this find is reached: the value of a Let, the position of
  /// a direct find. `early`: only where it may also be computed before the level is reached, so not where a
  /// direct find has a test.
  std::optional<term::Term> definition(std::size_t level, bool early) const;
  /// The outer variables that fix where walking starts, seen through copies of variables.
  Variables start_variables(Direction direction) const;

  /// Every skip condition that could fit the components: `>` first. Of more components than four the one by
  /// the order that the keys have in the segment, if the prover knows it: 20 have more orders than one can
  /// try.
  std::vector<Skip> skips();

  /// The contradiction test: a match must be possible. Refuted: nothing may be proved here.
  prove::Answer vacuity();
  /// At most one match per visit.
  bool unique();
  /// Matches are adjacent.
  bool contiguous();
  /// Where skip stops without a match, no match lies ahead (Zhao et al., equation 4).
  bool stop(Direction direction, const Skip &skip);
  /// Skip holds on a prefix of the segment, seen in the direction: bisection is allowed.
  bool partition(Direction direction, const Skip &skip);
  /// What one visit skipped is not a match of a later visit with the same state.
  bool persist(const Skip &skip, const Variables &state);
  /// Visits with the same state start at the same place.
  bool start_fixed(Direction direction, const Variables &state);
  /// Visits with the same state have starts that only move on.
  bool start_moves_on(Direction direction, const Variables &state);
  /// A matched position is not a match of a later visit with the same state.
  bool advance(const Variables &state);
  /// Two visits can share state and a position but not the target: the state is worth having.
  bool profit(const Variables &state);
  /// Visits with the same state agree in the iterating variables of levels [0, end).
  bool placed(const Variables &state, std::size_t end);
  /// What `keys`, over the position, read lies in its arrays where a map is filled with them.
  bool reads_in(const std::vector<term::Term> &keys, const plan::FilledMap &map);
  /// Keys of the segment lie in [0, extent) where a map is filled with them: what holds only further in, at
  /// the find, doesn't help.
  bool keys_in(const term::Term &extent, const plan::FilledMap &map);
  /// Targets lie in [0, extent) at every visit.
  bool targets_in(const term::Term &extent);
  /// The segment's keys strictly increase (of one component); likewise any key, over the level's variable, at
  /// all positions of the segment or at those that match.
  bool keys_rise();
  bool rises(const term::Term &key, bool at_matches);
  /// The targets (of one component) strictly increase from iteration to iteration of that loop.
  bool targets_rise(std::size_t loop);
  /// Where a key lies behind the target, no match lies behind it (of one component).
  bool stays_behind();
  /// Where a walk stops without a match, the key lies behind the target.
  bool stops_behind(const Skip &skip);
  /// Every key of the segment lies behind `target`, over the outer variables.
  bool all_behind(const term::Term &target);
  /// None lies behind it.
  bool none_behind(const term::Term &target);
  /// Positions are not negative.
  bool starts_at_zero();
  /// No segment ends behind `limit`.
  bool ends_by(const term::Term &limit);
  /// No segment ends before it begins, where a map is filled from it.
  bool bounds_in_order(const plan::FilledMap &map);
  /// An outer variable's values lie in [0, limit).
  bool ranges_below(const std::string &variable, const term::Term &limit);
  /// The extent of a range, a term over the variables of levels [0, end), is never larger than `limit`.
  bool extent_within(const term::Term &extent, std::size_t end, const term::Term &limit);
  /// A block's key is a multiple of its width.
  bool aligned(const term::Term &key, std::int64_t width);
  /// No match lies before `start`.
  bool starts_at(const term::Term &start);
  /// ... which is in the segment or behind it.
  bool in_front(const term::Term &start);
  /// From `start` on, no match lies behind a position where `used` is false.
  bool ends_where_not(const term::Term &used, const term::Term &start);
  /// The only possible match is at `position`.
  bool direct(const term::Term &position);
  bool direct_in_bounds(const term::Term &position);
  bool direct_matches(const term::Term &position);

private:
  using Terms = std::vector<term::Term>;

  static constexpr std::size_t most_components_in_all_orders = 4;

  /// One step of a lexicographic order of keys.
  struct Rising {
    std::size_t component = 0;
    bool rises = true;
  };
  Skip skip_by(const std::vector<Rising> &order) const;
  /// A lexicographic order in which the segment's keys only rise (or fall): the next key is one that does
  /// where those before it are equal.
  std::optional<std::vector<Rising>> order_of_keys();

  bool ask(const std::string &name, Terms hypotheses, bool wanted_possible = false);
  /// Asks what wasn't asked before.
  bool once(const std::string &name, const std::function<Terms()> &hypotheses, bool wanted_possible = false);
  prove::Answer put(const std::string &name, bool wanted_possible, Terms hypotheses);

  /// C(x) (visit 0) or C(x') (visit 1) of levels [0, end).
  Terms context(int visit, std::size_t end) const;
  /// C(x) and more.
  Terms visit_with(Terms more) const;
  /// What holds at the position where a map is filled.
  Terms filling(const plan::FilledMap &map) const;
  Terms two_visits(const Variables &state) const;
  Terms two_visits_in_order(const Variables &state, Terms more) const;
  /// x < x': lexicographic over the iterating variables.
  term::Term earlier() const;
  term::Term same(const Variables &state) const;
  /// A term over outer and the level's variables at a visit and a position.
  term::Term at(const term::Term &term, int visit, const term::Term &position) const;
  term::Term in_segment(int visit, const term::Term &position) const;
  term::Term match(int visit, const term::Term &position) const;
  term::Term position() const { return term::variable(level().variable); }
  term::Term position(int primes) const;
  /// On a way in that direction the position comes before the second one.
  term::Term passed_before(Direction direction) const;

  const scan::Nest &nest_;
  std::size_t level_;
  const std::vector<LevelPlan> &outer_;
  prove::Prover &prover_;
  LevelPlan &plan_;
  bool complete_ = true;
  Variables outer_variables_;
  term::Substitution primed_;
  term::Term match_;
  /// Per outer level what it contributes to C(x) and to C(x').
  std::vector<Terms> contexts_[2];
  std::map<std::string, bool> asked_;
};

} // namespace unravel::find
