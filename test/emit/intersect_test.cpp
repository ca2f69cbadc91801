// Intersections as the compilers make them: blocks of 8 keys against blocks of 8, at all lengths around that,
// with hits at their edges.
#include "each_compiler.h"
#include "emit/emit.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

using namespace unravel;

namespace {

std::string vector_of(const char *name, loop::ElementType type) {
  return fmt::format("operand {0} : sv_{1}(N)\n  count NNZ\n  index idx[{0}.NNZ] : {1}\n", name,
                     loop::name_of(type));
}

constexpr std::size_t longest = 40;
constexpr std::size_t width = 64;

/// y at 64 p + q: 1 for the first pair (p, q), 2 for the second ...
std::string kernel(const std::string &name, loop::ElementType first, loop::ElementType second) {
  return emit::emit_c(loop::parse_program(fmt::format(
      "kernel {}\nexpression e\nresult y : list(N)\n  value val[y.N] : float64\n{}{}{{\n  value n = "
      "0\n  intersect a.p in 0 .. a.NNZ by a.idx, b.p in 0 .. b.NNZ by b.idx {{\n    n += 1\n    "
      "y.val[64*a.p + b.p] += n\n  }}\n}}\n",
      name, vector_of("a", first), vector_of("b", second))));
}

struct Slots {
  std::int64_t size;
  std::int64_t count;
  void *keys;
};
struct List {
  std::int64_t size;
  double *values;
};
using Kernel = int (*)(List *, Slots *, Slots *);

template <class T> std::vector<T> as(const std::vector<std::int64_t> &keys) {
  return std::vector<T>(keys.begin(), keys.end());
}

std::vector<double> expected(const std::vector<std::int64_t> &a, const std::vector<std::int64_t> &b) {
  std::vector<double> result(longest * width);
  double n = 0;
  for (std::size_t p = 0; p < a.size(); ++p)
    for (std::size_t q = 0; q < b.size(); ++q)
      if (a[p] == b[q]) result[width * p + q] = ++n;
  return result;
}

template <class A, class B>
::testing::AssertionResult agrees(Kernel kernel, const std::vector<std::int64_t> &a,
                                  const std::vector<std::int64_t> &b) {
  std::vector<double> right = expected(a, b), got(right.size());
  std::vector<A> left_keys = as<A>(a);
  std::vector<B> right_keys = as<B>(b);
  List list{static_cast<std::int64_t>(got.size()), got.data()};
  Slots left{1000, static_cast<std::int64_t>(a.size()), left_keys.data()};
  Slots other{1000, static_cast<std::int64_t>(b.size()), right_keys.data()};
  kernel(&list, &left, &other);
  if (got == right) return ::testing::AssertionSuccess();
  std::string text = "a:";
  for (std::int64_t key : a)
    text += " " + std::to_string(key);
  text += "; b:";
  for (std::int64_t key : b)
    text += " " + std::to_string(key);
  return ::testing::AssertionFailure() << text;
}

template <class A, class B> void try_all(Kernel kernel) {
  std::mt19937 random(3);
  auto rising = [](std::size_t count, std::int64_t first, std::int64_t step) {
    std::vector<std::int64_t> keys;
    for (std::size_t k = 0; k < count; ++k)
      keys.push_back(first + static_cast<std::int64_t>(k) * step);
    return keys;
  };
  auto drawn = [&](std::size_t count, std::int64_t range) {
    std::vector<std::int64_t> all = rising(static_cast<std::size_t>(range), -range / 2, 1), keys;
    std::sample(all.begin(), all.end(), std::back_inserter(keys), count, random);
    return keys;
  };
  for (std::size_t a = 0; a <= longest; ++a)
    for (std::size_t b = 0; b <= longest; ++b) {
      // All equal, none equal, one behind the other, every other one, random.
      ASSERT_TRUE((agrees<A, B>(kernel, rising(a, 5, 1), rising(b, 5, 1))));
      ASSERT_TRUE((agrees<A, B>(kernel, rising(a, 0, 2), rising(b, 1, 2))));
      ASSERT_TRUE((agrees<A, B>(kernel, rising(a, 0, 1), rising(b, 7, 1))));
      ASSERT_TRUE((agrees<A, B>(kernel, rising(a, 0, 1), rising(b, 100, 1))));
      ASSERT_TRUE((agrees<A, B>(kernel, rising(a, -3, 1), rising(b, -4, 2))));
      ASSERT_TRUE((agrees<A, B>(kernel, drawn(a, 64), drawn(b, 50))));
    }
  // One hit at every pair of places.
  for (std::size_t p = 0; p < 25; ++p)
    for (std::size_t q = 0; q < 25; ++q) {
      std::vector<std::int64_t> a = rising(25, -4 * static_cast<std::int64_t>(p), 4);
      std::vector<std::int64_t> b = rising(25, 2 - 4 * static_cast<std::int64_t>(q), 4);
      b[q] = 0;
      ASSERT_TRUE((agrees<A, B>(kernel, a, b))) << p << " " << q;
    }
}

} // namespace

TEST(EmitIntersect, finds_every_pair_at_all_lengths) {
  using loop::ElementType;
  const std::string text = kernel("both_32", ElementType::Int32, ElementType::Int32) +
                           kernel("both_64", ElementType::Int64, ElementType::Int64) +
                           kernel("mixed", ElementType::Int64, ElementType::Int32);
  const bool any = test::with_each_compiler(text, [](void *library) {
    auto entry = [&](const char *name) { return reinterpret_cast<Kernel>(dlsym(library, name)); };
    try_all<std::int32_t, std::int32_t>(entry("both_32"));
    try_all<std::int64_t, std::int64_t>(entry("both_64"));
    try_all<std::int64_t, std::int32_t>(entry("mixed"));
  });
  if (!any) GTEST_SKIP() << "no compiler is installed";
}
