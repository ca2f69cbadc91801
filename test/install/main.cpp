#include <iostream>
#include <unravel/unravel.h>

int main() {
  std::vector<int> rowptr = {0, 1, 2}, col = {0, 1};
  std::vector<double> val = {2, 3}, b = {10, 20};
  using unravel::Tensor;
  const Tensor A = Tensor::over("csr", {2, 2}, {{"rowptr", rowptr}, {"col", col}, {"val", val}});
  const Tensor x = Tensor::over("dense", {2}, {{"val", b}});
  const Tensor y = unravel::evaluate("y(i) = A(i,j) * x(j)", {{"A", A}, {"x", x}});
  std::cout << "y(1) = " << y.elements<double>("val")[1] << "\n"
            << unravel::make_c("y(i) = A(i,j) * x(j)", {{"A", A}}).header;
}
