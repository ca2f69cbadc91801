// Complex values in layouts: what is packed is what is meant.
#include "convert/convert.h"
#include "convert/storable.h"
#include "packing/pack_layouts.h"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <map>

namespace unravel::convert {
namespace {

using Number = std::complex<double>;
using Elements = std::map<std::vector<std::int64_t>, Number>;

/// By coordinate; zeros left out.
Elements elements_of(const data::Coordinates &tensor) {
  Elements all;
  for (std::size_t e = 0; e < tensor.size(); ++e)
    all[tensor.coordinate(e)] += Number(tensor.value[e], tensor.imaginary_of(e));
  std::erase_if(all, [](const auto &each) { return each.second == Number(0); });
  return all;
}

PackOptions of(tensor::ValueType type) {
  PackOptions options;
  options.value = type;
  return options;
}

/// Parts that are zero, and layouts that mean elements by others, or say what their values are.
TEST(PackComplex, round_trips) {
  data::Random random(3);
  for (const layout::Layout &layout : packing::layouts_of(2)) {
    const packing::PackPlan plan = packing::plan_packing(layout);
    for (const std::vector<std::int64_t> &shape : {std::vector<std::int64_t>{6, 6}, {5, 9}}) {
      data::Coordinates entries = tensor::canonical(tensor::random_entries(random, shape, 30));
      if (!fits(layout, shape)) continue;
      entries = storable(layout, plan, std::move(entries));
      for (const double value : entries.value) // opposite ones of opposite values, and none of 0 and 1
        entries.imaginary.push_back(value * (std::fabs(value) - 1));
      for (const auto type : {tensor::ValueType::Complex64, tensor::ValueType::Complex128}) {
        if (!has_complex_values(layout, type)) continue; // it stores none, or states another type
        const tensor::Tensor packed = pack(layout, plan, entries, of(type));
        EXPECT_EQ(elements_of(unpack(packed)), elements_of(entries)) << layout.name;
        if (shape[0] == shape[1] && type == tensor::ValueType::Complex64)
          continue; // plans of conversions take time
        const tensor::Tensor other = convert(packed, tensor::shipped("csc", 2), {of(type), true}).tensor;
        EXPECT_EQ(elements_of(unpack(other)), elements_of(entries)) << layout.name;
      }
    }
  }
}

/// One value stands for two elements.
TEST(PackComplex, symmetric_and_skew) {
  data::Coordinates entries({3, 3});
  entries.append({1, 0}, 2, 5), entries.append({0, 1}, 2, 5), entries.append({2, 2}, 0, 1);
  const layout::Layout symmetric = tensor::shipped("symmetric_csr", 2);
  EXPECT_EQ(elements_of(unpack(pack(symmetric, entries, of(tensor::ValueType::Complex128)))),
            elements_of(entries));
  data::Coordinates skew({3, 3});
  skew.append({1, 0}, 2, 5), skew.append({0, 1}, -2, -5);
  EXPECT_EQ(
      elements_of(unpack(pack(tensor::shipped("skew_csr", 2), skew, of(tensor::ValueType::Complex128)))),
      elements_of(skew));
  data::Coordinates hermitian({3, 3}); // isn't symmetric
  hermitian.append({1, 0}, 2, 5), hermitian.append({0, 1}, 2, -5);
  EXPECT_THROW(pack(symmetric, hermitian, of(tensor::ValueType::Complex128)), report::Error);
}

/// Of each layout's own entries, the two parts of all values.
std::vector<Number> numbers_of(const data::Coordinates &tensor) {
  std::vector<Number> all;
  for (std::size_t e = 0; e < tensor.size(); ++e)
    all.emplace_back(tensor.value[e], tensor.imaginary_of(e));
  return all;
}

/// Roots and logarithms tell -4 - 0i from -4 + 0i.
TEST(PackComplex, zeros_keep_their_signs) {
  data::Coordinates entries({2, 3});
  entries.append({0, 0}, -4, -0.0), entries.append({0, 2}, -4, 0.0), entries.append({1, 1}, -0.0, 5);
  const auto signs = [](const data::Coordinates &tensor) {
    std::map<std::vector<std::int64_t>, std::pair<bool, bool>> all;
    for (std::size_t e = 0; e < tensor.size(); ++e)
      if (!tensor.is_zero(e))
        all[tensor.coordinate(e)] = {std::signbit(tensor.value[e]), std::signbit(tensor.imaginary_of(e))};
    return all;
  };
  for (const double fill : {0.0, 3.0})
    for (const char *name : {"dense", "csr", "csc", "coo", "ell", "bcsr", "coo_dup"}) {
      const auto parameters =
          std::string(name) == "bcsr" ? std::vector<std::int64_t>{2, 2} : std::vector<std::int64_t>{};
      const layout::Layout layout = tensor::shipped(name, 2, parameters);
      for (const auto type : {tensor::ValueType::Complex64, tensor::ValueType::Complex128}) {
        PackOptions options = of(type);
        options.fill = fill;
        data::Coordinates stored = unpack(pack(layout, entries, options));
        for (std::size_t e = 0; e < stored.size(); ++e) // what isn't an entry
          if (stored.value[e] == fill && stored.imaginary[e] == 0) stored.value[e] = 0;
        EXPECT_EQ(signs(stored), signs(entries)) << name << " " << fill;
      }
      data::Coordinates real = entries;
      real.imaginary.clear(), real.value[1] = -0.0;
      PackOptions options;
      options.fill = fill;
      const std::vector<double> stored = data::to_dense(unpack(pack(layout, real, options)), fill);
      EXPECT_EQ(stored, (std::vector<double>{-4, fill, 0, fill, 0, fill})) << name;
      EXPECT_TRUE(std::signbit(stored[2]) && std::signbit(stored[4])) << name << " " << fill;
      EXPECT_FALSE(std::signbit(stored[1])) << name;
    }
}

/// They are added up part by part where a coordinate has one place, and kept where it may have several.
TEST(PackComplex, duplicates) {
  data::Coordinates entries({2, 2});
  entries.append({1, 1}, 1, -2), entries.append({0, 0}, 4, 0), entries.append({1, 1}, 3, 0.5);
  const auto packed = [&](const char *name) {
    return numbers_of(unpack(pack(tensor::shipped(name, 2), entries, of(tensor::ValueType::Complex128))));
  };
  EXPECT_EQ(packed("csr"), (std::vector<Number>{4, {4, -1.5}}));
  EXPECT_EQ(packed("dense"), (std::vector<Number>{4, 0, 0, {4, -1.5}}));
  EXPECT_EQ(packed("coo_dup"), (std::vector<Number>{{1, -2}, 4, {3, 0.5}}));
}

/// Equal neighbours are one run: equal in both parts.
TEST(PackComplex, runs_of_equal_values) {
  const layout::Layout layout = tensor::shipped("run_length", 2);
  data::Coordinates entries({1, 6});
  for (const double part : {1.0, 1.0, 2.0, 2.0, -0.0, 0.0})
    entries.append({0, static_cast<std::int64_t>(entries.size())}, 7, part);
  const tensor::Tensor packed = pack(layout, entries, of(tensor::ValueType::Complex128));
  EXPECT_EQ(numbers_of(unpack(packed)), numbers_of(entries));
  EXPECT_EQ(packed.array("val").size(), 4u);
}

TEST(PackComplex, fills_and_real_layouts) {
  PackOptions options = of(tensor::ValueType::Complex128);
  options.fill = 7;
  data::Coordinates entries({2, 4});
  entries.append({0, 0}, 1, 2), entries.append({1, 3}, 0, 0);
  const data::Coordinates stored = unpack(pack(tensor::shipped("bcsr", 2, {2, 2}), entries, options));
  EXPECT_EQ(data::to_dense(stored), (std::vector<double>{1, 7, 7, 7, 7, 7, 7, 0}));
  EXPECT_EQ(data::to_dense(data::imaginary_part(stored)), (std::vector<double>{2, 0, 0, 0, 0, 0, 0, 0}));
  try {
    pack(tensor::shipped("csr", 2), entries, of(tensor::ValueType::Float64));
    FAIL() << "a complex value has become a real one";
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::value_width);
    EXPECT_NE(error.diagnostic().hint.find("complex128"), std::string::npos);
  }
}

} // namespace
} // namespace unravel::convert
