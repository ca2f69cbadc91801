#include "operators_hand.h"

#include <limits>

namespace unravel::bench {

namespace {

template <class Add, class Multiply>
HandWritten by_hand(const char *semiring, double identity, Add add, Multiply multiply) {
  return {semiring, [=](const Compressed &a, const double *__restrict x, double *__restrict y) {
            const std::int32_t *__restrict begin = a.pos, *__restrict col = a.crd;
            const double *__restrict val = a.val;
            for (std::int32_t i = 0; i < a.lines; ++i) {
              double reduced = identity;
              for (std::int32_t p = begin[i]; p < begin[i + 1]; ++p)
                reduced = add(reduced, multiply(val[p], x[col[p]]));
              y[i] = reduced;
            }
          }};
}

/// Left at the first one: nothing changes it any more.
template <class Multiply> HandWritten any_by_hand(const char *semiring, Multiply multiply) {
  return {semiring, [=](const Compressed &a, const double *__restrict x, double *__restrict y) {
            for (std::int32_t i = 0; i < a.lines; ++i) {
              double found = 0;
              for (std::int32_t p = a.pos[i]; p < a.pos[i + 1]; ++p)
                if (const double value = multiply(a.val[p], x[a.crd[p]]); value != 0) {
                  found = value;
                  break;
                }
              y[i] = found;
            }
          }};
}

} // namespace

const std::vector<HandWritten> &semirings_by_hand() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto plus = [](double a, double b) { return a + b; };
  const auto times = [](double a, double b) { return a * b; };
  const auto least = [](double a, double b) { return b < a ? b : a; };
  const auto greatest = [](double a, double b) { return b > a ? b : a; };
  const auto first = [](double a, double) { return a; };
  const auto second = [](double, double b) { return b; };
  const auto pair = [](double, double) { return 1.0; };
  const auto both = [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; };
  const auto one_of = [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; };
  static const std::vector<HandWritten> all{by_hand("plus.times", 0, plus, times),
                                            by_hand("min.plus", infinity, least, plus),
                                            by_hand("max.plus", -infinity, greatest, plus),
                                            by_hand("max.times", -infinity, greatest, times),
                                            by_hand("min.max", infinity, least, greatest),
                                            by_hand("max.min", -infinity, greatest, least),
                                            by_hand("min.first", infinity, least, first),
                                            by_hand("min.second", infinity, least, second),
                                            by_hand("plus.first", 0, plus, first),
                                            by_hand("plus.second", 0, plus, second),
                                            by_hand("plus.pair", 0, plus, pair),
                                            by_hand("xor.and", 0, one_of, both),
                                            any_by_hand("or.and", both),
                                            any_by_hand("any.pair", pair)};
  return all;
}

} // namespace unravel::bench
