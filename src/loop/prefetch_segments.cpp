#include "loop/arrays.h"
#include "loop/passes.h"
#include "loop/segment.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace unravel::loop {

using term::Term;

namespace {

/// So many entries aren't near, so that each short segment is waited for: behind its end, which is foreseen
/// badly, processors begin to fetch too late by themselves. Long ones they fetch ahead. Measured on AMD EPYC
/// (Zen 4, 1 MiB per core), A * A: 0.6 to 0.75 of the time where rows lie apart, 1.0 to 1.03 in stencils.
constexpr double least_entries = 1 << 17, greatest_mean_length = 16;
/// How many iterations before it is needed: the pointer, and what is at it.
constexpr std::int64_t pointer_ahead = 16, entries_ahead = 8;

/// Loops over keys, by each of which a segment is chosen and gone through, ask for segments ahead.
class Prefetching {
public:
  Prefetching(const Program &program, const Known &known) : known_(known) {
    each_array(program, [&](const std::string &name, const ArrayParameter &array, const auto &parameter) {
      if (!parameter.is_result && array.extents.size() == 1) extents_.emplace(name, array.extents.front());
    });
  }

  void block(Block &statements) {
    for (std::size_t k = 0; k < statements.size(); ++k) {
      for (Block *inner : blocks_of(statements[k]))
        block(*inner);
      const auto *loop = statements[k].as<For>();
      if (!loop || !is_plain(*loop)) continue;
      const std::optional<Segments> segments = segments_of(*loop);
      if (!segments) continue;
      // The first loop over the same keys: one that counts, perhaps.
      for (std::size_t first = 0; first <= k; ++first)
        if (auto *same = statements[first].as<For>(); same && is_plain(*same) && same->lower == loop->lower &&
                                                      same->upper == loop->upper && key_of(*same) &&
                                                      key_of(*same)->function == segments->keys) {
          ask(*same, *segments);
          break;
        }
    }
  }

private:
  struct Segments {
    std::string keys, pointers;
    std::set<std::string> entries; // arrays that are read at each position
  };

  /// The key that the body begins with, at the loop's position, or null.
  static const term::Apply *key_of(const For &loop) {
    const auto *let = loop.body.empty() ? nullptr : loop.body.front().as<Let>();
    const auto *key = let ? let->value.as<term::Apply>() : nullptr;
    return key && key->arguments == std::vector{term::variable(loop.variable)} ? key : nullptr;
  }

  std::optional<Segments> segments_of(const For &loop) const {
    const term::Apply *key = key_of(loop);
    if (!key || !extents_.contains(key->function)) return std::nullopt;
    const Term number = term::variable(std::get<Let>(loop.body.front().kind).variable);
    std::optional<Segments> found;
    term::Substitution named; // bounds that have been read in front of the loop inside
    each<Let>(loop.body, [&](const Let &let) {
      if (let.value.as<term::Apply>()) named[let.variable] = let.value;
    });
    named.erase(std::get<Let>(loop.body.front().kind).variable);
    each<For>(loop.body, [&](const For &inner) {
      if (found) return;
      const std::optional<Segment> segment =
          segment_between(substitute(inner.lower, named), substitute(inner.upper, named));
      if (!segment || !segment->whole || segment->number != number || !pays(segment->pointers)) return;
      const Term rows = extents_.at(segment->pointers) - Term(1);
      if (known_.name_elements && known_.name_elements(key->function, rows))
        found = Segments{key->function, segment->pointers, entries_of(inner)};
    });
    return found && !found->entries.empty() ? found : std::nullopt;
  }

  /// Are there many entries, in short segments?
  bool pays(const std::string &pointers) const {
    const auto extent = extents_.find(pointers);
    const auto mean = known_.counts.find(pointers);
    if (extent == extents_.end() || mean == known_.counts.end()) return false;
    double rows = 0;
    for (const std::string &name : term::variables_of(extent->second))
      if (const auto count = known_.counts.find(name); count != known_.counts.end()) rows = count->second;
    return mean->second <= greatest_mean_length && mean->second * rows >= least_entries;
  }

  std::set<std::string> entries_of(const For &loop) const {
    const Term position = term::variable(loop.variable);
    std::set<std::string> found;
    each_statement(loop.body, [&](const Statement &statement) {
      each_own_term(statement, [&](const Term &term) {
        for (const Term &read : term::applications_of(term))
          if (const auto *apply = read.as<term::Apply>(); apply->arguments == std::vector{position})
            found.insert(apply->function);
      });
    });
    each_element(loop.body, [&](const Element &read) {
      if (read.slot == position) found.insert(read.array);
    });
    std::erase_if(found, [&](const std::string &array) { return !extents_.contains(array); });
    return found;
  }

  void ask(For &loop, const Segments &segments) {
    const auto ahead = [&](std::int64_t iterations) {
      const Term last = extents_.at(segments.keys) - Term(1);
      return term::apply(segments.keys,
                         {term::minimum({term::variable(loop.variable) + Term(iterations), last})});
    };
    Block asked{{Prefetch{segments.pointers, ahead(pointer_ahead)}}};
    for (const std::string &array : segments.entries)
      asked.push_back({Prefetch{array, term::apply(segments.pointers, {ahead(entries_ahead)})}});
    for (Statement &statement : asked)
      statement.origins = loop.body.front().origins;
    loop.body.insert(loop.body.begin() + 1, asked.begin(), asked.end());
  }

  const Known &known_;
  std::map<std::string, Term> extents_; // of the operands' arrays of one extent
};

} // namespace

Program prefetch_segments(Program program, const Known &known) {
  if (!known.counts.empty()) Prefetching(program, known).block(program.body);
  return program;
}

} // namespace unravel::loop
