#include "emit/intersect.h"

#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::emit {

namespace {

/// The C names of one side.
struct Side {
  std::string position, at, end, keys, hits, last;
};

Side name_side(const loop::KeyedRange &range, Names &names) {
  std::string position = names.variable(range.variable);
  auto with = [&](const char *suffix) { return names.fresh(position + suffix); };
  return {position, with("_at"), with("_end"), names.array(range.key), with("_hits"), with("_last")};
}

} // namespace

IntersectText intersect_text(const loop::Intersect &loop, Names &names, Expressions &expressions) {
  const Side a = name_side(loop.first, names), b = name_side(loop.second, names);
  IntersectText text;
  text.over_blocks =
      fmt::format("for (int64_t {0} = {2}, {1} = {3}, {4} = {6}, {5} = {7}; {0} < {1} && {4} < {5};)", a.at,
                  a.end, expressions.term(loop.first.lower), expressions.term(loop.first.upper), b.at, b.end,
                  expressions.term(loop.second.lower), expressions.term(loop.second.upper));
  // Vectors of keys of two types aren't compared.
  loop::ElementType type = expressions.type_of(loop.first.key);
  bool blocks = type == expressions.type_of(loop.second.key);
  std::string count = blocks ? names.fresh("count") : "1";
  if (blocks)
    text.compare.push_back(fmt::format("const int64_t {} = {} + 8 <= {} && {} + 8 <= {} ? 8 : 1;", count,
                                       a.at, a.end, b.at, b.end));
  for (const Side *side : {&a, &b})
    text.compare.push_back(fmt::format("const int64_t {} = {}[{}{}];", side->last, side->keys, side->at,
                                       blocks ? " + " + count + " - 1" : ""));
  text.compare.push_back(
      fmt::format("uint32_t {} = {} == {}, {} = {};", a.hits, a.last, b.last, b.hits, a.hits));
  if (blocks)
    text.compare.push_back(fmt::format("if ({} == 8) {}({} + {}, {} + {}, &{}, &{});", count,
                                       expressions.equal_pairs(type), a.keys, a.at, b.keys, b.at, a.hits,
                                       b.hits));
  text.over_hits = fmt::format("while ({})", a.hits);
  auto take = [&](const loop::KeyedRange &range, const Side &side) {
    bool is_used = std::any_of(loop.body.begin(), loop.body.end(), [&](const loop::Statement &statement) {
      return loop::occurrences(statement, term::variable(range.variable)) > 0;
    });
    if (is_used)
      text.take_hit.push_back(fmt::format("const int64_t {} = {} + {}({});", side.position, side.at,
                                          expressions.called("lowest_bit"), side.hits));
  };
  take(loop.first, a);
  take(loop.second, b);
  for (const Side *side : {&a, &b})
    text.take_hit.push_back(fmt::format("{0} &= {0} - 1;", side->hits));
  text.advance = {fmt::format("{} += {} <= {} ? {} : 0;", a.at, a.last, b.last, count),
                  fmt::format("{} += {} <= {} ? {} : 0;", b.at, b.last, a.last, count)};
  return text;
}

} // namespace unravel::emit
