#include "lower/wavefront.h"

#include "loop/walk.h"
#include "report/diagnostic.h"
#include "term/children.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace unravel::lower {

using loop::Block;
using loop::Statement;
using term::Term;

namespace {

/// The parameter's arrays, and the inspector's variables.
struct Levels {
  std::string name;

  Term size() const { return term::variable(name + ".M"); }
  std::string array(const char *array) const { return name + "." + array; }
  Term at(const char *of, const Term &slot) const { return term::apply(array(of), {slot}); }
  Statement set(const char *of, const Term &slot, const Term &value) const {
    return {loop::SetElement{array(of), slot, value}};
  }
  std::string variable(const char *of) const { return name + "." + of; }
};

/// With fewer iterations, waking a team to copy their segments costs more than it gains.
constexpr std::int64_t least_copied_iterations = 4096;

constexpr const char *own_level = "own", *depth = "depth", *work = "work";

/// Iterations are counted from the loop's first one on.
Term number_of(const Term &iteration, const loop::For &loop) {
  return iteration - loop.lower;
}

Statement raise(const std::string &variable, const Term &least) {
  return {loop::If{term::less(term::variable(variable), least), {{loop::Assign{variable, least}}}, ""}};
}

Statement count_one(const std::string &variable) {
  return {loop::Assign{variable, term::variable(variable) + Term(1)}};
}

loop::For over(const std::string &variable, const Term &lower, const Term &upper, Block body) {
  return {variable, lower, upper, 1, std::nullopt, std::move(body), ""};
}

/// "begin", "begin2"
std::string numbered(const std::string &name, std::size_t segment) {
  return segment == 0 ? name : name + std::to_string(segment + 1);
}

std::vector<std::string> arrays_of(const PackedSegment &segment) {
  std::vector<std::string> arrays = segment.indices;
  arrays.insert(arrays.end(), segment.values.begin(), segment.values.end());
  return arrays;
}

/// "L_col" of "L.col"
std::string name_of_copy(std::string array) {
  std::ranges::replace(array, '.', '_');
  return array;
}

const loop::ArrayParameter &array_of(const std::vector<loop::TensorParameter> &operands,
                                     const std::string &name) {
  for (const loop::TensorParameter &operand : operands)
    for (const loop::ArrayParameter &array : operand.arrays)
      if (operand.name + "." + array.name == name) return array;
  report::fail(report::Kind::internal, "no operand has " + name, "please report this as a bug");
}

/// The body of iteration[at], with its segments' positions those of the copies.
Block reading_copies(Block body, const Levels &of, const Term &at, const std::vector<PackedSegment> &packed) {
  std::map<Term, Term> bounds;
  std::map<std::string, std::string> copies;
  for (std::size_t k = 0; k < packed.size(); ++k) {
    const std::string begin = numbered("begin", k);
    bounds.emplace(packed[k].lower, of.at(begin.c_str(), at));
    bounds.emplace(packed[k].upper, of.at(begin.c_str(), at + Term(1)));
    for (const std::string &array : arrays_of(packed[k]))
      copies.emplace(array, of.array(name_of_copy(array).c_str()));
  }
  if (packed.empty()) return body;
  loop::rewrite(
      body, [&](const Term &term) { return term::rename(term::replace(term, bounds), {}, copies); },
      [&](const loop::Value &value) {
        return loop::map_leaves(value, [&](const loop::Value &leaf) {
          const auto *element = std::get_if<loop::Element>(&leaf.kind);
          if (!element || !copies.contains(element->array)) return leaf;
          return loop::Value{loop::Element{copies.at(element->array), element->slot}};
        });
      });
  return body;
}

/// Elements of values whose slots the loop's variable alone decides: "b.val" at i.
std::set<std::pair<std::string, Term>> own_elements(const loop::For &loop) {
  std::set<std::pair<std::string, Term>> found;
  const std::set<std::string> declared = loop::effects_of(loop.body).declared;
  auto add = [&](const loop::Element &element) {
    if (term::mentions(element.slot, loop.variable) && term::applications_of(element.slot).empty() &&
        !term::mentions_any(element.slot, declared))
      found.emplace(element.array, element.slot);
  };
  loop::each_statement(loop.body, [&](const Statement &statement) {
    loop::each_own_value(statement, [&](const loop::Value &value) { loop::each_element(value, add); });
    if (const auto *store = std::get_if<loop::Store>(&statement.kind))
      if (const auto *element = std::get_if<loop::Element>(&store->target)) add(*element);
    if (const auto *sum = std::get_if<loop::Accumulate>(&statement.kind))
      if (const auto *element = std::get_if<loop::Element>(&sum->target)) add(*element);
  });
  return found;
}

/// What the iteration that comes `ahead` later in the order of levels, or in the next ones, reads first: in
/// that order it lies anywhere in memory. Where its segments begin is asked for as long before that.
Block fetch_ahead(const loop::For &loop, const Levels &of, const Term &at, const Wavefronts &wavefronts,
                  const std::vector<loop::TensorParameter> &operands) {
  constexpr int bytes_of_line = 64;
  const std::string near = of.variable("next"), far = of.variable("far");
  auto coming = [&](const std::string &variable, int distance) {
    Term place = term::minimum({at + Term(distance), of.size() - Term(1)});
    return Statement{loop::Let{variable, of.at("iteration", place) + loop.lower}};
  };
  auto at_iteration = [&](const Term &term, const std::string &variable) {
    return term::substitute(term, {{loop.variable, term::variable(variable)}});
  };
  Block block;
  if (!wavefronts.prefetched.empty()) block.push_back(coming(far, 2 * wavefronts.ahead));
  for (const PackedSegment &segment : wavefronts.prefetched) {
    const auto *begin = segment.lower.as<term::Apply>();
    if (begin->arguments.size() == 1)
      block.push_back({loop::Prefetch{begin->function, at_iteration(begin->arguments[0], far)}});
  }
  block.push_back(coming(near, wavefronts.ahead));
  for (const auto &[array, slot] : own_elements(loop))
    block.push_back({loop::Prefetch{array, at_iteration(slot, near)}});
  for (std::size_t k = 0; k < wavefronts.prefetched.size(); ++k) {
    const PackedSegment &segment = wavefronts.prefetched[k];
    const std::string from = of.variable(numbered("from", k).c_str());
    block.push_back({loop::Let{from, at_iteration(segment.lower, near)}});
    for (const std::string &array : arrays_of(segment)) {
      const std::size_t bytes = value::facts_of(array_of(operands, array).element).bytes;
      const int step = bytes_of_line / static_cast<int>(bytes);
      for (int position = 0; position < wavefronts.positions_ahead; position += step)
        block.push_back({loop::Prefetch{array, term::variable(from) + Term(position)}});
    }
  }
  return block;
}

/// Copies the segments in the order of levels.
Block pack(const PackedSegment &segment, std::size_t number, const loop::For &loop, const Levels &of) {
  const std::string begin = numbered("begin", number), place = of.variable("p"), copied = of.variable("k"),
                    shift = of.variable("shift");
  const Term at = term::variable(place), k = term::variable(copied);
  const Statement iteration{loop::Let{loop.variable, of.at("iteration", at) + loop.lower}};
  const Term here = of.at(begin.c_str(), at), next = of.at(begin.c_str(), at + Term(1));
  Block block{of.set(begin.c_str(), Term(0), Term(0))};
  block.push_back(
      {over(place, Term(0), of.size(),
            {iteration, of.set(begin.c_str(), at + Term(1), here + segment.upper - segment.lower)})});
  Block copy;
  const Term from = k + term::variable(shift);
  for (const std::string &array : segment.indices)
    copy.push_back(of.set(name_of_copy(array).c_str(), k, term::apply(array, {from})));
  for (const std::string &array : segment.values)
    copy.push_back(
        {loop::Store{loop::Element{of.array(name_of_copy(array).c_str()), k}, {loop::Element{array, from}}}});
  loop::For copies = over(
      place, Term(0), of.size(),
      {iteration, {loop::Let{shift, segment.lower - here}}, {over(copied, here, next, std::move(copy))}});
  copies.parallel = loop::Parallel{};
  copies.parallel->least = least_copied_iterations;
  copies.parallel->schedule = loop::Parallel::Schedule::Static;
  copies.parallel->chunk = 0;
  copies.comment = "the data that iterations read, in the order of levels";
  block.push_back({std::move(copies)});
  return block;
}

} // namespace

loop::TensorParameter levels_parameter(const std::string &name, const std::string &kernel,
                                       loop::ElementType index, bool is_result,
                                       const std::vector<PackedSegment> &packed,
                                       const std::vector<loop::TensorParameter> &operands) {
  loop::TensorParameter levels;
  levels.name = name;
  levels.layout = "levels";
  levels.type_name = kernel + "_levels";
  levels.about = "Which iterations of a loop may run together: level l has\n"
                 "iteration[first[l] .. first[l + 1]). count[0] is the number of levels, count[1] that of\n"
                 "dependences and iterations. M = 0: nothing was inspected.";
  levels.sizes = {"M"};
  levels.is_result = is_result;
  Term size = term::variable(name + ".M");
  const std::pair<const char *, Term> arrays[] = {
      {"first", size + Term(1)}, {"iteration", size}, {"level", size}};
  // The work may be more than there are entries.
  levels.arrays.push_back({"count", false, loop::ElementType::Int64, {Term(2)}, true});
  for (const auto &[array, extent] : arrays)
    levels.arrays.push_back({array, false, index, {extent}, true});
  for (std::size_t k = 0; k < packed.size(); ++k) {
    levels.counts.push_back(numbered("entries", k));
    levels.arrays.push_back({numbered("begin", k), false, index, {size + Term(1)}, true});
    for (const std::string &array : arrays_of(packed[k])) {
      loop::ArrayParameter copy = array_of(operands, array);
      copy.name = name_of_copy(array);
      copy.extents = {term::variable(name + "." + levels.counts.back())};
      levels.about += fmt::format("\n{0}[{1}[p] .. {1}[p + 1)] is what iteration[p] reads of {2}.", copy.name,
                                  numbered("begin", k), array);
      levels.arrays.push_back(std::move(copy));
    }
  }
  return levels;
}

std::vector<std::int64_t> room_of_levels(const loop::TensorParameter &levels,
                                         const std::vector<std::int64_t> &numbers) {
  struct Numbers : term::Environment {
    std::int64_t variable(const std::string &name) const override { return of.at(name); }
    std::int64_t apply(const std::string &, const std::vector<std::int64_t> &) const override {
      report::fail(report::Kind::internal, "the extent of levels reads an array",
                   "please report this as a bug");
    }
    std::map<std::string, std::int64_t> of;
  };
  Numbers known;
  known.of[levels.name + "." + levels.sizes.front()] = numbers.front();
  for (std::size_t k = 0; k < levels.counts.size(); ++k)
    known.of[levels.name + "." + levels.counts[k]] = numbers.at(k + 1);
  std::vector<std::int64_t> room;
  for (const loop::ArrayParameter &array : levels.arrays)
    room.push_back(term::evaluate(array.extents.front(), known));
  return room;
}

Block executor(loop::For loop, const loop::Origins &origins, const std::string &levels,
               const Wavefronts &wavefronts, const std::vector<loop::TensorParameter> &operands) {
  const Levels of{levels};
  Term level = term::variable(of.variable("l")), at = term::variable(of.variable("p"));
  Block body;
  if (wavefronts.ahead > 0) body = fetch_ahead(loop, of, at, wavefronts, operands);
  body.push_back({loop::Let{loop.variable, of.at("iteration", at) + loop.lower}, origins});
  loop::append(body, reading_copies(loop.body, of, at, wavefronts.packed));
  loop::For together =
      over(of.variable("p"), of.at("first", level), of.at("first", level + Term(1)), std::move(body));
  together.parallel = loop::Parallel{};
  together.comment = "iterations that don't depend on each other";
  loop::For one_by_one = over(of.variable("l"), Term(0), of.at("count", Term(0)), {{std::move(together)}});
  one_by_one.team = true;
  one_by_one.comment = "levels: each depends on those before it";
  std::vector<Term> pays{term::less(Term(0), of.size())};
  if (wavefronts.least > 0)
    pays.push_back(
        term::at_most(term::scale(wavefronts.least, of.at("count", Term(0))), of.at("count", Term(1))));
  if (wavefronts.least_of_iteration > 0)
    pays.push_back(
        term::at_most(term::scale(wavefronts.least_of_iteration, of.size()), of.at("count", Term(1))));
  loop::If choice{term::conjunction(std::move(pays)), {{std::move(one_by_one)}}, ""};
  choice.otherwise = {{std::move(loop), origins}};
  return {{std::move(choice)}};
}

Block wait_for(const term::Term &partner, const loop::For &loop, const std::string &levels, bool begins) {
  const Levels of{levels};
  Term earlier = term::less(partner, term::variable(loop.variable));
  if (!begins) earlier = term::conjunction({earlier, term::at_most(loop.lower, partner)});
  return {count_one(of.variable(work)),
          {loop::If{std::move(earlier),
                    {raise(of.variable(own_level), of.at("level", number_of(partner, loop)) + Term(1))},
                    ""}}};
}

Block precede(const term::Term &partner, const loop::For &loop, const std::string &levels) {
  const Levels of{levels};
  Term later = term::conjunction(
      {term::less(term::variable(loop.variable), partner), term::less(partner, loop.upper)});
  Term next = term::variable(of.variable(own_level)) + Term(1), number = number_of(partner, loop);
  Statement raised{loop::If{term::less(of.at("level", number), next), {of.set("level", number, next)}, ""}};
  return {count_one(of.variable(work)), {loop::If{std::move(later), {std::move(raised)}, ""}}};
}

Block inspector(Inspected inspected, const std::string &levels) {
  const Levels of{levels};
  const loop::For &loop = inspected.loop;
  Term number = number_of(term::variable(loop.variable), loop);
  std::string l = of.variable("l"), i = of.variable("i");
  Term at_l = term::variable(l), at_i = term::variable(i), levels_in_all = term::variable(of.variable(depth));

  Block inspect{{loop::Declare{of.variable(own_level), of.at("level", number)}}};
  loop::append(inspect, std::move(inspected.waits));
  inspect.push_back(of.set("level", number, term::variable(of.variable(own_level))));
  inspect.push_back(raise(of.variable(depth), term::variable(of.variable(own_level)) + Term(1)));
  loop::append(inspect, std::move(inspected.precedes));
  loop::For visits = loop;
  visits.body = std::move(inspect);
  visits.parallel.reset();
  visits.comment = "the level of each iteration";

  Block body;
  body.push_back({over(i, Term(0), of.size(), {of.set("level", at_i, Term(0))})});
  body.push_back({loop::Declare{of.variable(depth), Term(0)}});
  body.push_back({loop::Declare{of.variable(work), of.size()}});
  body.push_back({std::move(visits)});
  body.push_back(of.set("count", Term(0), levels_in_all));
  body.push_back(of.set("count", Term(1), term::variable(of.variable(work))));
  // Iterations sorted by level, by counting.
  body.push_back({over(l, Term(0), levels_in_all + Term(1), {of.set("first", at_l, Term(0))})});
  Term behind = of.at("level", at_i) + Term(1);
  loop::For counts = over(i, Term(0), of.size(), {of.set("first", behind, of.at("first", behind) + Term(1))});
  counts.comment = "iterations by level";
  body.push_back({std::move(counts)});
  body.push_back(
      {over(l, Term(0), levels_in_all,
            {of.set("first", at_l + Term(1), of.at("first", at_l) + of.at("first", at_l + Term(1)))})});
  std::string place = of.variable("p");
  Term level_of = of.at("level", at_i);
  body.push_back({over(i, Term(0), of.size(),
                       {{loop::Let{place, of.at("first", level_of)}},
                        of.set("iteration", term::variable(place), at_i),
                        of.set("first", level_of, term::variable(place) + Term(1))})});
  // first[l] is where level l + 1 begins now.
  Term down = levels_in_all - at_l;
  body.push_back({over(l, Term(0), levels_in_all, {of.set("first", down, of.at("first", down - Term(1)))})});
  body.push_back(of.set("first", Term(0), Term(0)));
  for (std::size_t k = 0; k < inspected.packed.size(); ++k)
    loop::append(body, pack(inspected.packed[k], k, loop, of));
  return body;
}

} // namespace unravel::lower
