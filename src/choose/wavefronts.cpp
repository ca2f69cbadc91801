#include "choose/wavefronts.h"

#include "report/diagnostic.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace unravel::choose {

using combine::Combination;
using combine::IterationSpace;
using plan::LeafPlan;
using plan::PackedSegment;
using report::Kind;
using scan::Level;
using term::Term;

namespace {

/// Which arrays the iterations of a loop read in segments of their own, so that these can be copied in
/// another order of the iterations; or why there are none.
struct Packing {
  std::vector<PackedSegment> segments;
  std::string problem; // "`L.p` is more than a place in its segment"
};

/// Of several statements that share the outermost loop. A segment is the range of a position, of a loop or a
/// find: its bounds are applications over the loop's variable, and it begins where that of the next or the
/// last iteration ends. Proved: no segment ends before it begins, all lie within the arrays. Arrays are read
/// at such a position alone, and it is good for nothing else, so that only its distance to the segment's
/// begin matters. Finds in segments go through them from one end, or bisect them (find/plan.h), and so touch
/// nothing outside.
class Segments {
public:
  Segments(const Combination &program, std::string loop) : program_(program), loop_(std::move(loop)) {}

  /// The segments of a statement and what it reads in them; `plan` may be one of its alternatives.
  void add(const IterationSpace &space, const LeafPlan &plan) {
    std::map<std::string, std::size_t> positions; // with their segments
    const std::vector<Level> &levels = plan.nest.levels;
    for (std::size_t k = 1; k < levels.size(); ++k) {
      const Level &level = levels[k];
      if (level.is_let()) continue;
      Term lower = scan::through_lets(level.lower, levels, 1),
           upper = scan::through_lets(level.upper, levels, 1);
      if (!follow_each_other(lower, upper)) continue;
      if (level.is_find() && !stays_inside(plan, k))
        refuse(fmt::format("the find of `{}` may look outside of its segment", level.variable));
      positions[level.variable] = number_of(lower, upper);
    }
    bounds_.push_back({levels[0].lower, levels[0].upper});
    for (Level level : levels) {
      if (positions.contains(level.variable)) level.lower = level.upper = Term();
      for (const Term &term : scan::terms_of(level))
        read(term, positions);
    }
    for (const combine::Operand &operand : space.operands)
      read_value(operand, positions);
    for (const combine::Lookup &lookup : space.lookups)
      for (const combine::Place &place : lookup.places)
        if (!lookup.is_mask()) read_value(place.operand, positions);
    read(space.target.slot, positions);
    elsewhere_.insert(space.target.array);
    for (const plan::Alternative &alternative : plan.alternatives) {
      read(alternative.condition, positions);
      add(space, alternative.plan);
    }
  }

  Packing packing(prove::Prover &prover) {
    if (segments_.empty())
      refuse(fmt::format("no loop inside runs over segments that follow each other, as `rowptr({0})` to "
                         "`rowptr({0} + 1)` do",
                         loop_));
    std::set<std::string> taken = elsewhere_;
    for (PackedSegment &segment : segments_) {
      for (const std::vector<std::string> *arrays : {&segment.indices, &segment.values})
        for (const std::string &array : *arrays)
          if (!taken.insert(array).second) refuse(fmt::format("{} is also read or written elsewhere", array));
      if (!problem_.empty()) break;
      find_room(segment);
      prove_inside(segment, prover);
    }
    if (!problem_.empty()) return {{}, problem_};
    return {segments_, ""};
  }

private:
  void refuse(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  /// rowptr(i) and rowptr(i + 1), or the other way round where i goes down.
  bool follow_each_other(const Term &lower, const Term &upper) const {
    if (!lower.as<term::Apply>() || !upper.as<term::Apply>() || !term::mentions(lower, loop_)) return false;
    auto next = [&](const Term &bound) {
      return term::substitute(bound, {{loop_, term::variable(loop_) + Term(1)}});
    };
    return next(lower) == upper || next(upper) == lower;
  }

  static bool stays_inside(const LeafPlan &plan, std::size_t level) {
    return std::ranges::any_of(plan.finds.levels, [&](const plan::LevelPlan &find) {
      return find.level == level &&
             (find.as<plan::Scan>() || find.as<plan::Binary>() || (find.walk() && !find.walk()->in_step));
    });
  }

  std::size_t number_of(const Term &lower, const Term &upper) {
    for (std::size_t k = 0; k < segments_.size(); ++k)
      if (segments_[k].lower == lower && segments_[k].upper == upper) return k;
    segments_.push_back({lower, upper, {}, {}, {}});
    return segments_.size() - 1;
  }

  static void add_once(std::vector<std::string> &names, const std::string &name) {
    if (!contains(names, name)) names.push_back(name);
  }

  /// Reads in segments are noted; what is left of the term must not know of positions and bounds.
  void read(const Term &term, const std::map<std::string, std::size_t> &positions) {
    std::map<Term, Term> in_segments;
    for (const Term &application : term::applications_of(term)) {
      const auto *call = application.as<term::Apply>();
      const auto *position = call->arguments.size() == 1 ? call->arguments[0].as<term::Variable>() : nullptr;
      if (!position || !positions.contains(position->name)) continue;
      add_once(segments_[positions.at(position->name)].indices, call->function);
      in_segments.emplace(application, Term(0));
    }
    const Term rest = term::replace(term, in_segments);
    for (const auto &[position, segment] : positions)
      if (term::mentions(rest, position))
        refuse(fmt::format("`{}` is more than a place in its segment", position));
    for (const Term &application : term::applications_of(rest)) {
      elsewhere_.insert(application.as<term::Apply>()->function);
      others_.insert(application);
    }
  }

  void read_value(const combine::Operand &operand, const std::map<std::string, std::size_t> &positions) {
    if (operand.array.empty()) return;
    const auto *position = operand.slot.as<term::Variable>();
    if (position && positions.contains(position->name))
      return add_once(segments_[positions.at(position->name)].values, operand.array);
    elsewhere_.insert(operand.array);
    read(operand.slot, positions);
  }

  void find_room(PackedSegment &segment) {
    std::set<Term> rooms;
    for (const std::vector<std::string> *arrays : {&segment.indices, &segment.values})
      for (const std::string &array : *arrays) {
        auto extents = program_.arrays.find(array);
        if (extents == program_.arrays.end() || extents->second.size() != 1 ||
            !term::applications_of(extents->second[0]).empty())
          return refuse(fmt::format("{} has no plain extent", array));
        rooms.insert(extents->second[0]);
      }
    if (rooms.size() != 1)
      return refuse(
          fmt::format("what is read from `{}` on has extents that differ", term::to_text(segment.lower)));
    segment.room = *rooms.begin();
    if (others_.contains(segment.lower) || others_.contains(segment.upper))
      refuse(fmt::format("`{}` is more than a segment's bound", term::to_text(segment.lower)));
  }

  /// In each iteration of any of the statements, and those between.
  void prove_inside(const PackedSegment &segment, prove::Prover &prover) {
    if (!problem_.empty()) return;
    const Term at = term::variable(loop_);
    auto never = [&](const char *name, const Term &what) {
      for (const auto &[from, unused] : bounds_)
        for (const auto &[unused_too, to] : bounds_)
          if (prover.refute(name, loop_, {term::at_most(from, at), term::less(at, to), what}) !=
              prove::Answer::Refuted)
            return false;
      return true;
    };
    if (!never("a segment turned round", term::less(segment.upper, segment.lower)) ||
        !never("a segment below 0", term::less(segment.lower, Term(0))) ||
        !never("a segment behind the array", term::less(segment.room, segment.upper)))
      refuse(fmt::format("`{}` is not proved to increase and to stay inside its array",
                         term::to_text(segment.lower)));
    for (const Term &bound : {segment.lower, segment.upper}) {
      const auto *call = bound.as<term::Apply>();
      const std::vector<Term> &extents = program_.arrays.at(call->function);
      for (std::size_t k = 0; k < extents.size(); ++k)
        if (!never("slot below 0", term::less(call->arguments[k], Term(0))) ||
            !never("slot behind the array", term::at_most(extents[k], call->arguments[k])))
          refuse(fmt::format("`{}` is not proved to be in its array", term::to_text(bound)));
    }
  }

  const Combination &program_;
  const std::string loop_;
  std::vector<PackedSegment> segments_;
  std::vector<std::pair<Term, Term>> bounds_; // of the loop, in each statement
  std::set<std::string> elsewhere_;           // arrays that are touched not at such positions
  std::set<Term> others_;                     // reads that are no bounds of segments
  std::string problem_;
};

/// Of the leaves [first, last).
Packing packed_segments(const Combination &program, const std::vector<const LeafPlan *> &plans,
                        std::size_t first, std::size_t last, prove::Prover &prover) {
  Segments segments(program, program.leaves[first].loops.front());
  for (std::size_t k = first; k < last; ++k)
    segments.add(program.leaves[k], *plans[k]);
  return segments.packing(prover);
}

/// In the statement as it is planned.
bool is_outermost(const std::string &loop, const plan::LeafPlan &plan) {
  const auto &levels = plan.nest.levels;
  return plan.shared > 0 || (!levels.empty() && levels[0].is_loop() && levels[0].variable == loop);
}

/// Whether all iterations of the outermost loop would share what it keeps.
bool is_shared(const plan::LevelPlan &find) {
  return find.filled_map() || (find.walk() && find.walk()->state_level == 0 && !find.walk()->in_step);
}

void require_own_finds(const plan::LeafPlan &plan, const parse::Name &wanted) {
  for (const plan::LevelPlan &find : plan.finds.levels) {
    if (!is_shared(find)) continue;
    const std::string &variable = plan.nest.levels[find.level].variable;
    report::fail(
        Kind::no_wavefronts, wanted.span,
        fmt::format(
            "the loop over `{}` can't run in wavefronts: iterations share the state of the search for {}",
            wanted.text, variable),
        fmt::format("write `find {} by binary`", variable));
  }
}

/// The inspector visits instances before the loop has run: a local tensor has no entries then.
void require_no_entries_of_locals(const Combination &program, std::size_t leaf, const parse::Name &wanted) {
  for (const combine::Operand &operand : program.leaves[leaf].operands)
    if (const combine::LocalTensor *local = program.local(operand.tensor); local && local->insertion)
      report::fail(Kind::no_wavefronts, wanted.span,
                   fmt::format("the loop over `{}` can't run in wavefronts: which iterations depend on each "
                               "other is decided by the entries of `{}`, which only the loop inserts",
                               wanted.text, local->tensor),
                   fmt::format("choose a layout of `{0}` with a place for each element: `-f {0}=dense`",
                               local->tensor));
}

void require_no_appended(const IterationSpace &space, const parse::Name &wanted) {
  if (!space.target.appends) return;
  report::fail(
      Kind::no_wavefronts, wanted.span,
      fmt::format("the loop over `{}` can't run in wavefronts: its iterations append to {} one after "
                  "the other",
                  wanted.text, space.target.tensor),
      fmt::format("choose a dense layout for {}, or append to it in a loop of its own", space.target.tensor));
}

void pack(plan::Wavefronts &wavefronts, const Combination &program,
          const std::vector<const plan::LeafPlan *> &plans, const parse::ScheduleTree &schedule,
          prove::Prover &prover, const cost::Thresholds &thresholds) {
  Packing packing = packed_segments(program, plans, wavefronts.first, wavefronts.last, prover);
  const std::string &loop = schedule.wavefront->text;
  if (!packing.problem.empty())
    report::fail(
        Kind::no_wavefronts, schedule.packed->span,
        fmt::format("the data that iterations over `{}` read can't be packed: {}", loop, packing.problem),
        fmt::format("write `wavefront {}`", loop));
  wavefronts.packed = std::move(packing.segments);
  wavefronts.least = thresholds.least_work_of_packed_level;
  wavefronts.least_of_iteration = 0;
}

} // namespace

bool wants_wavefronts(const IterationSpace &space, const parse::ScheduleTree &schedule) {
  return schedule.wavefront && !space.loops.empty() && space.loops.front() == schedule.wavefront->text;
}

std::optional<plan::FindPlan> own_finds(const plan::LeafPlan &plan, prove::Prover &prover,
                                        find::Requests requests) {
  // All levels are taken for one nest.
  if (plan.searches.size() > 1 || (!plan.searches.empty() && plan.searches.front().before < plan.visits()))
    return std::nullopt;
  std::size_t before = requests.size();
  for (const plan::LevelPlan &find : plan.finds.levels)
    if (const scan::Level &level = plan.nest.levels[find.level];
        is_shared(find) && !requests.contains(level.variable) && !requests.contains(level.tensor))
      requests.emplace(level.variable, find::Request(plan::Method::Binary));
  if (requests.size() == before) return std::nullopt;
  return find::plan_finds_by(plan.nest, prover, requests, {});
}

std::optional<plan::Wavefronts> wavefronts(const Combination &program,
                                           const std::vector<const plan::LeafPlan *> &plans,
                                           const parse::ScheduleTree &schedule, prove::Prover &prover,
                                           const cost::Thresholds &thresholds) {
  if (!schedule.wavefront) return std::nullopt;
  const parse::Name &wanted = *schedule.wavefront;
  const auto has_wanted = [&](const IterationSpace &space) {
    const std::vector<std::string> variables = space.variables();
    return std::ranges::find(variables, wanted.text) != variables.end();
  };
  if (!program.has_loops() && std::ranges::any_of(program.leaves, has_wanted))
    report::fail(Kind::no_wavefronts, wanted.span,
                 "sums of products carry no dependence that needs wavefronts",
                 fmt::format("write `parallel {}`", wanted.text));
  bool found = false;
  for (std::size_t first = 0, last = 0; first < plans.size(); first = last) {
    std::vector<const IterationSpace *> statements;
    for (last = first; last < plans.size() && (last == first || plans[first]->shared > 0) &&
                       program.leaves[last].place[0] == program.leaves[first].place[0];
         ++last)
      statements.push_back(&program.leaves[last]);
    if (statements.front()->loops.empty() || statements.front()->loops.front() != wanted.text) continue;
    found = true;
    depend::Wavefront conflicts = depend::wavefront(statements, prover);
    if (!conflicts.hindrance.empty())
      report::fail(
          Kind::no_wavefronts, wanted.span,
          fmt::format("the loop over `{}` can't run in wavefronts: no inspector can tell which "
                      "iterations touch an element of {}",
                      wanted.text, conflicts.hindrance),
          fmt::format("one of the conflicting subscripts must be `{}`, plus or minus a size or a constant",
                      wanted.text));
    if (conflicts.visits.empty()) continue;
    if (!is_outermost(wanted.text, *plans[first]))
      report::fail(Kind::no_wavefronts, wanted.span,
                   fmt::format("the loop over `{}` isn't outermost in the chosen order", wanted.text),
                   fmt::format("write `order {}`, or choose a layout with rows for it", wanted.text));
    for (const depend::Visit &visit : conflicts.visits)
      require_no_entries_of_locals(program, first + visit.statement, wanted);
    for (std::size_t k = first; k < last; ++k) {
      require_no_appended(program.leaves[k], wanted);
      require_own_finds(*plans[k], wanted);
    }
    plan::Wavefronts made{first, last, std::move(conflicts.visits), thresholds.least_work_of_level,
                          thresholds.least_work_of_iteration};
    made.ahead = cost::iterations_ahead;
    made.positions_ahead = cost::positions_ahead;
    if (schedule.packed)
      pack(made, program, plans, schedule, prover, thresholds);
    else
      made.prefetched = packed_segments(program, plans, first, last, prover).segments;
    return made;
  }
  if (found || plans.empty())
    report::fail(Kind::no_wavefronts, wanted.span,
                 fmt::format("the loop over `{}` carries no dependence", wanted.text),
                 fmt::format("write `parallel {}`", wanted.text));
  report::fail(Kind::unknown_variable, wanted.span,
               fmt::format("there is no outermost loop over `{}`", wanted.text),
               "only the outermost loop of a program's statements can run in wavefronts");
}

std::string order_of(const depend::Visit &visit) {
  return visit.earlier && visit.later ? "is ordered with" : visit.earlier ? "waits for" : "precedes";
}

std::string to_text(const plan::Wavefronts &wavefronts, const Combination &program,
                    const std::string &indent) {
  std::string text;
  for (const depend::Visit &visit : wavefronts.visits) {
    const IterationSpace &space = program.leaves[wavefronts.first + visit.statement];
    text += fmt::format("{}instances of `{}`: {} {} {}\n", indent, space.span.text(), space.loops.front(),
                        order_of(visit), term::to_text(visit.partner));
  }
  for (const plan::PackedSegment &segment : wavefronts.packed)
    text += fmt::format("{}packed: {}, {} in [{}, {})\n", indent, fmt::join(segment.indices, ", "),
                        fmt::join(segment.values, ", "), term::to_text(segment.lower),
                        term::to_text(segment.upper));
  return text;
}

} // namespace unravel::choose
