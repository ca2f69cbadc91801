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

/// A file of another type held other numbers: 255 in place of 300, real parts alone.
TEST(ToolConvert, FilesHoldTheNumbersOrAreRefused) {
  Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 300\n2 2 1\n");
  desk.write("c.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 2\n");
  for (const std::string out : {"b.mtx", "b.tns", "b.npy", "b.npz", "b.txt"}) {
    expect_refused(desk, {"a.mtx", out, "--type", "uint8"},
                   "error: `" + out +
                       "` is to hold uint8 values, but 300 is not one [value-width]\n"
                       "  hint: give the tensor a type that holds it\n");
    expect_refused(desk, {"c.mtx", out, "--type", "f64"},
                   "error: `" + out +
                       "` is to hold f64 values, but the entries are complex [value-width]\n"
                       "  hint: give the tensor a complex type: complex128\n");
  }
  // A double that stands for the greatest integer is read, and written.
  std::filesystem::create_directory(desk.path("v"));
  desk.write("v/layout.json", R"({"layout": "dense", "sizes": {"M": 2}})");
  desk.write("v/val.npy", npy<std::int64_t>("<i8", {INT64_MAX, 5}));
  convert(desk, {"v", "v.mtx", "--type", "int64"});
  EXPECT_EQ(desk.read("v.mtx"), "%%MatrixMarket matrix array integer general\n2 1\n9223372036854775807\n5\n");
}

/// Entries that the type doesn't hold were added up.
TEST(ToolConvert, CombinedValuesAreOfTheType) {
  Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0.5\n1 1 1.5\n");
  const std::string refusal =
      "error: entries of one coordinate are combined as int32 values, but 0.5 is not one [value-width]\n"
      "  hint: give the tensor a type that holds it\n";
  expect_refused(desk, {"a.mtx", "b", "-f", "csr", "--type", "int32", "--combine", "max"}, refusal);
  const Outcome run = desk.unravel(
      {"run", spmv, "-f", "A=csr int32", "-i", "A=a.mtx", "-i", "x=ones", "--combine", "A=max", "--check"});
  EXPECT_EQ(run.error, refusal);
}

/// `-f 'csr int32'` says it as --type does.
TEST(ToolConvert, TheFormatSaysTheType) {
  Desk desk;
  desk.write("a.mtx", matrix);
  convert(desk, {"a.mtx", "a", "-f", "csr f32"});
  EXPECT_EQ(desk.read("a/val.npy"), npy<float>("<f4", {5, -1.5, 2, 7, 0.25}));
  convert(desk, {"a", "b", "-f", "csc complex128"});
  EXPECT_EQ(desk.read("b/val.npy"), npy<double>("<c16", {5, 0, 2, 0, 7, 0, -1.5, 0, 0.25, 0}, "5,"));
  convert(desk, {"a.mtx", "c", "-f", "csr f32", "--type", "f32"});
  EXPECT_EQ(desk.read("c/val.npy"), desk.read("a/val.npy"));
  expect_refused(desk, {"a.mtx", "d", "-f", "csr int32"},
                 "error: value -1.5 can't be stored in array `val` of int32 elements [value-width]\n"
                 "  hint: declare the array with elements f64, or give the tensor a type that holds it\n");
  const Outcome both = desk.unravel({"convert", "a.mtx", "d", "-f", "csr f32", "--type", "f64"});
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.error.find("`--type f64` gives the values another type than -f does, f32 [bad-option]"),
            std::string::npos)
      << both.error;
}

/// What is behind the layout is of the arrays, as it is for `run -i`.
TEST(ToolConvert, TheFolderSaysFillAndType) {
  Desk desk;
  desk.write("a.mtx", matrix);
  const std::string filled = "5 7 -1.5\n7 7 7\n2 7 7\n7 7 0.25\n";
  convert(desk, {"a.mtx", "in", "-f", "csr fill 7"});
  convert(desk, {"in", "o.txt"});
  EXPECT_EQ(desk.read("o.txt"), filled);
  convert(desk, {"in", "o.txt", "--from", "csr fill 7"});
  EXPECT_EQ(desk.read("o.txt"), filled);
  convert(desk, {"in", "blocks", "-f", "bcsr<2,2>"});
  convert(desk, {"blocks", "o.txt"});
  EXPECT_EQ(desk.read("o.txt"), filled);
  EXPECT_EQ(desk.unravel({"run", "y(i,j) = A(i,j)", "-i", "A=blocks", "-o", "y=o.txt", "--check"}).code, 0);
  EXPECT_EQ(desk.read("o.txt"), filled);
  convert(desk, {"in", "rows", "--from", "csr fill 7", "-f", "dense"});
  convert(desk, {"rows", "o.txt"});
  EXPECT_EQ(desk.read("o.txt"), filled);
  convert(desk, {"in", "rows", "--from", "csr fill 7", "-f", "dense fill 7"});
  Outcome outcome = desk.unravel({"convert", "in", "no", "--from", "csr fill 7", "-f", "dense fill 1"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error, "-f:1:7: error: elements that aren't stored are 7 in `in`, and -f makes them 1 "
                           "[bad-option]\n"
                           "  1 | dense fill 1\n"
                           "    |       ^~~~~~\n"
                           "  hint: leave out the fill of -f\n");
  std::filesystem::create_directory(desk.path("n"));
  desk.write("n/val.npy", npy<double>("<f8", {1, 2}));
  desk.write("n/layout.json", R"({"layout": "dense int8", "sizes": {"M": 2}})");
  convert(desk, {"n", "o.npy"});
  EXPECT_NE(desk.read("o.npy").find("'|i1'"), std::string::npos);
  convert(desk, {"n", "o.npy", "--type", "f64"});
  EXPECT_NE(desk.read("o.npy").find("'<f8'"), std::string::npos);
  desk.write("n/val.npy", npy<double>("<f8", {1, 300}));
  const std::string refusal = "n: error: val[1] = 300 can't be stored as int8 [value-width]\n"
                              "  hint: give the tensor another type, as in -f 'A=csr f64'\n";
  expect_refused(desk, {"n", "o.txt"}, refusal);
  expect_refused(desk, {"n", "o.txt", "--from", "dense int8"}, refusal);
  desk.write("n/layout.json", R"({"layout": "dense", "sizes": {"M": 2}})");
  expect_refused(desk, {"n", "o.txt", "--from", "dense int8", "--type", "f64"}, refusal);
}

/// A folder of somebody's arrays was taken for one that convert has written.
TEST(ToolConvert, AFolderWhoseNameEndsLikeAFiles) {
  Desk desk;
  convert(desk, {"random:3x3", "new.csr/", "-f", "csr"});
  EXPECT_TRUE(desk.has("new.csr/layout.json"));
  convert(desk, {"random:3x3", "./again.csr/", "-f", "csr"});
}

TEST(ToolConvert, TheStructureOfAnOperandIsNoLayout) {
  Desk desk;
  const auto at = [](const std::string &where, const std::string &text) {
    const std::size_t column = text.find("like");
    return where +
           ":1:1: error: `like:` is for a kernel's result: it isn't a layout by itself [bad-structure]\n  1 "
           "| " +
           text + "\n    | " + std::string(column, ' ') + "^~~~~~\n";
  };
  expect_refused(desk, {"random:3x3", "o", "-f", "like:S"}, at("-f", "like:S"));
  convert(desk, {"random:3x3", "in", "-f", "csr"});
  expect_refused(desk, {"in", "o.mtx", "--from", "like:S"}, at("--from", "like:S"));
  desk.write("in/layout.json", R"({"layout": "like:S", "sizes": {"M": 3, "N": 3}})");
  expect_refused(desk, {"in", "o.mtx"}, at("in", "like:S"));
  for (const char *command : {"show", "check"}) {
    const Outcome outcome = desk.unravel({"layout", command, "like:S"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error, at("layout", "like:S"));
  }
}

TEST(ToolConvert, ArraysOfOthersAreKept) {
  Desk desk;
  desk.write("a.mtx", matrix);
  std::filesystem::create_directory(desk.path("mine"));
  desk.write("mine/data.npy", npy<double>("<f8", {1, 2}));
  expect_refused(desk, {"a.mtx", "mine", "-f", "csr"},
                 "mine: error: cannot write: the folder exists and has no layout.json: `data.npy` is not an "
                 "array of a layout [cannot-write]\n");
  EXPECT_TRUE(desk.has("mine/data.npy"));
  std::filesystem::remove(desk.path("mine/data.npy"));
  convert(desk, {"a.mtx", "mine", "-f", "csr"}); // an empty one
  convert(desk, {"a.mtx", "mine", "-f", "csc"}); // one that was written so
  EXPECT_FALSE(desk.has("mine/rowptr.npy"));
}

/// Headers were searched for the text that NumPy's own have.
TEST(ToolConvert, ComplexArraysOfOtherPrograms) {
  Desk desk;
  const std::string array = npy<double>("<c16", {1, 2, 3, -4}, "2, 1");
  const auto with = [&](const std::string &from, const std::string &to) {
    std::string changed = array;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  for (const std::string &text :
       {array, with("'<c16'", "'=c16'"), with("'descr': '<c16',", "\"descr\" :\"<c16\",")}) {
    desk.write("a.npy", text);
    convert(desk, {"a.npy", "a.mtx"});
    EXPECT_EQ(desk.read("a.mtx"),
              "%%MatrixMarket matrix coordinate complex general\n2 1 2\n1 1 1 2\n2 1 3 -4\n");
  }
}

} // namespace
} // namespace unravel::tool::test
