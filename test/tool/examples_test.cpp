// examples/: graph algorithms as programs, on real graphs and generated ones, against plain implementations.
#include "examples.h"
#include "places.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <queue>

namespace unravel::tool::test {
namespace {

std::vector<double> levels_from(std::size_t source, const Graph &graph) {
  std::vector<double> level(graph.size, infinity);
  std::deque<std::size_t> queue{source};
  level[source] = 0;
  for (; !queue.empty(); queue.pop_front())
    for (const auto &[next, weight] : graph.edges[queue.front()])
      if (level[next] == infinity) level[next] = level[queue.front()] + 1, queue.push_back(next);
  return level;
}

TEST(Examples, BreadthFirstSearch) {
  for (const auto &problem : problems(graphs, generated_graphs, keep))
    for (const char *layout : {"csr", "csc"}) {
      SCOPED_TRACE(problem->name + " " + layout);
      for (const std::size_t source : {std::size_t{0}, problem->graph.size / 2})
        expect_equal(problem->run("bfs", layout, {"source=" + std::to_string(source)}, {"level"})["level"],
                     levels_from(source, problem->graph));
    }
}

std::vector<double> distances_from(std::size_t source, const Graph &graph) {
  std::vector<double> distance(graph.size, infinity);
  using Reached = std::pair<double, std::size_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  queue.emplace(distance[source] = 0, source);
  while (!queue.empty()) {
    const auto [so_far, vertex] = queue.top();
    queue.pop();
    if (so_far > distance[vertex]) continue;
    for (const auto &[next, weight] : graph.edges[vertex])
      if (so_far + weight < distance[next]) queue.emplace(distance[next] = so_far + weight, next);
  }
  return distance;
}

TEST(Examples, BreadthFirstSearchThatPushesThenPulls) {
  auto undirected = [](data::Coordinates &entries) { entries = both_directions(entries, true); };
  for (const auto &problem : problems(graphs, generated_graphs, undirected))
    for (const char *list : {"listed", "hashed", "bitmap"}) {
      SCOPED_TRACE(problem->name + " " + list);
      const std::string front = std::string("front=") + list, next = std::string("next=") + list;
      const auto found = problem->run_with("bfs_undirected",
                                           {"-f", "A=csr", "-f", front, "-f", next, "-f", "reached=bitmap",
                                            "-f", "last=dense bool", "-f", "hit=dense bool", "-f",
                                            "left=dense bool", "-i", "A=A.mtx", "-i", "source=2"},
                                           {"level"});
      expect_equal(to_dense(found.at("level")), levels_from(2, problem->graph));
    }
}

TEST(Examples, ShortestPaths) {
  for (const auto &problem : problems(graphs, generated_graphs, give_weights))
    for (const char *layout : {"csr", "csc"}) {
      SCOPED_TRACE(problem->name + " " + layout);
      expect_equal(problem->run("sssp", layout, {"source=1"}, {"distance"})["distance"],
                   distances_from(1, problem->graph)); // eighths add up exactly
    }
}

/// Rounds of a surfer, one vertex after the other.
std::vector<double> ranks_of(const Graph &graph, int &rounds) {
  const double n = static_cast<double>(graph.size);
  std::vector<double> rank(graph.size, 1 / n);
  double change = 1;
  for (rounds = 0; rounds < 200 && change >= 1e-10; ++rounds) {
    std::vector<double> next(graph.size, 0);
    double lost = 0;
    change = 0;
    for (std::size_t i = 0; i < graph.size; ++i) {
      std::vector<std::size_t> followed;
      for (const auto &[j, weight] : graph.edges[i])
        followed.push_back(j);
      if (followed.empty()) lost += rank[i];
      for (const std::size_t j : followed)
        next[j] += rank[i] / static_cast<double>(followed.size());
    }
    for (std::size_t j = 0; j < graph.size; ++j) {
      next[j] = 0.15 / n + 0.85 * (next[j] + lost / n);
      change += std::fabs(next[j] - rank[j]);
    }
    rank = next;
  }
  return rank;
}

TEST(Examples, PageRank) {
  for (const auto &problem : problems(graphs, generated_graphs, keep))
    for (const char *layout : {"csr", "csc"}) {
      SCOPED_TRACE(problem->name + " " + layout);
      int rounds = 0;
      const std::vector<double> expected = ranks_of(problem->graph, rounds);
      auto found = problem->run("pagerank", layout, {}, {"rank", "rounds"});
      expect_equal(found["rank"], expected, 1e-11);
      EXPECT_NEAR(std::accumulate(found["rank"].begin(), found["rank"].end(), 0.0), 1, 1e-9);
      ASSERT_EQ(found["rounds"].size(), 1u);
      EXPECT_NEAR(found["rounds"][0], rounds, 1); // where the change is just about the bound
    }
}

/// Of each vertex the least one of its component, by union and find.
std::vector<double> components_of(const Graph &graph) {
  std::vector<std::size_t> parent(graph.size);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  auto root = [&](std::size_t vertex) {
    while (parent[vertex] != vertex)
      vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
  };
  for (std::size_t i = 0; i < graph.size; ++i)
    for (const auto &[j, weight] : graph.edges[i]) {
      const std::size_t one = root(i), other = root(j);
      parent[std::max(one, other)] = std::min(one, other);
    }
  std::vector<double> label;
  for (std::size_t i = 0; i < graph.size; ++i)
    label.push_back(static_cast<double>(root(i)));
  return label;
}

TEST(Examples, ConnectedComponents) {
  for (const auto &problem : problems(graphs, generated_graphs, keep))
    for (const char *layout : {"csr", "csc"}) {
      SCOPED_TRACE(problem->name + " " + layout);
      expect_equal(problem->run("components", layout, {}, {"label"})["label"], components_of(problem->graph));
    }
}

TEST(Examples, Triangles) {
  auto undirected = [](data::Coordinates &entries) { entries = both_directions(entries, true); };
  for (const auto &problem : problems(graphs, generated_graphs, undirected)) {
    SCOPED_TRACE(problem->name);
    std::vector<std::set<std::size_t>> neighbours(problem->graph.size);
    for (std::size_t i = 0; i < problem->graph.size; ++i)
      for (const auto &[j, weight] : problem->graph.edges[i])
        neighbours[i].insert(j);
    double count = 0;
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      for (const std::size_t j : neighbours[i])
        for (const std::size_t k : neighbours[i])
          count += k < j && j < i && neighbours[j].contains(k);
    expect_equal(problem->run("triangles", "csr", {}, {"count"})["count"], {count});
  }
}

TEST(Examples, ParentsInBreadthFirstSearch) {
  for (const auto &problem : problems(graphs, generated_graphs, keep))
    for (const char *layout : {"csr", "csc"}) {
      SCOPED_TRACE(problem->name + " " + layout);
      const std::vector<double> level = levels_from(3, problem->graph);
      std::vector<double> parent(level.size(), -1);
      parent[3] = 3;
      for (std::size_t i = level.size(); i-- > 0;)
        for (const auto &[j, weight] : problem->graph.edges[i])
          if (level[i] != infinity && level[j] == level[i] + 1) parent[j] = static_cast<double>(i);
      expect_equal(problem->run("bfs_parents", layout, {"source=3"}, {"parent"})["parent"], parent);
    }
}

/// The neighbours of each vertex.
std::vector<std::set<std::size_t>> neighbours_of(const Graph &graph) {
  std::vector<std::set<std::size_t>> all(graph.size);
  for (std::size_t i = 0; i < graph.size; ++i)
    for (const auto &[j, weight] : graph.edges[i])
      all[i].insert(j);
  return all;
}

std::size_t common(const std::set<std::size_t> &one, const std::set<std::size_t> &other) {
  return static_cast<std::size_t>(
      std::count_if(one.begin(), one.end(), [&](std::size_t each) { return other.contains(each); }));
}

void make_undirected(data::Coordinates &entries) {
  entries = both_directions(entries, false);
}

/// The same entries, up to the tolerance; where a value is about `doubtful` there may be none.
void expect_entries(const Graph &found, const std::vector<std::map<std::size_t, double>> &expected,
                    double tolerance, double doubtful = -1) {
  ASSERT_EQ(found.size, expected.size());
  for (std::size_t i = 0; i < found.size; ++i) {
    std::map<std::size_t, double> row(found.edges[i].begin(), found.edges[i].end());
    for (const auto &[j, value] : expected[i]) {
      const bool may_lack = std::fabs(value - doubtful) <= tolerance;
      if (may_lack && !row.contains(j)) continue;
      ASSERT_TRUE(row.contains(j)) << i << " " << j;
      ASSERT_NEAR(row[j], value, tolerance) << i << " " << j;
      row.erase(j);
    }
    for (const auto &[j, value] : row)
      ASSERT_NEAR(value, doubtful, tolerance) << "not expected: " << i << " " << j;
  }
}

TEST(Examples, JaccardSimilarity) {
  for (const auto &problem : problems({"west0067.mtx", "add32.mtx"}, generated_graphs, make_undirected)) {
    SCOPED_TRACE(problem->name);
    const auto neighbours = neighbours_of(problem->graph);
    std::vector<std::map<std::size_t, double>> expected(neighbours.size());
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      for (const std::size_t k : neighbours[i])
        for (const std::size_t j : neighbours[k]) {
          const std::size_t both = common(neighbours[i], neighbours[j]);
          expected[i][j] = static_cast<double>(both) /
                           static_cast<double>(neighbours[i].size() + neighbours[j].size() - both);
        }
    auto found = problem->run_with(
        "jaccard", {"-f", "A=csr", "-i", "A=A.mtx", "-f", "common=bitmap", "-f", "J=csr"}, {"J"});
    if (found.contains("J")) expect_entries(graph_of(found.at("J")), expected, 1e-12);
  }
}

/// What is left when edges of fewer than so many triangles go, one by one.
std::vector<std::map<std::size_t, double>> truss_of(const Graph &graph, std::size_t least) {
  auto neighbours = neighbours_of(graph);
  std::deque<std::pair<std::size_t, std::size_t>> doubtful;
  for (std::size_t i = 0; i < graph.size; ++i)
    for (const std::size_t j : neighbours[i])
      if (i < j) doubtful.emplace_back(i, j);
  for (; !doubtful.empty(); doubtful.pop_front()) {
    const auto [i, j] = doubtful.front();
    if (!neighbours[i].contains(j) || common(neighbours[i], neighbours[j]) >= least) continue;
    neighbours[i].erase(j);
    neighbours[j].erase(i);
    for (const std::size_t k : neighbours[i]) {
      if (!neighbours[j].contains(k)) continue;
      doubtful.emplace_back(std::min(i, k), std::max(i, k));
      doubtful.emplace_back(std::min(j, k), std::max(j, k));
    }
  }
  std::vector<std::map<std::size_t, double>> left(graph.size);
  for (std::size_t i = 0; i < graph.size; ++i)
    for (const std::size_t j : neighbours[i])
      left[i][j] = 1;
  return left;
}

TEST(Examples, Truss) {
  for (const auto &problem : problems(graphs, {"rmat:scale=7,edges=9,seed=3"}, make_undirected)) {
    SCOPED_TRACE(problem->name);
    const auto expected = truss_of(problem->graph, 3);
    auto found = problem->run_with("truss",
                                   {"-f", "A=csr", "-i", "A=A.mtx", "-f", "support=bitmap", "-f", "left=csr",
                                    "-s", "drop zeros", "-i", "least=3"},
                                   {"left"});
    if (found.contains("left")) expect_entries(graph_of(found.at("left")), expected, 0);
  }
}

/// Brandes' algorithm with queues.
std::vector<double> centrality_of(const Graph &graph, const std::vector<std::size_t> &sources) {
  std::vector<double> centrality(graph.size, 0);
  for (const std::size_t source : sources) {
    std::vector<double> level(graph.size, infinity), paths(graph.size, 0), part(graph.size, 0);
    std::deque<std::size_t> queue{source};
    std::vector<std::size_t> reached;
    level[source] = 0;
    paths[source] = 1;
    for (; !queue.empty(); queue.pop_front()) {
      const std::size_t i = queue.front();
      reached.push_back(i);
      for (const auto &[j, weight] : graph.edges[i]) {
        if (level[j] == infinity) level[j] = level[i] + 1, queue.push_back(j);
        if (level[j] == level[i] + 1) paths[j] += paths[i];
      }
    }
    for (auto i = reached.rbegin(); i != reached.rend(); ++i) {
      for (const auto &[j, weight] : graph.edges[*i])
        if (level[j] == level[*i] + 1) part[*i] += paths[*i] / paths[j] * (1 + part[j]);
      if (*i != source) centrality[*i] += part[*i];
    }
  }
  return centrality;
}

TEST(Examples, BetweennessCentrality) {
  for (const auto &problem : problems(graphs, generated_graphs, keep))
    for (const char *layout : {"csr", "csc"}) {
      SCOPED_TRACE(problem->name + " " + layout);
      const std::vector<std::size_t> sources{0, 7, problem->graph.size / 2, problem->graph.size - 1};
      data::Coordinates numbers({4, 1});
      for (std::size_t k = 0; k < sources.size(); ++k)
        numbers.append({static_cast<std::int64_t>(k), 0}, static_cast<double>(sources[k]));
      data::write_tensor(problem->desk.path("source.mtx"), numbers);
      const auto expected = centrality_of(problem->graph, sources);
      const double most = *std::max_element(expected.begin(), expected.end());
      expect_equal(problem->run("betweenness", layout, {"source=source.mtx"}, {"centrality"})["centrality"],
                   expected, 1e-12 * most);
    }
}

/// Steps of a walk along edges, or that stays.
void make_steps(data::Coordinates &entries) {
  entries = both_directions(entries, false);
  for (std::int64_t i = 0; i < entries.shape[0]; ++i)
    entries.append({i, i}, 1);
  std::vector<double> sum(static_cast<std::size_t>(entries.shape[0]), 0);
  for (std::size_t e = 0; e < entries.size(); ++e)
    sum[static_cast<std::size_t>(entries.index[0][e])] += 1;
  for (std::size_t e = 0; e < entries.size(); ++e)
    entries.value[e] = 1 / sum[static_cast<std::size_t>(entries.index[0][e])];
}

TEST(Examples, MarkovClustering) {
  for (const auto &problem : problems({"west0067.mtx", "add32.mtx"}, generated_graphs, make_steps)) {
    SCOPED_TRACE(problem->name);
    const double threshold = 0.01;
    std::vector<std::map<std::size_t, double>> expected(problem->graph.size);
    for (std::size_t i = 0; i < problem->graph.size; ++i) {
      double sum = 0;
      for (const auto &[k, first] : problem->graph.edges[i])
        for (const auto &[j, second] : problem->graph.edges[k])
          expected[i][j] += first * second;
      for (auto &[j, value] : expected[i])
        sum += value = value * value;
      for (auto &[j, value] : expected[i])
        value /= sum;
      std::erase_if(expected[i], [&](const auto &each) { return each.second < threshold - 1e-12; });
    }
    auto found = problem->run_with("markov_clustering",
                                   {"-f", "M=csr", "-f", "reached=bitmap", "-f", "N=csr", "-s", "drop zeros",
                                    "-i", "M=A.mtx", "-i", "threshold=0.01"},
                                   {"N"});
    if (found.contains("N")) expect_entries(graph_of(found.at("N")), expected, 1e-12, threshold);
  }
}

// ---- programs from files

TEST(Examples, FromStandardInput) {
  Desk desk;
  Outcome outcome = desk.execute({"sh", "-c",
                                  "echo '# a line\ny(i) = A(i,j) * x(j) # of index notation' | " +
                                      unravel::test::tool_path() + " compile -F - -f A=csr"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("A->rowptr"), std::string::npos) << outcome.out;
}

TEST(Examples, MistakesInFiles) {
  Desk desk;
  desk.write("p.unravel", "# a program\nfor i {\n  y(i) = x(i;\n}\n");
  Outcome outcome = desk.unravel({"run", "-F", "p.unravel"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("p.unravel:3:13: error:"), std::string::npos) << outcome.error;
  outcome = desk.unravel({"run", "-F", "none.unravel"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("none.unravel: error: cannot read"), std::string::npos) << outcome.error;
  outcome = desk.unravel({"run", "-F", "p.unravel", spmv});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.error.find("both an expression and `-F p.unravel` are given"), std::string::npos)
      << outcome.error;
}

/// Every file of the folder has a test here, and a command in its head.
TEST(Examples, AreComplete) {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(unravel::test::source_folder() + "/examples"))
    names.insert(entry.path().stem().string());
  EXPECT_EQ(names, (std::set<std::string>{"als", "betweenness", "bfs", "bfs_parents", "bfs_undirected",
                                          "components", "conjugate_gradients", "gauss_seidel", "jaccard",
                                          "jacobi", "markov_clustering", "pagerank", "power_iteration",
                                          "sssp", "triangles", "truss"}));
}

} // namespace
} // namespace unravel::tool::test
