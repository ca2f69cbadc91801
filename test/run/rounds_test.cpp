// `repeat`: rounds by the interpreter, on all small inputs, and as C.
#include "run/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iostream>

namespace unravel::run::test {

namespace {

std::vector<Problem> problems() {
  std::vector<Problem> all;
  auto add = [&](const std::string &program, const std::vector<const char *> &layouts) {
    for (const char *layout : layouts)
      all.push_back({program, {{"A", layout}}, {}, {}});
  };
  // so many
  add("repeat 3 { for i { for j { y(i) += A(i,j)*x(j); } } }", {"csr", "csc", "dcsr", "ell"});
  add("tensor A(n,n), x(n), y(n); repeat n + 1 { for i { for j { y(i) += A(i,j)*x(j); } } }",
      {"csr", "csc", "coo", "dense"});
  add("tensor A(n,n), x(n); repeat 3 { let y(i) = 0; for i { for j { y(i) += A(i,j)*x(j); } } "
      "for i { x(i) = y(i); } }",
      {"csr", "csc", "coo", "dense"});
  add("repeat 2 { for i { y(i) = 2*y(i); for j { y(i) += A(i,j); } } }", {"csr", "csc"});
  add("for i { let s = 0; repeat 2 { s *= 2; for j { s += A(i,j); } } y(i) = s; }", {"csr", "dense"});
  // until a condition holds, of results and of locals, tested behind a round
  add("tensor A(n,n), x(n), c; repeat 5 until e = 0 or c >= 4 { let e = 0; for i { for j { e += A(i,j)*x(j); "
      "} } "
      "for i { x(i) -= 1; } c += 1; }",
      {"csr", "csc", "dcsr", "dense"});
  add("tensor A(n,n), d(n), c; for i in [0,n) { d(i) = inf; if i = 0 { d(i) = 0; } } repeat until changed = "
      "0 { "
      "let new(i) = d(i); for i { for j { new(j) min= A(i,j) * d(i) in min.second; } } let changed = 0; "
      "for i { changed or= new(i) < d(i); } for i { d(i) = new(i); } c += 1; }",
      {"csr", "csc", "coo", "dense"});
  add("repeat 4 until c > 1 and (c < 1 or c > 2) { c += 1; for i { for j { y(i) += c*A(i,j); } } }",
      {"csr", "csc"});
  // rounds in loops, rounds in rounds
  add("for i { let s = 0; repeat 4 until s > 3 { s += 1; for j { s += A(i,j)*x(j); } } y(i) = s; }",
      {"csr", "dense"});
  add("for i { repeat 3 until t >= 2 { let t = 1; for j { t += A(i,j); } y(i) += t; } }", {"csr", "dense"});
  add("repeat 3 until c > 4 { repeat 3 until d > 1 { let d = 0; for i { for j { d += A(i,j); } } c += 1; } "
      "for i { y(i) += c; } c += 1; }",
      {"csr", "csc"});
  // all but the condition is empty, or is executed in some rounds alone
  add("repeat 7 until c > 2 { c += 1; if 1 = 0 { for i { for j { y(i) += A(i,j); } } } }", {"csr"});
  add("size m; repeat 3 until c > 2 { if m > 0 { c += 1; } for i { for j { y(i) += A(i,j); } } }", {"csr"});
  // workspaces that live in a round, or outside
  add("repeat 3 until c > 1 { for i { let w(j) = 0; for k { for j { w(j) += A(i,k)*B(k,j); } } "
      "for j { y(i) += w(j)*w(j); } } c += 1; }",
      {"csr"});
  for (const char *layout : {"listed", "hashed", "bitmap", "dense"})
    all.push_back({all.back().expression, {{"A", "csr"}, {"B", "csr"}, {"w", layout}}, {}, {}});
  for (const char *layout : {"listed", "hashed", "bitmap", "dense"})
    all.push_back({"tensor A(n,n), y(n), c; let w(i in [0,n)) = 0; repeat 3 until c > 1 { for i { for j { "
                   "w(j) += A(i,j); } } for j { y(j) += w(j)*w(j); } c += 1; }",
                   {{"A", "csr"}, {"w", layout}},
                   {},
                   {}});
  // an insertion in one iteration alone is none of a parallel loop, either
  for (const char *w : {"listed", "hashed", "bitmap"})
    all.push_back(
        {"tensor y(n); size s; let w(i in [0,n)) = 0; for i in [0,n) { y(i) = 2; if i = s { w(i) = 1; } } "
         "for i { y(i) += w(i); }",
         {{"w", w}},
         {},
         {}});
  // sparse ones that are set anew in each round, and say where statements are executed
  for (const char *w : {"listed", "hashed", "bitmap", "dense"})
    for (const char *v : {"listed", "hashed", "bitmap", "dense"}) {
      all.push_back({"tensor A(n,n), x(n), y(n), c; let w(i in [0,n)) = 0; for i { w(i) += x(i); } "
                     "repeat 4 until c > 2 { let v(j in [0,n)) = 0; for i { for j { v(j) += A(i,j)*w(i); } } "
                     "for i { w(i) = 0; } for j { w(j) += v(j); } for j { y(j) += w(j)*w(j); } c += 1; }",
                     {{"A", "csr"}, {"w", w}, {"v", v}},
                     {},
                     {}});
      if (w == std::string("dense") || v == std::string("dense")) continue;
      all.push_back({"tensor A(n,n), x(n), y(n), c; let w(i in [0,n)) = 0; let v(i in [0,n)) = 0; "
                     "for i { for j { w(i) += A(i,j)*x(j); } } "
                     "repeat 4 until c > 2 { for i { for j { v(j) += A(i,j)*w(i) mask !w(j); } } "
                     "for j { y(j) = c mask v(j); } for j { y(j) += 2 mask w(j) and !v(j); } "
                     "for i { w(i) = 0; } for j { w(j) += v(j); } for j { v(j) = 0; } c += 1; }",
                     {{"A", "csr"}, {"w", w}, {"v", v}},
                     {},
                     {}});
    }
  return all;
}

/// Sparse results that are set in rounds, or read: in the same round, in the next one, behind all rounds.
std::vector<Problem> sparse_results() {
  std::vector<Problem> all;
  const auto add = [&](const std::string &program, std::map<std::string, std::string> formats) {
    formats.emplace("A", "csr");
    for (const char *result : {"csr", "csc", "dcsr", "coo", "coo_dup", "ell"}) {
      formats["C"] = result;
      all.push_back({"tensor A(n,n), C(n,n); " + program, formats, {}, {}});
    }
  };
  add("repeat 3 { for i { for j { C(i,j) = A(i,j)*x(j); } } for i { x(i) += 1; } }", {});
  add("repeat 3 { for i { for j { C(i,j) += A(j,i)*x(j); } } for i { x(i) += 1; } }", {});
  add("size k; repeat k until c > 2 { for i { for j { C(i,j) = c*A(i,j); } } c += 1; }", {});
  add("repeat 2 { for i in [1, n) { for j { C(i,j) = 2*A(j,i-1); } } }", {});
  add("for i { for j { C(i,j) = A(i,j); } } for i { for j { y(i) += C(i,j)*x(j); } }", {});
  add("for i { for j { C(i,j) = A(i,j); } } for i { for j { C(i,j) *= 2; } } for i { for j { y(j) += C(i,j); "
      "} }",
      {});
  // powers: by rows that are read before they are set, and as a whole
  add("for i { for j { C(i,j) = A(i,j); } } repeat 2 { for i { let w(j) = 0; for k { for j { w(j) += "
      "C(i,k)*A(k,j); } } for j { C(i,j) = w(j); } } }",
      {{"w", "bitmap"}});
  add("let m(i,j) = 0; for i { for j { m(i,j) = A(i,j); } } repeat 3 until c > 1 { for i { let w(j) = 0; for "
      "k { "
      "for j { w(j) += m(i,k)*m(k,j); } } let s = 1; for j { s += w(j)*w(j); } "
      "for j { C(i,j) = select(w(j)*w(j) >= 0.1*s, w(j)*w(j)/s, 0); } } for i { for j { m(i,j) = C(i,j); } } "
      "c += 1; }",
      {{"w", "listed"}, {"m", "hashed"}});
  // several results, of which one is dense
  for (const char *y : {"sv", "dense"})
    for (const char *z : {"listed", "bitmap"}) {
      all.push_back({"tensor A(n,n), y(n), c; for i { for j { y(i) += A(i,j); } } repeat 2 { let z(i) = 0; "
                     "for i { for j { z(j) += A(i,j)*y(i); } } for j { y(j) = z(j); } for j { c += y(j); } }",
                     {{"A", "csc"}, {"y", y}, {"z", z}},
                     {},
                     {}});
      all.push_back(
          {"tensor A(n,n), front(n), level(n), c; for i in [0,n) { if i = 0 { front(i) = 1; } level(i) = "
           "inf; "
           "if i = 0 { level(i) = 0; } } repeat 4 until c > 2 { c += 1; let z(j in [0,n)) = 0; for i { for j "
           "{ "
           "z(j) or= A(i,j) * front(i) in or.second; } } for j { front(j) = and(z(j), level(j) > c); } "
           "for j { level(j) = select(front(j), c, level(j)); } }",
           {{"A", "csr"}, {"front", y}, {"z", z}},
           {},
           {}});
    }
  all.push_back({"tensor A(n,n), C(n,n) fill inf; repeat 2 { for i { for j { C(i,j) min= A(i,j)+1; } } }",
                 {{"A", "csr"}, {"C", "csr"}},
                 {},
                 {}});
  return all;
}

} // namespace

TEST(Rounds, on_small_inputs) {
  std::mt19937_64 random(21);
  check_each_on_small_inputs(problems(), 8, random);
}

TEST(Rounds, make_sparse_results_on_small_inputs) {
  std::mt19937_64 random(23);
  check_each_on_small_inputs(sparse_results(), 4, random);
}

/// The local has an entry for each of the result's alone: `=` takes those of the last round out first.
TEST(Rounds, results_have_no_more_entries_than_operands) {
  for (const char *set :
       {"C(i,j) = A(i,j)*c", "C(i,j) = select(A(i,j) > 0.5, c*A(i,j), 0)", "C(i,j) += A(i,j)"}) {
    const Interpreted kernel({fmt::format("repeat 3 {{ for i {{ for j {{ {}; }} }} c += 1; }}", set),
                              {{"A", "csr"}, {"C", "csr"}},
                              {},
                              {}});
    const std::string loops = loop::to_text(kernel.compilation().program);
    EXPECT_EQ(loops.find("for j in"), std::string::npos) << loops;
    EXPECT_NE(loops.find("for A.p in"), std::string::npos) << loops;
  }
}

TEST(Rounds, as_c) {
  std::mt19937_64 random(22);
  const std::size_t calls = check_as_c(problems(), {1, 2}, random);
  EXPECT_GT(calls, 4 * problems().size());
}

/// The loop of rounds is left where the condition holds, whatever could be taken out of it or reordered.
TEST(Rounds, stay_as_they_are) {
  const Interpreted kernel(
      {"repeat until c > 3 { for i { for j { y(i) += A(i,j)*x(j); } } c += 1; }", {{"A", "csc"}}, {}, {}});
  const std::string loops = loop::to_text(kernel.compilation().program);
  const std::size_t rounds = loops.find("\n  for round in 0 .. 500000000000000 {\n");
  ASSERT_NE(rounds, std::string::npos) << loops;
  EXPECT_GT(loops.find("\n    for A.c in"), rounds) << loops;
  EXPECT_GT(loops.find("\n    if stored done {\n      break\n    }\n  }\n}"), rounds) << loops;
}

/// The loops of statements inside of rounds, one after the other, have teams of their own.
TEST(Rounds, run_in_parallel_inside) {
  const Interpreted kernel(
      {"repeat until c > 3 { let q(i) = 0; for i { for j { q(i) += A(i,j)*x(j); } } c += 1; }",
       {{"A", "csr"}},
       {},
       {}});
  const std::string loops = loop::to_text(kernel.compilation().program);
  for (const char *loop :
       {"\n    for i in 0 .. A.M parallel 4096 {", "\n    for i in 0 .. A.M parallel 32 {"})
    EXPECT_NE(loops.find(loop), std::string::npos) << loops;
}

void expect_refused(const Problem &problem, const std::string &message) {
  SCOPED_TRACE(problem.text());
  try {
    pipeline::compile(problem.request());
    ADD_FAILURE() << "not refused";
  } catch (const report::Error &error) {
    EXPECT_NE(report::render(error.diagnostic()).find(message), std::string::npos)
        << report::render(error.diagnostic());
  }
}

/// Where statements have loops of one name, those that can run in parallel do as they are asked.
TEST(Rounds, run_in_parallel_as_asked) {
  const Interpreted kernel(
      {"repeat until c > 3 { let q(i) = 0; for i { for j { q(j) += A(i,j)*x(i); } } c += 1; }",
       {{"A", "csr"}},
       {"parallel i"},
       {}});
  const std::string loops = loop::to_text(kernel.compilation().program);
  EXPECT_NE(loops.find("for i in 0 .. A.M parallel 4096 {"), std::string::npos) << loops;
}

TEST(Rounds, refused) {
  const std::string program = "tensor A(n,n), c, y(n); repeat 4 until c > 2 { for i { y(i) += c; } c += 1; }";
  for (const char *schedule : {"order round, i", "tile round by 4", "skew i by round", "parallel round",
                               "unroll round by 2", "wavefront round"})
    expect_refused({program, {}, {schedule}, {}}, "`round` counts rounds");
  expect_refused({"for i { for j { C(i,j) = A(i,j); } } for i { for j { y(i) += 1 mask C(i,j); } }",
                  {{"A", "csr"}, {"C", "csr"}},
                  {},
                  {}},
                 "the mask `C` is written by the kernel itself");
}

} // namespace unravel::run::test
