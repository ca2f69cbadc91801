// Reductions and products by other operators than + and *, by the interpreter and as C.
#include "run/session.h"
#include "run/sweep.h"

#include <gtest/gtest.h>

namespace unravel::run::test {

namespace {

const std::vector<std::string> &semirings() {
  static const std::vector<std::string> all{"min.+",      "max.+",   "max.times", "min.max",   "max.min",
                                            "or.and",     "xor.and", "+.pair",    "any.pair",  "min.first",
                                            "min.second", "+.first", "+.second",  "plus.times"};
  return all;
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const std::string &semiring : semirings()) {
    auto add = [&](const std::string &line, const std::map<std::string, std::string> &formats) {
      all.push_back({line + " in " + semiring, formats, {}, {}});
    };
    for (const char *layout : {"csr", "csc", "dcsr", "ell", "dense"}) {
      add("y(i) = A(i,j) * x(j)", {{"A", layout}});
      add("y(i) = A(i,j) * x(j)", {{"A", layout}, {"x", "sv"}});
    }
    add("y(j) = A(i,j) * x(i)", {{"A", "csr"}});
    add("s = A(i,j) * B(j,i)", {{"A", "csr"}, {"B", "csr"}});
    add("C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}, {"B", "csr"}});
    add("C(i,j) = A(i,j) + B(i,j)", {{"A", "csr"}, {"B", "csc"}});
    for (const char *layout : {"csr", "dcsr", "coo"}) {
      add("C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", layout}});
      add("C(i,j) = A(i,j) * B(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", layout}});
    }
    for (const char *layout : {"csr", "dcsr", "bcsr<2, 2>"}) // blocks are packed
      add("C(i,j) = A(i,j) + B(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", layout}});
  }
  for (const char *line :
       {"y(i) min= A(i,j) + x(j)", "y(i) max= A(i,j) * x(j)", "y(i) = min(y(i), A(i,j))", "y(i) *= A(i,j)",
        "y(i) = select(A(i,j) < x(i), 1, 2)", "y(i) = max(abs(A(i,j)), x(j)) * (A(i,j) != 1)"})
    all.push_back({line, {}, {}, {}});
  for (const char *line : {"y(i) = abs(A(i,j))", "C(i,j) = abs(A(i,j)) * B(i,j)", "s = (A(i,j) > 0) * x(j)",
                           "y(i) max= A(i,j) * x(j)", "y(i) = select(A(i,j) > 0, j, -1)",
                           "y(i) += select(A(i,j) < 2, x(i), x(j))"})
    all.push_back({line, {{"A", "csr"}, {"B", "csr"}}, {}, {}});
  for (const char *line : {"y(i) max= abs(A(i,j)) * x(j)", "y(i) += exp(A(i,j)) * x(i)",
                           "p(j) = argmax(i, abs(A(i,j)) * x(i))", "p(j) = argmin(i, A(i,j) * x(i))"})
    all.push_back({line, {{"A", "coo_unsorted"}, {"x", "sv"}}, {}, {}});
  for (const char *line : {"v(j) = (A(i,j) - x(j)) * (A(i,j) - x(j))", "v(i) = exp(A(i,j)) + A(i,j) * x(j)"})
    all.push_back({line, {{"A", "symmetric_csr"}, {"v", "sv"}}, {}, {}});
  for (const char *program :
       {"for i { y(i) = inf; for j { y(i) min= A(i,j) * x(j) in min.+; } }",
        "for i { let m = -inf; for j { m max= A(i,j) * x(j) in max.+; } y(i) = max(m, 0); }",
        "for i { let a = 0; for j { a or= A(i,j); } y(i) = not(a); }"})
    all.push_back({program, {{"A", "csr"}}, {}, {}});
  leave_out_other_formats(all);
  return all;
}

} // namespace

TEST(Operators, on_small_inputs) {
  std::mt19937_64 random(20);
  check_each_on_small_inputs(problems(), 6, random);
}

/// Rows of all lengths, empty ones too, where what is reduced takes vectors of entries, or is the same for
/// all.
TEST(Operators, rows_in_vectors_or_at_once) {
  for (const char *line :
       {"y(i) = A(i,j) * x(j) in plus.first", "y(i) = 3 * A(i,j) * z(i) * A(i,j)", "y(i) = z(i) - A(i,j)",
        "y(i) = A(i,j) * x(j) in plus.pair", "y(i) = A(i,j) * x(j) in any.pair",
        "y(i) = A(i,j) * z(i) in plus.second", "y(i) = A(i,j) * z(i) in min.second",
        "y(i) = A(i,j) * x(j) in xor.and", "for i { let n = 1; for j { n += 1 mask A(i,j); } y(i) = n; }"})
    for (const char *matrix : {"rmat:scale=9,edges=6,seed=5", "random:512x512,density=0.05",
                               "banded:512,width=9", "banded:512,width=2"})
      for (const char *type : {"f64", "f32"}) {
        run::Request request;
        request.compile.expression = line;
        request.compile.formats = {{"A", "csr"}};
        request.compile.value = value::type_called(type);
        request.inputs = {{"A", matrix}};
        for (const char *vector : {"x", "z"})
          if (std::string(line).find(vector + std::string("(")) != std::string::npos)
            request.inputs[vector] = "random:512,density=0.5";
        request.check = true;
        SCOPED_TRACE(std::string(line) + " " + matrix + " " + type);
        const run::Report report = run::run(request);
        ASSERT_TRUE(report.comparison && report.comparison->ok);
      }
}

/// Results of few entries, which are listed, and of many, in which values don't begin at 0.
TEST(Operators, few_entries_and_many) {
  for (const char *semiring : {"min.+", "max.times", "min.second"})
    for (const char *size : {"300", "30000"})
      for (const char *few : {"entries=0", "entries=1", "entries=5", "density=0.01", "density=0.6"}) {
        run::Request request;
        request.compile.expression = std::string("y(i) = A(i,j) * x(j) in ") + semiring;
        request.compile.formats = {{"A", "csc"}, {"x", "sv"}, {"y", "sv"}};
        request.inputs = {{"A", std::string("banded:") + size + ",width=3"},
                          {"x", std::string("random:") + size + "," + few}};
        request.check = true;
        SCOPED_TRACE(request.compile.expression + " " + size + " " + few);
        const run::Report report = run::run(request);
        ASSERT_TRUE(report.comparison && report.comparison->ok);
        EXPECT_NE(report.c_text.find("_present_list"), std::string::npos);
      }
}

/// Rows of all lengths, in which something is true at the begin, at the end or nowhere: they are gone through
/// several entries at a time, and left.
TEST(Operators, rows_that_are_left_early) {
  for (const char *line : {"y(i) = A(i,j) * x(j) in or.and", "y(i) or= A(i,j) * x(j) in or.second",
                           "for i { let all = 1; for j { all and= not(x(j)) mask A(i,j); } y(i) = all; }",
                           "for i { let some = x(i); for j { some or= x(j) mask A(i,j); } y(i) = some; }"})
    for (const char *matrix :
         {"rmat:scale=9,edges=6,seed=5", "random:512x512,density=0.01", "banded:512,width=2"})
      for (const char *truths : {"random:512,entries=0", "random:512,entries=3", "random:512,entries=60",
                                 "random:512,density=0.5", "random:512,density=1"}) {
        run::Request request;
        request.compile.expression = line;
        request.compile.formats = {{"A", "csr"}};
        request.inputs = {{"A", matrix}, {"x", truths}};
        request.check = true;
        SCOPED_TRACE(std::string(line) + " " + matrix + " " + truths);
        const run::Report report = run::run(request);
        ASSERT_TRUE(report.comparison && report.comparison->ok);
      }
}

} // namespace unravel::run::test
