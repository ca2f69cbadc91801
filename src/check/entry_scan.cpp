// The entries of a layout's arrays, by following its relation.
#include "check/entry_scan.h"

#include "check/validate.h"
#include "packing/pack_permutation.h"
#include "report/diagnostic.h"
#include "tensor/enumeration.h"

#include <fmt/format.h>

namespace unravel::check {

using data::Elements;
using report::Kind;
using tensor::Enumeration;
using tensor::Evaluator;
using tensor::Tensor;
using term::Term;

namespace {

[[noreturn]] void fail_outside(const Tensor &tensor, const std::string &what, const std::string &where) {
  report::fail(Kind::outside_array,
               fmt::format("the arrays of layout `{}` don't fit together: `{}` can't be evaluated{}",
                           tensor.layout.name, what, where.empty() ? "" : " for " + where),
               "an array is too short for it, or a number too large");
}

/// What is read of arrays by conditions that another one makes needless, as in `r = 0 or end(r - 1) <= p`.
/// Kernels rely on that it can be read at every entry.
std::vector<Term> reads_of_alternatives(const Term &relation) {
  std::vector<Term> reads;
  for (const Term &part : term::conjuncts(relation))
    if (part.as<term::Or>())
      for (const Term &read : term::applications_of(part))
        reads.push_back(read);
  return reads;
}

} // namespace

std::string assignment_text(const std::vector<std::string> &variables, const std::int64_t *values) {
  std::string text;
  for (std::size_t v = 0; v < variables.size(); ++v)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", variables[v], values[v]);
  return text;
}

bool scan_piece(const Tensor &tensor, const layout::Piece &given, const EntryVisit &use) {
  const layout::Piece piece = packing::without_sums(tensor.layout, given);
  std::vector<std::int64_t> shape = tensor.shape();
  std::vector<std::string> variables = piece.positions;
  std::vector<Enumeration::Ranged> ranged;
  for (std::size_t mode = 0; mode < tensor.layout.order(); ++mode) {
    variables.push_back(tensor.layout.coordinates[mode]);
    ranged.push_back({tensor.layout.coordinates[mode], term::variable(tensor.layout.sizes[mode])});
  }
  Enumeration entries(tensor, variables, piece.relation, ranged);
  if (entries.unbounded())
    report::fail(
        Kind::cannot_unpack, piece.span,
        fmt::format(
            "the entries of layout `{}` can't be enumerated: `{}` has no bounds that are known before it",
            tensor.layout.name, *entries.unbounded()),
        "state bounds from positions that come before it");
  std::optional<Evaluator> slot;
  std::string slot_name = piece.value.array;
  const Elements *values = slot_name.empty() ? nullptr : &tensor.array(slot_name);
  if (values) {
    Term number;
    const layout::Array &array = *tensor.layout.array(slot_name);
    for (std::size_t k = 0; k < array.extents.size(); ++k)
      number = term::multiply(number, array.extents[k]) + piece.value.slots[k];
    slot.emplace(number, tensor, variables);
  }
  const std::vector<Term> reads = reads_of_alternatives(piece.relation);
  std::vector<Evaluator> read_too;
  for (const Term &read : reads)
    read_too.emplace_back(read, tensor, variables);
  std::vector<std::int64_t> coordinate(tensor.layout.order());
  Enumeration::Trouble trouble;
  auto visit = [&](const std::int64_t *known) {
    for (std::size_t k = 0; k < reads.size(); ++k)
      if (!read_too[k].evaluate(known))
        fail_outside(tensor, term::to_text(reads[k]), assignment_text(piece.positions, known));
    std::complex<double> value = piece.value.literal;
    if (values) {
      std::optional<std::int64_t> number = slot->evaluate(known);
      if (!number || *number < 0 || *number >= static_cast<std::int64_t>(values->size())) {
        fail_outside(tensor, slot_name + "(...)", "");
      }
      const auto at = static_cast<std::size_t>(*number);
      value = {values->real(at), values->imaginary(at)};
    }
    for (std::size_t mode = 0; mode < coordinate.size(); ++mode) {
      coordinate[mode] = known[piece.positions.size() + mode];
      if (coordinate[mode] < 0 || coordinate[mode] >= shape[mode])
        fail_outside(tensor, fmt::format("{} = {}", tensor.layout.coordinates[mode], coordinate[mode]), "");
    }
    return use(coordinate, piece.value.negative ? -value : value);
  };
  Enumeration::End end = entries.run(visit, INT64_MAX, trouble);
  if (end == Enumeration::End::Undefined)
    fail_outside(tensor, term::to_text(trouble.condition),
                 assignment_text(piece.positions, trouble.values.data()));
  return end != Enumeration::End::Stopped;
}

std::vector<Violation> validate_accesses(const Tensor &tensor) {
  try {
    for (const layout::Piece &piece : tensor.layout.pieces)
      scan_piece(tensor, piece, [](const std::vector<std::int64_t> &, std::complex<double>) { return true; });
  } catch (const report::Error &error) {
    if (error.diagnostic().kind != Kind::outside_array) throw;
    return {{Kind::outside_array, "", error.diagnostic().message}};
  }
  return {};
}

} // namespace unravel::check
