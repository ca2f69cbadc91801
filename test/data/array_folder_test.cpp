#include "data/folder.h"

#include "data/temporary_folder.h"

namespace unravel::data {
namespace {

std::string content_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// A .npy file of version 1 by hand.
std::string npy(const std::string &header, const std::string &data, char version = 1) {
  std::string lengths = {static_cast<char>(header.size()), 0};
  if (version > 1) lengths += std::string(2, '\0');
  return std::string("\x93NUMPY") + version + '\0' + lengths + header + data;
}

std::string header(const std::string &descr, const std::string &shape, const std::string &order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

template <class T> void check_round_trip(const std::vector<T> &values, const char *name) {
  TemporaryFolder folder;
  Array array = Array::of(values);
  EXPECT_EQ(data::name_of(array.type()), name);
  write_npy(folder.path("a.npy"), array);
  Array read = read_npy(folder.path("a.npy"));
  EXPECT_EQ(read, array);
  ASSERT_EQ(read.size(), values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_EQ(read.as<T>()[k], values[k]);
    EXPECT_EQ(read.real(k), static_cast<double>(values[k]));
    EXPECT_EQ(read.is_integer() ? read.integer(k) : 0,
              read.is_integer() ? static_cast<std::int64_t>(values[k]) : 0);
  }
}

TEST(Npy, RoundTripsOfAllTypes) {
  check_round_trip<std::int8_t>({-128, 0, 127}, "i1");
  check_round_trip<std::int16_t>({-32768, 5}, "i2");
  check_round_trip<std::int32_t>({INT32_MIN, INT32_MAX}, "i4");
  check_round_trip<std::int64_t>({INT64_MIN, 7, INT64_MAX}, "i8");
  check_round_trip<std::uint8_t>({0, 255}, "u1");
  check_round_trip<std::uint16_t>({65535}, "u2");
  check_round_trip<std::uint32_t>({UINT32_MAX}, "u4");
  check_round_trip<std::uint64_t>({UINT64_MAX}, "u8");
  check_round_trip<float>({0.1f, -2}, "f4");
  check_round_trip<double>({0.1, -2, 1e300}, "f8");
  check_round_trip<double>({}, "f8");
  check_round_trip<long long>({1}, "i8");
}

TEST(Npy, complex_numbers) {
  TemporaryFolder folder;
  const Array single = Array::of(std::vector<std::complex<float>>{{0.5F, -2}, {3, 4}});
  write_npy(folder.path("a.npy"), single);
  EXPECT_NE(content_of(folder.path("a.npy")).find("'descr': '<c8'"), std::string::npos);
  EXPECT_EQ(read_npy(folder.path("a.npy")), single);
  const Array wide = Array::of(std::vector<std::complex<double>>{{0.1, 1e300}});
  write_npy(folder.path("b.npy"), wide);
  EXPECT_EQ(read_npy(folder.path("b.npy")), wide);
  EXPECT_EQ(wide.real(0), 0.1);
  EXPECT_EQ(wide.imaginary(0), 1e300);
  EXPECT_EQ(single.imaginary(1), 4);
  EXPECT_FALSE(wide.is_integer());
}

/// As NumPy takes them.
TEST(Npy, AnyByteBut0IsTrue) {
  const Array read = parse_npy(
      npy("{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }", std::string("\0\2\1\xFF", 4)),
      "a.npy");
  EXPECT_EQ(std::string(static_cast<const char *>(read.data()), 4), std::string("\0\1\1\1", 4));
}

TEST(Npy, ShapesAndTheWrittenForm) {
  TemporaryFolder folder;
  for (std::vector<std::int64_t> shape : {std::vector<std::int64_t>{}, {6}, {2, 3}, {1, 2, 3}, {0, 5}}) {
    std::size_t elements = 1;
    for (std::int64_t extent : shape)
      elements *= static_cast<std::size_t>(extent);
    Array array(shape, Elements::of(std::vector<std::int32_t>(elements, 0x01010101)));
    write_npy(folder.path("a.npy"), array);
    EXPECT_EQ(read_npy(folder.path("a.npy")), array);
  }
  Array truths({2, 1}, Elements(DType::Bool, 2));
  truths.set_number(0, {DType::Bool, 0, 1});
  truths.set_number(1, {DType::Bool, 0, 0});
  write_npy(folder.path("b.npy"), truths);
  std::string content = content_of(folder.path("b.npy"));
  EXPECT_EQ(content.size(), 128u + 2) << "the data is aligned";
  EXPECT_EQ(content.substr(10, 60), "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 1), } ");
}

TEST(Npy, OtherVersionsAndForms) {
  TemporaryFolder folder;
  std::string two(16, '\0');
  for (char version : {1, 2, 3})
    EXPECT_EQ(read_npy(folder.write("a.npy", npy(header("<f8", "(2,)"), two, version))).shape,
              std::vector<std::int64_t>{2});
  // Spaces, the order of the keys and double quotes are free.
  EXPECT_EQ(read_npy(folder.write("a.npy",
                                  npy("{\"shape\":(1,2),\"descr\":\"<i8\",\"fortran_order\":False}\n", two)))
                .type(),
            DType::Int64);
  // A vector is both row-major and column-major.
  EXPECT_EQ(read_npy(folder.write("a.npy", npy(header("<f8", "(2, 1)", "True"), two))).size(), 2u);
}

TEST(Npy, BadFiles) {
  TemporaryFolder folder;
  struct Case {
    std::string content;
    const char *message;
  };
  std::string two(16, '\0');
  for (const Case &c : std::vector<Case>{
           {"", "a.npy: error: the file is empty [bad-array-file]\n  hint: write it with numpy.save\n"},
           {"1 2 3\n",
            "a.npy: error: this is not a .npy file [bad-array-file]\n  hint: write it with numpy.save\n"},
           {"\x93NUMPY", "a.npy: error: the file ends within its header [bad-array-file]\n"},
           {npy(header("<f8", "(2,)"), "").substr(0, 30),
            "a.npy: error: the file ends within its header [bad-array-file]\n"},
           {npy(header("<f8", "(2,)"), two, 9),
            "a.npy: error: version 9 of the .npy format is not supported [unsupported-file]\n"},
           {npy(header("<f8", "(2, 2)", "True"), two + two),
            "a.npy: error: column-major arrays are not supported [unsupported-file]\n"
            "  hint: save numpy.ascontiguousarray(a)\n"},
           {npy(header(">f8", "(2,)"), two),
            "a.npy: error: arrays of `>f8` are not supported [unsupported-file]\n"
            "  hint: supported are b1, i1 to i8, u1 to u8, f4, f8, c8 and c16, little-endian\n"},
           {npy(header("<c32", "(1,)"), two),
            "a.npy: error: arrays of `<c32` are not supported [unsupported-file]\n"
            "  hint: supported are b1, i1 to i8, u1 to u8, f4, f8, c8 and c16, little-endian\n"},
           {npy("{'descr': [('a', '<f8')], ", two),
            "a.npy: error: arrays of a record type are not supported [unsupported-file]\n"
            "  hint: supported are b1, i1 to i8, u1 to u8, f4, f8, c8 and c16, little-endian\n"},
           {npy(header("<f8", "(3,)"), two),
            "a.npy: error: the header promises 3 elements, but the file holds 2 [bad-array-file]\n"
            "  hint: the file may have been cut off\n"},
           {npy(header("<f8", "(4294967296, 4294967296)"), two),
            "a.npy: error: the header promises more than 2^63 elements, but the file holds 2 "
            "[bad-array-file]\n"
            "  hint: the file may have been cut off\n"},
           {npy(header("<f8", "(1,)"), two), "a.npy: error: the file holds 8 bytes after the data that "
                                             "the header promises [bad-array-file]\n"},
           {npy(header("<f8", "(9223372036854775808,)"), two),
            "a.npy: error: an extent in the header is beyond 2^63 - 1 [number-too-large]\n"},
           {npy(header("<f8", "(-1,)"), two),
            "a.npy: error: expected an extent in the header's `shape`, at byte 61 [bad-array-file]\n"},
           {npy("{'descr': '<f8', 'shape': (2,), }", two),
            "a.npy: error: the header lacks `fortran_order`, at byte 43 [bad-array-file]\n"},
           {npy("{'color': '<f8'}", two),
            "a.npy: error: unknown key `color` in the header, at byte 19 [bad-array-file]\n"},
           {npy("{'descr': '<f8", ""),
            "a.npy: error: a text in the header isn't closed, at byte 24 [bad-array-file]\n"},
           {npy("{'fortran_order': Maybe}", two),
            "a.npy: error: `fortran_order` must be True or False, at byte 33 [bad-array-file]\n"},
           {npy("[1]", two), "a.npy: error: expected `{` in the header, at byte 10 [bad-array-file]\n"},
       })
    EXPECT_EQ(message_of(folder, [&] { read_npy(folder.write("a.npy", c.content)); }), c.message);
  ReadOptions small;
  small.max_memory = 15;
  EXPECT_EQ(
      message_of(folder, [&] { read_npy(folder.write("a.npy", npy(header("<f8", "(2,)"), two)), small); }),
      "a.npy: error: the array takes 16 bytes, more than the 15 bytes allowed [memory-limit]\n"
      "  hint: raise the limit with --max-memory\n");
  EXPECT_EQ(message_of(folder, [&] { Array::of<int>({1}).as<double>(); }),
            "error: internal check failed: an array of a tensor is read as the type it has [internal]\n"
            "  hint: please report this as a bug\n");
}

ArrayFolder example() {
  ArrayFolder folder;
  folder.layout = "bcsr";
  folder.parameters = {4, 4};
  folder.sizes = {{"M", 8}, {"N", 4}};
  folder.counts = {{"NB", 2}};
  folder.arrays["rowptr"] = Array::of<std::int32_t>({0, 1, 2});
  folder.arrays["val"] = Array::of<double>(std::vector<double>(32, 0.5));
  return folder;
}

TEST(ArrayFolder, RoundTripAndReplacement) {
  TemporaryFolder folder;
  ArrayFolder written = example();
  for (int round = 0; round < 2; ++round) { // the second time it replaces the first
    write_folder(folder.path("A/"), written);
    ArrayFolder read = read_folder(folder.path("A"));
    EXPECT_EQ(read.layout, written.layout);
    EXPECT_EQ(read.parameters, written.parameters);
    EXPECT_EQ(read.sizes, written.sizes);
    EXPECT_EQ(read.counts, written.counts);
    EXPECT_EQ(read.arrays, written.arrays);
    EXPECT_EQ(read.array("rowptr").as<std::int32_t>()[2], 2);
    written.arrays.erase("val");
  }
  EXPECT_EQ(folder.file_count(), 1u);
  ArrayFolder bare;
  bare.layout = "x";
  write_folder(folder.path("B"), bare);
  EXPECT_EQ(read_folder(folder.path("B")).sizes.size(), 0u);
}

TEST(ArrayFolder, BadDescriptions) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("A"));
  struct Case {
    const char *content;
    const char *message;
  };
  const std::string hint = "  hint: such as {\"layout\": \"csr\", \"parameters\": [], \"sizes\": {\"M\": 3, "
                           "\"N\": 4}, \"counts\": {\"NNZ\": 5}}\n";
  for (const Case &c : std::vector<Case>{
           {"", "A/layout.json:1:1: error: this is not valid JSON: it ends too early [bad-array-folder]\n"},
           {"{\"layout\": csr}", "A/layout.json:1:12: error: this is not valid JSON [bad-array-folder]\n"
                                 "  1 | {\"layout\": csr}\n"
                                 "    |            ^\n"},
           {"[1]", "A/layout.json: error: expected a JSON object [bad-array-folder]\n"},
           {"{\"layout\": 1e999}", "A/layout.json: error: this is not valid JSON [bad-array-folder]\n"},
           {"{\"sizes\": {}}", "A/layout.json: error: the member `layout` is missing [bad-array-folder]\n"},
           {"{\"layout\": \"csr\"}",
            "A/layout.json: error: the member `sizes` is missing [bad-array-folder]\n"},
           {"{\"layout\": 3}",
            "A/layout.json:1:2: error: `layout` must be a text, a layout's name [bad-array-folder]\n"
            "  1 | {\"layout\": 3}\n"
            "    |  ^~~~~~~~\n"},
           {"{\"layout\": \"csr\", \"parameters\": 4}",
            "A/layout.json:1:19: error: `parameters` must be a list of integers [bad-array-folder]\n"
            "  1 | {\"layout\": \"csr\", \"parameters\": 4}\n"
            "    |                   ^~~~~~~~~~~~\n"},
           {"{\"layout\": \"csr\",\n\"sizes\": [3]}",
            "A/layout.json:2:1: error: `sizes` must be an object of integers [bad-array-folder]\n"
            "  2 | \"sizes\": [3]}\n"
            "    | ^~~~~~~\n"},
           {"{\"layout\": \"csr\",\n\"sizes\": {\"M\": 2.5}}",
            "A/layout.json:2:1: error: `sizes` must hold integers, not 2.5 [bad-array-folder]\n"
            "  2 | \"sizes\": {\"M\": 2.5}}\n"
            "    | ^~~~~~~\n"},
           {"{\"layout\": \"csr\",\n\"sizes\": {\"M\": {}}}",
            "A/layout.json:2:1: error: `sizes` must hold integers, not an object [bad-array-folder]\n"
            "  2 | \"sizes\": {\"M\": {}}}\n"
            "    | ^~~~~~~\n"},
           {"{\"layout\": \"csr\",\n\"sizes\": {\"M\": -2}}",
            "A/layout.json:2:11: error: `M` is negative: -2 [bad-array-folder]\n"
            "  2 | \"sizes\": {\"M\": -2}}\n"
            "    |           ^~~\n"},
       })
    EXPECT_EQ(message_of(folder,
                         [&] {
                           folder.write("A/layout.json", c.content);
                           read_folder(folder.path("A"));
                         }),
              c.message + hint);
  folder.write("A/layout.json", "{\"layout\": \"csr\",\n\"sizes\": {\"M\": 9223372036854775808}}");
  EXPECT_EQ(
      message_of(folder, [&] { read_folder(folder.path("A")); }),
      "A/layout.json:2:1: error: the number `9223372036854775808` is beyond 2^63 - 1 [number-too-large]\n"
      "  2 | \"sizes\": {\"M\": 9223372036854775808}}\n"
      "    | ^~~~~~~\n");
}

TEST(ArrayFolder, AValueMayBeNestedDeeply) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("A"));
  folder.write("A/layout.json", "{\"layout\": \"sv\",\n\"parameters\": [" + std::string(200000, '[') +
                                    std::string(200000, ']') + "], \"sizes\": {\"M\": 3}}");
  const std::string message = message_of(folder, [&] { read_folder(folder.path("A")); });
  EXPECT_TRUE(message.starts_with(
      "A/layout.json:2:1: error: `parameters` must hold integers, not a list [bad-array-folder]\n"))
      << message.substr(0, 200);
}

TEST(ArrayFolder, BadFolders) {
  TemporaryFolder folder;
  EXPECT_EQ(message_of(folder, [&] { read_folder(folder.path("none")); }),
            "none: error: cannot read: No such file or directory [cannot-read]\n");
  EXPECT_EQ(message_of(folder, [&] { read_folder(folder.write("file", "")); }),
            "file: error: cannot read: this is not a folder [cannot-read]\n");
  std::filesystem::create_directory(folder.path("empty"));
  EXPECT_EQ(message_of(folder, [&] { read_folder(folder.path("empty")); }),
            "empty: error: the folder has no layout.json [bad-array-folder]\n"
            "  hint: such as {\"layout\": \"csr\", \"parameters\": [], \"sizes\": {\"M\": 3, \"N\": 4}, "
            "\"counts\": {\"NNZ\": 5}}\n");
  write_folder(folder.path("A"), example());
  EXPECT_EQ(message_of(folder, [&] { read_folder(folder.path("A")).array("bcol"); }),
            "A: error: the array `bcol` is missing: there is no file bcol.npy [bad-array-folder]\n"
            "  hint: the folder holds `rowptr`, `val`\n");
  folder.write("A/extra.npy", "junk");
  EXPECT_EQ(
      message_of(folder, [&] { read_folder(folder.path("A")); }),
      "A/extra.npy: error: this is not a .npy file [bad-array-file]\n  hint: write it with numpy.save\n");
  ReadOptions small;
  small.max_memory = 100;
  EXPECT_EQ(message_of(folder, [&] { read_folder(folder.path("A"), small); }),
            "A: error: the arrays take 528 bytes, more than the 100 bytes allowed [memory-limit]\n"
            "  hint: raise the limit with --max-memory\n");
}

TEST(ArrayFolder, IsReplacedWhereALinkLeads) {
  TemporaryFolder folder;
  write_folder(folder.path("A"), example());
  folder.write("A/layout.json", "{}");
  std::filesystem::create_directory_symlink("A", folder.path("link"));
  write_folder(folder.path("link"), example());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_NE(content_of(folder.path("A/layout.json")), "{}");
}

TEST(ArrayFolder, NeverRemovesOtherFiles) {
  TemporaryFolder folder;
  folder.write("file", "mine");
  EXPECT_EQ(message_of(folder, [&] { write_folder(folder.path("file"), example()); }),
            "file: error: cannot write: a file of this name exists, but a folder is needed [cannot-write]\n");
  std::filesystem::create_directory(folder.path("home"));
  folder.write("home/thesis.tex", "mine");
  EXPECT_EQ(message_of(folder, [&] { write_folder(folder.path("home"), example()); }),
            "home: error: cannot write: the folder exists and holds `thesis.tex`, which is not an array of a "
            "layout [cannot-write]\n");
  EXPECT_EQ(content_of(folder.path("home/thesis.tex")), "mine");
  EXPECT_EQ(message_of(folder, [&] { write_folder(folder.path("none/A"), example()); }),
            "none/A: error: cannot write: No such file or directory [cannot-write]\n");
  EXPECT_EQ(folder.file_count(), 2u) << "nothing half-written remains";
}

} // namespace
} // namespace unravel::data
