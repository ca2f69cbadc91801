// Wavefronts: loops that carry dependences, level by level, in all layouts that fit: by the interpreter on
// small inputs, iterations of a level in any order; as C on random data with several threads.
#include "run/sweep.h"

#include <gtest/gtest.h>
#include <iostream>

namespace unravel::run::test {

namespace {

struct Program {
  const char *text, *loop, *matrix;
};

const std::vector<Program> &programs() {
  static const std::vector<Program> all = {
      {"tensor L(n,n), b(n), x(n); for i in [0,n) { let s = b(i); for j in [0,i) { s -= L(i,j)*x(j); } "
       "x(i) = s / L(i,i); }",
       "i", "L"},
      {"tensor L(n,n), b(n), x(n); for i in [0,n) { x(i) = b(i); for j in [0,i) { x(i) -= L(i,j)*x(j); } "
       "x(i) /= L(i,i); }",
       "i", "L"},
      {"tensor U(n,n), b(n), x(n); for k in [0,n) { let s = b(n-1-k); for j in [n-k,n) "
       "{ s -= U(n-1-k,j)*x(j); } x(n-1-k) = s / U(n-1-k,n-1-k); }",
       "k", "U"},
      {"tensor L(n,n), b(n), x(n); for i in [0,n) { x(i) = b(i); for j in [0,i) { x(i) -= L(i,j)*x(j); } }",
       "i", "L"},
      // in place, one statement alone
      {"tensor L(n,n), x(n); for i in [0,n) { for j in [0,i) { x(i) -= L(i,j)*x(j); } }", "i", "L"},
      // the loop doesn't begin at 0; what it reads isn't all written by it
      {"tensor L(n,n), b(n), x(n); for i in [2,n) { x(i) = b(i); for j in [0,i) { x(i) -= L(i,j)*x(j); } }",
       "i", "L"},
      // a sweep of Gauss and Seidel: rows also precede those that overwrite what they read
      {"tensor A(n,n), b(n), x(n); for i in [0,n) { let s = b(i); for j in [0,n) { if j != i "
       "{ s -= A(i,j)*x(j); } } x(i) = s / A(i,i); }",
       "i", "A"},
      // the matrix and its pattern's transpose: a symmetric sweep without division
      {"tensor A(n,n), x(n); for i in [0,n) { x(i) = 2*x(i); for j in [0,n) { if j != i "
       "{ x(i) += A(i,j)*x(j); } } }",
       "i", "A"},
  };
  return all;
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  std::vector<std::string> layouts = shipped_matrices();
  for (const auto *more : {&literature_matrices(), &literature_squares(), &odd_matrices()})
    layouts.insert(layouts.end(), more->begin(), more->end());
  for (const Program &program : programs())
    for (const std::string &layout : layouts)
      for (const char *packed : {"", " packed"})
        all.push_back({program.text,
                       {{program.matrix, layout}},
                       {std::string("wavefront ") + program.loop + packed},
                       {}});
  return all;
}

} // namespace

TEST(Wavefronts, every_layout_on_small_inputs) {
  std::mt19937_64 random(31);
  std::map<std::string, int> refused;
  std::size_t runs = 0, kernels = 0, packed = 0;
  std::vector<Problem> all = problems();
  if (!take_all()) {
    std::shuffle(all.begin(), all.end(), random);
    all.resize(150);
  }
  for (const Problem &problem : all) {
    std::optional<Interpreted> kernel;
    try {
      kernel.emplace(problem);
    } catch (const report::Error &error) {
      EXPECT_TRUE(is_limit(error)) << problem.text() << "\n" << error.what();
      ++refused[error.diagnostic().message];
      continue;
    }
    ++kernels;
    packed += problem.schedules.back().ends_with(" packed");
    ASSERT_TRUE(kernel->compilation().inspector);
    if (!check_on_small_inputs(*kernel, 6, true, random, runs)) return;
  }
  for (const auto &[reason, count] : refused)
    std::cout << count << " x " << reason << "\n";
  std::cout << kernels << " kernels, " << packed << " packed, " << runs << " runs\n";
  EXPECT_GT(kernels, 60u);
  EXPECT_GT(packed, 5u);
}

/// The loop in its order is unrolled where nothing was inspected; the loops inside in both forms.
TEST(Wavefronts, with_loops_changed_as_asked_for) {
  std::mt19937_64 random(41);
  const Program &solve = programs().front(), &in_place = programs()[4];
  std::size_t runs = 0;
  std::vector<Problem> all;
  for (const char *first : {"wavefront i", "wavefront i packed"})
    for (const char *then : {"unroll i by 2", "unroll L.p by 2", "vectorise L.p", "unroll i by 2, L.p by 3"})
      for (const Program *program : {&solve, &in_place})
        all.push_back({program->text, {{"L", "csr"}}, {first, then}, {}});
  for (const Problem &problem : all) {
    Interpreted kernel(problem);
    ASSERT_TRUE(kernel.compilation().inspector) << problem.text();
    if (!check_on_small_inputs(kernel, 6, true, random, runs)) return;
  }
  EXPECT_GT(check_as_c(all, {1, 2}, random), 16u);
}

/// The interpreter has one thread: it sees none that disturbs another one's walk.
TEST(Wavefronts, walks_that_begin_in_an_iteration_have_states_of_each_thread) {
  std::mt19937_64 random(43);
  std::size_t runs = 0, states = 0;
  Interpreted kernel(
      Problem{"tensor L(n,n), B(m,n), b(n), x(n); for i in [0,n) { x(i) = b(i); for j in [0,i) "
              "{ x(i) -= L(i,j)*x(j); } for k in [0,m) { for c in [0,i) { x(i) -= B(k,c); } } }",
              {{"L", "csr"}, {"B", "csr"}},
              {"wavefront i", "tile c by 4"},
              {"B.p=seq"}});
  for (const loop::WorkspaceArray &array : kernel.compilation().program.workspace) {
    EXPECT_TRUE(array.per_thread) << array.name;
    states += array.name.find(".states") != std::string::npos;
  }
  EXPECT_GT(states, 0u);
  EXPECT_TRUE(check_on_small_inputs(kernel, 6, true, random, runs));
}

/// It needs the types of arrays that it reads; and the loop is outermost in whatever order the tiles stand.
TEST(Wavefronts, an_inspector_that_walks) {
  std::mt19937_64 random(47);
  std::size_t runs = 0;
  for (const char *schedule : {"wavefront i; tile j by 4", "wavefront i; tile j by 4; order i"}) {
    Interpreted kernel(Problem{"tensor B(m,n), b(n), x(n); for i in [0,n) { let s = b(i); for k in [0,m) { "
                               "for j in [0,i) { s -= B(k,j)*x(j); } } x(i) = s; }",
                               {{"B", "csr"}},
                               {schedule},
                               {"B.p=seq"}});
    EXPECT_TRUE(check_on_small_inputs(kernel, 6, true, random, runs)) << schedule;
  }
}

/// There are no levels, and no room is taken for less than none.
TEST(Wavefronts, loops_that_would_have_less_than_no_iterations) {
  std::mt19937_64 random(37);
  std::size_t runs = 0;
  for (const char *program : {"tensor x(n); for i in [0, n - 3) { x(i + 1) = 2*x(i); }",
                              "tensor x(n); for i in [2, n - 1) { x(i) += x(i - 1); }",
                              "size k; tensor x(n); for i in [0, k) { x(i + 1) = 2*x(i); }"}) {
    Interpreted kernel(Problem{program, {}, {"wavefront i"}, {}});
    ASSERT_TRUE(kernel.compilation().inspector);
    EXPECT_TRUE(check_on_small_inputs(kernel, 20, true, random, runs));
  }
  EXPECT_GT(runs, 50u);
}

TEST(Wavefronts, a_sample_as_c) {
  std::mt19937_64 random(37);
  std::vector<Problem> all = problems();
  if (!take_all()) {
    std::shuffle(all.begin(), all.end(), random);
    all.resize(24);
  }
  // Of these at least there is C.
  for (const Program &program : programs())
    for (const char *packed : {"", " packed"})
      all.push_back(
          {program.text, {{program.matrix, "csr"}}, {std::string("wavefront ") + program.loop + packed}, {}});
  EXPECT_GT(check_as_c(all, {1, 2, 3}, random), 100u);
}

namespace {

/// What is said of a request, without the place.
std::string refusal(const std::string &text, const std::string &layout, const std::string &schedule) {
  Problem problem{text, {{"A", layout}}, {schedule}, {}};
  try {
    pipeline::compile(problem.request());
  } catch (const report::Error &error) {
    return report::name_of(error.diagnostic().kind) + ": " + error.diagnostic().message + " (" +
           error.diagnostic().hint + ")";
  }
  return "";
}

} // namespace

TEST(Wavefronts, refusals_say_why) {
  EXPECT_EQ(refusal("y(i) = A(i,j) * x(j)", "csr", "wavefront i"),
            "no-wavefronts: sums of products carry no dependence that needs wavefronts (write `parallel i`)");
  const std::string scaled = "for i { y(i) *= 2; for j { y(i) += A(i,j)*x(j); } }";
  EXPECT_EQ(refusal(scaled, "csr", "wavefront i"),
            "no-wavefronts: the loop over `i` carries no dependence (write `parallel i`)");
  EXPECT_EQ(refusal(scaled, "csr", "wavefront k"),
            "unknown-variable: there is no outermost loop over `k` (only the outermost loop of a program's "
            "statements can run in wavefronts)");
  EXPECT_EQ(
      refusal("tensor A(n,n), x(n); for j in [0,n) { x(j) /= A(j,j); for i in [j+1,n) "
              "{ x(i) -= A(i,j)*x(j); } }",
              "csc", "wavefront j"),
      "no-wavefronts: the loop over `j` can't run in wavefronts: no inspector can tell which iterations "
      "touch an element of x(i) (one of the conflicting subscripts must be `j`, plus or minus a size or a "
      "constant)");
  const std::string solve = "tensor A(n,n), b(n), x(n); for i in [0,n) { x(i) = b(i); "
                            "for j in [0,i) { x(i) -= A(i,j)*x(j); } }";
  EXPECT_EQ(refusal(solve, "ell", "wavefront i packed"),
            "no-wavefronts: the data that iterations over `i` read can't be packed: no loop inside runs over "
            "segments "
            "that follow each other, as `rowptr(i)` to `rowptr(i + 1)` do (write `wavefront i`)");
  EXPECT_EQ(refusal(solve, "csr", "wavefront i; jam i by 2"),
            "not-supported: the loop over `i` is shared by several statements: it can't be jammed yet "
            "(`unroll i by 2` works, and changes of a statement's own loops)");
  EXPECT_EQ(refusal(solve, "dcsr", "wavefront i; find A by seq"),
            "no-wavefronts: the loop over `i` can't run in wavefronts: iterations share the state of the "
            "search for "
            "A.r (write `find A.r by binary`)");
}

} // namespace unravel::run::test
