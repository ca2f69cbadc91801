#include "coiteration_peers.h"
#include "merge.h"

#include <memory>

namespace unravel::bench {

namespace {

using Result = std::vector<double>;

std::function<void(double *)> kernel(const Operands &o, int threads) {
  const auto &m = o.matrices;
  const auto &v = o.vectors;
  switch (o.kernel) {
  case Coiteration::spmspv_rows: return [=](double *y) { merge_spmspv(m[0], v[0], y, threads); };
  case Coiteration::spmspv_columns: return [=](double *y) { scatter_spmspv(m[0], v[0], y); };
  case Coiteration::dot: return [=](double *t) { *t = merge_dot(v[0], v[1]); };
  case Coiteration::row_dot: return [=](double *y) { merge_row_dot(m[0], m[1], y, threads); };
  case Coiteration::inner: return [=](double *c) { merge_inner(m[0], m[1], c, threads); };
  case Coiteration::triple_dot: return [=](double *t) { *t = merge_triple_dot(v[0], v[1], v[2]); };
  case Coiteration::triple_rows: return [=](double *y) { merge_triple_rows(m[0], m[1], v[0], y, threads); };
  case Coiteration::triangles: return [=](double *t) { *t = merge_triangles(m[0], threads); };
  }
  return {};
}

} // namespace

std::vector<Contestant> merge_peers(const Operands &operands, int threads, bool long_walks) {
  bool walks = operands.kernel == Coiteration::spmspv_rows || operands.kernel == Coiteration::triple_rows;
  if (walks && !long_walks) return {{"merge", {}, {}}};
  auto result = std::make_shared<Result>(operands.result);
  auto run = kernel(operands, threads);
  return {{"merge", [=] { run(result->data()); }, [=] { return *result; }}};
}

} // namespace unravel::bench
