// Products that other compilers of sparse tensor algebra reject, or that need more of them than they say:
// each gives the right answer here, by the interpreter and as C.
#include "run/compiled.h"
#include "run/interpreted.h"

#include <gtest/gtest.h>

namespace unravel::run::test {

namespace {

struct Product {
  const char *why;
  Problem problem;
  bool parallel = false; // is that what is asked for?
};

std::vector<Product> products() {
  std::vector<Product> all;
  auto add = [&](const char *why, const char *expression, const std::map<std::string, std::string> &formats,
                 bool parallel = false) { all.push_back({why, {expression, formats, {}, {}}, parallel}); };
  const char *orders = "operands stored in different orders of the modes";
  add(orders, "C(i,j) = A(i,j) * B(i,j)", {{"A", "csr"}, {"B", "csc"}});
  add(orders, "C(i,j) = A(i,j) * B(i,j)", {{"A", "csr"}, {"B", "csc"}, {"C", "like:A"}}, true);
  add(orders, "C(i,k) = A(i,j) * B(j,k)", {{"A", "csc"}, {"B", "csr"}});
  const char *transpose = "the transpose of compressed rows";
  add(transpose, "C(i,j) = A(j,i)", {{"A", "csr"}});
  add(transpose, "C(i,j) = A(j,i)", {{"A", "csr"}, {"C", "like:A"}}, true);
  add(transpose, "C(i,j) = A(i,j) * A(j,i)", {{"A", "csr"}, {"C", "like:A"}}, true);
  const char *diagonal = "a diagonal: one index twice in an access";
  add(diagonal, "y(i) = A(i,i)", {{"A", "csr"}});
  add(diagonal, "a = A(i,i)", {{"A", "csr"}});
  add("a shifted subscript", "y(i) = A(i,i+1) * x(i)", {{"A", "csr"}});
  const char *blocks = "blocks of a matrix";
  add(blocks, "y(i) = A(i,j) * x(j)", {{"A", "bcsr<2,2>"}}, true);
  add(blocks, "y(i) = A(i,j) * x(j)", {{"A", "dia"}});
  add(blocks, "C(i,k) = A(i,j,k,l) * B(i,k)", {{"A", "dsdd"}, {"B", "ds"}});
  add(blocks, "y(i,k) = A(i,j,k,l) * x(j,l)", {{"A", "dsdd"}}, true);
  add("a product of three matrices", "D(i,l) = A(i,j) * B(j,k) * C(k,l)",
      {{"A", "ds"}, {"B", "ds"}, {"C", "ds"}}, true);
  add("a result that is scattered to", "y(j) = A(i,j) * x(i)", {{"A", "ds"}, {"x", "s"}});
  add("a result scattered to by fibres", "A(k,r) = B(i,k,l) * C(i,r) * D(l,r)", {{"B", "sss"}});
  const char *sparse = "a sparse result in parallel";
  add(sparse, "D(i,j) = S(i,j) * A(i,k) * B(k,j)", {{"S", "ds"}, {"D", "like:S"}}, true);
  add(sparse, "D(i,j) = S(i,j) * A(i,k) * B(k,j)", {{"S", "ss"}, {"D", "like:S"}}, true);
  for (const char *fibres : {"sss", "dss"}) {
    add(sparse, "D(i,j) = A(i,j,k) * v(k)", {{"A", fibres}, {"D", "like:A"}}, true);
    add(sparse, "D(i,j,r) = A(i,j,k) * U(k,r)", {{"A", fibres}, {"D", "like:A"}}, true);
    add(sparse, "D(i,k,r) = A(i,j,k) * U(k,r)", {{"A", fibres}, {"D", "like:A"}}, true);
  }
  add("a sum to a scalar in parallel", "s = A(i,j) * B(j,k) * C(i,k)",
      {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, true);
  add("a triangle of a matrix", "y(i) = A(i,j) * x(j)", {{"A", "csr_lower"}}, true);
  const char *order = "entries in falling order, in any order, several times";
  add(order, "y(i) = A(i,j) * x(j)", {{"A", "@csr_down"}, {"x", "@sv_down"}}, true);
  add(order, "y(i) = A(i,j) * x(j)", {{"A", "@csr_any"}, {"x", "@sv_any"}}, true);
  add(order, "D(i,j) = A(i,j) * x(j)", {{"A", "coo_dup"}, {"x", "@sv_any"}, {"D", "like:A"}});
  add(order, "D(i,j) = A(i,j) * x(j)", {{"A", "coo_dup"}, {"D", "like:A"}}, true);
  all.push_back({"indices of 64 bits", {"y(i) = A(i,j) * x(j)", {{"A", "csr"}, {"x", "sv"}}, {}, {}}});
  all.back().problem.index = loop::ElementType::Int64;
  return all;
}

bool runs_in_parallel(const pipeline::Compilation &compilation) {
  return std::any_of(compilation.leaves.begin(), compilation.leaves.end(),
                     [](const pipeline::Leaf &leaf) { return leaf.plan.parallel.has_value(); });
}

} // namespace

TEST(Products, are_right) {
  std::mt19937_64 random(9);
  std::size_t runs = 0;
  for (const Product &product : products()) {
    SCOPED_TRACE(std::string(product.why) + ": " + product.problem.text());
    Interpreted kernel(product.problem);
    EXPECT_TRUE(!product.parallel || runs_in_parallel(kernel.compilation()));
    for (const Sizes &sizes : small_sizes(kernel.compilation().computation))
      for (const SmallCase &input : kernel.inputs(sizes, take_all() ? 60 : 10, random)) {
        if (!kernel.check(input)) return;
        ++runs;
      }
    Compiled compiled(product.problem);
    for (int round = 0; round < 4; ++round)
      if (std::optional<SmallCase> input = kernel.draw(random))
        if (!compiled.check(packed(*input, kernel.compilation(), product.problem), 1 + round % 2)) return;
  }
  std::cout << products().size() << " products, " << runs << " runs\n";
}

} // namespace unravel::run::test
