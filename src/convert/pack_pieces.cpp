
#include "convert/mode_values.h"
#include "convert/pack_levels.h"
#include "tensor/entry_terms.h"
#include "value/same_number.h"

#include <algorithm>
#include <complex>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace unravel::convert {

using packing::Limit;
using tensor::ValueType;
using term::Term;

namespace {

/// Takes those out for which `chosen` is set.
Coordinates take(Coordinates &entries, const std::vector<char> &chosen) {
  Coordinates taken(entries.shape);
  auto part = [&](auto &column, auto &to) {
    std::size_t kept = 0;
    for (std::size_t e = 0; e < column.size(); ++e)
      if (chosen[e])
        to.push_back(column[e]);
      else
        column[kept++] = column[e];
    column.resize(kept);
  };
  for (std::size_t mode = 0; mode < entries.order(); ++mode)
    part(entries.index[mode], taken.index[mode]);
  part(entries.value, taken.value);
  part(entries.imaginary, taken.imaginary);
  return taken;
}

Coordinates take_satisfying(Coordinates &entries, const Tensor &tensor, const std::vector<Term> &conditions) {
  if (conditions.empty()) return std::exchange(entries, Coordinates(entries.shape));
  return take(entries, which_satisfy(conditions, tensor, entries));
}

void append_to(Coordinates &entries, const Coordinates &others) {
  for (std::size_t mode = 0; mode < entries.order(); ++mode)
    entries.index[mode].insert(entries.index[mode].end(), others.index[mode].begin(),
                               others.index[mode].end());
  entries.value.insert(entries.value.end(), others.value.begin(), others.value.end());
  entries.imaginary.insert(entries.imaginary.end(), others.imaginary.begin(), others.imaginary.end());
}

void set_limits(Tensor &tensor, const PiecePlan &plan, const Coordinates &entries) {
  for (const Limit &limit : plan.limits) {
    std::optional<std::int64_t> least = least_value(limit.rest, tensor, entries);
    std::int64_t &count = tensor.counts[limit.count];
    count = std::max(count, -std::min<std::int64_t>(least.value_or(0), 0));
  }
}

/// Does the entry have another value of one of the level's modes than the one before it?
bool differs(const Level &level, const Coordinates &modes, std::size_t e) {
  return !modes.agree(e, e - 1, modes_of(level));
}

/// Gives back those that find no position, of each node the last ones in the order of the level.
void give_back(Coordinates &own, Coordinates &entries, const Tensor &tensor, const PiecePlan &plan) {
  const Level &level = plan.levels[*plan.spills];
  Coordinates modes = to_modes(own, plan, tensor);
  modes.imaginary.clear();
  for (std::size_t e = 0; e < modes.size(); ++e)
    modes.value[e] = static_cast<double>(e);
  order_entries(modes, plan);
  std::vector<char> is_left(own.size());
  std::int64_t position = 0;
  for (std::size_t e = 0; e < modes.size(); ++e) {
    const bool begins = e == 0 || std::any_of(plan.levels.data(), &level,
                                              [&](const Level &above) { return differs(above, modes, e); });
    if (begins)
      position = 0;
    else if (!level.merge || differs(level, modes, e))
      ++position;
    is_left[static_cast<std::size_t>(modes.value[e])] = position >= level.width;
  }
  append_to(entries, take(own, is_left));
}

/// (1, 3), counted from 0
std::string place_text(const Coordinates &entries, std::size_t e) {
  return fmt::format("({})", fmt::join(entries.coordinate(e), ", "));
}

} // namespace

Coordinates take_entries(Coordinates &entries, Tensor &tensor, const PiecePlan &plan) {
  std::vector<Term> at_first, with_limits;
  for (const Term &condition : plan.conditions) {
    bool limited = std::ranges::any_of(
        plan.limits, [&](const Limit &limit) { return term::mentions(condition, limit.count); });
    (limited ? with_limits : at_first).push_back(condition);
  }
  Coordinates own = take_satisfying(entries, tensor, at_first);
  set_limits(tensor, plan, own);
  if (!with_limits.empty()) {
    Coordinates placed = take_satisfying(own, tensor, with_limits);
    append_to(entries, own);
    own = std::move(placed);
  }
  if (plan.spills) give_back(own, entries, tensor, plan);
  return own;
}

void fail_no_place(const Tensor &tensor, const PackPlan &plan, const Coordinates &entries) {
  std::string reasons;
  for (const PiecePlan &piece : plan.pieces)
    for (const Term &condition : piece.conditions)
      if (which_satisfy({condition}, tensor, entries)[0] == 0) {
        reasons += fmt::format("{}`{}`", reasons.empty() ? "" : " nor ", term::to_text(condition));
        break;
      }
  fail_not_storable(tensor,
                    fmt::format("the entry at {} doesn't satisfy {}", place_text(entries, 0), reasons));
}

void leave_out(double fill, Coordinates &entries) {
  std::vector<char> is_fill(entries.size());
  for (std::size_t e = 0; e < entries.size(); ++e)
    is_fill[e] = value::is_same_number(entries.value[e], fill) && entries.imaginary_of(e) == 0;
  take(entries, is_fill);
}

namespace {

Coordinates sums_without(double fill, Coordinates entries) {
  sort(entries, data::natural_modes(entries.order()));
  combine_duplicates(entries);
  leave_out(fill, entries);
  return entries;
}

using Number = std::complex<double>;

/// Were some of the values rounded?
bool has_single_values(const Tensor &tensor) {
  return std::ranges::any_of(tensor.layout.arrays, [&](const layout::Array &array) {
    return array.is_value && value::type_of_parts(tensor.array(array.name).type()) == ValueType::Float32;
  });
}

std::string text_of(const Number &number) {
  if (number.imag() == 0) return fmt::format("{}", number.real());
  return fmt::format("{}{:+}j", number.real(), number.imag());
}

} // namespace

void require_same_meaning(const Tensor &tensor, Coordinates given, const PackOptions &options) {
  given = sums_without(options.fill, std::move(given));
  Coordinates meant = sums_without(options.fill, unpack(tensor, options.max_memory));
  if (has_single_values(tensor))
    for (std::vector<double> *parts : {&given.value, &given.imaginary, &meant.value, &meant.imaginary})
      for (double &value : *parts)
        value = static_cast<float>(value);
  for (std::size_t e = 0; e < std::max(given.size(), meant.size()); ++e) {
    bool has_given = e < given.size(), has_meant = e < meant.size();
    if (has_given && has_meant && given.coordinate(e) != meant.coordinate(e)) {
      has_given = given.coordinate(e) < meant.coordinate(e);
      has_meant = !has_given;
    }
    const Number value = has_given ? Number(given.value[e], given.imaginary_of(e)) : options.fill,
                 means = has_meant ? Number(meant.value[e], meant.imaginary_of(e)) : options.fill;
    if (!value::is_same_number(value.real(), means.real()) ||
        !value::is_same_number(value.imag(), means.imag()))
      fail_not_storable(tensor, fmt::format("the entry at {} is {}, but the layout would make it {}",
                                            place_text(has_given ? given : meant, e), text_of(value),
                                            text_of(means)));
  }
}

} // namespace unravel::convert
