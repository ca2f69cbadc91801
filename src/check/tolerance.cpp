#include "check/reference_program.h"
#include "check/typed_value.h"

#include <algorithm>
#include <ranges>

namespace unravel::check {

namespace {

bool converts_to_single(const compute::Value &value) {
  const auto *made = std::get_if<compute::Value::Apply>(&value.kind);
  if (!made) return false;
  const std::optional<value::Type> type = value::made_by_conversion(made->op);
  return (type && is_single(*type)) || std::ranges::any_of(made->arguments, converts_to_single);
}

} // namespace

double tolerance_of(const compute::Program &program, const std::map<std::string, value::Type> &types) {
  const bool has_single = std::ranges::any_of(types | std::views::values, value::is_single) ||
                          std::ranges::any_of(program.statements, [](auto &statement) {
                            return converts_to_single(statement.value);
                          });
  return has_single ? 1e-5 : 1e-12;
}

} // namespace unravel::check
