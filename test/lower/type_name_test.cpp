#include "lower/parameter.h"

#include <gtest/gtest.h>

using namespace unravel;
using loop::ElementType;

namespace {

std::string name_of(const std::string &layout, std::size_t order, std::vector<std::int64_t> parameters = {},
                    ElementType index = ElementType::Int32, ElementType value = ElementType::Float64) {
  parse::LayoutReference reference;
  reference.name = layout;
  reference.parameters = std::move(parameters);
  return lower::type_name(layout::load_layout(reference, order).layout, index, value);
}

} // namespace

TEST(TypeName, says_the_order_where_a_layout_serves_several) {
  EXPECT_EQ(name_of("dense", 0), "dense_scalar");
  EXPECT_EQ(name_of("dense", 1), "dense_vector");
  EXPECT_EQ(name_of("dense", 2), "dense_matrix");
  EXPECT_EQ(name_of("dense", 3), "dense_tensor3");
  EXPECT_EQ(name_of("dense", 2, {1, 0}), "dense_matrix_1_0");
  EXPECT_EQ(name_of("csr", 2), "csr");
  EXPECT_EQ(name_of("sv", 1), "sv");
}

TEST(TypeName, says_element_types_that_are_not_the_usual_ones) {
  EXPECT_EQ(name_of("csr", 2, {}, ElementType::Int64), "csr_int64");
  EXPECT_EQ(name_of("csr", 2, {}, ElementType::Int32, ElementType::Float32), "csr_f32");
  EXPECT_EQ(name_of("csr", 2, {}, ElementType::Int64, ElementType::Float32), "csr_int64_f32");
  EXPECT_EQ(name_of("dense", 1, {}, ElementType::Int64), "dense_vector");
  EXPECT_EQ(name_of("dense", 1, {}, ElementType::Int64, ElementType::Float32), "dense_vector_f32");
}

TEST(TypeName, knows_types_that_the_layout_fixes_and_parameters) {
  layout::Layout layout;
  layout.name = "bcsr<4, -2>";
  layout.base_name = "bcsr";
  layout.parameters = {4, -2};
  layout.coordinates = {"i", "j"};
  layout.arrays = {{"ptr", false, {}, "int64", {}}, {"val", true, {}, "", {}}};
  EXPECT_EQ(lower::type_name(layout, ElementType::Int64, ElementType::Float64), "bcsr_4_m2");
  EXPECT_EQ(lower::type_name(layout, ElementType::Int32, ElementType::Float32), "bcsr_4_m2_f32");
}
