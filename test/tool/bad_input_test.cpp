// Inputs that are at fault: exit code 1, the whole message, nothing written.
#include "places.h"
#include "tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// Runs `run`, expects code 1 and the message, and that the folder holds the same files as before.
void expect_refused(const Desk &desk, std::vector<std::string> arguments, const std::string &message) {
  std::vector<std::string> before = desk.files();
  Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error, message);
  EXPECT_EQ(desk.files(), before);
}

std::vector<std::string> run_with(const std::string &matrix) {
  return {"run", spmv, "-f", "A=csr", "-i", "A=" + matrix, "-i", "x=ones", "-o", "y=y.mtx"};
}

TEST(ToolBadInput, MissingInput) {
  expect_refused(Desk(), {"run", spmv, "-f", "A=csr", "-i", "x=ones:3"},
                 "expression:1:8: error: no input is given for `A` [missing-input]\n"
                 "  1 | y(i) = A(i,j) * x(j)\n"
                 "    |        ^~~~~~\n"
                 "  hint: add -i A=FILE.mtx, or -i A=random,density=0.01\n");
}

TEST(ToolBadInput, MismatchedSizes) {
  expect_refused(Desk(), {"run", spmv, "-i", "A=random:5x4", "-i", "x=random:5"},
                 "error: index `j` has extent 4 in `A(i, j)`, but 5 in `x(j)` [size-mismatch]\n"
                 "  hint: the operands don't fit together; check the subscripts, or transpose one\n");
  expect_refused(Desk(), {"run", "s = x(i)", "-i", "x=random:5", "--size", "i=3"},
                 "error: index `i` has extent 3 in --size, but 5 in `x(i)` [size-mismatch]\n"
                 "  hint: the operands don't fit together; check the subscripts, or transpose one\n");
}

TEST(ToolBadInput, UnboundIndex) {
  expect_refused(
      Desk(), {"run", "y(i) = x(j)", "-i", "x=random:5"},
      "expression:1:1: error: the extent of index `i` is not known: no operand with sizes has it as a plain "
      "subscript [unknown-extent]\n"
      "  1 | y(i) = x(j)\n"
      "    | ^~~~\n"
      "  hint: add --size i=N\n");
  expect_refused(Desk(), {"run", "s = x(i)", "-i", "x=random:5", "--size", "k=3"},
                 "error: `--size k=3`: the expression has no index `k` [unknown-extent]\n");
}

TEST(ToolBadInput, UnknownTensors) {
  Desk desk;
  expect_refused(desk, {"run", "y(i) = x(i)", "-i", "x=random:5", "-i", "z=random:5"},
                 "error: `-i z=random:5`: the expression has no tensor `z` [unknown-tensor]\n");
  expect_refused(desk, {"run", "y(i) = x(i)", "-i", "x=random:5", "-o", "z=z.mtx"},
                 "error: `-o z=z.mtx`: the result is `y` [unknown-tensor]\n");
}

TEST(ToolBadInput, Expressions) {
  expect_refused(
      Desk(), {"deps", "y(i) = A(i,j) * "},
      "expression:1:16: error: expected a tensor, a number or `(`, saw the end of the text [syntax-error]\n"
      "  1 | y(i) = A(i,j) * \n"
      "    |                ^\n");
  expect_refused(Desk(), {"deps", "y(i) = maxi(A(i,j), x(j))"},
                 "expression:1:13: error: `A(i,j)` can't be a subscript of a tensor `maxi` [bad-subscript]\n"
                 "  1 | y(i) = maxi(A(i,j), x(j))\n"
                 "    |             ^~~~~~\n"
                 "  hint: did you mean `max`?\n");
}

TEST(ToolBadInput, MissingFiles) {
  expect_refused(Desk(), run_with("no.mtx"),
                 "no.mtx: error: cannot read: No such file or directory [cannot-read]\n");
  expect_refused(Desk(), {"compile", spmv, "-f", "A=./no.layout:mine"},
                 "./no.layout: error: cannot read: No such file or directory [cannot-read]\n");
  expect_refused(Desk(), {"layout", "check", "./no.layout"},
                 "./no.layout: error: cannot read: No such file or directory [cannot-read]\n");
}

/// The system says why, also of names that it doesn't even look up.
TEST(ToolBadInput, PathsThatCannotBeLookedAt) {
  Desk desk;
  std::filesystem::create_symlink("loop.mtx", desk.path("loop.mtx"));
  const std::string name(300, 'a');
  for (const auto &[path, reason] :
       std::vector<std::pair<std::string, std::string>>{{"loop.mtx", "Too many levels of symbolic links"},
                                                        {name + ".mtx", "File name too long"},
                                                        {name, "File name too long"}}) {
    const std::string message = path + ": error: cannot read: " + reason + " [cannot-read]\n";
    expect_refused(desk, {"convert", path, "o.mtx"}, message);
    expect_refused(desk, {"run", "s = x(i)", "-i", "x=" + path}, message);
  }
  const std::string output = name + "/y.mtx";
  const std::string refusal = output + ": error: cannot write: File name too long [cannot-write]\n";
  expect_refused(desk, {"convert", "random:3", output}, refusal);
  expect_refused(desk, {"run", "y(i) = x(i)", "-i", "x=ones:3", "-o", "y=" + output}, refusal);
  expect_refused(desk, {"convert", "random:3", name + ".mtx"},
                 name + ".mtx: error: cannot write: File name too long [cannot-write]\n");
  expect_refused(desk, {"convert", "random:3", name + "/", "-f", "dense"},
                 name + ": error: cannot write: File name too long [cannot-write]\n");
}

TEST(ToolBadInput, NumbersThatNoDoubleHolds) {
  expect_refused(
      Desk(), {"run", "y(i) = a*x(i)", "-i", "a=1e400", "-i", "x=ones:3"},
      "error: the number `1e400` is too large for a 64-bit floating-point number [number-too-large]\n"
      "  hint: the largest is about 1.8e308; infinity is written inf\n");
  Desk desk;
  EXPECT_EQ(
      desk.unravel({"run", "y(i) = a*x(i)", "-i", "a=-1e-400+0i", "-i", "x=ones:3", "-o", "y=y.txt"}).code,
      0);
  EXPECT_EQ(desk.unravel({"run", "y(i) = a+x(i)", "-i", "a=1e-400", "-i", "x=ones:3", "-o", "y=y.txt"}).code,
            0);
  EXPECT_EQ(desk.read("y.txt"), "1\n1\n1\n");
  EXPECT_EQ(desk.unravel({"convert", "random:3x3,density=1e-400", "o.mtx"}).code, 0);
}

TEST(ToolBadInput, Matrices) {
  Desk desk;
  desk.write("header.mtx", "%%MatrixMarkt matrix coordinate real general\n2 2 1\n1 1 1\n");
  expect_refused(desk, run_with("header.mtx"),
                 "header.mtx:1:1: error: expected `%%MatrixMarket`, found `%%MatrixMarkt` [bad-header]\n"
                 "  1 | %%MatrixMarkt matrix coordinate real general\n"
                 "    | ^~~~~~~~~~~~~\n"
                 "  hint: write a first line such as: %%MatrixMarket matrix coordinate real general\n");
  desk.write("range.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n");
  expect_refused(
      desk, run_with("range.mtx"),
      "range.mtx:3:1: error: the row index is 3, out of range: it must be from 1 to 2 [entry-out-of-range]\n"
      "  3 | 3 1 1\n"
      "    | ^\n");
  desk.write("few.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n");
  expect_refused(desk, run_with("few.mtx"),
                 "few.mtx:2:5: error: the size line promises 2 entries, but the file holds 1 [entry-count]\n"
                 "  2 | 2 2 2\n"
                 "    |     ^\n"
                 "  hint: the file may have been cut off\n");
  desk.write("huge.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 99999999999999999999\n1 1 1\n");
  expect_refused(
      desk, run_with("huge.mtx"),
      "huge.mtx:2:5: error: the number `99999999999999999999` is beyond 2^63 - 1 [number-too-large]\n"
      "  2 | 2 2 99999999999999999999\n"
      "    |     ^~~~~~~~~~~~~~~~~~~~\n");
  desk.write("junk.mtx", std::string("\x7F"
                                     "ELF\0\1\2\3\0\0\0",
                                     11));
  expect_refused(desk, run_with("junk.mtx"),
                 "junk.mtx: error: this is a binary file, not a Matrix Market file [bad-header]\n"
                 "  hint: write a first line such as: %%MatrixMarket matrix coordinate real general\n");
}

TEST(ToolBadInput, TruncatedGzip) {
  Desk desk;
  EXPECT_EQ(desk.unravel({"generate", "random:30x30,density=0.2", "-o", "whole.mtx.gz"}).code, 0);
  desk.write("cut.mtx.gz", desk.read("whole.mtx.gz").substr(0, 300));
  expect_refused(desk, run_with("cut.mtx.gz"),
                 "cut.mtx.gz: error: the compressed file is truncated: it ends after 300 bytes, within the "
                 "data [bad-gzip]\n"
                 "  hint: copy or download the file again\n");
}

TEST(ToolBadInput, OutputsThatCantBeWritten) {
  Desk desk;
  expect_refused(desk, {"run", "y(i) = x(i)", "-i", "x=random:5", "-o", "y=no/folder/y.mtx"},
                 "no/folder/y.mtx: error: cannot write: there is no folder `no/folder` [cannot-write]\n");
  desk.write("taken.mtx/file", "a folder that is not empty");
  Outcome taken = desk.unravel({"run", "y(i) = x(i)", "-i", "x=random:5", "-o", "y=taken.mtx"});
  EXPECT_EQ(taken.code, 1);
  EXPECT_EQ(taken.out, "");
  EXPECT_EQ(taken.error.find("taken.mtx: error: cannot write: "), 0u) << taken.error;
  EXPECT_NE(taken.error.find(" [cannot-write]\n"), std::string::npos) << taken.error;
  EXPECT_EQ(desk.files(), std::vector<std::string>{"taken.mtx"});
  EXPECT_EQ(desk.read("taken.mtx/file"), "a folder that is not empty");
  expect_refused(desk, {"generate", "random:3x3", "-o", "no/such/a.mtx"},
                 "no/such/a.mtx: error: cannot write: No such file or directory [cannot-write]\n");
  expect_refused(
      desk, {"generate", "random:3x3", "-o", "a.xyz"},
      "a.xyz: error: the name of a tensor file ends in .mtx, .tns, .npy or .npz [unknown-file-type]\n"
      "  hint: the first two may be followed by .gz; what is written may also be a .txt; arrays of a layout "
      "go to and come from a folder\n");
}

/// No folder is made of what was meant as a file.
TEST(ToolBadInput, OutputsOfAnotherKind) {
  Desk desk;
  const auto hint = [](const std::string &name) {
    return fmt::format("{0}: error: the name of a file for a tensor ends in .mtx, .tns, .npy, .npz or .txt "
                       "[unknown-file-type]\n  hint: for a folder with the arrays of its layout: `{0}/`\n",
                       name);
  };
  for (const char *name : {"y.csv", "y.mtxx", "y.json", "-"})
    expect_refused(desk, {"run", "y(i) = x(i)", "-i", "x=random:5", "-o", fmt::format("y={}", name)},
                   hint(name));
  expect_refused(desk, {"convert", "random:5x5", "A.xyz", "-f", "csr"}, hint("A.xyz"));
  EXPECT_EQ(desk.files(), std::vector<std::string>());
  for (int twice = 0; twice < 2; ++twice) // the second time the folder is there
    EXPECT_EQ(desk.unravel({"run", "y(i) = x(i)", "-i", "x=random:5", "-o", twice ? "y=y.d" : "y=y.d/"}).code,
              0);
  EXPECT_EQ(desk.unravel({"run", "y(i) = x(i)", "-i", "x=random:5", "-o", "y=y-1.2"}).code, 0);
  EXPECT_EQ(desk.files(), (std::vector<std::string>{"y-1.2", "y.d"}));
}

/// On a full disk, say.
TEST(ToolBadInput, LostOutput) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  Desk desk;
  for (const std::string command :
       {"compile 'y(i) = x(i)'", "explain 'y(i) = x(i)'", "layout list", "layout show csr", "--help",
        "--version", "generate ones:3 -o x.mtx", "run 's = x(i)' -i x=ones:3 --json --machine portable",
        "serve", "frob --json"}) {
    Outcome lost = desk.execute(
        {"sh", "-c",
         "timeout 60 " + unravel::test::tool_path() + " " + std::string(command) + " > /dev/full"});
    EXPECT_EQ(lost.code, command[0] == 'f' ? 2 : 1) << command;
    // The reason is known where nothing was flushed before.
    EXPECT_TRUE(lost.error.starts_with("error: cannot write to the standard output") &&
                lost.error.ends_with(" [cannot-write]\n"))
        << command << lost.error;
  }
}

/// Nothing is left of a file that is being written.
TEST(ToolBadInput, InterruptedOutput) {
  Desk desk;
  Outcome ended = desk.execute({"sh", "-c",
                                unravel::test::tool_path() +
                                    " generate random:100000x100000,entries=5000000 -o out.mtx & tool=$!; "
                                    "for k in $(seq 3000); do ls | grep part && break; sleep 0.02; done; "
                                    "kill $tool; wait $tool; echo $?"});
  EXPECT_EQ(ended.out.find("out.mtx.part-"), 0u) << ended.out;
  EXPECT_TRUE(ended.out.ends_with("\n143\n")) << ended.out; // as the shell shows SIGTERM
  EXPECT_EQ(desk.files(), std::vector<std::string>());
}

TEST(ToolBadInput, SizesForAScalar) {
  for (const std::string generator : {"ones:5x5", "random:5x5,density=1"})
    for (const std::string expression : {"s = a", "a = s", "a += s"}) {
      std::string spec = generator;
      Outcome refused = Desk().unravel({"run", expression, "-i", "a=" + spec, "-i", "s=1"});
      EXPECT_EQ(refused.code, 1) << expression;
      EXPECT_NE(
          refused.error.find("-i a:1:1: error: a tensor of order 2 (5 x 5), but `a` has 0 subscripts in the "
                             "expression [order-mismatch]\n"),
          std::string::npos)
          << refused.error;
    }
}

/// A device that never ends.
TEST(ToolBadInput, EndlessInput) {
  if (!std::filesystem::exists("/dev/zero")) GTEST_SKIP() << "there is no /dev/zero";
  Desk desk;
  expect_refused(
      desk, run_with("/dev/zero"),
      "/dev/zero: error: the name of a tensor file ends in .mtx, .tns, .npy or .npz [unknown-file-type]\n"
      "  hint: the first two may be followed by .gz; what is written may also be a .txt; arrays of a layout "
      "go to and come from a folder\n");
  std::filesystem::create_symlink("/dev/zero", desk.path("a.mtx"));
  expect_refused(desk, run_with("a.mtx"),
                 "a.mtx: error: this is a binary file, not a Matrix Market file [bad-header]\n"
                 "  hint: write a first line such as: %%MatrixMarket matrix coordinate real general\n");
}

TEST(ToolBadInput, TooMuchMemory) {
  expect_refused(Desk(), {"run", "y(i) = x(i)", "-i", "x=random:1000000000", "--max-memory", "1M"},
                 "-i x:1:1: error: the tensor takes 14.9 GiB, more than the 1 MiB allowed [memory-limit]\n"
                 "  1 | random:1000000000\n"
                 "    | ^~~~~~~~~~~~~~~~~\n"
                 "  hint: raise the limit with --max-memory\n");
  Desk desk;
  desk.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n1000000000 1000000000 1\n1 1 1\n");
  Outcome dense = desk.unravel({"run", "s = A(i,j)", "-i", "A=wide.mtx", "--max-memory", "1G"});
  EXPECT_EQ(dense.code, 1);
  EXPECT_NE(dense.error.find("[memory-limit]"), std::string::npos) << dense.error;
}

TEST(ToolBadInput, ErrorsForPrograms) {
  Desk desk;
  desk.write("range.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n");
  std::vector<std::string> arguments = run_with("range.mtx");
  arguments.push_back("--json");
  Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.json(),
            nlohmann::json::parse(R"({"error": {"kind": "entry-out-of-range", "file": "range.mtx", "line": 3,
    "column": 1, "message": "the row index is 3, out of range: it must be from 1 to 2", "hint": ""}})"));
  for (const std::string command : {"compile", "explain", "deps"}) {
    Outcome failed = desk.unravel({command, "y(i) = A(i,j) / (B(i,j) + 1)", "--json"});
    EXPECT_EQ(failed.code, 1) << command;
    EXPECT_EQ(failed.error, "") << command;
    EXPECT_EQ(failed.json().at("error").at("kind"), "not-a-product") << command;
  }
  EXPECT_EQ(desk.unravel({"layout", "show", "csrr", "--json"}).json().at("error").at("hint"),
            "did you mean `csr`?");
  EXPECT_EQ(desk.unravel({"generate", "nonsense", "-o", "a.mtx", "--json"}).json().at("error").at("kind"),
            "bad-generator");
}

TEST(ToolBadInput, HintsNameLayoutsOfTheOrder) {
  Desk desk;
  for (const auto &[line, example] :
       {std::pair{"C(i) = A(i)", "C=sv"}, {"C(i,j) = A(i,j)", "C=csr"}, {"C(i,j,k) = A(i,j,k)", "C=csf"}}) {
    const Outcome outcome = desk.unravel({"compile", line, "-s", "drop zeros"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.error.find(std::string("as -f ") + example), std::string::npos) << outcome.error;
    EXPECT_EQ(desk.unravel({"compile", line, "-s", "drop zeros", "-f", example}).code, 0);
  }
}

} // namespace
} // namespace unravel::tool::test
