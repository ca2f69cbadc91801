// `unravel convert`: between files and folders of arrays.
#include "tool.h"

#include <cstring>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::string matrix = "%%MatrixMarket matrix coordinate real general\n"
                           "4 3 5\n1 1 5\n1 3 -1.5\n3 1 2\n4 2 7\n4 3 0.25\n";

/// Converts and expects success.
Outcome convert(const Desk &desk, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "convert");
  Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "");
  return outcome;
}

void expect_refused(const Desk &desk, std::vector<std::string> arguments, const std::string &message) {
  std::vector<std::string> before = desk.files();
  arguments.insert(arguments.begin(), "convert");
  Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error, message);
  EXPECT_EQ(desk.files(), before);
}

TEST(ToolConvert, ThroughLayoutsAndBack) {
  Desk desk;
  desk.write("a.mtx", matrix);
  convert(desk, {"a.mtx", "csr", "-f", "csr"});
  std::string last = "csr";
  for (const char *layout : {"csc", "coo", "dcsr", "dcsc", "coo_unsorted", "coo_dup", "ds", "uq", "ss:1,0",
                             "ds:1,0", "uq:1,0", "csr4", "ellr", "hyb<1>", "csr"}) {
    std::string next = std::string("to_") + layout;
    convert(desk, {last, next, "-f", layout});
    convert(desk, {next, "back.mtx"});
    EXPECT_EQ(desk.read("back.mtx"), matrix) << layout;
    last = next;
  }
  for (const char *file : {"rowptr.npy", "col.npy", "val.npy", "layout.json"})
    EXPECT_EQ(desk.read(last + "/" + file), desk.read(std::string("csr/") + file)) << file;
}

TEST(ToolConvert, ArraysOfNumpyWithALayoutOfOnesOwn) {
  Desk desk;
  desk.write("mine.layout", "layout mine(i: M, j: N) { index row[K], col[K]; count K; value v[K];\n"
                            "  stored { [p] -> [i, j] : 0 <= p < K and i = row(p) and j = col(p) } at v(p);\n"
                            "  property range row in [0, M); property range col in [0, N); }\n");
  std::filesystem::create_directory(desk.path("in"));
  desk.write("in/layout.json", R"({"layout": "mine", "sizes": {"M": 4, "N": 3}, "counts": {"K": 3}})");
  desk.write("in/row.npy", npy<std::int64_t>("<i8", {3, 0, 3}));
  desk.write("in/col.npy", npy<std::int64_t>("<i8", {2, 1, 2}));
  desk.write("in/v.npy", npy<double>("<f8", {1, 2, 3}));
  expect_refused(desk, {"in", "out.mtx"},
                 "in/layout.json: error: there is no layout `mine` among the shipped ones [unknown-layout]\n"
                 "  hint: if it is in a file of your own: --from ./file.layout:mine\n");
  convert(desk, {"in", "out.mtx", "--from", "./mine.layout"});
  EXPECT_EQ(desk.read("out.mtx"), "%%MatrixMarket matrix coordinate real general\n4 3 2\n1 2 2\n4 3 4\n");
  convert(desk, {"in", "out", "--from", "./mine.layout:mine", "-f", "csr", "--index", "int64"});
  EXPECT_EQ(desk.read("out/rowptr.npy"), npy<std::int64_t>("<i8", {0, 1, 1, 1, 2}));
  EXPECT_EQ(desk.read("out/val.npy"), npy<double>("<f8", {2, 4}));
}

TEST(ToolConvert, VectorsAndOtherOrders) {
  Desk desk;
  convert(desk, {"random:9,density=0.5", "v.mtx"});
  convert(desk, {"v.mtx", "v", "-f", "sv"});
  convert(desk, {"v", "w.mtx"});
  EXPECT_EQ(desk.read("v.mtx"), desk.read("w.mtx"));
  convert(desk, {"random:3x4x5,density=0.3", "t.tns.gz"});
  convert(desk, {"t.tns.gz", "t", "-f", "csf3"});
  convert(desk, {"t", "full", "-f", "dense<2,0,1>"});
  convert(desk, {"full", "u.tns"});
  EXPECT_NE(desk.read("u.tns").find("\n3 4 5 "), std::string::npos);
}

/// The order is that of the folder's sizes, whatever orders its layout's name stands for.
TEST(ToolConvert, DenseVectors) {
  Desk desk;
  for (const char *shape : {"9", "2x3", "2x3x4", "1", "0"}) {
    convert(desk, {std::string("random:") + shape + ",density=1", "v", "-f", "dense"});
    convert(desk, {"v", "v.tns"});
    convert(desk, {"v.tns", "w", "-f", "dense"});
    EXPECT_EQ(desk.read("v/val.npy"), desk.read("w/val.npy")) << shape;
    EXPECT_EQ(desk.read("v/layout.json"), desk.read("w/layout.json")) << shape;
    convert(desk, {"w", "w.tns", "--from", "dense"});
    EXPECT_EQ(desk.read("v.tns"), desk.read("w.tns")) << shape;
  }
  // Value arrays may be flat.
  convert(desk, {"random:2x3x4,density=1,seed=2", "t", "-f", "dense"});
  convert(desk, {"t", "t.tns"});
  std::filesystem::create_directory(desk.path("flat"));
  desk.write("flat/layout.json", desk.read("t/layout.json"));
  const std::string array = desk.read("t/val.npy");
  std::vector<double> values(24);
  std::memcpy(values.data(), array.data() + array.size() - 24 * 8, 24 * 8);
  desk.write("flat/val.npy", npy<double>("<f8", values));
  convert(desk, {"flat", "flat.tns"});
  EXPECT_EQ(desk.read("flat.tns"), desk.read("t.tns"));
}

TEST(ToolConvert, ModesOfExtent1AreLeftOut) {
  Desk desk;
  convert(desk, {"random:1,density=1", "one.mtx"});
  convert(desk, {"one.mtx", "one", "-f", "sv"});
  convert(desk, {"one", "back.mtx"});
  EXPECT_EQ(desk.read("one.mtx"), desk.read("back.mtx"));
  convert(desk, {"random:1x4x1,density=1", "t", "-f", "csf3"});
  nlohmann::json facts = convert(desk, {"t", "m", "-f", "csr", "--json"}).json();
  EXPECT_EQ(facts.at("shape"), nlohmann::json({1, 4}));
  EXPECT_EQ(convert(desk, {"t", "v", "-f", "sv", "--json"}).json().at("shape"), nlohmann::json({4}));
}

TEST(ToolConvert, Facts) {
  Desk desk;
  desk.write("a.mtx", matrix);
  nlohmann::json made = convert(desk, {"a.mtx", "a", "-f", "csr", "--json"}).json();
  EXPECT_EQ(made.at("shape"), nlohmann::json({4, 3}));
  EXPECT_EQ(made.at("entries"), 5);
  EXPECT_EQ(made.at("from"), nullptr);
  EXPECT_EQ(made.at("to"), "csr");
  EXPECT_EQ(made.at("route"), nullptr);
  EXPECT_EQ(made.at("bytes"), 5 * 4 + 5 * 4 + 5 * 8);
  EXPECT_EQ(made.at("times_ms").size(), 3u);
  auto route = [&](const std::string &from, const std::string &to, const std::string &layout) {
    return convert(desk, {from, to, "-f", layout, "--json"}).json().at("route");
  };
  EXPECT_EQ(route("a", "b", "coo"), "direct, level by level");
  EXPECT_EQ(route("a", "c", "csc"), "direct, by a counting sort");
  EXPECT_EQ(route("a", "d", "bcsr:2,2"), "via coordinates");
  nlohmann::json file = convert(desk, {"d", "d.mtx", "--json"}).json();
  EXPECT_EQ(file.at("from"), "bcsr<2, 2>");
  EXPECT_EQ(file.at("to"), nullptr);
  EXPECT_EQ(file.at("times_ms").size(), 4u);
}

TEST(ToolConvert, WhatIsWrongIsSaidAndNothingWritten) {
  Desk desk;
  desk.write("a.mtx", matrix);
  convert(desk, {"a.mtx", "a", "-f", "csr"});
  expect_refused(desk, {"none.mtx", "b", "-f", "csr"},
                 "none.mtx: error: cannot read: No such file or directory [cannot-read]\n");
  expect_refused(desk, {"a.mtx", "no/b", "-f", "csr"},
                 "no/b: error: cannot write: there is no folder `no` [cannot-write]\n");
  expect_refused(desk, {"a", "b", "-f", "csf3"},
                 "-f:1:1: error: layout `csf3` is for tensors of order 3, but the tensor has order 2 "
                 "[unknown-layout]\n"
                 "  1 | csf3\n"
                 "    | ^~~~\n");
  expect_refused(desk, {"a", "b", "-f", "csr", "--from", "csc"},
                 "a: error: the array `colptr` is missing: there is no file colptr.npy [bad-array-folder]\n"
                 "  hint: the folder holds `col`, `rowptr`, `val`\n");
  Outcome useless = desk.unravel({"convert", "a", "b.mtx", "-f", "csr"});
  EXPECT_EQ(useless.code, 2);
  EXPECT_EQ(useless.error,
            "error: `-f csr`: `b.mtx` is a file of coordinates, which has no layout [bad-option]\n"
            "  hint: leave out -f, or name a folder for the arrays\n");
  EXPECT_FALSE(desk.has("b.mtx"));
  // Arrays are looked at before they are used.
  desk.write("a/col.npy", npy<int>("<i4", {0, 2, 0, 1, 3}));
  expect_refused(
      desk, {"a", "b", "-f", "csc"},
      "error: the arrays of folder `a` are not a tensor in layout `csr`: `range col in [0, N)` does "
      "not hold: col[4] = 3 is outside [0, 2] [property-violated]\n");
  desk.write("a/col.npy", npy<int>("<i4", {2, 0, 0, 1, 2}));
  expect_refused(
      desk, {"a", "b.mtx"},
      "error: the arrays of folder `a` are not a tensor in layout `csr`: `strictly increasing col "
      "within rowptr` does not hold: col[0] = 2 and col[1] = 0 in segment 0 [property-violated]\n");
  Outcome outcome = desk.unravel({"convert", "a.mtx", "b", "-f", "csr", "--max-memory", "10", "--json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.json().at("error").at("kind"), "memory-limit");
}

} // namespace
} // namespace unravel::tool::test
