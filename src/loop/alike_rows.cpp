#include "loop/alike_rows.h"
#include "loop/arrays.h"
#include "loop/segment.h"

#include <algorithm>
#include <utility>

namespace unravel::loop {

using term::Term;

namespace {

/// Rows of so many entries on average: comparing them costs little beside what is done for each entry, and
/// matrices of several unknowns a node, whose rows are alike, have such. Measured: docs/choice.md.
constexpr double least_length_of_alike = 16;
/// Threads share out strips of so many rows, in which rows are put together.
constexpr std::int64_t rows_of_strip = 32;

Term length_at(const std::string &pointers, const Term &row) {
  return term::apply(pointers, {row + Term(1)}) - term::apply(pointers, {row});
}

/// Counts how many of the next rows have the keys of this one.
Block compared(const For &rows, const std::vector<RowSegment> &segments) {
  const std::string &name = rows.variable;
  const Term row = term::variable(name), number = number_of_rows(rows), other = row + number;
  const std::string alike = name + ".alike", slot = name + ".slot";
  const Term is_alike = term::equal(term::variable(alike), Term(1));
  const auto differ = [&](Term condition) {
    return If{term::negation(std::move(condition)), {{Assign{alike, Term(0)}}}, ""};
  };
  Block next;
  for (const RowSegment &segment : segments)
    next.push_back(
        {differ(term::equal(length_at(segment.pointers, row), length_at(segment.pointers, other)))});
  for (const RowSegment &segment : segments)
    for (const std::string &key : segment.keys) {
      const auto of = [&](const Term &which) {
        return term::apply(key, {term::apply(segment.pointers, {which}) + term::variable(slot)});
      };
      If differs = differ(term::equal(of(row), of(other)));
      differs.then.push_back({Break{}});
      For all{slot, Term(0), length_at(segment.pointers, row)};
      all.body.push_back({std::move(differs)});
      next.push_back({If{is_alike, {{std::move(all)}}, ""}});
    }
  next.push_back({If{is_alike, {{Assign{name + ".rows", number + Term(1)}}}, ""}});
  const Term more = term::conjunction(
      {is_alike, term::less(number, Term(rows_at_once)), term::less(other, term::variable(name + ".end"))});
  return {{Declare{alike, Term(1)}}, {While{more, std::move(next), ""}}};
}

} // namespace

Term length_of(const RowSegment &segment, const For &rows) {
  return length_at(segment.pointers, term::variable(rows.variable));
}

bool may_be_alike(const std::string &pointers, const Known &known) {
  const auto mean = known.counts.find(pointers);
  return mean != known.counts.end() && mean->second >= least_length_of_alike;
}

std::string pointers_of(const For &loop, const Term &row) {
  const std::optional<Segment> segment = segment_between(loop.lower, loop.upper);
  const bool is_row = segment && segment->whole && segment->number == row && is_serial(loop);
  return is_row ? segment->pointers : "";
}

std::optional<std::set<std::string>> keys_at(const Block &block, const std::string &position) {
  std::set<std::string> found;
  bool otherwise = false;
  const Term at = term::variable(position);
  each_statement(block, [&](const Statement &statement) {
    const bool has_elements = statement.is<Store>() || statement.is<Accumulate>();
    each_own_term(statement, [&](const Term &whole) {
      Term term = whole;
      for (const Term &load : term::applications_of(whole))
        if (const auto *read = load.as<term::Apply>(); read->arguments == std::vector{at}) {
          found.insert(read->function);
          term = term::replace(term, {{load, Term(0)}});
        }
      otherwise = otherwise || (mentions(term, position) && !(has_elements && term == at));
    });
    each_own_value(statement, [&](const Value &value) {
      value::each_leaf<Term>(value,
                             [&](const Term &term) { otherwise = otherwise || mentions(term, position); });
    });
  });
  return otherwise ? std::nullopt : std::optional(found);
}

Term number_of_rows(const For &rows) {
  return term::variable(rows.variable + ".rows");
}

Term one_of_rows(const For &rows) {
  return term::variable(rows.variable + ".row");
}

Statement for_rows(const For &rows, std::int64_t first, Term count, Block body, bool simd) {
  For lanes{rows.variable + ".row", Term(first), std::move(count)};
  lanes.body = std::move(body);
  lanes.simd = simd;
  return {std::move(lanes)};
}

WorkspaceArray of_rows(WorkspaceArray one) {
  one.name += "_of_rows";
  one.extent = term::scale(rows_at_once, one.extent);
  one.about = "of rows that are alike, one beside the other";
  return one;
}

WorkspaceArray factors_of_rows(WorkspaceArray sums, const std::string &values) {
  sums.name = values + "_of_rows";
  sums.extent = Term(rows_at_once);
  sums.initial = std::nullopt;
  sums.about = "what such rows have at one position";
  return sums;
}

Element in_lane(const Element &element, const For &rows) {
  return {element.array + "_of_rows", term::scale(rows_at_once, element.slot) + one_of_rows(rows)};
}

Block factors_of(const For &rows, const RowSegment &segment, const Term &position,
                 const std::string &values) {
  const Element factor{values + "_of_rows", one_of_rows(rows)};
  const Element of_row{values, position + term::multiply(one_of_rows(rows), length_of(segment, rows))};
  return {for_rows(rows, 0, Term(rows_at_once), {{Store{factor, {Number{0}}}}}, true),
          for_rows(rows, 0, number_of_rows(rows), {{Store{factor, {of_row}}}}, false)};
}

void in_lanes(Block &block, const For &rows, const std::function<Element(const Element &)> &of_row) {
  for (Statement &statement : block) {
    for (Block *inner : blocks_of(statement))
      in_lanes(*inner, rows, of_row);
    if (!statement.is<Store>() && !statement.is<Accumulate>()) continue;
    Block mapped{std::move(statement)};
    map_elements(mapped, of_row);
    statement = for_rows(rows, 0, Term(rows_at_once), std::move(mapped), true);
  }
}

For in_strips(const For &rows, const std::vector<RowSegment> &segments, Block together) {
  const std::string &name = rows.variable;
  const Term at = term::variable(name + ".at"), end = term::variable(name + ".end"),
             number = number_of_rows(rows);
  Block one{{Let{name, at}}, {Declare{name + ".rows", Term(1)}}};
  append(one, compared(rows, segments));
  one.push_back({If{term::at_most(number, Term(1)), rows.body, "", std::move(together)}});
  one.push_back({Assign{name + ".at", at + number}});
  For strips = rows;
  strips.variable = name + ".strip";
  Term first = term::variable(strips.variable);
  if (rows.parallel && rows.parallel->appended) { // whose iterations are the nodes that they begin
    strips.step = rows_of_strip;
  } else {
    strips.upper = term::floor_divide(rows.upper + Term(rows_of_strip - 1), rows_of_strip);
    first = term::scale(rows_of_strip, first);
  }
  if (strips.parallel) {
    strips.parallel->chunk = std::max<int>(strips.parallel->chunk / rows_of_strip, 1);
    if (!strips.parallel->work && strips.parallel->least != Parallel::never)
      strips.parallel->least /= rows_of_strip;
  }
  strips.body = {{Let{name + ".end", term::minimum({first + Term(rows_of_strip), rows.upper})}},
                 {Declare{name + ".at", first}},
                 {While{term::less(at, end), std::move(one), "rows with the same columns are done at once"}}};
  return strips;
}

} // namespace unravel::loop
