// Dense nests as calls of BLAS: which nests, with which operands; that the loops' effect is theirs.
#include "loop/blas.h"

#include "loop/interpret.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "report/diagnostic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

using namespace unravel;
using namespace unravel::loop;

namespace {

/// A result C, operands A and B, each a matrix of M by N, and vectors x and z.
Program with_body(const std::string &body, const std::string &type = "float64") {
  std::string text =
      fmt::format("kernel k\nexpression e\nresult C : m(M, N)\n  value val[C.M, C.N] : {0}\n", type);
  for (const char *matrix : {"A", "B"})
    text += fmt::format("operand {0} : m(M, N)\n  value val[{0}.M, {0}.N] : {1}\n", matrix, type);
  for (const char *vector : {"x", "z"})
    text += fmt::format("operand {0} : v(N)\n  index key[{0}.N] : int32\n  value val[{0}.N] : {1}\n", vector,
                        type);
  return parse_program(text + "{\n" + body + "}\n");
}

std::string calls_of(const BlasCalls &made) {
  std::string text;
  std::function<void(const Block &)> visit = [&](const Block &block) {
    for (const Statement &statement : block) {
      if (const auto *call = std::get_if<Blas>(&statement.kind)) {
        std::string why;
        const auto form = form_of(*call, why);
        text += (text.empty() ? "" : " ") +
                (form ? fmt::format("{}{}{}", name_of(form->call), form->left_transposed ? " left" : "",
                                    form->right_transposed ? " right" : "")
                      : why);
      }
      if (const auto *loop = std::get_if<For>(&statement.kind)) visit(loop->body);
    }
  };
  visit(made.program.body);
  return text;
}

Memory memory_of(std::int64_t m, std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Memory memory;
  const auto values = [&](std::int64_t count) {
    std::vector<double> made(static_cast<std::size_t>(count));
    for (double &each : made)
      each = static_cast<double>(random() % 9) - 4;
    return made;
  };
  for (const char *matrix : {"A", "B", "C"}) {
    memory.sizes[std::string(matrix) + ".M"] = m;
    memory.sizes[std::string(matrix) + ".N"] = n;
    memory.values[std::string(matrix) + ".val"] = values(m * n);
  }
  for (const char *vector : {"x", "z"}) {
    memory.sizes[std::string(vector) + ".N"] = std::max(m, n);
    memory.values[std::string(vector) + ".val"] = values(std::max(m, n));
    std::vector<std::int64_t> keys(static_cast<std::size_t>(std::max(m, n)));
    for (std::int64_t &key : keys)
      key = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(std::max(m, n)));
    memory.indices[std::string(vector) + ".key"] = keys;
  }
  return memory;
}

/// What is called, in the order of the text; the program's effect is that of its loops.
std::string called(const std::string &body, bool keep_parallel = false) {
  const Program loops = with_body(body);
  verify(loops);
  const BlasCalls made = call_blas(loops, keep_parallel);
  verify(made.program);
  EXPECT_EQ(to_text(parse_program(to_text(made.program))), to_text(made.program));
  const Program improved = improve(made.program);
  for (const auto &[m, n] : {std::pair<std::int64_t, std::int64_t>(3, 3), {5, 5}, {0, 0}, {1, 1}}) {
    Memory before = memory_of(m, n, 7), after = before, behind = before;
    EXPECT_EQ(interpret(loops, before), 0);
    EXPECT_EQ(interpret(made.program, after), 0);
    EXPECT_EQ(interpret(improved, behind), 0);
    EXPECT_EQ(before.values["C.val"], after.values["C.val"]) << to_text(made.program);
    EXPECT_EQ(before.values["C.val"], behind.values["C.val"]) << to_text(improved);
  }
  return calls_of(made);
}

/// Why the only nest isn't one.
std::string why_not(const std::string &body) {
  const Program loops = with_body(body);
  verify(loops);
  const BlasCalls made = call_blas(loops, false);
  EXPECT_EQ(made.calls, 0);
  EXPECT_EQ(to_text(made.program), to_text(loops));
  return made.left.empty() ? "" : made.left.front().variable + ": " + made.left.front().why;
}

} // namespace

TEST(Blas, each_of_the_five) {
  EXPECT_EQ(called("for j in 0 .. C.N {\n  C.val[0] += x.val[j] * z.val[j]\n}\n"), "dot");
  EXPECT_EQ(called("value s = 0\nfor j in 0 .. C.N {\n  s += x.val[j] * A.val[C.N*j]\n}\n"
                   "if 0 < C.N {\n  C.val[0] = s\n}\n"),
            "dot");
  EXPECT_EQ(called("for i in 0 .. A.M {\n  for j in 0 .. A.N {\n    if i = 2 {\n"
                   "      C.val[j] += 1\n    }\n  }\n  for j2 in 0 .. A.N {\n"
                   "    C.val[j2 + i*A.N] += x.val[x.key(i)] * z.val[j2]\n  }\n}\n"),
            "axpy");
  EXPECT_EQ(called("for i in 0 .. A.M {\n  for j in 0 .. A.N {\n"
                   "    C.val[j + i*A.N] += x.val[i] * z.val[j] * A.val[0]\n  }\n}\n"),
            "ger");
  EXPECT_EQ(called("for i in 0 .. A.M {\n  for j in 0 .. A.N {\n"
                   "    C.val[i] += A.val[j + i*A.N] * -2 * z.val[j]\n  }\n}\n"),
            "gemv");
  EXPECT_EQ(called("for i in 0 .. A.M {\n  for k in 0 .. A.N {\n    for j in 0 .. B.N {\n"
                   "      C.val[j + i*B.N] += A.val[k + i*A.N] * B.val[j + k*B.N]\n    }\n  }\n}\n"),
            "gemm");
}

/// Whatever the order of the loops, and of the factors.
TEST(Blas, orders_and_transposed_operands) {
  const std::pair<const char *, const char *> products[] = {
      {"A.val[k + i*A.N] * B.val[j + k*B.N]", "gemm"},
      {"A.val[i + k*A.N] * B.val[j + k*B.N]", "gemm left"},
      {"A.val[k + i*A.N] * B.val[k + j*B.N]", "gemm right"},
      {"B.val[k + j*B.N] * A.val[i + k*A.N]", "gemm left right"}};
  for (const auto &[product, name] : products)
    for (std::string order : {"ijk", "ikj", "jik", "jki", "kij", "kji"}) {
      std::string body;
      for (char index : order)
        body += fmt::format("for {} in 0 .. A.M {{\n", index);
      // The extents of a square matrix have several names: here they are all A.N.
      std::string text = product;
      for (std::size_t at; (at = text.find("B.N")) != std::string::npos;)
        text.replace(at, 3, "A.M");
      for (std::size_t at; (at = text.find("A.N")) != std::string::npos;)
        text.replace(at, 3, "A.M");
      body += "C.val[j + i*A.M] += " + text + "\n}\n}\n}\n";
      EXPECT_EQ(called(body), name) << body;
      std::string columns = body;
      columns.replace(columns.find("j + i*A.M"), 9, "i + j*A.M");
      EXPECT_EQ(called(columns).substr(0, 4), "gemm") << columns;
    }
  EXPECT_EQ(called("for j in 0 .. A.N {\n  for i in 0 .. A.M {\n"
                   "    C.val[j] += x.val[i] * A.val[j + i*A.N]\n  }\n}\n"),
            "gemv left");
}

/// What is cleared row by row is cleared in loops in front of the call.
TEST(Blas, cleared_elements) {
  const std::string gemm =
      "for i in 0 .. A.M parallel 4 {\n  for c in 0 .. B.N {\n    C.val[c + i*B.N] = 0\n  }\n"
      "  for k in 0 .. A.N {\n    for j in 0 .. B.N {\n"
      "      C.val[j + i*B.N] += A.val[k + i*A.N] * B.val[j + k*B.N]\n    }\n  }\n}\n";
  EXPECT_EQ(called(gemm), "gemm");
  const BlasCalls made = call_blas(with_body(gemm), false);
  ASSERT_EQ(made.program.body.size(), 2u);
  EXPECT_TRUE(std::get<Blas>(made.program.body[1].kind).threads);
  EXPECT_EQ(called(gemm, true), "gemv left"); // the parallel loop stays
  EXPECT_EQ(called("for j in 0 .. A.M {\n  C.val[j] = 0\n  for k in 0 .. A.N {\n"
                   "    C.val[j] += A.val[k + j*A.N] * x.val[k]\n  }\n}\n"),
            "gemv");
  // Other elements than those that are added to: the loop over i stays.
  EXPECT_EQ(called("for i in 0 .. A.M {\n  for c in 0 .. A.N {\n    C.val[c] = 0\n  }\n"
                   "  for j in 0 .. A.N {\n    C.val[j + i*A.N] += x.val[i] * z.val[j]\n  }\n}\n"),
            "axpy");
}

/// Blocks at the edge are shorter.
TEST(Blas, lengths_that_are_bounded) {
  const BlasCalls made =
      call_blas(with_body("for i in 0 .. min(C.N - x.key(0), 4) {\n  for j in 0 .. min(z.key(0), 3) {\n"
                          "    C.val[i] += A.val[j + 4*i] * z.val[j]\n  }\n}\n"),
                false);
  EXPECT_EQ(calls_of(made), "gemv");
  EXPECT_EQ(made.program.preconditions.size(), 0u);
}

TEST(Blas, sums_of_threads) {
  const std::string dot =
      "value s = 0\nfor j in 0 .. C.N parallel 64 sum s {\n  s += x.val[j] * z.val[j]\n}\n"
      "if 0 < C.N {\n  C.val[0] = s\n}\n";
  EXPECT_EQ(called(dot), "dot");
  EXPECT_EQ(called(dot, true), "");
  EXPECT_EQ(called("value s = 0\nfor i in 0 .. A.M parallel 64 sum s {\n  for j in 0 .. A.N {\n"
                   "    s += x.val[j] * A.val[j + i*A.N]\n  }\n}\nif 0 < C.N {\n  C.val[0] = s\n}\n"),
            "dot");
  EXPECT_EQ(called("for i in 0 .. A.M parallel 4 copies C.val {\n  for j in 0 .. A.N {\n"
                   "    C.val[j] += x.val[i] * A.val[j + i*A.N]\n  }\n}\n"),
            "");
}

TEST(Blas, why_a_nest_is_none) {
  EXPECT_EQ(why_not("for j in 0 .. C.N {\n  C.val[j] += x.val[j] * z.val[j]\n}\n"),
            "j: all of a product and the target change along one loop");
  EXPECT_EQ(why_not("for j in 0 .. C.N {\n  C.val[0] += x.val[j]\n}\n"),
            "j: along a loop one tensor alone changes");
  EXPECT_EQ(why_not("for j in 0 .. C.N {\n  C.val[0] += x.val[j] * z.val[j] * A.val[j]\n}\n"),
            "j: 3 factors change in it, BLAS multiplies two");
  EXPECT_EQ(why_not("for j in 0 .. C.N {\n  C.val[0] += x.val[x.key(j)] * z.val[j]\n}\n"),
            "j: elements of `x.val` aren't equally far apart in it");
  EXPECT_EQ(why_not("for j in 0 .. x.key(0) {\n  C.val[0] += x.val[j] * z.val[j]\n}\n"),
            "j: its loop's length, `x.key(0)`, isn't known from sizes");
  EXPECT_EQ(why_not("for j in 0 .. C.N simd {\n  C.val[j] += x.val[j]\n}\n"),
            "j: the loop was asked to be another one");
  EXPECT_EQ(why_not("for j in 0 .. C.N {\n  C.val[j] += C.val[0] * x.val[j]\n}\n"),
            "j: it reads what it adds to");
  EXPECT_EQ(why_not("for j in 0 .. C.N {\n  C.val[j] min= x.val[j]\n}\n"), "j: it doesn't add up");
  EXPECT_EQ(why_not("for j in 0 .. C.N {\n  C.val[j] += x.val[j] + z.val[j]\n}\n"),
            "j: it adds up more than a product");
  const BlasCalls integers =
      call_blas(with_body("for j in 0 .. C.N {\n  C.val[j] += x.val[j]\n}\n", "int32"), false);
  ASSERT_EQ(integers.left.size(), 1u);
  EXPECT_EQ(integers.left[0].why, "BLAS has values of one type, f32 or f64, and `x.val` has others");
}

/// Triangles: a loop inside has another length in each iteration; the rows are calls.
TEST(Blas, as_far_out_as_it_goes) {
  EXPECT_EQ(called("for i in 0 .. A.M {\n  for j in 0 .. A.N {\n    for r in 0 .. A.N {\n"
                   "      C.val[r + i*A.N] += A.val[r + i*A.N] * x.val[j]\n    }\n  }\n}\n"),
            "axpy"); // along i and r the target and one factor change
  const BlasCalls made = call_blas(with_body("for i in 0 .. A.M {\n  for j in 0 .. A.N {\n    C.val[i] += "
                                             "A.val[j + i*A.N] * z.val[j]\n  }\n}\n"),
                                   false);
  std::vector<std::string> conditions;
  for (const Precondition &each : made.program.preconditions)
    conditions.push_back(to_text(each.formula));
  EXPECT_EQ(conditions, (std::vector<std::string>{"A.M <= 2147483647", "A.N <= 2147483647"}));
}

TEST(Blas, verified) {
  const auto refused = [](const std::string &body) {
    try {
      verify(with_body(body));
    } catch (const report::Error &error) {
      return error.diagnostic().message;
    }
    return std::string("no error");
  };
  EXPECT_EQ(refused("blas C.val[0] by x.val[0] and z.val[0] scale 1 over C.N : 0, 1, 1\n"), "no error");
  EXPECT_NE(refused("blas C.val[0] by x.val[0] and z.val[0] scale 1 over C.N : 1, 1, 1\n")
                .find("BLAS has no such call"),
            std::string::npos);
  EXPECT_NE(refused("blas C.val[0] by C.val[1] scale 1 over C.N : 1, 1, 0\n").find("BLAS reads `C.val`"),
            std::string::npos);
  EXPECT_NE(refused("blas x.val[0] by z.val[0] scale 1 over C.N : 1, 1, 0\n").find("is written"),
            std::string::npos);
  EXPECT_NE(
      refused("for i in 0 .. C.M parallel 4 {\n  blas C.val[i*C.N] by x.val[0] scale 1 over C.N : 1, 1, 0 "
              "threads\n}\n")
          .find("has threads in a parallel loop"),
      std::string::npos);
}
