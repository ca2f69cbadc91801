// Results that a program assembles: their counts and arrays are its own.
#include "golden.h"
#include "loop/interpret.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "loop/walk.h"
#include "report/diagnostic.h"

using namespace unravel;
using namespace unravel::loop;

namespace {

const std::string head = R"(kernel k
expression e
result C : csr(M, N)
  assembled
  count NNZ
  index rowptr[C.M + 1] : int32
  index col[C.NNZ] : int32
  value val[C.NNZ] : float64
operand x : v(N)
  value val[x.N] : float64
)";

Program with_body(const std::string &body, const std::string &before = "") {
  return parse_program(head + before + "{\n" + body + "}\n");
}

/// A row for each stored value x(i), as long as i: entries (r, 0 .. i) with that value.
Program appending() {
  return with_body(R"(  var n = 0
  C.rowptr(0) := 0
  for i in 0 .. x.N {
    value s = x.val[i]
    if stored s {
      for j in 0 .. i {
        reserve C.NNZ >= n + 1 : C.col, C.val
        C.col(n) := j
        C.val[n] = s
        if 0 < j {
          if C.col(n - 1) != j - 1 {
            miss
          }
        }
        n := n + 1
      }
    }
    C.rowptr(i + 1) := n
  }
  count C.NNZ = n
)",
                   "require C.M = x.N : the sizes agree\n");
}

Memory with_values(const std::vector<double> &values) {
  Memory memory;
  const auto count = static_cast<std::int64_t>(values.size());
  memory.sizes = {{"C.M", count}, {"C.N", count}, {"x.N", count}};
  memory.values["x.val"] = values;
  return memory;
}

std::string message_of(const std::function<void()> &action) {
  try {
    action();
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::internal);
    return error.diagnostic().message;
  }
  return "no error";
}

std::string message_of(const std::string &body, const std::vector<double> &values = {1, 2, 3}) {
  Memory memory = with_values(values);
  const Memory before = memory;
  std::string message = message_of([&] { interpret(with_body(body), memory); });
  if (message != "no error") {
    EXPECT_TRUE(memory.sizes == before.sizes && memory.indices == before.indices);
  }
  return message;
}

std::string refusal(const Program &program) {
  const std::string message = message_of([&] { verify(program); });
  const std::string before = "malformed loop program: ";
  return message.rfind(before, 0) == 0 ? message.substr(before.size()) : message;
}

std::string refusal(const std::string &body, const std::string &before = "") {
  return refusal(with_body(body, before));
}

Program with(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return parse_program(text.replace(at, from.size(), to));
}

const std::string reserve = "reserve C.NNZ >= 5 : C.col, C.val\n", set = "count C.NNZ = 3\n";

} // namespace

TEST(Assembled, arrays_of_the_workspace_grow) {
  const std::string arrays = "workspace w.idx[0] : int32 grows\nworkspace w.val[0] : float64 grows\n";
  const std::string fill = R"(  var n = 0
  for i in 0 .. x.N {
    value s = x.val[i]
    if stored s {
      reserve room >= n + 1 : w.idx, w.val
      w.idx(n) := i
      w.val[n] = s
      n := n + 1
    }
  }
  reserve C.NNZ >= n : C.col, C.val
  for p in 0 .. n {
    C.col(p) := w.idx(p)
    C.val[p] = w.val[p]
  }
  count C.NNZ = n
)";
  const Program program = with_body(fill, arrays);
  EXPECT_EQ(to_text(parse_program(to_text(program))), to_text(program));
  for (const Program &each : {program, improve(program)}) {
    Memory memory = with_values({5, 0, 7});
    EXPECT_EQ(interpret(each, memory), 0);
    EXPECT_EQ(memory.indices["C.col"], (std::vector<std::int64_t>{0, 2}));
    EXPECT_EQ(memory.values["C.val"], (std::vector<double>{5, 7}));
  }
  Memory memory = with_values({1, 2});
  EXPECT_EQ(message_of([&] {
              interpret(
                  with_body("  reserve room >= 2 : w.idx\n  w.idx(2) := 1\n  count C.NNZ = 0\n", arrays),
                  memory);
            }),
            "array `w.idx` is accessed at slot 2, its extent is 2");
  EXPECT_EQ(refusal("  reserve room >= 2 : C.col\n  count C.NNZ = 0\n", arrays),
            "`C.col` is no workspace array that grows");
  EXPECT_EQ(
      refusal("  for i in 0 .. x.N parallel 1 {\n    reserve room >= i : w.idx\n  }\n  count C.NNZ = 0\n",
              arrays),
      "room is reserved in a parallel or simd loop");
  EXPECT_EQ(refusal("  count C.NNZ = 0\n", "workspace w.idx[x.N] : int32 grows\n"),
            "array `w.idx` can't grow");
}

TEST(Assembled, a_result_grows_and_has_its_length_at_the_end) {
  Memory memory = with_values({5, 0, 7, -0.0});
  EXPECT_EQ(interpret(appending(), memory), 0);
  EXPECT_EQ(memory.sizes["C.NNZ"], 5);
  EXPECT_EQ(memory.indices["C.rowptr"], (std::vector<std::int64_t>{0, 0, 0, 2, 5}));
  EXPECT_EQ(memory.indices["C.col"], (std::vector<std::int64_t>{0, 1, 0, 1, 2}));
  EXPECT_EQ(memory.values["C.val"], (std::vector<double>{7, 7, -0.0, -0.0, -0.0}));
  Memory none = with_values({0, 0});
  EXPECT_EQ(interpret(appending(), none), 0);
  EXPECT_EQ(none.sizes["C.NNZ"], 0);
  EXPECT_EQ(none.indices["C.rowptr"], (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_TRUE(none.indices.at("C.col").empty() && none.values.at("C.val").empty());
}

TEST(Assembled, what_was_there_before_is_replaced_where_the_run_ends_well) {
  Memory memory = with_values({0, 3});
  memory.sizes["C.NNZ"] = 9, memory.indices["C.col"] = {8, 8}, memory.values["C.val"] = {8};
  Memory refused = memory;
  refused.sizes["C.M"] = 7;
  const Memory before = refused;
  EXPECT_EQ(interpret(appending(), refused), 1);
  EXPECT_TRUE(refused.sizes == before.sizes && refused.indices == before.indices &&
              refused.values == before.values);
  EXPECT_EQ(interpret(appending(), memory), 0);
  EXPECT_EQ(memory.sizes["C.NNZ"], 1);
  EXPECT_EQ(memory.indices["C.col"], (std::vector<std::int64_t>{0}));
  Memory missed = before;
  EXPECT_EQ(interpret(with_body(reserve + "miss\n" + set), missed), 3);
  EXPECT_TRUE(missed.sizes == before.sizes && missed.indices == before.indices &&
              missed.values == before.values);
}

TEST(Assembled, what_is_reserved_stays_and_no_more_is_there) {
  EXPECT_EQ(message_of("C.col(0) := 1\n" + reserve + set),
            "array `C.col` is accessed at slot 0, its extent is 0");
  EXPECT_EQ(message_of(reserve + "C.val[5] = 1\n" + set),
            "array `C.val` is accessed at slot 5, its extent is 5");
  EXPECT_EQ(message_of(reserve + "C.rowptr(C.col(5)) := 1\n" + set),
            "array `C.col` is accessed at slot 5, its extent is 5");
  EXPECT_EQ(message_of("C.rowptr(4) := 1\n" + set),
            "array `C.rowptr` is accessed at slot 4, its extent is 4");
  EXPECT_EQ(message_of(set), "array `C.col` has 0 elements, too few for the count of 3");
  EXPECT_EQ(message_of(reserve + "count C.NNZ = 6\n"),
            "array `C.col` has 5 elements, too few for the count of 6");
  EXPECT_EQ(message_of(reserve + "count C.NNZ = -1\n"), "the count `C.NNZ` is set to -1");
  EXPECT_EQ(message_of(reserve + set + "C.col(3) := 1\n"),
            "array `C.col` is accessed at slot 3, its extent is 3");
  // It doesn't shrink, and what isn't set is nothing to rely on.
  Memory memory = with_values({1});
  const std::string body = reserve + "C.col(4) := 6\nreserve C.NNZ >= 2 : C.col, C.val\n"
                                     "reserve C.NNZ >= 6 : C.col, C.val\nC.col(5) := C.col(4) + 1\n"
                                     "count C.NNZ = 6\n";
  EXPECT_EQ(interpret(with_body(body), memory), 0);
  EXPECT_EQ(memory.indices["C.col"][4], 6);
  EXPECT_EQ(memory.indices["C.col"][5], 7);
  EXPECT_LT(memory.indices["C.col"][0], 0);
  EXPECT_LT(memory.values["C.val"][5], 0);
  EXPECT_LT(memory.indices["C.rowptr"][1], 0);
}

TEST(Assembled, a_count_above_what_indices_hold_ends_the_run) {
  // Nothing is allocated: it would take far too long.
  const std::string huge = "reserve C.NNZ >= 5000000000 : C.col, C.val\nC.col(7) := 1\n" + set;
  const Program program = with_body("for i in 0 .. 3 {\nif i = 2 {\n" +
                                    huge.substr(0, huge.size() - set.size()) + "}\n}\n" + reserve + set);
  Memory memory = with_values({1});
  memory.sizes["C.NNZ"] = 9, memory.indices["C.col"] = {8};
  const Memory before = memory;
  EXPECT_EQ(interpret(program, memory), 4);
  EXPECT_TRUE(memory.sizes == before.sizes && memory.indices == before.indices &&
              memory.values == before.values);
  // With 64-bit indices that is a lack of memory, where it is one.
  std::string wide = head;
  for (std::size_t at = 0; (at = wide.find("int32", at)) != std::string::npos;)
    wide.replace(at, 5, "int64");
  EXPECT_EQ(
      interpret(parse_program(wide + "{\nreserve C.NNZ >= 500000000000000 : C.col, C.val\n" + set + "}\n"),
                memory),
      2);
  EXPECT_TRUE(memory.sizes == before.sizes && memory.indices == before.indices);
}

TEST(Assembled, a_workspace_that_a_run_leaves_early_holds_anything) {
  const std::string work = "workspace m[x.N] : int32 = 0\n";
  Memory memory = with_values({1});
  EXPECT_EQ(
      interpret(with_body("m(0) := 1\nreserve C.NNZ >= 5000000000 : C.col, C.val\nm(0) := 0\n" + set, work),
                memory),
      4);
}

TEST(Assembled, extents_may_be_more_than_the_count) {
  const Program program = parse_program(R"(kernel k
expression e
result C : tree(M, N)
  assembled
  count NR
  count NB
  index pos[C.NR + 1] : int64
  value val[C.NB, 2, C.N] : float32
{
  reserve C.NR >= 0 : C.pos
  C.pos(0) := 7
  reserve C.NR >= 2 : C.pos
  C.pos(2) := C.pos(0) + 1
  reserve C.NB >= 2 : C.val
  C.val[11] = 3
  count C.NB = 2
  count C.NR = 2
}
)");
  Memory memory;
  memory.sizes = {{"C.M", 1}, {"C.N", 3}};
  EXPECT_EQ(interpret(program, memory), 0);
  EXPECT_EQ(memory.indices["C.pos"].size(), 3U);
  EXPECT_EQ(memory.indices["C.pos"][2], 8);
  EXPECT_EQ(memory.values["C.val"].size(), 12U);
}

TEST(Assembled, passes_keep_the_meaning) {
  const Program program = appending();
  auto everything = [](const term::Term &load) {
    return load.as<term::Apply>()->function == "C.rowptr" || load.as<term::Apply>()->function == "x.val";
  };
  const Program improved = improve(program, {everything});
  verify(improved);
  for (const std::vector<double> &values :
       std::vector<std::vector<double>>{{}, {1}, {0, 4, 0, 9}, {1, 2, 3}}) {
    Memory expected = with_values(values), got = expected;
    EXPECT_EQ(interpret(program, expected), 0);
    EXPECT_EQ(interpret(improved, got), 0);
    EXPECT_EQ(got.indices, expected.indices);
    EXPECT_EQ(got.values, expected.values);
    EXPECT_EQ(got.sizes, expected.sizes);
  }
}

/// What was read before arrays grow isn't read behind that, and the other way round.
TEST(Assembled, no_access_changes_places_with_what_reserves) {
  const std::string text =
      "let k = C.col(0)\nreserve C.NNZ >= 9 : C.col, C.val\nlet l = C.col(0)\nC.col(1) := k + l\n";
  const Program one = with_body(reserve + text + set);
  const std::string made = to_text(improve(one, {}).body);
  EXPECT_LT(made.find("let k"), made.find("C.NNZ >= 9")) << made;
  const std::string sum =
      "for i in 0 .. 4 {\nreserve C.NNZ >= i + 1 : C.col, C.val\nC.val[0] += x.val[i]\n}\n";
  const Program two = with_body(sum + set);
  auto everything = [](const term::Term &) { return true; };
  EXPECT_EQ(to_text(accumulate_locally(two, {everything}).body), to_text(two.body));
  const Effects counted = effects_of(parse_block(set));
  EXPECT_TRUE(counted.touches("C.col") && counted.touches("C.val") && !counted.touches("x.val"));
  EXPECT_TRUE(counted.changes(term::apply("C.col", {term::Term(0)})));
  EXPECT_TRUE(counted.changes(term::variable("C.NNZ")));
}

TEST(Assembled, malformed_programs_are_refused) {
  EXPECT_EQ(refusal(reserve + set), "no error");
  EXPECT_EQ(refusal(set), "no error");
  EXPECT_EQ(refusal("if 0 < x.N {\n" + reserve + "}\nwhile x.N < 0 {\n" + reserve + "}\n" + set), "no error");
  EXPECT_EQ(refusal(reserve), "the count `C.NNZ` is never set");
  EXPECT_EQ(refusal(set + set), "`C.NNZ` is set twice");
  EXPECT_EQ(refusal("if 0 < x.N {\n" + set + "}\n"), "`C.NNZ` is set within another statement");
  EXPECT_EQ(refusal("for i in 0 .. 1 {\n" + set + "}\n"), "`C.NNZ` is set within another statement");
  EXPECT_EQ(refusal(set + reserve), "`C.NNZ` is reserved for when it is set");
  EXPECT_EQ(refusal("reserve C.NNZ >= 5 : C.col\n" + set),
            "the arrays reserved for `C.NNZ` are not those whose extents mention it");
  EXPECT_EQ(refusal("reserve C.NNZ >= 5 : C.rowptr, C.col, C.val\n" + set),
            "the arrays reserved for `C.NNZ` are not those whose extents mention it");
  EXPECT_EQ(refusal("reserve C.M >= 5\n" + set), "`C.M` is no count of an assembled result");
  EXPECT_EQ(refusal("count x.N = 5\n" + set), "`x.N` is no count of an assembled result");
  EXPECT_EQ(refusal("reserve C.NNZ >= k : C.col, C.val\n" + set), "`k` is not declared");
  EXPECT_EQ(refusal("let k = C.NNZ\n" + set), "the count `C.NNZ` is read, which the kernel sets");
  EXPECT_EQ(refusal(set + "for i in 0 .. C.NNZ {\n}\n"), "the count `C.NNZ` is read, which the kernel sets");
  EXPECT_EQ(refusal(set, "require C.NNZ = 3 : no\n"), "the count `C.NNZ` is read, which the kernel sets");
  EXPECT_EQ(refusal(set, "require C.rowptr(0) = 3 : no\n"),
            "a precondition reads the assembled array `C.rowptr`");
  EXPECT_EQ(refusal(set, "workspace m[C.NNZ] : int32\n"), "the count `C.NNZ` is read, which the kernel sets");
  EXPECT_EQ(refusal(set, "workspace m[3] : int32 if C.NNZ < 9\n"),
            "the count `C.NNZ` is read, which the kernel sets");
  EXPECT_EQ(refusal("for i in 0 .. 3 parallel 4 {\nfor j in 0 .. 3 {\n" + reserve + "}\n}\n" + set),
            "`C.NNZ` is reserved for in a parallel or simd loop");
  EXPECT_EQ(refusal("for i in 0 .. 3 simd {\n" + reserve + "}\n" + set),
            "`C.NNZ` is reserved for in a parallel or simd loop");
  EXPECT_EQ(refusal(reserve + "for i in 0 .. 3 parallel 4 copies C.val {\nC.val[1] += 1\n}\n" + set),
            "threads have copies of the assembled array `C.val`");
  EXPECT_EQ(
      refusal("value s = 0\nfor i in 0 .. 3 masked false uneven C.rowptr {\ns += x.val[B.f(i)]\n}\n" + set,
              "operand B : w(N)\n  index f[B.N] : int32\n"),
      "the loop over `i` asks for the assembled array `C.rowptr` before it is made");
  const std::string all = head + "{\n" + set + "}\n";
  EXPECT_EQ(refusal(with(all, "result C", "operand C")),
            "`C` is assembled, but no result of its own structure");
  EXPECT_EQ(refusal(with(all, "  assembled\n", "  like x\n  assembled\n")),
            "`C` is assembled, but no result of its own structure");
  EXPECT_EQ(refusal(with(all, "  assembled\n", "")), "`C.NNZ` is no count of an assembled result");
  EXPECT_EQ(refusal(with(all, "val[C.NNZ]", "val[C.N, C.NNZ]")),
            "an inner extent of `C.val` mentions a count");
  EXPECT_EQ(refusal(with(all, "  count NNZ\n  index rowptr[C.M + 1]",
                         "  count NNZ\n  count NB\n  index rowptr[C.NNZ + C.NB]")),
            "an extent of `C.rowptr` mentions several counts");
  EXPECT_EQ(refusal(with(all, "val[C.NNZ]", "val[C.rowptr(C.M)]")),
            "an extent of the assembled array `C.val` reads an array");
}
