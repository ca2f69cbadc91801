// Iteration spaces: a computation met with layouts. A golden case is a computation with formats; a new one
// needs no code.
#include "combination_text.h"
#include "golden.h"

namespace unravel::test {
namespace {

std::string outcome_of(const std::string &input) {
  return text_or_message([&] {
    combine::Combination made = combine_text(input);
    std::string text = combine::to_text(made);
    for (const auto &[index, extent] : made.extents)
      text += "extent of " + index + ": " + term::to_text(extent) + "\n";
    return text;
  });
}

TEST(CombineGolden, EveryFilePrintsAsRecorded) {
  for (const std::string &name : golden_names("combine", "")) {
    SCOPED_TRACE(name);
    golden_run("combine", name, outcome_of);
    for (const std::string &input : golden_inputs("combine", name))
      EXPECT_EQ(outcome_of(input).find(": error: ") != std::string::npos, name.compare(0, 5, "fail_") == 0)
          << input;
  }
}

/// Nothing is projected away: every position of every operand and every index is a variable.
TEST(CombineSpace, KeepsAllVariables) {
  combine::Combination made = combine_text("y(i) = A(i,j) * A(j,k) * x(k)\n-f A=csr\n-f x=sv");
  ASSERT_EQ(made.leaves.size(), 1u);
  EXPECT_EQ(made.leaves[0].variables(),
            (std::vector<std::string>{"i", "j", "k", "A.r", "A.p", "A#2.r", "A#2.p", "x.p", "y.a"}));
}

TEST(CombineSpace, OneLeafPerChoiceOfPieces) {
  EXPECT_EQ(combine_text("y(i) = A(i,j) * x(j)\n-f A=csr").leaves.size(), 1u);
  EXPECT_EQ(combine_text("y(i) = A(i,j) * x(j)\n-f A=@symmetric").leaves.size(), 2u);
  EXPECT_EQ(combine_text("s = A(i,j) * B(i,j)\n-f A=@symmetric\n-f B=@pieces/skew").leaves.size(), 4u);
  EXPECT_EQ(combine_text("s = A(i,j) * A(j,i)\n-f A=@symmetric").leaves.size(), 4u);
  combine::Combination skew = combine_text("y(i) = A(i,j) * x(j)\n-f A=@pieces/skew");
  EXPECT_EQ(value::quotient_of(skew.leaves[0].value).constant, 1);
  EXPECT_EQ(value::quotient_of(skew.leaves[1].value).constant, -1);
  combine::Combination unit = combine_text("y(i) = A(i,j) * x(j)\n-f A=@pieces/unit_lower");
  EXPECT_EQ(unit.leaves[1].operands[0].array, "");
  EXPECT_EQ(value::quotient_of(unit.leaves[1].value).factors.size(), 1u); // 1 * x
}

/// A factor that the terms of a sum have in common is read once.
TEST(CombineSpace, TermsShareFactors) {
  combine::Combination made =
      combine_text("for i { let t = a(i) + b(i); for j { t += A(i,j) * x(j); } y(i) = t * d(i); }\n-f A=csr");
  ASSERT_EQ(made.leaves.size(), 2u); // the sum goes straight to y
  EXPECT_EQ(made.leaves[0].operands.size(), 3u);
  EXPECT_FALSE(made.leaves[0].is_product());
  EXPECT_TRUE(made.leaves[1].is_product());
}

/// Equal accesses that may not be stored are looked for once; other subscripts are another access.
TEST(CombineSpace, EqualAccessesAreLookedForOnce) {
  const auto lookups = [](const std::string &input) {
    std::vector<std::size_t> counts;
    for (const combine::IterationSpace &leaf : combine_text(input).leaves)
      counts.push_back(leaf.lookups.size());
    return counts;
  };
  const std::vector<std::size_t> two = {1, 1}; // y where x is stored; where it isn't, and y is
  EXPECT_EQ(lookups("z(i) = max(x(i), y(i))\n-f x=sv\n-f y=sv"), two);
  EXPECT_EQ(lookups("z(i) = max(x(i) * x(i), x(i) + y(i))\n-f x=sv\n-f y=sv"), two);
  EXPECT_EQ(lookups("for i { z(i) = select(x(i) > 1, x(i), 2); }\n-f x=sv"), (std::vector<std::size_t>{1}));
  EXPECT_EQ(lookups("z(i) = max(x(i), x(i+1))\n-f x=sv"), two);
}

/// Quantified variables of axioms can't meet a coordinate of the computation that has the same name.
TEST(CombineSpace, AxiomsNameNoCoordinate) {
  combine::Combination made = combine_text("y(r) = A(r,p) * x(p)\n-f A=csr");
  for (const prove::Axiom &axiom : made.axioms)
    for (const std::string &variable : axiom.variables)
      EXPECT_EQ(variable[0], '?') << axiom.text;
}

/// The second occurrence of a tensor has positions of its own and shares sizes, counts, arrays and axioms.
TEST(CombineSpace, OccurrencesShareArrays) {
  combine::Combination once = combine_text("s = A(i,j)\n-f A=csr");
  combine::Combination twice = combine_text("s = A(i,j) * A(j,k)\n-f A=csr");
  EXPECT_EQ(once.arrays.size(), twice.arrays.size());
  EXPECT_EQ(once.axioms.size(), twice.axioms.size());
  EXPECT_EQ(twice.leaves[0].operands[1].name, "A#2");
  EXPECT_EQ(twice.leaves[0].operands[1].tensor, "A");
  EXPECT_EQ(twice.leaves[0].operands[1].array, "A.val");
}

TEST(CombineSpace, ShiftedAccessesFixNoExtent) {
  combine::Combination made = combine_text("y(i) = x(i+1)");
  EXPECT_TRUE(made.conditions.empty());
  EXPECT_EQ(term::to_text(made.extents.at("i")), "y.M");
  combine::Combination free = combine_text("s = x(i+1)");
  EXPECT_EQ(free.extents.count("i"), 0u);
}

TEST(CombineMessage, SparseResult) {
  EXPECT_EQ(outcome_of("C(i,j) += A(i,j)\n-f C=csr"),
            "expression:1:1: error: `C` begins without entries: there is nothing to add to [sparse-result]\n"
            "  1 | C(i,j) += A(i,j)\n"
            "    | ^~~~~~~~~~~~~~~~\n"
            "  hint: write `=`, or leave the result dense\n");
  EXPECT_EQ(
      outcome_of("C(i,j) min= A(i,j)\n-f C=csr"),
      "expression:1:1: error: `C` has no fill, but what it is reduced by begins with inf [sparse-result]\n"
      "  1 | C(i,j) min= A(i,j)\n"
      "    | ^~~~~~~~~~~~~~~~~~\n"
      "  hint: give it one, as -f 'C=csr fill inf', or leave it dense\n");
}

/// What isn't stored is 0 where no fill is given.
TEST(CombineSpace, AResultReducedFromZeroNeedsNoFill) {
  for (const char *by : {"or", "any", "xor"})
    EXPECT_EQ(combine_text(std::string("C(i,j) ") + by + "= A(i,j)\n-f A=csr\n-f C=csr").leaves.size(), 1u);
}

} // namespace
} // namespace unravel::test
