// Results in the types that numbers in the text make of those of operands: values worked out by hand, which
// --check, whose reference has the same types, doesn't tell.
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

void expect_shown(const Desk &desk, std::vector<std::string> words, const std::string &values) {
  words.insert(words.begin(), "run");
  words.push_back("--check");
  const Outcome outcome = desk.unravel(words);
  EXPECT_EQ(outcome.code, 0) << words[1] << "\n" << outcome.error;
  EXPECT_NE(outcome.out.find(": " + values + "\n"), std::string::npos) << words[1] << "\n" << outcome.out;
}

} // namespace

TEST(ToolNumberTypes, FractionsMakeRealNumbersOfIntegers) {
  const Desk desk;
  desk.write("x.mtx", "%%MatrixMarket matrix array integer general\n2 1\n1\n-4\n");
  for (const std::string type : {"int8", "int32", "int64", "f32", "f64"}) {
    const std::vector<std::string> x{"-f", "x=dense " + type, "-i", "x=x.mtx"};
    for (const char *text : {"y(i) = x(i) + 0.5", "for i { y(i) = x(i); y(i) += 0.5; }",
                             "let s = 0.5; for i { y(i) = x(i) + s; }",
                             "let s = 0.25; let t = 2 * s; for i { y(i) = t; } for i { y(i) += x(i); }"}) {
      std::vector<std::string> words{text};
      words.insert(words.end(), x.begin(), x.end());
      expect_shown(desk, words, "y(0) = 1.5, y(1) = -3.5");
    }
  }
  expect_shown(desk, {"for i { z(i) = i; z(i) += 0.5; }", "--size", "i=2"}, "z(0) = 0.5, z(1) = 1.5");
}

/// What is set to numbers alone is as they are: it makes no integer a double.
TEST(ToolNumberTypes, WholeNumbersHaveTheTypeOfWhatReadsThem) {
  const Desk desk;
  desk.write("x.mtx", "%%MatrixMarket matrix array integer general\n2 1\n9007199254740993\n-4\n");
  for (const char *text : {"y(i) = 1 * x(i)", "let s = 1; for i { y(i) = s * x(i); }",
                           "let s(i) = 1; for i { y(i) = s(i) * x(i); }"})
    expect_shown(desk, {text, "-i", "x=x.mtx"}, "y(0) = 9007199254740993, y(1) = -4");
  desk.write("z.mtx", "%%MatrixMarket matrix array integer general\n2 1\n1\n3\n");
  expect_shown(desk, {"let a = 7; let b = 2; let c = a / b; for i { y(i) = c * x(i); }", "-i", "x=z.mtx"},
               "y(0) = 3.5, y(1) = 10.5");
}

/// Not quotient by quotient.
TEST(ToolNumberTypes, StatementsOfProgramsAreConvertedAsAWhole) {
  const Desk desk;
  desk.write("two.mtx", "%%MatrixMarket matrix array real general\n1 1\n2\n");
  const std::string start = "tensor y(n) uint8, a(n), b(n); for i { y(i) = ";
  for (const auto &[value, result] : {std::pair("5 * a(i)/b(i) - 2 * a(i)", "0"),
                                      {"a(i)/b(i) + 0.5", "1"},
                                      {"b(i)/a(i) - a(i)/b(i)", "1"},
                                      {"7 * a(i) - 3 * b(i)/a(i)", "1"}})
    expect_shown(desk, {start + value + "; }", "-i", "a=ones:1", "-i", "b=two.mtx"},
                 std::string("y(0) = ") + result);
}

/// Products that are made by what reduces them are absent where a factor is.
TEST(ToolRings, ProductsMadeByWhatReducesThem) {
  const Desk desk;
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 3\n");
  desk.write("B.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 7\n");
  for (const auto &[ring, product] : {std::pair("max.max", "7"),
                                      {"min.min", "2"},
                                      {"or.or", "1"},
                                      {"and.and", "1"},
                                      {"+.+", "9"},
                                      {"*.*", "14"}})
    for (const char *layout : {"csr", "coo", "csc"})
      expect_shown(desk,
                   {std::string("C(i,j) = A(i,k) * B(k,j) in ") + ring, "-f", "A=csr", "-f", "B=csr", "-f",
                    std::string("C=") + layout, "-i", "A=A.mtx", "-i", "B=B.mtx"},
                   std::string("C(0,1) = ") + product);
  const Outcome one = desk.unravel({"run", "for i { for j { C(i,j) = A(i,j) + B(i,j) in max.max; } }", "-f",
                                    "A=csr", "-f", "B=csr", "-i", "A=A.mtx", "-i", "B=B.mtx", "--check"});
  EXPECT_EQ(one.code, 0) << one.out << one.error;
}

/// As in C: what is added up or multiplied is promoted, what is chosen is not.
TEST(ToolNumberTypes, SumsOfShortIntegersAreInts) {
  const Desk desk;
  const auto struct_of = [&](const std::string &line, const std::string &of_result = "y=dense") {
    const Outcome made = desk.unravel({"compile", line, "-f", "v=dense int8", "-f", of_result});
    EXPECT_EQ(made.code, 0) << made.error;
    const std::size_t begin = made.out.find("int kernel(") + std::string("int kernel(").size();
    return made.out.substr(begin, made.out.find(" *", begin) - begin);
  };
  for (const char *line :
       {"y(j) = v(j) + v(j)", "y(j) = v(j) - 1", "y(j) = v(j) * v(j)", "y(j) = v(j) + v(j+1)"})
    EXPECT_EQ(struct_of(line), "dense_vector_int32") << line;
  EXPECT_EQ(struct_of("y = v(j)"), "dense_scalar_int64"); // as NumPy's sum
  EXPECT_EQ(struct_of("for j { y(j) += v(j); }"), "dense_vector_int32");
  for (const char *line : {"y(j) = v(j)", "for j { y(j) = v(j); }"})
    EXPECT_EQ(struct_of(line), "dense_vector_int8") << line;
  EXPECT_EQ(struct_of("y max= v(j)"), "dense_scalar_int8");
  EXPECT_EQ(struct_of("y(j) = v(j) + v(j)", "y=dense int8"), "dense_vector_int8");
}

/// What a tensor's type doesn't hold is refused, not cut; what is on its edge is held.
TEST(ToolNumberTypes, ProgramsRefuseValuesOfOtherTypes) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  const Desk desk;
  struct Case {
    std::string type, least, greatest;
    std::vector<std::string> refused;
  };
  for (const auto &[type, least, greatest, refused] :
       {Case{"int8", "-128", "127", {"300", "128", "-129", "0.5", "nan"}},
        Case{"bool", "0", "1", {"2", "-1", "0.5"}},
        Case{"uint32", "0", "4294967295", {"4294967296", "-1", "1e300"}},
        Case{"int64", "-1048576", "1048576", {"1e19", "-1e19", "-0.25"}}}) {
    const Outcome made = desk.unravel({"compile", "y(i) = a * x(i)", "-f", "a=dense " + type, "-f",
                                       "x=dense " + type, "--main", "-o", "program.c"});
    ASSERT_EQ(made.code, 0) << made.error;
    const Outcome compiled =
        desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsanitize=undefined",
                      "-Wno-unknown-pragmas", "program.c", "-o", "program", "-lm"});
    ASSERT_EQ(compiled.code, 0) << compiled.error;
    const auto run = [&](const std::string &value, const std::string &scalar) {
      desk.write("x.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n" + value + "\n");
      return desk.execute({"./program", "x=x.mtx", "a=" + scalar});
    };
    EXPECT_EQ(run(least, "1").code, 0) << type;
    EXPECT_EQ(run(greatest, "1").code, 0) << type;
    for (const std::string &value : refused) {
      const Outcome ran = run(value, "1");
      EXPECT_EQ(ran.code, 1) << type << " " << value;
      EXPECT_NE(ran.error.find("a value is none of the tensor's type"), std::string::npos) << ran.error;
      EXPECT_EQ(run("1", value).code, 1) << type << " " << value;
    }
  }
}

} // namespace unravel::tool::test
