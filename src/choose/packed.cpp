#include "choose/packed.h"

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
using scan::Level;
using term::Term;

namespace {

/// Of several statements that share the loop.
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

} // namespace

Packing packed_segments(const Combination &program, const std::vector<const LeafPlan *> &plans,
                        std::size_t first, std::size_t last, prove::Prover &prover) {
  Segments segments(program, program.leaves[first].loops.front());
  for (std::size_t k = first; k < last; ++k)
    segments.add(program.leaves[k], *plans[k]);
  return segments.packing(prover);
}

} // namespace unravel::choose
