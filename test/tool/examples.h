#pragma once

#include "data/tensor_file.h"
#include "places.h"
#include "tool.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// What the tests of examples/ share: matrices, runs of a program on them, comparisons.
namespace unravel::tool::test {

constexpr double infinity = std::numeric_limits<double>::infinity();

inline std::string example(const std::string &name) {
  return unravel::test::source_folder() + "/examples/" + name + ".unravel";
}

/// Entries row by row.
struct Graph {
  std::size_t size = 0;
  std::vector<std::vector<std::pair<std::size_t, double>>> edges;
};

inline Graph graph_of(data::Coordinates entries) {
  data::combine_duplicates(entries);
  Graph graph;
  graph.size = static_cast<std::size_t>(entries.shape.at(0));
  graph.edges.resize(graph.size);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const std::vector<std::int64_t> at = entries.coordinate(e);
    graph.edges[static_cast<std::size_t>(at[0])].emplace_back(at[1], entries.value[e]);
  }
  return graph;
}

/// A desk with the matrix A.mtx.
struct Problem {
  std::string name;
  Desk desk;
  Graph graph;

  /// `unravel run` on an example; the results that are asked for, dense.
  std::map<std::string, std::vector<double>> run(const std::string &program, const std::string &layout,
                                                 const std::vector<std::string> &inputs,
                                                 const std::vector<std::string> &results) const {
    std::vector<std::string> options{"-f", "A=" + layout, "-i", "A=A.mtx"};
    for (const std::string &input : inputs)
      options.insert(options.end(), {"-i", input});
    std::map<std::string, std::vector<double>> read;
    for (const auto &[result, entries] : run_with(program, options, results))
      read[result] = to_dense(entries);
    return read;
  }

  /// The same with any options; the results' entries.
  std::map<std::string, data::Coordinates> run_with(const std::string &program,
                                                    const std::vector<std::string> &options,
                                                    const std::vector<std::string> &results) const {
    std::vector<std::string> arguments{"run", "-F", example(program)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    for (const std::string &result : results)
      arguments.insert(arguments.end(), {"-o", result + "=" + result + ".mtx"});
    const Outcome outcome = desk.unravel(arguments);
    std::map<std::string, data::Coordinates> read;
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    for (const std::string &result : results)
      if (outcome.code == 0) read.emplace(result, data::read_tensor(desk.path(result + ".mtx")));
    return read;
  }
};

inline std::filesystem::path data_folder() {
  if (const char *path = std::getenv("UNRAVEL_DATA")) return path;
  return std::filesystem::path(unravel::test::source_folder()) / "../shared/data";
}

/// Square matrices: from files, where these are there, and generated; `change` may make others of their
/// entries.
template <class Change>
std::vector<std::unique_ptr<Problem>> problems(const std::vector<std::string> &files,
                                               const std::vector<std::string> &generated,
                                               const Change &change) {
  std::vector<std::unique_ptr<Problem>> all;
  auto add = [&](const std::string &name, data::Coordinates entries) {
    auto made = std::make_unique<Problem>();
    made->name = name;
    change(entries);
    data::write_tensor(made->desk.path("A.mtx"), entries);
    made->graph = graph_of(std::move(entries));
    all.push_back(std::move(made));
  };
  for (const std::string &file : files) {
    const std::filesystem::path path = data_folder() / file;
    if (std::filesystem::exists(path))
      add(file, data::read_tensor(path));
    else
      std::cout << "no file " << path << ": left out\n";
  }
  for (const std::string &spec : generated) {
    Desk desk;
    const Outcome outcome = desk.unravel({"generate", spec, "-o", "G.mtx"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    add(spec, data::read_tensor(desk.path("G.mtx")));
  }
  return all;
}

inline const std::vector<std::string> graphs{"west0067.mtx", "add32.mtx", "email-Enron.mtx.gz"};
inline const std::vector<std::string> generated_graphs{"rmat:scale=7,edges=3,seed=3",
                                                       "random:60x60,density=0.02,seed=4"};

inline void keep(data::Coordinates &) {}

/// Positive weights, many of them different.
inline void give_weights(data::Coordinates &entries) {
  for (std::size_t e = 0; e < entries.size(); ++e)
    entries.value[e] = 1 + static_cast<double>(e * 7919 % 97) / 8;
}

inline data::Coordinates both_directions(const data::Coordinates &entries, bool with_diagonal) {
  std::set<std::pair<std::int64_t, std::int64_t>> edges;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const std::vector<std::int64_t> at = entries.coordinate(e);
    if (at[0] == at[1] && !with_diagonal) continue;
    edges.emplace(at[0], at[1]);
    edges.emplace(at[1], at[0]);
  }
  data::Coordinates made(entries.shape);
  for (const auto &[i, j] : edges)
    made.append({i, j}, 1);
  return made;
}

inline void expect_equal(const std::vector<double> &found, const std::vector<double> &expected,
                         double tolerance = 0) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k] == expected[k]) continue;
    ASSERT_NEAR(found[k], expected[k], tolerance) << "element " << k;
  }
}

} // namespace unravel::tool::test
