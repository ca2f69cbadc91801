#include "data/tensor_file.h"

#include "data/matrix_market.h"
#include "data/npy.h"
#include "data/temporary_folder.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

namespace unravel::data {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Coordinates read_text(const std::string &name, const std::string &content) {
  TemporaryFolder folder;
  return read_tensor(folder.write(name, content));
}

Coordinates made(std::vector<std::int64_t> shape,
                 std::vector<std::pair<std::vector<std::int64_t>, double>> entries) {
  Coordinates result(std::move(shape));
  for (const auto &[coordinate, value] : entries)
    result.append(coordinate, value);
  return result;
}

std::string content_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(MatrixMarket, CoordinateForms) {
  EXPECT_EQ(
      read_text("a.mtx",
                "%%MatrixMarket matrix coordinate real general\n% comment\n\n2 3 2\n1 3 .5\n2 1 -2e3\n"),
      made({2, 3}, {{{0, 2}, .5}, {{1, 0}, -2000}}));
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 3 +7\n2 1 -8\n"),
            made({2, 3}, {{{0, 2}, 7}, {{1, 0}, -8}}));
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n"),
            made({2, 3}, {{{0, 2}, 1}, {{1, 0}, 1}}));
  EXPECT_EQ(read_text("a.mtx", "%%matrixmarket MATRIX Coordinate Double General\n1 1 1\n1 1 1"),
            made({1, 1}, {{{0, 0}, 1}}));
}

TEST(MatrixMarket, Symmetry) {
  EXPECT_EQ(
      read_text("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 5\n2 1 6\n3 2 7\n"),
      made({3, 3}, {{{0, 0}, 5}, {{1, 0}, 6}, {{2, 1}, 7}, {{0, 1}, 6}, {{1, 2}, 7}}));
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n"),
            made({2, 2}, {{{0, 0}, 1}, {{1, 0}, 1}, {{0, 1}, 1}}));
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 6\n3 3 0\n"),
            made({3, 3}, {{{1, 0}, 6}, {{2, 2}, 0}, {{0, 1}, -6}}));
}

TEST(MatrixMarket, Complex) {
  Coordinates general({2, 3});
  general.append({0, 2}, 1.5, -2);
  general.append({1, 0}, 3);
  EXPECT_EQ(
      read_text("a.mtx", "%%MatrixMarket matrix coordinate complex general\n2 3 2\n1 3 1.5 -2\n2 1 3 0\n"),
      general);
  const auto both = [](const std::string &symmetry) {
    const Coordinates read =
        read_text("a.mtx", "%%MatrixMarket matrix coordinate complex " + symmetry + "\n2 2 1\n2 1 5 7\n");
    return std::pair(read.value, read.imaginary);
  };
  using Parts = std::vector<double>;
  EXPECT_EQ(both("symmetric"), std::pair(Parts({5, 5}), Parts({7, 7})));
  EXPECT_EQ(both("skew-symmetric"), std::pair(Parts({5, -5}), Parts({7, -7})));
  EXPECT_EQ(both("hermitian"), std::pair(Parts({5, 5}), Parts({7, -7})));
  const Coordinates dense =
      read_text("a.mtx", "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n");
  EXPECT_EQ(to_dense(dense), (Parts{1, 2, 2, 4}));
  EXPECT_EQ(to_dense(imaginary_part(dense)), (Parts{0, -3, 3, 0}));
}

TEST(MatrixMarket, ArrayForms) {
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n3\n4\n"),
            made({2, 2}, {{{0, 0}, 1}, {{1, 0}, 0}, {{0, 1}, 3}, {{1, 1}, 4}}));
  EXPECT_EQ(
      to_dense(read_text("a.mtx", "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n")),
      (std::vector<double>{1, 2, 3, 2, 4, 5, 3, 5, 6}));
  EXPECT_EQ(to_dense(read_text("a.mtx", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n2\n3\n5\n")),
            (std::vector<double>{0, -2, -3, 2, 0, -5, 3, 5, 0}));
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix array real general\n0 7\n"), Coordinates({0, 7}));
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix array real skew-symmetric\n1 1\n"),
            Coordinates({1, 1}));
}

TEST(MatrixMarket, ArraysOfSeveralChunks) {
  for (const char *symmetry : {"general", "symmetric", "skew-symmetric"}) {
    std::string kind = symmetry, text = "%%MatrixMarket matrix array real " + kind + "\n700 700\n";
    std::vector<double> expected(700 * 700);
    for (int column = 0; column < 700; ++column)
      for (int row = kind == "general" ? 0 : kind == "symmetric" ? column : column + 1; row < 700; ++row) {
        double value = row * 1000 + column + 0.125;
        text += std::to_string(value) + "\n";
        expected[static_cast<std::size_t>(row * 700 + column)] = value;
        if (kind == "symmetric") expected[static_cast<std::size_t>(column * 700 + row)] = value;
        if (kind == "skew-symmetric") expected[static_cast<std::size_t>(column * 700 + row)] = -value;
      }
    ASSERT_GT(text.size(), std::size_t{2} << 20) << "more than one chunk";
    EXPECT_EQ(to_dense(read_text("a.mtx", text)), expected) << symmetry;
  }
}

TEST(MatrixMarket, AsFoundInTheWild) {
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix coordinate real general\r\n%\r\n \t2 2  2 \r\n\r\n"
                               "  1\t1   1.5  \r\n% within\r\n2 2 2\r\n\r\n   "),
            made({2, 2}, {{{0, 0}, 1.5}, {{1, 1}, 2}}));
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n"),
            Coordinates({0, 0}));
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0"), Coordinates({0, 0}));
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix coordinate real general\n5 4 0\n\n"),
            Coordinates({5, 4}));
  EXPECT_EQ(read_text("a.mtx", "\xEF\xBB\xBF%%MatrixMarket matrix coordinate real general\n5 4 0\n"),
            Coordinates({5, 4}));
  EXPECT_EQ(read_text("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n0 0 0\n"),
            Coordinates({0, 0}));
}

/// Each form of a number gives exactly the double that the C library gives.
TEST(MatrixMarket, NumbersAreExact) {
  std::vector<std::string> forms = {"0",
                                    "-0",
                                    "1",
                                    "1.",
                                    ".1",
                                    "0.1",
                                    "1e5",
                                    "1E+5",
                                    "-1.25e-3",
                                    "1e22",
                                    "1e23",
                                    "1e-22",
                                    "1e-23",
                                    "3e-5000",
                                    "1e-400",
                                    "4.9e-324",
                                    "1.7976931348623157e308",
                                    "123456789012345678",
                                    "0.1234567890123456789",
                                    "9007199254740993",
                                    "00001.50",
                                    "+2.5",
                                    "0e99999",
                                    "1e0000000000000000005",
                                    "0.000000000000000000000000000001"};
  std::mt19937_64 random(1);
  for (int k = 0; k < 2000; ++k) {
    char text[64];
    std::snprintf(text, sizeof text, k % 2 ? "%.*g" : "%.*e", static_cast<int>(random() % 20),
                  std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                             static_cast<int>(random() % 200) - 160));
    forms.push_back(text);
  }
  std::string text;
  for (const std::string &form : forms)
    text += "1 " + form + "\n";
  Coordinates read = read_text("a.tns", text);
  ASSERT_EQ(read.size(), forms.size());
  for (std::size_t k = 0; k < forms.size(); ++k) {
    double expected = std::strtod(forms[k].c_str(), nullptr);
    EXPECT_EQ(read.value[k], expected) << forms[k];
    EXPECT_EQ(std::signbit(read.value[k]), std::signbit(expected)) << forms[k];
  }
  Coordinates special = read_text("a.tns", "1 nan\n1 inf\n1 -INF\n1 NaN\n1 Infinity\n");
  EXPECT_TRUE(std::isnan(special.value[0]) && std::isnan(special.value[3]));
  EXPECT_EQ(special.value[1], infinity);
  EXPECT_EQ(special.value[2], -infinity);
  EXPECT_EQ(special.value[4], infinity);
}

TEST(Frostt, Reads) {
  EXPECT_EQ(read_text("a.tns", "# one\n2 1 3 0.5\n\n# two\n 1 1 1\t2\r\n"),
            made({2, 1, 3}, {{{1, 0, 2}, .5}, {{0, 0, 0}, 2}}));
  EXPECT_EQ(read_text("a.tns", "4 0.5\n"), made({4}, {{{3}, .5}}));
  EXPECT_EQ(read_text("a.tns", "# title\n# shape: 9 8\n2 1 0.5\n"), made({9, 8}, {{{1, 0}, .5}}));
  EXPECT_EQ(read_text("a.tns", "# shape: 0 8\n"), Coordinates({0, 8}));
  EXPECT_EQ(read_text("a.tns", "\r\n  # shape: 9 8\r\n2 1 0.5\r\n"), made({9, 8}, {{{1, 0}, .5}}));
  EXPECT_EQ(read_text("a.tns", "\xEF\xBB\xBF# shape: 9 8\n2 1 0.5\n"), made({9, 8}, {{{1, 0}, .5}}));
  EXPECT_EQ(read_text("a.tns", "# shape:\n3.5\n"), made({}, {{{}, 3.5}}));
}

TEST(TensorFile, RoundTrips) {
  TemporaryFolder folder;
  std::mt19937_64 random(2);
  for (std::vector<std::int64_t> shape :
       {std::vector<std::int64_t>{}, {5}, {0}, {7, 9}, {0, 0}, {3, 0}, {4, 5, 6}, {2, 3, 4, 5}})
    for (const char *suffix : {".mtx", ".mtx.gz", ".tns", ".tns.gz"}) {
      if (shape.size() > 2 && std::string(suffix).starts_with(".mtx")) continue;
      Coordinates tensor(shape);
      for (int e = 0; e < 50 && element_count(shape) > 0; ++e) {
        std::vector<std::int64_t> coordinate;
        for (std::int64_t extent : shape)
          coordinate.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent)));
        tensor.append(coordinate,
                      std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 100) - 90));
      }
      std::string path = folder.path(std::string("a") + suffix);
      write_tensor(path, tensor);
      Coordinates read = read_tensor(path);
      std::size_t order = std::string(suffix).starts_with(".mtx") ? shape.size() : read.order();
      EXPECT_EQ(with_order(read, order), tensor) << path << " of order " << shape.size();
      bool packed = content_of(path).starts_with("\x1f\x8b");
      EXPECT_EQ(packed, path.ends_with(".gz"));
    }
  EXPECT_EQ(folder.file_count(), 4u) << "no temporary file remains";
}

TEST(TensorFile, arrays_of_numpy_and_text) {
  TemporaryFolder folder;
  const std::vector<double> values{1, 0, -2.5, 4, 5, 6};
  write_dense(folder.path("a.npy"), from_dense({2, 3}, values));
  EXPECT_EQ(read_tensor(folder.path("a.npy")), from_dense({2, 3}, values));
  EXPECT_EQ(read_npy(folder.path("a.npy")).shape, (std::vector<std::int64_t>{2, 3}));
  write_dense(folder.path("b.npy"), from_dense({3}, {1, 0, 7}), {.type = value::Type::Int16});
  EXPECT_EQ(read_npy(folder.path("b.npy")), Array::of(std::vector<std::int16_t>{1, 0, 7}));
  write_tensor(folder.path("c.npy"), made({3}, {{{1}, 4}}), {.fill = infinity});
  EXPECT_EQ(read_npy(folder.path("c.npy")), Array::of(std::vector<double>{infinity, 4, infinity}));
  EXPECT_EQ(to_dense(read_text("d.npy", content_of(folder.path("b.npy")))), (std::vector<double>{1, 0, 7}));

  write_dense(folder.path("a.txt"), from_dense({2, 3}, values));
  EXPECT_EQ(content_of(folder.path("a.txt")), "1 0 -2.5\n4 5 6\n");
  write_tensor(folder.path("b.txt"), made({2}, {{{1}, 0.1f}}), {.type = value::Type::Float32});
  EXPECT_EQ(content_of(folder.path("b.txt")), "0\n0.1\n");
  write_dense(folder.path("c.txt"), from_dense({}, {3}));
  EXPECT_EQ(content_of(folder.path("c.txt")), "3\n");
  write_dense(folder.path("d.txt"), from_dense({0, 4}, {}));
  EXPECT_EQ(content_of(folder.path("d.txt")), "");
  EXPECT_THROW(read_tensor(folder.path("a.txt")), report::Error);
  EXPECT_THROW(write_tensor(folder.path("e.npy"), Coordinates({INT64_MAX / 2, 4})), report::Error);
}

TEST(TensorFile, complex_numbers) {
  TemporaryFolder folder;
  Coordinates matrix({2, 2});
  matrix.append({0, 1}, 0.5, -0.25);
  matrix.append({1, 0}, 4, 3);
  for (const value::Type type : {value::Type::Complex64, value::Type::Complex128})
    for (const char *name : {"a.mtx", "a.mtx.gz", "a.npz", "a.npy"}) {
      const std::string path = folder.path(name);
      write_tensor(path, matrix, {.type = type});
      const Coordinates read = read_tensor(path);
      EXPECT_EQ(to_dense(read), to_dense(matrix)) << name;
      EXPECT_EQ(to_dense(imaginary_part(read)), to_dense(imaginary_part(matrix))) << name;
      const bool is_text = std::string(name).find("mtx") != std::string::npos;
      EXPECT_EQ(type_in(path), is_text ? value::Type::Complex128 : type) << name;
    }
  write_tensor(folder.path("b.mtx"), matrix, {.type = value::Type::Complex128});
  EXPECT_EQ(content_of(folder.path("b.mtx")),
            "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 2 0.5 -0.25\n2 1 4 3\n");
  write_tensor(folder.path("b.txt"), matrix, {.type = value::Type::Complex64});
  EXPECT_EQ(content_of(folder.path("b.txt")), "0+0j 0.5-0.25j\n4+3j 0+0j\n");
  EXPECT_THROW(write_tensor(folder.path("b.tns"), matrix, {.type = value::Type::Complex128}), report::Error);
  write_tensor(folder.path("c.mtx"), made({2, 2}, {{{0, 0}, 1}}));
  write_dense(folder.path("c.npy"), from_dense({2}, {1, 2}));
  for (const char *name : {"c.mtx", "none.mtx", "none.npz"})
    EXPECT_EQ(type_in(folder.path(name)), std::nullopt) << name;
  EXPECT_EQ(type_in(folder.path("c.npy")), value::Type::Float64);
}

TEST(TensorFile, Integers) {
  TemporaryFolder folder;
  const std::vector<std::int64_t> numbers{INT64_MIN, INT64_MAX, (std::int64_t{1} << 53) + 1, -7};
  for (const value::Type type : {value::Type::Int64, value::Type::UInt64, value::Type::Int8})
    for (const char *name : {"a.mtx", "a.mtx.gz", "a.npz", "a.npy"})
      for (const bool is_large : {false, true}) {
        const bool is_wide = value::is_wide_integer(type);
        if (is_large && !is_wide) continue;
        Coordinates matrix({2, 2});
        std::vector<double> low, high;
        for (std::size_t e = 0; e < 4; ++e) {
          matrix.append({static_cast<std::int64_t>(e / 2), static_cast<std::int64_t>(e % 2)}, 0);
          const std::complex<double> halves =
              value::halves_of({type, 0, is_large ? numbers[e] : static_cast<std::int64_t>(e)});
          low.push_back(halves.real()), high.push_back(halves.imag());
        }
        take_halves(matrix, low, high);
        EXPECT_EQ(matrix.in_halves, is_large);
        const std::string path = folder.path(name);
        write_tensor(path, matrix, {.type = type});
        ReadOptions options;
        options.exact_integers = true;
        EXPECT_EQ(read_tensor(path, options), matrix) << name;
        const bool is_text = std::string(name).find("mtx") != std::string::npos;
        EXPECT_EQ(type_in(path), is_text ? value::Type::Int64 : type) << name;
        if (is_large) {
          EXPECT_THROW(read_tensor(path), report::Error) << name;
        }
      }
  write_tensor(folder.path("b.mtx"), made({2, 2}, {{{0, 1}, 5}, {{1, 0}, -3}}), {.type = value::Type::Int16});
  EXPECT_EQ(content_of(folder.path("b.mtx")),
            "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 5\n2 1 -3\n");
  Coordinates wide({1});
  wide.append({0}, 1, 0x1p30);
  wide.in_halves = true;
  EXPECT_THROW(write_tensor(folder.path("b.tns"), wide, {.type = value::Type::Int64}), report::Error);
}

TEST(TensorFile, WritesShortestNumbers) {
  TemporaryFolder folder;
  Coordinates matrix = made({2, 2}, {{{0, 0}, 0.1}, {{1, 1}, 1e300}, {{0, 1}, -infinity}, {{1, 0}, 5}});
  write_tensor(folder.path("a.mtx"), matrix, {.comments = {"made by a test"}});
  EXPECT_EQ(content_of(folder.path("a.mtx")),
            "%%MatrixMarket matrix coordinate real general\n% made by a test\n2 2 4\n"
            "1 1 0.1\n2 2 1e+300\n1 2 -inf\n2 1 5\n");
  write_tensor(folder.path("a.tns"), made({2}, {{{0}, 0.1f}}), {.type = value::Type::Float32});
  EXPECT_EQ(content_of(folder.path("a.tns")), "# shape: 2\n1 0.1\n");
  write_dense(folder.path("b.mtx"), from_dense({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(content_of(folder.path("b.mtx")), "%%MatrixMarket matrix array real general\n2 2\n1\n3\n2\n4\n");
  write_dense(folder.path("b.tns"), from_dense({2, 1, 1}, {1, 2}));
  EXPECT_EQ(content_of(folder.path("b.tns")), "# shape: 2 1 1\n1 1 1 1\n2 1 1 2\n");
  write_dense(folder.path("c.mtx"), from_dense({}, {2.5}));
  EXPECT_EQ(content_of(folder.path("c.mtx")), "%%MatrixMarket matrix array real general\n1 1\n2.5\n");
}

TEST(TensorFile, OverwritesThroughLinksAndKeepsTheOldOneUntilDone) {
  TemporaryFolder folder;
  folder.write("real.mtx", "old");
  std::filesystem::create_symlink(folder.path("real.mtx"), folder.path("link.mtx"));
  write_tensor(folder.path("link.mtx"), Coordinates({1, 1}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link.mtx")));
  EXPECT_EQ(read_tensor(folder.path("real.mtx")), Coordinates({1, 1}));
  EXPECT_EQ(folder.file_count(), 2u);
}

TEST(TensorFile, GzipIsToldByItsBytes) {
  TemporaryFolder folder;
  Coordinates matrix = made({2, 2}, {{{0, 1}, 3}});
  write_tensor(folder.path("a.mtx.gz"), matrix);
  std::string packed = content_of(folder.path("a.mtx.gz"));
  EXPECT_EQ(read_tensor(folder.write("b.mtx", packed)), matrix);
  EXPECT_EQ(
      read_tensor(folder.write("c.mtx.gz", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\n")),
      matrix);
  // Two members, as `cat a.gz b.gz` makes, and padding.
  write_tensor(folder.path("tail.tns.gz"), made({1}, {{{0}, 4}}));
  write_tensor(folder.path("head.tns.gz"), made({1}, {{{0}, 3}}));
  std::string both = content_of(folder.path("head.tns.gz")) + content_of(folder.path("tail.tns.gz"));
  EXPECT_EQ(read_tensor(folder.write("both.tns.gz", both + std::string(100, '\0'))),
            made({1}, {{{0}, 3}, {{0}, 4}}));
}

TEST(TensorFile, ReportsProgress) {
  TemporaryFolder folder;
  std::string text = "%%MatrixMarket matrix coordinate real general\n9 9 300000\n";
  for (int e = 0; e < 300000; ++e)
    text += "1 1 0.1234567890123456789\n";
  std::string path = folder.write("a.mtx", text);
  std::vector<double> fractions;
  std::thread::id thread = std::this_thread::get_id();
  ReadOptions options;
  options.progress = [&](double fraction) {
    EXPECT_EQ(std::this_thread::get_id(), thread);
    fractions.push_back(fraction);
  };
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(read_tensor(path, options).size(), 300000u);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ASSERT_FALSE(fractions.empty());
  EXPECT_LE(static_cast<double>(fractions.size()), 2 + seconds * 10);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1);
}

TEST(TensorFile, RealFiles) {
  if (!std::filesystem::exists(data_folder())) GTEST_SKIP() << "no real data at " << data_folder();
  struct Facts {
    const char *name;
    std::vector<std::int64_t> shape;
    std::size_t entries;
  };
  for (const Facts &facts : std::vector<Facts>{{"LFAT5_hypersparse.mtx", {2000, 2000}, 46},
                                               {"west0067.mtx", {67, 67}, 294},
                                               {"e05r0500.mtx", {236, 236}, 5856},
                                               {"orsreg_1.mtx", {2205, 2205}, 14133},
                                               {"lp_80bau3b.mtx", {2262, 9799}, 21002},
                                               {"add32.mtx", {4960, 4960}, 23884},
                                               {"dnn_n1024_l1.mtx", {1024, 1024}, 32768},
                                               {"ldg_diffusion.mtx", {966, 966}, 35338},
                                               {"Franz6_id1959_aug.mtx", {10592, 3016}, 48472},
                                               {"mbeacxc.mtx.gz", {496, 496}, 49920},
                                               {"luxembourg_osm.mtx.gz", {114599, 114599}, 239332},
                                               {"memplus.mtx.gz", {17758, 17758}, 126150},
                                               {"bcsstk16.mtx.gz", {4884, 4884}, 290378},
                                               {"email-Enron.mtx.gz", {36692, 36692}, 367662},
                                               {"visium_counts.mtx.gz", {19465, 2898}, 1069459},
                                               {"splatt_small.tns", {2, 3, 2}, 6},
                                               {"kg_jf17k_5d.tns", {23, 6536, 6519, 6523, 6533}, 9509},
                                               {"splatt_med3.tns.gz", {2425, 10816, 29567}, 100000},
                                               {"yago_srot.tns.gz", {10619, 10, 10623, 178}, 161540},
                                               {"fb15k237.tns.gz", {14504, 237, 14505}, 272115}}) {
    std::filesystem::path path = data_folder() / facts.name;
    if (!std::filesystem::exists(path)) continue;
    Coordinates tensor = read_tensor(path.string());
    EXPECT_EQ(tensor.shape, facts.shape) << facts.name;
    EXPECT_EQ(tensor.size(), facts.entries) << facts.name;
    sort(tensor, natural_modes(tensor.order()));
    EXPECT_TRUE(is_sorted(tensor, natural_modes(tensor.order()), true)) << facts.name << " has no duplicates";
  }
}

} // namespace
} // namespace unravel::data
