// The types of values against what C++ makes of its own.
#include "value/operators.h"
#include "value/typed.h"

#include <complex>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <tuple>
#include <type_traits>

namespace unravel::value {

namespace {

using Own = std::tuple<std::int32_t, std::int64_t, float, double, bool, std::int8_t, std::int16_t,
                       std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>; // in the order of Type

template <class T> constexpr Type type_of() {
  int found = -1, k = 0;
  std::apply([&](auto... each) { ((std::is_same_v<decltype(each), T> ? found = k++ : k++), ...); }, Own());
  return static_cast<Type>(found);
}

template <class T> Scalar scalar_of(T number) {
  if constexpr (std::is_floating_point_v<T>)
    return {type_of<T>(), number, 0};
  else
    return {type_of<T>(), 0, static_cast<std::int64_t>(number)};
}

template <class Visit> void each_type(Visit visit) {
  std::apply([&](auto... each) { (visit(each), ...); }, Own());
}

/// Numbers of all sizes, also those at the ends.
template <class T> T any(std::mt19937_64 &random) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(random()) >> random() % 63);
  } else {
    if (random() % 8 == 0)
      return random() % 2 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    return static_cast<T>(static_cast<std::int64_t>(random()) >> random() % 63);
  }
}

} // namespace

TEST(Types, sizes_and_ends_are_those_of_c) {
  each_type([](auto own) {
    using T = decltype(own);
    const TypeFacts &facts = facts_of(type_of<T>());
    EXPECT_EQ(facts.type, type_of<T>());
    EXPECT_EQ(facts.bytes, sizeof(T)) << facts.word;
    EXPECT_EQ(facts.is_integer, std::is_integral_v<T>) << facts.word;
    EXPECT_EQ(facts.is_signed, std::is_signed_v<T>) << facts.word;
    EXPECT_EQ(type_called(facts.word), type_of<T>());
    if constexpr (std::is_integral_v<T>) {
      const double infinity = std::numeric_limits<double>::infinity();
      EXPECT_EQ(Scalar::of(infinity, facts.type).integer,
                static_cast<std::int64_t>(std::numeric_limits<T>::max()));
      EXPECT_EQ(Scalar::of(-infinity, facts.type).integer,
                static_cast<std::int64_t>(std::numeric_limits<T>::min()));
      EXPECT_TRUE(holds(facts.type, static_cast<double>(std::numeric_limits<T>::min())));
      EXPECT_FALSE(holds(facts.type, static_cast<double>(std::numeric_limits<T>::max()) + 2048));
      EXPECT_FALSE(holds(facts.type, 0.5));
    }
  });
  EXPECT_FALSE(type_called("bit"));
  EXPECT_FALSE(type_called(""));
}

TEST(Types, complex_numbers) {
  EXPECT_EQ(sizeof(std::complex<float>), facts_of(Type::Complex64).bytes);
  EXPECT_EQ(sizeof(std::complex<double>), facts_of(Type::Complex128).bytes);
  EXPECT_EQ(conversion_to(Type::Complex128), Operator::ToComplex128);
  EXPECT_EQ(made_by_conversion(Operator::ToComplex64), Type::Complex64);
  each_type([](auto own) { // C's conversions: as with f32, with f64
    using T = decltype(own);
    using Single = decltype(own + 1.0F);
    using Double = decltype(own + 1.0);
    const auto complex = [](Type parts) {
      return parts == Type::Float32 ? Type::Complex64 : Type::Complex128;
    };
    EXPECT_EQ(common(type_of<T>(), Type::Complex64), complex(type_of<Single>()));
    EXPECT_EQ(common(Type::Complex128, type_of<T>()), complex(type_of<Double>()));
  });
  EXPECT_EQ(common(Type::Complex64, Type::Complex128), Type::Complex128);

  const Scalar z{Type::Complex128, 3, 0, -4};
  EXPECT_EQ(converted(z, Type::Float64).real, 3);
  EXPECT_EQ(converted(z, Type::Complex64).imaginary, -4);
  EXPECT_EQ(converted({Type::Complex128, 0, 0, 1}, Type::Bool).integer, 1);
  const auto of = [&](Operator op, Type type, std::vector<Scalar> arguments) {
    const Scalar made = evaluate_exactly(op, type, std::move(arguments));
    return std::pair(made.real, made.imaginary);
  };
  using Pair = std::pair<double, double>;
  EXPECT_EQ(of(Operator::Absolute, Type::Float64, {z}), Pair(5, 0));
  EXPECT_EQ(of(Operator::ImaginaryPart, Type::Float64, {z}), Pair(-4, 0));
  EXPECT_EQ(of(Operator::Conjugate, Type::Complex128, {z}), Pair(3, 4));
  EXPECT_EQ(of(Operator::Multiply, Type::Complex128, {z, z}), Pair(-7, -24));
  EXPECT_EQ(of(Operator::Divide, Type::Complex128, {{Type::Complex128, -7, 0, -24}, z}), Pair(3, -4));
  EXPECT_EQ(of(Operator::Equal, Type::Complex128, {z, z}), Pair(1, 0));
  EXPECT_EQ(evaluate_exactly(Operator::ImaginaryPart, Type::Int32, {{Type::Int32, 0, 7}}).integer, 0);
  EXPECT_EQ(of(Operator::SquareRoot, Type::Complex128, {{Type::Float64, -4, 0}}), Pair(0, 2));
}

TEST(Types, common_types_are_those_of_c) {
  each_type([](auto one) {
    EXPECT_EQ(promoted(type_of<decltype(one)>()), type_of<decltype(+one)>());
    each_type([&](auto other) {
      using Both = decltype(one + other);
      EXPECT_EQ(common(type_of<decltype(one)>(), type_of<decltype(other)>()), type_of<Both>());
    });
  });
}

TEST(Types, conversions_are_those_of_c) {
  std::mt19937_64 random(1);
  each_type([&](auto from) {
    each_type([&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      for (int k = 0; k < 50; ++k) {
        const From number = any<From>(random);
        const Scalar made = converted(scalar_of(number), type_of<To>());
        if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>)
          if (!holds(type_of<To>(), std::trunc(static_cast<double>(number)))) continue; // C doesn't say
        const Scalar wanted = scalar_of(static_cast<To>(number));
        EXPECT_TRUE(made.integer == wanted.integer && made.real == wanted.real) << +number;
      }
    });
  });
  EXPECT_EQ(Scalar::of(1e30, Type::Int16).integer, 32767);
  EXPECT_EQ(Scalar::of(-1e30, Type::UInt16).integer, 0);
  EXPECT_EQ(Scalar::of(std::nan(""), Type::Int64).integer, 0);
  EXPECT_EQ(Scalar::of(0.5, Type::Bool).integer, 1);
}

TEST(Types, single_precision_rounds_each_step) {
  const auto of = [](double number) { return Scalar::of(number, Type::Float32); };
  EXPECT_EQ(of(0.1).real, 0.1F);
  EXPECT_EQ(Scalar::written(16777217, Type::Float32).real, 16777216);
  EXPECT_EQ(converted({Type::Complex128, 0.1, 0, 0.2}, Type::Complex64).imaginary, 0.2F);
  EXPECT_EQ(
      converted(Scalar{Type::Int64, 0, (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1}, Type::Float32)
          .real,
      0x1.000002p60); // rounded once, not to double first
  EXPECT_EQ(evaluate_exactly(Operator::Add, Type::Float32, {of(16777216), of(1), of(1)}).real, 16777216);
  EXPECT_EQ(evaluate_exactly(Operator::Multiply, Type::Float32, {of(0.1), Scalar{Type::Float64, 0.1}}).real,
            0.1F * 0.1F);
  const Scalar z = converted({Type::Complex128, 0.1, 0, 0.2}, Type::Complex64);
  EXPECT_EQ(evaluate_exactly(Operator::Add, Type::Complex64, {z, z, z}).imaginary, 0.2F + 0.2F + 0.2F);
}

TEST(Types, integers_wrap_around) {
  std::mt19937_64 random(2);
  each_type([&](auto own) {
    using T = decltype(own);
    if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
      const Type type = type_of<T>();
      using Plain = std::make_unsigned_t<T>;
      for (int k = 0; k < 200; ++k) {
        const T a = any<T>(random), b = any<T>(random);
        const auto made = [&](Operator op) {
          return evaluate_exactly(op, type, {scalar_of(a), scalar_of(b)}).integer;
        };
        const auto plain = [](auto number) { return static_cast<std::int64_t>(static_cast<T>(number)); };
        EXPECT_EQ(made(Operator::Add), plain(static_cast<Plain>(a) + static_cast<Plain>(b)));
        EXPECT_EQ(made(Operator::Multiply), plain(static_cast<Plain>(a) * static_cast<Plain>(b)));
        EXPECT_EQ(made(Operator::Negate), plain(Plain{0} - static_cast<Plain>(a)));
        EXPECT_EQ(made(Operator::Minimum), plain(std::min(a, b)));
        EXPECT_EQ(made(Operator::Maximum), plain(std::max(a, b)));
        EXPECT_EQ(made(Operator::Less), a < b);
        EXPECT_EQ(made(Operator::AtMost), a <= b);
        if (b == 0)
          EXPECT_EQ(made(Operator::Divide), 0);
        else if (b == static_cast<T>(-1))
          EXPECT_EQ(made(Operator::Divide),
                    std::is_signed_v<T> ? plain(Plain{0} - static_cast<Plain>(a)) : a / b);
        else
          EXPECT_EQ(made(Operator::Divide), plain(a / b));
      }
    }
  });
}

TEST(Types, a_value_is_computed_in_one) {
  struct Leaf {
    Type type;
  };
  using Value = Tree<Leaf>;
  const auto type_of = [](const Value &value) {
    return computed_in(value,
                       [](const Value &leaf) { return std::optional(std::get<Leaf>(leaf.kind).type); });
  };
  const auto product = [](Value a, Value b) {
    return apply(Operator::Multiply, std::vector{std::move(a), std::move(b)});
  };
  const Value small{Leaf{Type::Int8}}, wide{Leaf{Type::Int64}}, single{Leaf{Type::Float32}};
  EXPECT_EQ(type_of(small), Type::Int8);
  EXPECT_EQ(type_of(product(small, small)), Type::Int32);
  EXPECT_EQ(type_of(product(small, wide)), Type::Int64);
  EXPECT_EQ(type_of(product({Number{2}}, small)), Type::Int32);
  EXPECT_EQ(type_of(product({Number{0.5}}, wide)), Type::Float64);
  EXPECT_EQ(type_of(product({Number{0.5}}, single)), Type::Float32);
  EXPECT_EQ(type_of(apply(Operator::SquareRoot, std::vector{small})), Type::Float64);
  EXPECT_EQ(type_of(apply(conversion_to(Type::Int64), std::vector{small})), Type::Int64);
  EXPECT_EQ(type_of({Number{0.5}}), std::nullopt);
}

} // namespace unravel::value
