// Products of a row and a column that a loop computes and adds one after the other are collected, and added
// together in tiles.
#include "loop/arrays.h"
#include "loop/load.h"
#include "loop/passes.h"
#include "loop/segment.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::loop {

using term::Term;

namespace {

/// How many rows are collected: what 32 rows of 32 columns take lies in the first cache beside the matrix.
constexpr std::int64_t rows_collected = 32;

/// Segments with fewer positions on average have nothing to collect.
constexpr double least_length_collected = 2;

/// All elements of the array are those that lie so far behind.
void move(Block &block, const std::string &array, const Term &by) {
  map_elements(block, [&](const Element &element) {
    return element.array == array ? Element{array, element.slot + by} : element;
  });
}

class Collector {
public:
  Collector(Program &program, const Counts &counts) : program_(program), names_(program), counts_(counts) {}

  void run() {
    Block body = program_.body; // what is asked of the program holds while this changes
    block(body, "");
    program_.body = std::move(body);
  }

private:
  /// `copied`: what threads add to copies of.
  void block(Block &statements, const std::string &copied) {
    for (Statement &statement : statements) {
      auto *loop = statement.as<For>();
      const std::string inside = loop && loop->parallel ? loop->parallel->copied : copied;
      for (Block *inner : blocks_of(statement))
        block(*inner, inside);
      if (loop) collect(statement, copied);
    }
  }

  /// The loop over nothing but the product, where that is the loop's last statement: with the names that it
  /// needs in front.
  static std::optional<For> product_of(const For &loop) {
    const Statement &last = loop.body.back();
    For product = loop;
    product.comment.clear();
    product.body.clear();
    std::set<std::string> needed;
    const auto need = [&](const Statement &statement) {
      each_own_term(statement, [&](const Term &term) { needed.merge(variables_of(term)); });
    };
    each_statement(last, need);
    for (auto name = loop.body.rbegin() + 1; name != loop.body.rend(); ++name) {
      const auto *let = name->as<Let>();
      if (!let || !needed.contains(let->variable)) continue;
      need(*name);
      product.body.insert(product.body.begin(), *name);
    }
    product.body.push_back(last);
    return product;
  }

  /// The array that an iteration fills with a row of its own, before anything reads it; null where there is
  /// none. Nothing else mentions it.
  WorkspaceArray *row_of(const For &loop, const TileSum &sum) {
    WorkspaceArray *row = nullptr;
    for (const Element &element : sum.along)
      for (WorkspaceArray &array : program_.workspace)
        if (array.name == element.array && array.has_values()) row = row ? nullptr : &array;
    if (!row || row->initial || row->grows || row->hashed || row->for_teams || !is_true(row->when) ||
        mentions_of(program_.body, row->name) != mentions_of(loop.body, row->name))
      return nullptr;
    const auto first = std::find_if(loop.body.begin(), loop.body.end(), [&](const Statement &statement) {
      return mentions_of({statement}, row->name) > 0;
    });
    const auto *fill = first->as<For>();
    const auto *store = fill && fill->body.size() == 1 ? fill->body[0].as<Store>() : nullptr;
    const Element *element = store ? written_element(fill->body[0]) : nullptr;
    const bool fills = element && element->array == row->name && fill->lower == Term(0) && fill->step == 1 &&
                       !fill->parallel && fill->upper == row->extent &&
                       element->slot == term::variable(fill->variable) &&
                       mentions_of(fill->body, row->name) == 1;
    return fills ? row : nullptr;
  }

  void collect(Statement &statement, const std::string &copied) {
    const auto &loop = std::get<For>(statement.kind);
    if (!is_plain(loop) || loop.body.size() < 2 ||
        mean_length(loop, counts_).value_or(least_length_collected) < least_length_collected)
      return;
    const std::optional<For> product = product_of(loop);
    const std::optional<TileSum> sum = tile_sum(*product, program_);
    if (!sum || std::get<Element>(sum->sum->target).array == copied) return;
    WorkspaceArray *row = row_of(loop, *sum);
    const Block before(loop.body.begin(), loop.body.end() - 1);
    if (!row || !may_come_first(before, *product, *sum, row->name)) return;
    statement.kind = in_blocks(loop, before, *product, *row, statement.origins);
  }

  /// May all rows of a block be computed before the products are added?
  static bool may_come_first(const Block &rows, const For &product, const TileSum &sum,
                             const std::string &row) {
    const std::string &matrix = std::get<Element>(sum.sum->target).array;
    const Effects effects = effects_of(rows), own = effects_of(Statement{product});
    if (effects.breaks || holds<Blas>(rows) || mentions_of(rows, matrix) > 0) return false;
    bool apart = true;
    const auto is_of_rows = [&](const std::string &name) {
      return effects.declared.contains(name) && !own.declared.contains(name);
    };
    each_statement(Block{Statement{product}}, [&](const Statement &statement) {
      each_own_term(statement, [&](const Term &term) {
        for (const std::string &name : variables_of(term))
          apart = apart && !is_of_rows(name);
        apart = apart && !effects.changes(term);
      });
      each_own_value(statement, [&](const Value &value) {
        each_local(value, [&](const Local &local) { apart = apart && !is_of_rows(local.name); });
        each_element(value, [&](const Element &read) {
          apart = apart && (read.array == row || !effects.stored.contains(read.array));
        });
      });
    });
    return apart;
  }

  For in_blocks(const For &loop, const Block &rows, For product, WorkspaceArray &row,
                const Origins &origins) {
    const Term from = term::variable(names_.name(loop.variable + "_block"));
    const Term place = row.extent;
    For blocks = loop;
    blocks.variable = to_text(from);
    blocks.step = rows_collected;
    For computed = loop;
    computed.comment.clear();
    computed.body = rows;
    computed.lower = product.lower = from;
    const std::string end = names_.name(loop.variable + "_block_end");
    computed.upper = product.upper = term::variable(end);
    product.comment = "products of the rows of " + row.name + ", added in tiles";
    const Term slot = multiply(term::variable(loop.variable) - from, place);
    for (Block *body : {&computed.body, &product.body})
      move(*body, row.name, slot);
    const Term least = term::minimum({from + Term(rows_collected), loop.upper});
    blocks.body = {Statement{Let{end, least}, origins}, Statement{std::move(computed), origins},
                   Statement{std::move(product), origins}};
    row.extent = scale(rows_collected, place);
    return blocks;
  }

  Program &program_;
  FreshNames names_;
  const Counts &counts_;
};

} // namespace

Program multiply_in_tiles(Program program, const Known &known) {
  Collector(program, known.counts).run();
  return program;
}

} // namespace unravel::loop
