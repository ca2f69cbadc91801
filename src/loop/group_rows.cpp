#include "loop/arrays.h"
#include "loop/passes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace unravel::loop {

using term::Term;

namespace {

/// Rows of so many entries on average: comparing them costs little beside what is done for each entry, and
/// matrices of several unknowns a node, whose rows are alike, have such. Measured: docs/choice.md.
constexpr double least_mean_length = 16;
/// So many rows at most are done at once: a vector of doubles that every processor of these years adds at
/// once or twice.
constexpr std::int64_t rows_at_once = 4;
/// Threads share out strips of so many rows, in which rows are put together.
constexpr std::int64_t strip = 32;

using Names = std::set<std::string>;

/// A loop over rows: sums in an array of the workspace, for each position of the row; then the loop that
/// takes them out, for each position of the result's row.
struct Rows {
  For products, sums; // the two loops
  std::string pointers, pointers_of_sums;
  Names keys, keys_of_sums; // arrays that are read at their positions
  std::string factors;      // the value array that the products read at theirs
  std::string array;        // of the workspace
};

std::string pointers_of(const For &loop, const Term &row) {
  const auto *begin = loop.lower.as<term::Apply>(), *end = loop.upper.as<term::Apply>();
  const bool is_segment = begin && end && begin->function == end->function &&
                          begin->arguments == std::vector{row} &&
                          end->arguments == std::vector{row + Term(1)};
  return is_segment && loop.step == 1 && !loop.parallel && loop.together == 1 ? begin->function : "";
}

/// The arrays of integers that the block reads at the position. Nothing where it does something else with it,
/// but for elements of values of that slot.
std::optional<Names> keys_at(const Block &block, const std::string &position) {
  Names found;
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

/// Has an element of the array that slot?
bool has_slot(const Block &block, const std::string &array, const Term &slot) {
  return holds(block, [&](const Statement &statement) {
    const Element *written = written_element(statement);
    bool found = written && written->array == array && written->slot == slot;
    each_element(statement,
                 [&](const Element &read) { found = found || (read.array == array && read.slot == slot); });
    return found;
  });
}

class Grouping {
public:
  Grouping(Program &program, const Known &known) : program_(program), known_(known) {}

  void block(Block &statements) {
    for (Statement &statement : statements) {
      if (auto *loop = statement.as<For>())
        if (const std::optional<Rows> rows = rows_of(*loop))
          statement = {in_strips(*loop, *rows), statement.origins};
    }
  }

private:
  std::optional<Rows> rows_of(const For &loop) const {
    const bool is_plain = loop.lower == Term(0) && loop.step == 1 && loop.together == 1 && !loop.simd &&
                          (!loop.parallel || (loop.parallel->sum.empty() && loop.parallel->copied.empty() &&
                                              !loop.parallel->appended));
    if (!is_plain || loop.body.size() != 2 || !loop.body[0].is<For>() || !loop.body[1].is<For>()) return {};
    Rows rows{*loop.body[0].as<For>(), *loop.body[1].as<For>(), "", "", {}, {}, "", ""};
    const Term row = term::variable(loop.variable);
    rows.pointers = pointers_of(rows.products, row), rows.pointers_of_sums = pointers_of(rows.sums, row);
    const auto mean = known_.counts.find(rows.pointers);
    if (rows.pointers_of_sums.empty() || mean == known_.counts.end() || mean->second < least_mean_length)
      return {};
    for (const For *part : {&rows.products, &rows.sums})
      if (names_read(part->body).contains(loop.variable)) return {};
    const std::optional<Names> keys = keys_at(rows.products.body, rows.products.variable),
                               keys_of_sums = keys_at(rows.sums.body, rows.sums.variable);
    if (!keys || !keys_of_sums) return {};
    rows.keys = *keys, rows.keys_of_sums = *keys_of_sums;
    if (!adds_up(rows) || !takes_out(rows) ||
        has_slot(rows.products.body, rows.array, term::variable(rows.products.variable)) ||
        has_slot(rows.sums.body, rows.array, term::variable(rows.sums.variable)))
      return {};
    return rows;
  }

  /// Does the first loop do nothing but add to elements of an array of the workspace? It reads one operand's
  /// values at its positions.
  bool adds_up(Rows &rows) const {
    int sums = 0;
    bool otherwise = false;
    each_statement(rows.products.body, [&](const Statement &statement) {
      if (const auto *add = statement.as<Accumulate>()) {
        const auto *element = std::get_if<Element>(&add->target);
        otherwise = otherwise || !element || add->atomic || add->by != Operator::Add || ++sums > 1;
        if (element) rows.array = element->array;
      } else if (const auto *loop = statement.as<For>()) {
        otherwise = otherwise || loop->parallel || loop->together > 1;
      } else {
        otherwise = otherwise || !statement.is<Let>();
      }
    });
    each_element(rows.products.body, [&](const Element &element) {
      if (element.slot == term::variable(rows.products.variable)) {
        otherwise = otherwise || (!rows.factors.empty() && rows.factors != element.array);
        rows.factors = element.array;
      }
    });
    const WorkspaceArray *array = find_workspace(rows.array, program_);
    const ArrayParameter *factors = find_array(rows.factors, program_);
    return sums == 1 && !otherwise && array && array->initial == 0 && !array->grows && !array->hashed &&
           value::is_floating(array->element) && factors && factors->element == array->element;
  }

  /// Does the second one store what depends on the sum to an element of its position, and set the sum to
  /// zero?
  static bool takes_out(const Rows &rows) {
    const Term position = term::variable(rows.sums.variable);
    bool is_zeroed = false;
    for (const Statement &statement : rows.sums.body) {
      if (statement.is<Let>()) continue;
      const auto *store = statement.as<Store>();
      const auto *target = store ? std::get_if<Element>(&store->target) : nullptr;
      if (!target) return false;
      if (target->array == rows.array) {
        if (!value::is_zero(store->value)) return false;
        is_zeroed = true;
        continue;
      }
      bool is_of_sum = target->slot == position && !is_zeroed;
      each_element(store->value,
                   [&](const Element &read) { is_of_sum = is_of_sum && read.array == rows.array; });
      if (!is_of_sum) return false;
    }
    return is_zeroed;
  }

  For in_strips(const For &loop, const Rows &rows) {
    const std::string name = loop.variable;
    const Term row = term::variable(name), at = term::variable(name + ".at"),
               end = term::variable(name + ".end"), number = term::variable(name + ".rows");
    const WorkspaceArray sums = *find_workspace(rows.array, program_);
    WorkspaceArray several = sums, factors = sums;
    several.name = rows.array + "_of_rows";
    several.extent = term::scale(rows_at_once, sums.extent);
    several.about = "of rows that are alike, one beside the other";
    factors.name = rows.factors + "_of_rows";
    factors.extent = Term(rows_at_once);
    factors.initial = std::nullopt;
    factors.about = "what such rows have at one position";
    program_.workspace.push_back(several);
    program_.workspace.push_back(factors);

    Block one{{Let{name, at}}, {Declare{name + ".rows", Term(1)}}};
    append(one, compared(name, rows));
    one.push_back({If{term::at_most(number, Term(1)), loop.body, "", together(name, rows)}});
    one.push_back({Assign{name + ".at", at + number}});
    For strips = loop;
    strips.variable = name + ".strip";
    const Term first = term::scale(strip, term::variable(strips.variable));
    strips.upper = term::floor_divide(loop.upper + Term(strip - 1), strip);
    if (strips.parallel) {
      strips.parallel->chunk = std::max<int>(strips.parallel->chunk / strip, 1);
      if (!strips.parallel->work && strips.parallel->least != Parallel::never)
        strips.parallel->least /= strip;
    }
    strips.body = {
        {Let{name + ".end", term::minimum({first + Term(strip), loop.upper})}},
        {Declare{name + ".at", first}},
        {While{term::less(at, end), std::move(one), "rows with the same columns are done at once"}}};
    return strips;
  }

  /// Counts how many of the next rows have the keys of this one.
  static Block compared(const std::string &name, const Rows &rows) {
    const Term row = term::variable(name), other = row + term::variable(name + ".rows");
    const std::string alike = name + ".alike", slot = name + ".slot";
    const Term is_alike = term::equal(term::variable(alike), Term(1));
    const auto begin = [](const std::string &pointers, const Term &of) {
      return term::apply(pointers, {of});
    };
    const auto length = [&](const std::string &pointers, const Term &of) {
      return begin(pointers, of + Term(1)) - begin(pointers, of);
    };
    const auto differ = [&](Term condition) {
      return If{term::negation(std::move(condition)), {{Assign{alike, Term(0)}}}, ""};
    };
    Block next;
    for (const std::string &pointers : {rows.pointers, rows.pointers_of_sums})
      next.push_back({differ(term::equal(length(pointers, row), length(pointers, other)))});
    const auto compare = [&](const std::string &pointers, const Names &keys) {
      for (const std::string &key : keys) {
        const auto of = [&](const Term &which) {
          return term::apply(key, {begin(pointers, which) + term::variable(slot)});
        };
        If differs = differ(term::equal(of(row), of(other)));
        differs.then.push_back({Break{}});
        For all{slot, Term(0), length(pointers, row)};
        all.body.push_back({std::move(differs)});
        next.push_back({If{is_alike, {{std::move(all)}}, ""}});
      }
    };
    compare(rows.pointers, rows.keys);
    compare(rows.pointers_of_sums, rows.keys_of_sums);
    next.push_back({If{is_alike, {{Assign{name + ".rows", term::variable(name + ".rows") + Term(1)}}}, ""}});
    const Term more =
        term::conjunction({is_alike, term::less(term::variable(name + ".rows"), Term(rows_at_once)),
                           term::less(other, term::variable(name + ".end"))});
    return {{Declare{alike, Term(1)}}, {While{more, std::move(next), ""}}};
  }

  /// What is done for all of them.
  static Block together(const std::string &name, const Rows &rows) {
    const std::string lane = name + ".row";
    const Term row = term::variable(name), each = term::variable(lane),
               number = term::variable(name + ".rows");
    const auto length = [&](const std::string &pointers) {
      return term::apply(pointers, {row + Term(1)}) - term::apply(pointers, {row});
    };
    const std::string several = rows.array + "_of_rows", factors = rows.factors + "_of_rows";
    const Term in_products = term::variable(rows.products.variable),
               in_sums = term::variable(rows.sums.variable);
    const auto for_each = [&](Term count, Statement statement, bool simd) {
      For lanes{lane, Term(0), std::move(count)};
      lanes.body.push_back(std::move(statement));
      lanes.simd = simd;
      return Statement{std::move(lanes)};
    };
    const auto of_lane = [&](const Element &element) {
      if (element.array == rows.array)
        return Element{several, term::scale(rows_at_once, element.slot) + each};
      if (element.array == rows.factors && element.slot == in_products) return Element{factors, each};
      if (element.slot == in_sums)
        return Element{element.array, in_sums + term::multiply(each, length(rows.pointers_of_sums))};
      return element;
    };
    For products = rows.products, sums = rows.sums;
    in_lanes(products.body, for_each, of_lane);
    const Term slot = in_products + term::multiply(each, length(rows.pointers));
    products.body.insert(
        products.body.begin(),
        {for_each(Term(rows_at_once), {Store{Element{factors, each}, {Number{0}}}}, true),
         for_each(number, {Store{Element{factors, each}, {Element{rows.factors, slot}}}}, false)});
    Block out;
    for (Statement &statement : sums.body) {
      auto *store = statement.as<Store>();
      if (!store) {
        out.push_back(std::move(statement));
        continue;
      }
      const bool is_zeroed = value::is_zero(store->value);
      Block mapped{std::move(statement)};
      map_elements(mapped, of_lane);
      out.push_back(for_each(is_zeroed ? Term(rows_at_once) : number, std::move(mapped.front()), is_zeroed));
    }
    sums.body = std::move(out);
    return {{std::move(products)}, {std::move(sums)}};
  }

  template <class ForEach, class OfLane>
  static void in_lanes(Block &block, const ForEach &for_each, const OfLane &of_lane) {
    for (Statement &statement : block) {
      for (Block *inner : blocks_of(statement))
        in_lanes(*inner, for_each, of_lane);
      if (!statement.is<Accumulate>()) continue;
      Block mapped{std::move(statement)};
      map_elements(mapped, of_lane);
      statement = for_each(Term(rows_at_once), std::move(mapped.front()), true);
    }
  }

  Program &program_;
  const Known &known_;
};

} // namespace

Program group_rows(Program program, const Known &known) {
  if (known.counts.empty()) return program;
  Block body = program.body;
  Grouping(program, known).block(body);
  program.body = std::move(body);
  return program;
}

} // namespace unravel::loop
