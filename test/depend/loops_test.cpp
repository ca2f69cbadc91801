// Dependence tests on loops whose references are given by hand: the affine part and the properties of index
// arrays decide; every verdict is compared with all conflicts on small arrays.
#include "combination_text.h"
#include "depend/distance.h"
#include "golden.h"
#include "small_worlds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::test {
namespace {

using depend::Reference;
using depend::Verdict;

struct Access {
  const char *tensor;
  std::vector<const char *> coordinates;
  enum { Read, Write, Update } kind;
};

/// Loops over the positions and coordinates of one layout.
struct Loops {
  const char *about;
  const char *layout;
  const char *without; // a property that is left out
  const char *condition;
  std::vector<const char *> order;
  std::vector<Access> accesses;
  std::vector<const char *> verdicts; // of every variable of `order` that is a loop, "r: parallel (affine)"
};

const std::vector<Loops> &all_loops() {
  static const std::vector<Loops> loops = {
      {"rows of compressed rows, y(i)",
       "csr",
       "",
       "true",
       {"r", "p", "i", "j"},
       {{"y", {"i"}, Access::Update}},
       {"r: parallel (affine)", "p: reduction (possible)"}},
      {"listed rows",
       "dcsr",
       "",
       "true",
       {"r", "p", "i", "j"},
       {{"y", {"i"}, Access::Update}},
       {"r: parallel (properties)", "p: reduction (possible)"}},
      {"listed rows that may be listed twice",
       "dcsr",
       "strictly increasing rowidx",
       "true",
       {"r", "p", "i", "j"},
       {{"y", {"i"}, Access::Update}},
       {"r: reduction (possible)", "p: reduction (possible)"}},
      {"entries sorted by row",
       "@coo_rows",
       "",
       "true",
       {"p", "i", "j"},
       {{"y", {"i"}, Access::Update}},
       {"p: reduction (possible)"}},
      {"one entry per row, rows in any order",
       "@one_per_row",
       "",
       "true",
       {"p", "i", "j"},
       {{"y", {"i"}, Access::Update}},
       {"p: parallel (properties)"}},
      {"triangular solve: later rows read what earlier ones wrote",
       "csr",
       "",
       "M = N and j < i",
       {"r", "p", "i", "j"},
       {{"x", {"i"}, Access::Update}, {"x", {"j"}, Access::Read}},
       {"r: carried (possible)", "p: reduction (possible)"}},
      {"upper triangle: earlier rows read what later ones write",
       "csr",
       "",
       "M = N and i < j",
       {"r", "p", "i", "j"},
       {{"x", {"i"}, Access::Update}, {"x", {"j"}, Access::Read}},
       {"r: carried (possible)", "p: reduction (possible)"}},
      {"read from where nothing is written",
       "csr",
       "",
       "true",
       {"r", "p", "i", "j"},
       {{"x", {"i"}, Access::Write}, {"x", {"j + M"}, Access::Read}},
       {"r: parallel (properties)", "p: carried (possible)"}},
      {"reads alone",
       "csr",
       "",
       "true",
       {"r", "p", "i", "j"},
       {{"x", {"j"}, Access::Read}, {"x", {"i"}, Access::Read}},
       {"r: parallel (affine)", "p: parallel (affine)"}},
      {"each entry's own slot",
       "csr",
       "",
       "true",
       {"r", "p", "i", "j"},
       {{"v", {"p"}, Access::Write}},
       {"r: parallel (properties)", "p: parallel (affine)"}},
      {"each entry's own slot, segments that may overlap",
       "csr",
       "increasing rowptr",
       "true",
       {"r", "p", "i", "j"},
       {{"v", {"p"}, Access::Write}},
       {"r: carried (possible)", "p: parallel (affine)"}},
      {"scatter into y(j)",
       "csr",
       "",
       "true",
       {"r", "p", "i", "j"},
       {{"y", {"j"}, Access::Update}},
       {"r: reduction (possible)", "p: parallel (properties)"}},
      {"scatter into y(j), columns weakly sorted",
       "@csr_weak",
       "",
       "true",
       {"r", "p", "i", "j"},
       {{"y", {"j"}, Access::Update}},
       {"r: reduction (possible)", "p: reduction (possible)"}},
      {"C(i,j), columns strictly sorted",
       "csr",
       "",
       "true",
       {"r", "p", "i", "j"},
       {{"C", {"i", "j"}, Access::Write}},
       {"r: parallel (affine)", "p: parallel (properties)"}},
      {"C(i,j), columns strictly falling",
       "@csr_down",
       "",
       "true",
       {"r", "p", "i", "j"},
       {{"C", {"i", "j"}, Access::Write}},
       {"r: parallel (affine)", "p: parallel (properties)"}},
      {"C(i,j), columns in any order",
       "@csr_any",
       "",
       "true",
       {"r", "p", "i", "j"},
       {{"C", {"i", "j"}, Access::Write}},
       {"r: parallel (affine)", "p: carried (possible)"}},
      {"C(i,j), lexicographic coordinates",
       "coo",
       "",
       "true",
       {"p", "i", "j"},
       {{"C", {"i", "j"}, Access::Write}},
       {"p: parallel (properties)"}},
      {"C(i,j), coordinates that differ",
       "coo_unsorted",
       "",
       "true",
       {"p", "i", "j"},
       {{"C", {"i", "j"}, Access::Write}},
       {"p: parallel (properties)"}},
      {"C(i,j), coordinates of which nothing is known",
       "coo_dup",
       "",
       "true",
       {"p", "i", "j"},
       {{"C", {"i", "j"}, Access::Write}},
       {"p: carried (possible)"}},
      {"neighbours: i writes what i + 1 reads",
       "sv",
       "",
       "true",
       {"p", "i"},
       {{"y", {"i"}, Access::Write}, {"y", {"i - 1"}, Access::Read}},
       {"p: carried (possible)"}},
  };
  return loops;
}

/// The layout's relation and axioms, without the property that is left out (and the lemmas that need it).
layout::Layout layout_for(const Loops &loops) {
  auto source = source_named("test", layout_reference(loops.layout));
  std::size_t order = std::string(loops.layout) == "sv" ? 1 : 2;
  layout::Layout layout = layout::load_layout(parse::parse_layout_reference(source), order).layout;
  if (!*loops.without) return layout;
  std::size_t erased = std::erase_if(layout.properties, [&](const layout::Property &property) {
    return property.axiom.text == loops.without;
  });
  EXPECT_EQ(erased, 1u) << loops.about;
  layout.lemmas.clear();
  layout::derive_lemmas(layout);
  return layout;
}

term::Term relation_for(const Loops &loops, const layout::Layout &layout) {
  return term::conjunction({layout.pieces[0].relation, term::read_term(loops.condition)});
}

std::vector<Reference> references_for(const Loops &loops) {
  std::vector<Reference> references;
  for (const Access &access : loops.accesses) {
    Reference reference{access.tensor, {}, access.kind != Access::Read};
    if (access.kind == Access::Update) reference.updates = value::Operator::Add;
    for (const char *coordinate : access.coordinates)
      reference.coordinates.push_back(term::read_term(coordinate));
    references.push_back(std::move(reference));
  }
  return references;
}

std::vector<depend::LoopVerdict> verdicts_for(const Loops &loops, bool details) {
  layout::Layout layout = layout_for(loops);
  prove::Prover prover(layout.axioms());
  std::vector<std::string> order(loops.order.begin(), loops.order.end()),
      positions = layout.pieces[0].positions;
  return depend::classify(relation_for(loops, layout), order, positions, references_for(loops), prover,
                          details);
}

TEST(DependLoops, Verdicts) {
  for (const Loops &loops : all_loops()) {
    SCOPED_TRACE(loops.about);
    std::vector<std::string> texts;
    for (const depend::LoopVerdict &verdict : verdicts_for(loops, true)) {
      texts.push_back(verdict.variable + ": " + depend::name_of(verdict.verdict) + " (" + verdict.reason +
                      ")");
      // A dependence comes with the instances that conflict and an example; independence with neither.
      EXPECT_EQ(term::is_false(verdict.relation), verdict.verdict == Verdict::Parallel);
      EXPECT_EQ(verdict.witness.empty(), verdict.verdict == Verdict::Parallel);
    }
    EXPECT_EQ(texts, std::vector<std::string>(loops.verdicts.begin(), loops.verdicts.end()));
  }
}

TEST(DependLoops, DetailsChangeNoVerdict) {
  for (const Loops &loops : all_loops()) {
    std::vector<depend::LoopVerdict> with = verdicts_for(loops, true), without = verdicts_for(loops, false);
    ASSERT_EQ(with.size(), without.size());
    for (std::size_t k = 0; k < with.size(); ++k) {
      EXPECT_EQ(with[k].verdict, without[k].verdict) << loops.about;
      EXPECT_TRUE(term::is_false(without[k].relation) && without[k].witness.empty()) << loops.about;
    }
  }
}

/// What the loop over order[loop] carries on concrete arrays.
Verdict carried_by(const std::vector<std::vector<std::int64_t>> &points, std::size_t loop,
                   const std::vector<std::string> &order, const std::vector<Reference> &references,
                   World world) {
  Verdict verdict = Verdict::Parallel;
  auto place = [&](const std::vector<std::int64_t> &point, const Reference &reference) {
    for (std::size_t k = 0; k < order.size(); ++k)
      world.variables[order[k]] = point[k];
    std::vector<std::int64_t> result;
    for (const term::Term &coordinate : reference.coordinates)
      result.push_back(evaluate(coordinate, world));
    return result;
  };
  for (const auto &a : points)
    for (const auto &b : points) {
      if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(loop), b.begin()) ||
          a[loop] >= b[loop])
        continue;
      for (const Reference &first : references)
        for (const Reference &second : references) {
          if (first.tensor != second.tensor || !(first.writes || second.writes) ||
              place(a, first) != place(b, second))
            continue;
          if (!first.updates || !second.updates) return Verdict::Carried;
          verdict = Verdict::Reduction;
        }
    }
  return verdict;
}

std::optional<World> world_for(const layout::Layout &layout, Random &random) {
  std::vector<WantedArray> arrays;
  for (const layout::Array &array : layout.arrays)
    if (!array.is_value) arrays.push_back({array.name, array.extents, false});
  std::vector<std::string> counts;
  for (const layout::Count &count : layout.counts)
    counts.push_back(count.name);
  World world;
  for (const std::string &size : layout.sizes)
    world.variables[size] = below(random, 4);
  if (below(random, 2)) world.variables[layout.sizes.back()] = world.variables[layout.sizes.front()] = 3;
  if (!fill_world(random, world, counts, arrays, layout.axioms())) return std::nullopt;
  return world;
}

/// No conflict on any arrays where a loop is called parallel, none but of updates where it is a reduction;
/// and where a dependence was claimed, arrays on which it occurs.
TEST(DependLoops, AgreeWithAllConflictsOnSmallArrays) {
  Random random(7);
  for (const Loops &loops : all_loops()) {
    SCOPED_TRACE(loops.about);
    layout::Layout layout = layout_for(loops);
    std::vector<std::string> order(loops.order.begin(), loops.order.end());
    std::vector<depend::LoopVerdict> verdicts = verdicts_for(loops, false);
    std::vector<Verdict> claimed, seen(verdicts.size(), Verdict::Parallel);
    for (const depend::LoopVerdict &verdict : verdicts)
      claimed.push_back(verdict.verdict);
    int worlds = 0;
    for (int round = 0; round < 400 && (worlds < 40 || seen != claimed); ++round) {
      std::optional<World> world = world_for(layout, random);
      if (!world) continue;
      ++worlds;
      Points points(relation_for(loops, layout), order, *world);
      for (std::size_t k = 0; k < verdicts.size(); ++k) {
        auto loop = static_cast<std::size_t>(std::find(order.begin(), order.end(), verdicts[k].variable) -
                                             order.begin());
        seen[k] = std::max(seen[k], carried_by(points.all(), loop, order, references_for(loops), *world));
      }
    }
    EXPECT_GE(worlds, 40);
    for (std::size_t k = 0; k < verdicts.size(); ++k)
      EXPECT_EQ(depend::name_of(claimed[k]), depend::name_of(seen[k])) << verdicts[k].variable;
  }
}

TEST(DependReferences, OfAProduct) {
  combine::Combination made = combine_text("y(i) = A(i,j) * x(j+1)\n-f A=csr");
  std::string text;
  for (const Reference &reference : depend::references(made.leaves[0])) {
    text += reference.tensor;
    for (const term::Term &coordinate : reference.coordinates)
      text += " " + term::to_text(coordinate);
    text += reference.writes ? reference.updates ? " updated\n" : " written\n" : " read\n";
  }
  EXPECT_EQ(text, "y i updated\nA i j read\nx j + 1 read\n");
}

TEST(DependBudget, ExhaustedCountsAsADependence) {
  layout::Layout layout = layout_for(all_loops()[1]);
  prove::Prover prover(layout.axioms(), 1);
  std::vector<depend::LoopVerdict> verdicts = depend::classify(
      layout.pieces[0].relation, {"r", "p", "i", "j"}, {"r"}, references_for(all_loops()[1]), prover);
  EXPECT_EQ(verdicts[0].verdict, Verdict::Reduction);
  EXPECT_EQ(verdicts[0].reason, "budget exhausted");
}

TEST(DependRows, IncreaseWhereThePropertiesSaySo) {
  auto increases = [](const Loops &loops, const char *value) {
    prove::Prover prover(layout_for(loops).axioms());
    return depend::strictly_increases(term::read_term(value), "r", term::Term(0), term::variable("NR"),
                                      prover);
  };
  EXPECT_TRUE(increases(all_loops()[1], "rowidx(r)"));
  EXPECT_TRUE(increases(all_loops()[1], "2*rowidx(r) + 1"));
  EXPECT_FALSE(increases(all_loops()[1], "-rowidx(r)"));
  EXPECT_FALSE(increases(all_loops()[1], "rowptr(r)")); // rows may be empty
  EXPECT_FALSE(increases(all_loops()[2], "rowidx(r)")); // listed twice
}

TEST(DependPrint, VerdictsAsText) {
  depend::LoopVerdict parallel{"i", Verdict::Parallel, term::falsity(), "", "affine"};
  depend::LoopVerdict reduction{"A.p", Verdict::Reduction, term::read_term("A.p < A.p_"), "A.p = 0, A.p' = 1",
                                "possible"};
  EXPECT_EQ(depend::to_text({parallel, reduction}), "i: parallel (affine)\n"
                                                    "A.p: reduction (possible)\n"
                                                    "  relation { A.p < A.p_ }\n"
                                                    "  witness A.p = 0, A.p' = 1\n");
}

/// Loops whose dependences go a constant way.
std::vector<Loops> loops_with_distances() {
  std::vector<Loops> loops = all_loops();
  auto add = [&](const char *about, const char *layout, const char *condition,
                 std::vector<const char *> order, std::vector<Access> accesses) {
    loops.push_back({about, layout, "", condition, std::move(order), std::move(accesses), {}});
  };
  add("one row further", "dense", "true", {"a", "b", "i", "j"},
      {{"x", {"i"}, Access::Write}, {"x", {"i - 1"}, Access::Read}});
  add("one row further, one column back", "dense", "true", {"a", "b", "i", "j"},
      {{"x", {"i", "j"}, Access::Write}, {"x", {"i - 1", "j + 1"}, Access::Read}});
  add("what is read is written two columns later", "dense", "true", {"a", "b", "i", "j"},
      {{"x", {"i", "j"}, Access::Write}, {"x", {"i", "j + 2"}, Access::Read}});
  add("diagonals", "dense", "true", {"a", "b", "i", "j"}, {{"x", {"i + j"}, Access::Update}});
  add("every second", "dense", "true", {"a", "b", "i", "j"},
      {{"x", {"2*i"}, Access::Write}, {"x", {"2*i - 3"}, Access::Read}});
  add("the row before, of listed rows", "dcsr", "true", {"r", "p", "i", "j"},
      {{"x", {"i", "j"}, Access::Write}, {"x", {"i - 1", "j"}, Access::Read}});
  add("the entry before", "coo", "true", {"p", "i", "j"},
      {{"x", {"p"}, Access::Write}, {"x", {"p - 1"}, Access::Read}});
  add("the row before, of rows of entries", "csr", "true", {"r", "p", "i", "j"},
      {{"x", {"i", "j"}, Access::Write}, {"x", {"i - 1", "j"}, Access::Read}});
  add("the column before in the same row", "csr", "true", {"r", "p", "i", "j"},
      {{"x", {"i", "j"}, Access::Write}, {"x", {"i", "j - 1"}, Access::Read}});
  return loops;
}

TEST(DependDistances, OfEveryDependence) {
  std::string text;
  for (const Loops &loops : loops_with_distances()) {
    text += fmt::format("# {}: {}, {}\n", loops.about, loops.layout, loops.condition);
    layout::Layout layout = layout_for(loops);
    prove::Prover prover(layout.axioms());
    std::vector<std::string> order(loops.order.begin(), loops.order.end());
    const std::vector<std::string> &positions = layout.pieces[0].positions;
    for (const depend::LoopVerdict &verdict :
         depend::classify(relation_for(loops, layout), order, positions, references_for(loops), prover))
      for (const depend::Dependence &dependence : depend::dependences_of(verdict, positions, prover))
        text += fmt::format("{}: {}\n", verdict.variable, depend::to_text(dependence));
  }
  golden_check("depend", "distances", text);
}

/// No two instances that conflict are further from each other, or in another direction, than is claimed;
/// and where a dependence is claimed, there are such instances.
TEST(DependDistances, AgreeWithAllConflictsOnSmallArrays) {
  Random random(8);
  for (const Loops &loops : loops_with_distances()) {
    SCOPED_TRACE(loops.about);
    layout::Layout layout = layout_for(loops);
    prove::Prover prover(layout.axioms());
    std::vector<std::string> order(loops.order.begin(), loops.order.end());
    const std::vector<std::string> &positions = layout.pieces[0].positions;
    std::vector<depend::LoopVerdict> verdicts =
        depend::classify(relation_for(loops, layout), order, positions, references_for(loops), prover);
    std::vector<std::vector<depend::Dependence>> claimed;
    for (const depend::LoopVerdict &verdict : verdicts)
      claimed.push_back(depend::dependences_of(verdict, positions, prover));
    int worlds = 0;
    std::size_t conflicts = 0;
    bool claims = std::any_of(claimed.begin(), claimed.end(), [](auto &each) { return !each.empty(); });
    for (int round = 0; round < 400 && (worlds < 60 || (claims && conflicts == 0)); ++round) {
      std::optional<World> world = world_for(layout, random);
      if (!world) continue;
      ++worlds;
      Points points(relation_for(loops, layout), order, *world);
      auto place = [&](const std::vector<std::int64_t> &point, const Reference &reference) {
        for (std::size_t k = 0; k < order.size(); ++k)
          world->variables[order[k]] = point[k];
        std::vector<std::int64_t> result;
        for (const term::Term &coordinate : reference.coordinates)
          result.push_back(evaluate(coordinate, *world));
        return result;
      };
      for (std::size_t v = 0; v < verdicts.size(); ++v)
        for (std::size_t c = 0; c < verdicts[v].conflicts.size(); ++c)
          for (const auto &a : points.all())
            for (const auto &b : points.all()) {
              if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(v), b.begin()) ||
                  a[v] >= b[v] ||
                  place(a, verdicts[v].conflicts[c].first) != place(b, verdicts[v].conflicts[c].second))
                continue;
              ++conflicts;
              for (std::size_t k = 0; k < positions.size(); ++k) {
                const depend::Distance &distance = claimed[v][c].distances[k];
                std::int64_t difference = b[k] - a[k];
                EXPECT_TRUE(difference > 0   ? distance.less
                            : difference < 0 ? distance.greater
                                             : distance.equal)
                    << positions[k] << " " << difference;
                EXPECT_EQ(difference, distance.constant.value_or(difference)) << positions[k];
              }
            }
    }
    EXPECT_EQ(conflicts > 0, claims);
  }
}

TEST(DependDistances, RelationsInIslsNotation) {
  std::string text;
  for (std::size_t k : {1, 5, 16}) {
    const Loops &loops = all_loops()[k];
    std::vector<std::string> order(loops.order.begin(), loops.order.end());
    text += fmt::format("# {}\n", loops.about);
    for (const depend::LoopVerdict &verdict : verdicts_for(loops, true)) {
      std::string relation = depend::relation_text(verdict, order);
      text += fmt::format("{}: {}\n  {}\n", verdict.variable, relation, depend::witness_text(verdict, order));
      // What stands behind the colon is the relation.
      std::string formula = relation.substr(relation.find(" : ") + 3);
      formula.resize(formula.size() - 2);
      std::replace(formula.begin(), formula.end(), '\'', '_');
      std::string expected = term::to_text(verdict.relation);
      std::replace(expected.begin(), expected.end(), '\'', '_');
      EXPECT_EQ(term::to_text(term::read_term(formula)), expected);
    }
  }
  golden_check("depend", "relations", text);
}

TEST(DependDistances, Names) {
  auto name = [](bool less, bool equal, bool greater) {
    return depend::direction_name({less, equal, greater, {}});
  };
  EXPECT_EQ(name(true, false, false) + " " + name(false, true, false) + " " + name(false, false, true) + " " +
                name(true, true, false) + " " + name(false, true, true) + " " + name(true, false, true) +
                " " + name(true, true, true),
            "< = > <= >= != *");
}

} // namespace
} // namespace unravel::test
