// Nests whose innermost loops all run over the same columns (loop/vector_sums.h), for some vectors of columns
// at a time.

#include "emit/statement_writer.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

/// Vectors of the parts: with more rows than two, less of each fit in registers.
std::vector<int> vectors_of_parts(std::size_t rows) {
  return rows > 2 ? std::vector<int>{2, 1} : std::vector<int>{4, 2, 1};
}

/// Of the first part, with the 32 registers of AVX-512, where two rows of so many vectors fit. The nest is
/// gone through half as often. (MTTKRP, width 64: 0.78 to 0.99 of the time of parts of 4, AMD EPYC (Zen 5).)
constexpr int vectors_of_wide_part = 8;
constexpr std::size_t most_rows_of_wide_part = 2;

/// Columns of nests that scatter, at most: each part goes through the whole nest, and saves less than sums
/// do.
constexpr int most_scattered = 64;

/// Does the value that is stored have elements along the columns?
bool is_row(const For &inner) {
  bool along = false;
  each_element(inner.body[0],
               [&](const Element &read) { along = along || mentions(read.slot, inner.variable); });
  return along;
}

} // namespace

std::string StatementWriter::place_of_lanes(const Element &element, int v) {
  return "&" + expressions_.element({element.array, element.slot + Term(v * vector_lanes)});
}

std::string StatementWriter::lanes_at(const Element &element, int v) {
  const auto kept = column_rows_.find(element.array);
  if (kept != column_rows_.end()) return kept->second[static_cast<std::size_t>(v)];
  const std::string place = place_of_lanes(element, v);
  return mask_.empty() ? "*(const unravel_lanes *)" + place
                       : fmt::format("{}({}, {})", expressions_.called("stretch"), mask_, place);
}

std::string StatementWriter::put_lanes(const Element &element, int v, const std::string &by,
                                       const std::string &value) {
  const std::string before = lanes_at(element, v), place = place_of_lanes(element, v);
  if (column_rows_.contains(element.array)) return fmt::format("{} {} {};", before, by, value);
  if (mask_.empty()) return fmt::format("*(unravel_lanes *){} {} {};", place, by, value);
  return fmt::format("{}({}, {}, {});", expressions_.called("store_stretch"), mask_, place,
                     by == "=" ? value : fmt::format("{} {} {}", before, by.front(), value));
}

std::string StatementWriter::lanes_of(const Value &value, const std::string &column, int v) {
  if (const auto *factors = arguments_of(Operator::Multiply, value)) {
    std::string text;
    for (const Value &factor : *factors)
      text += (text.empty() ? "" : " * ") + lanes_of(factor, column, v);
    return text;
  }
  const auto *element = value.as<Element>();
  if (!element || !term::mentions(element->slot, column)) return expressions_.value(value);
  return lanes_at(*element, v);
}

bool StatementWriter::write_columns_inside(const For &inner) {
  if (column_vectors_ == 0 ||
      std::find(columns_.inner.begin(), columns_.inner.end(), &inner) == columns_.inner.end())
    return false;
  const auto *add = inner.body[0].as<Accumulate>();
  const Value &all = add ? add->value : std::get<Store>(inner.body[0].kind).value;
  const auto *negative = arguments_of(Operator::Negate, all);
  const Value value = negative ? Value(negative->front()) : all;
  if (const Local *local = written_local(inner.body[0])) {
    expressions_.need("sum_of_lanes");
    std::string text;
    for (int v = 0; v < column_vectors_; ++v)
      text += (v == 0 ? "" : " + ") + lanes_of(value, inner.variable, v);
    const std::string lanes = names_.fresh(names_.variable(local->name) + "_lanes");
    line("const unravel_lanes {} = {};", lanes, text);
    line("{} {} unravel_sum_of_lanes(&{});", names_.variable(local->name), negative ? "-=" : "+=", lanes);
    return true;
  }
  const Element &target = *written_element(inner.body[0]);
  const bool is_vector = is_row(inner);
  for (int v = 0; v < column_vectors_; ++v) {
    std::string text = lanes_of(value, inner.variable, v);
    if (!add && !is_vector) text = no_lanes_ + " + " + text;
    if (!add && negative) text = fmt::format("-({})", text);
    line(put_lanes(target, v, !add ? "=" : negative ? "-=" : "+=", text));
  }
  return true;
}

void StatementWriter::write_part_of_columns(const For &x, int vectors, const std::string &first,
                                            const std::string &end) {
  const Statement &loop = *statement_;
  column_vectors_ = std::max(vectors, 1);
  std::vector<std::string> begin, variables;
  for (const For *inner : columns_.inner)
    if (!contains(variables, inner->variable)) variables.push_back(inner->variable);
  for (const std::string &variable : variables)
    begin.push_back(fmt::format("const int64_t {} = {};", names_.variable(variable), first));
  if (std::ranges::any_of(columns_.inner,
                          [](const For *inner) { return inner->body[0].is<Store>() && !is_row(*inner); })) {
    no_lanes_ = names_.fresh("no_lanes");
    begin.push_back(fmt::format("const unravel_lanes {} = {{0}};", no_lanes_));
  }
  for (const auto *rows : {&columns_.kept, &columns_.sums})
    for (const std::string &row : *rows)
      for (int v = 0; v < column_vectors_; ++v) {
        column_rows_[row].push_back(names_.fresh(fmt::format("{}_row{}", names_.array(row), v)));
        begin.push_back(fmt::format("unravel_lanes {} = {{0}};", column_rows_[row].back()));
      }
  const auto inside = [&] {
    write_again(loop);
    statement_ = &loop;
    const std::map<std::string, std::vector<std::string>> kept = std::exchange(column_rows_, {});
    for (const For *inner : columns_.inner)
      if (const Element *target = written_element(inner->body[0]);
          target && contains(columns_.sums, target->array)) {
        for (int v = 0; v < column_vectors_; ++v)
          line(put_lanes(*target, v, "+=", kept.at(target->array)[static_cast<std::size_t>(v)]));
        std::erase(columns_.sums, target->array); // once
      }
    columns_.sums = columns(x, program_)->sums;
  };
  write_part(first, vectors * vector_lanes, end, begin, inside);
}

bool StatementWriter::write_columns(const For &x) {
  if (x.sums != VectorSum::Columns || !columns_.inner.empty()) return false;
  const Statement &loop = *statement_;
  columns_ = *columns(x, program_);
  expressions_.need("lanes");
  const std::string count = expressions_.term(columns_.count),
                    first = names_.fresh(names_.variable(columns_.inner.front()->variable) + "_first");
  line("int64_t {} = 0;", first);
  text_ += "#ifdef __GNUC__\n";
  const bool only_few = columns_.scatters;
  if (only_few) open(fmt::format("if ({} <= {})", count, most_scattered), {});
  const std::size_t rows = columns_.kept.size() + columns_.sums.size();
  if (rows <= most_rows_of_wide_part) {
    text_ += "#ifdef UNRAVEL_MASKS\n";
    write_part_of_columns(x, vectors_of_wide_part, first, count);
    text_ += "#endif\n";
  }
  for (int vectors : vectors_of_parts(rows))
    write_part_of_columns(x, vectors, first, count);
  write_part_of_columns(x, 0, first, count);
  if (only_few) close({});
  column_vectors_ = 0;
  text_ += "#endif\n";
  for (const For *inner : columns_.inner)
    lower_[inner] = first;
  open(fmt::format("if ({} < {})", first, count), {});
  write_again(loop);
  close({});
  lower_.clear();
  columns_ = {};
  return true;
}

} // namespace unravel::emit
