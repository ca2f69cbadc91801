#pragma once

#include <string>

/// Kernels whose threads append to arrays of their own: what A stores, but for zeros, as C.
namespace unravel::test {

inline const std::string operand_of_rows =
    "operand A : csr(M, N)\n  count NNZ\n  index rowptr[A.M + 1] : int32\n"
    "  index col[A.NNZ] : int32\n  value val[A.NNZ] : float64\n";

inline const std::string rows_in_parallel =
    "kernel all_rows\nexpression e\nresult C : csr(M, N)\n  assembled\n"
    "  count NNZ\n  index rowptr[C.M + 1] : int32\n"
    "  index col[C.NNZ] : int32\n  value val[C.NNZ] : float64\n" +
    operand_of_rows + R"({
  var n = 0
  reserve C.NNZ >= 0 : C.col, C.val
  var r = 0
  for i in 0 .. A.M parallel 32 appends C.NNZ at n, C.rowptr at r into n {
    for p in A.rowptr(i) .. A.rowptr(i + 1) {
      value s = A.val[p]
      if stored s {
        while r <= i {
          C.rowptr(r) := n
          r := r + 1
        }
        reserve C.NNZ >= n + 1 : C.col, C.val
        C.col(n) := A.col(p)
        C.val[n] = s
        n := n + 1
      }
    }
  }
  while r <= A.M {
    C.rowptr(r) := n
    r := r + 1
  }
  count C.NNZ = n
}
)";

/// Of rows that have entries alone.
inline const std::string stored_rows_in_parallel =
    "kernel stored_rows\nexpression e\nresult C : dcsr(M, N)\n  assembled\n  count NR\n  count NNZ\n"
    "  index rowidx[C.NR] : int32\n  index rowptr[C.NR + 1] : int32\n  index col[C.NNZ] : int32\n"
    "  value val[C.NNZ] : float64\n" +
    operand_of_rows + R"({
  var q = 0
  reserve C.NR >= 0 : C.rowidx, C.rowptr
  var n = 0
  reserve C.NNZ >= 0 : C.col, C.val
  for i in 0 .. A.M parallel 32 appends C.NR at q, C.NNZ at n, C.rowptr at q into n {
    for p in A.rowptr(i) .. A.rowptr(i + 1) {
      value s = A.val[p]
      if stored s {
        if q <= 0 or not C.rowidx(q - 1) = i {
          reserve C.NR >= q + 1 : C.rowidx, C.rowptr
          C.rowidx(q) := i
          C.rowptr(q) := n
          q := q + 1
        }
        reserve C.NNZ >= n + 1 : C.col, C.val
        C.col(n) := A.col(p)
        C.val[n] = s
        n := n + 1
      }
    }
  }
  C.rowptr(q) := n
  count C.NR = q
  count C.NNZ = n
}
)";

} // namespace unravel::test
