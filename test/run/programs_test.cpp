// Programs of several statements, in all layouts that fit: on all small inputs by the interpreter, as C with
// the sanitizers' builds and on random data.
#include "run/sweep.h"

#include <gtest/gtest.h>
#include <iostream>

namespace unravel::run::test {

namespace {

struct Program {
  const char *text;
  std::vector<std::string> matrices; // tensors that any layout of matrices may have
  bool square = false;
};

const std::vector<Program> &programs() {
  static const std::vector<Program> all = {
      // set, then add: the same as an assignment
      {"for i { y(i) = 0; for j { y(i) += A(i,j)*x(j); } }", {"A"}},
      {"for i { y(i) = 0; } for j { for i { y(i) += A(i,j)*x(j); } }", {"A"}},
      // a scalar that sums up
      {"for i { let s = 0; for j { s += A(i,j)*x(j); } y(i) = s; }", {"A"}},
      {"for i { let s = 0; for j { s += A(i,j)*B(i,j); } y(i) = 2*s - y(i); }", {"A", "B"}},
      // alpha, beta
      {"for i { y(i) *= beta; for j { y(i) += alpha*A(i,j)*x(j); } }", {"A"}},
      {"for i { y(i) = b(i) - z(i); for j { y(i) -= A(i,j)*x(j); } }", {"A"}},
      // residual in one statement: taken apart
      {"for i { for j { y(i) += b(i)*x(j) - A(i,j)*x(j); } }", {"A"}},
      {"for i { for j { C(i,j) = A(i,j) + 2*B(j,i); } }", {"A", "B"}},
      {"for i { for j { C(i,j) = 3*A(i,j); } }", {"A"}},
      // each piece with each: names in front of shared loops, and others inside
      {"for i { for j { let t = A(j,i)*A(i,j); y(j) += t; } }", {"A"}, true},
      // with other statements in between: set to zero, then free loops
      {"for i { y(i) = 0; } for i { for j { y(i) += A(i,j)*x(j); } } for i { z(i) = 2*y(i); }", {"A"}},
      {"for i { for j { y(i) += A(i,j)*x(j); } } for j { for i { z(j) += A(i,j)*y(i); } }", {"A"}},
      // triangles and bands of a matrix
      {"tensor A(n,n), x(n), y(n); for i in [0,n) { y(i) = 0; for j in [0,i+1) { y(i) += A(i,j)*x(j); } }",
       {"A"},
       true},
      {"tensor A(n,n), x(n), y(n); for i in [0,n) { for j in [0,n) { if i - 1 <= j <= i + 1 "
       "{ y(i) += A(i,j)*x(j); } } }",
       {"A"},
       true},
      // triangular solves by rows, by columns, of the upper half
      {"tensor L(n,n), b(n), x(n); for i in [0,n) { let s = b(i); for j in [0,i) { s -= L(i,j)*x(j); } "
       "x(i) = s / L(i,i); }",
       {"L"},
       true},
      {"tensor L(n,n), b(n), x(n); for i in [0,n) { x(i) = b(i); for j in [0,i) { x(i) -= L(i,j)*x(j); } "
       "x(i) /= L(i,i); }",
       {"L"},
       true},
      {"tensor L(n,n), x(n); for j in [0,n) { x(j) /= L(j,j); for i in [j+1,n) { x(i) -= L(i,j)*x(j); } }",
       {"L"},
       true},
      {"tensor U(n,n), b(n), x(n); for k in [0,n) { let s = b(n-1-k); for j in [n-k,n) "
       "{ s -= U(n-1-k,j)*x(j); } x(n-1-k) = s / U(n-1-k,n-1-k); }",
       {"U"},
       true},
      // unit diagonal: nothing is divided
      {"tensor L(n,n), b(n), x(n); for i in [0,n) { x(i) = b(i); for j in [0,i) { x(i) -= L(i,j)*x(j); } }",
       {"L"},
       true},
      // scaling by a diagonal, a sweep of Gauss and Seidel, of Jacobi
      {"tensor A(n,n), x(n), y(n); for i in [0,n) { y(i) = x(i) / A(i,i); }", {"A"}, true},
      {"tensor A(n,n), b(n), x(n); for i in [0,n) { let s = b(i); for j in [0,n) { if j != i "
       "{ s -= A(i,j)*x(j); } } x(i) = s / A(i,i); }",
       {"A"},
       true},
      // a dense tensor read backwards is as dense as one read forwards
      {"tensor x(n), y(n); for i in [0,n) { y(i) = y(i)*x(n-1-i) + 2; }", {}},
      // shifts, and a recurrence without any sparse tensor
      {"tensor x(n), y(n); for i in [1,n) { y(i) = y(i-1)*x(i); }", {}},
      {"tensor x(n+1), y(n); for i in [0,n) { y(i) = x(i+1) - x(i); }", {}},
      // an order that the layout may not choose: elements are read after others have added to them
      {"tensor A(n,m), y(n+m); for i in [0,n) { for j in [0,m) { y(i+j+1) += A(i,j)*y(i+j); } }", {"A"}},
      // two sweeps over the same matrix, products of matrices with a scalar for each element
      {"for i { for j { y(i) += A(i,j)*x(j); } } for i { y(i) = y(i)*y(i); }", {"A"}},
      {"for i { for j { let s = 0; for k { s += A(i,k)*B(k,j); } C(i,j) = s + C(i,j); } }", {"A", "B"}},
      {"for i { for j { C(i,j) = 0; } for k { for j { C(i,j) += A(i,k)*B(k,j); } } }", {"A", "B"}},
      // several results: read by later statements, added to by several, one of them a matrix
      {"for i { y(i) = 3*b(i); for j { y(i) -= A(i,j)*x(j); } z(i) = y(i)*y(i); }", {"A"}},
      {"for i { for j { y(i) += A(i,j)*x(j); z(j) += A(i,j)*w(i); } }", {"A"}},
      {"for i { let s = 0; for j { s += A(i,j)*x(j); z(i) = 2; } y(i) = z(i)*s; } for i { z(i) += y(i); }",
       {"A"}},
      {"tensor A(n,n), d(n), C(n,n); for i in [0,n) { d(i) = 1; for j in [0,n) { C(i,j) = A(i,j); d(i) += "
       "C(i,j); } }",
       {"A"},
       true},
      {"tensor a(n), b(n); for i in [1,n) { a(i) = b(i-1) + a(i); b(i) = 2*a(i) - b(i); }", {}},
      // tensors that iterations have for themselves: a row of a product, a sum of two, a result in between
      {"for i { let w(j) = 0; for k { for j { w(j) += A(i,k)*B(k,j); } } for j { C(i,j) = 2*w(j); } }",
       {"A", "B"}},
      {"for i { let w(j) = x(j) - A(i,j)*x(j); for j { w(j) += B(i,j); y(i) += w(j)*w(j); } }", {"A", "B"}},
      {"let t(k) = 0; for k { for j { t(k) += A(k,j)*x(j); } } for i { for k { y(i) += A(k,i)*t(k); } }",
       {"A"}},
      {"for i { let w(k) = z(k); for j { let v(k) = w(k); for k { v(k) += A(i,j)*B(j,k); } for k "
       "{ w(k) += 2*v(k); } } for k { C(i,k) = w(k); } }",
       {"A", "B"}},
      {"for i { let w(j,k) = 0; for j { for k { w(j,k) += A(i,j)*B(i,k); } } for j { for k { y(k) += "
       "w(j,k)*x(j); } } }",
       {"A", "B"}},
      // sizes that no tensor has: a band, a diagonal on one side and on both, some rows, some columns
      {"tensor A(n,n), x(n), y(n); size k; for i in [0,n) { for j in [i-k,i+k+1) { if 0 <= j < n "
       "{ y(i) += A(i,j)*x(j); } } }",
       {"A"},
       true},
      {"tensor A(n,n), x(n), y(n); size k; for j in [0,n-k) { y(j) += A(j,j+k)*x(j+k); }", {"A"}, true},
      {"tensor A(n,n), x(n), y(n); size k; for i in [0,n) { if 0 <= i + k < n { y(i) += A(i,i+k)*x(i+k); } }",
       {"A"},
       true},
      {"tensor A(n,m), x(m), y(n); size lo, hi; for i in [lo,hi) { y(i) = 0; for j in [0,m) "
       "{ y(i) += A(i,j)*x(j); } }",
       {"A"}},
      {"tensor A(n,m), x(m), y(n); size k >= 0; for i in [0,n) { for j in [0,m) { if j >= k "
       "{ y(i) += A(i,j)*x(j-k); } } }",
       {"A"}},
      // a band as it is stored, a solve with one, a result that is shorter by a size
      {"tensor B(n,2*k+1), x(n), y(n); for i in [0,n) { for d in [0,2*k+1) { if 0 <= i + d - k < n "
       "{ y(i) += B(i,d)*x(i+d-k); } } }",
       {"B"}},
      {"tensor L(n,n), b(n), x(n); size k; for i in [0,n) { let s = b(i); for j in [i-k,i) { if j >= 0 "
       "{ s -= L(i,j)*x(j); } } x(i) = s / L(i,i); }",
       {"L"},
       true},
      {"tensor x(n), y(n-k); for i in [0,n-k) { y(i) = x(i+k) - x(i); }", {}},
  };
  return all;
}

std::vector<std::string> layouts_for(const Program &program) {
  std::vector<std::string> layouts = shipped_matrices();
  auto add = [&](const std::vector<std::string> &more) {
    layouts.insert(layouts.end(), more.begin(), more.end());
  };
  add(literature_matrices());
  add(odd_matrices());
  if (program.square) add(literature_squares());
  return layouts;
}

/// Each program in a seeded third of the layouts, or in all; two matrices in a seeded sample of the pairs.
std::vector<Problem> problems(std::size_t pairs, std::uint64_t seed) {
  std::vector<Problem> all;
  std::mt19937_64 random(seed);
  for (const Program &program : programs()) {
    std::vector<std::string> layouts = layouts_for(program);
    if (program.matrices.empty()) all.push_back({program.text, {}, {}, {}});
    if (program.matrices.size() == 1)
      for (const std::string &layout : layouts)
        if (take_all() || random() % 3 == 0)
          all.push_back({program.text, {{program.matrices[0], layout}}, {}, {}});
    for (std::size_t k = 0; k < pairs && program.matrices.size() == 2; ++k)
      all.push_back({program.text,
                     {{program.matrices[0], layouts[random() % layouts.size()]},
                      {program.matrices[1], layouts[random() % layouts.size()]}},
                     {},
                     {}});
  }
  return all;
}

} // namespace

TEST(Programs, every_layout_on_small_inputs) {
  std::mt19937_64 random(11);
  std::map<std::string, int> refused;
  std::size_t runs = 0, kernels = 0;
  for (const Problem &problem : problems(take_all() ? 200 : 8, 5)) {
    std::optional<Interpreted> kernel;
    try {
      kernel.emplace(problem);
    } catch (const report::Error &error) {
      EXPECT_TRUE(is_limit(error)) << problem.text() << "\n" << error.what();
      ++refused[error.diagnostic().message + " " + problem.text()];
      continue;
    }
    ++kernels;
    if (!check_on_small_inputs(*kernel, 6, false, random, runs)) return;
  }
  for (const auto &[reason, count] : refused)
    std::cout << count << " x " << reason << "\n";
  std::cout << kernels << " kernels, " << runs << " runs\n";
}

/// A statement's own loops are tiled; what it computes with others stays.
TEST(Programs, own_loops_transformed) {
  struct Tiled {
    const char *text, *matrix, *schedule;
  };
  const std::vector<Tiled> tiled = {
      {"tensor L(n,n), b(n), x(n); for i in [0,n) { let s = b(i); for j in [0,i) { s -= L(i,j)*x(j); } "
       "x(i) = s / L(i,i); }",
       "L", "tile j by 2"},
      {"tensor L(n,n), b(n), x(n); for i in [0,n) { x(i) = b(i); for j in [0,i) { x(i) -= L(i,j)*x(j); } }",
       "L", "split j by 2; wavefront i"},
      {"tensor A(n,n), b(n), x(n); for i in [0,n) { let s = b(i); for j in [0,n) { if j != i "
       "{ s -= A(i,j)*x(j); } } x(i) = s / A(i,i); }",
       "A", "tile j by 2; tile j.tile by 2"},
      {"for i { for j { y(i) += A(i,j)*x(j); } } for i { y(i) = y(i)*y(i); }", "A",
       "tile i by 2; tile j by 2"},
      {"for i { y(i) *= beta; for j { y(i) += alpha*A(i,j)*x(j); } }", "A",
       "skew j by 2*i; tile j.skew by 3"},
      {"tensor A(n,m), y(n+m); for i in [0,n) { for j in [0,m) { y(i+j+1) += A(i,j)*y(i+j); } }", "A",
       "split j by 2"},
  };
  std::mt19937_64 random(41);
  std::size_t runs = 0, kernels = 0;
  for (const Tiled &one : tiled) {
    std::vector<std::string> layouts = layouts_for({one.text, {one.matrix}, true});
    std::shuffle(layouts.begin(), layouts.end(), random);
    if (!take_all()) layouts.resize(4);
    layouts.push_back("csr");
    layouts.push_back("packed_upper"); // which leaves nothing of what is below the diagonal
    for (const std::string &layout : layouts) {
      Problem problem{one.text, {{one.matrix, layout}}, {one.schedule}, {}};
      std::optional<Interpreted> kernel;
      try {
        kernel.emplace(problem);
      } catch (const report::Error &error) {
        EXPECT_TRUE(is_limit(error) || error.diagnostic().kind == report::Kind::illegal_order)
            << problem.text() << "\n"
            << error.what();
        continue;
      }
      ++kernels;
      if (!check_on_small_inputs(*kernel, 4, true, random, runs)) return;
    }
  }
  std::cout << kernels << " kernels, " << runs << " runs\n";
  EXPECT_GT(kernels, 15u);
}

/// Nothing of L lies below the diagonal of packed_upper: there is no loop over j, and to name it is no
/// mistake.
TEST(Programs, loops_that_the_layout_leaves_nothing_of) {
  const char *solve = "tensor L(n,n), b(n), x(n); for i in [0,n) { x(i) = b(i); for j in [0,i) "
                      "{ x(i) -= L(i,j)*x(j); } x(i) /= L(i,i); }";
  std::mt19937_64 random(43);
  std::size_t runs = 0;
  for (const char *schedule :
       {"order j", "order i, j", "tile j by 2; order i, j.tile, j", "skew i by 2*j", "shift j by 1",
        "bound j in [0, 4)", "unroll j", "unroll j by 2", "jam j by 2", "vectorise j", "parallel j",
        "parallel j balanced", "fuse i, j", "split j by 2; unroll j.split"}) {
    Interpreted kernel(Problem{solve, {{"L", "packed_upper"}}, {schedule}, {}});
    if (!check_on_small_inputs(kernel, 4, true, random, runs)) return;
  }
  // Of three statements the last is left out, by a layout or by a bound.
  const char *three =
      "tensor L(n,n), x(n), y(n), z(n); for i in [0,n) { z(i) = 0; } for j in [0,n) { for i in "
      "[j,n) { y(i) += L(j,i)*x(j); } } for i in [0,n) { for k in [0,i) "
      "{ z(i) += L(i,k)*x(k); } }";
  for (const char *schedule : {"order k", "unroll k by 2", "parallel k", "order j, k, i"})
    if (!check_on_small_inputs(Interpreted(Problem{three, {{"L", "packed_upper"}}, {schedule}, {}}), 4, true,
                               random, runs))
      return;
  EXPECT_GT(runs, 500u);
}

/// A condition may leave one iteration of a loop that other statements share: it is known further out, and of
/// a parallel loop that one iteration may write what the others would race for.
TEST(Programs, conditions_that_leave_one_iteration) {
  std::mt19937_64 random(45);
  std::size_t runs = 0;
  const std::vector<Problem> problems = {
      {"tensor y(n), w(n); for i in [0,n) { for j in [0,n) { if j = 0 { y(j) *= 2; w(i) *= 3; } } }",
       {},
       {},
       {}},
      {"tensor y(n), w(n); for i in [0,n) { for j in [0,n) { if j = 2 { y(j) *= 2; w(i) *= 3; } y(i) += "
       "w(j); } }",
       {},
       {},
       {}},
      {"tensor y(n), w(n), L(n,n); for i in [0,n) { for j in [0,n) { if j = 1 { y(j) += L(i,j); w(i) *= 3; } "
       "y(i) += w(j)*L(i,j); } }",
       {{"L", "csr"}},
       {},
       {}},
      {"tensor y(n), w(n), T(n,n,n); for i in [0,n) { for j in [0,n) { for k in [0,n) { if k = 1 { y(j) += "
       "T(i,j,k); w(i) *= 3; } if j = 0 { w(k) += 1; } y(i) += w(j); } } }",
       {},
       {},
       {}},
      {"tensor y(n), w(n); for i in [0,n) { for j in [0,i) { if i = 1 { y(i) *= 2; } w(j) += 2; } }",
       {},
       {},
       {}},
      {"tensor y(n), x(n); for i in [0,n) { for j in [0,n) { if j <= 0 { y(j) *= 2; y(i) = y(i); } } }",
       {},
       {},
       {}},
      {"tensor z(n); for i in [0,n) { if i = 0 { z(i) += 2; } z(i) += 0.5; }", {}, {"shift i by 2"}, {}},
      // What the second statement finds once, in front of the loop over k, has names of its own.
      {"tensor A(n,n), x(n), z(n); for i in [0,n) { for k in [0,n) { x(k) *= z(i); if i = 1 { z(i) -= "
       "A(k,i); } } }",
       {{"A", "dcsc"}},
       {"shift i by 2"},
       {}}};
  for (const Problem &problem : problems)
    if (!check_on_small_inputs(Interpreted(problem), 12, true, random, runs)) return;
  EXPECT_GT(runs, 100u);
}

/// Where a divisor lies is found out at each instance: its position has no loop of its own.
TEST(Programs, divisors_are_looked_for_at_each_instance) {
  const char *divide =
      "tensor L(n,n), A(n,n), d(n); for i in [0,n) { for j in [0,n) { d(i) += A(i,j) / L(i,i); } }";
  auto compiled = [&](const char *schedule) {
    return Interpreted(Problem{divide, {{"L", "csr"}, {"A", "csr"}}, {schedule}, {}});
  };
  std::mt19937_64 random(44);
  std::size_t runs = 0;
  for (const char *schedule :
       {"order A.p, i", "order A.p, j, i", "tile A.p by 2", "tile i by 2; order i.tile, i, j"})
    if (!check_on_small_inputs(compiled(schedule), 10, false, random, runs)) return;
  auto refusal = [&](const char *schedule) -> std::string {
    try {
      compiled(schedule);
    } catch (const report::Error &error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string what =
      "`L.p` is a position of L, which is searched at each instance of its statement [not-supported]";
  for (const char *schedule : {"split L.p by 2", "tile L.p by 2", "shift L.p by 1", "skew j by L.p",
                               "order L.p, i", "order i, L.p, j", "order A.p, j, i, L.p"})
    EXPECT_NE(refusal(schedule).find(what), std::string::npos) << schedule << ": " << refusal(schedule);
}

TEST(Programs, a_sample_as_c) {
  std::mt19937_64 random(23);
  std::vector<Problem> all = problems(4, 7);
  if (!take_all()) {
    std::shuffle(all.begin(), all.end(), random);
    all.resize(24);
  }
  EXPECT_GT(check_as_c(all, {1, 2}, random), 100u);
}

} // namespace unravel::run::test
