// Types of files; integers that no double holds: exact, or refused.
#include "tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace unravel::tool::test {

namespace {

constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
using Numbers = std::vector<std::int64_t>;

/// x is a folder of arrays with these numbers.
void write_folder(const Desk &desk, const Numbers &numbers) {
  ASSERT_EQ(desk.unravel({"convert", "ones:" + std::to_string(numbers.size()), "x", "-f", "dense", "--type",
                          "int64"})
                .code,
            0);
  desk.write("x/val.npy", npy("<i8", numbers));
}

void expect_refused(const Outcome &outcome, const std::string &message) {
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.error.find(message), std::string::npos) << outcome.error;
}

} // namespace

TEST(ToolLargeIntegers, FoldersAreExact) {
  const Desk desk;
  write_folder(desk, {large, (std::int64_t{1} << 62) + 1, -3});
  const Outcome outcome = desk.unravel({"run", "y(i) = x(i) + 2", "-i", "x=x", "-o", "y=y"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(desk.read("y/val.npy"), npy("<i8", Numbers{large + 2, (std::int64_t{1} << 62) + 3, -1}));
}

/// Their sum is beyond 2^53, so that they are read in halves, but doubles round none of them.
TEST(ToolLargeIntegers, AreCheckedWhereDoublesRoundNone) {
  const Desk desk;
  write_folder(desk, {std::int64_t{1} << 52, std::int64_t{1} << 52, -(std::int64_t{1} << 52)});
  const std::string banner = "%%MatrixMarket matrix coordinate integer general\n";
  desk.write("a.mtx", banner + "2 2 2\n1 1 9007199254740994\n2 2 9007199254740992\n");
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{"run", "y(i) = x(i) + 2", "-i", "x=x", "--check"},
        {"run", "y(i) = A(i,j)", "-f", "A=csr", "-i", "A=a.mtx", "--check"},
        {"run", "C(i,j) = A(j,i)", "-f", "A=csr", "-f", "C=csr", "-i", "A=a.mtx", "--check"}}) {
    const Outcome outcome = desk.unravel(words);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_NE(outcome.out.find("check ok"), std::string::npos) << outcome.out;
  }
}

TEST(ToolLargeIntegers, FilesAreExact) {
  const Desk desk;
  const std::string banner = "%%MatrixMarket matrix coordinate integer general\n", size = "2 2 2\n";
  desk.write("a.mtx", banner + size + "2 2 -9223372036854775808\n1 2 9007199254740993\n");
  for (const char *file : {"b.mtx", "b.npz"}) { // from file to file, by folders, by kernels
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"convert", "a.mtx", file},
          {"convert", file, "b", "-f", "csr"},
          {"convert", "b", "c", "-f", "csc"},
          {"convert", "c", "c.mtx"},
          {"run", "C(i,j) = A(i,j)", "-f", "A=csr", "-f", "C=csc", "-i", "A=c.mtx", "-o", "C=d.mtx"}}) {
      const Outcome outcome = desk.unravel(words);
      ASSERT_EQ(outcome.code, 0) << outcome.error;
    }
    const std::string sorted = banner + size + "1 2 9007199254740993\n2 2 -9223372036854775808\n";
    EXPECT_EQ(desk.read("c.mtx"), sorted);
    EXPECT_EQ(desk.read("d.mtx"), sorted);
  }
  desk.write("u.npy", npy("<u8", std::vector<std::uint64_t>{~std::uint64_t{1}}));
  const Outcome outcome = desk.unravel({"run", "y(i) = x(i) - 1", "-i", "x=u.npy", "-o", "y=y.mtx"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(desk.read("y.mtx"), "%%MatrixMarket matrix array integer general\n1 1\n18446744073709551613\n");
}

/// In each of these layouts, with what the program of `compile --main` writes too.
TEST(ToolLargeIntegers, ResultsThatArePackedBehindTheKernel) {
  const Desk desk;
  const std::string banner = "%%MatrixMarket matrix coordinate integer general\n";
  desk.write("a.mtx", banner + "2 2 2\n1 1 9007199254740993\n2 2 9007199254740995\n");
  desk.write("least.mtx", banner + "2 2 2\n1 1 -9223372036854775808\n2 2 -1\n");
  desk.write("greatest.mtx", banner + "2 2 2\n1 1 18446744073709551615\n2 2 1\n");
  desk.write("ones.mtx", banner + "2 2 2\n1 1 1\n2 2 1\n");
  struct Case {
    std::string file, type, first, second;
  };
  for (const Case &each : {Case{"a", "int64", "9007199254740993", "9007199254740995"},
                           {"least", "int64", "-9223372036854775808", "-1"},
                           {"greatest", "uint64", "18446744073709551615", "1"}})
    for (const std::string layout : {"ell", "dia"}) {
      const std::vector<std::string> formats{"C(i,j) = A(i,k) * B(k,j)", "-f", "A=csr " + each.type, "-f",
                                             "B=csr " + each.type,       "-f", "C=" + layout};
      const std::string expected = banner + "2 2 2\n1 1 " + each.first + "\n2 2 " + each.second + "\n";
      std::vector<std::string> run = formats, compile = formats;
      run.insert(run.begin(), "run");
      run.insert(run.end(), {"-i", "A=" + each.file + ".mtx", "-i", "B=ones.mtx", "-o", "C=c.mtx"});
      const Outcome outcome = desk.unravel(run);
      ASSERT_EQ(outcome.code, 0) << outcome.error;
      EXPECT_EQ(desk.read("c.mtx"), expected) << layout;
      if (!has_program("gcc")) continue;
      compile.insert(compile.begin(), "compile");
      compile.insert(compile.end(), {"--main", "-o", "c.c"});
      ASSERT_EQ(desk.unravel(compile).code, 0);
      const Outcome made = desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror",
                                         "-fsanitize=address,undefined", "c.c", "-o", "c", "-lm"});
      ASSERT_EQ(made.code, 0) << made.error;
      const Outcome ran = desk.execute({"./c", "A=" + each.file + ".mtx", "B=ones.mtx", "-o", "d.mtx"});
      ASSERT_EQ(ran.code, 0) << ran.error;
      EXPECT_EQ(desk.read("d.mtx"), expected) << layout;
    }
}

/// What a type doesn't hold is refused where it is read.
TEST(ToolLargeIntegers, ProgramsRefuseOtherNumbers) {
  if (!has_program("gcc")) GTEST_SKIP() << "no gcc";
  const Desk desk;
  ASSERT_EQ(desk.unravel({"compile", "y(i) = a * A(i,j) * x(j)", "-f", "A=csr int8", "-f", "x=dense uint64",
                          "-f", "a=dense int64", "--main", "-o", "p.c"})
                .code,
            0);
  const Outcome made = desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror",
                                     "-fsanitize=address,undefined", "p.c", "-o", "p", "-lm"});
  ASSERT_EQ(made.code, 0) << made.error;
  const std::string head = "%%MatrixMarket matrix coordinate ", one = "\n1 1 1\n1 1 ";
  const std::string none = ": a value is none of the tensor's type\n";
  const auto run = [&](const std::string &field, const std::string &value, const std::string &x,
                       const std::string &a) {
    desk.write("A.mtx", head + field + one + value + "\n");
    desk.write("x.mtx", "%%MatrixMarket matrix array integer general\n1 1\n" + x + "\n");
    const Outcome ran = desk.execute({"./p", "A=A.mtx", "x=x.mtx", "a=" + a, "-o", "y.mtx"});
    if (ran.code != 0) return ran.error;
    const std::string written = desk.read("y.mtx");
    return written.substr(written.find("1 1\n") + 4);
  };
  EXPECT_EQ(run("integer general", "-128", "1", "1"), "18446744073709551488\n");
  EXPECT_EQ(run("integer general", "1", "18446744073709551615", "1"), "18446744073709551615\n");
  EXPECT_EQ(run("integer general", "1", "1", "9007199254740993"), "9007199254740993\n");
  EXPECT_EQ(run("integer symmetric", "3", "2", "-1"), "18446744073709551610\n");
  EXPECT_EQ(run("real general", "3e1", "2", "1"), "60\n");
  EXPECT_EQ(run("integer general", "128", "1", "1"), "error: A.mtx" + none);
  EXPECT_EQ(run("real general", "1.5", "1", "1"), "error: A.mtx" + none);
  EXPECT_EQ(run("integer general", "1", "-1", "1"), "error: x.mtx" + none);
  EXPECT_EQ(run("integer general", "1", "18446744073709551616", "1"), "error: x.mtx" + none);
  EXPECT_EQ(run("integer general", "1", "1", "1.5"), "error: 1.5: a value isn't an integer\n");
}

/// What the entries of one coordinate add up to is refused where packing would cut it, by `run` and programs.
TEST(ToolLargeIntegers, SumsThatNoValueHolds) {
  if (!has_program("gcc")) GTEST_SKIP() << "no gcc";
  const Desk desk;
  const std::string head = "%%MatrixMarket matrix coordinate integer general\n2 2 ";
  const auto twice = [&](const std::string &value) {
    return head + "5\n2 2 1\n1 1 " + value + "\n2 1 -1\n1 1 " + value + "\n1 1 1\n";
  };
  struct Case {
    std::string value, sum; // empty: none of the type
  };
  const std::vector<std::pair<std::string, std::vector<Case>>> types{
      {"int8", {{"64", ""}, {"63", "127"}, {"-65", ""}, {"-64", "-127"}}},
      {"int64", {{"-4611686018427387905", ""}, {"4611686018427387903", "9223372036854775807"}}}};
  for (const auto &[type, cases] : types)
    for (const std::string layout : {"csr", "coo_dup"}) {
      const std::string format = "A=" + layout + " " + type;
      ASSERT_EQ(desk.unravel({"compile", "y(i) = A(i,j)", "-f", format, "--main", "-o", "p.c"}).code, 0);
      const Outcome made = desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror",
                                         "-fsanitize=address,undefined", "p.c", "-o", "p", "-lm"});
      ASSERT_EQ(made.code, 0) << made.error;
      for (const auto &[value, sum] : cases) {
        desk.write("a.mtx", twice(value));
        const Outcome ran =
            desk.unravel({"run", "y(i) = A(i,j)", "-f", format, "-i", "A=a.mtx", "-o", "y=y.mtx", "--check"});
        const Outcome program = desk.execute({"./p", "A=a.mtx", "-o", "z.mtx"});
        if (sum.empty() && layout == "csr") {
          EXPECT_NE(ran.error.find("[value-width]"), std::string::npos) << format << " " << ran.error;
          EXPECT_EQ(program.error,
                    "error: A: values of one coordinate add up to none of the tensor's type\n");
          continue;
        }
        EXPECT_EQ(ran.code, 0) << ran.error;
        EXPECT_EQ(program.code, 0) << program.error;
        EXPECT_EQ(desk.read("z.mtx"), desk.read("y.mtx"));
        EXPECT_NE(desk.read("z.mtx").find("\n" + sum), std::string::npos);
      }
    }
}

/// All 64 bits, also of sums and products that wrap around, with one entry for a coordinate and with several.
TEST(ToolLargeIntegers, AreChecked) {
  const Desk desk;
  const std::string banner = "%%MatrixMarket matrix coordinate integer general\n";
  desk.write("a.mtx", banner + "3 3 5\n1 1 9007199254740993\n1 2 -9223372036854775808\n3 1 2147483647\n"
                               "2 2 9223372036854775807\n2 3 9223372036854775807\n");
  desk.write("twice.mtx", banner + "3 3 4\n1 1 9007199254740993\n2 2 9223372036854775807\n"
                                   "2 2 9223372036854775807\n3 1 7\n");
  desk.write("small.mtx", banner + "3 3 4\n1 1 2147483647\n1 1 2147483647\n1 1 5\n3 1 2147483647\n");
  desk.write("x.mtx", "%%MatrixMarket matrix array integer general\n3 1\n"
                      "9007199254740993\n3\n-9223372036854775807\n");
  desk.write("u.npy", npy("<u8", std::vector<std::uint64_t>{~std::uint64_t{1}, 5, std::uint64_t{1} << 63}));
  write_folder(desk, {0, large});
  desk.write("x.npy", npy("<i8", Numbers{large}));
  const auto check = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.emplace_back("--check");
    const Outcome outcome = desk.unravel(words);
    EXPECT_EQ(outcome.code, 0) << outcome.error << outcome.out;
    EXPECT_NE(outcome.out.find("check ok"), std::string::npos) << outcome.out;
  };
  check({"y(i) = x(i)", "-i", "x=x"});
  check({"y(i) = x(i)", "-i", "x=x.npy"});
  for (const std::string line :
       {"y(i) = A(i,j) * x(j)", "y(i) += A(i,j)", "y(i) = A(i,j) * x(j) in min.+", "y(i) = A(i,j) / x(j)",
        "y(i) max= A(i,j)", "y(i) any= A(i,j)", "y(i) = f64(A(i,j)) * x(j)", "y(i) = A(i,j) * (i - j)",
        "y(i) = A(i,j) < x(j)", "for i { let s = 0; for j { s += A(i,j); } y(i) = s * s - x(i); }"})
    for (const std::string layout : {"csr", "bcsr<2,2>", "coo"}) {
      std::vector<std::string> words{line, "-f", "A=" + layout, "-i", "A=a.mtx"};
      if (line.find('x') != std::string::npos && line.find("max") == std::string::npos)
        words.insert(words.end(), {"-i", "x=x.mtx"});
      check(words);
    }
  for (const std::string type : {"int64", "uint64"})
    for (const std::string made : {"csr", "coo_dup", "dense"})
      check({"C(j,i) = A(i,j)", "-f", "A=coo_dup " + type, "-f", "C=" + made, "-i", "A=twice.mtx"});
  for (const std::string type : {"int32", "int64", "f64"})
    for (const std::string line : {"C(i,j) = A(i,j)", "C(i,j) = 3 * A(i,j)", "C(j,k) = A(i,j) * A(i,k)"})
      check({line, "-f", "A=coo_dup int32", "-f", "C=coo_dup " + type, "-i", "A=small.mtx"});
  check({"y(i) = x(i) * x(i) - 1", "-i", "x=u.npy"});
  check({"y(i) += x(i)", "-i", "x=x.mtx", "-i", "y=x.mtx"});
  check({"C(i,j) = min(A(i,j), B(j,i))", "-f", "A=csr int64 fill inf", "-f", "B=csr int64 fill inf", "-f",
         "C=csr fill inf", "-i", "A=a.mtx", "-i", "B=a.mtx"});
}

/// In text, in JSON, and as what is wrong.
TEST(ToolLargeIntegers, AreShown) {
  const Desk desk;
  desk.write("a.mtx",
             "%%MatrixMarket matrix array integer general\n2 1\n9007199254740993\n-9223372036854775808\n");
  desk.write("u.npy", npy("<u8", std::vector<std::uint64_t>{~std::uint64_t{1}}));
  desk.write("b.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 2\n1 1 2147483647\n1 1 1\n");
  const auto said = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    const Outcome outcome = desk.unravel(words);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return outcome.out;
  };
  EXPECT_NE(
      said({"y(i) = x(i)", "-i", "x=a.mtx"}).find("y(0) = 9007199254740993, y(1) = -9223372036854775808\n"),
      std::string::npos);
  EXPECT_NE(said({"s = x(i)", "-i", "x=u.npy"}).find("s = 18446744073709551614\n"), std::string::npos);
  EXPECT_NE(said({"C(i,j) = A(i,j)", "-f", "A=coo_dup int32", "-f", "C=coo_dup int32", "-i", "A=b.mtx"})
                .find("C(0,0) = -2147483648"),
            std::string::npos);
  const auto first = [&](const std::vector<std::string> &words) {
    return nlohmann::json::parse(said(words)).at("result").at("first").at(0).at("value");
  };
  EXPECT_EQ(first({"y(i) = x(i)", "-i", "x=a.mtx", "--json"}).get<std::int64_t>(), large);
  EXPECT_EQ(first({"y(i) = x(i)", "-i", "x=u.npy", "--json"}).get<std::uint64_t>(), ~std::uint64_t{1});
  EXPECT_EQ(first({"y(i) = 0.5 * x(i)", "-i", "x=u.npy", "--json"}).get<double>(), 0x1p63);
}

TEST(ToolLargeIntegers, DoublesRefuse) {
  const Desk desk;
  write_folder(desk, {0, large});
  expect_refused(desk.unravel({"convert", "x", "z", "-f", "sv f64"}),
                 "val[1] = 9007199254740993 is an integer that no double holds exactly");
  expect_refused(desk.unravel({"run", "y(i) = x(i)", "-i", "x=x", "-o", "y=y.tns"}),
                 "but those of .tns files are read as doubles");
  expect_refused(desk.unravel({"run", "y(i) = x(i)", "-f", "x=dense f64", "-i", "x=x"}),
                 "val[1] = 9007199254740993 is an integer that no double holds exactly");
  desk.write("x.npy", npy("<i8", Numbers{large}));
  expect_refused(desk.unravel({"run", "y(i) = x(i)", "--type", "f64", "-i", "x=x.npy"}),
                 "the value 9007199254740993 is no double");
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 3000000000\n");
  expect_refused(desk.unravel({"run", "y(i) = A(i,j)", "--type", "int32", "-i", "A=a.mtx"}),
                 "value 3000000000 can't be stored in array `val` of int32 elements");
}

/// Whatever their size, where a double holds them.
TEST(ToolLargeIntegers, DoublesTakeWhatTheyHold) {
  const Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n1 3 3\n1 1 18446744073709551616\n"
                      "1 2 -9223372036854775808\n1 3 000000000000000000000004096\n");
  const Outcome made =
      desk.unravel({"run", "y(j) = A(i,j)", "--type", "f64", "-f", "A=csr", "-i", "A=a.mtx", "-o", "y=y.txt"});
  EXPECT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(desk.read("y.txt"), "18446744073709551616\n-9223372036854775808\n4096\n");
  desk.write("b.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -18446744073709551615\n");
  expect_refused(desk.unravel({"run", "y(i) = A(i,j)", "--type", "f64", "-i", "A=b.mtx"}),
                 "the integer value `-18446744073709551615` is not exact as a 64-bit floating-point number");
}

/// The type of a result that is the product of two files' values.
TEST(ToolLargeIntegers, FilesHaveTypes) {
  const Desk desk;
  const std::string size = " general\n1 1 1\n1 1";
  desk.write("integer.mtx", "%%MatrixMarket matrix coordinate integer" + size + " 7\n");
  desk.write("real.mtx", "%%MatrixMarket matrix coordinate real" + size + " 2\n");
  desk.write("pattern.mtx", "%%MatrixMarket matrix coordinate pattern" + size + "\n");
  desk.write("complex.mtx", "%%MatrixMarket matrix coordinate complex" + size + " 1 2\n");
  desk.write("int8.npy", npy("|i1", std::vector<std::int8_t>{2}));
  desk.write("single.npy", npy("<f4", std::vector<float>{2}));
  const auto type_of = [&](const std::string &matrix, const std::string &vector, const std::string &type) {
    std::vector<std::string> words{"run", "y(i) = A(i,j) / x(j)", "-f", "A=csr",   "-i",     "A=" + matrix,
                                   "-i",  "x=" + vector,          "-o", "y=y.npy", "--check"};
    if (!type.empty()) words.insert(words.end(), {"--type", type});
    const Outcome outcome = desk.unravel(words);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    const std::string array = desk.read("y.npy");
    const std::size_t at = array.find("'descr': '") + 11;
    return array.substr(at, array.find('\'', at) - at);
  };
  EXPECT_EQ(type_of("integer.mtx", "ones", ""), "f8");
  EXPECT_EQ(type_of("integer.mtx", "real.mtx", ""), "f8");
  EXPECT_EQ(type_of("integer.mtx", "integer.mtx", ""), "i8");
  EXPECT_EQ(type_of("integer.mtx", "int8.npy", ""), "i8");
  EXPECT_EQ(type_of("integer.mtx", "int8.npy", "f64"), "f8");
  EXPECT_EQ(type_of("pattern.mtx", "int8.npy", ""), "f8");
  EXPECT_EQ(type_of("pattern.mtx", "single.npy", ""), "f8");
  EXPECT_EQ(type_of("integer.mtx", "single.npy", ""), "f4");
  EXPECT_EQ(type_of("complex.mtx", "int8.npy", ""), "c16");
}

TEST(ToolLargeIntegers, NumbersInTheText) {
  const Desk desk;
  expect_refused(desk.unravel({"compile", "y(i) = x(i) + 9007199254740993"}),
                 "`9007199254740993` is no double, as numbers in the text are");
  EXPECT_EQ(desk.unravel({"compile", "y(i) = x(i) + 9007199254740994"}).code, 0);
  expect_refused(desk.unravel({"run", "y(i) = a * x(i)", "-i", "x=ones:3", "-i", "a=9007199254740993"}),
                 "`9007199254740993` is an integer that no double holds exactly");
  for (const auto &[type, number] : {std::pair{"int64", "9007199254740993"},
                                     {"int64", "-9007199254740993"},
                                     {"uint64", "18446744073709551613"}}) {
    const Outcome exact = desk.unravel({"run", "y(i) = a * x(i)", "-i", "x=ones:1", "-i",
                                        std::string("a=") + number, "-f", std::string("a=dense ") + type,
                                        "-f", std::string("x=dense ") + type, "-o", "y=y.txt", "--check"});
    EXPECT_EQ(exact.code, 0) << exact.error;
    EXPECT_EQ(desk.read("y.txt"), std::string(number) + "\n");
  }
}

TEST(ToolLargeIntegers, TheGreatestOneIsWritten) {
  const Desk desk;
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 5\n");
  for (const auto &[type, greatest] :
       {std::pair{"int64", "9223372036854775807"}, std::pair{"uint64", "18446744073709551615"}}) {
    const Outcome outcome =
        desk.unravel({"run", "y(i) min= A(i,j) in min.*", "-f", std::string("A=csr ") + type, "-i", "A=A.mtx",
                      "-o", "y=y.mtx", "--check"});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_NE(desk.read("y.mtx").find(std::string("\n5\n") + greatest + "\n"), std::string::npos)
        << desk.read("y.mtx");
  }
}

} // namespace unravel::tool::test
