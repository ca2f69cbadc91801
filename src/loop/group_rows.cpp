#include "loop/alike_rows.h"
#include "loop/arrays.h"
#include "loop/group_appended.h"
#include "loop/passes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace unravel::loop {

using term::Term;

namespace {

using Names = std::set<std::string>;

/// A loop over rows: sums in an array of the workspace, for each position of the row; then the loop that
/// takes them out, for each position of the result's row.
struct Rows {
  For products, sums; // the two loops
  RowSegment of_products, of_sums;
  std::string factors; // the value array that the products read at their positions
  std::string array;   // of the workspace
};

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
      auto *loop = statement.as<For>();
      if (!loop) continue;
      if (const std::optional<Rows> rows = rows_of(*loop)) {
        statement = {grouped(*loop, *rows), statement.origins};
      } else if (std::optional<AppendedRows> appended = appended_rows(*loop, program_, known_)) {
        statement = {in_strips(*loop, {appended->segment}, std::move(appended->together)), statement.origins};
        for (WorkspaceArray &array : appended->arrays)
          program_.workspace.push_back(std::move(array));
      }
    }
  }

private:
  std::optional<Rows> rows_of(const For &loop) const {
    const bool is_plain = loop.lower == Term(0) && loop.step == 1 && loop.together == 1 && !loop.simd &&
                          (!loop.parallel || (loop.parallel->sum.empty() && loop.parallel->copied.empty() &&
                                              !loop.parallel->appended));
    if (!is_plain || loop.body.size() != 2 || !loop.body[0].is<For>() || !loop.body[1].is<For>()) return {};
    const Term row = term::variable(loop.variable);
    Rows rows{*loop.body[0].as<For>(), *loop.body[1].as<For>(), {}, {}, "", ""};
    rows.of_products.pointers = pointers_of(rows.products, row);
    rows.of_sums.pointers = pointers_of(rows.sums, row);
    if (rows.of_sums.pointers.empty() || !may_be_alike(rows.of_products.pointers, known_)) return {};
    for (const For *part : {&rows.products, &rows.sums})
      if (names_read(part->body).contains(loop.variable)) return {};
    const std::optional<Names> keys = keys_at(rows.products.body, rows.products.variable),
                               keys_of_sums = keys_at(rows.sums.body, rows.sums.variable);
    if (!keys || !keys_of_sums) return {};
    rows.of_products.keys = *keys, rows.of_sums.keys = *keys_of_sums;
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

  For grouped(const For &loop, const Rows &rows) {
    const WorkspaceArray sums = *find_workspace(rows.array, program_);
    program_.workspace.push_back(of_rows(sums));
    program_.workspace.push_back(factors_of_rows(sums, rows.factors));
    return in_strips(loop, {rows.of_products, rows.of_sums}, together(loop, rows));
  }

  /// What is done for all of them.
  static Block together(const For &loop, const Rows &rows) {
    const std::string factors = rows.factors + "_of_rows";
    const Term in_products = term::variable(rows.products.variable),
               in_sums = term::variable(rows.sums.variable), each = one_of_rows(loop);
    const auto of_row = [&](const Element &element) {
      if (element.array == rows.array) return in_lane(element, loop);
      if (element.array == rows.factors && element.slot == in_products) return Element{factors, each};
      if (element.slot == in_sums)
        return Element{element.array, in_sums + term::multiply(each, length_of(rows.of_sums, loop))};
      return element;
    };
    For products = rows.products, sums = rows.sums;
    in_lanes(products.body, loop, of_row);
    Block filled = factors_of(loop, rows.of_products, in_products, rows.factors);
    append(filled, std::move(products.body));
    products.body = std::move(filled);
    Block out;
    for (Statement &statement : sums.body) {
      auto *store = statement.as<Store>();
      if (!store) {
        out.push_back(std::move(statement));
        continue;
      }
      const bool is_zeroed = value::is_zero(store->value);
      Block mapped{std::move(statement)};
      map_elements(mapped, of_row);
      out.push_back(for_rows(loop, 0, is_zeroed ? Term(rows_at_once) : number_of_rows(loop),
                             std::move(mapped), is_zeroed));
    }
    sums.body = std::move(out);
    return {{std::move(products)}, {std::move(sums)}};
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
