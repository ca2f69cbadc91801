#include "spmv_peers.h"

#include <Eigen/SparseCore>
#include <memory>

namespace unravel::bench {

namespace {

using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;

struct Product {
  Eigen::Map<const Rows> a;
  Eigen::VectorXd x, y;
};

} // namespace

std::vector<Contestant> eigen_spmv(const Compressed &a, const std::vector<double> &x, int threads) {
  Eigen::setNbThreads(threads);
  Eigen::Map<const Rows> rows(a.lines, a.length, a.entries(), a.pos, a.crd, a.val);
  Eigen::VectorXd factor = Eigen::Map<const Eigen::VectorXd>(x.data(), a.length);
  auto state = std::make_shared<Product>(Product{rows, std::move(factor), Eigen::VectorXd(a.lines)});
  return {{"Eigen", [=] { state->y.noalias() = state->a * state->x; },
           [=] { return std::vector<double>{state->y.data(), state->y.data() + state->y.size()}; }}};
}

} // namespace unravel::bench
