// The plans of a product on the page that --report writes: pictures of two of them, a table of all.
#include "page_check.h"
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::string chain = "y(i) = A(i,j) * B(j,k) * x(k)";

std::size_t count(const std::string &text, const std::string &part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::string page_of(const Desk &desk, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--report", "page.html"});
  const Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  const std::string page = desk.read("page.html");
  EXPECT_EQ(complaints_about(page), std::vector<std::string>());
  if (has_program("xmllint")) {
    const Outcome checked = desk.execute({"xmllint", "--nonet", "--noout", "page.html"});
    EXPECT_EQ(checked.code, 0) << checked.error;
  }
  return page;
}

/// The text of the figure with that number.
std::string figure(const std::string &page, int number) {
  std::size_t at = 0;
  for (int k = 0; k <= number; ++k)
    at = page.find("<figure>", at) + 1;
  return page.substr(at, page.find("</figure>", at) - at);
}

TEST(ReportPlans, TheTakenOneBesideTheLine) {
  Desk desk;
  const std::string page = page_of(desk, {"explain", chain, "-f", "A=csr", "-f", "B=csr"});
  EXPECT_NE(page.find("<p>Plan 1 is taken: 32000 operations instead of 192000, 0.17 of them. It is a "
                      "program.</p>"),
            std::string::npos);
  EXPECT_EQ(count(page, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plan-picture\""), 4u);
  const std::string written = figure(page, 0), taken = figure(page, 1);
  EXPECT_NE(written.find("<figcaption>As written: 192000 operations, 9000 misses, 0 bytes of buffers"),
            std::string::npos)
      << written;
  EXPECT_NE(taken.find("<figcaption>Plan 1, taken: 32000 operations, 2000 misses, 7.812 KiB of buffers"),
            std::string::npos)
      << taken;
  // Three loops in each other; two nests of two behind the buffer. All are over what A and B store.
  EXPECT_EQ(count(written, "class=\"loop-box sparse\""), 3u);
  EXPECT_EQ(count(written, "class=\"leaf sparse\""), 2u);
  EXPECT_EQ(count(written, "class=\"buffer\""), 0u);
  EXPECT_EQ(count(taken, "class=\"loop-box sparse\""), 4u);
  EXPECT_EQ(count(taken, "class=\"buffer\""), 2u); // in the tree and in the loops
  for (const char *part : {">stored in A and B, 8000 times<", ">stored in B, 64000 times<",
                           ">y(i) += A(i, j) * B(j, k) * x(k)<"})
    EXPECT_EQ(count(written, part), 1u) << part;
  for (const char *part : {">w(j) = 0   1000 elements, 7.812 KiB<", ">w(j) += B(j, k) * x(k)<",
                           ">y(i) += A(i, j) * w(j)<", ">stored in B, 8000 times<"})
    EXPECT_EQ(count(taken, part), 1u) << part;
  EXPECT_NE(
      page.find("<tr class=\"taken\"><th scope=\"row\">plan 1</th><td>11098</td><td>0.2</td><td>32000</td>"
                "<td>2000</td><td>7.812 KiB</td><td class=\"words\">w(j)</td>"
                "<td class=\"words\">a program</td></tr>"),
      std::string::npos);
  EXPECT_EQ(count(page, "<th scope=\"row\">plan "), 6u);
}

TEST(ReportPlans, CountsOfARunAndDenseLoops) {
  Desk desk;
  const std::string page = page_of(desk, {"run", "Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", "-f", "T=csf3", "-s",
                                          "plan 1", "-i", "T=random:20x30x40,entries=500,seed=1", "-i",
                                          "U=random:30x8", "-i", "V=random:40x8", "--type", "f32"});
  const std::string taken = figure(page, 1);
  EXPECT_NE(taken.find(">w(r) = 0   8 elements, 32 bytes<"), std::string::npos) << taken;
  EXPECT_NE(taken.find(">stored in T, 500 times<"), std::string::npos) << taken;
  EXPECT_NE(taken.find(">4000 times<"), std::string::npos) << taken; // r, for each entry
  EXPECT_EQ(count(taken, "class=\"loop-box\""), 2u);
}

std::vector<std::string> mode_j(const std::string &schedule) {
  std::vector<std::string> command{"run", "Y(j,r) = T(i,j,k) * U(i,r) * V(k,r)",  "-f", "T=csf",
                                   "-i",  "T=random:30x20x25,entries=6000,seed=1"};
  for (const char *input : {"U=random:30x16", "V=random:25x16"})
    command.insert(command.end(), {"-i", input});
  if (!schedule.empty()) command.insert(command.end(), {"-s", schedule});
  return command;
}

TEST(ReportPlans, ConversionsThatAreAskedForStandInFrontOfTheLoops) {
  Desk desk;
  const std::string page = page_of(desk, mode_j("convert T to csf<1,0,2>"));
  for (int picture : {0, 1}) {
    const std::string text = figure(page, picture);
    EXPECT_EQ(count(text, "class=\"once\""), 1u) << text;
    EXPECT_EQ(count(text, ">T: csf&lt;1, 0, 2&gt; from csf, once<"), 1u) << text;
  }
  EXPECT_EQ(page.find("With <code>-s"), std::string::npos); // it is done
}

TEST(ReportPlans, ConversionsThatWouldBeCheaperAreDrawnBeside) {
  Desk desk;
  const std::string page = page_of(desk, mode_j(""));
  EXPECT_NE(page.find("<p>With <code>-s 'convert T to csf&lt;1,0,2&gt;'</code> a call costs "),
            std::string::npos);
  EXPECT_NE(page.find("<th scope=\"row\">convert T to csf&lt;1,0,2&gt;</th>"), std::string::npos);
  EXPECT_EQ(count(figure(page, 0) + figure(page, 1), "class=\"once\""), 0u);
  const std::string with = figure(page, 2);
  EXPECT_NE(with.find("<figcaption>With convert T to csf&lt;1,0,2&gt;, not taken: "), std::string::npos)
      << with;
  EXPECT_EQ(count(with, ">T: csf&lt;1,0,2&gt; from csf, once<"), 1u) << with;
  EXPECT_LT(with.find(">for j<"), with.find(">for i<")) << with;
}

TEST(ReportPlans, WhyNoneIsTaken) {
  Desk desk;
  const std::string ttmc = "Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)";
  EXPECT_NE(page_of(desk, {"explain", ttmc, "-f", "T=csf3"})
                .find("No plan is taken: the line's own loops keep sums in locals"),
            std::string::npos);
  const std::string asked =
      page_of(desk, {"explain", chain, "-f", "A=csr", "-f", "B=csr", "-s", "plan none"});
  EXPECT_NE(asked.find("No plan is taken: the schedule says how it is computed."), std::string::npos);
  EXPECT_NE(figure(asked, 1).find("Plan 1, the cheapest, not taken: "), std::string::npos);
  EXPECT_NE(asked.find("<tr class=\"taken\"><th scope=\"row\">as written</th>"), std::string::npos);
  const std::string few =
      page_of(desk, {"run", chain, "-f", "A=csr", "-f", "B=csr", "-i", "A=random:200x150,seed=7,entries=20",
                     "-i", "B=random:150x180,entries=2000,seed=6", "-i", "x=ones"});
  EXPECT_NE(few.find("No plan is taken: none costs clearly less than the line as it is written."),
            std::string::npos);
}

/// The plan that was asked for is there, however far down the list.
TEST(ReportPlans, OneFarDownTheList) {
  Desk desk;
  const std::string page =
      page_of(desk, {"explain", "y(i) = A(i,j) * B(j,k) * C(k,l) * x(l)", "-s", "plan 12"});
  EXPECT_NE(page.find("<p>Plan 12 is taken: "), std::string::npos);
  EXPECT_EQ(count(page, "<th scope=\"row\">plan "), 12u);
}

TEST(ReportPlans, NothingWhereThereAreNone) {
  Desk desk;
  EXPECT_EQ(page_of(desk, {"explain", spmv, "-f", "A=csr"}).find("id=\"plan\""), std::string::npos);
  EXPECT_EQ(page_of(desk, {"explain", "tensor y(n), x(n); for i in [1, n) { y(i) = y(i - 1) + x(i); }"})
                .find("class=\"plan-picture\""),
            std::string::npos);
}

} // namespace
} // namespace unravel::tool::test
