#include "plans_hand.h"

#include <algorithm>

namespace unravel::bench {

void unfactored_mttkrp(const Tree &t, const std::vector<const double *> &factors, int mode,
                       std::int64_t width, std::int64_t rows, double *y) {
  std::fill_n(y, rows * width, 0.0);
  std::vector<int> others;
  for (int depth = 0; depth < t.order; ++depth)
    if (depth != mode) others.push_back(depth);
  const std::int32_t *const *at = t.index;
  auto row = [&](int depth, const std::int64_t *coordinates) {
    return factors[static_cast<std::size_t>(depth)] + coordinates[depth] * width;
  };
  std::int64_t c[Tree::most];
  for (std::int32_t n = 0; n < t.roots; ++n) {
    c[0] = at[0][n];
    for (std::int32_t m = t.begin[1][n]; m < t.begin[1][n + 1]; ++m) {
      c[1] = at[1][m];
      for (std::int32_t f = t.begin[2][m]; f < t.begin[2][m + 1]; ++f) {
        c[2] = at[2][f];
        if (t.order == 3) {
          const double *__restrict a = row(others[0], c), *__restrict b = row(others[1], c);
          double *__restrict to = y + c[mode] * width;
          for (std::int64_t r = 0; r < width; ++r)
            to[r] += t.val[f] * a[r] * b[r];
          continue;
        }
        for (std::int32_t p = t.begin[3][f]; p < t.begin[3][f + 1]; ++p) {
          c[3] = at[3][p];
          const double *__restrict a = row(others[0], c), *__restrict b = row(others[1], c),
                                   *__restrict d = row(others[2], c);
          double *__restrict to = y + c[mode] * width;
          for (std::int64_t r = 0; r < width; ++r)
            to[r] += t.val[p] * a[r] * b[r] * d[r];
        }
      }
    }
  }
}

namespace {

template <int order> class TreeMttkrp {
public:
  TreeMttkrp(const Tree &t, const std::vector<const double *> &factors, int mode, std::int64_t width,
             double *y)
      : t_(t), factors_(factors), mode_(mode), width_(width), y_(y),
        sums_(static_cast<std::size_t>(t.order * width)),
        products_(static_cast<std::size_t>(t.order * width)) {}

  void run() {
    for (std::int32_t n = 0; n < t_.roots; ++n)
      at<0>(n, nullptr);
  }

private:
  const double *row(int depth, std::int32_t node) const {
    return factors_[static_cast<std::size_t>(depth)] + t_.index[depth][node] * width_;
  }

  /// The sum of what is below a node.
  template <int depth> const double *below(std::int32_t node) {
    double *__restrict sum = sums_.data() + depth * width_;
    std::fill_n(sum, width_, 0.0);
    const std::int32_t from = t_.begin[depth + 1][node], to = t_.begin[depth + 1][node + 1];
    if constexpr (depth + 2 == order) {
      for (std::int32_t p = from; p < to; ++p) {
        const double *__restrict factor = row(depth + 1, p);
        for (std::int64_t r = 0; r < width_; ++r)
          sum[r] += t_.val[p] * factor[r];
      }
    } else {
      for (std::int32_t child = from; child < to; ++child) {
        const double *__restrict part = below<depth + 1>(child);
        const double *__restrict factor = row(depth + 1, child);
        for (std::int64_t r = 0; r < width_; ++r)
          sum[r] += part[r] * factor[r];
      }
    }
    return sum;
  }

  /// `above`: the product of the rows above a node; null: there are none.
  template <int depth> void at(std::int32_t node, const double *above) {
    if (depth == mode_) {
      const double *__restrict sum = below<depth>(node);
      double *__restrict y = y_ + t_.index[depth][node] * width_;
      for (std::int64_t r = 0; r < width_; ++r)
        y[r] += above ? above[r] * sum[r] : sum[r];
      return;
    }
    const double *product = row(depth, node);
    if (above) {
      const double *__restrict own = product;
      double *__restrict made = products_.data() + depth * width_;
      for (std::int64_t r = 0; r < width_; ++r)
        made[r] = above[r] * own[r];
      product = made;
    }
    const std::int32_t from = t_.begin[depth + 1][node], to = t_.begin[depth + 1][node + 1];
    if constexpr (depth + 2 < order) {
      for (std::int32_t child = from; child < to; ++child)
        at<depth + 1>(child, product);
    } else {
      const double *__restrict all = product;
      for (std::int32_t p = from; p < to; ++p) {
        double *__restrict y = y_ + t_.index[depth + 1][p] * width_;
        for (std::int64_t r = 0; r < width_; ++r)
          y[r] += t_.val[p] * all[r];
      }
    }
  }

  const Tree &t_;
  const std::vector<const double *> &factors_;
  const int mode_;
  const std::int64_t width_;
  double *const y_;
  std::vector<double> sums_, products_;
};

} // namespace

void tree_mttkrp(const Tree &t, const std::vector<const double *> &factors, int mode, std::int64_t width,
                 std::int64_t rows, double *y) {
  std::fill_n(y, rows * width, 0.0);
  if (t.order == 3)
    TreeMttkrp<3>(t, factors, mode, width, y).run();
  else
    TreeMttkrp<4>(t, factors, mode, width, y).run();
}

void factored_ttmc(const Tree &t, const double *__restrict u, const double *__restrict v, std::int64_t width,
                   std::int64_t rows, double *__restrict y) {
  std::fill_n(y, rows * width * width, 0.0);
  std::vector<double> sums(static_cast<std::size_t>(width));
  double *__restrict sum = sums.data();
  for (std::int32_t n = 0; n < t.roots; ++n)
    for (std::int32_t f = t.begin[1][n]; f < t.begin[1][n + 1]; ++f) {
      std::int64_t i = t.index[0][n], j = t.index[1][f];
      for (std::int64_t s = 0; s < width; ++s)
        sum[s] = 0;
      for (std::int32_t p = t.begin[2][f]; p < t.begin[2][f + 1]; ++p) {
        std::int64_t k = t.index[2][p];
        for (std::int64_t s = 0; s < width; ++s)
          sum[s] += t.val[p] * v[k * width + s];
      }
      for (std::int64_t r = 0; r < width; ++r)
        for (std::int64_t s = 0; s < width; ++s)
          y[(i * width + r) * width + s] += u[j * width + r] * sum[s];
    }
}

void unfactored_ttmc(const Tree &t, const double *__restrict u, const double *__restrict v,
                     std::int64_t width, std::int64_t rows, double *__restrict y) {
  std::fill_n(y, rows * width * width, 0.0);
  for (std::int32_t n = 0; n < t.roots; ++n)
    for (std::int32_t f = t.begin[1][n]; f < t.begin[1][n + 1]; ++f)
      for (std::int32_t p = t.begin[2][f]; p < t.begin[2][f + 1]; ++p) {
        std::int64_t i = t.index[0][n], j = t.index[1][f], k = t.index[2][p];
        for (std::int64_t r = 0; r < width; ++r)
          for (std::int64_t s = 0; s < width; ++s)
            y[(i * width + r) * width + s] += t.val[p] * u[j * width + r] * v[k * width + s];
      }
}

void pairwise_tttp(const Tree &t, const double *u, const double *v, const double *w, std::int64_t width,
                   double *d) {
  const std::int32_t fibres = t.begin[1][t.roots];
  const auto entries = static_cast<std::size_t>(t.begin[2][fibres]);
  std::vector<double> first(entries * static_cast<std::size_t>(width)), second(first.size());
  for (std::int32_t n = 0; n < t.roots; ++n)
    for (std::int32_t f = t.begin[1][n]; f < t.begin[1][n + 1]; ++f)
      for (std::int32_t p = t.begin[2][f]; p < t.begin[2][f + 1]; ++p) {
        const double *__restrict row = u + t.index[0][n] * width;
        double *__restrict to = first.data() + p * width;
        for (std::int64_t r = 0; r < width; ++r)
          to[r] = t.val[p] * row[r];
      }
  for (std::int32_t f = 0; f < fibres; ++f)
    for (std::int32_t p = t.begin[2][f]; p < t.begin[2][f + 1]; ++p) {
      const double *__restrict row = v + t.index[1][f] * width, *__restrict from = first.data() + p * width;
      double *__restrict to = second.data() + p * width;
      for (std::int64_t r = 0; r < width; ++r)
        to[r] = from[r] * row[r];
    }
  for (std::int32_t f = 0; f < fibres; ++f)
    for (std::int32_t p = t.begin[2][f]; p < t.begin[2][f + 1]; ++p) {
      const double *row = w + t.index[2][p] * width, *from = second.data() + p * width;
      double sum = 0;
      for (std::int64_t r = 0; r < width; ++r)
        sum += from[r] * row[r];
      d[p] = sum;
    }
}

void unfactored_chain(const Tree &t, const std::vector<const double *> &cores,
                      const std::vector<std::int64_t> &sizes, std::int64_t width, double *__restrict z) {
  const double *__restrict A = cores[0], *__restrict B = cores[1], *__restrict C = cores[2],
                           *__restrict D = cores[3], *__restrict E = cores[4];
  const std::int64_t R = width;
  std::fill_n(z, R * sizes[5], 0.0);
  for (std::int32_t pi = 0; pi < t.roots; ++pi)
    for (std::int32_t pj = t.begin[1][pi]; pj < t.begin[1][pi + 1]; ++pj)
      for (std::int32_t pk = t.begin[2][pj]; pk < t.begin[2][pj + 1]; ++pk)
        for (std::int32_t pl = t.begin[3][pk]; pl < t.begin[3][pk + 1]; ++pl)
          for (std::int32_t pm = t.begin[4][pl]; pm < t.begin[4][pl + 1]; ++pm)
            for (std::int32_t pn = t.begin[5][pm]; pn < t.begin[5][pm + 1]; ++pn) {
              const std::int64_t i = t.index[0][pi], j = t.index[1][pj], k = t.index[2][pk],
                                 l = t.index[3][pl], m = t.index[4][pm], n = t.index[5][pn];
              for (std::int64_t a = 0; a < R; ++a)
                for (std::int64_t b = 0; b < R; ++b)
                  for (std::int64_t c = 0; c < R; ++c)
                    for (std::int64_t d = 0; d < R; ++d)
                      for (std::int64_t e = 0; e < R; ++e)
                        z[e * sizes[5] + n] += t.val[pn] * A[i * R + a] * B[(a * sizes[1] + j) * R + b] *
                                               C[(b * sizes[2] + k) * R + c] * D[(c * sizes[3] + l) * R + d] *
                                               E[(d * sizes[4] + m) * R + e];
            }
}

} // namespace unravel::bench
