// Tilings on data: what is counted in a run against what is enumerated of the iteration space.
#include "run/tiling.h"

#include "convert/pack.h"
#include "golden.h"
#include "loop/interpret.h"
#include "report/diagnostic.h"
#include "run/problem.h"
#include "tensor/enumeration.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::run;
using namespace unravel::run::test;

namespace {

using Tensors = std::map<std::string, tensor::Tensor>;
using Point = std::map<std::string, std::int64_t>; // a value of each variable

/// A computation that is compiled, with random data.
struct Case {
  pipeline::Compilation compilation;
  Tensors tensors;
};

Case make_case(const Problem &problem, const std::map<std::string, std::int64_t> &extents, double density,
               std::mt19937_64 &random) {
  pipeline::Request request = problem.request();
  request.untiled_for_one_tile = false;
  Case made{pipeline::compile(request), {}};
  Sizes sizes{extents, 0};
  for (const compute::TensorUse &use : made.compilation.computation.tensors) {
    std::vector<std::int64_t> shape = shape_of(made.compilation.computation, use.name, sizes).value();
    data::Coordinates entries(shape);
    if (!use.is_result) entries = random_tensor(shape, density, false, random);
    made.tensors.emplace(use.name, convert::pack(made.compilation.layouts.at(use.name), entries));
  }
  return made;
}

/// The data of all tensors as those of one, with qualified names.
tensor::Tensor together(const Case &of) {
  tensor::Tensor all;
  for (const auto &[name, each] : of.tensors) {
    for (const auto &[size, value] : each.sizes)
      all.sizes[name + "." + size] = value;
    for (const auto &[count, value] : each.counts)
      all.counts[name + "." + count] = value;
    for (const layout::Array &array : each.layout.arrays) {
      layout::Array qualified = array;
      qualified.name = name + "." + array.name;
      qualified.extents = of.compilation.combination.arrays.at(qualified.name);
      all.arrays[qualified.name] = each.array(array.name);
      all.layout.arrays.push_back(std::move(qualified));
    }
  }
  return all;
}

/// All points of an iteration space, by nested loops over its relation alone.
std::vector<Point> points_of(const combine::IterationSpace &space, const tensor::Tensor &data) {
  std::vector<std::string> variables = space.variables();
  tensor::Enumeration enumeration(data, variables, space.relation);
  EXPECT_FALSE(enumeration.unbounded()) << *enumeration.unbounded();
  std::vector<Point> points;
  tensor::Enumeration::Trouble trouble;
  auto end = enumeration.run(
      [&](const std::int64_t *values) {
        Point point;
        for (std::size_t k = 0; k < variables.size(); ++k)
          point[variables[k]] = values[k];
        points.push_back(std::move(point));
        return true;
      },
      1 << 24, trouble);
  EXPECT_EQ(end, tensor::Enumeration::End::Complete);
  return points;
}

/// Different values of these variables among the points.
std::size_t different(const std::vector<Point> &points, const std::vector<std::string> &variables) {
  std::set<std::vector<std::int64_t>> values;
  for (const Point &point : points) {
    std::vector<std::int64_t> one;
    for (const std::string &variable : variables)
      one.push_back(point.at(variable));
    values.insert(one);
  }
  return values.size();
}

/// Every number of a run that the points alone decide.
void check_counts(const Case &of, const Tiling &tiling, const std::string &about) {
  SCOPED_TRACE(about);
  ASSERT_TRUE(tiling.counts);
  ASSERT_EQ(tiling.leaves.size(), 1u);
  std::vector<Point> points = points_of(of.compilation.combination.leaves[0], together(of));
  EXPECT_EQ(tiling.counts->points, static_cast<std::int64_t>(points.size()));
  std::vector<std::string> tiles;
  for (const TileLoop &tile : tiling.tiles) {
    tiles.push_back(tile.variable);
    EXPECT_EQ(tile.with_points, static_cast<std::int64_t>(different(points, {tile.variable})))
        << tile.variable;
    EXPECT_GE(tile.exist, tile.with_points);
    EXPECT_GE(tile.iterations.all, tile.iterations.with_points);
  }
  EXPECT_EQ(tiling.counts->nest.with_points,
            tiles.empty() ? 0 : static_cast<std::int64_t>(different(points, tiles)));
  std::vector<std::string> prefix;
  for (const TilingLevel &level : tiling.leaves[0].levels) {
    prefix.push_back(level.variable);
    for (const LoopRun &loop : tiling.counts->loops)
      if (loop.variable == level.variable) {
        EXPECT_EQ(loop.iterations.with_points, static_cast<std::int64_t>(different(points, prefix)))
            << loop.variable;
      }
  }
}

const std::vector<std::string> schedules = {"tile j by 3",
                                            "tile i by 2, j by 4",
                                            "split j by 2",
                                            "split i by 3; tile j by 2",
                                            "tile i by 2; tile i.tile by 2",
                                            "tile j by 4; split j.tile by 2",
                                            "skew j by 1*i; tile j.skew by 3",
                                            "shift j by 2; tile j.shift by 4; tile i by 3"};

TEST(Tiling, CoordinatesOfEveryKindOfLayout) {
  std::mt19937_64 random(7);
  for (const char *layout : {"csr", "csc", "dcsr", "bcsr<2,3>", "dense", "dia", "coo", "ell"})
    for (const std::string &schedule : schedules)
      for (const char *expression : {"y(i) = A(i,j) * x(j)", "Y(i,r) = A(i,j) * B(j,r)"}) {
        Problem problem{expression, {{"A", layout}}, {schedule}, {}};
        SCOPED_TRACE(problem.text());
        double density = 0.05 + 0.3 * static_cast<double>(random() % 3);
        Case one = make_case(problem, {{"i", 5 + random() % 4}, {"j", 7}, {"r", 3}}, density, random);
        check_counts(one, count_tiling(one.compilation, one.tensors, 1 << 30), problem.text());
      }
}

TEST(Tiling, Positions) {
  std::mt19937_64 random(8);
  const std::vector<std::pair<std::string, std::string>> all = {{"csr", "tile A.p by 4"},
                                                                {"csr", "split A.p by 3"},
                                                                {"csc", "tile A.p by 5"},
                                                                {"coo", "tile A.p by 4"},
                                                                {"coo", "split A.p by 2"},
                                                                {"dcsr", "tile A.p by 3"},
                                                                {"csr", "tile A.p by 4, i by 3"},
                                                                {"dia", "tile A.d by 2"},
                                                                {"dcsr", "tile A.r by 2"},
                                                                {"bcsr<2,2>", "tile A.p by 3"},
                                                                {"csr", "order A.p, i; tile A.p by 4"}};
  for (const auto &[layout, schedule] : all)
    for (double density : {0.1, 0.5}) {
      Problem problem{"y(i) = A(i,j) * x(j)", {{"A", layout}}, {schedule}, {}};
      SCOPED_TRACE(problem.text());
      Case one = make_case(problem, {{"i", 6}, {"j", 7}}, density, random);
      check_counts(one, count_tiling(one.compilation, one.tensors, 1 << 30), problem.text());
    }
}

/// Sparse operands of both: finds of every template stand inside of the tiles.
TEST(Tiling, FindsInsideOfTiles) {
  std::mt19937_64 random(9);
  for (const char *method : {"seq", "binary", "map", "hash", "scan"})
    for (const char *schedule : {"tile j by 3", "tile i by 2"}) {
      Problem problem{"y(i) = A(i,j) * x(j)", {{"A", "csr"}, {"x", "sv"}}, {schedule}, {}};
      problem.finds = {std::string("x=") + method};
      Case one = make_case(problem, {{"i", 9}, {"j", 8}}, 0.4, random);
      check_counts(one, count_tiling(one.compilation, one.tensors, 1 << 30), problem.text());
    }
  for (const char *layout : {"csr", "coo", "dcsr"}) {
    Problem problem{"s = A(i,j) * B(i,j)", {{"A", "csr"}, {"B", layout}}, {"tile i by 2, j by 3"}, {}};
    Case one = make_case(problem, {{"i", 7}, {"j", 7}}, 0.4, random);
    check_counts(one, count_tiling(one.compilation, one.tensors, 1 << 30), problem.text());
  }
}

/// Against the matrix itself, without the compiler's relation: rows by pointers, tiles by division.
TEST(Tiling, TilesOfRowsAgainstTheMatrix) {
  std::mt19937_64 random(10);
  for (std::int64_t size : {1, 3, 8, 50}) {
    Problem problem{"y(i) = A(i,j) * x(j)", {{"A", "csr"}}, {fmt::format("tile i by {}, j by 4", size)}, {}};
    Case one = make_case(problem, {{"i", 20}, {"j", 30}}, 0.03, random);
    const tensor::Tensor &matrix = one.tensors.at("A");
    const data::Elements &rowptr = matrix.array("rowptr"), &col = matrix.array("col");
    std::set<std::int64_t> rows, columns;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> tiles; // entries of each
    for (std::int64_t i = 0; i < 20; ++i)
      for (std::int64_t p = rowptr.integer(static_cast<std::size_t>(i));
           p < rowptr.integer(static_cast<std::size_t>(i + 1)); ++p) {
        std::int64_t j = col.integer(static_cast<std::size_t>(p));
        rows.insert(i / size), columns.insert(j / 4), ++tiles[{i / size, j / 4}];
      }
    Tiling tiling = count_tiling(one.compilation, one.tensors, 1 << 30);
    ASSERT_EQ(tiling.tiles.size(), 2u);
    EXPECT_EQ(tiling.tiles[0].exist, (20 + size - 1) / size);
    EXPECT_EQ(tiling.tiles[1].exist, 8);
    EXPECT_EQ(tiling.tiles[0].with_points, static_cast<std::int64_t>(rows.size()));
    EXPECT_EQ(tiling.tiles[1].with_points, static_cast<std::int64_t>(columns.size()));
    EXPECT_EQ(tiling.counts->nest.exist, (20 + size - 1) / size * 8);
    EXPECT_EQ(tiling.counts->nest.with_points, static_cast<std::int64_t>(tiles.size()));
    EXPECT_EQ(tiling.counts->nest.entered.with_points, static_cast<std::int64_t>(tiles.size()));
    std::int64_t with_points = 0;
    for (const TileVisit &visit : tiling.counts->visits) {
      EXPECT_EQ(visit.has_points, tiles.contains({visit.values.at(0), visit.values.at(1)}));
      with_points += visit.has_points;
    }
    EXPECT_EQ(with_points, static_cast<std::int64_t>(tiles.size()));
    EXPECT_EQ(static_cast<std::int64_t>(tiling.counts->visits.size()), tiling.counts->nest.entered.all);
    // The entries of a tile are read once each; only these are: all values that a tile touches.
    std::int64_t most = 0, all = 0;
    for (const auto &[tile, entries] : tiles)
      most = std::max(most, entries), all += entries;
    for (const Touched &array : tiling.tiles[1].arrays) {
      if (array.array != "A.val") continue;
      EXPECT_EQ(array.maximum, 8 * most);
      EXPECT_DOUBLE_EQ(array.average, 8 * static_cast<double>(all) / static_cast<double>(tiles.size()));
    }
  }
}

/// Iterations of all loops, by variable.
struct Iterated final : loop::Observer {
  void start(const std::vector<std::string> &names, const std::vector<std::string> &) override {
    variables = names;
  }
  void enter(std::size_t variable, std::int64_t) override { ++iterations[variables[variable]]; }
  void leave(std::size_t) override {}
  void touch(std::size_t, std::int64_t, std::int64_t) override {}
  void point() override {}

  std::vector<std::string> variables;
  std::map<std::string, std::int64_t> iterations;
};

loop::Memory memory_of(const Tensors &tensors) {
  loop::Memory memory;
  for (const auto &[name, tensor] : tensors) {
    for (const auto *numbers : {&tensor.sizes, &tensor.counts})
      for (const auto &[number, value] : *numbers)
        memory.sizes[name + "." + number] = value;
    for (const layout::Array &array : tensor.layout.arrays)
      for (std::size_t k = 0; k < tensor.array(array.name).size(); ++k)
        if (array.is_value)
          memory.values[name + "." + array.name].push_back(tensor.array(array.name).real(k));
        else
          memory.indices[name + "." + array.name].push_back(tensor.array(array.name).integer(k));
  }
  return memory;
}

/// Where no loop outside of the tiles is unrolled, the improved kernel enters tiles as often as the one that
/// was counted.
TEST(Tiling, TheImprovedKernelVisitsTheSame) {
  std::mt19937_64 random(17);
  for (const char *layout : {"csr", "csc", "dcsr", "bcsr<20,3>", "dense", "dia", "coo", "ell"})
    for (const char *schedule : {"tile j by 20", "tile i by 16, j by 20", "split j by 20"}) {
      Problem problem{"y(i) = A(i,j) * x(j)", {{"A", layout}}, {schedule}, {}};
      SCOPED_TRACE(problem.text());
      Case one = make_case(problem, {{"i", 50}, {"j", 70}}, 0.1, random);
      Tiling tiling = count_tiling(one.compilation, one.tensors, 1 << 30);
      loop::Memory memory = memory_of(one.tensors);
      Iterated iterated;
      loop::InterpretOptions options;
      options.observer = &iterated;
      ASSERT_EQ(loop::interpret(one.compilation.program, memory, options), 0);
      for (const TileLoop &tile : tiling.tiles)
        EXPECT_EQ(iterated.iterations[tile.variable], tile.iterations.all) << tile.variable;
    }
}

/// Loops that go on where their walks stand enter no tile in vain.
TEST(Tiling, NoTileWithoutPoints) {
  struct Jump {
    std::string layout, schedule, found;
  };
  const std::vector<Jump> all = {{"csr", "tile j by 4", "A.p"},
                                 {"csr", "tile i by 3, j by 4", "A.p"},
                                 {"csr", "split j by 5; order i, j.split, A.p", "A.p"},
                                 {"csr", "tile j by 16; serial", "A.p"},
                                 {"dcsr", "tile j by 4", "A.p"},
                                 {"csc", "tile i by 4; serial", "A.p"},
                                 {"dcsc", "tile i by 4; serial", "A.p"},
                                 {"coo", "tile i by 4; serial", "A.p"},
                                 {"bcsr<2,2>", "tile j by 4; order j.tile, A.b, A.p", "A.p"}};
  std::mt19937_64 random(19);
  std::int64_t spared = 0;
  for (const Jump &each : all)
    for (double density : {0.0, 0.004, 0.03, 0.3})
      for (std::int64_t columns : {1, 37, 50}) {
        Problem problem{"y(i) = A(i,j) * x(j)", {{"A", each.layout}}, {each.schedule}, {each.found + "=seq"}};
        Case one = make_case(problem, {{"i", 40}, {"j", columns}}, density, random);
        Tiling tiling = count_tiling(one.compilation, one.tensors, 1 << 30);
        check_counts(one, tiling, problem.text());
        const TileLoop &inner = tiling.tiles.back();
        EXPECT_EQ(inner.iterations.all, inner.iterations.with_points) << problem.text() << " " << density;
        if (tiling.counts->nest.exist) spared += *tiling.counts->nest.exist - inner.with_points;
      }
  EXPECT_GT(spared, 100);
}

/// Of skewed tiles those that the bounds exclude don't exist.
TEST(Tiling, SkewedTilesThatExist) {
  std::mt19937_64 random(11);
  Problem problem{
      "y(i) = A(i,j) * x(j)", {{"A", "dense"}}, {"skew j by 2*i; tile j.skew by 5; tile i by 3"}, {}};
  Case one = make_case(problem, {{"i", 10}, {"j", 9}}, 1, random);
  Tiling tiling = count_tiling(one.compilation, one.tensors, 1 << 30);
  std::set<std::pair<std::int64_t, std::int64_t>> tiles;
  for (std::int64_t i = 0; i < 10; ++i)
    for (std::int64_t j = 0; j < 9; ++j)
      tiles.insert({(j + 2 * i) / 5, i / 3});
  EXPECT_EQ(tiling.counts->nest.with_points, static_cast<std::int64_t>(tiles.size()));
  EXPECT_EQ(tiling.counts->nest.at_most, 6 * 4);
  ASSERT_TRUE(tiling.counts->nest.exist);
  EXPECT_EQ(*tiling.counts->nest.exist, static_cast<std::int64_t>(tiles.size())); // it is full
}

/// A second piece over the same entries has tiles of its own: the iterations are those of both nests.
TEST(Tiling, SeveralNests) {
  std::mt19937_64 random(12);
  Problem problem{"y(i) = A(i,j) * x(j)", {{"A", "symmetric_csr"}}, {"tile j by 3"}, {}};
  Case one{pipeline::compile(problem.request()), {}};
  data::Coordinates entries({8, 8});
  for (std::int64_t k = 0; k < 8; ++k) {
    entries.append({k, k}, 1);
    if (k > 2) entries.append({k, k - 3}, 2), entries.append({k - 3, k}, 2);
  }
  one.tensors.emplace("A", convert::pack(one.compilation.layouts.at("A"), entries));
  for (const char *name : {"x", "y"})
    one.tensors.emplace(name, convert::pack(one.compilation.layouts.at(name), data::Coordinates({8})));
  Tiling tiling = count_tiling(one.compilation, one.tensors, 1 << 30);
  EXPECT_EQ(tiling.leaves.size(), 2u);
  EXPECT_EQ(tiling.counts->points, 18);
  EXPECT_EQ(tiling.tiles.at(0).exist, 3);
  EXPECT_EQ(tiling.tiles.at(0).with_points, 3);
  EXPECT_EQ(tiling.tiles.at(0).iterations.all, 6);
}

/// What a statement sets is a point as what it adds is; what a sum begins with is none.
TEST(Tiling, StatementsThatSet) {
  const std::string tensors = "tensor x(n), y(n), A(n,n); ";
  const std::vector<std::pair<std::string, std::int64_t>> programs = {
      {"for i { y(i) = x(i); }", 9},
      {"for i { y(i) *= x(i); }", 9},
      {"for i { y(i) = 2; }", 9},
      {"for i { for j in [0,i) { y(i) += A(i,j); } } for i { y(i) *= 2; }", 36 + 9},
      {"for i { let s = x(i); for j in [0,i) { s -= A(i,j); } y(i) = s; x(i) += s; }", 36 + 18},
      {"for i { y(i) = 0; for j { y(i) += A(i,j)*x(j); } }", 81},
      {"y(i) = A(i,j) * x(j)", 81},
  };
  std::mt19937_64 random(5);
  for (const auto &[program, points] : programs) {
    const bool is_line = !program.starts_with("for");
    const Problem problem{is_line ? program : tensors + program, {}, {"tile i by 4"}, {}};
    const std::map<std::string, std::int64_t> extents = {{"n", 9}, {"i", 9}, {"j", 9}};
    const Case one = make_case(problem, extents, 1, random);
    EXPECT_EQ(count_tiling(one.compilation, one.tensors, 1 << 30).counts->points, points) << program;
  }
}

/// A matrix without entries, sizes of 0: no tile has points.
TEST(Tiling, Nothing) {
  std::mt19937_64 random(13);
  for (std::int64_t extent : {0, 6}) {
    Problem problem{"y(i) = A(i,j) * x(j)", {{"A", "csr"}}, {"tile i by 2, j by 2"}, {}};
    Case one = make_case(problem, {{"i", extent}, {"j", 4}}, 0, random);
    Tiling tiling = count_tiling(one.compilation, one.tensors, 1 << 30);
    EXPECT_EQ(tiling.counts->points, 0);
    EXPECT_EQ(tiling.tiles[0].exist, extent / 2);
    EXPECT_EQ(tiling.counts->nest.with_points, 0);
    EXPECT_NE(to_text(tiling).find("there is none"), std::string::npos);
  }
}

TEST(Tiling, Text) {
  auto text = [](const std::string &layout, const std::string &schedule, bool with_data) {
    Problem problem{"y(i) = A(i,j) * x(j)", {{"A", layout}}, {schedule}, {}};
    std::mt19937_64 random(14);
    Case one = make_case(problem, {{"i", 40}, {"j", 50}}, 0.02, random);
    Tiling tiling =
        with_data ? count_tiling(one.compilation, one.tensors, 1 << 30) : describe_tiling(one.compilation);
    tiling.caches = {{"L1 data", 256}, {"L2", 1024}};
    return to_text(tiling);
  };
  unravel::test::golden_check("run", "tiling_csr", text("csr", "tile i by 16, j by 8", true));
  unravel::test::golden_check("run", "tiling_csr_symbolic", text("csr", "tile i by 16, j by 8", false));
  unravel::test::golden_check("run", "tiling_coo_positions", text("coo", "split A.p by 8", true));
  unravel::test::golden_check("run", "tiling_bcsr", text("bcsr<4,4>", "tile j by 16", true));
}

std::string message_of(const std::string &schedule, std::int64_t max_memory,
                       std::int64_t most_iterations = 1000000) {
  Problem problem{"y(i) = A(i,j) * x(j)", {{"A", "csr"}}, {schedule}, {}};
  std::mt19937_64 random(15);
  Case one = make_case(problem, {{"i", 40}, {"j", 50}}, 0.5, random);
  try {
    count_tiling(one.compilation, one.tensors, max_memory, {}, most_iterations);
  } catch (const report::Error &error) {
    return error.what();
  }
  return "";
}

TEST(Tiling, Refusals) {
  EXPECT_EQ(message_of("order i, A.p", 1 << 30),
            "error: the schedule makes no tiles "
            "[bad-transformation]\n  hint: add a tiling, as in -s 'tile j by 64', or -s 'split A.p by 256' "
            "(docs/schedules.md)\n");
  EXPECT_EQ(message_of("tile j by 4", 1 << 30, 100),
            "error: on these data the loops have more than 100 iterations: too many to count "
            "[not-supported]\n  hint: take larger tiles or fewer data; a find by scan tries all positions in "
            "each tile\n");
  std::string message = message_of("tile j by 4", 1000);
  EXPECT_EQ(message.find("error: counting takes "), 0u) << message;
  EXPECT_NE(message.find(", more than the 1000 bytes allowed [memory-limit]\n  hint: raise the limit with "
                         "--max-memory\n"),
            std::string::npos)
      << message;
}

TEST(Tiling, SmallestCacheThatHolds) {
  const std::vector<machine::DataCache> caches = {{"L1 data", 48 << 10}, {"L2", 2048 << 10}};
  EXPECT_EQ(holds(caches, 48 << 10)->name, "L1 data");
  EXPECT_EQ(holds(caches, (48 << 10) + 1)->name, "L2");
  EXPECT_EQ(holds(caches, 1e9), nullptr);
}

TEST(Tiling, CachesThatTheMachineDoesntTell) {
  std::mt19937_64 random(16);
  Problem problem{"y(i) = A(i,j) * x(j)", {{"A", "csr"}}, {"tile j by 4"}, {}};
  Case one = make_case(problem, {{"i", 4}, {"j", 5}}, 0.5, random);
  Tiling tiling = count_tiling(one.compilation, one.tensors, 1 << 30);
  tiling.caches.clear();
  std::string text = to_text(tiling);
  EXPECT_NE(text.find("data caches: unknown\n"), std::string::npos);
  EXPECT_EQ(text.find("fits in"), std::string::npos);
}

} // namespace
