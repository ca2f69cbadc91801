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
/// enough to wait for none.
constexpr int rows_of_tile = 4, vectors_of_tile = 2;

} // namespace

std::vector<std::string> StatementWriter::tile_inside(const TileSum &sum, int vectors,
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
  for (int row = 0; row < rows_of_tile; ++row) {
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

void StatementWriter::write_tile(const TileSum &sum, int vectors, const std::string &first_column) {
  const auto &target = std::get<Element>(sum.sum->target);
  const Statement &loop = *statement_;
  std::vector<std::string> begin, sums, end;
  begin.push_back(
      fmt::format("const int64_t {} = {};", names_.variable(sum.columns->variable), first_column));
  for (int row = 0; row < rows_of_tile; ++row)
    for (int v = 0; v < vectors; ++v) {
      const term::Substitution by{{sum.rows->variable, term::variable(sum.rows->variable) + Term(row)}};
      const std::string element = lanes_at({target.array, substitute(target.slot, by)}, v);
      sums.push_back(names_.fresh(fmt::format("{}_tile{}{}", names_.array(target.array), row, v)));
      begin.push_back(fmt::format("unravel_lanes {} = *(const {};", sums.back(), element.substr(2)));
      end.push_back(fmt::format("{} = {};", element, sums.back()));
    }
  open_part(first_column, vectors * vector_lanes, expressions_.term(sum.columns->upper), begin);
  inside_ = tile_inside(sum, vectors, sums);
  write_again(loop);
  inside_.clear();
  statement_ = &loop;
  close(end);
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
  open(fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", first_row, rows_of_tile, rows_end),
       {fmt::format("const int64_t {} = {};", row, first_row), first_column + " = 0;"});
  for (int vectors : {vectors_of_tile, 1}) {
    statement_ = &loop;
    write_tile(tile_, vectors, first_column);
  }
  close({});
  text_ += "#endif\n";
  // What is left: rows at the end, and of all others the columns at the end.
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
