// The constraints behind each bound, value, match and guard: from which it really follows.
#include "golden.h"
#include "scan/reasons.h"
#include "scan/scan_text.h"
#include "space/set.h"

#include <fmt/format.h>

namespace unravel::test {
namespace {

using scan::Part;
using scan::Reason;
using term::Term;

struct Scanned {
  combine::Combination made;
  std::vector<scan::Nest> nests;
};

Scanned scanned(const std::string &input) {
  CombinationText text = read_combination_text(input);
  Scanned result{combine_text(text), {}};
  result.nests = nests_of(text, result.made);
  return result;
}

std::string told(const std::string &input) {
  const Scanned all = scanned(input);
  std::string text;
  for (std::size_t leaf = 0; leaf < all.nests.size(); ++leaf) {
    const std::vector<Term> constraints = term::conjuncts(all.made.leaves[leaf].relation);
    const auto reasons = scan::reasons_of(all.made.leaves[leaf], all.nests[leaf], all.made.axioms);
    for (const std::vector<Reason> &level : reasons)
      for (const Reason &reason : level) {
        std::vector<std::string> from;
        for (std::size_t k : reason.constraints)
          from.push_back(term::to_text(constraints[k]));
        text += fmt::format("{} : {}{}{}\n", term::to_text(reason.part.condition), fmt::join(from, ", "),
                            reason.with_facts ? " and facts" : "", reason.proved ? "" : " ?");
      }
  }
  return text;
}

TEST(Reasons, OfSpmv) {
  EXPECT_EQ(told("y(i) = A(i,j) * x(j)\n-f A=csr\n"), "0 <= i : i = y.a, 0 <= y.a\n"
                                                      "i < A.M : i = y.a, y.a < A.M\n"
                                                      "A.r = i : A.r = i\n"
                                                      "i = y.a : i = y.a\n"
                                                      "A.rowptr(i) <= A.p : A.rowptr(i) <= A.p\n"
                                                      "A.p < A.rowptr(i + 1) : A.p < A.rowptr(i + 1)\n"
                                                      "j = A.col(A.p) : j = A.col(A.p)\n"
                                                      "j = x.a : j = x.a\n");
}

TEST(Reasons, OfAFindAndAGuard) {
  EXPECT_EQ(told("y(i) = A(i,j) * x(j)\n-f A=csr\n-f x=sv\n--where j < i\n"),
            "0 <= i : i = y.a, 0 <= y.a\n"
            "i < A.M : i = y.a, y.a < A.M\n"
            "A.r = i : A.r = i\n"
            "i = y.a : i = y.a\n"
            "A.rowptr(i) <= A.p : A.rowptr(i) <= A.p\n"
            "A.p < A.rowptr(i + 1) : A.p < A.rowptr(i + 1)\n"
            "j = A.col(A.p) : j = A.col(A.p)\n"
            "j < i : j < i\n"
            "0 <= x.p : 0 <= x.p\n"
            "x.p < x.NNZ : x.p < x.NNZ\n"
            "j = x.idx(x.p) : j = x.idx(x.p)\n");
}

/// isl alone says that what is proved without facts follows from these constraints, with what is outside.
TEST(Reasons, ConditionsFollow) {
  std::size_t asked = 0;
  for (const char *name : {"nests", "conditions", "intervals"})
    for (const std::string &input : golden_inputs("scan", name)) {
      SCOPED_TRACE(input);
      const Scanned all = scanned(input);
      for (std::size_t leaf = 0; leaf < all.nests.size(); ++leaf) {
        const std::vector<Term> constraints = term::conjuncts(all.made.leaves[leaf].relation);
        const std::vector<std::string> variables = all.made.leaves[leaf].variables();
        std::vector<Term> outside;
        for (const auto &level : scan::reasons_of(all.made.leaves[leaf], all.nests[leaf], all.made.axioms)) {
          std::vector<Term> own;
          for (const Reason &reason : level) {
            std::vector<Term> given = outside;
            if (reason.part.role == Part::Role::Guard) given.insert(given.end(), own.begin(), own.end());
            for (std::size_t k : reason.constraints)
              given.push_back(constraints.at(k));
            own.push_back(reason.part.condition);
            if (reason.with_facts || !reason.proved) continue;
            ++asked;
            // Sizes and counts are never negative.
            std::vector<Term> sizes;
            for (const std::string &each : term::variables_of(term::conjunction(given)))
              if (std::find(variables.begin(), variables.end(), each) == variables.end())
                sizes.push_back(term::at_most(Term(0), term::variable(each)));
            given.insert(given.end(), sizes.begin(), sizes.end());
            EXPECT_TRUE(space::Set(term::conjunction(given)).is_subset(space::Set(reason.part.condition)))
                << term::to_text(reason.part.condition);
          }
          outside.insert(outside.end(), own.begin(), own.end());
        }
      }
    }
  EXPECT_GT(asked, 20u);
}

} // namespace
} // namespace unravel::test
