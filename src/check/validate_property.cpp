// Validation of one property: linear scans for the named forms, enumeration for formulas.
#include "check/entry_scan.h"
#include "check/neighbours.h"
#include "check/validate.h"
#include "data/coordinates.h"
#include "data/parallel.h"
#include "tensor/enumeration.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace unravel::check {

using data::Coordinates;
using data::Elements;
using data::Random;
using parse::PropertyTree;
using report::Kind;
using tensor::Enumeration;
using tensor::Evaluator;
using tensor::Tensor;
using term::Term;

namespace {

/// The arrays of a property, compared as tuples.
class Tuples {
public:
  Tuples(const Tensor &tensor, const PropertyTree &tree) {
    for (const parse::Name &name : tree.functions) {
      arrays_.push_back(&tensor.array(name.text));
      names_.push_back(name.text);
    }
    size_ = std::numeric_limits<std::size_t>::max();
    for (const Elements *array : arrays_)
      size_ = std::min(size_, array->size());
  }

  /// Positions at which all arrays are defined.
  std::size_t size() const { return size_; }

  int compare(std::size_t p, std::size_t q) const {
    for (const Elements *array : arrays_) {
      std::int64_t a = array->integer(p), b = array->integer(q);
      if (a != b) return a < b ? -1 : 1;
    }
    return 0;
  }

  /// The positions of [begin, end) by their tuples, equal ones by position.
  std::vector<std::size_t> sorted_positions(std::size_t begin, std::size_t end) const {
    std::vector<std::size_t> order(end - begin);
    std::iota(order.begin(), order.end(), begin);
    if (end - begin > radix_length && sort_by_radix(begin, order)) return order;
    std::ranges::sort(order, [&](std::size_t p, std::size_t q) {
      int sign = compare(p, q);
      return sign != 0 ? sign < 0 : p < q;
    });
    return order;
  }

  /// col[7] = 4, or (row, col)[7] = (1, 4)
  std::string text(std::size_t p) const {
    if (arrays_.size() == 1) return fmt::format("{}[{}] = {}", names_[0], p, arrays_[0]->integer(p));
    std::vector<std::int64_t> values;
    for (const Elements *array : arrays_)
      values.push_back(array->integer(p));
    return fmt::format("({})[{}] = ({})", fmt::join(names_, ", "), p, fmt::join(values, ", "));
  }

private:
  static constexpr std::size_t radix_length = 4096;

  /// As entries of a tensor. False: numbers too far from each other.
  bool sort_by_radix(std::size_t begin, std::vector<std::size_t> &order) const {
    Coordinates entries;
    entries.value.resize(order.size());
    for (const Elements *array : arrays_) {
      std::int64_t least = array->integer(begin);
      for (std::size_t p = begin; p < begin + order.size(); ++p)
        least = std::min(least, array->integer(p));
      std::vector<std::int64_t> column(order.size());
      for (std::size_t k = 0; k < order.size(); ++k)
        if (__builtin_sub_overflow(array->integer(begin + k), least, &column[k])) return false;
      entries.index.push_back(std::move(column));
      entries.shape.push_back(0);
    }
    order = sorted_order(entries, data::natural_modes(arrays_.size()));
    for (std::size_t &position : order)
      position += begin;
    return true;
  }

  std::vector<const Elements *> arrays_;
  std::vector<std::string> names_;
  std::size_t size_;
};

/// The least number that was offered, from any thread.
class Least {
public:
  void offer(std::size_t number) {
    std::size_t known = value_;
    while (number < known && !value_.compare_exchange_weak(known, number)) {
    }
  }
  bool none() const { return value_ == nothing; }
  std::size_t value() const { return value_; }
  /// Whether `number` could still be the least.
  bool beats(std::size_t number) const { return number < value_; }

private:
  static constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> value_ = nothing;
};

/// Checks one property of one tensor.
class PropertyCheck {
public:
  PropertyCheck(const Tensor &tensor, const layout::Property &property, const ValidateOptions &options)
      : tensor_(tensor), property_(property), tree_(property.tree), options_(options) {}

  ValidationResult check() {
    switch (tree_.form) {
    case PropertyTree::Form::Range: check_range(); break;
    case PropertyTree::Form::Injective:
    case PropertyTree::Form::Monotone: tree_.within ? check_segments() : check_whole(); break;
    case PropertyTree::Form::Formula: check_formula(); break;
    }
    return std::move(result_);
  }

private:
  void report(const std::string &where) {
    result_.violations.push_back({Kind::property_violated, property_.axiom.text,
                                  fmt::format("`{}` does not hold: {}", property_.axiom.text, where)});
  }
  void mark_sampled() { result_.sampled.push_back(property_.axiom.text); }

  /// The bounds of `range` are terms over sizes and counts: the conclusion is value >= low and value <= high.
  void check_range() {
    const std::string &name = tree_.functions.at(0).text;
    const Elements &array = tensor_.array(name);
    Term value = term::apply(name, {term::variable(property_.axiom.variables.at(0))});
    std::int64_t low = INT64_MIN, high = INT64_MAX;
    for (const Term &part : term::conjuncts(property_.axiom.conclusion)) {
      const Term &left = part.as<term::Compare>()->left;
      bool below = false;
      for (const auto &[atom, coefficient] : term::linear_form(left).parts)
        below = below || (atom == value && coefficient > 0);
      std::optional<std::int64_t> bound = try_evaluate(below ? value - left : value + left, tensor_);
      if (!bound) return report(fmt::format("`{}` can't be evaluated", term::to_text(part)));
      (below ? low : high) = *bound;
    }
    Least first;
    with_integers(array, [&](auto elements) {
      data::run_ranges(elements.size(), [&](std::size_t begin, std::size_t end) {
        bool outside = false;
        for (std::size_t p = begin; p < end; ++p)
          outside |= elements[p] < low || elements[p] > high;
        for (std::size_t p = begin; outside && p < end; ++p)
          if (elements[p] < low || elements[p] > high) return first.offer(p);
      });
    });
    if (!first.none())
      report(fmt::format("{}[{}] = {} is outside [{}, {}]", name, first.value(), array.integer(first.value()),
                         low, high));
  }

  /// Whether the tuples at p and at p + 1 are as the property wants.
  bool is_ordered(const Tuples &tuples, std::size_t p) const {
    int sign = tuples.compare(p, p + 1);
    if (tree_.decreasing) sign = -sign;
    return sign < 0 || (sign == 0 && !tree_.strict);
  }

  void check_whole() {
    Tuples tuples(tensor_, tree_);
    if (tuples.size() < 2) return;
    if (tree_.form == PropertyTree::Form::Injective)
      return void(check_injective(tuples, 0, tuples.size(), ""));
    Least first;
    data::run_ranges(tuples.size() - 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p)
        if (!is_ordered(tuples, p)) return first.offer(p);
    });
    if (!first.none()) report_pair(tuples, first.value(), first.value() + 1, "");
  }

  void report_pair(const Tuples &tuples, std::size_t p, std::size_t q, const std::string &where) {
    report(fmt::format("{} and {}{}", tuples.text(p), tuples.text(q), where));
  }

  /// Equal tuples in [begin, end)? Sorted ones are seen by a scan, others are sorted. False: there are.
  bool check_injective(const Tuples &tuples, std::size_t begin, std::size_t end, const std::string &where) {
    bool sorted = true;
    for (std::size_t p = begin; sorted && p + 1 < end; ++p)
      sorted = tuples.compare(p, p + 1) < 0;
    if (sorted) return true;
    std::vector<std::size_t> order = tuples.sorted_positions(begin, end);
    for (std::size_t k = 0; k + 1 < order.size(); ++k)
      if (tuples.compare(order[k], order[k + 1]) == 0) {
        report_pair(tuples, order[k], order[k + 1], where);
        return false;
      }
    return true;
  }

  /// Segment r of `within` is clipped to the arrays: pointers may be anything.
  void check_segments() {
    Tuples tuples(tensor_, tree_);
    const Elements &pointers = tensor_.array(tree_.within->text);
    if (pointers.size() < 2) return;
    auto size = static_cast<std::int64_t>(tuples.size());
    auto bounds = [&](std::size_t r) {
      std::int64_t begin = std::clamp<std::int64_t>(pointers.integer(r), 0, size);
      std::int64_t end = std::clamp<std::int64_t>(pointers.integer(r + 1), 0, size);
      return std::pair(static_cast<std::size_t>(begin), static_cast<std::size_t>(std::max(begin, end)));
    };
    bool injective = tree_.form == PropertyTree::Form::Injective;
    // Pointers that go up and down make segments overlap: more work than elements.
    std::atomic<std::int64_t> work = 4 * size + 1000;
    std::atomic<bool> exhausted = false;
    Least first;
    data::run_ranges(pointers.size() - 1, [&](std::size_t from, std::size_t to) {
      for (std::size_t r = from; r < to && first.beats(r); ++r) {
        auto [begin, end] = bounds(r);
        if (end - begin < 2) continue;
        if ((work -= static_cast<std::int64_t>(end - begin)) < 0) {
          exhausted = true;
          return;
        }
        for (std::size_t p = begin; p + 1 < end; ++p)
          if (injective ? tuples.compare(p, p + 1) >= 0 : !is_ordered(tuples, p)) {
            first.offer(r);
            break;
          }
        // For injectivity an unsorted segment is only a candidate.
      }
    });
    if (exhausted) mark_sampled();
    if (first.none()) return;
    for (std::size_t r = first.value(), last = injective ? pointers.size() - 1 : r + 1; r < last; ++r) {
      auto [begin, end] = bounds(r);
      std::string where = fmt::format(" in segment {}", r);
      if (injective) {
        if (end - begin >= 2 && !check_injective(tuples, begin, end, where)) return;
        continue;
      }
      for (std::size_t p = begin; p + 1 < end; ++p)
        if (!is_ordered(tuples, p)) return report_pair(tuples, p, p + 1, where);
    }
  }

  void check_formula();
  void report_formula(const std::vector<std::string> &variables, const std::int64_t *values);
  void report_trouble(const Term &condition, const std::vector<std::string> &variables,
                      const std::int64_t *values);
  std::int64_t index_elements() const;

  const Tensor &tensor_;
  const layout::Property &property_;
  const PropertyTree &tree_;
  const ValidateOptions &options_;
  ValidationResult result_;
};

std::int64_t PropertyCheck::index_elements() const {
  std::int64_t elements = 0;
  for (const auto &[name, array] : tensor_.arrays)
    if (array.is_integer()) elements += static_cast<std::int64_t>(array.size());
  return elements;
}

void PropertyCheck::report_formula(const std::vector<std::string> &variables, const std::int64_t *values) {
  std::string text, seen;
  const prove::Axiom &axiom = property_.axiom;
  for (const Term &application : term::applications_of(axiom.conclusion)) {
    const auto *call = application.as<term::Apply>();
    std::vector<std::int64_t> arguments;
    for (const Term &argument : call->arguments)
      arguments.push_back(Evaluator(argument, tensor_, variables).evaluate(values).value_or(-1));
    std::optional<std::int64_t> value = Evaluator(application, tensor_, variables).evaluate(values);
    if (!value) continue;
    text += fmt::format("{}{}[{}] = {}", text.empty() ? "" : ", ", call->function, fmt::join(arguments, ", "),
                        *value);
  }
  std::string where = assignment_text(variables, values);
  if (text.empty() && where.empty()) text = "for these sizes and counts";
  report(where.empty() ? text : text.empty() ? "for " + where : fmt::format("{} for {}", text, where));
}

void PropertyCheck::report_trouble(const Term &condition, const std::vector<std::string> &variables,
                                   const std::int64_t *values) {
  report(fmt::format("`{}` can't be evaluated for {}", term::to_text(condition),
                     assignment_text(variables, values)));
}

void PropertyCheck::check_formula() {
  const prove::Axiom &axiom = property_.axiom;
  std::int64_t limit = std::max(
      options_.budget, 4 * index_elements()); // for each part: the outermost loop may have a single value
  if (std::optional<EqualPair> equal = find_equal_pair(tensor_, axiom, limit)) {
    if (!equal->empty()) report_formula(axiom.variables, equal->data());
    return;
  }
  Term guard = guard_to_test(axiom);
  const std::vector<std::string> order = order_to_try(axiom.variables, guard);
  Enumeration cases(tensor_, order, guard);
  if (cases.unbounded()) return mark_sampled(); // nothing bounds it: nothing to try
  Evaluator conclusion(axiom.conclusion, tensor_, cases.variables());
  constexpr std::int64_t one_thread_elements = 20000;
  bool in_parallel = !order.empty() && index_elements() >= one_thread_elements;
  std::size_t parts = in_parallel ? 8 : 1;
  std::vector<std::vector<std::int64_t>> failing(parts);
  std::vector<Enumeration::Trouble> troubles(parts);
  std::vector<Enumeration::End> ends(parts, Enumeration::End::Complete);
  auto visitor = [&](std::size_t part) {
    return [&, part](const std::int64_t *values) {
      std::optional<std::int64_t> holds = conclusion.evaluate(values);
      if (holds && *holds != 0) return true;
      failing[part].assign(values, values + order.size());
      failing[part].push_back(holds ? 1 : 0);
      return false;
    };
  };
  data::run_parallel(parts, [&](std::size_t part) {
    ends[part] = cases.run(visitor(part), limit, troubles[part], part, parts);
  });
  auto found = [&](std::size_t part) {
    if (ends[part] == Enumeration::End::Undefined)
      report_trouble(troubles[part].condition, order, troubles[part].values.data());
    else if (!failing[part].empty() && failing[part].back() == 0)
      report_trouble(axiom.conclusion, order, failing[part].data());
    else if (!failing[part].empty())
      report_formula(order, failing[part].data());
    return !result_.ok();
  };
  bool exhausted = false;
  for (std::size_t part = 0; part < parts; ++part) {
    if (found(part)) return;
    exhausted = exhausted || ends[part] == Enumeration::End::Exhausted;
  }
  if (!exhausted) return;
  mark_sampled();
  Random random(options_.seed);
  ends[0] = cases.sample(visitor(0), options_.samples, random, troubles[0]);
  found(0);
}

} // namespace

ValidationResult validate_property(const Tensor &tensor, std::size_t property,
                                   const ValidateOptions &options) {
  return PropertyCheck(tensor, tensor.layout.properties.at(property), options).check();
}

} // namespace unravel::check
