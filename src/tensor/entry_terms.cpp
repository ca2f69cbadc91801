// Terms and formulas for many entries at once: a stretch of entries at a time, operation by operation.
#include "tensor/entry_terms.h"

#include "data/parallel.h"
#include "report/diagnostic.h"
#include "term/quotient.h"

#include <algorithm>
#include <mutex>

namespace unravel::tensor {

using data::Coordinates;
using term::Term;

namespace {

/// A few columns of it fit in the cache.
constexpr std::size_t stretch = 4096;

std::int64_t wrapping_sum(std::int64_t a, std::int64_t factor, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                   static_cast<std::uint64_t>(factor) * static_cast<std::uint64_t>(b));
}

/// values[k] / divisor, rounded down. Numbers of 32 bits are multiplied by ceil(2^64 / divisor) instead, the
/// upper half of which product is the quotient (Lemire, Kaser and Kurz, 2019).
void divide(std::span<std::int64_t> values, std::int64_t divisor) {
  std::uint64_t bits = static_cast<std::uint64_t>(divisor);
  for (std::int64_t value : values)
    bits |= static_cast<std::uint64_t>(value);
  if (divisor > 1 && bits <= UINT32_MAX) {
    std::uint64_t factor = UINT64_MAX / static_cast<std::uint64_t>(divisor) + 1;
    for (std::int64_t &value : values)
      value = static_cast<std::int64_t>(
          static_cast<unsigned __int128>(factor) * static_cast<std::uint64_t>(value) >> 64);
    return;
  }
  for (std::int64_t &value : values)
    value = term::floor_quotient(value, divisor);
}

/// Calls use(begin, count) for stretches of all entries, on all cores.
template <class Use> void each_stretch(const Coordinates &entries, Use use) {
  data::run_ranges(entries.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; at += stretch)
      use(at, std::min(stretch, end - at));
  });
}

class Columns {
public:
  Columns(const Tensor &tensor, const Coordinates &entries) : tensor_(tensor), entries_(entries) {}

  void evaluate(const Term &term, std::size_t begin, std::span<std::int64_t> out) const {
    std::visit(term::overloaded{
                   [&](const term::Constant &of) { std::fill(out.begin(), out.end(), of.value); },
                   [&](const term::Variable &of) { variable(of.name, begin, out); },
                   [&](const term::Linear &of) {
                     std::fill(out.begin(), out.end(), of.constant);
                     for (const auto &[atom, coefficient] : of.parts)
                       merge(atom, begin, out, [factor = coefficient](std::int64_t a, std::int64_t b) {
                         return wrapping_sum(a, factor, b);
                       });
                   },
                   [&](const term::FloorDivide &of) {
                     evaluate(of.numerator, begin, out);
                     divide(out, of.divisor);
                   },
                   [&](const term::Modulo &of) {
                     evaluate(of.numerator, begin, out);
                     std::vector<std::int64_t> quotients(out.begin(), out.end());
                     divide(quotients, of.divisor);
                     for (std::size_t k = 0; k < out.size(); ++k)
                       out[k] -= of.divisor * quotients[k];
                   },
                   [&](const term::Minimum &of) {
                     fold(of.of, begin, out, [](auto a, auto b) { return std::min(a, b); });
                   },
                   [&](const term::Maximum &of) {
                     fold(of.of, begin, out, [](auto a, auto b) { return std::max(a, b); });
                   },
                   [&](const term::Compare &of) {
                     evaluate(of.left, begin, out);
                     bool equal = of.relation == term::Relation::Equal;
                     for (std::int64_t &value : out)
                       value = equal ? value == 0 : value >= 0;
                   },
                   [&](const term::And &of) {
                     std::fill(out.begin(), out.end(), 1);
                     for (const Term &part : of.parts)
                       merge(part, begin, out, [](auto a, auto b) { return a & b; });
                   },
                   [&](const term::Or &of) {
                     std::fill(out.begin(), out.end(), 0);
                     for (const Term &part : of.parts)
                       merge(part, begin, out, [](auto a, auto b) { return a | b; });
                   },
                   [&](const term::Not &of) {
                     evaluate(of.of, begin, out);
                     for (std::int64_t &value : out)
                       value = value == 0;
                   },
                   [&](const auto &) { report::require(false, "conditions on entries are affine"); },
               },
               term.node().kind);
  }

private:
  void variable(const std::string &name, std::size_t begin, std::span<std::int64_t> out) const {
    const std::vector<std::string> &coordinates = tensor_.layout.coordinates;
    auto mode = std::find(coordinates.begin(), coordinates.end(), name);
    if (mode == coordinates.end()) {
      std::optional<std::int64_t> number = number_of(tensor_, name);
      report::require(number.has_value(), "sizes and counts are known when entries are looked at");
      std::fill(out.begin(), out.end(), *number);
      return;
    }
    const auto &column = entries_.index[static_cast<std::size_t>(mode - coordinates.begin())];
    std::copy_n(column.begin() + static_cast<std::ptrdiff_t>(begin), out.size(), out.begin());
  }

  template <class Merge>
  void merge(const Term &part, std::size_t begin, std::span<std::int64_t> out, Merge merge) const {
    std::vector<std::int64_t> column(out.size());
    evaluate(part, begin, column);
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = merge(out[k], column[k]);
  }

  template <class Fold>
  void fold(const std::vector<Term> &of, std::size_t begin, std::span<std::int64_t> out, Fold by) const {
    evaluate(of.front(), begin, out);
    for (std::size_t k = 1; k < of.size(); ++k)
      merge(of[k], begin, out, by);
  }

  const Tensor &tensor_;
  const Coordinates &entries_;
};

} // namespace

void evaluate_terms(const Term &term, const Tensor &tensor, const Coordinates &entries, std::size_t begin,
                    std::span<std::int64_t> out) {
  for (std::size_t at = 0; at < out.size(); at += stretch)
    Columns(tensor, entries).evaluate(term, begin + at, out.subspan(at, std::min(stretch, out.size() - at)));
}

std::vector<char> which_satisfy(const std::vector<Term> &formulas, const Tensor &tensor,
                                const Coordinates &entries) {
  std::vector<char> result(entries.size(), 1);
  for (const Term &formula : formulas)
    each_stretch(entries, [&](std::size_t begin, std::size_t count) {
      std::vector<std::int64_t> holds(count);
      evaluate_terms(formula, tensor, entries, begin, holds);
      for (std::size_t k = 0; k < count; ++k)
        result[begin + k] = static_cast<char>(result[begin + k] & (holds[k] != 0));
    });
  return result;
}

std::optional<std::int64_t> least_value(const Term &term, const Tensor &tensor, const Coordinates &entries) {
  std::optional<std::int64_t> least;
  std::mutex mutex;
  each_stretch(entries, [&](std::size_t begin, std::size_t count) {
    std::vector<std::int64_t> values(count);
    evaluate_terms(term, tensor, entries, begin, values);
    std::int64_t here = *std::min_element(values.begin(), values.end());
    std::lock_guard lock(mutex);
    least = std::min(least.value_or(here), here);
  });
  return least;
}

} // namespace unravel::tensor
