#include <iostream>
#include <unravel/unravel.h>

int main() {
  unravel::Options options;
  options.formats = {{"A", "csr"}};
  unravel::make_kernel("y(i) = A(i,j) * x(j)", options);
  std::cout << unravel::make_c("y(i) = A(i,j) * x(j)", options).header;
}
