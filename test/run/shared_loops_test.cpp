// Loops that a program's statements share, transformed and dealt out to threads: on all small inputs by the
// interpreter, where iterations that race are told, and as C.
#include "run/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iostream>

namespace unravel::run::test {

namespace {

using report::Kind;

struct Program {
  const char *text, *matrix; // a tensor that any layout of matrices may have; empty: none
  std::vector<const char *> schedules;
};

const char *solve = "tensor L(n,n), b(n), x(n); for i in [0,n) { let s = b(i); for j in [0,i) "
                    "{ s -= L(i,j)*x(j); } x(i) = s / L(i,i); }";
const char *residual = "for i { y(i) = 3*b(i); for j { y(i) -= A(i,j)*x(j); } y(i) *= b(i); }";
const char *sweep = "tensor a(n,m), b(n,m); for i in [1,n) { for j in [1,m) "
                    "{ a(i,j) += a(i-1,j)*b(i,j); a(i,j) += a(i,j-1); } }";
const char *slanted = "tensor a(n,m); for i in [0,n-1) { for j in [1,m) "
                      "{ a(i+1,j-1) *= 2; a(i,j) += 3*a(i+1,j-1); } }";
const std::vector<Program> &programs() {
  static const std::vector<Program> all = {
      {residual,
       "A",
       {"tile i by 2", "split i by 2; tile j by 2", "shift i by 2", "tile i by 2; tile i.tile by 2",
        "bound i in [1, 3)", "shift i by 1; tile i.shift by 2; parallel i.shift.tile"}},
      {"for i { y(i) = b(i); for j { y(i) -= A(i,j)*x(j); } z(i) = y(i)*2; }",
       "A",
       {"tile i by 2", "skew i by j", "shift i by 2; parallel i.shift"}},
      // a tensor that each iteration has for itself, in memory of each thread
      {"for i { let w(j) = x(j); for j { w(j) -= A(i,j)*x(j); } for j { C(i,j) = w(j)*w(j); } }",
       "A",
       {"", "tile i by 2", "shift i by 1", "parallel i", "serial", "tile i by 2; parallel i.tile"}},
      {"for i { for k { let w(j) = z(k); for j { w(j) += A(i,j); D(i,k) += w(j)*x(j); } } }",
       "A",
       {"", "tile i by 2, k by 2", "order k, i", "skew k by i", "parallel k"}},
      // one that nothing reads: its loop is its own
      {"tensor t, x(n); for i in [0,n) { let w(e in [0,n)) = x(e); t += x(i); }", "", {"", "serial"}},
      {"tensor a(n), b(n); for i in [1,n) { a(i) += b(i-1); b(i) *= 2; }",
       "",
       {"tile i by 2", "shift i by 1"}},
      {solve,
       "L",
       {"tile i by 2", "shift i by 1; split j by 2", "tile i by 2; tile j by 2", "bound j in [0, 2)"}},
      {"tensor A(n,n), b(n), x(n); for i in [0,n) { let s = b(i); for j in [0,n) { if j != i "
       "{ s -= A(i,j)*x(j); } } x(i) = s / A(i,i); }",
       "A",
       {"tile i by 2", "tile i by 2; skew j by i; tile j.skew by 2"}},
      {sweep,
       "",
       {// i is searched for there: the first statement mustn't end the search
        "skew j by 2*i; skew j.skew by 2*i; tile j by 3; order j", "tile i by 2, j by 2",
        "skew j by i; order j.skew, i", "skew j by i; order j.skew, i; parallel i", "order j", "skew i by j",
        "tile i by 2; tile i.tile by 2; split j by 2", "shift i by 2; tile i.shift by 2",
        "tile j by 2; order j.tile, i, j", "bound j in [1, 3)",
        "skew j by 2*i; tile j.skew by 3; order j.skew.tile"}},
      {slanted,
       "",
       {"tile i by 2", "skew j by i; order j.skew; parallel j.skew",
        "skew j by i; tile j.skew by 2, i by 2"}},
      {"tensor A(n,m), C(n,m), x(m); for i in [0,n) { for j in [0,m) { C(i,j) = x(j) + C(i,j); "
       "C(i,j) *= x(j); C(i,j) += A(i,j)*x(j); } }",
       "A",
       {"tile i by 2, j by 2", "order j, i", "skew i by j", "parallel j", "tile j by 2; parallel i"}},
      {"tensor A(n,n), C(n,n), x(n); for i in [0,n) { for j in [0,i+1) { C(i,j) *= x(j); C(i,j) += 2*x(i); } "
       "}",
       "",
       {"order j, i", "tile j by 2", "tile i by 2, j by 2; order j.tile, i.tile",
        "skew j by i; order j.skew"}},
      // conditions that leave one iteration to a statement: its element no longer depends on the loop
      {"tensor y(n), w(n); for i in [0,n) { for j in [0,i) { if i = 1 { y(i) *= 2; } w(j) += 2; } }",
       "",
       {"", "shift j by 1", "serial"}},
      {"tensor y(n), x(n); for i in [0,n) { for j in [0,n) { if j <= 0 { y(j) *= 2; y(i) = y(i); } } }",
       "",
       {"", "shift i by 1"}},
      {"tensor z(n); for i in [0,n) { if i = 0 { z(i) += 2; } z(i) += 0.5; }",
       "",
       {"", "shift i by 2", "serial; shift i by 2", "parallel i"}},
      {"tensor z(n), y(n), x(n); for i in [0,n) { z(i) = 2*x(i); if i = 1 { z(i) += x(i); } }",
       "",
       {"shift i by 1", "tile i by 2"}},
      // of all statements
      {"tensor w(n), z(n), x(n); for i in [0,n) { if i = 2 { w(i) -= 0.5; } if i = 1 { z(i) = x(i); } }",
       "",
       {"shift i by 1", "tile i by 2", "shift i by 2; tile i.shift by 2"}},
      {"tensor y(n), x(n); for i in [0,n) { if i = 2 { y(i-1) *= 0.5; } if i = 1 { y(i) = x(i); } }",
       "",
       {"shift i by 1", "tile i by 2"}},
  };
  return all;
}

std::vector<std::string> layouts_for(const char *matrix) {
  if (!*matrix) return {""};
  std::vector<std::string> layouts = shipped_matrices();
  for (const auto &more : {literature_matrices(), odd_matrices()})
    layouts.insert(layouts.end(), more.begin(), more.end());
  return layouts;
}

Problem problem_of(const Program &program, const std::string &layout, const std::string &schedule) {
  Problem problem{program.text, {}, {schedule}, {}};
  if (!layout.empty()) problem.formats[program.matrix] = layout;
  return problem;
}

/// Each with each of its schedules, in a sample of the layouts.
std::vector<Problem> problems(std::size_t layouts, std::mt19937_64 &random) {
  std::vector<Problem> all;
  for (const Program &program : programs())
    for (const char *schedule : program.schedules) {
      std::vector<std::string> some = layouts_for(program.matrix);
      std::shuffle(some.begin(), some.end(), random);
      if (!take_all()) some.resize(std::min(some.size(), layouts));
      if (*program.matrix) some.push_back("csr");
      for (const std::string &layout : some)
        all.push_back(problem_of(program, layout, schedule));
    }
  return all;
}

/// Compiles it; nothing where a limit, or the order's test, refuses.
std::optional<Interpreted> compiled(const Problem &problem, std::map<std::string, int> &refused,
                                    const std::set<Kind> &accepted = {Kind::illegal_order}) {
  try {
    return std::optional<Interpreted>(std::in_place, problem);
  } catch (const report::Error &error) {
    EXPECT_TRUE(is_limit(error) || accepted.contains(error.diagnostic().kind)) << problem.text() << "\n"
                                                                               << error.what();
    ++refused[report::name_of(error.diagnostic().kind)];
    return std::nullopt;
  }
}

template <class T> const T &one_of(const std::vector<T> &of, std::mt19937_64 &random) {
  return of[random() % of.size()];
}

/// Transformations of loops and of what these add, and maybe an order that begins with one.
std::string random_schedule(std::vector<std::string> loops, std::mt19937_64 &random) {
  std::string text;
  for (std::size_t left = 1 + random() % 3; left > 0; --left) {
    const std::string of = one_of(loops, random), by = one_of(loops, random);
    static const std::vector<std::string> all = {"tile", "split", "skew", "shift"};
    std::string how = one_of(all, random), name = of + "." + how;
    if ((how == "skew" && by == of) || std::find(loops.begin(), loops.end(), name) != loops.end()) continue;
    std::string argument =
        how == "skew" ? fmt::format("{}*{}", 1 + random() % 2, by) : fmt::format("{}", 1 + random() % 3);
    text += fmt::format("{} {} by {}; ", how, of, argument);
    loops.push_back(name);
  }
  if (random() % 2 == 0) text += "order " + one_of(loops, random);
  return text;
}

} // namespace

/// A loop that has one value sets one element, whatever its subscript looks like.
TEST(SharedLoops, of_one_value) {
  std::mt19937_64 random(50);
  std::size_t runs = 0;
  const Problem problem{"tensor y(n), x(n); for i in [0,n) { for j in [0,n) { if j <= 0 { y(j) *= 2; y(i) = "
                        "y(i); } } }",
                        {},
                        {"tile j by 2; skew j.tile by 2*i"},
                        {}};
  check_on_small_inputs(Interpreted(problem), 6, true, random, runs);
}

TEST(SharedLoops, transformed_on_small_inputs) {
  std::mt19937_64 random(51);
  std::map<std::string, int> refused;
  std::size_t runs = 0, kernels = 0;
  for (const Problem &problem : problems(2, random)) {
    // `parallel i` where a walk goes on from one iteration to the next
    std::optional<Interpreted> kernel = compiled(problem, refused, {Kind::illegal_order, Kind::not_parallel});
    if (!kernel) continue;
    ++kernels;
    if (!check_on_small_inputs(*kernel, 6, true, random, runs)) return;
  }
  for (const auto &[reason, count] : refused)
    std::cout << count << " x " << reason << "\n";
  std::cout << kernels << " kernels, " << runs << " runs\n";
  EXPECT_GT(kernels, 50u);
}

/// Whatever order a schedule makes, it is refused or keeps the dependences.
TEST(SharedLoops, transformed_at_random) {
  std::mt19937_64 random(53);
  std::map<std::string, int> refused;
  std::size_t runs = 0, kernels = 0;
  for (std::size_t number = 0; number < (take_all() ? 1500u : 90u); ++number) {
    const Program &program = programs()[number % programs().size()];
    std::string schedule = random_schedule({"i", "j"}, random);
    if (schedule.empty()) continue;
    Problem problem = problem_of(program, one_of(layouts_for(program.matrix), random), schedule);
    std::optional<Interpreted> kernel =
        compiled(problem, refused, {Kind::illegal_order, Kind::not_bounded_here, Kind::unknown_variable});
    if (!kernel) continue;
    ++kernels;
    if (!check_on_small_inputs(*kernel, 4, true, random, runs)) return;
  }
  for (const auto &[reason, count] : refused)
    std::cout << count << " x " << reason << "\n";
  std::cout << kernels << " kernels, " << runs << " runs\n";
  EXPECT_GT(kernels, 30u);
}

namespace {

/// Loops of programs, shared or not, dealt out as asked for.
std::vector<Problem> dealt_out() {
  std::vector<Problem> all;
  auto add = [&](const char *text, std::map<std::string, std::string> formats, const char *schedule) {
    all.push_back({text, std::move(formats), {schedule}, {}});
  };
  const char *two = "for i { for j { y(i) += A(i,j)*x(j); } } for i { y(i) = y(i)*y(i); }";
  const char *both =
      "for i { y(i) = b(i); for j { y(i) += A(i,j)*x(j); } for j { y(i) -= B(i,j)*x(j); } y(i) *= 2; }";
  for (const char *how : {"static", "guided", "balanced"}) {
    std::string parallel = std::string("parallel i ") + how;
    for (const char *layout : {"csr", "symmetric_csr"})
      if (layout == std::string("csr") || how != std::string("balanced"))
        add(residual, {{"A", layout}}, parallel.c_str());
    add(two, {{"A", "csr"}}, parallel.c_str());
    add(both, {{"A", "csr"}, {"B", "csr"}}, parallel.c_str());
    add(both, {{"A", "csr"}, {"B", "dense"}}, parallel.c_str());
    // The statements' loops have different ranges.
    add("tensor A(n,n), b(n), y(n); for i in [0,n) { y(i) = b(i); if i > 0 { for j in [0,n) "
        "{ y(i) += A(i,j)*b(j); } } y(i) *= 2; }",
        {{"A", "csr"}}, parallel.c_str());
  }
  add(two, {{"A", "csr"}}, "fuse i, A.p");
  add(two, {{"A", "csr"}}, "fuse i, A.p; parallel i static");
  add(two, {{"A", "dcsr"}}, "order A.r, A.p; parallel A.r balanced");
  add(two, {{"A", "csc"}}, "order j, A.p; parallel j; reduce y by atomic");
  add(two, {{"A", "csc"}}, "order j, A.p; parallel j; reduce y by private");
  add(two, {{"A", "csc"}}, "order j, A.p; fuse j, A.p; reduce y by atomic");
  add(two, {{"A", "coo"}}, "order A.p; parallel A.p; reduce y by atomic");
  add("let s = 0; for i { for j { s += A(i,j)*x(j); } } for i { y(i) = s*x(i); }", {{"A", "csr"}},
      "parallel i balanced");
  return all;
}

} // namespace

TEST(SharedLoops, dealt_out_on_small_inputs) {
  std::mt19937_64 random(57);
  std::size_t runs = 0;
  for (const Problem &problem : dealt_out())
    for (const char *chunk : {"chunk 1", "chunk 3"}) {
      Problem chunked = problem;
      chunked.schedules.push_back(chunk);
      SCOPED_TRACE(chunked.text());
      Interpreted kernel(chunked);
      if (!check_on_small_inputs(kernel, 12, true, random, runs)) return;
    }
  std::cout << runs << " runs\n";
  EXPECT_GT(runs, 1000u);
}

TEST(SharedLoops, a_sample_as_c) {
  std::mt19937_64 random(59);
  std::vector<Problem> all = problems(0, random);
  if (!take_all()) {
    std::shuffle(all.begin(), all.end(), random);
    all.resize(12);
  }
  for (Problem problem : dealt_out()) {
    problem.schedules.push_back("chunk 7");
    all.push_back(problem);
  }
  EXPECT_GT(check_as_c(all, {1, 2, 3}, random), 100u);
}

namespace {

/// What is said of a request, without the place.
std::string refusal(const char *text, const std::map<std::string, std::string> &formats,
                    const char *schedule) {
  try {
    pipeline::compile(Problem{text, formats, {schedule}, {}}.request());
  } catch (const report::Error &error) {
    return report::name_of(error.diagnostic().kind) + ": " + error.diagnostic().message;
  }
  return "";
}

} // namespace

TEST(SharedLoops, refusals_say_why) {
  std::string illegal = refusal(slanted, {}, "tile j by 2");
  EXPECT_TRUE(illegal.starts_with("illegal-order: the order isn't proved to keep a dependence")) << illegal;
  EXPECT_TRUE(refusal(sweep, {}, "skew j by -2*i; order j.skew").starts_with("illegal-order"));
  EXPECT_EQ(
      refusal(residual, {{"A", "csr"}}, "order j, i"),
      "not-supported: the loop over `j` can't be outside the loop over `i`, which other statements share");
  EXPECT_EQ(refusal(residual, {{"A", "csr"}}, "tile j by 4; order j.tile, i"),
            "not-supported: the loop over `j.tile` can't be outside the loop over `i`, which other "
            "statements share");
  EXPECT_EQ(refusal(residual, {{"A", "csr"}}, "skew i by j"),
            "not-supported: statements share the loop over `i`, but `y(i) = 3*b(i)` lacks the loop that it "
            "is skewed by");
  EXPECT_TRUE(refusal("tensor a(n,m), b(n,m); for i in [1,n) { for j in [0,m-1) { b(i,j) = 2*a(i-1,j+1); "
                      "a(i,j) = b(i,j) + 1; } }",
                      {}, "tile j by 2")
                  .starts_with("illegal-order"));
  EXPECT_EQ(refusal(residual, {{"A", "csr"}}, "fuse i, A.p"),
            "not-parallel: no statement has loops of its own over `i` and `A.p`, in this order");
  EXPECT_EQ(refusal(residual, {{"A", "ell"}}, "parallel i balanced"),
            "not-parallel: the loop over `i` can't be cut into pieces of equal work: no loop inside runs "
            "over segments "
            "that follow each other, as `rowptr(i)` to `rowptr(i + 1)` do");
  EXPECT_EQ(refusal(residual, {{"A", "csr"}}, "tile i by 2; parallel i balanced"),
            "not-parallel: the loop over `i` can't be cut into pieces of equal work: it is inside a loop "
            "that statements share");
  EXPECT_EQ(refusal("tensor z(n); for i in [0,n) { if i = 0 { z(i) += 2; } z(i) += 0.5; }", {},
                    "shift i by 2; parallel i.shift"),
            "not-parallel: the loop over `i.shift` can't run in parallel: iterations share the state of a "
            "find or an element, append to several results, look for a divisor, or have a statement that is "
            "for one of them");
  EXPECT_EQ(refusal(residual, {{"A", "csr"}}, "bound k in [0, 2)"),
            "unknown-variable: `k` is not a variable of this computation");
}

} // namespace unravel::run::test
