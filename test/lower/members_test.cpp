// Local tensors with members: what is inserted comes in order, once, and is taken out again.
#include "lower/members.h"

#include "loop/interpret.h"
#include "loop/passes.h"
#include "loop/walk.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace unravel;
using namespace unravel::lower;
using term::Term;

namespace {

Members members(double initial = 0) {
  return {"w",      "w.present", "w.list",
          "w.room", "w.count",   term::variable("x.M"),
          initial,  "w.val",     [](const Term &member) { return member; }};
}

Term key() {
  return term::apply("x.key", {term::variable("p")});
}

/// Adds 1 for each key, in one loop or as if in two; then lists all members with their values.
loop::Program counting(bool joined, double initial = 0) {
  const Members set = members(initial);
  const std::string kept = initial == 0 ? " = 0" : ""; // others find any values
  const std::string head = "kernel k\nexpression e\nresult C : list(N)\n  assembled\n  count NNZ\n"
                           "  index idx[C.NNZ] : int32\n  value val[C.NNZ] : float64\n"
                           "operand x : keys(N, M)\n  index key[x.N] : int32\n"
                           "workspace w.val[x.M] : float64" +
                           kept +
                           "\nworkspace w.present[x.M] : bit = 0\n"
                           "workspace w.list[x.M] : int32\nworkspace w.room[x.M] : int64\n{\n}\n";
  loop::Program program = loop::parse_program(head);
  loop::Block &body = program.body;
  body.push_back({loop::Declare{set.count, Term(0)}});
  body.push_back({loop::Declare{"end", Term(0)}});
  const auto all_keys = [&](bool listed) {
    loop::For loop{"p", Term(0), term::variable("x.N")};
    loop.body = insert_member(set, key(), listed);
    loop.body.push_back({loop::Accumulate{loop::Element{set.value, key()}, {loop::Number{1}}}});
    return loop::Block{{std::move(loop)}};
  };
  body.push_back({loop::If{set.are_listed(), all_keys(true), "", all_keys(false)}});
  const Term end = term::variable("end");
  loop::append(
      body, over_members(set, "j", [&] {
        return loop::Block{
            {loop::Reserve{"C.NNZ", end + Term(1), {"C.idx", "C.val"}}},
            {loop::SetElement{"C.idx", end, term::variable("j")}},
            {loop::Store{loop::Element{"C.val", end}, {loop::Element{set.value, term::variable("j")}}}},
            {loop::Assign{"end", end + Term(1)}},
        };
      }));
  loop::Block without = without_members(set);
  const bool is_joined = joined && joined_with(body, without);
  EXPECT_EQ(is_joined, joined);
  if (!is_joined) loop::append(body, std::move(without));
  body.push_back({loop::SetCount{"C.NNZ", end}});
  return program;
}

} // namespace

/// All keys are listed, or those behind the first; the list is sorted, or the bits are gone through.
TEST(Members, come_in_order_with_what_was_added) {
  std::mt19937 random(1);
  for (const auto &[joined, initial] : {std::pair(false, 0.0), {true, 0.0}, {false, 7.0}, {true, 7.0}}) {
    const loop::Program program = counting(joined, initial);
    EXPECT_EQ(loop::to_text(loop::parse_program(loop::to_text(program))), loop::to_text(program));
    for (const loop::Program &each : {program, loop::improve(program)})
      for (std::int64_t extent : {1, 70, 3000})
        for (std::size_t count : {0U, 1U, 4U, 30U, 200U}) {
          loop::Memory memory;
          memory.sizes = {{"C.N", 1}, {"x.N", static_cast<std::int64_t>(count)}, {"x.M", extent}};
          std::map<std::int64_t, double> expected;
          for (std::size_t k = 0; k < count; ++k) {
            const auto drawn = static_cast<std::int64_t>(random() % 1000) * extent / 1000;
            memory.indices["x.key"].push_back(drawn);
            ++expected.try_emplace(drawn, initial).first->second;
          }
          memory.indices["x.key"].resize(count);
          ASSERT_EQ(loop::interpret(each, memory), 0);
          std::map<std::int64_t, double> found;
          for (std::size_t k = 0; k < memory.indices["C.idx"].size(); ++k)
            found[memory.indices["C.idx"][k]] = memory.values["C.val"][k];
          EXPECT_EQ(found, expected);
          EXPECT_TRUE(std::ranges::is_sorted(memory.indices["C.idx"]));
        }
  }
}

/// What still reads others, or writes, keeps its loop.
TEST(Members, are_taken_out_by_a_loop_of_its_own_where_others_are_read) {
  const Members set = members();
  const auto is_joined_after = [&](const std::string &done) {
    loop::Block block = over_members(set, "j", [&] { return loop::parse_block(done); });
    return joined_with(block, without_members(set));
  };
  EXPECT_TRUE(is_joined_after("y.val[j] += w.val[j] * x.val[j]\n"));
  EXPECT_FALSE(is_joined_after("y.val[j] += w.val[j] * w.val[j + 1]\n"));
  EXPECT_FALSE(is_joined_after("y.val[j] += w.val[0]\n"));
  EXPECT_FALSE(is_joined_after("w.val[j] = 2\n"));
  EXPECT_FALSE(is_joined_after("if w.present(j + 1) = 1 {\n  y.val[j] += w.val[j]\n}\n"));
  loop::Block nothing;
  EXPECT_FALSE(joined_with(nothing, without_members(set)));
}
