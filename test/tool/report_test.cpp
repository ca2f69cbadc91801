// Pages that --report writes: whole, escaped, drawn from what was counted.
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

std::size_t count(const std::string &text, const std::string &part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

const std::string small_matrix =
    "%%MatrixMarket matrix coordinate real general\n6 8 3\n1 1 1\n1 8 2\n5 8 3\n";

std::string page_of(const Desk &desk, std::vector<std::string> arguments) {
  for (const char *argument : {"--report", "page.html"})
    arguments.emplace_back(argument);
  Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  return desk.read("page.html");
}

/// What a browser would fetch or run.
void expect_alone(const std::string &page) {
  for (const char *part : {"<script", "src=", "href", "url(", "@import", "<link", "<iframe", "onload"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  std::string rest = page;
  for (const char *known : {"xmlns=\"http://www.w3.org/1999/xhtml\"", "xmlns=\"http://www.w3.org/2000/svg\""})
    while (rest.find(known) != std::string::npos)
      rest.erase(rest.find(known), std::string(known).size());
  EXPECT_EQ(rest.find("://"), std::string::npos);
}

void expect_well_formed(const Desk &desk) {
  Outcome outcome = desk.execute({"xmllint", "--nonet", "--noout", "page.html"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Report, TilesOverTheMatrix) {
  Desk desk;
  desk.write("a.mtx", small_matrix);
  std::string page =
      page_of(desk, {"tile", spmv, "-f", "A=csr", "-s", "tile i by 2, j by 4", "-i", "A=a.mtx"});
  expect_alone(page);
  // 3 x 2 tiles, all of them entered, 3 with entries.
  EXPECT_EQ(count(page, "<rect class=\"hit\""), 3u);
  EXPECT_EQ(count(page, "<rect class=\"miss\""), 3u);
  EXPECT_NE(page.find("3 with points (green), 3 without (red)"), std::string::npos);
  // The tile of rows 4 and 5, columns 4 to 7: the right half of the last third of a plot of 640 by 480.
  EXPECT_NE(page.find("<rect class=\"hit\" x=\"320.00\" y=\"320.00\" width=\"320.00\" height=\"160.00\"/>"),
            std::string::npos);
  EXPECT_NE(page.find("A: 6 x 8, 3 entries; i downwards, j to the right"), std::string::npos);
  EXPECT_NE(page.find("<div class=\"reduction\" style=\"margin-left: 2em\">loop j.tile in "),
            std::string::npos);
  for (const char *part :
       {"<h1>y(i) = A(i,j) * x(j)</h1>", "<code>tile i by 2, j by 4</code>", "<h2>Loops</h2>",
        "<h2>Dependences</h2>", "update of y: direction (=, &lt;, =)", "<h2>Iteration space</h2>",
        "<h2>Finds and their proofs</h2>", "O-part", "<h2>Generated C</h2>", "int kernel("})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(Report, WhatIsNotDrawn) {
  Desk desk;
  desk.write("a.mtx", small_matrix);
  auto page = [&](std::vector<std::string> arguments) { return page_of(desk, std::move(arguments)); };
  std::string positions = page({"tile", spmv, "-f", "A=csr", "-s", "tile A.p by 2", "-i", "A=a.mtx"});
  EXPECT_NE(positions.find("The tiles are none of this matrix's coordinates"), std::string::npos);
  EXPECT_EQ(count(positions, "<rect class=\"hit\""), 0u);
  EXPECT_EQ(count(positions, "<svg "), 1u);
  std::string vectors = page({"tile", "y(i) = x(i)", "-s", "tile i by 2", "-i", "x=ones:5"});
  EXPECT_NE(vectors.find("No operand is a matrix"), std::string::npos);
  std::string many =
      page({"tile", spmv, "-f", "A=csr", "-s", "tile i by 1, j by 1", "-i", "A=banded:300,width=1"});
  EXPECT_NE(many.find("or there are too many to be drawn"), std::string::npos);
  std::string symbolic = page({"tile", spmv, "-f", "A=csr", "-s", "tile j by 4"});
  EXPECT_EQ(count(symbolic, "<svg "), 0u);
  EXPECT_NE(symbolic.find("floor((A.N - 1) / 4) + 1 tiles"), std::string::npos);
}

TEST(Report, Explained) {
  Desk desk;
  std::string page = page_of(desk, {"explain", spmv, "-f", "A=csr", "-f", "x=sv"});
  expect_alone(page);
  EXPECT_NE(page.find("<div class=\"find\" "), std::string::npos);
  EXPECT_NE(page.find("<div class=\"parallel\" "), std::string::npos);
  EXPECT_EQ(desk.unravel({"explain", spmv, "--report", "no/page.html"}).code, 1);
}

/// Whatever a user's file says stays text.
TEST(Report, EverythingIsEscaped) {
  Desk desk;
  std::string text = shipped_layout("csr");
  desk.write("mine.layout",
             "# <script>alert(\"&'1\")</script> \x01 --> ]]> \xC3\xA9 \xFF\xC3 \xED\xA0\x80\n" +
                 text.substr(text.find("layout csr")));
  desk.write("a.mtx", small_matrix);
  std::string page =
      page_of(desk, {"tile", spmv, "-f", "A=./mine.layout", "-s", "tile j by 4", "-i", "A=a.mtx"});
  expect_alone(page);
  EXPECT_NE(page.find("&lt;script&gt;alert(&quot;&amp;&#39;1&quot;)&lt;/script&gt;"), std::string::npos);
  EXPECT_EQ(page.find('\x01'), std::string::npos);
  EXPECT_NE(page.find("]]&gt; ? ? ?\n"), std::string::npos);
  if (!has_program("xmllint")) GTEST_SKIP() << "the program xmllint is not installed";
  expect_well_formed(desk);
}

TEST(Report, IsWellFormed) {
  if (!has_program("xmllint")) GTEST_SKIP() << "the program xmllint is not installed";
  Desk desk;
  desk.write("a.mtx", small_matrix);
  const std::vector<std::vector<std::string>> all = {
      {"tile", spmv, "-f", "A=csr", "-s", "tile i by 2, j by 4", "-i", "A=a.mtx"},
      {"tile", spmv, "-f", "A=symmetric_csr", "-s", "tile j by 4", "-i", "A=fem:12,block=3,seed=1"},
      {"tile", spmv, "-f", "A=csr", "-s", "tile j by 4"},
      {"tile", "s = A(i,j) * B(i,j)", "-f", "A=csr", "-f", "B=coo", "-s", "tile i by 4", "-i",
       "A=random:20x0,entries=0", "-i", "B=random:20x0,entries=0"},
      {"explain", "C(i,j) = A(i,k) * B(k,j)", "-f", "A=csr", "-f", "B=csr"}};
  for (const auto &arguments : all) {
    SCOPED_TRACE(arguments[0] + " " + arguments[1]);
    expect_alone(page_of(desk, arguments));
    expect_well_formed(desk);
  }
}

} // namespace
} // namespace unravel::tool::test
