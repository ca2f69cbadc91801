#include "pipeline/narrow_sums.h"

#include "parse/parse.h"
#include "pipeline/types.h"
#include "value/type.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace unravel::pipeline {

namespace {

using value::Operator;

/// Does the user say the type of the tensor's values?
bool is_typed(const Request &request, const std::string &tensor) {
  if (request.value) return true;
  const auto format = request.formats.find(tensor);
  if (format == request.formats.end()) return false;
  const auto text = std::make_shared<const text::Source>("-f " + tensor, format->second);
  return parse::parse_layout_reference(text).values.type.has_value();
}

class Bounds {
public:
  Bounds(const Request &request, const Front &front) : request_(request), front_(front) {}

  /// Of a statement that sums integers of 8 or 16 bits: what no sum's absolute value is greater than. Nothing
  /// of others, and where an extent isn't known.
  std::optional<double> of(const compute::Statement &statement) const {
    std::optional<double> bound = of(statement.value);
    for (const std::string &index : statement.indices) {
      const bool is_summed = std::ranges::none_of(
          statement.target.subscripts, [&](const auto &subscript) { return subscript.index == index; });
      const std::optional<double> extent = is_summed ? extent_of(statement, index) : std::optional(1.0);
      bound = bound && extent ? std::optional(*bound * *extent) : std::nullopt;
    }
    return bound;
  }

private:
  std::optional<double> of(const compute::Value &value) const {
    if (const auto *access = std::get_if<compute::Access>(&value.kind)) {
      const value::Type type = compute::type_of(front_.types, access->tensor);
      if (!value::is_integer(type) || value::facts_of(type).bytes > 2) return std::nullopt;
      return std::ldexp(1.0, type == value::Type::Bool ? 0 : value::bits_of(type));
    }
    if (const double *number = value::number_of(value)) return std::abs(*number);
    const auto *factors = value::arguments_of(Operator::Multiply, value);
    const auto *arguments = factors ? factors : value::arguments_of(Operator::Add, value);
    if (!arguments) return std::nullopt;
    double bound = factors ? 1 : 0;
    for (const compute::Value &argument : *arguments) {
      const std::optional<double> one = of(argument);
      if (!one) return std::nullopt;
      bound = factors ? bound * *one : bound + *one;
    }
    return bound;
  }

  std::optional<double> extent_of(const compute::Statement &statement, const std::string &index) const {
    std::optional<double> extent;
    compute::each_read(statement, [&](const compute::Access &read) {
      for (std::size_t k = 0; k < read.subscripts.size(); ++k) {
        const auto &sizes = front_.layouts.at(read.tensor).sizes;
        if (read.subscripts[k].index != index || k >= sizes.size()) continue;
        const auto count = request_.counts.find(read.tensor + "." + sizes[k]);
        if (count != request_.counts.end()) extent = count->second;
      }
    });
    return extent;
  }

  const Request &request_;
  const Front &front_;
};

} // namespace

std::vector<std::string> notes_on_narrow_sums(const Request &request, const Front &front) {
  std::vector<std::string> notes;
  std::set<std::string> said;
  const Bounds bounds(request, front);
  for (const compute::Statement &statement : front.computation.program.statements) {
    const std::string &result = statement.target.tensor;
    if (!front.layouts.contains(result) || !statement.is_free || !sums_up(statement) ||
        is_typed(request, result) || compute::type_of(front.types, result) != value::Type::Int32)
      continue;
    const std::optional<double> bound = bounds.of(statement);
    if (!bound || *bound < std::ldexp(1.0, 31) || !said.insert(result).second) continue;
    notes.push_back(
        fmt::format("a sum of `{0}` may not fit in int32, in which C adds integers of 8 and 16 bits: "
                    "it wraps around then; with values of int64 `{0}` is added in int64",
                    result));
  }
  return notes;
}

} // namespace unravel::pipeline
