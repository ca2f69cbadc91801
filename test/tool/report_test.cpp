// Pages that --report writes: whole, escaped, drawn from what was counted, each line of C linked to what made
// it.
#include "cfront/cfront.h"
#include "page_check.h"
#include "tool.h"

#include <gtest/gtest.h>
#include <regex>

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

/// The page with its C as plain text.
std::string without_colours(const std::string &page) {
  return std::regex_replace(page, std::regex("<span class=\"c-[a-z]+\">([^<]*)</span>"), "$1");
}

std::string page_of(const Desk &desk, std::vector<std::string> arguments) {
  for (const char *argument : {"--report", "page.html"})
    arguments.emplace_back(argument);
  Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  return without_colours(desk.read("page.html"));
}

/// Whole in itself: nothing that a browser would fetch, links that lead somewhere, no script but its own.
void expect_whole(const std::string &page) {
  EXPECT_EQ(complaints_about(page), std::vector<std::string>());
  for (const char *part : {"src=", "url(", "@import", "<link", "<iframe", "onload", "onclick", "javascript:"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  EXPECT_EQ(count(page, "<script"), 1u);
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
  expect_whole(page);
  // 3 x 2 tiles, all of them entered, 3 with entries.
  EXPECT_EQ(count(page, "<rect class=\"hit\""), 3u);
  EXPECT_EQ(count(page, "<rect class=\"miss\""), 3u);
  EXPECT_NE(page.find("3 with points (green), 3 without (red)"), std::string::npos);
  // The tile of rows 4 and 5, columns 4 to 7: the right half of the last third of a plot of 640 by 480.
  EXPECT_NE(page.find("<rect class=\"hit\" x=\"320.00\" y=\"320.00\" width=\"320.00\" height=\"160.00\"/>"),
            std::string::npos);
  EXPECT_NE(page.find("A: 6 x 8, 3 entries; i downwards, j to the right"), std::string::npos);
  EXPECT_NE(
      page.find("<li class=\"reduction\" id=\"n1-p0-l1\" style=\"padding-left: 2.1em\" "
                "data-label=\"loop j.tile in [0, floor((A.N - 1) / 4) + 1)\" data-to=\"n1-c23 n1-c24\">"),
      std::string::npos);
  for (const char *part :
       {"<h1>y(i) = A(i,j) * x(j)</h1>", "<code>tile i by 2, j by 4</code>", ">Loops</h2>",
        ">Dependences</h2>", "update of y: direction (=, &lt;, =)", ">Iteration space</h2>",
        ">Finds and their proofs</h2>", "O-part", ">Generated C</h2>", "int kernel("})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

/// Of a result with entries of its own: it stands beside the operands.
TEST(Report, StructureOfTheResult) {
  Desk desk;
  desk.write("a.mtx", small_matrix);
  desk.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n6 8 3\n1 1 5\n2 2 5\n5 5 5\n");
  const std::string product = "C(i,j) = A(i,j) * B(i,j)";
  for (const std::string result : {"csr", "ell"}) {
    const std::string page =
        page_of(desk, {"tile", product, "-f", "A=csr", "-f", "B=coo", "-f", "C=" + result, "-s",
                       "tile i by 2", "-i", "A=a.mtx", "-i", "B=b.mtx"});
    expect_whole(page);
    EXPECT_EQ(count(page, "class=\"spy\""), 4u);
    EXPECT_EQ(count(page, "<figcaption>"), 3u);
    EXPECT_NE(page.find("C, the result: 6 x 8, 1 entries; i downwards, j to the right"), std::string::npos)
        << page;
  }
  const std::string sampled = page_of(desk, {"tile", "D(i,j) = A(i,j) * x(j)", "-f", "A=csr", "-f",
                                             "D=like:A", "-s", "tile j by 2", "-i", "A=a.mtx"});
  EXPECT_NE(sampled.find("D, the result: 6 x 8, 3 entries"), std::string::npos);
}

TEST(Report, WhatIsNotDrawn) {
  Desk desk;
  desk.write("a.mtx", small_matrix);
  auto page = [&](std::vector<std::string> arguments) { return page_of(desk, std::move(arguments)); };
  std::string positions = page({"tile", spmv, "-f", "A=csr", "-s", "tile A.p by 2", "-i", "A=a.mtx"});
  EXPECT_NE(positions.find("The tiles are not over this matrix's coordinates"), std::string::npos);
  EXPECT_EQ(count(positions, "<rect class=\"hit\""), 0u);
  EXPECT_EQ(count(positions, "class=\"spy\""), 1u);
  std::string vectors = page({"tile", "y(i) = x(i)", "-s", "tile i by 2", "-i", "x=ones:5"});
  EXPECT_NE(vectors.find("No operand is a matrix"), std::string::npos);
  std::string many =
      page({"tile", spmv, "-f", "A=csr", "-s", "tile i by 1, j by 1", "-i", "A=banded:300,width=1"});
  EXPECT_NE(many.find("or there are too many to draw"), std::string::npos);
  std::string symbolic = page({"tile", spmv, "-f", "A=csr", "-s", "tile j by 4"});
  EXPECT_EQ(count(symbolic, "class=\"spy\""), 0u);
  EXPECT_NE(symbolic.find("<th scope=\"row\">j.tile</th><td>floor((A.N - 1) / 4) + 1</td>"),
            std::string::npos);
}

TEST(Report, CodeIsColoured) {
  Desk desk;
  page_of(desk, {"explain", spmv, "-f", "A=csr"});
  const std::string page = desk.read("page.html");
  expect_whole(page);
  for (const char *part :
       {"<span class=\"c-word\">int</span> kernel(",
        "<span class=\"c-directive\">#include &lt;stdint.h&gt;</span>",
        "<span class=\"c-comment\"> * y(i) = A(i,j) * x(j)</span>", " = <span class=\"c-number\">0</span>;"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

/// On top of the page in words, with arrays as they are, and with those of an example where there are no
/// data.
TEST(Report, OfARun) {
  Desk desk;
  desk.write("a.mtx", small_matrix);
  const std::string page = page_of(
      desk, {"run", "C(i,j) = A(i,j) * 2", "-f", "A=csr", "-f", "C=dcsr", "-i", "A=a.mtx", "--check"});
  expect_whole(page);
  for (const char *part : {"<h2 id=\"summary\">", "<b>C</b> in dcsr, the result, <b>A</b> in csr", "check ok",
                           "M = 6, N = 8, NNZ = 3",
                           "<th scope=\"row\">rowptr<span class=\"note\">[M + "
                           "1]</span></th><td>0</td><td>2</td><td>2</td><td>2</td>",
                           "C, the result: 6 x 8, 3 entries; i downwards, j to the right"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("for example:"), std::string::npos);
  const std::string explained = page_of(desk, {"explain", spmv, "-f", "A=symmetric_csr", "-f", "x=sv"});
  EXPECT_EQ(count(explained, "for example:"), 3u);
  expect_whole(explained);
}

/// The page has the tensors, and what is printed still tells of the result.
TEST(Report, BesideTheAnswerOfARun) {
  Desk desk;
  desk.write("a.mtx", small_matrix);
  const Outcome outcome = desk.unravel({"run", "C(i,j) = A(i,j) * 2", "-f", "A=csr", "-f", "C=dcsr", "-i",
                                        "A=a.mtx", "--json", "--report", "page.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.json()["result"]["entries"], 3);
  EXPECT_NE(desk.read("page.html").find("C, the result: 6 x 8, 3 entries"), std::string::npos);
}

/// What an obligation means, what was asked, and what the answer rests on.
TEST(Report, ProofsSayWhatTheyRestOn) {
  Desk desk;
  const std::string page =
      page_of(desk, {"explain", spmv, "-f", "A=csr", "-f", "x=sv", "--find", "x.p=binary"});
  const std::size_t at = page.find("<th scope=\"row\">O-uniq</th>");
  ASSERT_NE(at, std::string::npos);
  const std::string row = page.substr(at, page.find("</tr>", at) - at);
  EXPECT_NE(row.find("a target is at no more than one position"), std::string::npos);
  EXPECT_NE(row.find("and j = x.idx(x.p)"), std::string::npos) << row;
  EXPECT_NE(row.find("<li><code>x: strictly increasing idx</code></li>"), std::string::npos) << row;
  EXPECT_EQ(row.find("rowptr"), row.find("rowptr(i)")); // in the question alone
}

TEST(Report, Explained) {
  Desk desk;
  std::string page = page_of(desk, {"explain", spmv, "-f", "A=csr", "-f", "x=sv"});
  expect_whole(page);
  EXPECT_NE(page.find("<li class=\"find\" "), std::string::npos);
  EXPECT_NE(page.find("<li class=\"parallel\" "), std::string::npos);
  EXPECT_EQ(desk.unravel({"explain", spmv, "--report", "no/page.html"}).code, 1);
}

const char *const solve = "void solve(int n, const double L[n][n], const double b[n], double x[n]) {\n"
                          "  for (int i = 0; i < n; i++) {\n"
                          "    double s = b[i];\n"
                          "    for (int j = 0; j < i; j++)\n"
                          "      s -= L[i][j] * x[j];\n"
                          "    x[i] = s / L[i][i];\n"
                          "  }\n"
                          "}\n";

/// The element that begins with this, to the end of its line.
std::string line_with(const std::string &page, const std::string &part) {
  const std::size_t at = page.find(part);
  if (at == std::string::npos) return "nothing has " + part;
  const std::size_t begin = page.rfind("<a class=\"line", at);
  return page.substr(begin, page.find("</a>", at) - begin);
}

/// Each line of C knows its level, the constraints that made it, and a find's proofs.
TEST(Report, LinesOfCAreLinked) {
  Desk desk;
  std::string page =
      page_of(desk, {"explain", spmv, "-f", "A=csr", "-s", "order i, j, A.p", "--find", "A.p=binary"});
  expect_whole(page);
  EXPECT_NE(page.find("id=\"n1-c4\" data-label=\"(4) A.rowptr(i) &lt;= A.p\""), std::string::npos);
  EXPECT_NE(page.find("id=\"n1-c6\" data-label=\"(6) j = A.col(A.p)\""), std::string::npos);
  // The find's range is (4) and (5), what it looks for (6).
  for (const char *part : {"const int64_t rowptr_i1 = A_rowptr[i + 1];",
                           "<code>      int64_t p_high = rowptr_i1;", "while (p &lt; p_high) {"}) {
    const std::string line = line_with(page, part);
    EXPECT_NE(line.find("class=\"line made find\""), std::string::npos) << line;
    EXPECT_NE(line.find(" href=\"#n1-p0-l5\" data-to=\"n1-p0-l5 n1-c4 n1-c5 n1-c6 n1-p0-f5\""),
              std::string::npos)
        << line;
  }
  const std::string outer = line_with(page, "for (int64_t i = 0;");
  EXPECT_NE(outer.find("class=\"line made parallel\""), std::string::npos) << outer;
  EXPECT_NE(outer.find("href=\"#n1-p0-l0\""), std::string::npos) << outer;
  EXPECT_NE(line_with(page, "sum += A_val[p] * x_val[j];").find("href=\"#n1-s\""), std::string::npos);
}

/// Arrows from access to access, by the loop that carries them; a program's source leads to its statements.
TEST(Report, DependencesAreDrawn) {
  if (!cfront::is_available()) GTEST_SKIP() << "configured without Clang (UNRAVEL_JIT=OFF)";
  Desk desk;
  desk.write("solve.c", solve);
  std::string page = page_of(desk, {"explain", "--from", "solve.c", "-f", "L=csr"});
  expect_whole(page);
  EXPECT_EQ(count(page, "<g class=\"dependence flow\""), 1u);
  EXPECT_EQ(count(page, "<g class=\"dependence update\""), 1u);
  for (const char *part :
       {"<b>D1</b> flow of x: direction (&lt;)",
        "from <a href=\"#n3-a0\">x(i) of statement 3</a> to <a href=\"#n2-a2\">x(j) of statement 2</a>",
        "data-to=\"d-D1 n1-p0-l0 n3-a0 n2-a2\"><title>D1: flow of x: direction (&lt;)\nfrom x(i) of "
        "statement 3 to "
        "x(j) of statement 2, carried by i\n",
        "<a class=\"span\" href=\"#n2-s\" data-to=\"n2-s\">s -= L[i][j] * x[j]", "for example"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  // The loop that three statements share is there once, for the constraints of all.
  EXPECT_EQ(count(page, "data-label=\"loop i in "), 1u);
  EXPECT_NE(line_with(page, "for (int64_t i = 0;")
                .find("data-to=\"n1-p0-l0 n1-c1 n1-c2 n2-c4 n2-c11 n2-c12 n2-c2 n3-c1 n3-c2\""),
            std::string::npos);
  EXPECT_NE(line_with(page, "double s = b_val[i];").find("href=\"#n1-s\""), std::string::npos);
}

/// What each kind of kernel has: alternatives, several leaves, walks in step, maps, threads with copies.
TEST(Report, EveryKernelHasAWholePage) {
  Desk desk;
  const std::vector<std::vector<std::string>> all = {
      {spmv, "-f", "A=csr", "-f", "x=sv"},
      {spmv, "-f", "A=symmetric_csr"},
      {spmv, "-f", "A=bcsr:4,4"},
      {spmv, "-f", "A=coo_unsorted"},
      {spmv, "-f", "A=csc"},
      {spmv, "-f", "A=dcsr", "-s", "tile i by 4; tile j by 8; order j.tile, i.tile, i, A.p"},
      {"s = A(i,j) * B(i,j)", "-f", "A=csr", "-f", "B=dcsr"},
      {"C(i,j) = A(i,j) * B(i,j)", "-f", "A=csr", "-f", "B=csr"},
      {"Y(i,r) = A(i,j) * B(j,r)", "-f", "A=csr"},
      {"tensor y(n), x(n); for i in [1, n) { y(i) = y(i - 1) + x(i); }"},
      {"tensor L(n, n), b(n), x(n); for i in [0, n) { let s = b(i); for j in [0, i) { s -= L(i,j) * x(j); } "
       "x(i) = s / L(i,i); }",
       "-f", "L=csr", "-s", "wavefront i"}};
  for (const auto &arguments : all) {
    SCOPED_TRACE(arguments[0] + (arguments.size() > 2 ? " " + arguments[2] : ""));
    std::vector<std::string> command{"explain"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const std::string page = page_of(desk, command);
    expect_whole(page);
    EXPECT_GE(count(page, "class=\"line made "), 3u);
  }
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
  expect_whole(page);
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
    expect_whole(page_of(desk, arguments));
    expect_well_formed(desk);
  }
}

} // namespace
} // namespace unravel::tool::test
