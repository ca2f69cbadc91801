// Which statements of a program share loops over what a tensor stores, and which don't.
#include "schedule/supports.h"

#include "combination_text.h"
#include "print_trees.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace unravel::schedule {
namespace {

/// The loops of each statement, afterwards: those that come next are made from what is stored.
std::string loops_of(const std::string &text) {
  const auto request = unravel::test::read_combination_text(text);
  combine::Combination program = unravel::test::combine_text(request);
  prove::Prover prover(program.axioms);
  const auto schedule = parse::parse_schedule(std::make_shared<const text::Source>("-s", request.schedule));
  share_supports(program, schedule, request.counts, prover);
  std::vector<std::string> each;
  for (const combine::IterationSpace &space : program.leaves)
    each.push_back(fmt::format("{}", fmt::join(space.loops, " ")));
  return fmt::format("{}", fmt::join(each, "; "));
}

std::string mttkrp(const std::string &last = "y(i, r) += w(r) * B(j, r);") {
  return "for i { for j { let w(r) = 0; for k { for r { w(r) += T(i,j,k) * C(k,r); } } for r { " + last +
         " } } }";
}

TEST(Supports, ArePrefixesOfWhatIsStored) {
  EXPECT_EQ(loops_of(mttkrp() + "\n-f T=csf3"), "T.r T.f r; T.r T.f k r; T.r T.f r");
  EXPECT_EQ(loops_of("for i { let w = 0; for j { w += A(i,j) * x(j); } y(i) += w * w; }\n-f A=dcsr\n--count "
                     "i=1000\n--count j=1000\n--count A.NNZ=100\n--count A.NR=50"),
            "A.r; A.r j; A.r");
  EXPECT_EQ(loops_of("for j { let w = 0; for i { w += A(i,j) * x(i); } y(j) += w * w; }\n-f A=dcsc\n--count "
                     "i=1000\n--count j=1000\n--count A.NNZ=100\n--count A.NC=50"),
            "A.c; A.c i; A.c");
  // Rows of csr are coordinates already, and each is there.
  EXPECT_EQ(loops_of("for i { let w = 0; for j { w += A(i,j) * x(j); } y(i) += w * w; }\n-f A=csr"),
            "i; i j; i");
}

TEST(Supports, OfLoopsInside) {
  EXPECT_EQ(loops_of("for i { for j { let v(s) = 0; for k { let w = 0; for l { w += R(i,j,k,l) * x(l); } "
                     "for s { v(s) += w * W(k,s); } } for s { Y(i,s) += v(s) * V(j,s); } } }\n-f R=csf4"),
            "R.r R.c s; R.r R.c R.f; R.r R.c R.f l; R.r R.c R.f s; R.r R.c s");
}

/// What else is in the loops does something where T stores nothing.
TEST(Supports, AreNoneWhereAStatementDoesSomethingElsewhere) {
  const std::string unshared = "i j r; i j k r; i j r";
  for (const char *last : {"y(i, r) += w(r) + B(j, r);", "y(i, r) = w(r) * B(j, r);",
                           "y(i, r) += (w(r) = 0) * B(j, r);", "y(i, r) max= w(r) * B(j, r);"})
    EXPECT_EQ(loops_of(mttkrp(last) + "\n-f T=csf3"), unshared) << last;
  EXPECT_EQ(loops_of(mttkrp() + "\n-f T=csf3 fill 1"), unshared);
  EXPECT_EQ(loops_of("for i { for j { let w(r) = 1; for k { for r { w(r) += T(i,j,k) * C(k,r); } } for r { "
                     "y(i, r) += w(r) * B(j, r); } } }\n-f T=csf3"),
            unshared);
}

/// An element's prefix that is stored twice would add what follows from its whole sum twice.
TEST(Supports, AreNoneWhereAPrefixIsStoredTwice) {
  EXPECT_EQ(loops_of("for i { for j { let w = 0; w += A(i,j) * x(j); y(i) += w * w; } }\n-f A=coo_dup"),
            "i j; i j; i j");
  EXPECT_EQ(loops_of("for i { for j { let w = 0; w += A(i,j) * x(j); y(i) += w * w; } }\n-f A=coo"),
            "A.p; A.p; A.p");
}

/// Entries come in another order than the loops' iterations.
TEST(Supports, AreNoneWhereALoopCarriesMoreThanSums) {
  const std::string text = "for i { for j { let w = 0; w += A(i,j) * x(j); x(i) += w * w; } }";
  EXPECT_EQ(loops_of(text + "\n-f A=coo_unsorted"), "i j; i j; i j");
}

TEST(Supports, LeaveLoopsThatTheScheduleNames) {
  EXPECT_EQ(loops_of(mttkrp() + "\n-f T=csf3\n-s parallel i"), "i T.r T.f r; i T.r T.f k r; i T.r T.f r");
  EXPECT_EQ(loops_of(mttkrp() + "\n-f T=csf3\n-s order i, j, r"), "i j r; i j k r; i j r");
  EXPECT_EQ(loops_of(mttkrp() + "\n-f T=csf3\n-s parallel r"), "T.r T.f r; T.r T.f k r; T.r T.f r");
}

/// Of two tensors, that with fewer entries.
TEST(Supports, AreOfTheTensorThatCostsLess) {
  const std::string text = "for i { for j { let w = 0; w += A(i,j) * B(i,j); y(i) += w * w; } }\n-f A=coo\n"
                           "-f B=coo\n--count i=1000\n--count j=1000\n--count ";
  EXPECT_EQ(loops_of(text + "A.NNZ=10\n--count B.NNZ=5000"), "A.p; A.p; A.p");
  EXPECT_EQ(loops_of(text + "A.NNZ=5000\n--count B.NNZ=10"), "B.p; B.p; B.p");
}

} // namespace
} // namespace unravel::schedule
