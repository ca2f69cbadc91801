#include "golden.h"
#include "loop/loop.h"
#include "loop/own_operators.h"
#include "loop/passes.h"
#include "loop/requests.h"
#include "loop/verify.h"
#include "report/diagnostic.h"
#include "term/read.h"

#include <sstream>

using namespace unravel;
using namespace unravel::loop;

namespace {

bool everything(const term::Term &) {
  return true;
}

/// A pass over statements without parameters.
std::string on_block(const std::string &input, Program (*pass)(Program, const Known &),
                     const Known &known = {}) {
  Program program;
  program.body = parse_block(input);
  return to_text(pass(program, known).body);
}

const char *const no_break = "a break leaves no loop, a parallel one, an intersection or a merge";

std::string message_of(const std::function<void()> &action) {
  try {
    action();
  } catch (const report::Error &error) {
    return error.what();
  }
  return "no error";
}

/// The first line says what is asked for: "jam p by 4, updates, nothing is safe".
std::string granted(const std::string &input, Request::Kind kind) {
  const std::string head = input.substr(0, input.find('\n'));
  std::istringstream words(head);
  Request request;
  std::string verb, by;
  words >> verb >> request.variable >> by;
  if (request.variable.ends_with(",")) request.variable.pop_back();
  request.kind = kind;
  if (by == "by") words >> request.factor;
  request.updates = head.find("updates") != std::string::npos;
  request.span = {std::make_shared<text::Source>("-s", head), 0, head.size()};
  bool safe = head.find("nothing is safe") == std::string::npos;
  Program program;
  program.body = parse_block(input.substr(head.size()));
  try {
    Requested made = grant(program, {request}, [&](const term::Term &) { return safe; });
    return to_text(made.program.body);
  } catch (const report::Error &error) {
    return error.what();
  }
}

} // namespace

TEST(LoopGolden, unroll) {
  test::golden_run("loop", "unroll",
                   [](const std::string &input) { return granted(input, Request::Kind::Unroll); });
}

TEST(LoopGolden, vectorise) {
  test::golden_run("loop", "vectorise",
                   [](const std::string &input) { return granted(input, Request::Kind::Vectorise); });
}

TEST(LoopGolden, jam) {
  test::golden_run("loop", "jam",
                   [](const std::string &input) { return granted(input, Request::Kind::Jam); });
}

TEST(LoopGolden, print_is_parse) {
  test::golden_run("loop", "print", [](const std::string &input) {
    Program program = parse_program(input);
    verify(program);
    std::string text = to_text(program);
    EXPECT_EQ(to_text(parse_program(text)), text);
    if (own_operators(program.body).empty()) { // what defines them stands in the program's head
      EXPECT_EQ(to_text(parse_block(to_text(program.body))), to_text(program.body));
    }
    return text;
  });
}

TEST(LoopGolden, fold) {
  test::golden_run("loop", "fold", [](const std::string &input) { return on_block(input, fold); });
}

TEST(LoopGolden, hoist) {
  test::golden_run("loop", "hoist", [](const std::string &input) { return on_block(input, hoist); });
}

TEST(LoopGolden, hoist_of_safe_loads) {
  test::golden_run("loop", "hoist_safe",
                   [](const std::string &input) { return on_block(input, hoist, {everything}); });
}

TEST(LoopGolden, share) {
  test::golden_run("loop", "share", [](const std::string &input) { return on_block(input, share); });
}

TEST(LoopGolden, accumulate) {
  test::golden_run("loop", "accumulate", [](const std::string &input) {
    return on_block(input, accumulate_locally, {everything});
  });
}

TEST(LoopGolden, fuse) {
  test::golden_run("loop", "fuse", [](const std::string &input) { return on_block(input, fuse); });
}

TEST(LoopGolden, strips) {
  test::golden_run("loop", "strips", [](const std::string &input) { return on_block(input, cut_strips); });
}

TEST(LoopGolden, clear_blocks) {
  test::golden_run("loop", "clear_blocks",
                   [](const std::string &input) { return on_block(input, clear_in_blocks); });
}

TEST(LoopGolden, full_blocks) {
  test::golden_run("loop", "full_blocks",
                   [](const std::string &input) { return on_block(input, split_full_blocks, {everything}); });
}

TEST(LoopGolden, multiply_in_tiles) {
  test::golden_run("loop", "multiply_in_tiles", [](const std::string &input) {
    Program program = multiply_in_tiles(parse_program(input));
    verify(program);
    program = sums_in_vectors(std::move(program));
    verify(program);
    return to_text(program);
  });
}

TEST(LoopGolden, skip_empty) {
  test::golden_run("loop", "skip_empty", [](const std::string &input) {
    Program program = skip_empty_segments(parse_program(input), {{}, {{"A.rowptr", 0.25}}});
    verify(program);
    return to_text(program.body);
  });
}

TEST(LoopGolden, single_entries) {
  test::golden_run("loop", "single_entries", [](const std::string &input) {
    Program program =
        take_single_entries(parse_program(input), {{}, {{"P.rowptr", 1}, {"P.rowptr.single", 1}}});
    verify(program);
    return to_text(program.body);
  });
}

TEST(LoopGolden, group_rows) {
  test::golden_run("loop", "group_rows", [](const std::string &input) {
    Program program = group_rows(parse_program(input), {{}, {{"A.rowptr", 30}}});
    verify(program);
    return to_text(program);
  });
}

TEST(LoopGolden, prefetch_segments) {
  test::golden_run("loop", "prefetch_segments", [](const std::string &input) {
    Known known{{}, {{"B.M", 1e6}, {"B.rowptr", 2}, {"D.M", 1e6}, {"D.rowptr", 40}}};
    known.name_elements = [](const std::string &keys, const term::Term &) { return keys == "A.col"; };
    Program program = prefetch_segments(parse_program(input), known);
    verify(program);
    return to_text(program.body);
  });
}

TEST(LoopGolden, own_sums) {
  test::golden_run("loop", "own_sums", [](const std::string &input) {
    Program program = leave_settled(reduce_in_own_locals(parse_program(input)));
    verify(program);
    return to_text(program.body);
  });
}

TEST(LoopGolden, reduce_at_once) {
  test::golden_run("loop", "reduce_at_once", [](const std::string &input) {
    Program program = reduce_at_once(parse_program(input));
    verify(program);
    return to_text(program.body);
  });
}

TEST(LoopGolden, truths) {
  test::golden_run("loop", "truths", [](const std::string &input) {
    Program program = keep_truths(parse_program(input));
    verify(program);
    return to_text(program.body);
  });
}

TEST(LoopGolden, settled) {
  test::golden_run("loop", "settled", [](const std::string &input) {
    Program program = leave_settled(parse_program(input));
    verify(program);
    return to_text(program.body);
  });
}

TEST(LoopGolden, masked) {
  test::golden_run("loop", "masked", [](const std::string &input) {
    auto name_elements = [](const std::string &keys, const term::Term &) { return keys == "A.col"; };
    Program program = mask_sums(parse_program(input), {{}, {}, name_elements});
    verify(program);
    return to_text(program.body);
  });
}

TEST(LoopGolden, masked_where_lengths_are_known) {
  test::golden_run("loop", "masked_known", [](const std::string &input) {
    Program program = mask_sums(parse_program(input), {{}, {{"A.rowptr", 5}, {"A.ptr", 7}}});
    verify(program);
    return to_text(program.body);
  });
}

TEST(LoopGolden, sums_in_vectors) {
  test::golden_run("loop", "sums_in_vectors", [](const std::string &input) {
    const Program program = sums_in_vectors(parse_program(input));
    verify(program);
    return to_text(program.body);
  });
}

TEST(LoopGolden, improve) {
  test::golden_run("loop", "improve", [](const std::string &input) {
    Program program = improve(parse_program(input), {everything});
    verify(program);
    return to_text(program);
  });
}

TEST(LoopText, messages_of_kind_bad_ir_text) {
  EXPECT_EQ(message_of([] { term::read_term("p + * 3"); }),
            "text:1:5: error: expected a term [bad-ir-text]\n"
            "  1 | p + * 3\n"
            "    |     ^\n"
            "  hint: the notation is the one that the printers of terms and loops write\n");
  EXPECT_EQ(message_of([] { parse_block("let p = 3\nfor i in 0 {\n}\n"); }),
            "text:2:12: error: expected `..` [bad-ir-text]\n"
            "  2 | for i in 0 {\n"
            "    |            ^\n"
            "  hint: the notation is the one that the printers of terms and loops write\n");
}

TEST(LoopText, terms_are_read_as_printed) {
  for (const char *text : {"true",
                           "false",
                           "0",
                           "-3",
                           "p",
                           "A#2.p",
                           "2*p + q - 3*r - 1",
                           "-p",
                           "-p - 3",
                           "floor(p / 4)",
                           "floor((p + 1) / 4)",
                           "p mod 3",
                           "(p + q) mod 3",
                           "2*(p mod 3) + 1",
                           "p*q",
                           "2*p*q - 1",
                           "p*(q + 1)",
                           "min(p, q, 3)",
                           "max(p + 1, f(q, 0))",
                           "A.rowptr(A.col(p) + 1)",
                           "p < q",
                           "p <= q + 2",
                           "0 <= p",
                           "p <= 5",
                           "p = 3",
                           "p != q",
                           "p < q and q < r or p = 0",
                           "(p < q or q < r) and p = 0",
                           "not (p < q and q < r)",
                           "2*p + 1 = (q mod 3)"}) {
    term::Term read = term::read_term(text);
    EXPECT_EQ(to_text(read), text);
    EXPECT_EQ(term::read_term(to_text(read)), read);
  }
  EXPECT_EQ(to_text(term::read_term("ceil(p / 4)")), "floor((p + 3) / 4)");
  EXPECT_EQ(to_text(term::read_term("0 <= p < n")), "0 <= p and p < n");
  for (const char *text : {"", "p +", "(p", "f(p", "p = ", "p < q + (a = b)", "not p", "floor(p / 0)", "p q",
                           "99999999999999999999", "and", "p mod q"})
    EXPECT_THROW(term::read_term(text), report::Error) << text;
}

TEST(LoopVerify, refuses_malformed_programs) {
  const std::string head = "kernel k\nexpression e\nresult y : v(N)\n  value val[y.N] : float64\n"
                           "operand A : w(N)\n  index f[A.N] : int32\n  value val[A.N] : float64\n{\n";
  auto refusal = [&](const std::string &body) {
    std::string message = message_of([&] { verify(parse_program(head + body + "}\n")); });
    const std::string before = "error: malformed loop program: ";
    if (message.rfind(before, 0) != 0) return message;
    return message.substr(before.size(), message.find(" [internal]") - before.size());
  };
  EXPECT_EQ(refusal("let i = 3\ny.val[i] = A.val[A.f(i)]\n"), "no error");
  EXPECT_EQ(refusal("y.val[i] = 1\n"), "`i` is not declared");
  EXPECT_EQ(refusal("let i = 1\nfor i in 0 .. 3 {\n}\n"), "`i` is declared twice");
  EXPECT_EQ(refusal("let i = A.g(1)\n"), "`A.g` is no index array");
  EXPECT_EQ(refusal("let i = A.f(1, 2)\n"), "`A.f(1, 2)` has 2 arguments, its array 1 extents");
  EXPECT_EQ(refusal("value s = A.f[1]\n"), "`A.f` is no value array");
  EXPECT_EQ(refusal("let i = 1\ni := 2\n"), "`i` can't be assigned to");
  EXPECT_EQ(refusal("A.val[0] = 1\n"), "`A.val` is written, but is no result's");
  EXPECT_EQ(refusal("value s = 1\nlet i = s\n"), "`s` is no integer");
  EXPECT_EQ(refusal("let i = 1\nvalue s = i\n"), "`i` is no value");
  EXPECT_EQ(refusal("break\n"), no_break);
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 4 {\nif i = 1 {\nbreak\n}\n}\n"), no_break);
  EXPECT_EQ(refusal("value s = 0\nfor i in 0 .. 3 parallel 4 {\ns += 1\n}\n"),
            "iterations of a parallel loop race for `s`");
  EXPECT_EQ(refusal("let k = 1\nfor i in 0 .. 3 parallel 4 {\ny.val[k] += 1\n}\n"),
            "iterations of a parallel loop race for `y.val[k]`");
  EXPECT_EQ(refusal("value s = 0\nfor i in 0 .. 3 parallel 4 sum s {\ns += 1\n}\n"), "no error");
  EXPECT_EQ(refusal("value s = 0\nfor i in 0 .. 3 parallel 4 sum s {\ns = 1\n}\n"),
            "iterations of a parallel loop race for `s`");
  EXPECT_EQ(refusal("value s = 0\nfor i in 0 .. 3 parallel 4 sum s {\ny.val[i] = s\n}\n"),
            "iterations of a parallel loop read their sum `s`");
  EXPECT_EQ(refusal("let k = 1\nfor i in 0 .. 3 parallel 4 copies y.val {\ny.val[k] += 1\n}\n"), "no error");
  const std::string no_copies = "the parallel loop over `i` can't add to copies of `y.val`";
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 4 copies y.val {\ny.val[i] = 1\n}\n"), no_copies);
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 4 copies y.val {\nvalue s = y.val[0]\ny.val[i] += s\n}\n"),
            no_copies);
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 4 sum s {\ns += 1\n}\n"), "`s` is not declared");
  EXPECT_EQ(refusal("value s = 0\nvalue t = 0\nfor i in 0 .. 3 parallel 4 sum s {\nt += 1\n}\n"),
            "iterations of a parallel loop race for `t`");
  const std::string shared = "for i in 0 .. 3 parallel 4 {\ny.val[i] = 1\n}\n",
                    no_team = "the loop over `l` is not one for a team";
  EXPECT_EQ(refusal("for l in 0 .. 3 team {\nlet k = l\n" + shared + "}\n"), "no error");
  EXPECT_EQ(refusal("for l in 0 .. 3 team {\n}\n"), no_team);
  EXPECT_EQ(refusal("for l in 0 .. 3 team {\ny.val[0] = 1\n" + shared + "}\n"), no_team);
  EXPECT_EQ(refusal("for l in 0 .. 3 team {\n" + shared + "let k = l\n}\n"), no_team);
  EXPECT_EQ(refusal("for l in 0 .. 3 team {\nfor i in 0 .. 3 {\ny.val[i] = 1\n}\n}\n"), no_team);
  EXPECT_EQ(refusal("for l in 0 .. 3 team {\nfor i in 0 .. 3 parallel 4 from 9 {\ny.val[i] = 1\n}\n}\n"),
            no_team);
  EXPECT_EQ(refusal("for k in 0 .. 3 parallel 4 {\nfor l in 0 .. 3 team {\n" + shared + "}\n}\n"), no_team);
  EXPECT_EQ(refusal("for i in 0 .. 3 step 0 {\n}\n"), "the step of the loop over `i` is not positive");
  const std::string no_masks = "the loop over `i` can't be a masked one";
  const std::string body = "{\ny.val[0] += 1\n}\n";
  const std::string sum = "{\ns += A.val[i] * A.val[A.f(i)]\n}\n", local = "value s = 0\n";
  EXPECT_EQ(refusal(local + "for i in 0 .. 3 masked 6 <= A.N " + sum), "no error");
  EXPECT_EQ(refusal(local + "for i in 0 .. 3 masked true " + sum), "no error");
  EXPECT_EQ(refusal("for i in 0 .. 3 masked true " + body), no_masks); // no sum with gathered elements
  EXPECT_EQ(refusal("for i in 0 .. 3 masked 6 <= A.f(0) " + body), no_masks);
  EXPECT_EQ(refusal("let n = 3\nfor i in 0 .. n masked 6 <= n " + body), no_masks);
  EXPECT_EQ(refusal("for i in 0 .. 3 step 2 masked true " + body), no_masks);
  EXPECT_EQ(refusal("for i in 0 .. 3 simd masked true " + body), no_masks);
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 4 masked true {\ny.val[i] += 1\n}\n"), no_masks);
  const std::string no_simd = "the loop over `i` can't be a simd loop";
  EXPECT_EQ(refusal("value s = 0\nfor i in 0 .. 3 simd {\ns += A.val[i]\n}\n"), "no error");
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 4 simd {\ny.val[i] += 1\n}\n"), "no error");
  EXPECT_EQ(refusal("value s = 0\nfor i in 0 .. 3 simd {\ns += A.val[i]\ny.val[i] += s\n}\n"), no_simd);
  EXPECT_EQ(refusal("value s = 0\nfor i in 0 .. 3 simd {\ns = A.val[i]\n}\n"), no_simd);
  EXPECT_EQ(refusal("for i in 0 .. 3 simd {\nfor k in 0 .. 3 {\n}\n}\n"), no_simd);
  EXPECT_EQ(refusal("for i in 0 .. 3 step 2 simd {\n}\n"), no_simd);
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 4 share 8 of A.N {\ny.val[i] += 1\n}\n"), "no error");
  const std::string no_work = "the loop over `i` has no work to share out";
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 4 share 8 {\ny.val[i] += 1\n}\n"), no_work);
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 4 guided share 8 of A.N {\ny.val[i] += 1\n}\n"), no_work);
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 0 static {\ny.val[i] += 1\n}\n"), "no error");
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 0 guided {\ny.val[i] += 1\n}\n"),
            "the parallel loop over `i` has no chunks");
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 1 {\natomic y.val[0] += 1\n}\n"), "no error");
  EXPECT_EQ(refusal("for i in 0 .. 3 {\natomic y.val[0] += 1\n}\n"),
            "the addition to `y.val` can't be atomic");
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 1 {\nvalue s = 0\natomic s += 1\n}\n"),
            "the addition to `s` can't be atomic");
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 1 {\nfor j in 0 .. 2 simd {\natomic y.val[j] += 1\n}\n}\n"),
            "the loop over `j` can't be a simd loop");
}

namespace {

/// What verify says of a loop over keys in a loop over k.
std::string refusal_of_keyed(const std::string &loop) {
  const std::string message = message_of([&] {
    verify(parse_program("kernel k\nexpression e\nresult y : v(N)\n  value val[y.N] : float64\n"
                         "operand A : w(N)\n  index f[A.N] : int32\n  index g[A.N, 2] : int32\n"
                         "workspace h[A.N] : int32\n{\nfor k in 0 .. 3 {\n" +
                         loop + "}\n}\n"));
  });
  const std::string before = "error: malformed loop program: ";
  if (message.rfind(before, 0) != 0) return message;
  return message.substr(before.size(), message.find(" [internal]") - before.size());
}

} // namespace

TEST(LoopVerify, refuses_malformed_intersections) {
  auto refusal = [](const std::string &first, const std::string &second, const std::string &body) {
    return refusal_of_keyed("intersect " + first + ", " + second + " {\n" + body + "}\n");
  };
  const std::string p = "p in 0 .. A.N by A.f", q = "q in k .. 3 by A.f";
  EXPECT_EQ(refusal(p, q, "y.val[p] += 1\ny.val[q] = 2\n"), "no error");
  EXPECT_EQ(refusal(p, "q in 0 .. 2 by h", "y.val[h(q)] = 1\n"), "no error");
  EXPECT_EQ(refusal(p, p, ""), "`p` is declared twice");
  EXPECT_EQ(refusal("k in 0 .. 1 by A.f", q, ""), "`k` is declared twice");
  EXPECT_EQ(refusal(p, "q in p .. 3 by A.f", ""), "`p` is not declared");
  EXPECT_EQ(refusal(p, "q in 0 .. 3 by A.e", ""), "`A.e` is no index array");
  EXPECT_EQ(refusal(p, "q in 0 .. 3 by y.val", ""), "`y.val` is no index array");
  EXPECT_EQ(refusal(p, "q in 0 .. 3 by A.g", ""), "the keys `A.g` have not exactly one extent");
  EXPECT_EQ(refusal(p, "q in 0 .. 2 by h", "h(0) := 1\n"),
            "the keys `h` are written where they are intersected");
  EXPECT_EQ(refusal(p, q, "p := 1\n"), "`p` can't be assigned to");
  EXPECT_EQ(refusal(p, q, "if p = 1 {\nbreak\n}\n"), no_break);
  EXPECT_EQ(refusal(p, q, "while p = 1 {\nbreak\n}\n"), "no error");
  for (const char *text :
       {"intersect p in 0 .. 3 by A.f { }", "intersect p in 0 .. 3, q in 0 .. 3 by A.f { }",
        "intersect p in 0 .. 3 by A.f, q in 0 .. 3 by A.f"})
    EXPECT_THROW(parse_block(text), report::Error) << text;
}

TEST(LoopVerify, refuses_malformed_merges) {
  auto refusal = [](const std::string &first, const std::string &at_first, const std::string &second,
                    const std::string &then) {
    return refusal_of_keyed("merge j {\nat " + first + " {\n" + at_first + "}\nat " + second +
                            " {\n}\nthen {\n" + then + "}\n}\n");
  };
  const std::string p = "p in 0 .. A.N by A.f", q = "q in k .. 3 by h";
  EXPECT_EQ(refusal(p, "y.val[p] += 1\n", q, "y.val[j] = 2\n"), "no error");
  EXPECT_EQ(refusal(p, "let q = j\n", q, "let p = j\n"), "no error");
  EXPECT_EQ(refusal(p, "", q, "y.val[p] = 2\n"), "`p` is not declared");
  EXPECT_EQ(refusal(p, "y.val[q] += 1\n", q, ""), "`q` is not declared");
  EXPECT_EQ(refusal(p, "", p, ""), "`p` is declared twice");
  EXPECT_EQ(refusal(p, "", "j in 0 .. 3 by h", ""), "`j` is declared twice");
  EXPECT_EQ(refusal(p, "let j = 0\n", q, ""), "`j` is declared twice");
  EXPECT_EQ(refusal(p, "", "q in p .. 3 by h", ""), "`p` is not declared");
  EXPECT_EQ(refusal(p, "", "q in j .. 3 by h", ""), "`j` is not declared");
  EXPECT_EQ(refusal(p, "", "q in 0 .. 3 by y.val", ""), "`y.val` is no index array");
  EXPECT_EQ(refusal(p, "", "q in 0 .. 3 by A.g", ""), "the keys `A.g` have not exactly one extent");
  EXPECT_EQ(refusal(p, "h(0) := 1\n", q, ""), "the keys `h` are written where they are merged");
  EXPECT_EQ(refusal(p, "", q, "h(0) := 1\n"), "the keys `h` are written where they are merged");
  EXPECT_EQ(refusal(p, "j := 1\n", q, ""), "`j` can't be assigned to");
  EXPECT_EQ(refusal(p, "break\n", q, ""), no_break);
  EXPECT_EQ(refusal(p, "", q, "break\n"), no_break);
  EXPECT_EQ(refusal_of_keyed("merge j {\nthen {\n}\n}\n"), "nothing is merged by `j`");
  for (const char *text : {"merge j {\nat p in 0 .. 3 by A.f {\n}\n}", "merge j {\nthen {\n}\n",
                           "merge j {\nthen {\n}\nat p in 0 .. 3 by A.f {\n}\n}"})
    EXPECT_THROW(parse_block(text), report::Error) << text;
}

TEST(LoopVerify, refuses_malformed_workspaces) {
  auto refusal = [&](const std::string &workspace, const std::string &body) {
    std::string message = message_of([&] {
      verify(parse_program(
          "kernel k\nexpression e\nresult y : v(N)\n  value val[y.N] : float64\noperand A : w(N)\n"
          "  index f[A.N] : int32\n" +
          workspace + "{\n" + body + "}\n"));
    });
    const std::string before = "error: malformed loop program: ";
    if (message.rfind(before, 0) != 0) return message;
    return message.substr(before.size(), message.find(" [internal]") - before.size());
  };
  const std::string all = "workspace m[A.N] : int32 = -1\nworkspace b[A.N] : bit = 0\n"
                          "workspace t[2*A.N] : bit = 0 per thread\nworkspace v[A.N] : float64 = 0\n";
  EXPECT_EQ(refusal(all, "m(0) := m(1)\nb(2) := 1\nv[0] = stored(v[1])\nzero v, A.N\n"), "no error");
  EXPECT_EQ(refusal("workspace A.f[3] : int32\n", ""), "array `A.f` is declared twice");
  EXPECT_EQ(refusal(all + "workspace m[3] : bit\n", ""), "array `m` is declared twice");
  EXPECT_EQ(refusal("workspace m[3] : int64 = 1\n", ""), "array `m` can't begin as 1");
  EXPECT_EQ(refusal("workspace m[3] : bit = -1\n", ""), "array `m` can't begin as -1");
  EXPECT_EQ(refusal("workspace m[3] : float32 = -1\n", ""), "array `m` can't begin as -1");
  EXPECT_EQ(refusal("workspace m[n] : bit\n", ""), "`n` is not declared");
  EXPECT_EQ(refusal("workspace m[A.f(0)] : bit\n", ""), "the extent of the array `m` reads an array");
  EXPECT_EQ(refusal("workspace m[3] : bit if A.N <= 7\n", ""), "no error");
  EXPECT_EQ(refusal("workspace m[3] : bit if n <= 7\n", ""), "`n` is not declared");
  EXPECT_EQ(refusal("workspace m[3] : bit if A.f(0) <= 7\n", ""),
            "the condition of the array `m` reads an array");
  EXPECT_EQ(refusal(all, "A.f(0) := 1\n"),
            "`A.f` is written, but is neither the result's nor of the workspace");
  EXPECT_EQ(refusal(all, "v(0) := 1\n"), "`v` is no index array");
  EXPECT_EQ(refusal(all, "m[0] = 1\n"), "`m` is no value array");
  EXPECT_EQ(refusal(all, "b(0) := 2\n"), "a bit of `b` is set to `2`, which is neither 0 nor 1");
  EXPECT_EQ(refusal(all, "for i in 0 .. 3 parallel 4 {\nt(i) := 1\nb(i) := 1\n}\n"),
            "iterations of a parallel loop race for words of `b`");
  EXPECT_EQ(refusal(all, "let i = 1\nif stored i {\n}\n"), "`i` is no value");
  EXPECT_EQ(refusal(all, "if stored w {\n}\n"), "`w` is not declared");
  EXPECT_EQ(refusal(all, "let i = hash(3)\n"), "`hash(3)` has no key");
  const std::string cant = "the loop over `i` can't test 32 iterations together";
  const std::string loop = "for i in 0 .. 3 together 32 {\n";
  EXPECT_EQ(refusal(all, loop + "let j = m(i)\nif b(j) = 1 {\ny.val[0] += 1\n}\n}\n"), "no error");
  EXPECT_EQ(refusal(all, loop + "y.val[0] += 1\n}\n"), cant);
  EXPECT_EQ(refusal(all, loop + "if b(i) = 1 {\nb(i) := 0\n}\n}\n"), cant);
  EXPECT_EQ(refusal(all, loop + "let j = m(i)\nif b(j) = 1 {\nm(i) := 0\n}\n}\n"), cant);
  EXPECT_EQ(refusal(all, loop + "if b(i) = 1 {\nbreak\n}\n}\n"), cant);
  EXPECT_EQ(refusal(all, loop + "if b(i) = 1 {\nm(i) := 0\n} else {\nm(i) := 1\n}\n}\n"), cant);
  EXPECT_EQ(refusal(all, "for i in 0 .. 3 together 65 {\nif b(i) = 1 {\nm(i) := 0\n}\n}\n"),
            "the loop over `i` can't test 65 iterations together");
}
