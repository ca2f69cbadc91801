// What a proof rests on.
#include "prove/example.h"

#include <gtest/gtest.h>

namespace unravel::prove {
namespace {

using term::apply;
using term::at_most;
using term::conjunction;
using term::equal;
using term::less;
using term::Term;
using term::variable;

Term col(const Term &p) {
  return apply("col", {p});
}

Prover prover() {
  const Term p = variable("p"), q = variable("q");
  return Prover({{"columns rise", {"p", "q"}, less(p, q), less(col(p), col(q))},
                 {"columns are not negative", {"p"}, term::truth(), at_most(0, col(p))},
                 {"N isn't negative", {}, term::truth(), at_most(0, variable("N"))}});
}

TEST(NeededAxioms, AreThoseWithoutWhichNothingIsProved) {
  Prover asked = prover();
  const Term p = variable("p"), q = variable("q");
  asked.refute("one match", "p", {less(p, q), equal(col(p), col(q))});
  EXPECT_EQ(needed_axioms(asked, asked.last()), std::vector<std::string>{"columns rise"});
  asked.refute("behind the first", "p", {less(p, q), less(col(q), 1), at_most(col(p), 9)});
  EXPECT_EQ(needed_axioms(asked, asked.last()),
            (std::vector<std::string>{"columns rise", "columns are not negative"}));
}

TEST(NeededAxioms, AreNoneOfWhatIsPossibleOrContradictsItself) {
  Prover asked = prover();
  const Term p = variable("p");
  asked.refute("a large one", "p", {less(5, col(p))});
  EXPECT_TRUE(needed_axioms(asked, asked.last()).empty());
  asked.refute("both", "p", {less(p, 0), less(0, p)});
  EXPECT_TRUE(needed_axioms(asked, asked.last()).empty());
}

} // namespace
} // namespace unravel::prove
