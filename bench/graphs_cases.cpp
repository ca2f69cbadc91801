#include "graphs_cases.h"

#include "check/validate.h"
#include "convert/structure.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <utility>

namespace unravel::bench {

namespace {

using data::Coordinates;

/// examples/bfs_undirected.unravel: pushes while few vertices are reached in a round, then pulls.
const char *const breadth_first = R"(tensor A(n, n), level(n) f64; size source >= 0;

let reached(i in [0, n)) = 0;
let front(i in [0, n)) = 0;
let last(i in [0, n)) = 0;
let hit(j in [0, n)) = 0;
let left(j in [0, n)) = 0;
for i in [0, n) {
  level(i) = inf;
  if i = source { level(i) = 0; front(i) = 1; reached(i) = 1; }
}
let many = n / 20;
let depth = 0;
repeat n until found = 0 or found > many {
  depth += 1;
  let next(j in [0, n)) = 0;
  for i { for j { next(j) or= A(i,j) * front(i) in or.second mask !reached(j); } }
  for j { level(j) = depth mask next(j); }
  for j { reached(j) or= next(j); }
  for i { front(i) = 0; }
  for j { front(j) or= next(j); }
  let found = 0;
  for j { found += next(j); }
}
for i { last(i) = (level(i) = depth); }
for j {
  let some = 0;
  for i { some or= bool(1) mask A(j,i); }
  left(j) = and(some, level(j) > depth);
}
repeat n until more = 0 {
  depth += 1;
  for j {
    let near = not(left(j));
    for i { near or= last(i) mask A(j,i); }
    hit(j) = and(near, left(j));
    left(j) = not(near);
  }
  for j { level(j) = select(hit(j), depth, level(j)); }
  let more = 0;
  for j { more or= hit(j); }
  for j { last(j) = hit(j); }
})";

const char *const page_rank = R"(tensor A(n, n), rank(n);
let count = 0;
for i in [0, n) { count += 1; }
let degree(i in [0, n)) = 0;
for i { for j { degree(i) += A(i,j) * A(i,j) in +.pair; } }
for i { rank(i) = 1 / count; }
repeat 20 {
  let share(i in [0, n)) = rank(i) / max(degree(i), 1);
  let lost = 0;
  for i { lost += select(degree(i) > 0, 0, rank(i)); }
  let next(j in [0, n)) = 0;
  for j { for i { next(j) += A(j,i) * share(i) in +.second; } }
  for j { rank(j) = 0.15 / count + 0.85 * next(j) + 0.85 * lost / count; }
})";

const char *const paths = R"(tensor A(n, n), distance(n); size source >= 0;
for i in [0, n) {
  distance(i) = inf;
  if i = source { distance(i) = 0; }
}
repeat n until changed = 0 {
  let next(j) = distance(j);
  for j { for i { next(j) min= A(j,i) * distance(i) in min.+; } }
  let changed = 0;
  for j { changed or= next(j) < distance(j); }
  for j { distance(j) = next(j); }
})";

/// The graph of a matrix.
Coordinates undirected(const Coordinates &matrix) {
  std::set<std::pair<std::int64_t, std::int64_t>> edges;
  for (std::size_t e = 0; e < matrix.size(); ++e) {
    const std::int64_t i = matrix.index[0][e], j = matrix.index[1][e];
    if (i == j) continue;
    edges.emplace(i, j);
    edges.emplace(j, i);
  }
  Coordinates made(matrix.shape);
  for (const auto &[i, j] : edges)
    made.append({i, j},
                1 + static_cast<double>(std::min(i, j) * 7919 % 97 + std::max(i, j) * 104729 % 31) / 8);
  return made;
}

/// Of A; `by_degree`: of its vertices numbered by how many edges they have, most first.
Coordinates lower_triangle(const Coordinates &graph, bool by_degree) {
  std::vector<std::int64_t> degree(static_cast<std::size_t>(graph.shape[0])), order(degree.size()),
      number(degree.size());
  for (const std::int64_t i : graph.index[0])
    ++degree[static_cast<std::size_t>(i)];
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (by_degree)
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return degree[static_cast<std::size_t>(a)] > degree[static_cast<std::size_t>(b)];
    });
  for (std::size_t k = 0; k < order.size(); ++k)
    number[static_cast<std::size_t>(order[k])] = static_cast<std::int64_t>(k);
  Coordinates lower(graph.shape);
  for (std::size_t e = 0; e < graph.size(); ++e) {
    const std::int64_t i = number[static_cast<std::size_t>(graph.index[0][e])],
                       j = number[static_cast<std::size_t>(graph.index[1][e])];
    if (j < i) lower.append({i, j}, 1);
  }
  data::sort(lower, data::natural_modes(2));
  return lower;
}

/// The one with the most edges.
std::int64_t hub(tensor::Tensor &matrix) {
  const Compressed a = compressed(matrix);
  std::int32_t best = 0;
  for (std::int32_t i = 1; i < a.lines; ++i)
    if (a.pos[i + 1] - a.pos[i] > a.pos[best + 1] - a.pos[best]) best = i;
  return best;
}

Coordinates dense_vector(const GraphKernel &kernel, std::int64_t size) {
  Coordinates x({size});
  for (std::int64_t k = 0; k < size; ++k)
    x.append({k}, kernel.problem == GraphProblem::reached ? static_cast<double>(k * 7919 % 97 % 2)
                                                          : 1 + static_cast<double>(k * 7919 % 997) / 64);
  return x;
}

Coordinates few(const GraphKernel &kernel, std::int64_t size, double density) {
  Coordinates x = sparse_vector(size, density);
  for (double &value : x.value)
    value = kernel.problem == GraphProblem::reached_few ? 1 : 2 + value;
  return x;
}

} // namespace

const std::vector<GraphKernel> &graph_kernels() {
  using P = GraphProblem;
  static const std::map<std::string, std::string> rows{{"A", "csr"}},
      columns{{"A", "csc"}, {"x", "sv"}, {"y", "sv"}},
      masked{{"A", "csr"}, {"B", "csr"}, {"M", "csr"}, {"C", "csr"}};
  static const std::vector<GraphKernel> all{
      {P::triangles,
       "triangles",
       "triangles",
       "t = L(i,j) * L(i,k) * L(j,k) in plus.pair",
       {{"L", "csr"}},
       "t",
       0.2},
      {P::shortest, "spmv-min-plus", "SpMV, min.plus", "y(i) = A(i,j) * x(j) in min.+", rows, "y", 0.6},
      {P::reached, "spmv-or-and", "SpMV, or.and", "y(i) = A(i,j) * x(j) in or.and", rows, "y", 0.6,
       value::Type::Bool},
      {P::shortest_few, "spmspv-min-plus", "SpMSpV, min.plus, sparse result", "y(i) = A(i,j) * x(j) in min.+",
       columns, "y", 0.4},
      {P::reached_few, "spmspv-or-and", "SpMSpV, or.and, sparse result", "y(i) = A(i,j) * x(j) in or.and",
       columns, "y", 0.4},
      {P::masked_times, "masked-times", "A * A where A has entries, plus.times",
       "C(i,j) = A(i,k) * B(k,j) mask M(i,j)", masked, "C", 0.4},
      {P::masked_pair, "masked-pair", "A * A where A has entries, plus.pair",
       "C(i,j) = A(i,k) * B(k,j) in plus.pair mask M(i,j)", masked, "C", 0.4},
      {P::breadth_first,
       "bfs",
       "breadth-first search",
       breadth_first,
       rows,
       "level",
       0.7,
       value::Type::Float64,
       {{"front", "listed"},
        {"next", "listed"},
        {"reached", "bitmap"},
        {"last", "dense bool"},
        {"hit", "dense bool"},
        {"left", "dense bool"}}},
      {P::page_rank, "pagerank", "PageRank, 20 rounds", page_rank, rows, "rank", 0.7},
      {P::paths, "sssp", "shortest paths from one vertex", paths, rows, "distance", 0.7}};
  return all;
}

std::vector<Input> graphs(const std::string &folder, Size size) {
  std::vector<Input> found;
  for (const char *file : {"email-Enron.mtx.gz", "luxembourg_osm.mtx.gz", "memplus.mtx.gz"}) {
    if (size == Size::quick) continue;
    if (folder.empty() || !std::filesystem::exists(folder + "/" + file))
      std::fprintf(stderr, "%s is left out: there is no such file\n", file);
    else
      for_each_file(folder, file, [&](const std::string &name, const Coordinates &matrix) {
        found.push_back({name.substr(0, name.find('.')), undirected(matrix)});
      });
  }
  for (const int scale : size == Size::quick ? std::vector{10, 12} : std::vector{14, 16, 18})
    found.push_back(
        {fmt::format("rmat 2^{}", scale), undirected(generated(fmt::format("rmat:scale={}", scale)))});
  return found;
}

void for_each_case(const GraphKernel &kernel, const std::vector<Input> &graphs,
                   const std::function<void(GraphCase &)> &visit) {
  using P = GraphProblem;
  auto show = [&](const std::string &name, std::map<std::string, Coordinates> operands,
                  const std::vector<std::int64_t> &result, const std::vector<std::string> &same = {}) {
    GraphCase one{name, {}, {}, {}, 0};
    const bool is_typed = kernel.type != value::Type::Float64; // bool
    for (const auto &[operand, coordinates] : operands) {
      auto format = kernel.formats.find(operand);
      const std::string layout = format == kernel.formats.end() ? "dense" : format->second;
      one.tensors.emplace(operand, pack_as(layout, coordinates));
      if (!is_typed) continue;
      Coordinates truths = coordinates;
      for (double &value : truths.value)
        value = value != 0;
      one.typed.emplace(operand, pack_as(layout, truths, kernel.type));
      one.entries += coordinates.size();
    }
    for (const std::string &other : same)
      one.tensors.emplace(other, one.tensors.at("A"));
    auto format = kernel.formats.find(kernel.result);
    const std::string layout = format == kernel.formats.end() ? "dense" : format->second;
    one.tensors.emplace(kernel.result, pack_as(layout, Coordinates(result)));
    if (is_typed) one.typed.emplace(kernel.result, pack_as(layout, Coordinates(result), kernel.type));
    if (kernel.problem == P::breadth_first || kernel.problem == P::paths)
      one.sizes.emplace("source", hub(one.tensors.at("A")));
    visit(one);
  };
  for (const Input &graph : graphs) {
    const std::int64_t n = graph.matrix.shape[0];
    switch (kernel.problem) {
    case P::triangles:
      show(graph.name, {{"L", lower_triangle(graph.matrix, false)}}, {});
      show(graph.name + ", by degree", {{"L", lower_triangle(graph.matrix, true)}}, {});
      break;
    case P::shortest:
    case P::reached: show(graph.name, {{"A", graph.matrix}, {"x", dense_vector(kernel, n)}}, {n}); break;
    case P::shortest_few:
    case P::reached_few:
      for (const double density : {1e-4, 1e-2, 1e-1})
        show(fmt::format("{} @ {:g}", graph.name, density),
             {{"A", graph.matrix}, {"x", few(kernel, n, density)}}, {n});
      break;
    case P::masked_times:
    case P::masked_pair: show(graph.name, {{"A", graph.matrix}}, {n, n}, {"B", "M"}); break;
    case P::breadth_first:
    case P::page_rank:
    case P::paths: show(graph.name, {{"A", graph.matrix}}, {n}); break;
    }
  }
}

Contestant our_contestant(const GraphKernel &kernel, GraphCase &one, const std::string &name, int threads) {
  pipeline::Request request;
  request.expression = kernel.text;
  request.formats = kernel.formats;
  request.formats.insert(kernel.locals.begin(), kernel.locals.end());
  std::map<std::string, tensor::Tensor> &own = one.typed.empty() ? one.tensors : one.typed;
  std::map<std::string, tensor::Tensor *> tensors;
  for (auto &[operand, tensor] : own) {
    tensors.emplace(operand, &tensor);
    if (one.typed.empty()) continue;
    const auto format = kernel.formats.find(operand);
    request.formats[operand] = fmt::format("{} {}", format == kernel.formats.end() ? "dense" : format->second,
                                           value::facts_of(kernel.type).word);
  }
  request.counts = counts({tensors.begin(), tensors.end()});
  auto bound = std::make_shared<BoundKernel>(request, tensors, one.sizes);
  tensor::Tensor &result = own.at(kernel.result);
  const bool is_sparse = kernel.formats.contains(kernel.result);
  return {name,
          [=] {
            bound->set_threads(threads); // which is the process's, not the kernel's
            (*bound)();
          },
          [=, &result] {
            if (!is_sparse) {
              const data::Elements &values = result.array("val");
              std::vector<double> numbers;
              for (std::size_t k = 0; k < values.size(); ++k)
                numbers.push_back(values.number(k).number());
              return numbers;
            }
            bound->take_results();
            check::require_ok(check::validate(result), result, "the result");
            Coordinates found = convert::unpack(result);
            if (found.order() == 1) found.index.emplace_back(found.size());
            return flat({std::move(found.index[0]), std::move(found.index[1]), std::move(found.value)});
          }};
}

GraphOperands operands_of(const GraphKernel &kernel, GraphCase &one) {
  GraphOperands operands;
  operands.problem = kernel.problem;
  operands.matrix = compressed(one.tensors.at(kernel.problem == GraphProblem::triangles ? "L" : "A"));
  if (auto x = one.tensors.find("x"); x != one.tensors.end()) {
    if (kernel.formats.contains("x"))
      operands.sparse = sparse(x->second);
    else
      operands.dense = x->second.array("val").as<double>().data();
  }
  if (auto source = one.sizes.find("source"); source != one.sizes.end())
    operands.source = static_cast<std::int32_t>(source->second);
  return operands;
}

std::vector<double> flat(const Entries &entries) {
  std::vector<std::size_t> order(entries.value.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(entries.row[a], entries.column[a]) < std::pair(entries.row[b], entries.column[b]);
  });
  std::vector<double> made;
  for (const std::size_t e : order)
    made.insert(made.end(), {static_cast<double>(entries.row[e]), static_cast<double>(entries.column[e]),
                             entries.value[e]});
  return made;
}

} // namespace unravel::bench
