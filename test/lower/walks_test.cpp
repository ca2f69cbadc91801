// Walks on long ranges, by every kind of steps: where they stop, for every range, start and target.
#include "loop/interpret.h"
#include "lower/find_code.h"

#include <gtest/gtest.h>

namespace unravel::lower {
namespace {

using term::Term;
using term::variable;

constexpr int length = 21;

/// Marks the match in y.val[position] and the state's last value in y.val[30 + state].
loop::Program walking(plan::Method method, plan::Direction direction, bool partitioned,
                      const Around &around) {
  loop::Program program = loop::parse_program("kernel k\nexpression e\nresult y : v(N)\n"
                                              "  value val[y.N] : float64\noperand B : w(N)\n"
                                              "  index idx[B.N] : int32\n"
                                              "operand C : c(lower, upper, target, start)\n{\n}\n");
  Term position = variable("B.p"), key = term::apply("B.idx", {position}), target = variable("C.target");
  scan::Level level;
  level.kind = scan::Level::Kind::Find;
  level.variable = "B.p";
  level.lower = variable("C.lower");
  level.upper = variable("C.upper");
  level.components = {{key, target}};
  plan::LevelPlan plan;
  plan.unique = true;
  plan::Walk walk;
  walk.gallops = method == plan::Method::Galloping;
  walk.partitioned = partitioned;
  walk.direction = direction;
  walk.skip = term::less(key, target);
  plan.how = walk;
  auto mark = [](const Term &slot) {
    return loop::Statement{loop::Store{loop::Element{"y.val", slot}, loop::Value{loop::Number{1}}}};
  };
  program.body = {{loop::Declare{"B.p", variable("C.start")}}};
  for (loop::Statement &statement :
       find_code(level, plan, around, [&] { return loop::Block{mark(position)}; }))
    program.body.push_back(std::move(statement));
  program.body.push_back(mark(position + Term(30)));
  return program;
}

/// Upwards keys rise, downwards they fall: what is skipped always comes first.
void try_all(plan::Method method, plan::Direction direction, bool partitioned = true,
             const Around &around = {}) {
  const bool down = direction == plan::Direction::Down;
  loop::Interpreter interpreter(walking(method, direction, partitioned, around));
  loop::Memory memory;
  std::vector<std::int64_t> &idx = memory.indices["B.idx"];
  for (int q = 0; q < length; ++q)
    idx.push_back(2 * (down ? length - 1 - q : q));
  for (int lower : {0, 4})
    for (int upper = lower; upper <= length; ++upper)
      for (int first = lower; first <= upper; ++first)
        for (int target = -1; target <= 2 * length; ++target) {
          const int start = down ? first - 1 : first;
          int stop = start;
          while (stop >= lower && stop < upper && idx[static_cast<std::size_t>(stop)] < target)
            stop += down ? -1 : 1;
          std::vector<double> expected(60, 0);
          expected[static_cast<std::size_t>(30 + stop)] = 1;
          if (stop >= lower && stop < upper && idx[static_cast<std::size_t>(stop)] == target)
            expected[static_cast<std::size_t>(stop)] = 1;
          memory.values["y.val"].assign(60, 0);
          memory.sizes = {{"y.N", 60},        {"B.N", length},      {"C.lower", lower},
                          {"C.upper", upper}, {"C.target", target}, {"C.start", start}};
          ASSERT_EQ(interpreter.run(memory), 0);
          ASSERT_EQ(memory.values["y.val"], expected)
              << "[" << lower << ", " << upper << ") from " << start << " for " << target;
        }
}

TEST(LowerWalks, gallops) {
  try_all(plan::Method::Galloping, plan::Direction::Up);
  try_all(plan::Method::Galloping, plan::Direction::Down);
}

TEST(LowerWalks, walks_one_by_one_and_many_at_once) {
  for (bool partitioned : {false, true}) {
    try_all(plan::Method::Sequential, plan::Direction::Up, partitioned);
    try_all(plan::Method::Sequential, plan::Direction::Down, partitioned);
  }
}

/// At the hits of an intersection what is skipped is counted, unless it may come behind what isn't.
TEST(LowerWalks, counts_what_is_skipped) {
  const Around hits{false, true};
  for (bool partitioned : {false, true}) {
    try_all(plan::Method::Sequential, plan::Direction::Up, partitioned, hits);
    try_all(plan::Method::Sequential, plan::Direction::Down, partitioned, hits);
    std::string text =
        loop::to_text(walking(plan::Method::Sequential, plan::Direction::Up, partitioned, hits));
    EXPECT_EQ(text.find("B.p.count") != std::string::npos, partitioned) << text;
  }
}

} // namespace
} // namespace unravel::lower
