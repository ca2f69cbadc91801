// C files for users: they compile without a warning.
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::vector<std::string> strict = {"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c"};

void expect_compiles(const Desk &desk, const std::string &file, const std::vector<std::string> &more) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  std::vector<std::string> command = strict;
  command.insert(command.end(), more.begin(), more.end());
  command.insert(command.end(), {file, "-o", "object.o"});
  Outcome compiled = desk.execute(command);
  EXPECT_EQ(compiled.code, 0) << compiled.error;
  EXPECT_EQ(compiled.error, "");
}

TEST(ToolCompile, AFileAndItsHeader) {
  Desk desk;
  Outcome made = desk.unravel({"compile", spmv, "-f", "A=csr", "-f", "x=sv", "-o", "spmspv.c"});
  EXPECT_EQ(made.code, 0);
  EXPECT_EQ(made.out, "");
  EXPECT_EQ(made.error, "");
  EXPECT_EQ(desk.files(), (std::vector<std::string>{"spmspv.c", "spmspv.h"}));
  EXPECT_NE(desk.read("spmspv.c").find("#include \"spmspv.h\""), std::string::npos);
  EXPECT_NE(desk.read("spmspv.h").find("int spmspv("), std::string::npos);
  expect_compiles(desk, "spmspv.c", {});
  expect_compiles(desk, "spmspv.c", {"-fopenmp"});
  desk.write("user.c", "#include \"spmspv.h\"\n#include \"spmspv.h\"\n"
                       "int use(dense_vector *y, const csr *A, const sv *x, spmspv_workspace *work);\n"
                       "int use(dense_vector *y, const csr *A, const sv *x, spmspv_workspace *work) {\n"
                       "  return spmspv(y, A, x, 0) + spmspv(y, A, x, work);\n}\n");
  expect_compiles(desk, "user.c", {});
}

TEST(ToolCompile, OneTextOnStandardOutput) {
  Desk desk;
  Outcome made =
      desk.unravel({"compile", spmv, "-f", "A=dcsr", "--type", "f32", "--index", "int64", "--name", "rows"});
  EXPECT_EQ(made.code, 0);
  EXPECT_NE(made.out.find("int rows("), std::string::npos);
  EXPECT_NE(made.out.find("const int64_t *"), std::string::npos);
  EXPECT_NE(made.out.find("float *"), std::string::npos);
  EXPECT_TRUE(desk.files().empty());
  desk.write("rows.c", made.out);
  expect_compiles(desk, "rows.c", {"-fopenmp"});
}

/// The program around it borrows the arrays; the kernel's text needs nothing else.
TEST(ToolCompile, ResultsWithAnOperandsStructure) {
  Desk desk;
  for (const auto &[name, arguments] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"sddmm.c", {"D(i,j) = S(i,j) * A(i,k) * B(j,k)", "-f", "S=bcsr<2,2>", "-f", "D=like:S"}},
           {"ttm.c", {"D(i,j,r) = A(i,j,k) * U(k,r)", "-f", "A=csf3", "-f", "D=like:A"}}}) {
    std::vector<std::string> command{"compile"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--main", "-o", name});
    Outcome made = desk.unravel(command);
    EXPECT_EQ(made.code, 0) << made.error;
    expect_compiles(desk, name, {});
    expect_compiles(desk, name, {"-fopenmp"});
  }
}

TEST(ToolCompile, EmitC) {
  Desk desk;
  Outcome run = desk.unravel(
      {"run", spmv, "-f", "A=coo", "-i", "A=random:5x5,density=0.5", "-i", "x=ones", "--emit-c", "kernel.c"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(desk.files(), std::vector<std::string>{"kernel.c"});
  expect_compiles(desk, "kernel.c", {});
}

TEST(ToolCompile, BlocksOfAUsersLayout) {
  Desk desk;
  const std::string blocks = std::string(UNRAVEL_SOURCE_DIR) + "/test/layouts/pieces.layout:bcsr";
  for (const std::string parameters : {"<2,3>", "<1,1>", ":4,4"}) {
    Outcome made = desk.unravel({"compile", spmv, "-f", "A=" + blocks + parameters, "-o", "blocks.c"});
    EXPECT_EQ(made.code, 0) << made.error;
    expect_compiles(desk, "blocks.c", {"-fopenmp"});
  }
}

TEST(ToolCompile, FactsForPrograms) {
  Desk desk;
  nlohmann::json facts = desk.unravel({"compile", spmv, "-f", "A=csr", "-o", "spmv.c", "--json"}).json();
  EXPECT_EQ(facts.at("expression"), spmv);
  EXPECT_EQ(facts.at("function"), "spmv");
  EXPECT_EQ(facts.at("loops").size(), 2u);
  EXPECT_EQ(facts.at("finds").size(), 0u);
  EXPECT_GT(facts.at("times_ms").at("compile").get<double>(), 0);
  EXPECT_NE(facts.at("c").get<std::string>().find("int spmv("), std::string::npos);
}

/// Nothing half-written: neither the C file nor the header where the folder isn't there.
TEST(ToolCompile, NoSuchFolder) {
  Desk desk;
  Outcome made = desk.unravel({"compile", spmv, "-f", "A=csr", "-o", "no/spmv.c"});
  EXPECT_EQ(made.code, 1);
  EXPECT_NE(made.error.find("[cannot-write]"), std::string::npos) << made.error;
  EXPECT_TRUE(desk.files().empty());
}

/// The number of slices is a sum: the chunk is a share of all of it.
TEST(ToolCompile, ChunksOfSlices) {
  Desk desk;
  Outcome outcome = desk.unravel({"compile", spmv, "-f", "A=sell<8>"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("32 + 16384 * (unravel_floor_divide(M - 1, 8) + 1) / (8 * A->NQ + "),
            std::string::npos)
      << outcome.out;
}

} // namespace
} // namespace unravel::tool::test
