#pragma once

#include "coiteration_cases.h"
#include "graphs_peers.h"
#include "kernel.h"
#include "report.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// The kernels of bench_graphs and the graphs they are measured on.
namespace unravel::bench {

struct GraphKernel {
  GraphProblem problem{};
  std::string name; // as after --kernels, its table's
  std::string title;
  std::string text;                           // an assignment, or a program
  std::map<std::string, std::string> formats; // of what isn't dense
  std::string result;
  double wanted = 0;                              // ours / the best peer, geometric mean
  value::Type type = value::Type::Float64;        // of our values
  std::map<std::string, std::string> locals = {}; // layouts of a program's own tensors
};

const std::vector<GraphKernel> &graph_kernels();

/// One input: all tensors packed, the result's too.
struct GraphCase {
  std::string name;
  std::map<std::string, tensor::Tensor> tensors; // f64
  std::map<std::string, tensor::Tensor> typed;   // ours, where they have another type
  std::map<std::string, std::int64_t> sizes;
  std::size_t entries = 0;
};

/// An undirected graph: symmetric, without a diagonal, positive weights.
std::vector<Input> graphs(const std::string &folder, Size size);

/// Calls `visit` with each case of a kernel, made one at a time.
void for_each_case(const GraphKernel &kernel, const std::vector<Input> &graphs,
                   const std::function<void(GraphCase &)> &visit);

/// Ours, told the counts of the data. Throws report::Error where there is no such kernel.
Contestant our_contestant(const GraphKernel &kernel, GraphCase &one, const std::string &name, int threads);

/// Views of the operands.
GraphOperands operands_of(const GraphKernel &kernel, GraphCase &one);

} // namespace unravel::bench
