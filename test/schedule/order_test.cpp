// Loop orders: planned ones, given ones, and those that can't be. A golden case is a computation with
// formats, what is known of the data, and perhaps an order; a new one needs no code.
#include "combination_text.h"
#include "golden.h"
#include "schedule/order.h"

namespace unravel::test {
namespace {

schedule::Order order_of(const CombinationText &text, const combine::IterationSpace &space) {
  schedule::Counts counts(text.counts.begin(), text.counts.end());
  schedule::Scans scans;
  for (const std::vector<std::string> &keys : text.scans)
    scans.emplace(keys, schedule::Unordered::Scanned);
  if (text.schedule.empty()) return schedule::plan_order(space, counts, scans);
  return schedule::complete_order(space, parse::parse_schedule(source_named("-s", text.schedule)).order);
}

std::string line_of(const schedule::Order &order) {
  std::string line;
  for (const std::string &variable : order)
    line += (line.empty() ? "" : ", ") + variable;
  return line;
}

std::string outcome_of(const std::string &input) {
  CombinationText text = read_combination_text(input);
  return text_or_message([&] {
    std::string lines;
    for (const combine::IterationSpace &leaf : combine_text(text).leaves)
      lines += line_of(order_of(text, leaf)) + "\n";
    return lines;
  });
}

TEST(ScheduleGolden, EveryFilePrintsAsRecorded) {
  for (const std::string &name : golden_names("schedule", "")) {
    SCOPED_TRACE(name);
    golden_run("schedule", name, outcome_of);
    for (const std::string &input : golden_inputs("schedule", name))
      EXPECT_EQ(outcome_of(input).find("error: ") != std::string::npos, name.compare(0, 5, "fail_") == 0)
          << input;
  }
}

/// Every order that is planned names every variable once.
TEST(ScheduleOrder, NamesEveryVariableOnce) {
  for (const std::string name : {"orders", "sparser_operand", "strides", "given"})
    for (const std::string &input : golden_inputs("schedule", name)) {
      CombinationText text = read_combination_text(input);
      for (const combine::IterationSpace &leaf : combine_text(text).leaves) {
        schedule::Order order = order_of(text, leaf);
        std::vector<std::string> variables = leaf.variables();
        std::sort(order.begin(), order.end());
        std::sort(variables.begin(), variables.end());
        EXPECT_EQ(order, variables) << input;
      }
    }
}

/// A planned order can be given, and is then taken as it is.
TEST(ScheduleOrder, PlannedOrdersCanBeGiven) {
  for (const std::string &input : golden_inputs("schedule", "orders")) {
    CombinationText text = read_combination_text(input);
    for (const combine::IterationSpace &leaf : combine_text(text).leaves) {
      schedule::Order planned = order_of(text, leaf);
      if (planned.empty()) continue;
      CombinationText given = text;
      given.schedule = "order " + line_of(planned);
      EXPECT_EQ(line_of(order_of(given, leaf)), line_of(planned)) << input;
    }
  }
}

/// Positions that bound each other: no loop can be outermost.
combine::IterationSpace circle() {
  combine::IterationSpace space;
  space.positions = {"A.p", "A.q"};
  space.relation =
      term::read_term("f(A.q) <= A.p and A.p < f(A.q + 1) and f(A.p) <= A.q and A.q < f(A.p + 1)");
  return space;
}

TEST(ScheduleMessage, NoOrder) {
  EXPECT_EQ(text_or_message([] { return line_of(schedule::plan_order(circle(), {})); }),
            "error: no order of the loops makes every variable bounded [no-order]\n"
            "  hint: a position or coordinate of some layout is bounded only by ones that need it\n");
  EXPECT_EQ(text_or_message([] { return line_of(schedule::complete_order(circle(), {})); }),
            "error: no order of the remaining loops makes every variable bounded [no-order]\n");
}

TEST(ScheduleMessage, UnknownVariable) {
  EXPECT_EQ(outcome_of("y(i) = A(i,j) * x(j)\n-f A=csr\n-s order i, A.q"),
            "-s:1:10: error: `A.q` is not a variable of this computation [unknown-variable]\n"
            "  1 | order i, A.q\n"
            "    |          ^~~\n"
            "  hint: its variables are i, j, A.r, A.p, x.a, y.a; did you mean `A.r`?\n");
}

TEST(ScheduleMessage, NotBoundedHere) {
  EXPECT_EQ(outcome_of("y(i) = A(i,j) * x(j)\n-f A=csr\n-s order j, A.p"),
            "-s:1:10: error: `A.p` is not bounded by the variables before it [not-bounded-here]\n"
            "  1 | order j, A.p\n"
            "    |          ^~~\n"
            "  hint: its bounds or the arrays in them need variables that come later in this order\n");
}

} // namespace
} // namespace unravel::test
