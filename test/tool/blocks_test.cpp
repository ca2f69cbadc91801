// Blocks in a user's layouts: products with entries, where the block of a column is found by an interval.
// The arrays come from folders: blocks that begin anywhere can't be packed.
#include "tool.h"

#include "odd_layouts.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

using Arguments = std::vector<std::string>;

/// A 7x8 matrix of 2x3 blocks: rows 0 and 1 have two of them, rows 2 and 3 none, the last row lies alone in
/// one.
struct Blocks {
  std::string layout, parameters, columns;
  std::vector<std::int32_t> column;
};

const std::vector<Blocks> all_blocks = {
    {"@pieces/bcsr<2,3>", "2, 3", "bcol", {0, 2, 1, 0}},
    {"@blocks/unaligned", "", "start", {1, 5, 4, 0}},
};

void write_blocks(const Desk &desk, const Blocks &blocks) {
  std::string reference = unravel::test::layout_reference(blocks.layout);
  std::string name = reference.substr(0, reference.find('<'));
  desk.write("B/layout.json", R"({"layout": ")" + name + R"(", "parameters": [)" + blocks.parameters +
                                  R"(], "sizes": {"M": 7, "N": 8}, "counts": {"NB": 4}})");
  desk.write("B/rowptr.npy", npy("<i4", std::vector<std::int32_t>{0, 2, 2, 3, 4}));
  desk.write("B/" + blocks.columns + ".npy", npy("<i4", blocks.column));
  std::vector<double> values;
  for (int k = 0; k < 24; ++k)
    values.push_back(k + 1);
  desk.write("B/val.npy", npy("<f8", values, "4, 2, 3"));
}

void expect_right(const Desk &desk, const Blocks &blocks, Arguments arguments, const std::string &find) {
  std::string shown = blocks.layout;
  for (const std::string &argument : arguments)
    shown += " " + argument;
  SCOPED_TRACE(shown);
  arguments.insert(arguments.end(), {"-f", "B=" + unravel::test::layout_reference(blocks.layout)});
  Arguments explain{"explain"};
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k] == "-i")
      ++k;
    else
      explain.push_back(arguments[k]);
  }
  Outcome explained = desk.unravel(explain);
  EXPECT_EQ(explained.code, 0) << explained.error;
  EXPECT_NE(explained.out.find(find), std::string::npos) << explained.out.substr(0, 3000);
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"-i", "B=B", "--check", "--json"});
  Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.error;
  if (outcome.code != 0) return;
  EXPECT_EQ(outcome.json().at("check").at("ok"), true);
}

TEST(ToolBlocks, ProductsWithEntries) {
  Desk desk;
  for (const Blocks &blocks : all_blocks) {
    write_blocks(desk, blocks);
    std::string key = blocks.columns == "bcol" ? "3*B.bcol(B.p)" : "B.start(B.p)";
    const std::string interval = "where " + key + " <= j < " + key + " + 3";
    const std::string matrix = "A=random:7x8,density=0.5,seed=3";
    for (const std::string layout : {"csr", "coo", "dcsr"}) {
      expect_right(desk, blocks,
                   {"s = A(i,j) * B(i,j)", "-f", "A=" + layout, "-i", matrix, "-s",
                    layout == "csr"   ? "order i, A.p"
                    : layout == "coo" ? "order A.p"
                                      : "order A.r, A.p"},
                   interval);
      expect_right(desk, blocks, {"y(i) = A(i,j) * B(i,j)", "-f", "A=" + layout, "-i", matrix}, "== finds");
    }
    expect_right(
        desk, blocks,
        {"y(i) = B(i,j) * x(j)", "-f", "x=sv", "-i", "x=random,density=0.5,seed=4", "-s", "order i, x.p"},
        interval);
    expect_right(desk, blocks, {"y(i) = B(i,j) * x(j)", "-f", "x=sv", "-i", "x=random,density=0.5,seed=4"},
                 "== finds");
    for (const std::string method : {"seq", "binary", "scan"})
      expect_right(desk, blocks,
                   {"s = A(i,j) * B(i,j)", "-f", "A=csr", "-i", matrix, "-s", "order i, A.p", "--find",
                    "B.p=" + method},
                   interval);
  }
}

} // namespace
} // namespace unravel::tool::test
