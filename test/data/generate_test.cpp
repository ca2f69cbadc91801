#include "data/generate.h"

#include "data/random.h"
#include "data/temporary_folder.h"

#include <cmath>
#include <map>

namespace unravel::data {
namespace {

Coordinates make(std::string_view text) {
  return generate(parse_generator(text));
}

void check_entries(const Coordinates &tensor) {
  EXPECT_TRUE(is_sorted(tensor, natural_modes(tensor.order()), true)) << "sorted, no duplicates";
  for (std::size_t e = 0; e < tensor.size(); ++e)
    for (std::size_t mode = 0; mode < tensor.order(); ++mode) {
      ASSERT_GE(tensor.index[mode][e], 0);
      ASSERT_LT(tensor.index[mode][e], tensor.shape[mode]);
    }
}

TEST(Generate, RandomHasTheEntriesAskedFor) {
  struct Case {
    const char *text;
    std::size_t entries;
  };
  for (const Case &c : std::vector<Case>{{"random:1000x1000", 10000},
                                         {"random:1000x1000,density=0.001,seed=7", 1000},
                                         {"random:50x60,density=0.5", 1500},
                                         {"random:50x60,density=1", 3000},
                                         {"random:50x60,density=0", 0},
                                         {"random:100,density=0.25", 25},
                                         {"random:5x6x7x8,entries=100", 100},
                                         {"random:2000000000x2000000000,entries=1000", 1000},
                                         {"random:0x0,density=1", 0},
                                         {"ones:10x10", 100},
                                         {"ones:10x10,density=0.1", 10}}) {
    Coordinates tensor = make(c.text);
    EXPECT_EQ(tensor.size(), c.entries) << c.text;
    check_entries(tensor);
    for (double value : tensor.value) {
      ASSERT_GE(value, -1);
      ASSERT_LE(value, 1);
      ASSERT_GT(std::fabs(value), 0.0009);
    }
    EXPECT_EQ(make(c.text), tensor) << "the same again";
  }
  EXPECT_EQ(make("ones:3").value, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(make("zeros:3").value, (std::vector<double>{0, 0, 0}));
  const std::vector<double> integers = make("integers:200,density=1,most=3").value;
  EXPECT_EQ(std::set<double>(integers.begin(), integers.end()), (std::set<double>{1, 2, 3}));
  EXPECT_EQ(make("integers:9,density=1,most=1").value, std::vector<double>(9, 1));
  EXPECT_NE(make("random:30x30,seed=1"), make("random:30x30,seed=2"));
}

/// These numbers must be the same on every platform, for ever.
TEST(Generate, IsPinned) {
  Random random(1);
  EXPECT_EQ(random.next(), 0x910a2dec89025cc1u);
  Coordinates tensor = make("random:100x100,entries=3,seed=1");
  std::string text;
  for (std::size_t e = 0; e < 3; ++e) {
    char line[80];
    std::snprintf(line, sizeof line, "%d %d %.17g\n", static_cast<int>(tensor.index[0][e]),
                  static_cast<int>(tensor.index[1][e]), tensor.value[e]);
    text += line;
  }
  EXPECT_EQ(text, "56 65 0.8994215206365983\n74 57 0.45576722597954933\n97 10 0.63150244699301683\n");
}

/// Every subset must be equally likely, in both ways of choosing: 3 of 6 positions, and 1 or 2 of 40.
TEST(Generate, SamplesUniformly) {
  auto spread = [](const std::string &text, int trials, std::size_t subsets) {
    std::map<std::vector<std::int64_t>, int> counts;
    for (int seed = 0; seed < trials; ++seed)
      ++counts[make(text + ",seed=" + std::to_string(seed)).index[0]];
    EXPECT_EQ(counts.size(), subsets) << text;
    double expected = trials / static_cast<double>(subsets), chi = 0;
    for (const auto &[subset, count] : counts)
      chi += (count - expected) * (count - expected) / expected;
    double freedom = static_cast<double>(subsets) - 1;
    EXPECT_LT(chi, freedom + 5 * std::sqrt(2 * freedom)) << text;
  };
  spread("random:6,entries=3", 4000, 20);
  spread("random:40,entries=2", 20000, 780);
  spread("random:7,entries=1", 4000, 7);
}

TEST(Generate, PoissonIsTheStencil) {
  Coordinates two = make("poisson2d:3x4");
  EXPECT_EQ(two.shape, (std::vector<std::int64_t>{12, 12}));
  check_entries(two);
  std::vector<double> dense = to_dense(two);
  for (int a = 0; a < 12; ++a)
    for (int b = 0; b < 12; ++b) {
      int distance = std::abs(a / 4 - b / 4) + std::abs(a % 4 - b % 4);
      EXPECT_EQ(dense[static_cast<std::size_t>(a * 12 + b)], distance == 0 ? 4 : distance == 1 ? -1 : 0);
    }
  Coordinates three = make("poisson3d:3x2x4");
  check_entries(three);
  dense = to_dense(three);
  for (int a = 0; a < 24; ++a)
    for (int b = 0; b < 24; ++b) {
      int distance = std::abs(a / 8 - b / 8) + std::abs(a / 4 % 2 - b / 4 % 2) + std::abs(a % 4 - b % 4);
      EXPECT_EQ(dense[static_cast<std::size_t>(a * 24 + b)], distance == 0 ? 6 : distance == 1 ? -1 : 0);
    }
  EXPECT_EQ(make("poisson2d:0x4").size(), 0u);
}

TEST(Generate, FemIsSymmetricInBlocks) {
  for (const char *text : {"fem:90", "fem:91,seed=4", "fem:50,block=4", "fem:1", "fem:0", "fem:7,block=9"}) {
    Coordinates matrix = make(text);
    check_entries(matrix);
    std::int64_t size = matrix.shape[0];
    std::vector<double> dense = to_dense(matrix);
    for (std::int64_t a = 0; a < size; ++a)
      for (std::int64_t b = 0; b < size; ++b)
        ASSERT_EQ(dense[static_cast<std::size_t>(a * size + b)],
                  dense[static_cast<std::size_t>(b * size + a)]);
  }
  Coordinates matrix = make("fem:90");
  std::vector<int> seen(30 * 30);
  for (std::size_t e = 0; e < matrix.size(); ++e)
    ++seen[static_cast<std::size_t>(matrix.index[0][e] / 3 * 30 + matrix.index[1][e] / 3)];
  for (int count : seen)
    EXPECT_TRUE(count == 0 || count == 9) << "blocks are dense";
}

TEST(Generate, OtherMatrices) {
  Coordinates graph = make("rmat:scale=10,edges=4,seed=3");
  EXPECT_EQ(graph.shape, (std::vector<std::int64_t>{1024, 1024}));
  check_entries(graph);
  EXPECT_GT(graph.size(), 3000u);
  EXPECT_LE(graph.size(), 4096u);
  std::vector<int> degree(1024);
  for (std::int64_t row : graph.index[0])
    ++degree[static_cast<std::size_t>(row)];
  EXPECT_GT(*std::max_element(degree.begin(), degree.end()), 40) << "a power law has hubs";

  Coordinates band = make("banded:20x30,width=2");
  check_entries(band);
  std::size_t expected = 0;
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 30; ++j)
      expected += std::abs(i - j) <= 2;
  EXPECT_EQ(band.size(), expected);
  EXPECT_EQ(make("banded:30x4,width=9223372036854775807").size(), 120u);
  EXPECT_EQ(make("banded:5,width=0").size(), 5u);

  Coordinates sparse = make("hypersparse:1000000,rows=50,edges=4,seed=2");
  check_entries(sparse);
  EXPECT_EQ(sparse.size(), 200u);
  std::map<std::int64_t, int> rows;
  for (std::int64_t row : sparse.index[0])
    ++rows[row];
  EXPECT_EQ(rows.size(), 50u);
}

TEST(Generate, SizesMayComeFromTheCaller) {
  for (const char *text :
       {"random", "random,density=0.5", "ones", "zeros", "integers", "fem,block=2", "banded,width=3"}) {
    GeneratorSpec spec = parse_generator(text);
    EXPECT_FALSE(spec.sizes.has_value());
    spec.sizes = std::vector<std::int64_t>{20, 20};
    EXPECT_EQ(generated_shape(spec), (std::vector<std::int64_t>{20, 20}));
    check_entries(generate(spec));
  }
  GeneratorSpec scalar = parse_generator("random,density=1");
  scalar.sizes.emplace();
  EXPECT_EQ(generate(scalar).size(), 1u);
}

TEST(Generate, IsToldFromAFileName) {
  for (const char *text : {"random", "random:3", "ones,seed=1", "poisson2d:3x3", "rmat:scale=3"})
    EXPECT_TRUE(is_generator(text)) << text;
  for (const char *text : {"", "random.mtx", "a.mtx", "randomly:3", "./random"})
    EXPECT_FALSE(is_generator(text)) << text;
}

TEST(Generate, BadSpecs) {
  TemporaryFolder folder;
  struct Case {
    const char *text;
    const char *message;
  };
  for (
      const Case &c : std::vector<Case>{
          {"random:10x",
           R"(generator:1:11: error: expected a size, found nothing [bad-generator]
  1 | random:10x
    |           ^
  hint: such as random:1000x1000,density=0.01,seed=1
)"},
          {"randon:10",
           R"(generator:1:1: error: unknown generator `randon` [bad-generator]
  1 | randon:10
    | ^~~~~~
  hint: did you mean `random`?
)"},
          {"random:10x10,densty=0.1",
           R"(generator:1:14: error: `random` has no option `densty` [bad-generator]
  1 | random:10x10,densty=0.1
    |              ^~~~~~
  hint: did you mean `density`?
)"},
          {"random:10,density=2",
           R"(generator:1:19: error: expected a density from 0 to 1, found `2` [bad-generator]
  1 | random:10,density=2
    |                   ^
)"},
          {"random:10,density=x",
           R"(generator:1:19: error: expected a density from 0 to 1, found `x` [bad-generator]
  1 | random:10,density=x
    |                   ^
)"},
          {"random:10,seed",
           R"(generator:1:11: error: expected `seed=` and a value [bad-generator]
  1 | random:10,seed
    |           ^~~~
)"},
          {"random:10,seed=1,seed=2",
           R"(generator:1:18: error: `seed` is given twice [bad-generator]
  1 | random:10,seed=1,seed=2
    |                  ^~~~~~
)"},
          {"random:10,seed=-1",
           R"(generator:1:16: error: expected a number, found `-1` [bad-generator]
  1 | random:10,seed=-1
    |                ^~
  hint: such as random:1000x1000,density=0.01,seed=1
)"},
          {"random:10,seed=99999999999999999999",
           R"(generator:1:16: error: the number `99999999999999999999` is beyond 2^63 - 1 [number-too-large]
  1 | random:10,seed=99999999999999999999
    |                ^~~~~~~~~~~~~~~~~~~~
)"},
          {"random:10,density=0.1,entries=3",
           R"(generator:1:1: error: `density` and `entries` can't both be given [bad-generator]
  1 | random:10,density=0.1,entries=3
    | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
)"},
          {"random:10,entries=11",
           R"(generator:1:1: error: 11 entries don't fit in a tensor of 10 positions [bad-generator]
  1 | random:10,entries=11
    | ^~~~~~~~~~~~~~~~~~~~
)"},
          {"random:",
           R"(generator:1:8: error: expected a size, found nothing [bad-generator]
  1 | random:
    |        ^
  hint: such as random:1000x1000,density=0.01,seed=1
)"},
          {"random",
           R"(generator:1:1: error: `random` needs its sizes [bad-generator]
  1 | random
    | ^~~~~~
  hint: write them after a colon, such as random:1000
)"},
          {"poisson2d:10",
           R"(generator:1:11: error: `poisson2d` takes 2 sizes, found 1 [bad-generator]
  1 | poisson2d:10
    |           ^~
)"},
          {"poisson2d",
           R"(generator:1:1: error: `poisson2d` needs its sizes [bad-generator]
  1 | poisson2d
    | ^~~~~~~~~
  hint: write them after a colon, such as poisson2d:100x100
)"},
          {"poisson3d:3x3x3,seed=1",
           R"(generator:1:17: error: `poisson3d` has no option `seed` [bad-generator]
  1 | poisson3d:3x3x3,seed=1
    |                 ^~~~
  hint: it has no options
)"},
          {"poisson3d",
           R"(generator:1:1: error: `poisson3d` needs its sizes [bad-generator]
  1 | poisson3d
    | ^~~~~~~~~
  hint: write them after a colon, such as poisson3d:20x20x20
)"},
          {"fem:3x4",
           R"(generator:1:1: error: `fem` makes a square matrix, not 3 x 4 [bad-generator]
  1 | fem:3x4
    | ^~~~~~~
)"},
          {"fem:10,block=0",
           R"(generator:1:14: error: `block` must be at least 1 [bad-generator]
  1 | fem:10,block=0
    |              ^
)"},
          {"rmat:12",
           R"(generator:1:6: error: `rmat` has no option `12` [bad-generator]
  1 | rmat:12
    |      ^~
  hint: its options are `scale`, `edges`, `seed`
)"},
          {"rmat:scale=41",
           R"(generator:1:12: error: `scale` must be at most 40 [bad-generator]
  1 | rmat:scale=41
    |            ^~
)"},
          {"banded:3x3x3",
           R"(generator:1:8: error: `banded` takes 1 to 2 sizes, found 3 [bad-generator]
  1 | banded:3x3x3
    |        ^~~~~
)"},
          {"hypersparse:10,rows=11",
           R"(generator:1:1: error: a matrix of 10 rows has no 11 rows with entries [bad-generator]
  1 | hypersparse:10,rows=11
    | ^~~~~~~~~~~~~~~~~~~~~~
)"},
          {"random:4294967296x4294967296",
           R"(generator:1:1: error: the tensor has more than 2^63 - 1 positions [number-too-large]
  1 | random:4294967296x4294967296
    | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
)"},
          {"random:1000000000x1000000000,density=1",
           R"(generator:1:1: error: the tensor takes 8.389e+06 TiB, more than the 953.7 MiB allowed [memory-limit]
  1 | random:1000000000x1000000000,density=1
    | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: raise the limit with --max-memory
)"},
          {"poisson2d:4294967296x4294967296",
           R"(generator:1:1: error: the grid has more than 2^63 - 1 points [number-too-large]
  1 | poisson2d:4294967296x4294967296
    | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
)"},
          {"frob:3",
           R"(generator:1:1: error: unknown generator `frob` [bad-generator]
  1 | frob:3
    | ^~~~
  hint: generators are `random`, `ones`, `zeros`, `integers`, `poisson2d`, `poisson3d`, `fem`, `rmat`, `banded`, `hypersparse`
)"},

      })
    EXPECT_EQ(message_of(folder, [&] { generate(parse_generator(c.text), 1000000000); }), c.message)
        << c.text;
}

TEST(Generate, MessagesNameTheText) {
  TemporaryFolder folder;
  EXPECT_EQ(message_of(folder, [&] { parse_generator("random:3xq", "-i A"); }),
            "-i A:1:10: error: expected a size, found `q` [bad-generator]\n"
            "  1 | random:3xq\n"
            "    |          ^\n"
            "  hint: such as random:1000x1000,density=0.01,seed=1\n");
}

} // namespace
} // namespace unravel::data
