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

/// A factor's place in the join: which of its modes are known when it is reached, and its entries hashed by
/// these. Entries of one bucket lie side by side; the lookup compares the coordinates, so that collisions do
/// no harm.
struct JoinStep {
  const ReferenceAccess *access = nullptr;
  std::vector<std::size_t> known; // modes whose index is bound before this step
  std::vector<std::size_t> fresh; // the others
  std::vector<std::uint32_t> bucket_begin;
  std::vector<std::uint32_t> entries;
  std::uint64_t mask = 0;

  static std::uint64_t mix(std::uint64_t hash, std::int64_t index) {
    hash = (hash ^ static_cast<std::uint64_t>(index)) * 0x9e3779b97f4a7c15;
    return hash ^ (hash >> 29);
  }

  void build() {
    const Coordinates &tensor = *access->tensor;
    report::require(tensor.size() < UINT32_MAX, "the reference evaluator is given fewer than 2^32 entries");
    std::size_t count = tensor.size();
    mask = known.empty() ? 0 : std::bit_ceil(count + 1) - 1;
    std::vector<std::uint32_t> bucket(count);
    bucket_begin.assign(mask + 2, 0);
    for (std::size_t e = 0; e < count; ++e) {
      std::uint64_t hash = 0;
      for (std::size_t mode : known)
        hash = mix(hash, tensor.index[mode][e]);
      bucket[e] = static_cast<std::uint32_t>(hash & mask);
      ++bucket_begin[bucket[e] + 1];
    }
    for (std::size_t b = 1; b < bucket_begin.size(); ++b)
      bucket_begin[b] += bucket_begin[b - 1];
    std::vector<std::uint32_t> next(bucket_begin.begin(), bucket_begin.end() - 1);
    entries.resize(count);
    for (std::size_t e = 0; e < count; ++e)
      entries[next[bucket[e]]++] = static_cast<std::uint32_t>(e);
  }
};

struct OffsetHash {
  std::size_t operator()(Offset offset) const {
    std::uint64_t hash = JoinStep::mix(0, static_cast<std::int64_t>(static_cast<std::uint64_t>(offset)));
    return JoinStep::mix(hash, static_cast<std::int64_t>(static_cast<std::uint64_t>(offset >> 64)));
  }
};

/// What is added up per element of a result.
struct Sums {
  bool is_sparse = false;
  std::vector<long double> sum;
  std::vector<double> magnitude;
  std::unordered_map<Offset, std::size_t, OffsetHash> number; // of each element that has terms, if sparse

  /// `type`: of the sum.
  void add(Offset offset, long double term, value::Type type) {
    auto k = static_cast<std::size_t>(offset);
    if (is_sparse) {
      k = number.emplace(offset, sum.size()).first->second;
      if (k == sum.size()) sum.push_back(0), magnitude.push_back(0);
    }
    sum[k] = held(sum[k] + term, type);
    magnitude[k] += static_cast<double>(std::fabs(term));
  }
};

class Evaluator {
public:
  Evaluator(const ReferenceProduct &product, Sums &sums) : product_(product), sums_(sums) {
    check();
    plan();
  }

  /// A result without elements is done already, and its indices can't be run over.
  void run() {
    if (data::element_count(product_.shape) != 0) join(0, product_.constant);
  }

private:
  void check_subscripts(const std::vector<ReferenceSubscript> &subscripts, std::size_t order) const {
    report::require(subscripts.size() == order, "an access has a subscript for each mode");
    for (const ReferenceSubscript &subscript : subscripts)
      report::require(subscript.index >= 0 &&
                          static_cast<std::size_t>(subscript.index) < product_.extents.size(),
                      "a subscript's index is one of those with extents");
  }

  void check() const {
    for (const ReferenceAccess &access : product_.factors) {
      report::require(access.tensor != nullptr, "an access has a tensor");
      check_subscripts(access.subscripts, access.tensor->order());
    }
    check_subscripts(product_.result, product_.shape.size());
  }

  /// Orders the factors: the one with fewest entries first, then always one whose modes are best known.
  void plan() {
    std::vector<const ReferenceAccess *> left;
    for (const ReferenceAccess &access : product_.factors)
      left.push_back(&access);
    std::vector<bool> bound(product_.extents.size());
    auto known_modes = [&](const ReferenceAccess &access) {
      return std::ranges::count_if(access.subscripts, [&](const ReferenceSubscript &s) {
        return bound[static_cast<std::size_t>(s.index)];
      });
    };
    while (!left.empty()) {
      auto better = [&](const ReferenceAccess *a, const ReferenceAccess *b) {
        auto unknown_a = static_cast<std::ptrdiff_t>(a->subscripts.size()) - known_modes(*a);
        auto unknown_b = static_cast<std::ptrdiff_t>(b->subscripts.size()) - known_modes(*b);
        bool reachable_a = steps_.empty() || unknown_a == 0 || known_modes(*a) > 0;
        bool reachable_b = steps_.empty() || unknown_b == 0 || known_modes(*b) > 0;
        if (reachable_a != reachable_b) return reachable_a;
        if (!steps_.empty() && (unknown_a == 0) != (unknown_b == 0)) return unknown_a == 0;
        return a->tensor->size() < b->tensor->size();
      };
      auto best = std::ranges::min_element(left, better);
      add_step(**best, bound);
      left.erase(best);
    }
    for (const ReferenceSubscript &subscript : product_.result) {
      auto index = static_cast<std::size_t>(subscript.index);
      if (bound[index]) continue;
      report::require(product_.extents[index] >= 0, "an index that only the result has needs its extent");
      broadcast_.push_back(index);
      bound[index] = true;
    }
    index_.assign(product_.extents.size(), 0);
  }

  void add_step(const ReferenceAccess &access, std::vector<bool> &bound) {
    JoinStep step;
    step.access = &access;
    for (std::size_t mode = 0; mode < access.subscripts.size(); ++mode)
      (bound[static_cast<std::size_t>(access.subscripts[mode].index)] ? step.known : step.fresh)
          .push_back(mode);
    for (const ReferenceSubscript &subscript : access.subscripts)
      bound[static_cast<std::size_t>(subscript.index)] = true;
    step.build();
    steps_.push_back(std::move(step));
  }

  std::int64_t &index_of(const ReferenceSubscript &subscript) {
    return index_[static_cast<std::size_t>(subscript.index)];
  }

  /// Whether entry e agrees with the indices bound so far.
  bool matches(const JoinStep &step, std::size_t e) {
    for (std::size_t mode : step.known) {
      const ReferenceSubscript &subscript = step.access->subscripts[mode];
      if (step.access->tensor->index[mode][e] != index_of(subscript) + subscript.shift) return false;
    }
    return true;
  }

  /// Gives the indices that occur here first their values. False when entry e contradicts itself (A(i, i)) or
  /// lies outside the iteration space.
  bool bind(const JoinStep &step, std::size_t e) {
    const std::vector<ReferenceSubscript> &subscripts = step.access->subscripts;
    for (std::size_t mode : step.fresh) {
      std::int64_t index = step.access->tensor->index[mode][e] - subscripts[mode].shift;
      if (!is_allowed(subscripts[mode].index, index)) return false;
      index_of(subscripts[mode]) = index;
    }
    // An index may occur here twice: then its last value must be right for all of its places.
    for (std::size_t mode : step.fresh)
      if (step.access->tensor->index[mode][e] != index_of(subscripts[mode]) + subscripts[mode].shift)
        return false;
    return true;
  }

  bool is_allowed(int index, std::int64_t value) const {
    std::int64_t extent = product_.extents[static_cast<std::size_t>(index)];
    if (extent >= 0 && (value < 0 || value >= extent)) return false;
    auto range = product_.ranges.find(index);
    return range == product_.ranges.end() || (range->second.first <= value && value < range->second.second);
  }

  void join(std::size_t depth, long double term) {
    if (depth == steps_.size()) return broadcast(0, term);
    const JoinStep &step = steps_[depth];
    std::uint64_t hash = 0;
    for (std::size_t mode : step.known) {
      const ReferenceSubscript &subscript = step.access->subscripts[mode];
      hash = JoinStep::mix(hash, index_of(subscript) + subscript.shift);
    }
    std::size_t bucket = hash & step.mask;
    for (std::uint32_t k = step.bucket_begin[bucket]; k < step.bucket_begin[bucket + 1]; ++k) {
      std::size_t e = step.entries[k];
      if (matches(step, e) && bind(step, e)) join(depth + 1, term * step.access->tensor->value[e]);
    }
  }

  /// Runs over the indices that only the result has.
  void broadcast(std::size_t depth, long double term) {
    if (depth == broadcast_.size()) return add(term);
    for (std::int64_t index = 0; index < product_.extents[broadcast_[depth]]; ++index) {
      index_[broadcast_[depth]] = index;
      if (is_allowed(static_cast<int>(broadcast_[depth]), index)) broadcast(depth + 1, term);
    }
  }

  void add(long double term) {
    Offset offset = 0;
    for (std::size_t mode = 0; mode < product_.shape.size(); ++mode) {
      std::int64_t index = index_of(product_.result[mode]) + product_.result[mode].shift;
      if (index < 0 || index >= product_.shape[mode]) return;
      offset = offset * static_cast<Offset>(product_.shape[mode]) + static_cast<Offset>(index);
    }
    sums_.add(offset, held(term, product_.type), product_.result_type);
  }

  const ReferenceProduct &product_;
  Sums &sums_;
  std::vector<JoinStep> steps_;
  std::vector<std::size_t> broadcast_; // indices that only the result has
  std::vector<std::int64_t> index_;    // the current value of each index
};

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

Reference evaluate(const ReferenceProduct &product) {
  const std::int64_t elements = data::element_count(product.shape);
  report::require(elements >= 0, "a dense result has fewer than 2^63 elements");
  Sums sums;
  sums.sum.resize(static_cast<std::size_t>(elements));
  sums.magnitude.resize(sums.sum.size());
  Evaluator(product, sums).run();
  return {product.shape, {sums.sum.begin(), sums.sum.end()}, std::move(sums.magnitude)};
}

SparseReference evaluate_sparse(const std::vector<ReferenceProduct> &products) {
  Sums sums{.is_sparse = true};
  for (const ReferenceProduct &product : products)
    Evaluator(product, sums).run();
  std::vector<Offset> offsets(sums.number.size());
  for (const auto &[offset, number] : sums.number)
    offsets[number] = offset;
  return {products.at(0).shape,
          std::move(offsets),
          {sums.sum.begin(), sums.sum.end()},
          std::move(sums.magnitude),
          0};
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
