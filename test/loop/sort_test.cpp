// Sorting in a loop program: what it does, what it needs, and that nothing moves over it.
#include "list_kernels.h"
#include "loop/interpret.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace unravel;
using namespace unravel::loop;

namespace {

Program with_body(const std::string &body, const std::string &head) {
  return parse_program(head + "{\n" + body + "}\n");
}

std::string refusal(const std::string &body, const std::string &head) {
  try {
    verify(with_body(body, head));
  } catch (const report::Error &error) {
    return error.diagnostic().message;
  }
  return "no error";
}

/// The order of the keys that the program finds.
std::vector<std::int64_t> sorted(const Program &program, const std::vector<std::int64_t> &keys,
                                 std::vector<std::int64_t> *of_order = nullptr) {
  Memory memory;
  const auto count = static_cast<std::int64_t>(keys.size());
  memory.sizes = {{"C.N", count}, {"x.N", count}};
  memory.indices["x.key"] = keys;
  EXPECT_EQ(interpret(program, memory), 0);
  if (of_order) *of_order = memory.indices["C.key"];
  return memory.indices["C.idx"];
}

} // namespace

TEST(Sort, its_text_is_read_back) {
  const Program program = parse_program(test::head_of_sort("int32", 2) + test::sorting);
  const std::string text = to_text(program);
  EXPECT_NE(text.find("\n  sort order by keys in room, x.N\n"), std::string::npos) << text;
  EXPECT_EQ(to_text(parse_program(text)), text);
  EXPECT_NO_THROW(verify(program));
}

TEST(Sort, equal_keys_keep_their_order_in_every_form_of_the_program) {
  std::mt19937 random(7);
  for (const char *type : {"int32", "int64"}) {
    const Program program =
        parse_program(test::head_of_sort(type, std::string(type) == "int32" ? 2 : 4) + test::sorting);
    for (std::size_t count : {0U, 1U, 2U, 5U, 50U})
      for (int least : {0, -3}) {
        std::vector<std::int64_t> keys(count), order(count);
        for (std::int64_t &key : keys)
          key = least + static_cast<std::int64_t>(random() % 5);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
          return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
        });
        for (const Program &each : {program, improve(program)}) {
          std::vector<std::int64_t> of_order;
          EXPECT_EQ(sorted(each, keys, &of_order), order);
          EXPECT_TRUE(std::is_sorted(of_order.begin(), of_order.end()));
        }
      }
  }
}

TEST(Sort, keys_without_an_order_are_sorted_by_themselves) {
  std::string text = test::head_of_sort("int32", 1) + test::sorting;
  const std::string from = "sort order by keys in", to = "sort keys in";
  text.replace(text.find(from), from.size(), to);
  const Program program = parse_program(text);
  EXPECT_EQ(to_text(parse_program(to_text(program))), to_text(program));
  for (const Program &each : {program, improve(program)}) {
    std::vector<std::int64_t> keys;
    EXPECT_EQ(sorted(each, {5, -1, 5, 0}, &keys), (std::vector<std::int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(keys, (std::vector<std::int64_t>{-1, 0, 5, 5}));
  }
}

/// Bits with a list of those that are set, in both of its ways.
TEST(Sort, members_of_a_set_come_in_order) {
  const Program program = parse_program(test::listing_distinct_keys);
  EXPECT_EQ(to_text(parse_program(to_text(program))), to_text(program));
  std::mt19937 random(3);
  for (const Program &each : {program, improve(program)})
    for (std::int64_t extent : {1, 33, 64, 300})
      for (std::size_t count : {0U, 1U, 5U, 100U}) {
        std::vector<std::int64_t> keys(count);
        for (std::int64_t &key : keys)
          key = static_cast<std::int64_t>(random()) % extent;
        Memory memory;
        memory.sizes = {{"C.N", 1}, {"x.N", static_cast<std::int64_t>(count)}, {"x.M", extent}};
        memory.indices["x.key"] = keys;
        EXPECT_EQ(interpret(each, memory), 0);
        std::ranges::sort(keys);
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        EXPECT_EQ(memory.indices["C.idx"], keys);
      }
}

TEST(Sort, words_of_bits_are_cleared_where_there_are_some) {
  const std::string head = test::head_of_sort("int32", 1) + "workspace bits[x.N] : bit = 0\n";
  const std::string end = "  count C.NNZ = 0\n", before = "malformed loop program: ";
  EXPECT_EQ(refusal("  zero bits, x.N\n  bits(0) := 0 word\n" + end, head), "no error");
  EXPECT_EQ(refusal("  bits(0) := 1 word\n" + end, head),
            before + "`bits` has no words of bits that are set to 0");
  EXPECT_EQ(refusal("  order(0) := 0 word\n" + end, head),
            before + "`order` has no words of bits that are set to 0");
  EXPECT_EQ(refusal("  for i in 0 .. x.N parallel 1 {\n    zero bits, x.N\n  }\n" + end, head),
            before + "iterations of a parallel loop race for words of `bits`");
  Memory memory;
  memory.sizes = {{"C.N", 70}, {"x.N", 70}};
  memory.indices["x.key"].resize(70);
  interpret(
      with_body("  bits(1) := 1\n  bits(63) := 1\n  bits(64) := 1\n  bits(62) := 0 word\n"
                "  reserve C.NNZ >= 3 : C.idx, C.key, C.val\n  C.idx(0) := bits(1)\n"
                "  C.idx(1) := bits(63)\n  C.idx(2) := bits(64)\n  for s in 0 .. 3 {\n    C.key(s) := 0\n"
                "    C.val[s] = 1\n  }\n  zero bits, 70\n  count C.NNZ = 3\n",
                head),
      memory);
  EXPECT_EQ(memory.indices["C.idx"], (std::vector<std::int64_t>{0, 0, 1}));
}

/// A load of the order before the sort is another value than the same load after it.
TEST(Sort, loads_stay_on_their_side) {
  const Program program = with_body(R"(  for p in 0 .. x.N {
    order(p) := p
    keys(p) := x.key(p)
  }
  reserve C.NNZ >= 2 : C.idx, C.key, C.val
  C.idx(0) := order(0)
  C.key(0) := keys(0)
  C.val[0] = 1
  sort order by keys in room, x.N
  C.idx(1) := order(0)
  C.key(1) := keys(0)
  C.val[1] = 1
  count C.NNZ = 2
)",
                                    test::head_of_sort("int32", 2));
  for (const Program &each : {program, improve(program)}) {
    std::vector<std::int64_t> keys;
    EXPECT_EQ(sorted(each, {9, 4, 7}, &keys), (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(keys, (std::vector<std::int64_t>{9, 4}));
  }
}

TEST(Sort, a_sort_in_a_loop_stays_there) {
  const Program program = with_body(R"(  for p in 0 .. x.N {
    order(p) := p
    keys(p) := x.key(p)
  }
  reserve C.NNZ >= x.N : C.idx, C.key, C.val
  for p in 0 .. x.N {
    C.idx(p) := order(0)
    C.key(p) := keys(0)
    C.val[p] = 1
    sort order by keys in room, p + 1
  }
  count C.NNZ = x.N
)",
                                    test::head_of_sort("int64", 4));
  for (const Program &each : {program, improve(program)}) {
    std::vector<std::int64_t> keys;
    EXPECT_EQ(sorted(each, {9, 7, 8, 2}, &keys), (std::vector<std::int64_t>{0, 0, 1, 1}));
    EXPECT_EQ(keys, (std::vector<std::int64_t>{9, 9, 7, 7}));
  }
}

TEST(Sort, what_is_malformed_is_refused) {
  const std::string head = test::head_of_sort("int32", 2), end = "  count C.NNZ = 0\n";
  const std::string before = "malformed loop program: ";
  const auto of = [&](const std::string &sort, const std::string &with) { return refusal(sort + end, with); };
  EXPECT_EQ(of("  sort order by keys in room, x.N\n", head), "no error");
  EXPECT_EQ(of("  sort order by order in room, x.N\n", head),
            before + "`order` is sorted by itself, or in an array of its own");
  EXPECT_EQ(of("  sort order by keys in keys, x.N\n", head),
            before + "`keys` has elements of another type than sorting needs");
  EXPECT_EQ(of("  sort order by keys in room, x.N\n",
               test::head_of_sort("int64", 4) + "workspace other[1] : int32\n"),
            "no error");
  EXPECT_EQ(of("  sort order by other in room, x.N\n", head + "workspace other[x.N] : int64\n"),
            before + "`other` has elements of another type than sorting needs");
  EXPECT_EQ(of("  sort order by bits in room, x.N\n", head + "workspace bits[x.N] : bit\n"),
            before + "`bits` is sorted, but is no workspace array of integers");
  EXPECT_EQ(of("  sort C.idx by keys in room, x.N\n", head),
            before + "`C.idx` is sorted, but is no workspace array of integers");
  EXPECT_EQ(of("  for i in 0 .. x.N parallel 1 {\n    sort order by keys in room, i\n  }\n", head),
            before + "iterations of a parallel loop race for `order`");
}

TEST(Sort, the_interpreter_finds_arrays_that_are_too_short) {
  const auto message = [](const std::string &count, const std::string &head) -> std::string {
    Memory memory;
    memory.sizes = {{"C.N", 3}, {"x.N", 3}};
    memory.indices["x.key"] = {1, 2, 3};
    try {
      interpret(with_body("  for p in 0 .. x.N {\n    order(p) := p\n    keys(p) := 1\n  }\n  sort order by "
                          "keys in room, " +
                              count + "\n  count C.NNZ = 0\n",
                          head),
                memory);
    } catch (const report::Error &error) {
      return error.diagnostic().message;
    }
    return "no error";
  };
  EXPECT_EQ(message("3", test::head_of_sort("int32", 2)), "no error");
  EXPECT_EQ(message("-1", test::head_of_sort("int32", 2)), "no error");
  EXPECT_EQ(message("4", test::head_of_sort("int32", 2)),
            "array `order` is accessed at slot 3, its extent is 3");
  EXPECT_EQ(message("3", test::head_of_sort("int32", 1)),
            "array `room` is accessed at slot 5, its extent is 3");
  EXPECT_EQ(message("3", test::head_of_sort("int64", 2)),
            "array `room` is accessed at slot 11, its extent is 6");
}
