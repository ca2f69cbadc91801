#include "schedule/sequence.h"

#include "compute/computation.h"
#include "depend/statements.h"
#include "report/diagnostic.h"
#include "schedule/determination.h"
#include "schedule/transform.h"
#include "space/set.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace unravel::schedule {

using combine::AddedVariable;
using combine::Combination;
using combine::IterationSpace;
using combine::Operand;
using report::Kind;
using term::Term;

namespace {

bool mentions(const IterationSpace &space, const std::string &tensor) {
  return space.target.tensor == tensor || space.reads(tensor);
}

/// Does the statement set each element of its target to the identity of what all others do to it?
bool clears_all(const IterationSpace &space, const Combination &program) {
  const double *number = value::number_of(space.value);
  if (!space.sets || !number || !space.target.local.empty() || !space.lookups.empty() || space.target.appends)
    return false;
  bool is_reduced = *number == 0; // zeros are set all at once, whatever comes then
  for (const IterationSpace &other : program.leaves) {
    if (other.target.tensor != space.target.tensor || other.sets) continue;
    if (value::identity_of(other.by) != *number) return false;
    is_reduced = true;
  }
  if (!is_reduced) return false;
  const std::vector<Term> &extents = program.arrays.at(space.target.array);
  std::vector<Term> parts;
  for (std::size_t k = 0; k < extents.size(); ++k)
    parts.push_back(term::between(Term(0), term::variable("@" + std::to_string(k)), extents[k]));
  space::Set slots(term::conjunction(std::move(parts)));
  std::vector<Term> written = term::conjuncts(space.relation);
  for (std::size_t k = 0; k < extents.size(); ++k)
    written.push_back(term::equal(term::variable("@" + std::to_string(k)), space.target.slots[k]));
  space::Set set = space::Set(term::conjunction(std::move(written))).project([&](const Term &atom) {
    const auto *variable = atom.as<term::Variable>();
    std::vector<std::string> all = space.variables();
    return variable && contains(all, variable->name);
  });
  return slots.is_subset(set);
}

/// An order that costs so much less is worth a loop of its own.
constexpr double worth = 0.9;

class Distributor {
public:
  Distributor(Combination &program, const Counts &counts, prove::Prover &prover)
      : program_(program), counts_(counts), prover_(prover) {}

  /// The leaves [begin, end) share `depth` loops.
  void run(std::size_t begin, std::size_t end, std::size_t depth) {
    for (std::size_t first = begin; first < end;) {
      std::size_t last = first + 1;
      while (last < end && leaf(last).place[depth] == leaf(first).place[depth])
        ++last;
      if (last - first > 1 && !leaf(first).loops.empty()) {
        std::vector<std::size_t> cuts = cuts_between(first, last, depth);
        if (cuts.size() > 2 && pays(first, last, depth)) take_apart(cuts, depth);
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
          if (same_loop(cuts[k], cuts[k + 1], depth)) run(cuts[k], cuts[k + 1], depth + 1);
      }
      first = last;
    }
  }

private:
  IterationSpace &leaf(std::size_t k) { return program_.leaves[k]; }

  bool same_loop(std::size_t begin, std::size_t end, std::size_t depth) {
    return end - begin > 1 && leaf(begin).loops.size() > depth;
  }

  /// Where the loop may be cut: begin, ..., end.
  std::vector<std::size_t> cuts_between(std::size_t begin, std::size_t end, std::size_t depth) {
    std::vector<std::size_t> cuts{begin};
    const bool is_whole = depth < program_.loops_of_rounds(leaf(begin));
    for (std::size_t cut = begin + 1; cut < end && !is_whole; ++cut) {
      bool may = true;
      for (std::size_t early = begin; early < cut && may; ++early)
        for (std::size_t late = cut; late < end && may; ++late)
          may = !shares_local(leaf(early), leaf(late), depth) &&
                !depend::may_precede(leaf(late), leaf(early), depth, prover_);
      if (may) cuts.push_back(cut);
    }
    cuts.push_back(end);
    return cuts;
  }

  /// What each iteration of the loop has for itself.
  static bool shares_local(const IterationSpace &one, const IterationSpace &other, std::size_t depth) {
    auto shared = [&](const Operand &operand) {
      return !operand.local.empty() && operand.around > depth && mentions(other, operand.tensor);
    };
    return shared(one.target) || std::ranges::any_of(one.operands, shared);
  }

  bool pays(std::size_t begin, std::size_t end, std::size_t depth) {
    for (std::size_t k = begin; k < end; ++k)
      if (cost_with(leaf(k), counts_, depth) < worth * cost_with(leaf(k), counts_, shared_depth(program_, k)))
        return true;
    return false;
  }

  /// Each part has a loop of its own: what comes behind makes room for their numbers.
  void take_apart(const std::vector<std::size_t> &cuts, std::size_t depth) {
    const int more = static_cast<int>(cuts.size()) - 2;
    const std::vector<int> place = leaf(cuts.front()).place;
    for (IterationSpace &each : program_.leaves)
      if (std::equal(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(depth), each.place.begin()) &&
          each.place[depth] > place[depth])
        each.place[depth] += more;
    for (std::size_t part = 0; part + 1 < cuts.size(); ++part)
      for (std::size_t k = cuts[part]; k < cuts[part + 1]; ++k)
        leaf(k).place[depth] += static_cast<int>(part);
  }

  Combination &program_;
  const Counts &counts_;
  prove::Prover &prover_;
};

bool adds_products_alone(const IterationSpace &space) {
  const bool is_reduced = (space.by != value::Operator::Add || !space.lookups.empty()) && !space.may_miss();
  return !space.sets && !space.reads(space.target.tensor) && (space.is_product() || is_reduced) &&
         space.target.local.empty() &&
         std::ranges::none_of(space.operands, [](const Operand &operand) { return !operand.local.empty(); });
}

/// Where a subscript of the target is a slot by itself, its extent is the array's.
std::map<std::string, Term> extents_in(const IterationSpace &space, const Combination &program) {
  std::map<std::string, Term> found;
  const std::vector<Term> &extents = program.arrays.at(space.target.array);
  for (std::size_t k = 0; k < extents.size() && extents.size() == space.target.coordinates.size(); ++k)
    if (const auto *index = space.target.coordinates[k].as<term::Variable>();
        index && space.target.slots[k] == space.target.coordinates[k])
      found.emplace(index->name, extents[k]);
  return found;
}

/// What those statements say of indices, where all others that have them agree.
void name_extents(const std::vector<std::size_t> &freed, Combination &program) {
  std::map<std::string, Term> named;
  for (std::size_t leaf : freed)
    named.merge(extents_in(program.leaves[leaf], program));
  for (std::size_t k = 0; k < program.leaves.size(); ++k) {
    const IterationSpace &space = program.leaves[k];
    const std::map<std::string, Term> own =
        contains(freed, k) ? extents_in(space, program) : std::map<std::string, Term>();
    std::erase_if(named, [&](const auto &each) {
      if (!contains(space.coordinates, each.first)) return false;
      const std::map<std::string, Term> &known = own.contains(each.first) ? own : program.extents;
      const auto extent = known.find(each.first);
      return extent == known.end() || extent->second != each.second;
    });
  }
  for (const auto &[index, extent] : named)
    program.extents.insert_or_assign(index, extent);
}

bool has_clear_of(const std::string &tensor, const Combination &program) {
  return std::ranges::any_of(program.clears,
                             [&](const combine::Clear &clear) { return clear.tensor == tensor; });
}

/// Of statements that share their outermost loop: are they free without it?
bool may_be_free(const std::vector<std::size_t> &clears, const std::vector<std::size_t> &adders,
                 const Combination &program, prove::Prover &prover) {
  if (adders.empty()) return true;
  const std::string &target = program.leaves[adders.front()].target.tensor;
  const value::Operator &by = program.leaves[adders.front()].by;
  for (std::size_t k : adders) // several operators may have one identity
    if (!(program.leaves[k].by == by)) return false;
  if (adders.size() > 1 && clears.empty() && !has_clear_of(target, program)) return false;
  for (std::size_t k : adders)
    if (program.leaves[k].target.tensor != target || !adds_products_alone(program.leaves[k])) return false;
  for (std::size_t clear : clears) {
    if (program.leaves[clear].target.tensor != target) return false;
    for (std::size_t k : adders)
      if (depend::may_precede(program.leaves[k], program.leaves[clear], 0, prover)) return false;
  }
  return true;
}

} // namespace

std::vector<parse::Name> first_loops(const IterationSpace &space, std::size_t count) {
  std::vector<parse::Name> first;
  for (std::size_t k = 0; k < count; ++k)
    first.push_back({space.loops[k], {}});
  return first;
}

double cost_with(const IterationSpace &space, const Counts &counts, std::size_t shared) {
  return cost_of(space, plan_order(space, counts, {}, {}, first_loops(space, shared)), counts);
}

void free_loops(Combination &program, prove::Prover &prover) {
  std::vector<IterationSpace> &leaves = program.leaves;
  std::vector<std::size_t> freed; // of targets that are cleared as a whole
  for (std::size_t first = 0, last; first < leaves.size(); first = last) {
    std::vector<std::size_t> clears, adders;
    for (last = first; last < leaves.size() && leaves[last].place[0] == leaves[first].place[0]; ++last)
      (clears_all(leaves[last], program) ? clears : adders).push_back(last);
    const bool is_free = leaves[first].loops.empty() && clears.empty();
    if (is_free || program.loops_of_rounds(leaves[first]) > 0 ||
        !may_be_free(clears, adders, program, prover))
      continue;
    for (std::size_t k : clears)
      program.clears.push_back(
          {leaves[k].target.tensor, leaves[k].target.array, first, *value::number_of(leaves[k].value)});
    for (std::size_t k : adders) {
      leaves[k].loops.clear();
      leaves[k].place.resize(1);
    }
    for (std::size_t k = clears.size(); k-- > 0; --last) {
      leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(clears[k]));
      for (combine::Clear &each : program.clears)
        if (each.before > clears[k]) --each.before;
    }
    for (std::size_t k = first; k < last; ++k)
      if (has_clear_of(leaves[k].target.tensor, program)) freed.push_back(k);
  }
  std::ranges::stable_sort(program.clears, {}, &combine::Clear::before);
  name_extents(freed, program);
}

void distribute(Combination &program, const Counts &counts, prove::Prover &prover) {
  Distributor(program, counts, prover).run(0, program.leaves.size(), 0);
}

std::size_t shared_depth(const Combination &program, std::size_t leaf) {
  std::size_t shared = program.loops_of_rounds(program.leaves[leaf]);
  for (std::size_t k = 0; k < program.leaves.size(); ++k)
    if (k != leaf)
      shared = std::max(shared, compute::shared_loops(program.leaves[leaf].place, program.leaves[k].place));
  return shared;
}

namespace {

/// What transformations have made of the variables, and of what was made of them, in their order.
std::vector<AddedVariable> made_of(const IterationSpace &space, std::vector<std::string> variables) {
  std::vector<AddedVariable> made;
  for (const AddedVariable &added : space.added) {
    if (!contains(variables, added.of)) continue;
    variables.push_back(added.name);
    made.push_back(added);
  }
  return made;
}

/// Variables whose values are known from the loops outside.
class Known {
public:
  explicit Known(const IterationSpace &space) : determination_(space), known_(determination_.close(0)) {}

  void loop_over(const std::string &name) {
    if (int variable = determination_.find(name); variable >= 0)
      known_ = determination_.close(known_ | (Variables{1} << variable));
  }

  bool has(const std::string &name) const {
    int variable = determination_.find(name);
    return variable < 0 || (known_ & (Variables{1} << variable)) != 0;
  }

  bool bounds(const std::string &name) const {
    int variable = determination_.find(name);
    return variable < 0 || determination_.bounded(static_cast<std::size_t>(variable), known_);
  }

private:
  Determination determination_;
  Variables known_;
};

/// The loops from `begin` to `end` of a space, in another order and with what was made of them.
class Band {
public:
  Band(std::vector<std::string> originals, std::vector<AddedVariable> added)
      : originals_(std::move(originals)), added_(std::move(added)) {}

  std::vector<std::string> arranged(const std::vector<parse::Name> &order) {
    for (const parse::Name &name : order)
      if (is_of_band(name.text) && !contains(loops_, name.text)) loops_.push_back(name.text);
    const std::size_t named = loops_.size();
    for (const std::string &name : originals_)
      if (!contains(loops_, name)) loops_.push_back(name);
    std::size_t outside = 0;
    for (const AddedVariable &added : added_) {
      if (contains(loops_, added.name)) continue;
      if (added.outermost) {
        loops_.insert(at(std::min(place_of(added.of), outside)), added.name);
        ++outside;
      } else if (std::size_t place = place_of(added.of);
                 added.tile > 0 || place < named || place == loops_.size()) {
        loops_.insert(at(place), added.name);
      } else { // it is looped over instead
        loops_[place] = added.name;
        instead_[added.of] = added.name;
      }
    }
    return std::move(loops_);
  }

private:
  bool is_of_band(const std::string &name) const {
    return contains(originals_, name) ||
           std::ranges::any_of(added_, [&](auto &added) { return added.name == name; });
  }

  std::vector<std::string>::iterator at(std::size_t place) {
    return loops_.begin() + static_cast<std::ptrdiff_t>(place);
  }

  /// Of its loop, or of what is looped over instead; else the end.
  std::size_t place_of(std::string name) const {
    for (auto next = instead_.find(name); next != instead_.end(); next = instead_.find(name))
      name = next->second;
    return static_cast<std::size_t>(std::ranges::find(loops_, name) - loops_.begin());
  }

  std::vector<std::string> originals_, loops_;
  std::vector<AddedVariable> added_;
  std::map<std::string, std::string> instead_;
};

class Rearranger {
public:
  Rearranger(Combination &program, const parse::ScheduleTree &schedule)
      : program_(program), schedule_(schedule) {}

  /// The leaves [begin, end), who share `depth` loops.
  void run(std::size_t begin, std::size_t end, std::size_t depth) {
    for (std::size_t first = begin, last; first < end; first = last) {
      last = first + 1;
      while (last < end && leaf(last).place[depth] == leaf(first).place[depth])
        ++last;
      if (last - first == 1 || leaf(first).loops.size() <= depth) continue;
      std::size_t inside = depth + 1;
      while (share(first, last, inside))
        ++inside;
      run(first, last, depth + arrange(first, last, depth, inside));
    }
  }

  /// The order must not want what the loops that are shared forbid.
  void check_order(std::size_t number) const {
    const IterationSpace &space = program_.leaves[number];
    const auto shared = static_cast<std::ptrdiff_t>(shared_depth(program_, number));
    const std::vector<std::string> loops(space.loops.begin(), space.loops.begin() + shared);
    const std::vector<parse::Name> order = without_others(schedule_.order, space, program_);
    Known known(space);
    for (const std::string &loop : loops)
      known.loop_over(loop);
    const parse::Name *innermost = nullptr; // of what has been named so far
    auto place = loops.begin();
    for (const parse::Name &name : order) {
      auto here = std::ranges::find(loops, name.text);
      if (here == loops.end() && known.has(name.text)) continue; // it follows from shared loops
      if (innermost && here < place) fail_order(*innermost, name.text);
      innermost = &name;
      place = here;
    }
  }

private:
  IterationSpace &leaf(std::size_t k) { return program_.leaves[k]; }

  /// Are the loops at that depth one loop? They are inside of one.
  bool share(std::size_t first, std::size_t last, std::size_t depth) {
    for (std::size_t k = first; k < last; ++k)
      if (leaf(k).loops.size() <= depth || leaf(k).place[depth] != leaf(first).place[depth]) return false;
    return true;
  }

  [[noreturn]] static void fail_order(const parse::Name &inner, const std::string &outer) {
    report::fail(
        Kind::not_supported, inner.span,
        fmt::format("the loop over `{}` can't be outside the loop over `{}`, which other statements share",
                    inner.text, outer),
        "reorder only loops that the same statements share, or a statement's own loops; or give the "
        "statements loops of their own");
  }

  /// Where the user speaks of the variable.
  text::Span span_of(const std::string &name) const {
    for (const parse::Name &each : schedule_.order)
      if (each.text == name) return each.span;
    for (const Transformation &how : schedule_.transformations)
      if (name.starts_with(how.variable.text + ".")) return how.variable.span;
    return schedule_.order.empty() ? schedule_.transformations.front().span : schedule_.order.front().span;
  }

  void require_alike(const IterationSpace &one, const IterationSpace &other,
                     const std::vector<std::string> &loops) const {
    const std::vector<AddedVariable> ours = made_of(one, loops), theirs = made_of(other, loops);
    for (const AddedVariable &added : ours)
      if (std::ranges::none_of(theirs, [&](auto &each) { return each.name == added.name; }))
        report::fail(
            Kind::not_supported, span_of(added.name),
            fmt::format("statements share the loop over `{}`, but `{}` lacks the loop that it is skewed by",
                        added.of, other.span.text()),
            "skew it by another loop that they share; or give the statements loops of their own");
  }

  /// Returns the number of the loops that stand in place of those from `begin` to `end`.
  std::size_t arrange(std::size_t first, std::size_t last, std::size_t begin, std::size_t end) {
    const auto from = static_cast<std::ptrdiff_t>(begin), to = static_cast<std::ptrdiff_t>(end);
    const std::vector<std::string> originals(leaf(first).loops.begin() + from,
                                             leaf(first).loops.begin() + to);
    for (std::size_t k = first; k < last; ++k)
      for (std::size_t other = first; other < last; ++other)
        require_alike(leaf(k), leaf(other), originals);
    std::vector<std::string> loops =
        Band(originals, made_of(leaf(first), originals)).arranged(schedule_.order);
    if (loops == originals) return loops.size();
    loops = to_be_looped_over(first, last, begin, std::move(loops));
    for (std::size_t k = first; k < last; ++k) {
      std::vector<std::string> &all = leaf(k).loops;
      std::vector<int> &place = leaf(k).place;
      all.erase(all.begin() + from, all.begin() + to);
      all.insert(all.begin() + from, loops.begin(), loops.end());
      place.erase(place.begin() + from + 1, place.begin() + to);
      place.insert(place.begin() + from + 1, loops.size() - 1, 0);
    }
    return loops.size();
  }

  /// Without what follows from loops outside, in all leaves, but at least one: a condition may fix each, to
  /// another value in each leaf, and their place is inside of a loop. Each is bounded afterwards.
  std::vector<std::string> to_be_looped_over(std::size_t first, std::size_t last, std::size_t begin,
                                             std::vector<std::string> loops) {
    std::map<std::string, std::size_t> follows; // in so many leaves
    for (std::size_t k = first; k < last; ++k) {
      bound(leaf(k), begin, loops);
      Known known(leaf(k));
      for (std::size_t outer = 0; outer < begin; ++outer)
        known.loop_over(leaf(k).loops[outer]);
      for (const std::string &loop : loops) {
        if (known.has(loop)) ++follows[loop];
        known.loop_over(loop);
      }
    }
    const std::string innermost = loops.back();
    std::erase_if(loops, [&](const std::string &loop) { return follows[loop] == last - first; });
    if (loops.empty()) loops.push_back(innermost);
    return loops;
  }

  /// Adds what sizes alone say of loops that their place leaves unbounded.
  void bound(IterationSpace &space, std::size_t begin, const std::vector<std::string> &loops) {
    std::vector<std::string> outside(space.loops.begin(),
                                     space.loops.begin() + static_cast<std::ptrdiff_t>(begin));
    for (const std::string &loop : loops) {
      auto is_bounded = [&] {
        Known known(space);
        for (const std::string &outer : outside)
          known.loop_over(outer);
        return known.has(loop) || known.bounds(loop);
      };
      if (!is_bounded()) bound_by_sizes(space, loop);
      if (!is_bounded())
        report::fail(Kind::not_bounded_here, span_of(loop),
                     fmt::format("`{}` is not bounded by the variables before it", loop),
                     "its bounds need variables that come later in this order");
      outside.push_back(loop);
    }
  }

  Combination &program_;
  const parse::ScheduleTree &schedule_;
};

} // namespace

void transform_shared(Combination &program, const parse::ScheduleTree &schedule) {
  if (schedule.order.empty() && schedule.transformations.empty()) return;
  Rearranger rearranger(program, schedule);
  rearranger.run(0, program.leaves.size(), 0);
  for (std::size_t k = 0; k < program.leaves.size(); ++k)
    rearranger.check_order(k);
}

std::vector<parse::Name> own_order(std::vector<parse::Name> given, const IterationSpace &space,
                                   std::size_t shared) {
  const auto own = space.loops.begin() + static_cast<std::ptrdiff_t>(shared);
  std::erase_if(
      given, [&](const parse::Name &name) { return std::find(space.loops.begin(), own, name.text) != own; });
  return given;
}

std::vector<parse::Name> untransformed(const std::vector<parse::Name> &first, const IterationSpace &space) {
  std::vector<parse::Name> result;
  for (parse::Name name : first) {
    auto made = [&] {
      return std::ranges::find_if(space.added,
                                  [&](const AddedVariable &added) { return added.name == name.text; });
    };
    bool is_tile = false;
    for (auto added = made(); added != space.added.end() && !is_tile; added = made()) {
      is_tile = added->tile > 0;
      name.text = added->of;
    }
    bool is_there = std::ranges::any_of(result, [&](auto &each) { return each.text == name.text; });
    if (!is_tile && !is_there) result.push_back(std::move(name));
  }
  return result;
}

} // namespace unravel::schedule
