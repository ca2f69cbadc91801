// Products of a column and a row that are added to a matrix (loop/vector_sums.h), in tiles of it that stay in
// registers.

#include "emit/statement_writer.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"

#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

/// A tile's rows, and its vectors. As many sums as there are registers for in AVX2, too, and
/// enough to wait for none. With the registers of AVX-512 the column is read half as often.
constexpr int rows_of_tile = 4, vectors_of_tile = 2, vectors_of_wide_tile = 4;

} // namespace

std::vector<std::string> StatementWriter::tile_inside(const TileSum &sum, int rows, int vectors,
                                                      const std::vector<std::string> &sums) {
  std::vector<std::string> inside, columns;
  const auto product = [](const std::vector<std::string> &factors) {
    return fmt::format("{}", fmt::join(factors, " * "));
  };
  for (int v = 0; v < vectors; ++v) {
    std::vector<std::string> factors;
    for (const Element &element : sum.along)
      factors.push_back(lanes_of({element}, sum.columns->variable, v));
    columns.push_back(names_.fresh(fmt::format("{}_lanes{}", names_.variable(sum.columns->variable), v)));
    inside.push_back(fmt::format("const unravel_lanes {} = {};", columns.back(), product(factors)));
  }
  for (int row = 0; row < rows; ++row) {
    std::vector<std::string> factors;
    for (const Value &factor : sum.of_row) {
      const auto *element = factor.as<Element>();
      const term::Substitution by{{sum.rows->variable, term::variable(sum.rows->variable) + Term(row)}};
      factors.push_back(expressions_.value(
          element ? Value{Element{element->array, substitute(element->slot, by)}} : factor));
    }
    const std::string name =
        names_.fresh(fmt::format("{}_of_row{}", names_.variable(sum.rows->variable), row));
    inside.push_back(fmt::format("const double {} = {};", name, product(factors)));
    for (int v = 0; v < vectors; ++v)
      inside.push_back(fmt::format("{} {}= {} * {};", sums[static_cast<std::size_t>(row * vectors + v)],
                                   sum.negative ? "-" : "+", name, columns[static_cast<std::size_t>(v)]));
  }
  return inside;
}

void StatementWriter::write_tile(const TileSum &sum, int rows, int vectors, const std::string &first_column) {
  const auto &target = std::get<Element>(sum.sum->target);
  const Statement &loop = *statement_;
  const int whole = std::max(vectors, 1);
  const std::string end = expressions_.term(sum.columns->upper);
  const std::vector<std::string> begin{
      fmt::format("const int64_t {} = {};", names_.variable(sum.columns->variable), first_column)};
  const auto inside = [&] {
    std::vector<std::string> sums, finish;
    for (int row = 0; row < rows; ++row)
      for (int v = 0; v < whole; ++v) {
        const term::Substitution by{{sum.rows->variable, term::variable(sum.rows->variable) + Term(row)}};
        const Element element{target.array, substitute(target.slot, by)};
        sums.push_back(names_.fresh(fmt::format("{}_tile{}{}", names_.array(target.array), row, v)));
        line("unravel_lanes {} = {};", sums.back(), lanes_at(element, v));
        finish.push_back(put_lanes(element, v, "=", sums.back()));
      }
    inside_ = tile_inside(sum, rows, whole, sums);
    write_again(loop);
    inside_.clear();
    statement_ = &loop;
    lines(finish);
  };
  write_part(first_column, vectors * vector_lanes, end, begin, inside);
}

bool StatementWriter::write_in_tiles(const For &x) {
  if (x.sums != VectorSum::Tiles || tile_.sum) return false;
  const Statement &loop = *statement_;
  tile_ = *tile_sum(x, program_);
  expressions_.need("lanes");
  const std::string row = names_.variable(tile_.rows->variable),
                    column = names_.variable(tile_.columns->variable);
  const std::string rows_end = expressions_.term(tile_.rows->upper),
                    columns_end = expressions_.term(tile_.columns->upper);
  const std::string first_row = names_.fresh(row + "_first"), first_column = names_.fresh(column + "_first");
  line("int64_t {} = 0, {} = 0;", first_row, first_column);
  text_ += "#ifdef __GNUC__\n";
  const auto write_rows = [&](int rows, const std::vector<int> &parts) {
    open(fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", first_row, rows, rows_end),
         {fmt::format("const int64_t {} = {};", row, first_row), first_column + " = 0;"});
    for (int vectors : parts) {
      const bool is_wide = vectors == vectors_of_wide_tile;
      if (is_wide) text_ += "#ifdef UNRAVEL_MASKS\n";
      write_tile(tile_, rows, vectors, first_column);
      if (is_wide) text_ += "#endif\n";
    }
    close({});
  };
  write_rows(rows_of_tile, {vectors_of_wide_tile, vectors_of_tile, 1, 0});
  write_rows(1, {1, 0});
  text_ += "#endif\n";
  // What is left: columns at the end.
  lower_[tile_.rows] = fmt::format("{} < {} ? 0 : {}", first_column, columns_end, first_row);
  lower_[tile_.columns] = fmt::format("{} < {} ? {} : 0", row, first_row, first_column);
  open(fmt::format("if ({} < {} || {} < {})", first_row, rows_end, first_column, columns_end), {});
  write_again(loop);
  close({});
  lower_.clear();
  tile_ = {};
  return true;
}

} // namespace unravel::emit
