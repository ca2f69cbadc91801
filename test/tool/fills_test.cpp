// Fills as users give them: `-f 'A=csr fill inf'`.
#include "tool/tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::string matrix = "%%MatrixMarket matrix coordinate real general\n2 4 2\n1 1 5\n2 4 -1\n";

TEST(ToolFills, the_least_of_each_row) {
  const Desk desk;
  desk.write("a.mtx", matrix);
  const Outcome made = desk.unravel(
      {"run", "y(i) min= A(i,j)", "-f", "A=bcsr<2,2> fill inf", "-i", "A=a.mtx", "-o", "y=y.mtx", "--check"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("check ok"), std::string::npos) << made.out;
  EXPECT_NE(desk.read("y.mtx").find("\n5\n-1\n"), std::string::npos) << desk.read("y.mtx");
}

/// What isn't stored is counted by a program: its result begins as the line's does, in C too.
TEST(ToolFills, ReductionsBeginWithTheirIdentity) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  const Desk desk;
  desk.write("full.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 5\n1 2 7\n");
  for (const auto &[line, value] :
       {std::pair("s min= A(i,j)", "\n5\n"), {"s *= A(i,j)", "\n35\n"}, {"s and= A(i,j)", "\n1\n"}}) {
    ASSERT_EQ(desk.unravel({"compile", line, "-f", "A=csr", "--main", "-o", "program.c"}).code, 0) << line;
    ASSERT_EQ(desk.execute({"gcc", "-O1", "-fopenmp", "program.c", "-o", "program", "-lm"}).code, 0) << line;
    ASSERT_EQ(desk.execute({"./program", "A=full.mtx", "-o", "s.mtx"}).code, 0) << line;
    EXPECT_TRUE(desk.read("s.mtx").ends_with(value)) << line << ": " << desk.read("s.mtx");
  }
}

/// As in NumPy, what is computed from NaN is NaN; no reduction begins with it, and no integer is it.
TEST(ToolFills, NaNIsForOperands) {
  const Desk desk;
  desk.write("a.mtx", matrix);
  const Outcome made = desk.unravel(
      {"run", "C(i,j) = A(i,j) + 1", "-f", "A=csr fill nan", "-i", "A=a.mtx", "-o", "C=c.txt", "--check"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(desk.read("c.txt"), "6 nan nan nan\nnan nan nan 0\n");
  ASSERT_EQ(desk.unravel({"convert", "a.mtx", "folder", "-f", "csr fill nan"}).code, 0);
  const Outcome sum = desk.unravel({"run", "s = A(i,j)", "-f", "A=csr", "-i", "A=folder", "--check"});
  EXPECT_NE(sum.out.find("s = nan"), std::string::npos) << sum.out << sum.error;
  const Outcome result = desk.unravel({"compile", "C(i,j) = A(i,j)", "-f", "A=csr", "-f", "C=csr fill nan"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.error.find("`C` has the fill nan"), std::string::npos) << result.error;
  const Outcome integers = desk.unravel({"compile", "C(i,j) = A(i,j)", "-f", "A=csr int32 fill nan"});
  EXPECT_NE(integers.error.find("the fill of `A`, nan, is not a value of type int32"), std::string::npos)
      << integers.error;
}

/// A tensor is the same in any layout: what is stored in padding is what isn't stored elsewhere.
TEST(ToolFills, of_integers) {
  const Desk desk;
  desk.write("a.mtx", matrix);
  for (const std::string type : {"int8", "int32", "int64", "uint16", "f32"})
    for (const std::string layout : {"csr", "bcsr<2,2>", "dense"})
      for (const char *line :
           {"y(i) min= A(i,j)", "y(i) min= A(i,j) + x(j)", "C(i,j) = min(A(i,j), B(i,j))"}) {
        if (type == "uint16")
          desk.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 4 1\n1 1 5\n");
        std::vector<std::string> command{"run", line,      "-f",     "A=" + layout + " " + type + " fill inf",
                                         "-i",  "A=a.mtx", "--check"};
        auto add = [&](const std::string &tensor, const std::string &format, const std::string &input) {
          if (std::string(line).find(tensor + "(") == std::string::npos) return;
          command.insert(command.end(), {"-f", tensor + "=" + format});
          if (!input.empty()) command.insert(command.end(), {"-i", tensor + "=" + input});
        };
        add("x", "dense " + type, "random:4,density=0");
        add("B", "csr " + type + " fill inf", "a.mtx");
        add("C", "csr fill inf", "");
        const Outcome made = desk.unravel(command);
        EXPECT_EQ(made.code, 0) << line << " " << layout << " " << type << "\n" << made.out << made.error;
      }
}

/// What isn't stored of such a result is inf, in whatever it is written to and read from.
TEST(ToolFills, results_and_files_keep_it) {
  const Desk desk;
  desk.write("a.mtx", matrix);
  const std::vector<std::string> line = {"run", "d(i) = A(i,j) in min.+", "-f", "A=csr", "-f", "d=sv", "-i"};
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  desk.write("b.mtx", head + "3 2 2\n1 1 5\n3 2 -1\n");
  for (const char *output : {"d.mtx", "d.npy", "d.txt", "d"}) {
    std::vector<std::string> command = line;
    command.insert(command.end(), {"A=b.mtx", "-o", std::string("d=") + output});
    const Outcome made = desk.unravel(command);
    ASSERT_EQ(made.code, 0) << made.error;
  }
  EXPECT_EQ(desk.read("d.mtx"), head + "%fill inf\n3 1 2\n1 1 5\n3 1 -1\n");
  EXPECT_EQ(desk.read("d.txt"), "5\ninf\n-1\n");
  ASSERT_EQ(desk.unravel({"convert", "d.mtx", "e.npy"}).code, 0);
  for (const char *input : {"d.mtx", "d.npy", "d", "e.npy"}) {
    std::vector<std::string> command = {"run", "y(i) = d(i)", "-i", std::string("d=") + input,
                                        "-o",  "y=y.txt"};
    if (input == std::string("d.mtx")) command.insert(command.end(), {"-f", "d=sv"});
    const Outcome made = desk.unravel(command);
    ASSERT_EQ(made.code, 0) << input << made.error;
    EXPECT_EQ(desk.read("y.txt"), "5\ninf\n-1\n") << input;
  }
  const Outcome refused = desk.unravel({"run", "y(i) = d(i)", "-f", "d=sv fill 3", "-i", "d=d.mtx"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.error.find("elements that aren't stored are inf in `d.mtx`, and not 3"),
            std::string::npos)
      << refused.error;
}

/// As `run` does; a program takes no other fill than it was made for.
TEST(ToolFills, programs_write_and_check_it) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  const Desk desk;
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  desk.write("b.mtx", head + "3 2 2\n1 1 5\n3 2 -1\n");
  desk.write("t.tns", "# shape: 3 1 2\n1 1 2 5\n3 1 1 -1\n");
  const auto build = [&](std::vector<std::string> options) {
    options.insert(options.begin(), "compile");
    options.insert(options.end(), {"--main", "-o", "program.c"});
    const Outcome made = desk.unravel(options);
    EXPECT_EQ(made.code, 0) << made.error;
    const Outcome compiled = desk.execute(
        {"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "program.c", "-o", "program", "-lm"});
    EXPECT_EQ(compiled.code, 0) << compiled.error;
  };
  build({"d(i) = A(i,j) in min.+", "-f", "A=csr", "-f", "d=sv"});
  ASSERT_EQ(desk.execute({"./program", "A=b.mtx", "-o", "d.mtx"}).code, 0);
  EXPECT_EQ(desk.read("d.mtx"), head + "%fill inf\n3 1 2\n1 1 5\n3 1 -1\n");
  Outcome refused = desk.execute({"./program", "A=d.mtx"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(
      refused.error.find("d.mtx: elements that aren't stored are inf there, but this program was made for 0"),
      std::string::npos)
      << refused.error;
  build({"y(i) = d(i)", "-f", "d=sv fill inf"});
  ASSERT_EQ(desk.execute({"./program", "d=d.mtx", "-o", "y.mtx"}).code, 0);
  EXPECT_EQ(desk.read("y.mtx"), "%%MatrixMarket matrix array real general\n3 1\n5\ninf\n-1\n");
  build({"U(i,j,k) = T(i,j,k) in min.+", "-f", "T=coo3", "-f", "U=coo3"});
  ASSERT_EQ(desk.execute({"./program", "T=t.tns", "-o", "u.tns"}).code, 0);
  EXPECT_EQ(desk.read("u.tns"), "# fill: inf\n1 1 2 5\n3 1 1 -1\n");
  refused = desk.execute({"./program", "T=u.tns"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.error.find("compile it with `-f 'TENSOR=LAYOUT fill inf'`"), std::string::npos)
      << refused.error;
}

TEST(ToolFills, slots_without_an_entry_hold_it) {
  const Desk desk;
  desk.write("a.mtx", matrix);
  const Outcome made = desk.unravel({"convert", "a.mtx", "a", "-f", "bcsr<2,2> fill 7"});
  ASSERT_EQ(made.code, 0) << made.error;
  const Outcome back = desk.unravel({"convert", "a", "b.mtx"});
  ASSERT_EQ(back.code, 0) << back.error;
  const std::string entries = desk.read("b.mtx"); // two blocks of four elements
  for (const char *line : {"\n1 1 5\n", "\n1 2 7\n", "\n2 1 7\n", "\n2 2 7\n", "\n2 3 7\n", "\n2 4 -1\n"})
    EXPECT_NE(entries.find(line), std::string::npos) << entries;
}

TEST(ToolFills, programs_that_read_files) {
  if (!has_program("gcc")) GTEST_SKIP() << "no gcc";
  for (const char *layout : {"csr", "bcsr<2,2>", "dense", "ell", "dia", "bcsr<2,2> int32", "dense int64"}) {
    const Desk desk;
    desk.write("a.mtx", matrix);
    const std::string format = "A=" + std::string(layout) + " fill inf";
    ASSERT_EQ(desk.unravel({"compile", "y(i) min= A(i,j)", "--main", "-o", "program.c", "-f", format}).code,
              0)
        << format;
    ASSERT_EQ(desk.execute({"gcc", "-std=c99", "-Wall", "-o", "program", "program.c", "-lm"}).error, "");
    ASSERT_EQ(desk.execute({desk.path("program").string(), "A=a.mtx", "-o", "got.mtx"}).code, 0);
    ASSERT_EQ(desk.unravel({"run", "y(i) min= A(i,j)", "-f", format, "-i", "A=a.mtx", "-o", "y=y.mtx"}).code,
              0);
    EXPECT_EQ(rounded(desk.read("got.mtx")), rounded(desk.read("y.mtx"))) << format;
  }
}

/// Two tensors of one struct type: their pack function is given the fill.
TEST(ToolFills, ProgramsThatReadFilesFillTensorsOfOneTypeApart) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  const Desk desk;
  desk.write("a.mtx", matrix);
  for (const auto &[format, values] : {std::pair("bcsr<2,2> fill inf", "\n5\n-1\n"),
                                       {"bcsr<2,2> int32 fill 9", "\n5\n-1\n"},
                                       {"bcsr<2,2> f32 fill -inf", "\n-inf\n-inf\n"}}) {
    std::string other = format;
    other.erase(other.find(" fill"));
    ASSERT_EQ(desk.unravel({"compile", "y(i) min= A(i,j) + B(i,j)", "--main", "-f", std::string("A=") + format,
                            "-f", "B=" + other, "-o", "program.c"})
                  .code,
              0)
        << format;
    ASSERT_EQ(
        desk.execute({"gcc", "-O1", "-Wall", "-Werror", "-fopenmp", "program.c", "-o", "program", "-lm"}).code,
        0)
        << format;
    ASSERT_EQ(desk.execute({"./program", "A=a.mtx", "B=zeros:2x4", "-o", "y.mtx"}).code, 0) << format;
    EXPECT_NE(desk.read("y.mtx").find(values), std::string::npos) << format << desk.read("y.mtx");
  }
}

TEST(ToolFills, a_folder_keeps_its_fill_whatever_else_is_said_of_its_layout) {
  const Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 2\n2 3 4\n");
  ASSERT_EQ(desk.unravel({"convert", "a.mtx", "G", "-f", "csr fill 7"}).code, 0);
  ASSERT_EQ(desk.unravel({"convert", "a.mtx", "I", "-f", "csr int8 fill inf"}).code, 0);
  const auto sums = [&](const std::string &format) {
    return desk.unravel(
        {"run", "y(i) = A(i,j)*x(j)", "-i", "A=G", "-f", format, "-i", "x=ones", "-o", "y=y.txt", "--check"});
  };
  for (const char *format : {"x=dense", "A=csr", "A=csr f64", "A=csr fill 7"}) {
    const Outcome made = sums(format);
    EXPECT_EQ(made.code, 0) << format << made.error;
    EXPECT_EQ(desk.read("y.txt"), "16\n18\n21\n") << format;
  }
  // Their numbers are rounded to another type, and so is the fill.
  ASSERT_EQ(desk.unravel({"convert", "a.mtx", "T", "-f", "csr f64 fill 0.1"}).code, 0);
  for (const std::vector<std::string> &wanted :
       {std::vector<std::string>{"--type", "f32"}, {"-f", "A=csr f32"}, {"-f", "A=csr f32 fill 0.1"}}) {
    std::vector<std::string> arguments{"run", "C(i,j) = A(i,j)", "-i", "A=T", "--check", "-o", "C=c.txt"};
    arguments.insert(arguments.end(), wanted.begin(), wanted.end());
    const Outcome made = desk.unravel(arguments);
    EXPECT_EQ(made.code, 0) << made.error;
    EXPECT_EQ(desk.read("c.txt"), "2 0.1 0.1\n0.1 0.1 4\n0.1 0.1 0.1\n");
  }
  EXPECT_EQ(desk.unravel({"convert", "T", "U", "-f", "csc f32 fill 0.1"}).code, 0);
  // What --from says is of the type that it says.
  ASSERT_EQ(desk.unravel({"convert", "a.mtx", "N", "-f", "csr int32"}).code, 0);
  ASSERT_EQ(desk.unravel({"convert", "N", "n.txt", "--from", "csr f64 fill 0.5"}).code, 0);
  EXPECT_EQ(desk.read("n.txt"), "2 0.5 0.5\n0.5 0.5 4\n0.5 0.5 0.5\n");
  const Outcome other = desk.unravel({"convert", "G", "g.txt", "--from", "csr fill 8"});
  EXPECT_NE(other.error.find("elements that aren't stored are 7 in `G`, and --from makes them 8"),
            std::string::npos)
      << other.error;
  for (const char *format : {"A=csr fill 8", "A=csr fill 0", "A=csr f32 fill inf"}) {
    const Outcome refused = sums(format);
    EXPECT_EQ(refused.code, 1) << format;
    EXPECT_NE(refused.error.find("these arrays are in layout `csr fill 7`"), std::string::npos)
        << refused.error;
  }
  ASSERT_EQ(desk.unravel({"convert", "G", "g.txt", "--from", "csr"}).code, 0);
  EXPECT_EQ(desk.read("g.txt"), "2 7 7\n7 7 4\n7 7 7\n");
  // An infinite fill is the end of the folder's own type, 127.
  ASSERT_EQ(desk.unravel({"convert", "I", "W", "-f", "csr int32"}).code, 0);
  EXPECT_NE(desk.read("W/layout.json").find("\"csr fill 127\""), std::string::npos)
      << desk.read("W/layout.json");
  ASSERT_EQ(desk.unravel({"run", "y(i) max= A(i,j)", "-i", "A=I", "-f", "A=csr int8 fill 127"}).code, 0);
  ASSERT_EQ(desk.unravel({"run", "y(i) max= A(i,j)", "-i", "A=I", "-f", "A=csr int32"}).code, 1);
}

TEST(ToolFills, a_folder_names_the_end_of_a_wide_type_by_infinity) {
  const Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 5\n");
  for (const char *type : {"int64", "uint64"}) {
    const Outcome made =
        desk.unravel({"run", "C(i,j) min= A(i,j)", "-f", std::string("A=csr ") + type + " fill inf", "-f",
                      "C=csr fill inf", "-i", "A=a.mtx", "-o", "C=C/"});
    ASSERT_EQ(made.code, 0) << made.error;
    EXPECT_NE(desk.read("C/layout.json").find("fill inf\""), std::string::npos) << desk.read("C/layout.json");
    EXPECT_EQ(desk.unravel({"run", "y(i) min= C(i,j)", "-i", "C=C", "--check"}).code, 0);
  }
}

TEST(ToolFills, conversions_test_the_fill_and_say_what_is_lost) {
  const Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 5\n");
  const Outcome refused = desk.unravel({"convert", "a.mtx", "A", "-f", "csr fill 300", "--type", "uint8"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.error.find("the fill 300 is not a value of type uint8"), std::string::npos);
  EXPECT_FALSE(desk.has("A"));
  ASSERT_EQ(desk.unravel({"convert", "a.mtx", "A", "-f", "csr fill 3"}).code, 0);
  EXPECT_NE(desk.unravel({"convert", "A", "b.npz"}).out.find("elements that aren't stored are 3"),
            std::string::npos);
  EXPECT_EQ(desk.unravel({"convert", "A", "b.tns"}).out.find("elements that aren't stored"),
            std::string::npos);
  EXPECT_EQ(desk.read("b.tns"), "# shape: 2 2\n# fill: 3\n1 2 5\n");
  ASSERT_EQ(desk.unravel({"convert", "b.tns", "c.txt"}).code, 0);
  EXPECT_EQ(desk.read("c.txt"), "3 5\n3 3\n");
  EXPECT_EQ(desk.unravel({"convert", "A", "b.txt"}).out.find("elements that aren't stored"),
            std::string::npos);
  EXPECT_EQ(desk.read("b.txt"), "3 5\n3 3\n");
}

TEST(ToolFills, mistakes) {
  const Desk desk;
  desk.write("a.mtx", matrix);
  auto error_of = [&](const std::string &format, const std::string &line = "y(i) = A(i,j)") {
    const Outcome made = desk.unravel({"run", line, "-f", format, "-i", "A=a.mtx"});
    EXPECT_NE(made.code, 0) << format;
    return made.error;
  };
  EXPECT_NE(error_of("A=csr fill").find("saw nothing"), std::string::npos);
  EXPECT_NE(error_of("A=csr fill many").find("saw `many`"), std::string::npos);
  EXPECT_NE(error_of("y=dense fill 3").find("`y` has the fill 3, but"), std::string::npos);
  EXPECT_NE(error_of("A=csr int8 fill 300").find("the fill of `A`, 300, is not a value of type int8"),
            std::string::npos);
  EXPECT_NE(error_of("A=csr int32 fill 2.5").find("is not a value of type int32"), std::string::npos);
  EXPECT_NE(error_of("A=csr fill 1", "tensor A(2, 4) fill inf; for i { for j { y(i) += A(i,j); } }")
                .find("another fill than -f gives it"),
            std::string::npos);
}

} // namespace
} // namespace unravel::tool::test
