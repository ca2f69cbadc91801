// Results of which only the sizes are given: kernels append their entries.
#include "odd_layouts.h"
#include "tool/tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace unravel::tool::test {
namespace {

const std::vector<std::string> by_rows = {"csr", "csr4",         "dcsr",    "coo",
                                          "csf", "coo_unsorted", "coo_dup", "bcsr<1, 4>"};
const std::vector<std::string> by_columns = {"csc", "dcsc", "csf<1, 0>", "coo_unsorted", "coo_dup"};

std::vector<std::string> run_of(const std::string &expression, const std::vector<std::string> &formats,
                                const std::string &shape) {
  std::vector<std::string> arguments = {"run", expression, "--check", "-o", "C=C.mtx"};
  for (const std::string &format : formats)
    arguments.insert(arguments.end(), {"-f", format});
  for (const char *input : {"A=random:{},density=0.2,seed=1", "B=random:{},density=0.3,seed=2"})
    arguments.insert(arguments.end(), {"-i", fmt::format(fmt::runtime(input), shape)});
  return arguments;
}

/// The result, checked by the tool: against the reference, and its arrays against its layout's properties.
std::string result_of(const Desk &desk, const std::vector<std::string> &arguments) {
  const Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << fmt::format("{}", fmt::join(arguments, " ")) << "\n" << outcome.error;
  return outcome.code == 0 ? desk.read("C.mtx") : "";
}

TEST(ToolAssembled, WhereTheOrderIsProved) {
  const Desk desk;
  for (const char *shape : {"13x11", "1x1", "5x40"}) {
    std::set<std::string> results;
    for (const std::string &layout : by_rows) {
      const std::string result =
          result_of(desk, run_of("C(i,j) = 2 * A(i,j) * B(i,j)", {"A=csr", "B=coo", "C=" + layout}, shape));
      if (!layout.starts_with("bcsr")) results.insert(result); // blocks store zeros, too
    }
    EXPECT_EQ(results.size(), 1u) << shape;
    for (const std::string &layout : by_columns)
      result_of(desk, run_of("C(i,j) = 2 * A(i,j) * B(i,j)", {"A=csc", "B=csc", "C=" + layout}, shape));
  }
}

/// The structure first, then the values: of products, sums, what is transposed.
TEST(ToolAssembled, StructureAndValuesApart) {
  const Desk desk;
  for (const char *line : {"C(i,j) = A(i,k) * B(k,j)", "C(i,j) = A(i,j) * B(i,j)",
                           "C(i,j) = A(i,j) + 2 * B(i,j) - A(j,i)", "C(i,j) = A(j,i) - A(i,k) * B(k,j)"}) {
    for (const char *layout : {"csr", "csc", "dcsr", "coo", "csf", "bcsr<2, 2>"}) {
      std::vector<std::string> arguments =
          run_of(line, {"A=csr", "B=csc", std::string("C=") + layout}, "14x14");
      arguments.insert(arguments.end(), {"-s", "reuse", "--repeat", "2"});
      EXPECT_NE(result_of(desk, arguments), "") << line << " " << layout;
    }
  }
}

/// Rows of A*B in a local tensor; what is stored there is an entry, though it may be zero.
TEST(ToolAssembled, ProductsThroughALocalTensor) {
  const Desk desk;
  const std::string product = "for i { let w(j) = 0; for k { for j { w(j) += A(i,k)*B(k,j); } } "
                              "for j { C(i,j) = w(j); } }";
  std::set<std::string> results;
  for (const char *local : {"w=bitmap", "w=listed", "w=hashed"})
    for (const std::string layout : {"csr", "dcsr", "coo", "csf"})
      results.insert(
          rounded(result_of(desk, run_of(product, {"A=csr", "B=csr", local, "C=" + layout}, "12x12"))));
  EXPECT_EQ(results.size(), 1u);
}

TEST(ToolAssembled, SumsThroughALocalTensor) {
  const Desk desk;
  const std::string sum = "for i { let w(j) = 0; for j { w(j) += A(i,j); } for j { w(j) += 3*B(i,j); } "
                          "for j { C(i,j) = w(j); } }";
  for (const std::string layout : {"csr", "coo"})
    result_of(desk, run_of(sum, {"A=csr", "B=dcsr", "w=bitmap", "C=" + layout}, "9x14"));
}

/// What --check compares a sum with takes memory for its entries, not for all elements.
TEST(ToolAssembled, LargeSumsAreChecked) {
  const Desk desk;
  for (const char *line : {"C(i,j) = A(i,j) - 2 * B(i,j)", "C(i,j) = A(i,j) + B(j,i) + A(j,i)"})
    result_of(desk, {"run", line, "--check", "-o", "C=C.mtx", "-f", "A=coo", "-f", "B=coo", "-f", "C=coo",
                     "-i", "A=random:300000x300000,entries=300,seed=1", "-i",
                     "B=random:300000x300000,entries=300,seed=2"});
}

/// Entries that come in no order, or of several products, are collected in a local tensor and sorted,
/// whatever the layouts are; the results are the same tensor.
TEST(ToolAssembled, LinesThatNeedALocalTensor) {
  const Desk desk;
  const std::vector<std::string> lines = {
      "C(i,j) = A(i,k) * B(k,j)",
      "C(i,j) = A(i,j) + 2 * B(i,j)",
      "C(i,j) = A(i,k) * B(k,j) - B(i,j) / 4",
  };
  for (const std::string &line : lines) {
    std::set<std::string> results;
    for (const std::string operand : {"csr", "coo_unsorted", "dcsr"})
      for (const std::string result : {"csr", "dcsr", "coo", "csf"})
        results.insert(result_of(desk, run_of(line, {"A=" + operand, "B=csr", "C=" + result}, "11x11")));
    for (const std::string result : {"csc", "dcsc"})
      result_of(desk, run_of(line, {"A=csc", "B=csc", "C=" + result}, "11x11"));
    EXPECT_EQ(results.size(), 1u) << line;
  }
  result_of(desk,
            run_of("C(i,j) = (A(i,j) - B(i,j)) * (A(i,k) + B(i,k))", {"A=csr", "B=csr", "C=csr"}, "9x9"));
  result_of(desk, run_of(lines[0], {"A=csr", "B=csr", "C=coo_unsorted"}, "40x40"));
}

/// Rows of few entries and of many, of few columns and of many: members of the local are listed, or not.
TEST(ToolAssembled, WideRowsThroughALocalTensor) {
  const Desk desk;
  for (const std::string density : {"0.0003", "0.004", "0.05"})
    for (const std::string index : {"int32", "int64"})
      for (const std::string result : {"csr", "dcsr", "@unsorted"}) {
        if (result == "@unsorted")
          desk.write("unsorted.layout", R"(layout unsorted(i: M, j: N) {
  index  rowptr[M + 1], col[NNZ];
  count  NNZ = rowptr(M);
  value  val[NNZ];
  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and rowptr(r) <= p < rowptr(r + 1) and j = col(p) } at val(p);
  property rowptr(0) = 0;
  property increasing rowptr;
  property range col in [0, N);
  property forall r, p, q : rowptr(r) <= p < q and q < rowptr(r + 1) => col(p) != col(q);
}
)");
        const std::string layout = result == "@unsorted" ? "./unsorted.layout:unsorted" : result;
        std::vector<std::string> arguments = {"run", "C(i,j) = A(i,k) * B(k,j)", "--check", "-o", "C=C.mtx"};
        arguments.insert(arguments.end(), {"-f", "A=csr", "-f", "B=csr", "-f", "C=" + layout});
        arguments.insert(arguments.end(), {"--index", index, "-i", "A=random:60x50,density=0.1,seed=4"});
        arguments.insert(arguments.end(), {"-i", "B=random:50x9000,seed=5,density=" + density});
        result_of(desk, arguments);
      }
}

/// No loops come to the entries by the result's order: all of them are listed, sorted and added up.
TEST(ToolAssembled, AnyOrderOfAnyOperands) {
  const Desk desk;
  for (const std::string line :
       {"C(i,j) = A(j,i) * B(j,i)", "C(i,j) = A(i,j) - B(j,i)", "C(i,j) = A(k,i) * B(k,j)"}) {
    std::set<std::string> of_rows;
    for (const std::string operand : {"csr", "csc", "bcsr<2, 3>"})
      for (const std::string result : {"csr", "dcsc", "coo", "bcsr<3, 2>"}) {
        const std::string made =
            result_of(desk, run_of(line, {"A=" + operand, "B=csr", "C=" + result}, "12x12"));
        if (!operand.starts_with("bcsr") && (result == "csr" || result == "coo")) of_rows.insert(made);
      }
    EXPECT_EQ(of_rows.size(), 1u) << line;
  }
}

/// Lists of many entries: short ones, those of some thousands, and longer ones are sorted in other ways.
TEST(ToolAssembled, LongListsAreSorted) {
  const Desk desk;
  for (const char *index : {"int32", "int64"}) {
    for (const char *shape : {"90x90", "160x150"}) {
      std::vector<std::string> arguments =
          run_of("C(i,j) = A(i,j) - B(i,j)", {"A=csr", "B=csc", "C=csr"}, shape);
      arguments.insert(arguments.end(), {"--index", index});
      result_of(desk, arguments);
    }
    std::vector<std::string> arguments =
        run_of("C(i,j) = A(i,k) * B(k,j)", {"A=csr", "B=csr", "C=csr", "w=listed"}, "150x150");
    arguments.insert(arguments.end(), {"--index", index});
    result_of(desk, arguments);
  }
}

TEST(ToolAssembled, TensorsOfOrderThree) {
  const Desk desk;
  const std::vector<std::pair<std::string, std::string>> operands = {
      {"X=csf3", "X=random:6x5x7,density=0.2"},
      {"Y=coo3", "Y=random:6x5x7,density=0.1,seed=4"},
      {"V=csr", "V=random:7x4,density=0.4"}};
  const auto run = [&](const std::string &line, const std::string &result) {
    std::vector<std::string> arguments = {"run", line, "--check", "-f", "Z=" + result};
    for (const auto &[format, input] : operands)
      if (line.find(format.substr(0, 1) + "(") != std::string::npos)
        arguments.insert(arguments.end(), {"-f", format, "-i", input});
    const Outcome outcome = desk.unravel(arguments);
    EXPECT_EQ(outcome.code, 0) << line << " " << result << "\n" << outcome.error;
  };
  for (const std::string result : {"csf3", "coo3", "csf<2, 1, 0>"}) {
    run("Z(i,j,k) = X(i,j,k) + 2 * Y(i,j,k)", result);
    run("Z(i,j,r) = X(i,j,k) * V(k,r)", result);
    run("Z(k,j,i) = Y(i,j,k)", result);
  }
  run("Z(i,j) = X(i,j,k) * Y(i,j,k)", "csr");
}

TEST(ToolAssembled, OutsideOfAllLoopsAListGrows) {
  const Desk desk;
  const std::string collected = "let w(i,j) = 0; for i { for j { w(i,j) += A(i,j); } } "
                                "for i { for j { w(i,j) += B(j,i); } } ";
  result_of(desk, run_of(collected + "for i { for j { C(i,j) = w(i,j); } }",
                         {"A=csr", "B=csr", "w=coo_dup", "C=csc"}, "30x30"));
  const Outcome dense =
      desk.unravel({"run", collected + "for i { s(i) = 0; } for i { for j { s(i) += w(i,j) * x(j); } }", "-f",
                    "A=csr", "-f", "B=csr", "-f", "w=coo_dup", "-i", "A=random:30x30,density=0.3", "-i",
                    "B=random:30x30,density=0.1", "-i", "x=random", "--check", "--threads", "2"});
  EXPECT_EQ(dense.code, 0) << dense.error;
  for (const std::string input : {"A=random:30x30,density=0.3", "A=random:300x300,density=0.05"})
    for (const std::string threads : {"1", "4"}) {
      const Outcome hashed =
          desk.unravel({"run", collected + "for i { for j { C(i,j) = w(i,j); } }", "-f", "A=csr", "-f",
                        "B=csr", "-f", "w=hashed", "-f", "C=csr", "-i", input, "-i", "B=" + input.substr(2),
                        "--check", "--threads", threads});
      EXPECT_EQ(hashed.code, 0) << hashed.error;
    }
  const Outcome inside =
      desk.unravel({"compile", "for i { let w(j) = 0; for j { w(j) += A(i,j); } for j { y(j) += w(j); } }",
                    "-f", "A=csr", "-f", "w=coo_dup"});
  EXPECT_EQ(inside.code, 1);
  EXPECT_NE(inside.error.find("a local tensor in loops can't be a `coo_dup`, which grows [cannot-insert]"),
            std::string::npos)
      << inside.error;
}

TEST(ToolAssembled, ProductsOfThree) {
  const Desk desk;
  std::vector<std::string> arguments =
      run_of("C(i,l) = A(i,j) * B(j,k) * A(k,l)", {"A=csr", "B=csr", "C=csr"}, "12x12");
  result_of(desk, arguments);
}

/// Aggregates: each row of P has one entry, which the kernel sees, or every second one has two.
TEST(ToolAssembled, RowsOfOneEntryEach) {
  const Desk desk;
  for (const bool is_single : {true, false}) {
    std::string entries;
    for (int row = 0; row < 24; ++row)
      entries +=
          fmt::format("{} {} {}\n", (is_single ? row : row - row % 2) + 1, (row + row / 4) % 6 + 1, row + 2);
    desk.write("P.mtx", "%%MatrixMarket matrix coordinate real general\n24 6 24\n" + entries);
    for (const char *layout : {"csr", "csr4", "coo"})
      for (const char *threads : {"1", "2"}) {
        const Outcome outcome = desk.unravel({"run",       "C(i,l) = R(i,j) * A(j,k) * P(k,l)",
                                              "-f",        "R=csr",
                                              "-f",        "A=csr",
                                              "-f",        "P=csr",
                                              "-f",        std::string("C=") + layout,
                                              "-i",        "R=random:6x24,density=0.2,seed=3",
                                              "-i",        "A=random:24x24,density=0.2,seed=4",
                                              "-i",        "P=P.mtx",
                                              "--threads", threads,
                                              "--check",   "--emit-c",
                                              "k.c"});
        EXPECT_EQ(outcome.code, 0) << outcome.error;
        EXPECT_EQ(desk.read("k.c").find("does each segment have one entry?") != std::string::npos, is_single)
            << layout;
      }
  }
}

TEST(ToolAssembled, VectorsFromAnyOrder) {
  const Desk desk;
  for (const char *line : {"y(i) = A(i,j) * x(j)", "y(i) = A(i,j) * x(j) + A(j,i)"}) {
    const Outcome outcome =
        desk.unravel({"run", line, "-f", "A=csc", "-f", "x=sv", "-f", "y=sv", "-i",
                      "A=random:14x14,density=0.1", "-i", "x=random:14x1,density=0.4", "--check"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
  }
}

/// Entries of an operand in no order are sorted where they lie.
TEST(ToolAssembled, OperandsWithoutOrder) {
  const Desk desk;
  for (const std::string operand : {"coo_unsorted", "coo_dup", "csr"})
    for (const std::string result : {"csr", "csc", "coo", "dcsr"}) {
      for (const char *index : {"int32", "int64"}) {
        std::vector<std::string> arguments =
            run_of("C(i,j) = 2 * A(i,j)", {"A=" + operand, "C=" + result}, "15x10");
        arguments.resize(arguments.size() - 2); // without B
        arguments.insert(arguments.end(), {"--index", index});
        result_of(desk, arguments);
      }
    }
}

/// Which local, and why; and the program that was made can be read back.
TEST(ToolAssembled, TheProgramIsShown) {
  const Desk desk;
  const std::vector<std::string> formats = {"-f", "A=csr", "-f", "B=csr", "-f", "C=csr"};
  std::vector<std::string> arguments = {"explain", "C(i,j) = A(i,k) * B(k,j)"};
  arguments.insert(arguments.end(), formats.begin(), formats.end());
  const Outcome shown = desk.unravel(arguments);
  ASSERT_EQ(shown.code, 0) << shown.error;
  const std::string begin =
      "== line (0.00 ms)\nC(i, j) = sum(k, A(i, k) * B(k, j))\n\n== program (0.00 ms)\n";
  const std::string why = "# local w(j): `C(i,j) = A(i,k) * B(k,j)` doesn't make the entries "
                          "of C in the order of its layout, by i, j, as far as is proved\n";
  ASSERT_EQ(shown.out.substr(0, begin.size() + why.size()), begin + why);
  const std::string program =
      shown.out.substr(begin.size(), shown.out.find("\n\n", begin.size()) - begin.size());
  EXPECT_EQ(shown.out.find("sorted by"), std::string::npos) << "a bitmap comes in order";
  arguments.insert(arguments.end(), {"-f", "w=listed"});
  EXPECT_NE(desk.unravel(arguments).out.find("w#3.p sorted by w.idx(w#3.p)"), std::string::npos);
  std::vector<std::string> again = run_of(program, {"A=csr", "B=csr", "C=csr", "w=listed"}, "9x9");
  EXPECT_EQ(rounded(result_of(desk, again)),
            rounded(result_of(desk, run_of("C(i,j) = A(i,k) * B(k,j)", {"A=csr", "B=csr", "C=csr"}, "9x9"))));
}

/// Sums over what the result doesn't have come one after the other: one entry for each row that has any.
TEST(ToolAssembled, EntriesThatFollowEachOtherAreOne) {
  const Desk desk;
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n4 3 3\n2 1 1.5\n2 3 2\n4 2 -1\n");
  const Outcome outcome = desk.unravel(
      {"run", "s(i) = A(i,j)", "-f", "A=csr", "-f", "s=sv", "-i", "A=A.mtx", "-o", "s=s.mtx", "--check"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(desk.read("s.mtx"), "%%MatrixMarket matrix coordinate real general\n4 1 2\n2 1 3.5\n4 1 -1\n");
}

TEST(ToolAssembled, OfNothing) {
  const Desk desk;
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
  for (const std::string &layout : by_rows) {
    const Outcome outcome = desk.unravel({"run", "C(i,j) = 2 * A(i,j)", "-f", "A=csr", "-f", "C=" + layout,
                                          "-i", "A=A.mtx", "-o", "C=C.mtx", "--check"});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_EQ(desk.read("C.mtx"), "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
  }
}

/// The entries of a matrix file as lines, sorted, without stored zeros.
std::multiset<std::string> entries_in(const std::string &file) {
  std::multiset<std::string> entries;
  std::istringstream lines(file);
  std::string line;
  std::getline(lines, line); // the banner, then the sizes
  std::getline(lines, line);
  while (std::getline(lines, line))
    if (!line.ends_with(" 0")) entries.insert(line);
  return entries;
}

/// Begins and ends, also of listed rows, of rows of lengths, and counted from 1.
TEST(ToolAssembled, SegmentsThatTwoArraysBound) {
  const Desk desk;
  std::vector<std::string> layouts{"csr", "csr4"};
  for (const char *name : {"csr4_one", "csr_from_one", "csr_lengths", "dcsr4"})
    layouts.push_back(unravel::test::layout_reference(std::string("@segments/") + name));
  for (const std::string line : {"C(i,j) = A(i,j) * B(i,j)", "C(i,j) = A(i,k) * B(k,j)"})
    for (const char *shape : {"1x1", "11x11", "40x40"}) {
      std::set<std::string> results;
      for (const std::string &layout : layouts)
        results.insert(result_of(desk, run_of(line, {"A=csr4", "B=csr", "C=" + layout}, shape)));
      EXPECT_EQ(results.size(), 1u) << line << " " << shape;
    }
}

/// The same by threads, each with rows of its own, and dealt.
TEST(ToolAssembled, SegmentsThatTwoArraysBoundByThreads) {
  const Desk desk;
  const auto written = [&](const std::string &operand, const std::string &result,
                           const std::string &schedule) {
    std::vector<std::string> arguments = {"run",       "C(i,j) = 2 * A(i,j)",
                                          "-f",        "A=" + operand,
                                          "-f",        "C=" + result,
                                          "-i",        "A=random:30000x500,entries=500000,seed=3",
                                          "-o",        "C=C.mtx",
                                          "--threads", "2",
                                          "--check"};
    if (!schedule.empty()) arguments.insert(arguments.end(), {"-s", schedule});
    return result_of(desk, arguments);
  };
  const std::string wanted = written("csr", "csr", "");
  EXPECT_NE(wanted, "");
  std::vector<std::string> layouts{"csr4"};
  for (const char *name : {"csr4_one", "csr_lengths", "dcsr4"})
    layouts.push_back(unravel::test::layout_reference(std::string("@segments/") + name));
  for (const std::string &layout : layouts)
    for (const std::string operand : {"csr", "csc"})
      for (const std::string schedule : {"", "drop zeros"})
        EXPECT_TRUE(written(operand, layout, schedule) == wanted)
            << operand << " " << layout << " " << schedule;
}

/// Layouts whose slots depend on all entries: the kernel lists these, and the list is packed.
/// In parts that have entries of all segments; many threads, few rows, and none.
TEST(ToolAssembled, EntriesAreDealtByThreads) {
  const Desk desk;
  struct Case {
    std::string operand, result, loop;
  };
  for (const Case &each : {Case{"csr", "csc", "i"}, Case{"csc", "csr4", "j"}, Case{"coo", "csc", "A.p"},
                           Case{"dcsr", "csc", "A.r"}})
    for (const char *shape : {"173x219", "2x90", "40x1", "0x5", "5x0"})
      for (const char *drop : {"", "; drop zeros"}) {
        const Outcome outcome =
            desk.unravel({"run", "C(i,j) = 2 * A(i,j)", "-f", "A=" + each.operand, "-f", "C=" + each.result,
                          "-i", fmt::format("A=random:{},density=0.2,seed=1", shape), "-s",
                          fmt::format("parallel {}{}", each.loop, drop), "--threads", "3", "--check"});
        EXPECT_EQ(outcome.code, 0) << each.operand << " " << shape << drop << "\n" << outcome.error;
        EXPECT_NE(outcome.out.find("parallel"), std::string::npos) << outcome.out;
      }
  const Outcome merged = desk.unravel(
      {"compile", "C(i,k) = A(i,j,k) * x(j)", "-f", "A=csf", "-f", "C=csc", "-s", "parallel A.p1"});
  EXPECT_EQ(merged.code, 1);
  EXPECT_NE(merged.error.find("[not-parallel]"), std::string::npos) << merged.error;
}

TEST(ToolAssembled, ResultsThatArePacked) {
  const Desk desk;
  const std::vector<std::string> layouts = {"ell",        "ellr",       "sell<4>", "sellcs<2>",
                                            "dia",        "csb<4>",     "bitmap",  "hash_matrix<8>",
                                            "ubcsr<2,3>", "run_length", "hyb<2>"};
  for (const std::string line :
       {"C(i,j) = A(i,j) * B(i,j)", "C(i,j) = A(i,k) * B(k,j)", "C(i,j) = A(i,j) - B(j,i)"}) {
    const std::multiset<std::string> wanted =
        entries_in(result_of(desk, run_of(line, {"A=csr", "B=csr", "C=csr"}, "12x12")));
    for (const std::string &layout : layouts)
      EXPECT_EQ(entries_in(result_of(desk, run_of(line, {"A=csr", "B=csr", "C=" + layout}, "12x12"))), wanted)
          << line << " " << layout;
  }
  for (const std::string layout : {"symmetric_csr", "packed_lower", "packed_upper", "skyline"}) {
    const bool is_half = layout != "symmetric_csr";
    std::vector<std::string> arguments = {
        "run",     is_half ? "C(i,j) = 2 * A(i,j)" : "C(i,j) = A(i,k) * A(j,k)",
        "-f",      "A=csr",
        "-f",      "C=" + layout,
        "--check", "-i"};
    arguments.push_back(!is_half                   ? "A=random:9x9,density=0.3"
                        : layout == "packed_upper" ? "A=upper.mtx"
                                                   : "A=lower.mtx");
    desk.write("lower.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n3 1 4\n3 3 1\n");
    desk.write("upper.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n1 3 4\n3 3 1\n");
    const Outcome outcome = desk.unravel(arguments);
    EXPECT_EQ(outcome.code, 0) << layout << outcome.out << outcome.error;
  }
}

/// Blocks and diagonals have an order of their own, and entries of a list in any order would be added up: by
/// other operators the list is one in order.
TEST(ToolAssembled, OtherReductionsArePacked) {
  const Desk desk;
  for (const std::string line : {"C(i,j) = A(i,k) * B(k,j) in min.+", "C(i,j) = min(A(i,j), B(i,j))",
                                 "C(i,j) = A(i,j) + B(j,i) in max.+"})
    for (const std::string layout : {"bcsr<2,2>", "dia"}) {
      const std::string fill = line.find("max") == std::string::npos ? " fill inf" : " fill -inf";
      result_of(desk, run_of(line, {"A=csr" + fill, "B=csc" + fill, "C=" + layout + fill}, "12x12"));
    }
  for (const std::string layout : {"hicoo<2>", "mode_generic<2,2,2>"}) {
    const Outcome outcome =
        desk.unravel({"run", "C(i,j,k) = A(i,j,l) * B(l,k) in max.times", "-f", "A=csf", "-f", "B=csr", "-f",
                      "C=" + layout, "-i", "A=random:6x6x6,density=0.2", "-i", "B=random:6x6", "--check"});
    EXPECT_EQ(outcome.code, 0) << layout << outcome.error;
  }
}

TEST(ToolAssembled, PackedVectorsAndTensors) {
  const Desk desk;
  for (const std::string layout : {"hash_vector<8>", "bitmap"}) {
    const Outcome outcome =
        desk.unravel({"run", "y(i) = A(i,j) * x(j)", "-f", "A=csr", "-f", "x=sv", "-f", "y=" + layout, "-i",
                      "A=random:14x14,density=0.1", "-i", "x=random:14x1,density=0.4", "--check"});
    EXPECT_EQ(outcome.code, 0) << layout << outcome.error;
  }
  for (const std::string layout : {"hicoo<2>", "mode_generic<2,1,2>"}) {
    const Outcome outcome = desk.unravel({"run", "Z(i,j,r) = X(i,j,k) * V(k,r)", "-f", "X=csf3", "-f",
                                          "V=csr", "-f", "Z=" + layout, "-i", "X=random:6x5x7,density=0.2",
                                          "-i", "V=random:7x4,density=0.4", "--check"});
    EXPECT_EQ(outcome.code, 0) << layout << outcome.error;
  }
}

/// No order of loops is that of the result, and there is no local tensor: the list is in any order.
TEST(ToolAssembled, EntriesInAnyOrderArePacked) {
  const Desk desk;
  const std::vector<std::string> wanted = {"run", "C(i,j) = 2 * A(i,j+1)",      "--size", "j=11",   "--check",
                                           "-i",  "A=random:12x12,density=0.6", "-o",     "C=C.mtx"};
  std::set<std::multiset<std::string>> results;
  for (const auto &[operand, result] : std::vector<std::pair<std::string, std::string>>{
           {"csr", "csr"}, {"csr", "csc"}, {"coo_unsorted", "csc"}, {"coo_dup", "dia"}, {"csc", "ell"}}) {
    std::vector<std::string> arguments = wanted;
    arguments.insert(arguments.end(), {"-f", "A=" + operand, "-f", "C=" + result});
    results.insert(entries_in(result_of(desk, arguments)));
  }
  EXPECT_EQ(results.size(), 1u);
  for (const std::string result : {"csr", "ellr"})
    result_of(desk, run_of("C(i,j) = A(i,j+1) - 2 * B(i,j)", {"A=csr", "B=coo", "C=" + result}, "12x12"));
  result_of(desk, run_of("for i { let w(j) = 0; for k { for j { w(j) += A(i,k)*B(k,j); } } "
                         "for j { C(j,i) = w(j); } }",
                         {"A=csr", "B=csr", "w=listed", "C=csr"}, "12x12"));
}

/// Zeros that are computed, in results that are appended, dealt, listed and packed: the tensor is the same,
/// and none is left.
TEST(ToolAssembled, ZerosAreDropped) {
  const Desk desk;
  desk.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n1 3 5\n2 2 0\n3 1 -1\n");
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n1 2 1\n3 1 1\n3 3 7\n");
  const std::string head = "%%MatrixMarket matrix coordinate real general\n3 3 ";
  for (const std::string result : {"csr", "csc", "csr4", "dcsr", "dcsc", "coo", "coo_unsorted", "csf", "ell",
                                   "hyb<1>", "hash_matrix<8>"}) {
    std::vector<std::string> arguments = {"run",    "C(i,j) = A(i,j) - B(i,j)",
                                          "-f",     "A=csr",
                                          "-f",     "B=csc",
                                          "-f",     "C=" + result,
                                          "-s",     "drop zeros",
                                          "-i",     "A=a.mtx",
                                          "-i",     "B=b.mtx",
                                          "-o",     "C=C.mtx",
                                          "--check"};
    const std::multiset<std::string> entries = entries_in(result_of(desk, arguments));
    EXPECT_EQ(entries, (std::multiset<std::string>{"1 2 1", "1 3 -5", "3 1 2", "3 3 7"})) << result;
    arguments[1] = "C(i,j) = A(i,j+1) - B(i,j)"; // is listed, and added up when it is packed
    EXPECT_EQ(entries_in(result_of(desk, arguments)),
              (std::multiset<std::string>{"1 1 -1", "1 3 -5", "3 1 1", "3 2 7"}))
        << result;
  }
}

/// 2*128 is 0 in eight bits: what is stored is tested, not what it is cut from.
TEST(ToolAssembled, NarrowValuesThatAreZeroAreDropped) {
  const Desk desk;
  desk.write("a.mtx",
             "%%MatrixMarket matrix coordinate integer general\n3 3 4\n1 1 128\n2 1 100\n2 2 3\n3 3 64\n");
  const std::vector<std::pair<std::string, std::multiset<std::string>>> lines = {
      {"C(i,j) = A(i,j) * B(i,j)", {"2 1 16", "2 2 9"}},
      {"C(i,j) = A(i,j) + B(i,j)", {"2 1 200", "2 2 6", "3 3 128"}},
      {"C(i,j) = A(i,k) * B(k,j)", {"2 1 44", "2 2 9"}}};
  for (const auto &[line, wanted] : lines)
    for (const std::string result : {"csr", "coo", "csc"})
      EXPECT_EQ(entries_in(result_of(desk, {"run", line, "-f", "A=csr uint8", "-f", "B=csc uint8", "-f",
                                            "C=" + result + " uint8", "-s", "drop zeros", "-i", "A=a.mtx",
                                            "-i", "B=a.mtx", "-o", "C=C.mtx", "--check"})),
                wanted)
          << line << " " << result;
}

/// What is done is said; a folder has the layout that was asked for; entries without a place are refused.
TEST(ToolAssembled, PackingIsShown) {
  const Desk desk;
  const std::vector<std::string> kernel = {"C(i,j) = 2 * A(i,j)", "-f", "A=csr", "-f", "C=ellr"};
  std::vector<std::string> arguments = {"explain"};
  arguments.insert(arguments.end(), kernel.begin(), kernel.end());
  const Outcome shown = desk.unravel(arguments);
  EXPECT_NE(shown.out.find("== packed results (0.00 ms)\n"
                           "C is listed by the kernel, then packed: entries can't be appended to layout "
                           "`ellr`: how many positions `s` there are depends on all entries\n"),
            std::string::npos)
      << shown.out;
  arguments.front() = "run";
  arguments.insert(arguments.end(), {"-i", "A=random:8x8,density=0.3", "-o", "C=C", "--check", "--json"});
  const Outcome ran = desk.unravel(arguments);
  ASSERT_EQ(ran.code, 0) << ran.error;
  EXPECT_EQ(ran.json().at("packed_results").at(0).at("layout"), "ellr");
  EXPECT_EQ(ran.json().at("packed_results").at(0).at("name"), "C");
  EXPECT_TRUE(ran.json().at("times_ms").contains("pack_results"));
  EXPECT_NE(desk.read("C/layout.json").find("\"ellr\""), std::string::npos);
  const Outcome refused = desk.unravel({"run", "C(i,j) = 2 * A(i,j)", "-f", "A=csr", "-f", "C=packed_lower",
                                        "-i", "A=random:8x8,density=0.3"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.error.find("[not-storable]"), std::string::npos) << refused.error;
}

/// Without the property of the operand the order isn't proved; the refusal has a case.
TEST(ToolAssembled, RefusedWhereItIsNot) {
  const Desk desk;
  auto refusal = [&](const std::string &expression, const std::vector<std::string> &formats) {
    std::vector<std::string> arguments = {"compile", expression};
    for (const std::string &format : formats)
      arguments.insert(arguments.end(), {"-f", format});
    const Outcome outcome = desk.unravel(arguments);
    EXPECT_EQ(outcome.code, 1) << expression;
    return outcome.error;
  };
  auto expect_in = [](const std::string &error, const std::string &part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  const Outcome turned =
      desk.unravel({"compile", "tensor x(n), z(m), C(n, m); for i { for j { C(i,j) = n * x(i) * z(j); } }",
                    "-f", "C=dcsr", "-s", "order j, i"}); // a line has no sizes
  EXPECT_EQ(turned.code, 0) << turned.error;
  expect_in(turned.out, "the elements of C_now");
  expect_in(refusal("C(i,j) = 2 * A(i,j)", {"A=csr", "C=csr_lower"}),
            "may make entries that the layout of C has no place for");
  const Outcome unrolled =
      desk.unravel({"compile", "y(i) = 1", "-f", "y=sv", "-s", "parallel i; unroll i by 2"});
  EXPECT_EQ(unrolled.code, 1);
  expect_in(unrolled.error, "the loop over `i` appends to the result in parallel: it can't be unrolled");
  const std::string packed = refusal("C(i,j) = A(i,k) * A(j,k)", {"A=csr", "C=symmetric_csr"});
  expect_in(packed, "it has several pieces [cannot-append]");
  expect_in(packed, "`unravel run` packs such results itself");
  expect_in(refusal("C(i,j) += A(i,j)", {"A=csr", "C=csr"}), "begins without entries");
}

} // namespace
} // namespace unravel::tool::test
