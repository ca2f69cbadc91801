// Every nest visits exactly the points of its relation, each once, and reads nothing outside an array: on
// small random arrays that have the properties of their layouts.
#include "golden.h"
#include "scan_text.h"
#include "small_worlds.h"

namespace unravel::test {
namespace {

/// Executes a nest as nest.h says; finds look at every position.
class Visitor {
public:
  Visitor(const scan::Nest &nest, std::vector<std::string> variables, World world)
      : nest_(nest), variables_(std::move(variables)), world_(std::move(world)) {
    enter(0);
  }

  std::vector<std::vector<std::int64_t>> points;

private:
  void enter(std::size_t at) {
    if (at == nest_.levels.size()) {
      points.emplace_back();
      for (const std::string &variable : variables_)
        points.back().push_back(world_.variables.at(variable));
      return;
    }
    const scan::Level &level = nest_.levels[at];
    if (level.kind == scan::Level::Kind::Let) {
      body(at, evaluate(level.value, world_));
    } else {
      std::int64_t upper = evaluate(level.upper, world_);
      for (std::int64_t q = evaluate(level.lower, world_); q < upper; ++q)
        body(at, q);
    }
    world_.variables.erase(level.variable);
  }

  void body(std::size_t at, std::int64_t value) {
    const scan::Level &level = nest_.levels[at];
    world_.variables[level.variable] = value;
    for (const scan::Component &component : level.components) {
      std::int64_t distance = evaluate(component.target, world_) - evaluate(component.key, world_);
      if (distance < 0 || distance >= evaluate(component.width, world_)) return;
    }
    for (const term::Term &guard : level.guards)
      if (!evaluate(guard, world_)) return;
    read_safe_loads(level.variable);
    enter(at + 1);
  }

  /// What is said to be readable from here on is read: outside an array this throws.
  void read_safe_loads(const std::string &variable) {
    for (const term::Term &load : nest_.safe_loads) {
      if (!term::mentions(load, variable)) continue;
      std::set<std::string> needed = term::variables_of(load);
      if (std::all_of(needed.begin(), needed.end(),
                      [&](const std::string &name) { return world_.variables.count(name) > 0; }))
        evaluate(load, world_);
    }
  }

  const scan::Nest &nest_;
  std::vector<std::string> variables_;
  World world_;
};

/// Sizes that agree, then arrays tensor by tensor.
bool make_world(Random &random, World &world, const combine::Combination &made) {
  for (const combine::Binding &binding : made.bindings)
    for (const std::string &size : binding.layout.sizes)
      world.variables[binding.tensor + "." + size] = below(random, 8) == 0 ? 0 : 1 + below(random, 5);
  for (const combine::SizeCondition &condition : made.conditions) {
    std::set<std::string> sizes = term::variables_of(condition.formula);
    for (const std::string &size : sizes)
      world.variables[size] = world.variables[*sizes.begin()];
  }
  for (const combine::SizeCondition &condition : made.conditions)
    if (!evaluate(condition.formula, world)) return false;
  for (const combine::Binding &binding : made.bindings) {
    std::vector<std::string> counts;
    for (const layout::Count &count : binding.layout.counts)
      counts.push_back(binding.tensor + "." + count.name);
    std::vector<WantedArray> arrays;
    for (const layout::Array &array : binding.layout.arrays)
      arrays.push_back({binding.tensor + "." + array.name, made.arrays.at(binding.tensor + "." + array.name),
                        array.is_value});
    std::vector<prove::Axiom> axioms;
    for (const prove::Axiom &axiom : made.axioms)
      if (axiom.text.compare(0, binding.tensor.size() + 1, binding.tensor + ":") == 0)
        axioms.push_back(axiom);
    if (!fill_world(random, world, counts, arrays, axioms)) return false;
  }
  return true;
}

std::string safe_loads_of(const scan::Nest &nest) {
  std::string text = "safe";
  for (const term::Term &load : nest.safe_loads)
    text += " " + term::to_text(load);
  return text + "\n";
}

/// How many points there were in all worlds.
std::size_t execute(const std::string &input, Random &random) {
  CombinationText text = read_combination_text(input);
  combine::Combination made = combine_text(text);
  std::vector<scan::Nest> nests = nests_of(text, made);
  std::size_t points = 0;
  int worlds = 0;
  bool differs = false;
  for (int round = 0; round < 200 && worlds < 20 && !differs; ++round) {
    World world;
    if (!make_world(random, world, made)) continue;
    ++worlds;
    for (std::size_t k = 0; k < nests.size(); ++k) {
      std::vector<std::string> variables = made.leaves[k].variables();
      auto expected = Points(made.leaves[k].relation, variables, world, 1, 7).all();
      std::vector<std::vector<std::int64_t>> visited;
      try {
        visited = Visitor(nests[k], variables, world).points;
      } catch (const OutOfRange &outside) {
        ADD_FAILURE() << "reads outside " << outside.what() << ":\n"
                      << scan::to_text(nests[k]) << safe_loads_of(nests[k]);
        differs = true;
      }
      std::sort(expected.begin(), expected.end());
      std::sort(visited.begin(), visited.end());
      EXPECT_EQ(visited, expected) << scan::to_text(nests[k]);
      differs = differs || visited != expected;
      points += expected.size();
    }
  }
  EXPECT_GE(worlds, 15);
  return points;
}

class ScanExecute : public testing::TestWithParam<const char *> {};

TEST_P(ScanExecute, VisitsThePointsOfTheSpaceOnce) {
  Random random(11);
  for (const std::string &input : golden_inputs("scan", GetParam())) {
    SCOPED_TRACE(input);
    EXPECT_GT(execute(input, random), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, ScanExecute, testing::Values("nests", "conditions", "intervals"));

/// Orders that a planner would not choose visit the same points.
TEST(ScanExecute, AnyOrderThatIsBounded) {
  Random random(13);
  const std::string sparse = "y(i) = A(i,j) * x(j)\n-f A=csr\n-f x=sv\n-s order ";
  const std::string dense = "y(i) = A(i,j) * x(j)\n-f A=csr\n-s order ";
  for (const std::string &input : {sparse + "i, A.p", sparse + "i, x.p", sparse + "x.p, i",
                                   dense + "j, i, A.p", dense + "i, j, A.p", dense + "x.a, y.a"}) {
    SCOPED_TRACE(input);
    EXPECT_GT(execute(input, random), 0u);
  }
}

} // namespace
} // namespace unravel::test
