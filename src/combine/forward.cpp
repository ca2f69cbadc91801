#include "combine/forward.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace unravel::combine {

using compute::Access;
using compute::Program;
using compute::Statement;

namespace {

bool is_divided(const compute::Value &value) {
  bool found = false;
  value::each_role<Access>(value,
                           [&](const Access &, value::Role role) { found |= role >= value::Role::Other; });
  return found;
}

bool mentions(const Statement &statement, const std::string &tensor) {
  return statement.target.tensor == tensor || compute::reads(statement, tensor);
}

class Forwarder {
public:
  Forwarder(Program program, const std::map<std::string, value::Type> &types)
      : program_(std::move(program)), types_(types) {
    for (Statement &statement : program_.statements)
      compute::each_access(statement, [&](const Access &access) {
        occurrences_[access.tensor] = std::max(occurrences_[access.tensor], access.occurrence);
      });
  }

  Program run() {
    for (const auto &[name, depth] : std::map<std::string, std::size_t>(program_.locals))
      if (std::optional<Uses> uses = uses_of(name)) forward(name, *uses);
    return std::move(program_);
  }

private:
  /// The statement that gives the scalar its first value, those that add to it, the one that takes it away.
  struct Uses {
    std::size_t first = 0, last = 0;
  };

  std::vector<Statement> &statements() { return program_.statements; }

  std::optional<Uses> uses_of(const std::string &name) {
    std::vector<std::size_t> all;
    for (std::size_t k = 0; k < statements().size(); ++k)
      if (mentions(statements()[k], name)) all.push_back(k);
    if (all.size() < 3) return std::nullopt;
    Uses uses{all.front(), all.back()};
    Statement &begin = statements()[uses.first], &end = statements()[uses.last];
    bool same_body = begin.place.size() == end.place.size() && begin.condition == end.condition &&
                     std::equal(begin.place.begin(), begin.place.end() - 1, end.place.begin());
    if (begin.target.tensor != name || begin.accumulate || is_divided(begin.value) || !same_body ||
        !takes_away(end, name))
      return std::nullopt;
    for (std::size_t k = uses.first; k <= uses.last; ++k)
      if (statements()[k].by != value::Operator::Add || statements()[k].product ||
          !statements()[k].masks.empty())
        return std::nullopt;
    for (std::size_t k = uses.first; k < uses.last; ++k) {
      Statement &each = statements()[k];
      if (mentions(each, end.target.tensor)) return std::nullopt;
      if (!each.target.is_local && compute::reads(end, each.target.tensor)) return std::nullopt;
      bool writes = each.target.tensor == name;
      if (k > uses.first && writes && (!each.accumulate || compute::reads(each, name))) return std::nullopt;
      if (!writes && mentions(each, name)) return std::nullopt;
    }
    return uses;
  }

  /// An element of a result (= or +=) other tensors' * the scalar.
  bool takes_away(const Statement &statement, const std::string &name) const {
    const std::string &result = statement.target.tensor;
    const auto product = value::quotient_of(statement.value);
    if (statement.target.is_local || !product.divisors.empty()) return false;
    // of an integer, what is taken of the sum isn't the sum of what is taken of its parts
    if (value::is_integer(compute::type_of(types_, name)) &&
        (!compute::is_converted_by_parts(statement, types_) ||
         product.constant != std::round(product.constant)))
      return false;
    int scalars = 0;
    for (const compute::Value &each : product.factors) {
      const auto *factor = std::get_if<Access>(&each.kind);
      if (!factor || factor->tensor == result || (factor->is_local && factor->tensor != name)) return false;
      scalars += factor->tensor == name;
    }
    return scalars == 1;
  }

  void forward(const std::string &name, const Uses &uses) {
    Statement end = statements()[uses.last];
    const compute::Value scale = value::map_factors(end.value, [&](const compute::Value &factor) {
      return std::get<Access>(factor.kind).tensor == name ? compute::Value{value::Number{1}} : factor;
    });
    for (std::size_t k = uses.first; k < uses.last; ++k) {
      Statement &each = statements()[k];
      if (each.target.tensor != name) continue;
      each.target = fresh(end.target);
      if (value::is_zero(each.value)) continue;
      const compute::Value by = value::map_leaves<compute::Value>(
          scale, [&](const Access &read) { return compute::Value{fresh(read)}; });
      each.value = value::product(std::vector{each.value, by});
    }
    Statement &begin = statements()[uses.first];
    begin.accumulate = end.accumulate;
    statements().erase(statements().begin() + static_cast<std::ptrdiff_t>(uses.last));
    if (begin.accumulate && is_zero(begin.value))
      statements().erase(statements().begin() + static_cast<std::ptrdiff_t>(uses.first));
    program_.locals.erase(name);
  }

  /// The access once more, with a number of its own.
  Access fresh(Access access) {
    access.occurrence = ++occurrences_[access.tensor];
    return access;
  }

  Program program_;
  const std::map<std::string, value::Type> &types_;
  std::map<std::string, int> occurrences_;
};

} // namespace

Program forward_sums(const compute::Computation &computation) {
  const auto &types = computation.types;
  const bool has_one_type =
      std::ranges::all_of(types, [&](const auto &type) { return type.second == types.begin()->second; });
  return has_one_type ? Forwarder(computation.program, types).run() : computation.program;
}

} // namespace unravel::combine
