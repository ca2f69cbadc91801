// Validation: extents and counts, and the order in which properties are looked at.
#include "check/validate.h"
#include "term/list.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::check {

using parse::PropertyTree;
using report::Kind;
using tensor::Tensor;

namespace {

class ExtentCheck {
public:
  /// Looks at the tensor's own arrays, which aren't copied.
  explicit ExtentCheck(const Tensor &tensor) : tensor_{tensor.layout, tensor.sizes, tensor.counts, {}} {
    for (const auto &[name, elements] : tensor.arrays)
      tensor_.arrays.emplace(name, elements.shared());
  }

  std::vector<Violation> check() {
    check_numbers();
    if (!violations_.empty()) return std::move(violations_);
    complete_counts(tensor_);
    for (const layout::Array &array : tensor_.layout.arrays)
      check_array(array);
    if (violations_.empty())
      for (const layout::Count &count : tensor_.layout.counts)
        check_count(count);
    return std::move(violations_);
  }

private:
  void report(std::string message) { violations_.push_back({Kind::extent_mismatch, "", std::move(message)}); }

  void check_numbers() {
    for (const std::string &size : tensor_.layout.sizes)
      check_number("size", size, true);
    for (const layout::Count &count : tensor_.layout.counts)
      check_number("count", count.name, !count.definition);
  }

  void check_number(const char *what, const std::string &name, bool required) {
    std::optional<std::int64_t> value = number_of(tensor_, name);
    if (!value && required) report(fmt::format("{} `{}` is missing", what, name));
    if (value && *value < 0) report(fmt::format("{} `{}` is {}, less than 0", what, name, *value));
  }

  void check_array(const layout::Array &array) {
    auto found = tensor_.arrays.find(array.name);
    if (found == tensor_.arrays.end()) return report(fmt::format("array `{}` is missing", array.name));
    if (!array.is_value && !found->second.is_integer())
      return report(fmt::format("index array `{}` holds {} instead of integers", array.name,
                                data::name_of(found->second.type())));
    std::string values;
    for (const term::Term &extent : array.extents) {
      std::optional<std::int64_t> value = try_evaluate(extent, tensor_);
      values += fmt::format("{}{}", values.empty() ? "" : " x ", value ? std::to_string(*value) : "unknown");
    }
    std::optional<std::int64_t> wanted = element_count(array, tensor_);
    if (!wanted || static_cast<std::int64_t>(found->second.size()) != *wanted)
      report(fmt::format("array `{0}` has {1} elements, but `{0}[{2}]` is for {3}", array.name,
                         found->second.size(), term::to_text(array.extents), values));
  }

  void check_count(const layout::Count &count) {
    if (!count.definition) return;
    std::string equation = fmt::format("{} = {}", count.name, term::to_text(*count.definition));
    std::optional<std::int64_t> value = try_evaluate(*count.definition, tensor_);
    if (!value) return report(fmt::format("count `{}` can't be computed", equation));
    if (*value != tensor_.counts.at(count.name))
      report(fmt::format("count `{}` does not hold: {} is {}, but {} is {}", equation, count.name,
                         tensor_.counts.at(count.name), term::to_text(*count.definition), *value));
  }

  Tensor tensor_; // with the counts that follow
  std::vector<Violation> violations_;
};

constexpr int last_of_bounds = 2, rank_of_formulas = 3;

/// Those that keep accesses in bounds come first: facts, then what concerns single arrays.
int rank(const layout::Property &property) {
  const PropertyTree &tree = property.tree;
  if (tree.form == PropertyTree::Form::Formula) return property.axiom.variables.empty() ? 0 : rank_of_formulas;
  if (tree.form == PropertyTree::Form::Range) return last_of_bounds;
  return tree.within || tree.form == PropertyTree::Form::Injective ? 4 : 1;
}

} // namespace

ValidationResult validate_extents(const Tensor &tensor) {
  return {ExtentCheck(tensor).check(), {}};
}

ValidationResult validate(const Tensor &tensor, const ValidateOptions &options) {
  ValidationResult result;
  result.violations = ExtentCheck(tensor).check();
  if (!result.ok()) return result;
  std::vector<std::size_t> order(tensor.layout.properties.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    order[k] = k;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return rank(tensor.layout.properties[a]) < rank(tensor.layout.properties[b]);
  });
  bool accesses = options.accesses;
  for (std::size_t property : order) {
    if (const int kind = rank(tensor.layout.properties[property]); options.bounds_alone && kind > last_of_bounds) {
      accesses = accesses || kind == rank_of_formulas; // which accesses may rest on
      continue;
    }
    ValidationResult one = validate_property(tensor, property, options);
    for (Violation &violation : one.violations)
      result.violations.push_back(std::move(violation));
    for (std::string &text : one.sampled)
      result.sampled.push_back(std::move(text));
  }
  if (accesses && result.ok()) result.violations = validate_accesses(tensor);
  return result;
}

void require_ok(const ValidationResult &result, const Tensor &tensor, const std::string &what) {
  if (result.ok()) return;
  const Violation &first = result.violations[0];
  std::string more =
      result.violations.size() == 1 ? "" : fmt::format(" (and {} more)", result.violations.size() - 1);
  report::fail(first.kind, fmt::format("the arrays of {} are not a tensor in layout `{}`: {}{}", what,
                                       tensor.layout.name, first.message, more));
}

} // namespace unravel::check
