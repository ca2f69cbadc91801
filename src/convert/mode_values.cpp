// Derived coordinates, computed for entries.
#include "convert/mode_values.h"

#include "convert/pack_levels.h"
#include "data/parallel.h"
#include "report/diagnostic.h"
#include "tensor/entry_terms.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unravel::convert {

using term::Term;

ModeRange range_of(const Mode &mode, const Tensor &tensor) {
  std::optional<std::int64_t> least = try_evaluate(mode.least, tensor),
                              size = try_evaluate(mode.size, tensor);
  if (!least || !size)
    fail_not_storable(tensor, fmt::format("`{}` goes beyond 64 bits", term::to_text(mode.value)));
  return {*least, std::max<std::int64_t>(*size, 0)};
}

namespace {

/// Covers the values of a mode: entries that are equal in the modes `above` are covered together.
void cover_values(Coordinates &entries, std::size_t m, std::int64_t width, std::vector<std::size_t> above) {
  std::vector<std::int64_t> &first = entries.index[m], &rest = entries.index[m + 1];
  above.push_back(m);
  std::vector<std::size_t> order = sorted_order(entries, above);
  above.pop_back();
  std::int64_t begin = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::size_t e = order[k];
    bool same = k > 0 && entries.agree(e, order[k - 1], above);
    if (!same || first[e] - begin >= width) begin = first[e];
    rest[e] = first[e] - begin;
  }
  for (std::size_t e = 0; e < first.size(); ++e)
    first[e] -= rest[e];
}

const Mode *first_of_run(const PiecePlan &plan) {
  for (const Mode &mode : plan.modes)
    if (mode.run == Mode::Run::First) return &mode;
  return nullptr;
}

/// Sorts entries so that those of a run come one after the other, and adds equal ones up. The coordinate in
/// which they follow each other.
std::size_t gather_runs(Coordinates &entries, const Mode &first, const layout::Layout &layout) {
  const std::string &name = first.value.as<term::Variable>()->name;
  auto along =
      static_cast<std::size_t>(std::ranges::find(layout.coordinates, name) - layout.coordinates.begin());
  std::vector<std::size_t> modes;
  for (std::size_t mode = 0; mode < entries.order(); ++mode)
    if (mode != along) modes.push_back(mode);
  modes.push_back(along);
  sort(entries, modes);
  combine_duplicates(entries);
  return along;
}

/// Per entry: does it belong to the run of the one before?
std::vector<char> which_continue(const Coordinates &entries, std::size_t along) {
  std::vector<char> result(entries.size());
  for (std::size_t e = 1; e < entries.size(); ++e) {
    const auto are_alike = [&](const std::vector<double> &parts) {
      return parts[e] == parts[e - 1] && std::signbit(parts[e]) == std::signbit(parts[e - 1]);
    };
    bool same = are_alike(entries.value) && (!entries.is_complex() || are_alike(entries.imaginary));
    for (std::size_t mode = 0; mode < entries.order(); ++mode)
      same = same && entries.index[mode][e] == entries.index[mode][e - 1] + (mode == along ? 1 : 0);
    result[e] = same;
  }
  return result;
}

/// One entry per run.
void join_runs(Coordinates &modes, const PiecePlan &plan, const std::vector<char> &continues) {
  std::size_t kept = 0;
  for (std::size_t e = 0; e < continues.size(); ++e) {
    kept += !continues[e];
    for (std::size_t m = 0; m < plan.modes.size(); ++m) {
      std::vector<std::int64_t> &column = modes.index[m];
      if (!continues[e] || plan.modes[m].run == Mode::Run::Last) column[kept - 1] = column[e];
      if (continues[e] && plan.modes[m].run == Mode::Run::Length) ++column[kept - 1];
    }
    modes.value[kept - 1] = modes.value[e];
    if (modes.is_complex()) modes.imaginary[kept - 1] = modes.imaginary[e];
  }
  modes.resize(kept);
}

} // namespace

Coordinates to_modes(Coordinates entries, const PiecePlan &plan, const Tensor &tensor) {
  if (!plan.is_derived()) return entries;
  std::vector<char> continues;
  if (const Mode *first = first_of_run(plan))
    continues = which_continue(entries, gather_runs(entries, *first, tensor.layout));
  Coordinates result;
  for (const Mode &mode : plan.modes) {
    ModeRange range = range_of(mode, tensor);
    result.shape.push_back(range.size);
    std::vector<std::int64_t> &column = result.index.emplace_back(entries.size());
    if (mode.rest) continue;
    data::run_ranges(entries.size(), [&](std::size_t begin, std::size_t end) {
      evaluate_terms(mode.value - Term(range.least), tensor, entries, begin,
                     std::span(column).subspan(begin, end - begin));
    });
  }
  result.value = std::move(entries.value);
  result.imaginary = std::move(entries.imaginary);
  if (first_of_run(plan)) join_runs(result, plan, continues);
  std::vector<std::size_t> above;
  for (const Level &level : plan.levels) {
    for (const Key &key : level.keys)
      if (plan.modes[key.mode].cover > 0) cover_values(result, key.mode, plan.modes[key.mode].cover, above);
    std::ranges::copy(modes_of(level), std::back_inserter(above));
  }
  return result;
}

Coordinates from_modes(const Coordinates &entries, const PiecePlan &plan, const Tensor &tensor,
                       std::vector<std::size_t> &kept) {
  std::vector<std::int64_t> shape = tensor.shape(), least;
  for (const Mode &mode : plan.modes)
    least.push_back(range_of(mode, tensor).least);
  /// constant + sum of factor * (mode / divisor), for multiples of the divisor: others are nobody's.
  struct Part {
    std::int64_t factor = 1;
    std::size_t mode = 0;
    std::int64_t divisor = 1;
  };
  struct Sum {
    std::int64_t constant = 0;
    std::vector<Part> parts;
  };
  std::vector<Sum> sums;
  for (const Term &coordinate : plan.coordinates) {
    term::Linear form = term::linear_form(coordinate);
    Sum sum{form.constant, {}};
    for (const auto &[atom, factor] : form.parts) {
      const auto *quotient = atom.as<term::FloorDivide>();
      for (std::size_t m = 0; m < plan.modes.size(); ++m)
        if ((quotient ? quotient->numerator : atom) == term::variable(plan.modes[m].name))
          sum.parts.push_back({factor, m, quotient ? quotient->divisor : 1});
    }
    report::require(sum.parts.size() == form.parts.size(), "coordinates are sums of modes");
    sums.push_back(std::move(sum));
  }
  Coordinates result(shape);
  std::size_t count = entries.index.empty() ? 0 : entries.index[0].size();
  kept.clear();
  std::vector<std::int64_t> coordinate(shape.size());
  for (std::size_t e = 0; e < count; ++e) {
    bool inside = true;
    for (std::size_t k = 0; k < sums.size() && inside; ++k) {
      std::int64_t total = sums[k].constant;
      for (const auto &[factor, m, divisor] : sums[k].parts) {
        std::int64_t value = 0;
        inside = inside && !__builtin_add_overflow(entries.index[m][e], least[m], &value) &&
                 value % divisor == 0 && !__builtin_mul_overflow(value / divisor, factor, &value) &&
                 !__builtin_add_overflow(total, value, &total);
      }
      inside = inside && total >= 0 && total < shape[k];
      coordinate[k] = total;
    }
    if (!inside) continue;
    kept.push_back(e);
    for (std::size_t k = 0; k < sums.size(); ++k)
      result.index[k].push_back(coordinate[k]);
  }
  return result;
}

} // namespace unravel::convert
