#include "cfront/linear.h"

#include <algorithm>
#include <numeric>

namespace unravel::cfront {

namespace {

using Stride = LinearShape::Stride;

/// monomial / by, or nothing.
std::optional<Monomial> quotient(const Monomial &monomial, const Monomial &by) {
  if (!std::includes(monomial.begin(), monomial.end(), by.begin(), by.end())) return std::nullopt;
  Monomial result;
  std::set_difference(monomial.begin(), monomial.end(), by.begin(), by.end(), std::back_inserter(result));
  return result;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

/// The sizes that a term of a subscript multiplies its one loop variable with; nothing where it has none, or
/// several.
std::optional<Monomial> sizes_of(const Monomial &monomial, const Variables &variables) {
  Monomial sizes;
  int loops = 0;
  for (Variable each : monomial)
    if (variables.is_loop(each))
      ++loops;
    else
      sizes.push_back(each);
  if (loops != 1) return std::nullopt;
  return sizes;
}

std::size_t loops_in(const Polynomial &polynomial, const Variables &variables) {
  std::size_t count = 0;
  for (const auto &[monomial, coefficient] : polynomial.terms())
    count += sizes_of(monomial, variables).has_value();
  return count;
}

/// The distances that the factors of loop variables suggest, greatest first; none where they are no chain.
/// `exactly`: with the factors as they are, such as 3*n in A[(i*n + j)*3 + k], and not n.
std::vector<Stride> suggested(const LinearUses &uses, bool exactly, bool with_constants,
                              const Variables &variables) {
  std::map<Monomial, std::int64_t> found;
  std::set<std::int64_t> constants;
  for (const LinearUse &use : uses.subscripts)
    for (const auto &[monomial, coefficient] : use.subscript.terms()) {
      std::optional<Monomial> sizes = sizes_of(monomial, variables);
      if (!sizes) continue;
      if (!sizes->empty())
        found[*sizes] = exactly ? std::gcd(found[*sizes], coefficient) : 1;
      else if (with_constants && std::abs(coefficient) > 1)
        constants.insert(std::abs(coefficient));
    }
  std::vector<Stride> strides;
  for (const auto &[sizes, factor] : found)
    strides.push_back({factor, sizes});
  std::ranges::stable_sort(strides,
                           [](const Stride &a, const Stride &b) { return a.sizes.size() > b.sizes.size(); });
  for (auto at = constants.rbegin(); at != constants.rend(); ++at)
    strides.push_back({*at, {}});
  for (std::size_t k = 1; k < strides.size(); ++k)
    if (!quotient(strides[k - 1].sizes, strides[k].sizes) || strides[k - 1].factor % strides[k].factor != 0)
      return {};
  return strides;
}

} // namespace

std::vector<Polynomial> LinearShape::inner_extents() const {
  std::vector<Polynomial> extents;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    Stride next = k + 1 < strides.size() ? strides[k + 1] : Stride{};
    extents.push_back(
        Polynomial::product(*quotient(strides[k].sizes, next.sizes), strides[k].factor / next.factor));
  }
  return extents;
}

Polynomial divide(const Polynomial &sum, const Stride &stride, Polynomial &rest) {
  Polynomial result;
  rest = Polynomial();
  for (const auto &[monomial, coefficient] : sum.terms()) {
    std::optional<Monomial> shorter = quotient(monomial, stride.sizes);
    std::int64_t factor = shorter ? floor_divide(coefficient, stride.factor) : 0;
    if (factor != 0) result = result + Polynomial::product(*shorter, factor);
    rest = rest + Polynomial::product(monomial, coefficient - factor * stride.factor);
  }
  return result;
}

std::optional<std::vector<Polynomial>> split(const LinearUse &use, const LinearShape &shape,
                                             const Variables &variables) {
  if (shape.order == 0) return std::vector<Polynomial>{};
  std::vector<Polynomial> subscripts;
  Polynomial rest = use.subscript;
  for (const Stride &stride : shape.strides) {
    Polynomial left;
    subscripts.push_back(divide(rest, stride, left));
    rest = left;
  }
  subscripts.push_back(rest);
  std::vector<Polynomial> extents = shape.inner_extents();
  auto lies_inside = [&](const Polynomial &subscript, const Polynomial &extent) {
    return subscript.is_affine() && extent.is_affine() && is_natural(subscript, use.facts, variables) &&
           is_natural(extent - subscript - 1, use.facts, variables);
  };
  for (std::size_t k = subscripts.size(); k-- > 1;) {
    // A[i*n + n - 1 - j]: the n belongs to the column.
    const Polynomial extent = extents[k - 1];
    bool inside = false;
    for (std::int64_t carried : {0, 1, -1}) {
      if (!lies_inside(subscripts[k] + Polynomial(carried) * extent, extent)) continue;
      subscripts[k] = subscripts[k] + Polynomial(carried) * extent;
      subscripts[k - 1] = subscripts[k - 1] - carried;
      inside = true;
      break;
    }
    if (!inside) return std::nullopt;
  }
  if (!subscripts[0].is_affine()) return std::nullopt;
  return subscripts;
}

std::optional<LinearShape> find_shape(const LinearUses &uses, bool is_declared_vector,
                                      const Variables &variables) {
  if (uses.subscripts.empty()) return LinearShape{0, {}};
  bool all_affine =
      std::ranges::all_of(uses.subscripts, [](const LinearUse &use) { return use.subscript.is_affine(); });
  // x[2*i] is every other element of a vector, x[2*i + j] may be a row of two.
  bool may_have_rows = !is_declared_vector && !uses.is_dereferenced &&
                       std::ranges::any_of(uses.subscripts, [&](const LinearUse &use) {
                         return loops_in(use.subscript, variables) > 1;
                       });
  struct Way {
    bool exactly, with_constants;
  };
  for (Way way : {Way{false, false}, Way{true, false}, Way{true, true}}) {
    if (all_affine && !(may_have_rows && way.with_constants)) continue;
    LinearShape shape;
    shape.strides = suggested(uses, way.exactly, way.with_constants, variables);
    shape.order = shape.strides.size() + 1;
    if (shape.strides.empty()) continue;
    if (std::ranges::all_of(uses.subscripts,
                            [&](const LinearUse &use) { return split(use, shape, variables).has_value(); }))
      return shape;
  }
  return all_affine ? std::optional(LinearShape{}) : std::nullopt;
}

} // namespace unravel::cfront
