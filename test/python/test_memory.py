"""Whose memory arrays are, and how long it lives."""
import gc

import numpy as np
import pytest
import scipy.sparse as sp

import unravel as un


def test_arrays_outlive_that_a_tensor_is_computed_anew():
    def diagonal(number):
        return un.pack([[0, 1, 2], [0, 1, 2]], np.full(3, float(number)), (3, 3), "dcsr")
    kernel = un.kernel("C(i,j) = 2 * A(i,j)", A="dcsr", C="dcsr")
    T = kernel(A=diagonal(1))
    arrays = T.arrays
    before = {name: array.copy() for name, array in arrays.items()}
    junk = []
    for number in range(20):
        assert kernel(A=diagonal(number), C=T) is T
        junk += [np.full(n, 99, dtype) for n in (1, 3, 4) for dtype in ("i4", "f8")]
    assert T.arrays["val"].tolist() == [38.0] * 3
    del T
    gc.collect()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, before[name])


def test_wide_indices_are_shared_in_every_call():
    S = sp.csr_matrix(np.eye(4))
    S.indptr, S.indices = S.indptr.astype(np.int64), S.indices.astype(np.int64)
    U = np.ones((4, 2))
    kernel = un.kernel("D(i,j) = S(i,j)*U(i,r)*U(j,r)", D="like:S")
    for _ in range(3):
        D = kernel(S=S, U=U)
        assert D.indices.dtype == np.int64 and np.shares_memory(D.indices, S.indices)
        assert np.shares_memory(D.indptr, S.indptr)
        np.testing.assert_array_equal(D.toarray(), 2 * np.eye(4))
    x = un.pack([[0, 1, 2, 3]], np.ones(4), (4,), "sv")  # int32
    D = un.compute("D(i,j) = S(i,j) * x(j)", S=S, x=x, D="like:S")
    assert np.shares_memory(D.indices, S.indices)
    for format in ("csr", "csc", "coo", "bcsr<2,2>"):
        C = un.compute("C(i,j) = A(i,j) + B(i,j)", A=S, B=S, C=format)
        index = C.row if format == "coo" else C.indices
        assert index.dtype == np.int64, format
        np.testing.assert_array_equal(C.toarray(), 2 * np.eye(4))


def test_what_is_read_only_stays_so():
    S = sp.csr_matrix(np.eye(4))
    for array in (S.indptr, S.indices):
        array.flags.writeable = False
    D = un.compute("D(i,j) = 2 * S(i,j)", S=S, D="like:S")
    assert np.shares_memory(D.indices, S.indices)
    assert not D.indices.flags.writeable and not D.indptr.flags.writeable and D.data.flags.writeable
    T = un.tensor("csr", S.shape, {"rowptr": S.indptr, "col": S.indices, "val": S.data})
    assert not T.arrays["col"].flags.writeable and T.arrays["val"].flags.writeable
    S.data.flags.writeable = False
    T = un.tensor("csr", S.shape, {"rowptr": S.indptr.copy(), "col": S.indices.copy(), "val": S.data})
    assert T.arrays["col"].flags.writeable and not T.arrays["val"].flags.writeable


@pytest.mark.parametrize("layout, shape, counts", [(None, (2,), {}), ("sv", (2**63,), {}), ("sv", (2,), {"NNZ": "x"}),
                                                   ("no layout", (2,), {})])
def test_nothing_is_lent_for_good(layout, shape, counts):
    from unravel._tensor import _lent
    gc.collect()
    before = len(_lent)
    with pytest.raises(Exception):
        un.tensor(layout, shape, {"idx": np.array([0]), "val": np.ones(1)}, counts)
    gc.collect()
    assert len(_lent) == before


class Line(sp.coo_array):
    """Like the arrays of one dimension that later versions of SciPy have."""
    shape = (3,)


def test_sparse_arrays_of_one_dimension():
    line = Line.__new__(Line)
    line.data = np.ones(1)
    with pytest.raises(un.Error, match=r"only matrices are taken; `un.pack\(.*'sv'") as thrown:
        un.compute("y(i) = x(i)", x=line)
    assert thrown.value.kind == "order-mismatch"


def test_hints_name_what_python_has():
    with pytest.raises(un.Error) as thrown:
        un.kernel("y(i) = A(i,j) * x(j)", A="nosuch")
    assert "`unravel " not in str(thrown.value) and "docs/layout-language.md" in str(thrown.value)
    source = un.emit_c("C(i,j) = A(i,j) * B(i,j)", A="csr", B="csr", C="csr")
    assert "4 if a count needs int64 index arrays" in source.header and "--" not in source.header
