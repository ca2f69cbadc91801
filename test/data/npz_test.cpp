// Matrices as SciPy keeps them in files.
#include "data/npz.h"

#include "data/elements.h"
#include "data/temporary_folder.h"
#include "data/tensor_file.h"
#include "report/diagnostic.h"

#include <filesystem>
#include <fmt/format.h>
#include <zip.h>

namespace unravel::data {
namespace {

using Members = std::map<std::string, std::string>;
using Integers = std::vector<std::int64_t>;

template <class T> std::string npy(const std::vector<T> &numbers, std::vector<std::int64_t> shape = {}) {
  Array array = Array::of(numbers);
  if (!shape.empty()) array.shape = std::move(shape);
  return npy_header(array) + std::string(static_cast<const char *>(array.data()), array.bytes());
}

std::string word(const std::string &text) {
  return npy_header(fmt::format("|S{}", text.size()), {}) + text;
}

/// As Python 3 has them: four bytes a character.
std::string wide_word(const std::string &text) {
  std::string bytes;
  for (char c : text)
    bytes += std::string{c, 0, 0, 0};
  return npy_header(fmt::format("<U{}", text.size()), {}) + bytes;
}

class Archives {
public:
  /// Compressed, as save_npz does by default.
  std::string write(const Members &members) {
    const std::string path = folder_.path("made.npz");
    zip_t *archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    for (const auto &[name, content] : members) {
      zip_source_t *source = zip_source_buffer(archive, content.data(), content.size(), 0);
      EXPECT_GE(zip_file_add(archive, (name + ".npy").c_str(), source, 0), 0);
    }
    EXPECT_EQ(zip_close(archive), 0);
    return path;
  }

  Coordinates read(const Members &members) { return read_tensor(write(members)); }

  std::string refusal(const Members &members) {
    try {
      read(members);
    } catch (const report::Error &error) {
      const std::string text = error.what();
      return text.substr(text.find("error: ") + 7, text.find('\n') - text.find("error: ") - 7);
    }
    return "none";
  }

private:
  TemporaryFolder folder_;
};

Coordinates entries(std::vector<std::int64_t> shape, std::vector<Integers> index, std::vector<double> value) {
  Coordinates made(std::move(shape));
  made.index = std::move(index);
  made.value = std::move(value);
  return made;
}

const Members csr = {{"format", word("csr")},
                     {"shape", npy(Integers{2, 3})},
                     {"indptr", npy(std::vector<std::int32_t>{0, 2, 3})},
                     {"indices", npy(std::vector<std::int32_t>{2, 0, 1})},
                     {"data", npy(std::vector<float>{1.5F, 2, 3})}};

Members with(Members members, const std::string &name, const std::string &content) {
  members[name] = content;
  return members;
}

TEST(Npz, FormatsOfSciPy) {
  Archives archives;
  EXPECT_EQ(archives.read(csr), entries({2, 3}, {{0, 0, 1}, {2, 0, 1}}, {1.5, 2, 3}));
  EXPECT_EQ(archives.read(with(csr, "format", wide_word("csr"))), archives.read(csr));
  EXPECT_EQ(archives.read(with(with(csr, "format", word("csc")), "shape", npy(Integers{3, 2}))),
            entries({3, 2}, {{2, 0, 1}, {0, 0, 1}}, {1.5, 2, 3}));
  EXPECT_EQ(archives.read({{"format", word("bsr")},
                           {"shape", npy(Integers{4, 3})},
                           {"indptr", npy(std::vector<std::int32_t>{0, 0, 1})},
                           {"indices", npy(std::vector<std::int32_t>{2})},
                           {"data", npy(std::vector<std::int16_t>{5, -6}, {1, 2, 1})}}),
            entries({4, 3}, {{2, 3}, {2, 2}}, {5, -6}));
  const Members coo = {{"format", word("coo")},
                       {"shape", npy(Integers{2, 3})},
                       {"row", npy(Integers{1, 1})},
                       {"col", npy(Integers{2, 2})},
                       {"data", npy(std::vector<double>{4, 5})}};
  EXPECT_EQ(archives.read(coo), entries({2, 3}, {{1, 1}, {2, 2}}, {4, 5}));
  EXPECT_EQ(archives.read({{"format", word("coo")},
                           {"shape", npy(Integers{2, 3})},
                           {"coords", npy(Integers{1, 1, 2, 0}, {2, 2})},
                           {"data", npy(std::vector<double>{4, 5})}}),
            entries({2, 3}, {{1, 1}, {2, 0}}, {4, 5}));
  EXPECT_EQ(archives.read({{"format", word("dia")},
                           {"shape", npy(Integers{2, 3})},
                           {"offsets", npy(Integers{1, -1})},
                           {"data", npy(std::vector<double>{0, 1, 2, 7, 8, 9}, {2, 3})}}),
            entries({2, 3}, {{0, 1, 1}, {1, 2, 0}}, {1, 2, 7}));
}

/// Newer versions of SciPy have vectors, and tensors of more modes.
TEST(Npz, ArraysOfOtherOrders) {
  Archives archives;
  const Coordinates vector = entries({5}, {{3, 0}}, {1.5, 2});
  Members of_vector = {{"shape", npy(Integers{5})},
                       {"data", npy(std::vector<double>{1.5, 2})},
                       {"_is_array", npy(Integers{1})}};
  of_vector = with(of_vector, "format", word("csr"));
  of_vector = with(of_vector, "indptr", npy(Integers{0, 2}));
  EXPECT_EQ(archives.read(with(of_vector, "indices", npy(Integers{3, 0}))), vector);
  EXPECT_EQ(archives.refusal(with(of_vector, "indices", npy(Integers{3, 5}))),
            "an index lies outside of the matrix [bad-array-file]");
  of_vector = with(of_vector, "format", word("coo"));
  of_vector = with(of_vector, "col", npy(Integers{3, 0}));
  EXPECT_EQ(archives.read(with(of_vector, "row", npy(Integers{0, 0}))), vector);
  EXPECT_EQ(archives.refusal(with(of_vector, "row", npy(Integers{0, 1}))),
            "entry 1 lies outside of the matrix [bad-array-file]");
  EXPECT_EQ(archives.read(with(of_vector, "coords", npy(Integers{3, 0}, {1, 2}))), vector);
  EXPECT_EQ(archives.read({{"format", word("coo")},
                           {"shape", npy(Integers{2, 3, 4})},
                           {"coords", npy(Integers{1, 0, 2, 1, 3, 0}, {3, 2})},
                           {"data", npy(std::vector<double>{4, 5})}}),
            entries({2, 3, 4}, {{1, 0}, {2, 1}, {3, 0}}, {4, 5}));
}

TEST(Npz, OneArray) {
  Archives archives;
  EXPECT_EQ(archives.read({{"arr_0", npy(std::vector<double>{1, 2, 3, 4}, {2, 2})}}),
            from_dense({2, 2}, {1, 2, 3, 4}));
  TemporaryFolder folder;
  const std::string path = folder.path("y.npz");
  write_dense(path, from_dense({3}, {1, 0, 3}));
  EXPECT_EQ(read_tensor(path), from_dense({3}, {1, 0, 3}));
}

TEST(Npz, WhatIsWrittenIsReadAgain) {
  TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  const Coordinates matrix = entries({3, 4}, {{2, 0, 2, 0}, {1, 3, 0, 3}}, {1, 2, 3, 4});
  write_tensor(path, matrix, {value::Type::Int32, 0, {}});
  EXPECT_EQ(read_tensor(path), entries({3, 4}, {{0, 0, 2, 2}, {3, 3, 1, 0}}, {2, 4, 1, 3})); // rows in order
  write_tensor(path, entries({3}, {{2, 0}}, {1, 2}));
  EXPECT_EQ(read_tensor(path), entries({3, 1}, {{0, 2}, {0, 0}}, {2, 1}));
  write_tensor(path, Coordinates({0, 5}));
  EXPECT_EQ(read_tensor(path), Coordinates({0, 5}));
  EXPECT_THROW(write_tensor(path, Coordinates({1, 2, 3})), report::Error);
}

TEST(Npz, ArchivesThatAreWrong) {
  Archives archives;
  const std::vector<std::pair<Members, std::string>> wrong = {
      {with(csr, "format", word("lil")), "`format` is `lil`, not csr, csc, bsr, coo or dia [bad-array-file]"},
      {with(csr, "indices", npy(std::vector<std::int32_t>{2, 0, 3})),
       "an index lies outside of the matrix [bad-array-file]"},
      {with(csr, "indices", npy(std::vector<std::int32_t>{2, -1, 1})),
       "an index lies outside of the matrix [bad-array-file]"},
      {with(csr, "indices", npy(std::vector<double>{2, 0, 1})),
       "the array `indices` is not a vector of integers [bad-array-file]"},
      {with(csr, "indptr", npy(std::vector<std::int32_t>{0, 4, 3})),
       "`indptr` doesn't rise from 0 to the number of indices [bad-array-file]"},
      {with(csr, "indptr", npy(std::vector<std::int32_t>{0, 3})),
       "`indptr` must have one element more than the matrix has rows, columns or block rows "
       "[bad-array-file]"},
      {with(csr, "data", npy(std::vector<double>{1, 2})),
       "`indices` and `data` differ in length [bad-array-file]"},
      {with(csr, "shape", npy(Integers{2, 3, 4})),
       "`shape` doesn't have one or two extents [bad-array-file]"},
      {with(csr, "shape", npy(Integers{-2, 3})), "`shape` doesn't have one or two extents [bad-array-file]"},
      {{{"format", word("csr")}, {"shape", npy(Integers{2, 3})}},
       "the archive has no array `indptr` [bad-array-file]"},
      {{{"a", npy(Integers{1})}, {"b", npy(Integers{1})}},
       "the archive has 2 arrays, and no `format`: it is neither a SciPy matrix nor a single array "
       "[bad-array-file]"},
      // The modes and the entries were told apart by their product alone.
      {{{"format", word("coo")},
        {"shape", npy(Integers{9, 9})},
        {"coords", npy(Integers{1, 1, 2, 0, 5, 6}, {3, 2})},
        {"data", npy(std::vector<double>{4, 5, 6})}},
       "`coords` must have a row for each mode, an index in it for each element of `data` [bad-array-file]"},
      // The elements of a block were counted modulo 2^64, and divided by.
      {{{"format", word("bsr")},
        {"shape", npy(Integers{4, 3})},
        {"indptr", npy(Integers{0})},
        {"indices", npy(Integers{})},
        {"data", npy(std::vector<double>{}, {0, std::int64_t{1} << 32, std::int64_t{1} << 32})}},
       "`indptr` must have one element more than the matrix has rows, columns or block rows "
       "[bad-array-file]"},
      {{{"format", word("bsr")},
        {"shape", npy(Integers{1, INT64_MAX})},
        {"indptr", npy(Integers{0, 1})},
        {"indices", npy(Integers{std::int64_t{1} << 62})},
        {"data", npy(std::vector<double>{1, 2, 3, 4}, {1, 1, 4})}},
       "an index lies outside of the matrix [bad-array-file]"},
      {with(csr, "data", "no array"), "this is not a .npy file [bad-array-file]"}};
  for (const auto &[members, message] : wrong)
    EXPECT_EQ(archives.refusal(members), message);
  TemporaryFolder folder;
  for (const std::string &content : {std::string("not an archive"), std::string()})
    EXPECT_THROW(read_tensor(folder.write("a.npz", content)), report::Error);
  EXPECT_THROW(read_tensor(folder.path("none.npz")), report::Error);
  const std::string path = archives.write(csr);
  ReadOptions little;
  little.max_memory = 64;
  EXPECT_THROW(read_npz(path, little), report::Error);
}

/// CSR has a number for each row.
TEST(Npz, RowsThatAreTooManyToBeWritten) {
  TemporaryFolder folder;
  Coordinates tensor({std::int64_t{1} << 59, 2});
  tensor.append({5, 1}, 2.5);
  try {
    write_npz(folder.path("a.npz"), tensor, value::Type::Float64);
    ADD_FAILURE() << "it was written";
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::memory_limit);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("a.npz")));
}

/// Members that aren't compressed have a checksum, too.
TEST(Npz, AMemberWithAnotherByte) {
  TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  write_npz(path, Array::of(std::vector<double>{1, 2, 3}));
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const double two = 2;
  const std::size_t at = content.find({reinterpret_cast<const char *>(&two), sizeof two});
  ASSERT_NE(at, std::string::npos);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(1);
  file.close();
  EXPECT_EQ(message_of(folder, [&] { read_tensor(path); }),
            "a.npz: error: the array `arr_0` can't be read: the archive is damaged [bad-array-file]\n");
}

} // namespace
} // namespace unravel::data
