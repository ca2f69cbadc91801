#include "packing/pack_layouts.h"
#include "places.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace unravel::packing {

using tensor::layout_of;
using tensor::shipped;

const std::vector<std::string> &user_layouts() {
  static const std::vector<std::string> texts = {
      R"(layout csr_back(i: M, j: N) { # columns descend
  index ptr[M + 1], col[NNZ]; count NNZ = ptr(M); value val[NNZ];
  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and ptr(r) <= p < ptr(r + 1) and j = col(p) } at val(p);
  property ptr(0) = 0; property increasing ptr; property range col in [0, N);
  property strictly decreasing col within ptr; })",
      R"(layout csr_one(i: M, j: N) { # columns count from 1, rows from the last
  index ptr[M + 1], col[NNZ]; count NNZ = ptr(M); value val[NNZ];
  stored { [r, p] -> [i, j] : i = M - 1 - r and 0 <= r < M and ptr(r) <= p < ptr(r + 1) and j = col(p) - 1 } at -val(p);
  property ptr(0) = 0; property increasing ptr; property range col in [1, N];
  property strictly increasing col within ptr; })",
      R"(layout csr_first(i: M, j: N) { # the first row's pointer is the second, in arrays of mixed width
  index ptr[M + 2] : int64, col[NNZ] : int32; count NNZ = ptr(M + 1); value val[NNZ] : f32;
  stored { [r, p] -> [i, j] : r = i + 1 and 1 <= r <= M and ptr(r) <= p < ptr(r + 1) and j = col(p) } at val(p);
  property ptr(0) = 0; property ptr(1) = 0; property increasing ptr; property range col in [0, N);
  property forall r, p, q : ptr(r) <= p < q < ptr(r + 1) => col(p) < col(q); })",
      R"(layout csr_bag(i: M, j: N) { # columns of a row in any order, each once
  index ptr[M + 1], col[NNZ]; count NNZ = ptr(M); value val[NNZ];
  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and ptr(r) <= p < ptr(r + 1) and j = col(p) } at val(p);
  property ptr(0) = 0; property increasing ptr; property range col in [0, N);
  property injective col within ptr; })",
      R"(layout dcsc(i: M, j: N) {
  index colidx[NC], ptr[NC + 1], row[NNZ]; count NC; count NNZ = ptr(NC); value val[NNZ];
  stored { [c, p] -> [i, j] : 0 <= c < NC and j = colidx(c) and ptr(c) <= p < ptr(c + 1) and i = row(p) } at val(p);
  property range colidx in [0, N); property strictly increasing colidx; property ptr(0) = 0;
  property strictly increasing ptr; property range row in [0, M); property strictly increasing row within ptr; })",
      R"(layout dcsr_bag(i: M, j: N) { # rows listed in any order, each once
  index rowidx[NR], ptr[NR + 1], col[NNZ]; count NR; count NNZ = ptr(NR); value val[NNZ];
  stored { [r, p] -> [i, j] : 0 <= r < NR and i = rowidx(r) and ptr(r) <= p < ptr(r + 1) and j = col(p) } at val(p);
  property range rowidx in [0, M); property injective rowidx; property ptr(0) = 0;
  property increasing ptr; property range col in [0, N); property strictly increasing col within ptr; })",
      R"(layout rows_dense(i: M, j: N) { # only some rows, each in full
  index rowidx[NR]; count NR; value val[NR, N];
  stored { [r, c] -> [i, j] : 0 <= r < NR and i = rowidx(r) and j = c and 0 <= c < N } at val(r, c);
  property range rowidx in [0, M); property strictly decreasing rowidx; })",
      R"(layout coo_by_row(i: M, j: N) { # sorted by row alone
  index row[NNZ], col[NNZ]; count NNZ; value val[NNZ];
  stored { [p] -> [i, j] : 0 <= p < NNZ and i = row(p) and j = col(p) } at val(p);
  property range row in [0, M); property range col in [0, N); property increasing row; property injective (row, col); })",
      R"(layout coo_colmajor(i: M, j: N) { # sorted by column, then by descending row
  index row[NNZ], col[NNZ]; count NNZ; value val[NNZ] : f32;
  stored { [p] -> [i, j] : 0 <= p < NNZ and i = row(p) and j = col(p) } at val(p);
  property range row in [0, M); property range col in [0, N);
  property forall p, q : p < q => col(p) < col(q) or (col(p) = col(q) and row(p) > row(q)); })",
      R"(layout csf3(i: M, j: N, k: K) {
  index ptr[M + 1], col[NF], fiberptr[NF + 1], tube[NNZ]; count NF = ptr(M); count NNZ = fiberptr(NF); value val[NNZ];
  stored { [r, f, p] -> [i, j, k] : i = r and 0 <= r < M and ptr(r) <= f < ptr(r + 1) and j = col(f)
           and fiberptr(f) <= p < fiberptr(f + 1) and k = tube(p) } at val(p);
  property ptr(0) = 0; property increasing ptr; property fiberptr(0) = 0; property increasing fiberptr;
  property range col in [0, N); property range tube in [0, K);
  property strictly increasing col within ptr; property strictly increasing tube within fiberptr; })",
      R"(layout csf3_full(i: M, j: N, k: K) {
  index row[NR], ptr[NR + 1], col[NF], fiberptr[NF + 1], tube[NNZ];
  count NR; count NF = ptr(NR); count NNZ = fiberptr(NF); value val[NNZ];
  stored { [r, f, p] -> [i, j, k] : 0 <= r < NR and k = row(r) and ptr(r) <= f < ptr(r + 1) and j = col(f)
           and fiberptr(f) <= p < fiberptr(f + 1) and i = tube(p) } at val(p);
  property range row in [0, K); property strictly increasing row;
  property ptr(0) = 0; property increasing ptr; property fiberptr(0) = 0; property increasing fiberptr;
  property range col in [0, N); property range tube in [0, M);
  property strictly increasing col within ptr; property strictly increasing tube within fiberptr; })",
      R"(layout csr_tail(i: M, j: N, k: K) { # each stored (i, j) has a full vector along k
  index ptr[M + 1], col[NNZ]; count NNZ = ptr(M); value val[K, NNZ];
  stored { [r, p, d] -> [i, j, k] : i = r and 0 <= r < M and ptr(r) <= p < ptr(r + 1) and j = col(p) and k = d
           and 0 <= d < K } at val(d, p);
  property ptr(0) = 0; property increasing ptr; property range col in [0, N); property strictly increasing col within ptr; })",
      R"(layout coo3(i: M, j: N, k: K) {
  index a[NNZ], b[NNZ], c[NNZ]; count NNZ; value val[NNZ];
  stored { [p] -> [i, j, k] : 0 <= p < NNZ and i = a(p) and j = b(p) and k = c(p) } at val(p);
  property range a in [0, M); property range b in [0, N); property range c in [0, K);
  property strictly increasing (c, a, b); })",
      R"(layout slots_in_full(i: M, j: N) { # unused ones hold zeros at other columns
  index col[M, W]; count W; value val[M, W];
  stored { [r, s] -> [i, j] : i = M - 1 - r and 0 <= r < M and 0 <= s < W and j = col(r, s) } at val(r, s);
  property forall r, s : 0 <= col(r, s) < N; property forall r, s, t : s < t => col(r, t) < col(r, s); })",
      R"(layout rows_and_columns(i: M, j: N) { # below the diagonal by rows, else by columns
  index rptr[M + 1], col[LOW], cptr[N + 1], row[UP]; count LOW = rptr(M); count UP = cptr(N); value low[LOW], up[UP];
  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and rptr(r) <= p < rptr(r + 1) and j = col(p) } at low(p);
  stored { [c, p] -> [i, j] : j = c and 0 <= c < N and cptr(c) <= p < cptr(c + 1) and i = row(p) } at up(p);
  property rptr(0) = 0; property increasing rptr; property cptr(0) = 0; property increasing cptr;
  property forall r, p : rptr(r) <= p < rptr(r + 1) => 0 <= col(p) < r and col(p) < N;
  property forall c, p : cptr(c) <= p < cptr(c + 1) => 0 <= row(p) <= c and row(p) < M;
  property strictly increasing col within rptr; property strictly increasing row within cptr; })",
      R"(layout list_and_rows(i: M, j: N) { # above the diagonal a list, else by rows
  index arow[NA], acol[NA], ptr[M + 1], col[NNZ]; count NA; count NNZ = ptr(M); value a[NA], val[NNZ];
  stored { [p] -> [i, j] : 0 <= p < NA and i = arow(p) and j = acol(p) and i < j } at a(p);
  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and ptr(r) <= p < ptr(r + 1) and j = col(p) } at val(p);
  property range arow in [0, M); property range acol in [0, N); property strictly increasing (arow, acol);
  property forall r, p : ptr(r) <= p < ptr(r + 1) => 0 <= col(p) <= r and col(p) < N;
  property ptr(0) = 0; property increasing ptr; property strictly increasing col within ptr; })",
      R"(layout slots_down(i: M, j: N) { # of each column, two slots for the last rows; the others by columns
  index slot[2, N], ptr[N + 1], row[NNZ]; count NNZ = ptr(N); value slotval[2, N], val[NNZ];
  stored { [s, c] -> [i, j] : 0 <= s < 2 and 0 <= c < N and j = N - 1 - c and i = slot(s, c) and 0 <= i } at slotval(s, c);
  stored { [c, p] -> [i, j] : 0 <= c < N and ptr(c) <= p < ptr(c + 1) and j = c and i = row(p) } at val(p);
  property forall s, c : -1 <= slot(s, c) < M;
  property forall s, t, c : s < t and 0 <= slot(t, c) => 0 <= slot(s, c) and slot(t, c) < slot(s, c);
  property ptr(0) = 0; property increasing ptr; property range row in [0, M);
  property strictly increasing row within ptr;
  property forall s, c, p : 0 <= c < N and ptr(c) <= p < ptr(c + 1) => row(p) < slot(s, N - 1 - c); })",
      R"(layout blocks_then_list(i: M, j: N) { # of each row, two blocks of three columns; then a list
  index slot[2, M], len[M], row[NNZ], col[NNZ]; count NNZ; value slotval[2, M, 3], val[NNZ];
  stored { [s, r, d] -> [i, j] : 0 <= r < M and 0 <= s < len(r) and 0 <= d < 3 and i = r
           and j = 3 * slot(s, r) + d and j < N } at slotval(s, r, d);
  stored { [p] -> [i, j] : 0 <= p < NNZ and i = row(p) and j = col(p) } at val(p);
  property range len in [0, 2];
  property forall s, r : 0 <= s < len(r) => 0 <= slot(s, r) < ceil(N / 3);
  property forall s, r, t : 0 <= s < t < len(r) => slot(s, r) < slot(t, r);
  property range row in [0, M); property range col in [0, N); property strictly increasing (row, col);
  property forall p : len(row(p)) = 2;
  property forall s, p : 0 <= s < len(row(p)) => 3 * slot(s, row(p)) + 2 < col(p); })",
      R"(layout csr_up(i: M, j: N) { # from the last row on, though positions count from the first
  index ptr[M + 1], col[NNZ]; count NNZ = ptr(M); value val[NNZ];
  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and ptr(M - 1 - r) <= p < ptr(M - r) and j = col(p) } at val(p);
  property ptr(0) = 0; property increasing ptr; property range col in [0, N);
  property strictly increasing col within ptr; })",
      R"(layout turned(i: M, j: N) { # the last row first, each from its last column on
  value val[M, N];
  stored { [r, c] -> [i, j] : i = r and j = c and 0 <= r < M and 0 <= c < N } at val(M - 1 - r, N - 1 - c); })",
  };
  return texts;
}

layout::Layout layout_in(const std::string &file, const std::string &name, std::size_t order,
                         const std::vector<std::int64_t> &parameters) {
  parse::LayoutReference reference;
  reference.file =
      (std::filesystem::path(unravel::test::source_folder()) / "test" / "layouts" / file).string();
  reference.name = name;
  reference.parameters = parameters;
  return layout::load_layout(reference, order).layout;
}

layout::Layout derived_layout(const std::string &name, std::size_t order,
                              const std::vector<std::int64_t> &parameters) {
  return layout_in("derived.layout", name, order, parameters);
}

const std::vector<layout::Layout> &derived_layouts() {
  static const std::vector<layout::Layout> layouts = [] {
    std::vector<layout::Layout> result;
    auto add = [&](const std::string &name, std::size_t order, const std::vector<std::int64_t> &parameters) {
      result.push_back(derived_layout(name, order, parameters));
    };
    add("bcsr", 2, {2, 3});
    add("bcsr", 2, {1, 1});
    add("bcsr", 2, {4, 1});
    add("bcsc", 2, {2, 3});
    add("bcsr_back", 2, {3, 2});
    add("blocks_shifted", 2, {3});
    add("csb", 2, {4});
    add("csb_back", 2, {1});
    add("csb_back", 2, {3});
    add("blocked_vector", 1, {3});
    add("blocked_vector_back", 1, {4});
    add("table", 1, {3});
    add("blocks_of_blocks", 1, {2, 3});
    add("mode_generic", 3, {2, 1, 3});
    add("hicoo_back", 3, {2});
    add("dia", 2, {});
    add("dia_back", 2, {});
    add("anti", 2, {});
    add("anti_back", 2, {});
    add("csr_relative", 2, {});
    add("coo_relative", 2, {});
    add("all_diagonals", 2, {});
    add("block_diagonals", 2, {2});
    add("csr_doubled", 2, {});
    add("csr_doubled_back", 2, {});
    for (const char *name : {"table_by_tens", "runs"})
      result.push_back(layout_in("tables.layout", name, 1));
    for (const char *name : {"row_tables", "tables_apart", "pairs", "runs_down", "table_of_rows",
                             "table_of_dense", "rows_of_tables", "tables_twice"})
      result.push_back(layout_in("tables.layout", name, 2));
    auto add_permuted = [&](const std::string &name, std::size_t order,
                            const std::vector<std::int64_t> &parameters) {
      result.push_back(layout_in("permuted.layout", name, order, parameters));
    };
    for (const char *name : {"permuted_csr", "jagged", "permuted_dense", "listed_rows"})
      add_permuted(name, 2, {});
    add_permuted("permuted_csc", 2, {3});
    add_permuted("permuted_slices", 2, {2, 4});
    add_permuted("permuted_bcsr", 2, {2, 3});
    add_permuted("permuted_middle", 3, {});
    auto add_bounded = [&](const std::string &name, std::size_t order,
                           const std::vector<std::int64_t> &parameters) {
      result.push_back(layout_in("segments.layout", name, order, parameters));
    };
    for (const char *name : {"csr4_one", "csr4_neighbours", "csr_from_one", "csr_lengths", "csc_lengths",
                             "dcsr4", "bands", "ellr_rows", "listed_slots", "lower_half"})
      add_bounded(name, 2, {});
    for (const char *name : {"slices", "sell_lengths"})
      add_bounded(name, 2, {2});
    for (const char *name : {"bcsr4", "bellr"})
      add_bounded(name, 2, {2, 3});
    for (const char *name : {"fibers", "csf4_arrays"})
      add_bounded(name, 3, {});
    add_bounded("slots_of_pairs", 4, {});
    result.push_back(layout_in("odd.layout", "csr_live", 2));
    for (const char *name : {"runs_of_ones", "tables_thrice"})
      result.push_back(layout_in("tables.layout", name, 3));
    return result;
  }();
  return layouts;
}

const std::vector<layout::Layout> &shipped_layouts() {
  static const std::vector<layout::Layout> layouts = [] {
    std::vector<layout::Layout> result;
    for (const char *name : {"sv", "bitmap"})
      result.push_back(shipped(name, 1));
    for (const char *name :
         {"csr",          "csc",     "dcsr",      "dcsc",          "coo",      "coo_unsorted",
          "coo_dup",      "coo_aos", "csr_lower", "pattern_csr",   "bitmap",   "packed_lower",
          "packed_upper", "banded",  "skyline",   "symmetric_csr", "skew_csr", "lower_diagonal",
          "ell",          "warp24",  "dia",       "run_length",    "csr4",     "ellr"})
      result.push_back(shipped(name, 2));
    result.push_back(shipped("hash_vector", 1, {4}));
    result.push_back(shipped("hash_matrix", 2, {4}));
    result.push_back(shipped("hyb", 2, {2}));
    result.push_back(shipped("sell", 2, {2}));
    result.push_back(shipped("sellcs", 2, {2}));
    result.push_back(shipped("sellcs", 2, {1})); // k = b + r
    result.push_back(shipped("csb", 2, {3}));
    result.push_back(shipped("bcsr", 2, {2, 3}));
    result.push_back(shipped("bcsc", 2, {3, 2}));
    result.push_back(shipped("ubcsr", 2, {2, 3}));
    for (const char *name : {"coo3", "csf3"})
      result.push_back(shipped(name, 3));
    result.push_back(shipped("hicoo", 3, {2}));
    result.push_back(shipped("mode_generic", 3, {2, 1, 3}));
    for (const char *name : {"coo4", "csf4"})
      result.push_back(shipped(name, 4));
    return result;
  }();
  return layouts;
}

std::vector<layout::Layout> layouts_of(std::size_t order) {
  std::vector<layout::Layout> result;
  std::vector<std::int64_t> modes(order);
  std::iota(modes.begin(), modes.end(), 0);
  if (order == 0) return {shipped("dense", 0)};
  do
    result.push_back(shipped("dense", order, modes));
  while (std::next_permutation(modes.begin(), modes.end()));
  for (const layout::Layout &layout : shipped_layouts())
    if (layout.order() == order) result.push_back(layout);
  for (const std::string &text : user_layouts()) {
    layout::Layout layout = layout_of(text);
    if (layout.order() == order) result.push_back(std::move(layout));
  }
  for (const layout::Layout &layout : derived_layouts())
    if (layout.order() == order) result.push_back(layout);
  return result;
}

} // namespace unravel::packing
