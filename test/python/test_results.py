"""What calls return and what they leave as it is: structures that are reused, wide indices, fills."""
import numpy as np
import pytest
import scipy.sparse as sp

import unravel as un


def refusal(work):
    with pytest.raises(un.Error) as thrown:
        work()
    assert not thrown.value.is_bug
    return f"{thrown.value} {thrown.value.kind}"


@pytest.mark.parametrize("a, b, m", [("csr", "csr", "csr"), ("dia", "csr", "csr"), ("ell", "csr", "coo")])
def test_reused_structures_with_a_mask(a, b, m):
    A = np.array([[1.0, 2, 0], [0, 0, 3]])
    B = np.array([[0, 1.0, 0, 0], [4, 0, 0, 0], [0, 6, 0, 5]])
    M = np.array([[1.0, 0, 0, 1], [0, 0, 0, 1]])
    in_layout = lambda array, layout: un.pack(np.nonzero(array), array[np.nonzero(array)], array.shape, layout)
    C = un.compute("C(i,j) = A(i,k) * B(k,j) mask M(i,j)", A=in_layout(A, a), B=in_layout(B, b), M=in_layout(M, m),
                   C="csr", options=un.Options(schedules="reuse"))
    assert C.toarray().tolist() == ((A @ B) * M).tolist()


def entries(tensor):
    where, what = tensor.coordinates()
    return sorted((*map(int, place), float(value)) for place, value in zip(where.T, what))


def test_coordinates_beyond_32_bits_of_results_and_of_locals():
    """The options say int32, which is for what fits."""
    where = [[2**32 + 5, 2**32 + 7, 9], [3, 2**32 + 1, 4]]
    T = un.pack(where, [1.0, 2, 3], (2**33, 2**33), "dcsr", index=np.int64)
    stored = sorted(zip(*where, [1.0, 2, 3]))
    transposed = sorted((j, i, value) for i, j, value in stored)
    assert entries(un.compute("C(j,i) = T(i,j)", T=T, C="dcsr")) == transposed
    assert entries(un.compute("C(i,j) = T(i,j) + T(i,j)", T=T, C="dcsr")) == [(i, j, 2 * v) for i, j, v in stored]
    A = un.pack([[0, 0, 0], [7, 2147483651, 2147483657]], [2.0, 3, 4], (1, 2147483658), "csr", index=np.int64)
    v = un.compute("v(j) = A(i,j)", A=A, v="sv")
    assert entries(v) == [(7, 2), (2147483651, 3), (2147483657, 4)]


def test_a_sparse_matrix_that_is_changed_in_place_is_refused():
    A = sp.csr_array(np.array([[1.0, 2], [0, 3]]))
    for program in ("for i { for j { A(i,j) *= d(i); } }", "A(i,j) = A(i,j) * d(i)", "A(i,j) += d(i) * d(j)"):
        for given in (A, un.pack([[0, 0, 1], [0, 1, 1]], [1.0, 2, 3], (2, 2), "csr")):
            assert "sparse-result" in refusal(lambda: un.compute(program, A=given, d=np.array([10.0, 100])))
            assert given.toarray().tolist() == [[1, 2], [0, 3]]
    C = A.copy()  # a line sets all of its result
    assert un.compute("C(i,j) = 2 * A(i,j)", A=A, C=C) is C
    assert C.toarray().tolist() == [[2, 4], [0, 6]]


def test_no_operands():
    assert un.compute("s = 2 + 3") == 5
    assert un.kernel("s = 2 + 3")() == 5


def test_what_is_not_stored_of_a_least_sum_is_inf(tmp_path):
    A = sp.csr_array(np.array([[0.0, 2], [0, 0]]))
    C = un.compute("C(i,j) = A(i,k) * B(k,j) in min.+", A=A, B=sp.csr_array(np.array([[0.0, 0], [5, 0]])), C="csr")
    assert isinstance(C, un.Tensor) and C.fill == np.inf
    assert C.toarray().tolist() == [[7, np.inf], [np.inf, np.inf]]
    given = A.copy()
    with pytest.warns(UserWarning, match="aren't stored are inf"):
        un.compute("C(i,j) = A(i,k) * A(j,k) in min.+", A=A, C=given)
    path = tmp_path / "d.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n%fill inf\n2 2 1\n1 2 7\n")
    read = un.read(path, "csr")
    assert read.fill == np.inf and read.toarray().tolist() == [[np.inf, 7], [np.inf, np.inf]]
    assert "and not 3" in refusal(lambda: un.read(path, "csr fill 3"))


def test_arrays_of_another_byte_order():
    other = lambda array: array.astype(array.dtype.newbyteorder())
    A, x = sp.csr_array(np.array([[1.0, 2], [0, 3]])), np.array([10.0, 100])
    for matrix in (A, A.tocoo(), A.todia(), A.toarray()):
        swapped = other(matrix)
        assert un.compute("y(i) = A(i,j) * x(j)", A=swapped, x=other(x)).tolist() == [210, 300]
    y = other(np.zeros(2))
    assert un.compute("y(i) = 2 * x(i)", x=x, y=y) is y
    assert y.tolist() == [20, 200]
    assert un.tensor("sv", (5,), {"idx": other(np.array([1, 3])), "val": other(x)}).toarray().tolist() == [0, 10, 0, 100, 0]
    assert un.pack([[1, 3]], other(x), (5,), "sv").toarray().tolist() == [0, 10, 0, 100, 0]


def random_matrix(n, seed, layout, index):
    rng = np.random.default_rng(seed)
    at = np.unique(rng.integers(0, n * n, 2 * n))
    values = rng.integers(1, 9, len(at)).astype(float)
    made = sp.coo_matrix((values, (at // n, at % n)), shape=(n, n)).asformat(layout)
    for name in {"coo": ("row", "col")}.get(layout, ("indices", "indptr")):
        setattr(made, name, getattr(made, name).astype(index))
    return made


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("of_b", ["csc", "csr", "coo"])
def test_calls_convert_operands_where_that_pays(of_b, index):
    """Of the small ones nothing is converted, of the large ones csc or the second A is."""
    for n in (40, 3000, 50):
        a, b = random_matrix(n, 1, "csr", index), random_matrix(n, 2, of_b, index)
        for line, wanted in [("C(i,j) = A(i,k)*B(k,j)", a @ b), ("C(i,j) = A(i,k)*A(j,k) + B(i,j)", a @ a.T + b)]:
            made = un.compute(line, A=a, B=b, C="csr")
            assert abs(made - wanted).max() == 0, (line, n)
