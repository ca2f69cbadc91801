#include "data/output_file.h"
#include "data/temporary_folder.h"
#include "data/tensor_file.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

// What a user is told about files that are wrong. Each message is pinned as a whole.
namespace unravel::data {
namespace {

struct Case {
  const char *name;
  std::string content;
  const char *message;
};

void check(const std::vector<Case> &cases) {
  TemporaryFolder folder;
  for (const Case &c : cases)
    EXPECT_EQ(message_of(folder, [&] { read_tensor(folder.write(c.name, c.content)); }), c.message);
}

TEST(BadFile, Banner) {
  check({
      {"a.mtx", "MatrixMarket matrix coordinate real general\n1 1 0\n",
       R"(a.mtx:1:1: error: expected `%%MatrixMarket`, found `MatrixMarket` [bad-header]
  1 | MatrixMarket matrix coordinate real general
    | ^~~~~~~~~~~~
  hint: write a first line such as: %%MatrixMarket matrix coordinate real general
)"},
      {"a.mtx", "%MatrixMarket matrix coordinate real general\n1 1 0\n",
       R"(a.mtx:1:1: error: expected `%%MatrixMarket`, found `%MatrixMarket` [bad-header]
  1 | %MatrixMarket matrix coordinate real general
    | ^~~~~~~~~~~~~
  hint: write a first line such as: %%MatrixMarket matrix coordinate real general
)"},
      {"a.mtx", "%%MatrixMarket vector coordinate real general\n1 1 0\n",
       R"(a.mtx:1:16: error: expected `matrix`, found `vector` [bad-header]
  1 | %%MatrixMarket vector coordinate real general
    |                ^~~~~~
  hint: write a first line such as: %%MatrixMarket matrix coordinate real general
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinates real general\n1 1 0\n",
       R"(a.mtx:1:23: error: expected `coordinate` or `array`, found `coordinates` [bad-header]
  1 | %%MatrixMarket matrix coordinates real general
    |                       ^~~~~~~~~~~
  hint: did you mean `coordinate`?
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate float general\n1 1 0\n",
       R"(a.mtx:1:34: error: expected `real`, `integer`, `pattern`, `complex` or `double`, found `float` [bad-header]
  1 | %%MatrixMarket matrix coordinate float general
    |                                  ^~~~~
  hint: write a first line such as: %%MatrixMarket matrix coordinate real general
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real symetric\n1 1 0\n",
       R"(a.mtx:1:39: error: expected `general`, `symmetric`, `skew-symmetric` or `hermitian`, found `symetric` [bad-header]
  1 | %%MatrixMarket matrix coordinate real symetric
    |                                       ^~~~~~~~
  hint: did you mean `symmetric`?
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real\n1 1 0\n",
       R"(a.mtx:1:38: error: the first line has 4 of its 5 words [bad-header]
  1 | %%MatrixMarket matrix coordinate real
    |                                      ^
  hint: write a first line such as: %%MatrixMarket matrix coordinate real general
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general 3\n1 1 0\n",
       R"(a.mtx:1:47: error: expected the end of the line, found `3` [bad-header]
  1 | %%MatrixMarket matrix coordinate real general 3
    |                                               ^
  hint: write a first line such as: %%MatrixMarket matrix coordinate real general
)"},
      {"a.mtx", "%%MatrixMarket matrix array pattern general\n1 1\n",
       R"(a.mtx:1:29: error: an array file can't be a `pattern` [bad-header]
  1 | %%MatrixMarket matrix array pattern general
    |                             ^~~~~~~
  hint: an array file holds a value for each element: `real` or `integer`
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n",
       R"(a.mtx:1:42: error: a `pattern` can't be `skew-symmetric` [bad-header]
  1 | %%MatrixMarket matrix coordinate pattern skew-symmetric
    |                                          ^~~~~~~~~~~~~~
  hint: a pattern has no values that could change their sign
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n1 2 0\n",
       R"(a.mtx:2:1: error: a hermitian matrix must be square, not 1 x 2 [bad-header]
  2 | 1 2 0
    | ^~~~~
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 2 0.5\n",
       R"(a.mtx:3:7: error: the diagonal entry (1, 1) of a hermitian matrix must be real [bad-entry]
  3 | 1 1 2 0.5
    |       ^~~
  hint: its imaginary part is 0
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n",
       R"(a.mtx:1:39: error: a `hermitian` matrix is `complex`, not `real` [bad-header]
  1 | %%MatrixMarket matrix coordinate real hermitian
    |                                       ^~~~~~~~~
  hint: a real matrix that is hermitian is `symmetric`
)"},
      {"a.mtx", "",
       R"(a.mtx: error: the file is empty [bad-header]
  hint: write a first line such as: %%MatrixMarket matrix coordinate real general
)"},
      {"a.mtx", "\n\n",
       R"(a.mtx:1:1: error: the first line is empty [bad-header]
  hint: write a first line such as: %%MatrixMarket matrix coordinate real general
)"},
      {"a.mtx",
       std::string("\x7f"
                   "ELF\x02\x01\0\0\0",
                   9),
       R"(a.mtx: error: this is a binary file, not a Matrix Market file [bad-header]
  hint: write a first line such as: %%MatrixMarket matrix coordinate real general
)"},
      {"a.mtx.gz", std::string("PK\x03\x04\0\0\0", 7),
       R"(a.mtx.gz: error: this is neither a Matrix Market file nor compressed by gzip [bad-header]
  hint: write a first line such as: %%MatrixMarket matrix coordinate real general
)"},
  });
}

TEST(BadFile, SizeLine) {
  check({
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n",
       R"(a.mtx:2:1: error: expected the size line, found the end of the file [bad-header]
  hint: the size line of a coordinate file is: rows columns entries
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n% only a comment\n\n",
       R"(a.mtx:4:1: error: expected the size line, found the end of the file [bad-header]
  hint: the size line of a coordinate file is: rows columns entries
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3\n",
       R"(a.mtx:2:4: error: expected the number of entries, found the end of the line [bad-header]
  2 | 3 3
    |    ^
  hint: the size line of a coordinate file is: rows columns entries
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 x 1\n1 1 1\n",
       R"(a.mtx:2:3: error: expected the number of columns, found `x` [bad-header]
  2 | 3 x 1
    |   ^
  hint: the size line of a coordinate file is: rows columns entries
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3.5 1\n1 1 1\n",
       R"(a.mtx:2:3: error: expected the number of columns, found `3.5` [bad-header]
  2 | 3 3.5 1
    |   ^~~
  hint: the size line of a coordinate file is: rows columns entries
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 -4 1\n1 1 1\n",
       R"(a.mtx:2:3: error: the number of columns is negative: -4 [bad-header]
  2 | 3 -4 1
    |   ^~
  hint: the size line of a coordinate file is: rows columns entries
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1 7\n1 1 1\n",
       R"(a.mtx:2:7: error: expected the end of the size line, found `7` [bad-header]
  2 | 3 3 1 7
    |       ^
  hint: the size line of a coordinate file is: rows columns entries
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 9223372036854775808\n1 1 1\n",
       R"(a.mtx:2:5: error: the number `9223372036854775808` is beyond 2^63 - 1 [number-too-large]
  2 | 3 3 9223372036854775808
    |     ^~~~~~~~~~~~~~~~~~~
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n99999999999999999999999999 3 1\n1 1 1\n",
       R"(a.mtx:2:1: error: the number `99999999999999999999999999` is beyond 2^63 - 1 [number-too-large]
  2 | 99999999999999999999999999 3 1
    | ^~~~~~~~~~~~~~~~~~~~~~~~~~
)"},
      {"a.mtx", "%%MatrixMarket matrix array real general\n3 3 9\n",
       R"(a.mtx:2:5: error: expected the end of the size line, found `9` [bad-header]
  2 | 3 3 9
    |     ^
  hint: the size line of an array file is: rows columns
)"},
      {"a.mtx", "%%MatrixMarket matrix array real general\n4294967296 4294967296\n1\n",
       R"(a.mtx:2:1: error: an array of 4294967296 x 4294967296 has more than 2^63 - 1 elements [number-too-large]
  2 | 4294967296 4294967296
    | ^~~~~~~~~~~~~~~~~~~~~
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 4 0\n",
       R"(a.mtx:2:1: error: a symmetric matrix must be square, not 3 x 4 [bad-header]
  2 | 3 4 0
    | ^~~~~
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 4 0\n",
       R"(a.mtx:2:1: error: a skew-symmetric matrix must be square, not 3 x 4 [bad-header]
  2 | 3 4 0
    | ^~~~~
)"},
  });
}

TEST(BadFile, EntryLines) {
  check({
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1\n",
       R"(a.mtx:3:1: error: the row index is 4, out of range: it must be from 1 to 3 [entry-out-of-range]
  3 | 4 1 1
    | ^
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 0 1\n",
       R"(a.mtx:3:3: error: the column index is 0, out of range: it must be from 1 to 3 [entry-out-of-range]
  3 | 1 0 1
    |   ^
  hint: indices in files count from 1
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 99999999999999999999 1\n",
       R"(a.mtx:3:3: error: the number `99999999999999999999` is beyond 2^63 - 1 [number-too-large]
  3 | 1 99999999999999999999 1
    |   ^~~~~~~~~~~~~~~~~~~~
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n0 3 1\n1 1 1\n",
       R"(a.mtx:3:1: error: the row index is 1, out of range: the tensor has no entries [entry-out-of-range]
  3 | 1 1 1
    | ^
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n-1 1 1\n",
       R"(a.mtx:3:1: error: expected a row index, found `-1` [bad-entry]
  3 | -1 1 1
    | ^~
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1.0 1 1\n",
       R"(a.mtx:3:1: error: expected a row index, found `1.0` [bad-entry]
  3 | 1.0 1 1
    | ^~~
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1\n",
       R"(a.mtx:3:2: error: expected a column index, found the end of the line [bad-entry]
  3 | 1
    |  ^
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2\n",
       R"(a.mtx:3:4: error: expected a value, found the end of the line [bad-entry]
  3 | 1 2
    |    ^
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 2 1,5\n",
       R"(a.mtx:4:5: error: expected a value, found `1,5` [bad-entry]
  4 | 2 2 1,5
    |     ^~~
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 1.5 0.5\n",
       R"(a.mtx:3:9: error: expected the end of the line, found `0.5` [bad-entry]
  3 | 1 2 1.5 0.5
    |         ^~~
  hint: a line holds a row index, a column index and a value
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 1e400\n",
       R"(a.mtx:3:5: error: the value `1e400` is too large for a 64-bit floating-point number [bad-entry]
  3 | 1 2 1e400
    |     ^~~~~
  hint: the largest is about 1.8e308; infinity is written inf
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 1e\n",
       R"(a.mtx:3:5: error: expected a value, found `1e` [bad-entry]
  3 | 1 2 1e
    |     ^~
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 --1\n",
       R"(a.mtx:3:5: error: expected a value, found `--1` [bad-entry]
  3 | 1 2 --1
    |     ^~~
)"},
      {"a.mtx",
       std::string("%%MatrixMarket matrix coordinate real general\n3 3 1\n\x01\x02\0junk\xff 2 1\n", 60),
       R"(a.mtx:3:1: error: expected a row index, found `\x01\x02\x00junk\xff` [bad-entry]
  3 | ???junk?
    | ^~~~~~~~
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2 1\n",
       R"(a.mtx:3:5: error: expected the end of the line, found `1` [bad-entry]
  3 | 1 2 1
    |     ^
  hint: a line holds a row index and a column index
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 2 1.5\n",
       R"(a.mtx:3:5: error: expected an integer value, found `1.5` [bad-entry]
  3 | 1 2 1.5
    |     ^~~
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 2 9007199254740993\n",
       R"(a.mtx:3:5: error: the integer value `9007199254740993` is not exact as a 64-bit floating-point number [unsupported-file]
  3 | 1 2 9007199254740993
    |     ^~~~~~~~~~~~~~~~
  hint: change `integer` in the first line to `real` to have such values rounded
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 1\n",
       R"(a.mtx:3:5: error: the diagonal entry (2, 2) of a skew-symmetric matrix must be 0 [bad-entry]
  3 | 2 2 1
    |     ^
  hint: leave the diagonal out
)"},
      {"a.mtx", "%%MatrixMarket matrix array real general\n1 2\n1\n2 3\n",
       R"(a.mtx:4:3: error: expected the end of the line, found `3` [bad-entry]
  4 | 2 3
    |   ^
  hint: a line holds one value
)"},
  });
}

TEST(BadFile, Counts) {
  check({
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n",
       R"(a.mtx:2:5: error: the size line promises 2 entries, but the file holds 1 [entry-count]
  2 | 3 3 2
    |     ^
  hint: the file may have been cut off
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 9223372036854775807\n1 1 1\n",
       R"(a.mtx:2:5: error: the size line promises 9223372036854775807 entries, but the file holds 1 [entry-count]
  2 | 3 3 9223372036854775807
    |     ^~~~~~~~~~~~~~~~~~~
  hint: the file may have been cut off
)"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n\n2 2 1\n",
       R"(a.mtx:5:1: error: expected the end of the file after the 1 entry that the size line promises, found `2` [entry-count]
  5 | 2 2 1
    | ^
)"},
      {"a.mtx", "%%MatrixMarket matrix array real general\n1000000000 1000000000\n1\n",
       R"(a.mtx:2:1: error: the size line promises 1000000000000000000 values, but the file holds 1 [entry-count]
  2 | 1000000000 1000000000
    | ^~~~~~~~~~~~~~~~~~~~~
  hint: the file may have been cut off
)"},
      {"a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n2\n",
       R"(a.mtx:4:1: error: expected the end of the file after the 1 value that the size line promises, found `2` [entry-count]
  4 | 2
    | ^
)"},
  });
}

TEST(BadFile, FrosttFiles) {
  check({
      {"a.tns", "",
       R"(a.tns: error: the file is empty, so that the tensor's order is unknown [bad-header]
  hint: a line `# shape: 4 5 6` says the shape of a tensor without entries
)"},
      {"a.tns", "# nothing\n",
       R"(a.tns: error: the file has no entries, so that the tensor's order is unknown [bad-header]
  hint: a line `# shape: 4 5 6` says the shape of a tensor without entries
)"},
      {"a.tns", "5\n",
       R"(a.tns:1:1: error: expected indices and a value, found only `5` [bad-entry]
  1 | 5
    | ^
  hint: a line holds the indices of an entry, from 1, and its value: 3 1 2 0.5
)"},
      {"a.tns", "1 1 2.5\n1 2\n",
       R"(a.tns:2:4: error: expected a value, found the end of the line [bad-entry]
  2 | 1 2
    |    ^
)"},
      {"a.tns", "1 1 2.5\n1 2 3 4\n",
       R"(a.tns:2:7: error: expected the end of the line, found `4` [bad-entry]
  2 | 1 2 3 4
    |       ^
  hint: a line holds 2 indices and a value
)"},
      {"a.tns", "1 0 2.5\n",
       R"(a.tns:1:3: error: the index in column 2 is 0, out of range: it must be at least 1 [entry-out-of-range]
  1 | 1 0 2.5
    |   ^
  hint: indices in files count from 1
)"},
      {"a.tns", "1 x 2.5\n",
       R"(a.tns:1:3: error: expected an index in column 2, found `x` [bad-entry]
  1 | 1 x 2.5
    |   ^
)"},
      {"a.tns", "# shape: 3 3\n1 4 2.5\n",
       R"(a.tns:2:3: error: the index in column 2 is 4, out of range: it must be from 1 to 3 [entry-out-of-range]
  2 | 1 4 2.5
    |   ^
)"},
      {"a.tns", "# shape: 3 -3\n1 1 2.5\n",
       R"(a.tns:1:12: error: the size -3 is negative [bad-header]
  1 | # shape: 3 -3
    |            ^~
)"},
      {"a.tns", "# shape: 3 b\n1 1 2.5\n",
       R"(a.tns:1:12: error: expected a size, found `b` [bad-entry]
  1 | # shape: 3 b
    |            ^
)"},
      {"a.tns", "1 9223372036854775808 2.5\n",
       R"(a.tns:1:3: error: the number `9223372036854775808` is beyond 2^63 - 1 [number-too-large]
  1 | 1 9223372036854775808 2.5
    |   ^~~~~~~~~~~~~~~~~~~
)"},
      {"a.tns", std::string("\x01\x02\0\xff\n", 5),
       R"(a.tns: error: this is a binary file, not a .tns file [bad-header]
  hint: a line holds the indices of an entry, from 1, and its value: 3 1 2 0.5
)"},
      {"a.tns.gz", std::string("PK\x03\x04\0\0\0", 7),
       R"(a.tns.gz: error: this is neither a .tns file nor compressed by gzip [bad-header]
  hint: a line holds the indices of an entry, from 1, and its value: 3 1 2 0.5
)"},
  });
}

TEST(BadFile, MissingAndFolders) {
  TemporaryFolder folder;
  EXPECT_EQ(message_of(folder, [&] { read_tensor(folder.path("none.mtx")); }),
            "none.mtx: error: cannot read: No such file or directory [cannot-read]\n");
  std::filesystem::create_directory(folder.path("sub.mtx"));
  EXPECT_EQ(message_of(folder, [&] { read_tensor(folder.path("sub.mtx")); }),
            "sub.mtx: error: cannot read: this is a directory [cannot-read]\n");
  EXPECT_EQ(message_of(folder, [&] { read_tensor(folder.write("a.csv", "1,2,3\n")); }),
            "a.csv: error: the name of a tensor file ends in .mtx, .tns, .npy or .npz [unknown-file-type]\n"
            "  hint: the first two may be followed by .gz; what is written may also be a .txt; arrays of a "
            "layout go to and come from a folder\n");
  EXPECT_EQ(message_of(folder, [&] { write_tensor(folder.path("a.csv"), Coordinates({1})); }),
            "a.csv: error: the name of a tensor file ends in .mtx, .tns, .npy or .npz [unknown-file-type]\n"
            "  hint: the first two may be followed by .gz; what is written may also be a .txt; arrays of a "
            "layout go to and come from a folder\n");
}

/// A compressed file of many entries, as bytes.
std::string compressed_matrix(const TemporaryFolder &folder) {
  Coordinates matrix({300, 300});
  for (std::int64_t i = 0; i < 300; ++i)
    matrix.append({i, i * 7 % 300}, 1.0 / static_cast<double>(i + 1));
  write_tensor(folder.path("good.mtx.gz"), matrix);
  std::ifstream file(folder.path("good.mtx.gz"), std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(BadFile, Gzip) {
  TemporaryFolder folder;
  std::string packed = compressed_matrix(folder);
  std::string truncated = message_of(
      folder, [&] { read_tensor(folder.write("cut.mtx.gz", packed.substr(0, packed.size() / 2))); });
  EXPECT_EQ(truncated, "cut.mtx.gz: error: the compressed file is truncated: it ends after " +
                           std::to_string(packed.size() / 2) +
                           " bytes, within the data [bad-gzip]\n"
                           "  hint: copy or download the file again\n");
  // Cut within the check sum, and right after the magic bytes.
  for (std::size_t length : {packed.size() - 3, std::size_t{2}})
    EXPECT_NE(message_of(folder, [&] { read_tensor(folder.write("cut.mtx.gz", packed.substr(0, length))); })
                  .find("truncated"),
              std::string::npos);
  std::string wrong_sum = packed;
  wrong_sum[packed.size() - 8] = static_cast<char>(wrong_sum[packed.size() - 8] ^ 1);
  EXPECT_EQ(message_of(folder, [&] { read_tensor(folder.write("sum.mtx.gz", wrong_sum)); }),
            "sum.mtx.gz: error: the compressed data is damaged near byte " +
                std::to_string(packed.size() - 4) + ": incorrect data check [bad-gzip]\n");
  EXPECT_EQ(message_of(folder, [&] { read_tensor(folder.write("more.mtx.gz", packed + "more")); }),
            "more.mtx.gz: error: unexpected data after the end of the compressed text, at byte " +
                std::to_string(packed.size()) + " [bad-gzip]\n");
}

TEST(BadFile, MemoryLimits) {
  TemporaryFolder folder;
  std::string packed = folder.path("good.mtx.gz");
  compressed_matrix(folder);
  ReadOptions small;
  small.max_memory = 1000;
  EXPECT_EQ(
      message_of(folder, [&] { read_tensor(packed, small); }),
      "good.mtx.gz: error: the text of this file takes more than the 1000 bytes allowed [memory-limit]\n"
      "  hint: raise the limit with --max-memory\n");
  small.max_memory = 40;
  std::string plain = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 2 1\n";
  EXPECT_EQ(message_of(folder, [&] { read_tensor(folder.write("a.mtx", plain), small); }),
            "a.mtx:2:5: error: the matrix takes 48 bytes, more than the 40 bytes allowed [memory-limit]\n"
            "  2 | 3 3 2\n"
            "    |     ^\n"
            "  hint: raise the limit with --max-memory\n");
  EXPECT_EQ(message_of(folder, [&] { read_tensor(folder.write("a.tns", "1 1 1 1\n1 1 2 1\n"), small); }),
            "a.tns: error: the tensor takes 64 bytes, more than the 40 bytes allowed [memory-limit]\n"
            "  hint: raise the limit with --max-memory\n");
}

TEST(BadFile, Unwritable) {
  TemporaryFolder folder;
  Coordinates matrix({2, 2});
  EXPECT_EQ(message_of(folder, [&] { write_tensor(folder.path("none/a.mtx"), matrix); }),
            "none/a.mtx: error: cannot write: No such file or directory [cannot-write]\n");
  std::filesystem::create_directory(folder.path("sub.tns.gz"));
  EXPECT_EQ(message_of(folder, [&] { write_tensor(folder.path("sub.tns.gz"), matrix); }),
            "sub.tns.gz: error: cannot write: Is a directory [cannot-write]\n");
  folder.write("file", "");
  EXPECT_EQ(message_of(folder, [&] { write_tensor(folder.path("file/a.mtx"), matrix); }),
            "file/a.mtx: error: cannot write: Not a directory [cannot-write]\n");
  EXPECT_EQ(message_of(folder,
                       [&] {
                         write_tensor(folder.path("a.mtx"), Coordinates({2, 2, 2}));
                       }),
            "a.mtx: error: a .mtx file holds a matrix, not a tensor of 3 modes [unsupported-file]\n"
            "  hint: write it to a .tns file\n");
  EXPECT_EQ(folder.file_count(), 2u) << "nothing half-written remains";
}

TEST(BadFile, FullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.path("full.mtx"));
  Coordinates matrix({2, 2});
  matrix.append({0, 1}, 1);
  EXPECT_EQ(message_of(folder, [&] { write_tensor(folder.path("full.mtx"), matrix); }),
            "full.mtx: error: cannot write: No space left on device [cannot-write]\n");
}

/// What is being written when a signal ends the process, a folder and what is in it too.
TEST(BadFile, Interrupted) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
      std::signal(signal, SIG_DFL); // whatever it is where the tests run
      files::remove_unfinished_at_signals();
      OutputFile file(folder.path("a.mtx"));
      file.write("half of a matrix");
      const files::Unfinished arrays(folder.path("arrays"));
      std::filesystem::create_directory(folder.path("arrays"));
      OutputFile part(folder.path("arrays/val.npy"));
      part.write("an array");
      part.commit();
      OutputFile whole(folder.path("whole.mtx"));
      whole.commit();
      raise(signal);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_EQ(folder.file_count(), 1u); // the one that is complete
    EXPECT_TRUE(std::filesystem::exists(folder.path("whole.mtx")));
  }
}

/// The first wrong line is told, whichever thread comes upon one first.
TEST(BadFile, FirstOfManyErrorsInALargeFile) {
  TemporaryFolder folder;
  std::string text = "%%MatrixMarket matrix coordinate real general\n9 9 400000\n";
  for (int line = 3; line < 400003; ++line)
    text += line >= 150000 ? "1 1 bad\n" : "1 1 0.25\n";
  EXPECT_EQ(message_of(folder, [&] { read_tensor(folder.write("a.mtx", text)); }),
            "a.mtx:150000:5: error: expected a value, found `bad` [bad-entry]\n"
            "  150000 | 1 1 bad\n"
            "         |     ^~~\n");
}

} // namespace
} // namespace unravel::data
