#include "check/reference_join.h"

#include <algorithm>
#include <cstdint>

namespace unravel::check {

using compute::Access;
using compute::Statement;
using data::Coordinates;

namespace {

/// Of all elements; those without entries are zero.
Coordinates reciprocals_of(const Coordinates &tensor) {
  const std::vector<double> values = to_dense(tensor);
  Coordinates result(tensor.shape);
  std::vector<std::int64_t> coordinate(tensor.order());
  for (double value : values) {
    result.append(coordinate, 1 / value);
    for (std::size_t mode = tensor.order(); mode-- > 0;) {
      if (++coordinate[mode] < tensor.shape[mode]) break;
      coordinate[mode] = 0;
    }
  }
  return result;
}

} // namespace

bool adds_product(const Statement &statement, const ProgramInput &input) {
  // Integers wrap around, complex numbers have two parts; a term that an integer is to hold is rounded first.
  if (!value::is_floating(statement.type) ||
      !value::is_floating(compute::type_of(input.types, statement.target.tensor)))
    return false;
  const auto value = value::quotient_of(statement.value);
  auto is_access = [](const compute::Value &each) { return std::holds_alternative<Access>(each.kind); };
  bool has_fill = false;
  compute::each_read(statement, [&](const Access &access) { has_fill = has_fill || access.fill; });
  return statement.by == value::Operator::Add && !statement.product && statement.masks.empty() && !has_fill &&
         term::is_true(statement.condition) && std::ranges::all_of(value.factors, is_access) &&
         std::ranges::all_of(value.divisors, is_access);
}

ReferenceProduct product_of(const Statement &statement, const ProgramInput &input,
                            std::list<Coordinates> &made) {
  const auto value = value::quotient_of(statement.value);
  const std::vector<std::string> &indices = statement.indices;
  ReferenceProduct product;
  product.extents.assign(indices.size(), INT64_MAX);
  auto subscripts = [&](const Access &access, const std::vector<std::int64_t> &shape) {
    std::vector<ReferenceSubscript> result;
    for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
      const compute::Subscript &own = access.subscripts[k];
      const auto index = std::ranges::find(indices, own.index) - indices.begin();
      result.push_back({static_cast<int>(index), own.shift});
      std::int64_t &extent = product.extents.at(static_cast<std::size_t>(index));
      const __int128 here =
          std::clamp<__int128>(static_cast<__int128>(shape.at(k)) - own.shift, 0, INT64_MAX);
      extent = std::min(extent, static_cast<std::int64_t>(here));
    }
    return result;
  };
  const auto operand = [&](const Access &access) -> const Coordinates & {
    const Coordinates &given = *input.operands.at(access.tensor);
    if (!given.in_halves) return given;
    Coordinates &joined = made.emplace_back(given);
    data::join_halves(joined);
    return joined;
  };
  product.constant = value.constant;
  for (const compute::Value &each : value.factors) {
    const Access &factor = std::get<Access>(each.kind);
    const Coordinates *tensor = &operand(factor);
    product.factors.push_back({tensor, subscripts(factor, tensor->shape)});
  }
  for (const compute::Value &each : value.divisors) {
    const Access &divisor = std::get<Access>(each.kind);
    const Coordinates &reciprocals = made.emplace_back(reciprocals_of(operand(divisor)));
    product.factors.push_back({&reciprocals, subscripts(divisor, reciprocals.shape)});
  }
  product.shape = input.results.at(statement.target.tensor).shape;
  product.result = subscripts(statement.target, product.shape);
  product.type = statement.type;
  product.result_type = compute::type_of(input.types, statement.target.tensor);
  for (const auto &[index, range] : input.ranges)
    if (auto own = std::ranges::find(indices, index); own != indices.end())
      product.ranges.emplace(static_cast<int>(own - indices.begin()), range);
  return product;
}

} // namespace unravel::check
