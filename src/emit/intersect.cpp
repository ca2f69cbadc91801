// The intersection of two sets of keys. Blocks of 8 keys are compared with blocks of 8 keys, where less is
// left one with one; the block whose last key is the smaller one is passed.
#include "emit/statement_writer.h"

#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;

namespace {

/// The C names of one side.
struct Side {
  std::string variable; // the program's
  std::string position, at, end, keys, hits, last;
};

Side name_side(const KeyedRange &range, Names &names) {
  std::string position = names.variable(range.variable);
  auto with = [&](const char *suffix) { return names.fresh(position + suffix); };
  return {range.variable,         position,      with("_at"),  with("_end"),
          names.array(range.key), with("_hits"), with("_last")};
}

} // namespace

void StatementWriter::write(const Intersect &x) {
  const Statement &loop = *statement_;
  comment(x.comment);
  const Side a = name_side(x.first, names_), b = name_side(x.second, names_);
  open(fmt::format("for (int64_t {0} = {2}, {1} = {3}, {4} = {6}, {5} = {7}; {0} < {1} && {4} < {5};)", a.at,
                   a.end, expressions_.term(x.first.lower), expressions_.term(x.first.upper), b.at, b.end,
                   expressions_.term(x.second.lower), expressions_.term(x.second.upper)),
       {});
  // Vectors of keys of two types aren't compared.
  const ElementType type = expressions_.type_of(x.first.key);
  const bool blocks = type == expressions_.type_of(x.second.key);
  const std::string count = blocks ? names_.fresh("count") : "1";
  if (blocks)
    line("const int64_t {} = {} + 8 <= {} && {} + 8 <= {} ? 8 : 1;", count, a.at, a.end, b.at, b.end);
  for (const Side *side : {&a, &b})
    line("const int64_t {} = {}[{}{}];", side->last, side->keys, side->at,
         blocks ? " + " + count + " - 1" : "");
  line("uint32_t {} = {} == {}, {} = {};", a.hits, a.last, b.last, b.hits, a.hits);
  if (blocks)
    line("if ({} == 8) {}({} + {}, {} + {}, &{}, &{});", count, expressions_.equal_pairs(type), a.keys, a.at,
         b.keys, b.at, a.hits, b.hits);
  open(fmt::format("while ({})", a.hits), {});
  for (const Side *side : {&a, &b})
    if (mentions_variable(x.body, side->variable))
      line("const int64_t {} = {} + {}({});", side->position, side->at, expressions_.called("lowest_bit"),
           side->hits);
  for (const Side *side : {&a, &b})
    line("{0} &= {0} - 1;", side->hits);
  --indent_;
  branch(loop, 0, x.body);
  line("}");
  close({fmt::format("{} += {} <= {} ? {} : 0;", a.at, a.last, b.last, count),
         fmt::format("{} += {} <= {} ? {} : 0;", b.at, b.last, a.last, count)});
}

} // namespace unravel::emit
