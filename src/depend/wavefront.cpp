#include "depend/wavefront.h"

#include "depend/statements.h"
#include "term/children.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace unravel::depend {

using combine::IterationSpace;
using term::Term;

namespace {

/// The value of the loop's variable for which a reference has the coordinates `wanted`, if one of its own
/// coordinates alone decides it: loop + c or c - loop.
std::optional<Term> iteration_at(const std::vector<Term> &coordinates, const std::vector<Term> &wanted,
                                 const IterationSpace &space) {
  const std::string &loop = space.loops.front();
  const std::vector<std::string> all = space.variables();
  const std::set<std::string> own(all.begin(), all.end());
  for (std::size_t k = 0; k < std::min(coordinates.size(), wanted.size()); ++k) {
    if (!term::mentions(coordinates[k], loop)) continue;
    Term rest = term::substitute(coordinates[k], {{loop, Term(0)}});
    if (!term::applications_of(coordinates[k]).empty() || term::mentions_any(rest, own)) continue;
    if (coordinates[k] == rest + term::variable(loop)) return wanted[k] - rest;
    if (coordinates[k] == rest - term::variable(loop)) return rest - wanted[k];
  }
  return std::nullopt;
}

/// "x(i, j)"
std::string text_of(const Reference &reference) {
  std::vector<std::string> texts;
  for (const Term &coordinate : reference.coordinates)
    texts.push_back(term::to_text(coordinate));
  return fmt::format("{}({})", reference.tensor, fmt::join(texts, ", "));
}

void add(Wavefront &wavefront, Visit visit) {
  auto same = std::ranges::find_if(wavefront.visits, [&](const Visit &each) {
    return each.statement == visit.statement && each.partner == visit.partner;
  });
  if (same == wavefront.visits.end()) {
    wavefront.visits.push_back(std::move(visit));
    return;
  }
  same->earlier = same->earlier || visit.earlier;
  same->later = same->later || visit.later;
}

} // namespace

Wavefront wavefront(const std::vector<const IterationSpace *> &statements, prove::Prover &prover) {
  Wavefront result;
  each_carried(statements, 0, prover,
               [&](std::size_t first, std::size_t second, const Conflict &conflict, prove::Answer) {
                 const std::vector<Term> &here = conflict.first.coordinates;
                 const std::vector<Term> &there = conflict.second.coordinates;
                 if (auto partner = iteration_at(here, there, *statements[first]))
                   add(result, {second, *partner, true, false});
                 else if (auto next = iteration_at(there, here, *statements[second]))
                   add(result, {first, *next, false, true});
                 else if (result.hindrance.empty())
                   result.hindrance = text_of(conflict.first);
               });
  return result;
}

} // namespace unravel::depend
