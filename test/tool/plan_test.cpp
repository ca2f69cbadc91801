// `unravel plan`: what it lists, for people and programs; what it says of lines without plans.
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::string chain = "y(i) = A(i,j) * B(j,k) * x(k)";

TEST(ToolPlan, ListsPlansWithTheirLoops) {
  Desk desk;
  const Outcome text = desk.unravel({"plan", chain, "-f", "A=csr", "-f", "B=csr", "--plans", "2"});
  EXPECT_EQ(text.error, "");
  EXPECT_EQ(text.out, "y(i) = A(i, j) * B(j, k) * x(k)\n"
                      "  i in [0, 1000)\n"
                      "  j in [0, 1000)\n"
                      "  k in [0, 1000)\n"
                      "  A(i, j) stores i 1000 j 8000\n"
                      "  B(j, k) stores j 1000 k 8000\n"
                      "as written: cost 5.58e+04, 1.92e+05 operations, 9e+03 misses\n"
                      "\n"
                      "plan 1, taken: cost 1.11e+04, 3.2e+04 operations, 2e+03 misses\n"
                      "  buffers: w(j) 1000\n"
                      "  kernel: a program\n"
                      "  let w(j) = 0;\n"
                      "  for j { for k { w(j) += B(j, k) * x(k); } }\n"
                      "  for i { for j { y(i) += A(i, j) * w(j); } }\n"
                      "\n"
                      "plan 2: cost 5.9e+04, 2.56e+05 operations, 9e+03 misses\n"
                      "  buffers: w\n"
                      "  kernel: one loop nest, with sums in the loops of a sparse factor\n"
                      "  for i { for j { for k {\n"
                      "    let w = 0;\n"
                      "    w += A(i, j) * x(k);\n"
                      "    y(i) += B(j, k) * w;\n"
                      "  } } }\n");
}

TEST(ToolPlan, TakesPlansThatAreCheaperByAFifth) {
  Desk desk;
  const auto taken = [&](const std::string &entries) {
    const Outcome out = desk.unravel({"plan", chain, "-f", "A=csr", "-f", "B=csr", "-i",
                                      "A=random:200x150,seed=7,entries=" + entries, "-i",
                                      "B=random:150x180,entries=200,seed=6", "--json"});
    EXPECT_EQ(out.error, "");
    const nlohmann::json json = out.json();
    const double part =
        json.at("plans").at(0).at("cost").get<double>() / json.at("as_written").at("cost").get<double>();
    return std::pair(part, !json.at("taken").is_null());
  };
  const auto [small, is_small_taken] = taken("200");
  EXPECT_GT(small, 0.7);
  EXPECT_LT(small, 0.8);
  EXPECT_TRUE(is_small_taken);
  const auto [large, is_large_taken] = taken("150");
  EXPECT_GT(large, 0.8);
  EXPECT_FALSE(is_large_taken);
}

TEST(ToolPlan, OrdersTheModesOfBuffersAsFactorsHaveThem) {
  Desk desk;
  const Outcome out =
      desk.unravel({"plan", "Y(i,m) = A(i,j) * B(j,k) * C(k,m)", "-f", "A=csr", "--size", "i=2000", "--size",
                    "j=1500", "--size", "k=30", "--size", "m=16", "--plans", "1", "--json"});
  EXPECT_EQ(out.error, "");
  // C has m last; j is no factor's last index, though it comes behind m in the line.
  EXPECT_EQ(out.json().at("plans").at(0).at("buffers").at(0).at("modes"), nlohmann::json({"j", "m"}));
  EXPECT_NE(out.json().at("plans").at(0).at("program").get<std::string>().find("let w(j, m) = 0;"),
            std::string::npos);
}

TEST(ToolPlan, CountsData) {
  Desk desk;
  const Outcome out =
      desk.unravel({"plan", chain, "-f", "A=csr", "-f", "B=csr", "-i", "A=random:30x40,density=0.1,seed=1",
                    "-i", "B=random:40x50,density=0.1,seed=2", "--json"});
  EXPECT_EQ(out.error, "");
  const nlohmann::json json = out.json();
  EXPECT_EQ(json.at("indices").at(2), nlohmann::json({{"name", "k"}, {"size", 50.0}}));
  EXPECT_EQ(json.at("factors").at(0).at("stored").at(1),
            nlohmann::json({{"index", "j"}, {"prefixes", 120.0}}));
  EXPECT_EQ(json.at("taken"), 1);
  EXPECT_TRUE(json.at("complete"));
  EXPECT_EQ(json.at("plans").size(), 5u);
  const nlohmann::json &best = json.at("plans").at(0);
  EXPECT_EQ(best.at("operations"), 2 * 120 + 2 * 200);
  EXPECT_EQ(best.at("buffers").at(0).at("modes"), nlohmann::json({"j"}));
  EXPECT_EQ(best.at("largest_buffer"), 40);
  EXPECT_EQ(best.at("loops").at(1).at("loop"), "i");
  EXPECT_EQ(json.at("plans").at(1).at("program"), nullptr);
  EXPECT_EQ(json.at("plans").at(0).at("nested").size(), 0u);
  EXPECT_EQ(json.at("plans").at(1).at("nested").size(), 1u);
}

TEST(ToolPlan, TakesSizes) {
  Desk desk;
  const nlohmann::json json = desk.unravel({"plan", "Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)", "-f", "T=csf3",
                                            "--size", "r=16", "--size", "s=32", "--json"})
                                  .json();
  EXPECT_EQ(json.at("plans").at(0).at("largest_buffer"), 32);
  EXPECT_EQ(json.at("taken"), nullptr);
}

TEST(ToolPlan, RunsThePlanThatIsAskedFor) {
  Desk desk;
  const std::vector<std::string> data = {"-f",     "A=csr",
                                         "-f",     "B=csr",
                                         "-i",     "A=random:30x40,density=0.1,seed=1",
                                         "-i",     "B=random:40x50,density=0.1,seed=2",
                                         "-i",     "x=random",
                                         "--check"};
  for (const char *plan : {"plan 1", "plan 2", "plan 4", "plan none"}) {
    std::vector<std::string> arguments = {"run", chain, "-s", plan};
    arguments.insert(arguments.end(), data.begin(), data.end());
    const Outcome out = desk.unravel(arguments);
    EXPECT_EQ(out.code, 0) << out.error;
    EXPECT_NE(out.out.find("check ok"), std::string::npos) << plan << "\n" << out.out;
  }
}

TEST(ToolPlan, TakesNoneByItselfOnInfinities) {
  // Row 1 of B is empty: as it is written, y(0) has no term of it, and not infinity times 0.
  Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 1\n1 2 inf\n");
  desk.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 3\n");
  const Outcome out = desk.unravel({"run", chain, "-f", "A=csr", "-f", "B=csr", "-i", "A=a.mtx", "-i",
                                    "B=b.mtx", "-i", "x=ones", "--check", "-o", "y=y.mtx"});
  EXPECT_EQ(out.code, 0) << out.error << out.out;
  EXPECT_NE(out.out.find("y(0) = 3"), std::string::npos) << out.out;
}

TEST(ToolPlan, SaysWhyThereAreNone) {
  Desk desk;
  const Outcome out = desk.unravel({"plan", "y(i) = A(i,j) * x(j)", "-f", "A=csr"});
  EXPECT_EQ(out.code, 1);
  EXPECT_NE(out.error.find("there are no plans: it has fewer than three factors [not-supported]"),
            std::string::npos)
      << out.error;
}

} // namespace
} // namespace unravel::tool::test
