#include "lower/pieces.h"

#include "loop/walk.h"
#include "lower/find_code.h"

namespace unravel::lower {

using scan::Level;
using term::Term;

namespace {

Term before(const Level &level, const EqualWork &equal, const Term &iteration) {
  return term::substitute(equal.before, {{level.variable, iteration}});
}

Term behind(const Level &level, const EqualWork &equal) {
  return before(level, equal, term::variable(level.variable) + Term(1));
}

Term all_of(const Level &level, const EqualWork &equal) {
  return before(level, equal, level.upper) - before(level, equal, level.lower);
}

Term start_of(const Level &level, const EqualWork &equal, const Term &size, const std::string &piece) {
  return before(level, equal, level.lower) + term::multiply(size, term::variable(piece));
}

Term number_of(const Level &level, const EqualWork &equal, int size) {
  return term::ceil_divide(all_of(level, equal), size);
}

/// The first iteration that reaches beyond the start.
loop::Block first_of(const std::string &name, const Level &level, const EqualWork &equal, const Term &start) {
  return lower_bound(name, level, term::at_most(behind(level, equal), start));
}

Pieces pieces_of(const Level &level, const EqualWork &equal, const Term &size, Term number) {
  const std::string &name = level.variable;
  Pieces pieces{loop::For{name + ".piece", Term(0), std::move(number)}, term::variable(name + ".start"),
                term::variable(name + ".start") + size, term::variable(name + ".from"),
                term::variable(name + ".to")};
  loop::Block &body = pieces.loop.body;
  body.push_back({loop::Let{name + ".start", start_of(level, equal, size, pieces.loop.variable)}});
  if (equal.within)
    loop::append(body, first_of(name + ".from", level, equal, pieces.start));
  else
    loop::append(body, lower_bound(name + ".from", level, term::less(equal.before, pieces.start)));
  Level rest = level;
  rest.lower = pieces.from;
  loop::append(body, lower_bound(name + ".to", rest, term::less(equal.before, pieces.stop)));
  pieces.loop.comment = equal.within ? "pieces of equal work, which may cut an iteration in two"
                                     : "pieces of about equal work: whole iterations";
  return pieces;
}

} // namespace

Pieces pieces_of(const Level &level, const EqualWork &equal, int size) {
  return pieces_of(level, equal, Term(size), number_of(level, equal, size));
}

loop::ShareOut share_out(const Level &level, const EqualWork &equal, const Term &each) {
  return {level.variable + ".pieces", level.variable + ".share", all_of(level, equal), each};
}

Pieces parts_of(const Level &level, const EqualWork &equal) {
  const loop::ShareOut out = share_out(level, equal, Term(1));
  return pieces_of(level, equal, term::variable(out.share), term::variable(out.parts));
}

Term is_whole(const Level &level, const EqualWork &equal, const Pieces &pieces) {
  return term::conjunction({begins_inside(equal, pieces), term::at_most(behind(level, equal), pieces.stop)});
}

Term begins_inside(const EqualWork &equal, const Pieces &pieces) {
  return term::at_most(pieces.start, equal.before);
}

Level part_of(const Level &inner, const EqualWork &equal, const Pieces &pieces) {
  Level part = inner;
  part.lower = term::maximum({inner.lower, inner.lower + pieces.start - equal.before});
  part.upper = term::minimum({inner.upper, inner.lower + pieces.stop - equal.before});
  return part;
}

loop::Block at_cuts(const Level &level, const EqualWork &equal, int size, loop::Block body) {
  const std::string piece = level.variable + ".cut", found = level.variable + ".first";
  loop::For cuts{piece, Term(1), number_of(level, equal, size)};
  cuts.comment = "what pieces share starts at zero";
  cuts.body = first_of(found, level, equal, start_of(level, equal, Term(size), piece));
  cuts.body.push_back({loop::Let{level.variable, term::variable(found)}});
  loop::append(cuts.body, std::move(body));
  return {{std::move(cuts)}};
}

loop::For chunks_of(const Level &level, int size, std::string comment) {
  const std::string name = level.variable + ".chunk";
  loop::For outer{name, Term(0), term::ceil_divide(level.upper - level.lower, size)};
  outer.comment = std::move(comment);
  outer.body.push_back(
      {loop::Let{level.variable + ".from", level.lower + term::scale(size, term::variable(name))}});
  return outer;
}

LeafPlan plan_of_chunk(const LeafPlan &plan, const Term &first, const Term &end) {
  const std::size_t owner = *plan.parallel;
  const Level &found = plan.nest.levels[owner];
  LeafPlan inside = plan;
  inside.cut = plan::Chunks{};
  inside.parallel = std::nullopt;
  const scan::Component &interval = found.components.front();
  auto at = [&](const Term &formula, const Term &value) {
    return term::substitute(formula, {{found.variable, value}});
  };
  inside.nest.levels.front().lower = at(interval.key, first);
  inside.nest.levels.front().upper = at(interval.key + interval.width, end - Term(1));
  inside.nest.levels[owner].lower = first;
  inside.nest.levels[owner].upper = end;
  for (plan::LevelPlan &each : inside.finds.levels) {
    if (auto *walk = each.as<plan::Walk>(); walk && each.level == owner) walk->start = first;
    // Filled already, for all chunks.
    auto *map = each.filled_map();
    if (map && map->level == 0) map->level = inside.nest.levels.size() + 1;
  }
  return inside;
}

} // namespace unravel::lower
