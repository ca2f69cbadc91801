// `reuse`: structure and values of a result, by calls and by structs.
#include "unravel/unravel.h"

#include <array>
#include <gtest/gtest.h>

namespace {

using unravel::Tensor;

/// Tensors of different shapes and layouts: whoever took one for another would tell. The values by hand.
TEST(Reuse, OperandsOfBothFunctionsComeInTheOrderOfTheLine) {
  const unravel::Coordinates a = {{2, 3}, {{0, 0, 1}, {0, 1, 2}}, {1, 2, 3}},
                             b = {{3, 4}, {{0, 1, 2, 2}, {1, 0, 3, 1}}, {1, 4, 5, 6}},
                             m = {{2, 4}, {{0, 0, 1}, {0, 3, 3}}, {1, 1, 1}};
  for (const auto &[of_a, of_b, of_m] : {std::array{"csr", "csr", "csr"}, std::array{"dia", "csr", "csr"},
                                         std::array{"ell", "csr", "coo"}, std::array{"csc", "coo", "dcsr"}}) {
    unravel::Options options;
    options.machine = "portable";
    options.formats = {{"A", of_a}, {"B", of_b}, {"M", of_m}, {"C", "csr"}};
    options.schedules = {"reuse"};
    const unravel::Kernel kernel =
        unravel::make_kernel("C(i,j) = A(i,k) * B(k,j) mask M(i,j)", options);
    EXPECT_EQ(kernel.arguments(), (std::vector<std::string>{"C", "A", "B", "M"}));
    const Tensor A = Tensor::pack(of_a, a), B = Tensor::pack(of_b, b), M = Tensor::pack(of_m, m);
    const Tensor C = kernel(A, B, M);
    EXPECT_EQ(C.to_dense(), (std::vector<double>{8, 0, 0, 0, 0, 0, 0, 15})) << of_a << of_b << of_m;
    kernel.values({{"C", C}, {"A", A}, {"B", B}, {"M", M}});
    EXPECT_EQ(C.to_dense(), (std::vector<double>{8, 0, 0, 0, 0, 0, 0, 15})) << of_a << of_b << of_m;
  }
}

} // namespace
