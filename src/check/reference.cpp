#include "check/reference.h"

#include "check/operand_entries.h"
#include "check/typed_value.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <unordered_map>
#include <utility>

namespace unravel::check {

using data::Coordinates;

namespace {

std::vector<std::int64_t> coordinate_of(Offset offset, const std::vector<std::int64_t> &shape) {
  std::vector<std::int64_t> coordinate(shape.size());
  for (std::size_t mode = shape.size(); mode-- > 0;) {
    coordinate[mode] = static_cast<std::int64_t>(offset % static_cast<Offset>(shape[mode]));
    offset /= static_cast<Offset>(shape[mode]);
  }
  return coordinate;
}

using value::Scalar;

bool is_finite(const Scalar &number) {
  return std::isfinite(number.real) && std::isfinite(number.imaginary);
}

bool is_same(double got, double expected) {
  return std::isnan(expected) ? std::isnan(got) : got == expected;
}

/// Where the reference isn't finite. Of a complex number an infinite part makes the other one uncertain.
bool is_alike(const Scalar &got, const Scalar &expected) {
  if (got.imaginary == 0 && expected.imaginary == 0) return is_same(got.real, expected.real);
  return !is_finite(got) && !is_finite(expected);
}

/// 0 where one isn't finite.
double error_of(const Scalar &got, const Scalar &expected) {
  if (value::is_integer(expected.type)) // 1 where only doubles are the same
    return got.integer == expected.integer ? 0 : std::max(1.0, std::fabs(got.number() - expected.number()));
  if (!is_finite(got) || !is_finite(expected)) return 0;
  return std::hypot(got.real - expected.real, got.imaginary - expected.imaginary);
}

/// The reference's element k, as a number of that type.
template <class Result> Scalar element_of(const Result &reference, std::size_t k, value::Type type) {
  const auto part = [&](const auto &parts) { return parts.empty() ? 0 : parts[k]; };
  return {type, reference.value[k], part(reference.integer), part(reference.imaginary)};
}

bool are_same(const Choice &one, const Choice &other) {
  return one.integer == other.integer && is_same(one.value, other.value) &&
         is_same(one.imaginary, other.imaginary);
}

template <class Result> Choice choice_of(const Result &reference, std::size_t k) {
  const Scalar element = element_of(reference, k, reference.type);
  return {element.real, reference.magnitude[k], element.imaginary, element.integer};
}

/// An element, and what it may be in place of what is expected.
struct Compared {
  Scalar got, expected;
  double magnitude = 0;
  Offset offset = 0;
};

/// Is the error allowed? Where the magnitude itself overflows, or is no number, nothing can be said about it.
bool is_near(const Scalar &got, const Scalar &expected, double allowed) {
  if (!is_finite(expected) || !is_finite(got)) return is_alike(got, expected);
  return !(error_of(got, expected) > allowed);
}

/// Takes one element into the comparison.
void compare_element(Comparison &result, const Compared &element, double tolerance, const Choices &choices,
                     const std::vector<std::int64_t> &shape) {
  const auto &[got, expected, magnitude, offset] = element;
  if (const auto others = choices.find(offset);
      others != choices.end() && std::ranges::any_of(others->second, [&](const Choice &other) {
        return is_near(got, {expected.type, other.value, other.integer, other.imaginary},
                       tolerance * other.magnitude);
      }))
    return;
  const double error = error_of(got, expected);
  if (error > 0) result.max_relative_error = std::max(result.max_relative_error, error / magnitude);
  if (is_near(got, expected, tolerance * magnitude) || result.bad_elements++ > 0) return;
  result.ok = false;
  result.coordinate = coordinate_of(offset, shape);
  result.got = got, result.expected = expected;
}

Offset offset_of(const Coordinates &tensor, std::size_t e) {
  Offset offset = 0;
  for (std::size_t mode = 0; mode < tensor.order(); ++mode)
    offset = offset * static_cast<Offset>(tensor.shape[mode]) + static_cast<Offset>(tensor.index[mode][e]);
  return offset;
}

/// What entries of one coordinate add up to.
void add(Scalar &sum, const Value &entry) {
  sum.real += static_cast<double>(entry.value), sum.imaginary += static_cast<double>(entry.imaginary);
  const Scalar integer{value::Type::Int64, 0, added(sum.integer, entry.integer)};
  if (value::is_integer(sum.type)) sum.integer = value::converted(integer, sum.type).integer;
}

/// The elements of `got`, compared with those of the reference one after the other.
template <class Element>
Comparison compare_elements(const Reference &reference, double tolerance, value::Type type, Element got) {
  Comparison result;
  const auto are_true = [](double one, double other) { return one == 1 && other != 0; };
  for (std::size_t k = 0; k < reference.value.size(); ++k) {
    const Scalar expected = element_of(reference, k, type), found = got(k);
    const double one = found.number(), other = expected.number();
    if (reference.has_truths && (are_true(one, other) || are_true(other, one))) continue;
    compare_element(result, {found, expected, reference.magnitude[k], k}, tolerance, reference.choices,
                    reference.shape);
  }
  return result;
}

} // namespace

void allow(Reference &made, const Reference &other) {
  for (std::size_t k = 0; k < made.value.size(); ++k)
    if (const Choice own = choice_of(other, k); !are_same(choice_of(made, k), own))
      made.choices[k].push_back(own);
}

void allow(SparseReference &made, const SparseReference &other) {
  const Choice nothing{made.fill, 0, 0, Scalar::of(made.fill, made.type).integer};
  std::map<Offset, std::pair<Choice, Choice>> elements;
  for (std::size_t k = 0; k < made.offset.size(); ++k)
    elements.try_emplace(made.offset[k], nothing, nothing).first->second.first = choice_of(made, k);
  for (std::size_t k = 0; k < other.offset.size(); ++k)
    elements.try_emplace(other.offset[k], nothing, nothing).first->second.second = choice_of(other, k);
  for (const auto &[offset, both] : elements)
    if (!are_same(both.first, both.second)) made.choices[offset].push_back(both.second);
}

Comparison compare(const std::vector<double> &got, const Reference &reference, double tolerance,
                   const std::vector<double> &imaginary) {
  report::require(got.size() == reference.value.size(), "compared results have the same shape");
  const bool is_real = imaginary.empty() && reference.imaginary.empty();
  const value::Type type = is_real ? value::Type::Float64 : value::Type::Complex128;
  return compare_elements(reference, tolerance, type, [&](std::size_t k) {
    return Scalar{type, got[k], 0, imaginary.empty() ? 0 : imaginary[k]};
  });
}

Comparison compare(const Coordinates &got, const Reference &reference, double tolerance, double fill) {
  report::require(got.shape == reference.shape, "compared results have the same shape");
  const value::Type type = reference.type;
  if (!value::is_integer(type))
    return compare(to_dense(got, fill), reference, tolerance,
                   got.is_complex() ? to_dense(imaginary_part(got)) : std::vector<double>());
  std::vector<Scalar> elements(reference.value.size(), Scalar::of(fill, type));
  std::vector<bool> is_stored(elements.size());
  for (std::size_t e = 0; e < got.size(); ++e) {
    const auto at = static_cast<std::size_t>(offset_of(got, e));
    if (!is_stored[at]) elements[at].integer = 0;
    is_stored[at] = true;
    add(elements[at], entry_of(got, e, type));
  }
  return compare_elements(reference, tolerance, type, [&](std::size_t k) { return elements[k]; });
}

Comparison compare(const Coordinates &got, const SparseReference &reference, double tolerance) {
  report::require(got.shape == reference.shape, "compared results have the same shape");
  const value::Type type = reference.type;
  std::map<Offset, std::pair<Scalar, std::size_t>> elements; // what was found, and which of the reference
  for (std::size_t e = 0; e < got.size(); ++e)
    add(elements.try_emplace(offset_of(got, e), Scalar{type}, reference.offset.size()).first->second.first,
        entry_of(got, e, type));
  const Scalar fill = Scalar::of(reference.fill, type);
  for (std::size_t k = 0; k < reference.offset.size(); ++k)
    elements.try_emplace(reference.offset[k], fill, 0).first->second.second = k;
  Comparison result;
  for (const auto &[offset, element] : elements) {
    const auto &[found, k] = element;
    const bool is_known = k < reference.offset.size();
    compare_element(result,
                    {found, is_known ? element_of(reference, k, type) : fill,
                     is_known ? reference.magnitude[k] : 0, offset},
                    tolerance, reference.choices, got.shape);
  }
  return result;
}

} // namespace unravel::check
