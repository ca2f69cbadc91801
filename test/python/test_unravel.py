"""The Python package against NumPy and SciPy."""
import doctest
import gc
import pathlib
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

import unravel as un

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs"
SPMV = "y(i) = A(i,j) * x(j)"


def matrix(random, m=30, n=20, density=0.15, dtype=float, format="csr"):
    made = sp.random(m, n, density, format="csr", random_state=np.random.RandomState(random.integers(1 << 30)))
    made.data = random.integers(1, 9, made.nnz).astype(dtype)
    return made.astype(dtype).asformat(format)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("wrap", ["matrix", "array"])
def test_sparse_formats(random, format, wrap):
    A = matrix(random, format=format)
    if wrap == "array":
        A = getattr(sp, format + "_array")(A)
    x = random.random(20)
    np.testing.assert_allclose(un.compute(SPMV, A=A, x=x), A @ x)
    square = un.compute("C(i,j) = 2 * A(i,j)", A=A, C="csr")
    assert type(square).__name__ == "csr_" + wrap
    np.testing.assert_allclose(square.toarray(), 2 * A.toarray())


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia"])
def test_nothing_is_copied(random, format):
    A = matrix(random, format=format)
    from unravel._tensor import as_tensor
    tensor, shares = as_tensor(A)
    assert shares
    assert np.shares_memory(tensor.arrays["val"], A.data)
    x = random.random((20, 3))
    for dense in (x, np.asfortranarray(x), x[:, 0], x.T, x[3:7], x[::2, 0]):
        tensor, shares = as_tensor(dense)
        assert shares, (dense.shape, dense.strides)
        np.testing.assert_array_equal(tensor.toarray(), dense)
    assert not as_tensor(x[::-1, 0])[1] and not as_tensor(x[::2])[1]


@pytest.mark.parametrize("format", ["dense<1, 0>", "dense<1, 0> f64", "bcsr<2, 2>", "bcsr< 2,3 >", "bcsr<2, 2> fill 0"])
def test_formats_with_spaces_between_parameters(random, format):
    A, x = random.random((4, 6)), random.random(6)
    for given in (A, np.asfortranarray(A), sp.csr_array(A), sp.bsr_array(A, blocksize=(2, 2))):
        np.testing.assert_allclose(un.kernel(SPMV, A=format)(A=given, x=x), A @ x)
    C = un.compute("C(i,j) = 2 * A(i,j)", A=A, C=format)
    np.testing.assert_allclose(C if isinstance(C, np.ndarray) else C.toarray(), 2 * A)


def results_to_be_given():
    rows, columns = np.array([1, 0, 1], np.int32), np.array([0, 1, 0], np.int32)
    for first, last in ((0, 0), (1, 2), (0, 2), (0, 3)):  # none, sorted, unsorted, repeated entries
        yield sp.coo_array((np.ones(last - first), (rows[first:last], columns[first:last])), shape=(4, 6))
    for length in (0, 3, 6, 8):
        yield sp.dia_array((np.ones((2, length)), [0, 1]), shape=(4, 6))
    for format in ("csr", "csc", "bsr", "dia"):
        yield sp.random(4, 6, 0.3, format="csr", random_state=7).asformat(format)
    yield sp.bsr_matrix((4, 6), blocksize=(2, 3))


def test_results_of_scipy_are_filled(random):
    for C in results_to_be_given():
        kernel = un.kernel("C(i,j) = 2 * A(i,j)")
        for density in (0.4, 0, 0.2):
            for format in ("csr", "dia"):
                A = matrix(random, 4, 6, density, format=format)
                assert kernel(A=A, C=C) is C
                np.testing.assert_array_equal(C.toarray(), 2 * A.toarray(), f"{C.format} of {format}")
                np.testing.assert_array_equal((C @ np.eye(6)), 2 * A.toarray())


def test_diagonals_whose_offsets_have_strides(random):
    A = sp.dia_matrix((random.random((2, 4)), np.array([-1, 0, 1, 2], np.int32)[::2]), shape=(4, 4))
    assert not A.offsets.flags.c_contiguous
    x = random.random(4)
    kernel = un.kernel(SPMV)
    np.testing.assert_allclose(kernel(A=A, x=x), A @ x)
    A.offsets[1] = 2  # a copy that is bound would not see this
    np.testing.assert_allclose(kernel(A=A, x=x), A @ x)
    with pytest.raises(un.Error, match="can't be filled in place"):
        un.compute("C(i,j) = 2 * B(i,j)", B=A.copy(), C=A)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_dtypes_are_kept(random, dtype):
    A, x = matrix(random, dtype=dtype), random.integers(0, 3, 20).astype(dtype)
    y = un.compute(SPMV, A=A, x=x)
    # C computes with int where elements are narrower.
    assert y.dtype == (np.result_type(np.dtype(dtype), np.int32) if np.dtype(dtype).itemsize < 4 else np.dtype(dtype))
    np.testing.assert_array_equal(y, (A @ x).astype(y.dtype) if y.dtype.itemsize > 2 else A @ x)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia"])
def test_complex_numbers(random, dtype, format):
    A = matrix(random).astype(dtype)
    A.data = A.data + 1j * random.random(A.nnz).astype(A.real.dtype)
    A = A.asformat(format)
    x = (random.random(20) - 1j * random.random(20)).astype(dtype)
    close = {"rtol": 1e-5 if dtype == "complex64" else 1e-12}
    y = un.compute(SPMV, A=A, x=x)
    assert y.dtype == dtype
    np.testing.assert_allclose(y, A @ x, **close)
    np.testing.assert_allclose(un.compute("y(j) = conj(A(i,j)) * z(i)", A=A, z=y), A.conj().T @ y, **close)
    norm = un.compute("n = real(conj(x(i)) * x(i))", x=x)
    assert norm.dtype == x.real.dtype and abs(norm - np.vdot(x, x).real) < 1e-3
    np.testing.assert_allclose(un.compute("y(i) = a * x(i)", a=0.5 - 2j, x=x), (0.5 - 2j) * x, **close)
    np.testing.assert_allclose(un.compute(SPMV, A=A.real, x=x), A.real @ x, **close)
    C = un.compute("C(i,k) = A(i,j) * conj(A(k,j))", A=A, C="csr")
    assert C.dtype == dtype
    np.testing.assert_allclose(C.toarray(), (A @ A.conj().T).toarray(), rtol=1e-4)
    packed = un.pack([[0, 2, 0], [1, 0, 1]], np.array([1 + 2j, 3, 1j], dtype), (3, 2), "csr")
    where, what = packed.coordinates()
    assert packed.dtype == dtype and what.dtype == np.complex128
    np.testing.assert_array_equal(packed.toarray(), np.array([[0, 1 + 3j], [0, 0], [3, 0]], dtype))


def test_entries_of_one_coordinate_are_combined(tmp_path):
    entries = ([[0, 2, 0], [1, 0, 1]], np.array([4.0, 3, 1]), (3, 2), "csr")
    assert un.pack(*entries).toarray()[0, 1] == 5
    assert un.pack(*entries, combine="min").toarray()[0, 1] == 1
    assert un.pack(*entries, combine="first").toarray()[0, 1] == 4
    with pytest.raises(un.Error, match="`mim` is not an operator"):
        un.pack(*entries, combine="mim")
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 5\n1 2 3\n")
    assert un.read(tmp_path / "a.mtx", "csr", combine="min").toarray()[0, 1] == 3


def test_complex_arrays_are_not_copied(random):
    x = random.random(9) + 1j
    tensor = un.tensor("dense", (9,), {"val": x})
    assert np.shares_memory(tensor.arrays["val"], x) and tensor.arrays["val"].dtype == np.complex128


def test_wide_indices(random):
    A = matrix(random)
    wide = A.copy()
    wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
    x = random.random(20)
    np.testing.assert_allclose(un.compute(SPMV, A=wide, x=x), A @ x)
    both = un.compute("C(i,j) = A(i,j) + B(i,j)", A=wide, B=wide, C="csr")
    assert both.indices.dtype == np.int64 or both.nnz == A.nnz
    np.testing.assert_allclose(both.toarray(), 2 * A.toarray())


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x[::2], lambda x: x[::-1], lambda x: x[3:13], lambda x: x[1::3]])
def test_strides_of_vectors(random, view):
    x = view(random.random(24))
    np.testing.assert_allclose(un.compute("y(i) = 2 * x(i)", x=x), 2 * x)
    matrix = random.random((24, 5))
    np.testing.assert_allclose(un.compute("y(i) = 2 * x(i)", x=view(matrix[:, 2])), 2 * view(matrix[:, 2]))
    np.testing.assert_allclose(un.compute("y(i,j) = 2 * x(j,i)", x=view(matrix)), 2 * view(matrix).T)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)])
def test_permuted_tensors(random, order):
    x = random.random((3, 4, 5)).transpose(order)
    np.testing.assert_allclose(un.compute("y(i,k) = x(i,j,k)", x=x), x.sum(1))


def test_unsorted_and_repeated_entries(random):
    indptr, indices = np.array([0, 3, 4]), np.array([2, 0, 2, 1])
    A = sp.csr_matrix((np.array([1.0, 2, 3, 4]), indices, indptr), shape=(2, 3))
    x = np.array([1.0, 10, 100])
    np.testing.assert_allclose(un.compute(SPMV, A=A, x=x), [402, 40])
    assert (A.indices == indices).all()  # it isn't sorted behind the caller's back
    C = sp.coo_matrix((np.array([1.0, 2, 3]), (np.array([1, 0, 1]), np.array([0, 1, 0]))), shape=(2, 2))
    np.testing.assert_allclose(un.compute(SPMV, A=C, x=np.array([1.0, 10])), [20, 4])


@pytest.mark.parametrize("format", ["csr", "csc", "bsr", "coo"])
def test_indices_out_of_range(format):
    def broken(column):
        A = getattr(sp.csr_matrix(np.eye(4)), "to" + format)()
        (A.row if format == "coo" else A.indices)[1] = column
        return A

    for column in (-1, 77):
        with pytest.raises(un.Error) as thrown:
            un.compute(SPMV, A=broken(column), x=np.ones(4))
        assert thrown.value.kind == "property-violated" and f"= {column} is outside" in str(thrown.value)


def test_pointers_out_of_range():
    A = sp.csr_matrix(np.eye(4))
    A.indptr[2] = 1000000
    with pytest.raises(un.Error) as thrown:
        un.compute(SPMV, A=A, x=np.ones(4))
    assert thrown.value.kind == "property-violated" and "rowptr[2] = 1000000" in str(thrown.value)


def test_entries_that_scipy_believes_sorted(random):
    A = sp.csr_matrix((np.array([1.0, 2, 3]), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
    A.has_canonical_format = True  # it isn't
    np.testing.assert_allclose(un.compute(SPMV, A=A, x=np.array([1.0, 10, 100])), [102, 30])


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bcsr<2,2>", "dia"])
def test_sparse_results(random, format):
    A, B = matrix(random, 20, 20), matrix(random, 20, 20)
    C = un.compute("C(i,j) = A(i,j) + B(i,j)", A=A, B=B, C=format)
    assert C.format == {"bcsr<2,2>": "bsr"}.get(format, format)
    np.testing.assert_allclose(C.toarray(), (A + B).toarray())
    product = un.compute("C(i,j) = A(i,k) * B(k,j)", A=A, B=B, C=format)
    np.testing.assert_allclose(product.toarray(), (A @ B).toarray())


def test_other_results_are_tensors(random):
    A = matrix(random)
    C = un.compute("C(i,j) = 2 * A(i,j)", A=A, C="dcsr")
    assert isinstance(C, un.Tensor) and C.layout == "dcsr" and C.shape == (30, 20) and C.dtype == np.float64
    np.testing.assert_allclose(C.toarray(), 2 * A.toarray())
    np.testing.assert_allclose(un.compute(SPMV, A=C, x=np.ones(20)), 2 * A @ np.ones(20))
    del A
    gc.collect()
    assert C.arrays["val"].size > 0


def test_structure_of_an_operand(random):
    S, U, V = matrix(random), random.random((30, 4)), random.random((20, 4))
    k = un.kernel("D(i,j) = S(i,j)*U(i,r)*V(j,r)", S="csr", D="like:S")
    for _ in range(3):
        D = k(S=S, U=U, V=V)
        np.testing.assert_allclose(D.toarray(), S.multiply(U @ V.T).toarray())
    assert np.shares_memory(D.indices, S.indices)
    np.testing.assert_allclose(k(S=S.tocsc(), U=U, V=V).toarray(), D.toarray())


def test_results_that_are_given(random):
    A, x, y = matrix(random), random.random(20), np.zeros(30)
    k = un.kernel(SPMV)
    assert k(A=A, x=x, y=y) is y
    np.testing.assert_allclose(y, A @ x)
    for _ in range(3):
        x[0] += 1
        assert k(A=A, x=x, y=y) is y
        np.testing.assert_allclose(y, A @ x)
    column = np.zeros((30, 2))
    k(A=A, x=x, y=column.T[0])
    np.testing.assert_allclose(column, np.stack([A @ x, np.zeros(30)], 1))
    add = un.kernel("y(i) += A(i,j) * x(j)")
    for times in range(2, 5):
        add(A=A, x=x, y=y)
        np.testing.assert_allclose(y, times * (A @ x))
    frozen = np.zeros(30)
    frozen.flags.writeable = False
    with pytest.raises(un.Error, match="const"):
        k(A=A, x=x, y=frozen)
    backward = np.zeros(60)
    assert k(A=A, x=x, y=backward[::-2]) is not None
    np.testing.assert_allclose(backward[::-2], A @ x)
    with pytest.raises(un.Error, match="can't be filled in place"):
        un.compute("Y(i,j) = 2 * X(i,j)", X=np.ones((2, 3)), Y=np.zeros((4, 6))[::2, ::2])
    with pytest.raises(un.Error, match="share memory"):
        un.compute("y(i) = x(i)", x=x, y=x)


def test_scalars_sizes_programs(random):
    A, x = matrix(random), random.random(20)
    s = un.compute("s = A(i,j) * A(i,j)", A=A)
    assert isinstance(s, np.float64) and s == pytest.approx((A.data**2).sum())
    np.testing.assert_allclose(un.compute("y(i) = a * x(i)", a=2.5, x=x), 2.5 * x)
    program = "tensor x(n), y(n); size k; for i in [k,n) { y(i) = x(i); }"
    np.testing.assert_allclose(un.compute(program, x=x, k=3), np.where(np.arange(20) < 3, 0, x))
    np.testing.assert_allclose(un.compute("y(i) = x(i+2)", x=x, i=18), x[2:])
    d = np.array([0.0, np.inf, np.inf])
    G = sp.csr_matrix(np.array([[0, 1.0, 5], [0, 0, 1], [0, 0, 0]]))
    np.testing.assert_allclose(un.compute("e(j) = A(i,j) * d(i) in min.+", A=G, d=d), [np.inf, 1, 5])
    both = un.compute("tensor x(n), y(n), z(n); for i in [0,n) { y(i) = x(i); z(i) = 2 * x(i); }", x=x)
    np.testing.assert_allclose(both[1], 2 * both[0])


def test_errors_show_the_place():
    A, x = sp.csr_matrix(np.eye(3)), np.ones(4)
    with pytest.raises(un.Error) as thrown:
        un.compute("y(i) = A(i,j) * x(j", A=A, x=x)
    assert thrown.value.kind == "syntax-error" and "  1 | y(i) = A(i,j) * x(j\n    |                  ^" in str(thrown.value)
    assert isinstance(thrown.value, ValueError) and not thrown.value.is_bug
    for work, kind, part in [
        (lambda: un.compute(SPMV, A=A, x=x), "size-mismatch", "index `j` has extent 3 in `A(i, j)`, but 4 in `x(j)`"),
        (lambda: un.compute(SPMV, A=A), "missing-input", "`x`"),
        (lambda: un.compute(SPMV, A=A, x=x, z=x), "unknown-tensor", "`z`"),
        (lambda: un.compute(SPMV, A=A, x=x[:3].astype(np.clongdouble)), "value-width", "complex256"),
        (lambda: un.compute(SPMV, A=A, x=np.array(["a"])), "value-width", "<U1"),
        (lambda: un.compute(SPMV, A=A, x=x[:3].astype(np.float16)), "value-width", "`astype` converts it"),
        (lambda: un.compute(SPMV, A=A, x=np.ma.array(x, mask=x > 0.5)), "value-width", "masked elements"),
        (lambda: un.compute(SPMV, A=A, x=x.astype("f2")), "value-width", "float16"),
        (lambda: un.kernel(SPMV, A="csrr"), "unknown-layout", "did you mean `csr`?"),
        (lambda: un.kernel(SPMV, A=A), "bad-option", "A='csr'"),
        (lambda: un.kernel(SPMV, B="csr"), "unknown-tensor", "`format B=csr`"),
        (lambda: un.Options(threads=0), "bad-option", "at least one"),
        (lambda: un.Options(threads="2"), "bad-option", "an integer is expected"),
        (lambda: un.Options(threads=2.5), "bad-option", "an integer is expected"),
        (lambda: un.Options(machine=["here"]), "bad-option", "a str is expected"),
        (lambda: un.pack([[0, 5]], [1.0, 2], (5,), "sv"), "entry-out-of-range", "entry 1 has the index 5"),
        (lambda: un.pack([[0, 1]], [1.0], (5,), "sv"), "entry-count", "coordinates of shape (2,)"),
        (lambda: un.read("no such file.mtx"), "cannot-read", "no such file"),
        (lambda: un.tensor("sv", (5,), {"idx": np.array([3, 1]), "val": np.ones(2)}), "property-violated", "idx"),
    ]:
        with pytest.raises(un.Error) as thrown:
            work()
        assert thrown.value.kind == kind and part in str(thrown.value), str(thrown.value)


def test_texts_that_c_cannot_hold():
    x = np.ones(3)
    for work in (lambda text: un.compute("y(i) = x(i)" + text, x=x), lambda text: un.pack([[0]], [1.0], (5,), "sv" + text),
                 lambda text: un.kernel("y(i) = x(i)", x="sv" + text), lambda text: un.read("no.mtx" + text),
                 lambda text: un.read("no.mtx", "sv" + text), lambda text: un.explain("y(i) = x(i)" + text),
                 lambda text: un.tensor("dense" + text, (3,), {"val": x}),
                 lambda text: un.compute("y(i) = x(i)", x=x, options=un.Options(schedules="serial" + text))):
        for text in ("\0 + 1", "\ud800"):
            with pytest.raises(un.Error) as thrown:
                work(text)
            assert thrown.value.kind == "stray-character", str(thrown.value)


def test_paths_that_cannot_be_looked_at(tmp_path):
    (tmp_path / "loop.mtx").symlink_to("loop.mtx")
    for name in ("loop.mtx", 300 * "a", 300 * "a" + ".npz"):
        with pytest.raises(un.Error) as thrown:
            un.read(tmp_path / name)
        assert thrown.value.kind == "cannot-read" and not thrown.value.is_bug


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4"])
def test_sums_of_duplicates_wrap_around(dtype):
    most = np.iinfo(dtype).max
    values = np.array([most, most, 3], dtype)
    made = un.pack([[0, 0, 1], [1, 1, 1]], values, (2, 2), "coo_dup").toarray()
    assert made.dtype == dtype
    np.testing.assert_array_equal(made, [[0, values[:2].sum(dtype=dtype)], [0, 3]])


def test_what_changes_between_calls_is_seen(random):
    A, x = matrix(random), random.random(20)
    k = un.kernel(SPMV)
    for _ in range(3):
        np.testing.assert_allclose(k(A=A, x=x), A @ x)
    x[3], A.data[0] = 7, 9
    np.testing.assert_allclose(k(A=A, x=x), A @ x)
    A.data = A.data * 2  # other arrays in the same matrix
    np.testing.assert_allclose(k(A=A, x=x), A @ x)
    A.resize((25, 20))
    np.testing.assert_allclose(k(A=A, x=x), A @ x)
    x.shape = (4, 5)
    with pytest.raises(un.Error):
        k(A=A, x=x)
    x.shape = (20,)
    first, second = k(A=A, x=x), k(A=A, x=x)
    assert not np.shares_memory(first, second)
    np.testing.assert_allclose(k(A=A, x=x.astype("f4")), A @ x.astype("f4"), rtol=1e-5)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_sparse_results_of_calls_with_the_same_matrices(random, kind):
    A, B = kind(matrix(random, 30, 30)), kind(matrix(random, 30, 30))
    k = un.kernel("C(i,j) = A(i,k) * B(k,j)", C=A.format)
    made = [k(A=A, B=B) for _ in range(3)]
    expected = (A @ B).toarray()
    for each in made:
        assert type(each) is kind and each.shape == expected.shape
        np.testing.assert_allclose(each.toarray(), expected)
    assert not np.shares_memory(made[1].data, made[2].data)  # each has arrays of its own, which outlive the rest
    made[1].data[:] = 0
    np.testing.assert_allclose(made[2].toarray(), expected)
    data = made[2].data
    before = data.copy()
    del made, each
    gc.collect()
    np.testing.assert_array_equal(data, before)
    A.data *= 2
    np.testing.assert_allclose(k(A=A, B=B).toarray(), 2 * expected)
    np.testing.assert_allclose((k(A=A, B=B) + A).toarray(), 2 * expected + A.toarray())  # SciPy has all that it needs


def test_arrays_live_as_long_as_they_are_needed():
    def make():
        A = sp.csr_matrix(np.eye(1000))
        return un.tensor("csr", A.shape, {"rowptr": A.indptr, "col": A.indices, "val": A.data})
    from unravel._tensor import _lent
    gc.collect()
    before = len(_lent)  # of what kernels of other tests keep
    tensors = [make() for _ in range(20)]
    gc.collect()
    junk = [np.full(1000, np.nan) for _ in range(200)]
    for tensor in tensors:
        assert un.compute("s = A(i,j)", A=tensor) == 1000
    view = tensors[0].arrays["val"]
    del tensors, tensor, junk
    gc.collect()
    assert view.sum() == 1000
    del view
    gc.collect()
    assert len(_lent) <= before + 1


def test_threads_at_once(random):
    A, x = matrix(random, 300, 300), random.random(300)
    expected, k, failures = A @ x, un.kernel(SPMV), []

    def work():
        for _ in range(200):
            if not np.allclose(k(A=A, x=x), expected):
                failures.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures


def test_texts(random, tmp_path):
    A = matrix(random)
    assert "== C" in un.explain(SPMV, A=A, x="sv")
    source = un.emit_c(SPMV, A="csr", options=un.Options(name="spmv"))
    named = un.emit_c(SPMV, A="csr", options=un.Options(name="spmv", prefix="my_", const_operands=True))
    assert named.function == "my_spmv" and "const my_const_csr *A" in named.header
    assert source.function == "spmv" and "int spmv(" in source.header and '#include "spmv.h"' in source.source
    un.report(SPMV, tmp_path / "page.html", A=A)
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    with pytest.raises(un.Error, match="csrr"):
        un.report(SPMV, tmp_path / "page.html", A="csrr")


def test_schedules_and_finds(random):
    A, x = matrix(random), un.pack([[1, 5, 7]], [1.0, 2, 3], (20,), "sv")
    for options in (un.Options(finds="x=binary"), un.Options(schedules=["serial"]), un.Options(threads=2)):
        np.testing.assert_allclose(un.compute(SPMV, A=A, x=x, options=options), A @ x.toarray())


def test_calls_cost_little(random):
    """Less than 10 microseconds on a quiet machine, which this one may not be."""
    A, x = sp.csr_matrix(np.eye(1)), np.ones(1)
    k = un.kernel(SPMV, options=un.Options(schedules="serial"))
    least = 1e9
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(1000):
            k(A=A, x=x)
        least = min(least, (time.perf_counter() - start) * 1e3)
    print(f"a call: {least:.1f} microseconds")
    assert least < 30


def test_the_package_says_what_is_missing():
    code = "import sys; sys.path.insert(0, sys.argv[1]); import unravel"
    import unravel
    done = subprocess.run([sys.executable, "-c", code, str(pathlib.Path(unravel.__file__).parents[1])],
                          env={"UNRAVEL_LIBRARY": "/nowhere/libunravel.so"}, stderr=subprocess.PIPE, text=True)
    assert "ImportError: Unravel's shared library can't be loaded" in done.stderr and "UNRAVEL_LIBRARY" in done.stderr


# ---- random expressions against einsum

LETTERS = "ijkl"


def random_expression(random):
    """(expression, einsum's text, the orders of its operands)."""
    count = random.integers(1, 4)
    operands = []
    for _ in range(count):
        order = random.integers(1, 4 if count < 3 else 3)
        operands.append("".join(random.choice(list(LETTERS), order, replace=False)))
    used = sorted(set("".join(operands)))
    result = "".join(random.permutation(used)[:random.integers(0, min(3, len(used)) + 1)])
    text = lambda name, modes: name + ("(" + ",".join(modes) + ")" if modes else "")
    product = " * ".join(text("ABC"[k], modes) for k, modes in enumerate(operands))
    return f"{text('y', result)} = {product}", ",".join(operands) + "->" + result, operands


def as_some_layout(random, array):
    """The array as something that un.compute takes."""
    if array.ndim == 2 and random.random() < 0.7:
        format = random.choice(["csr", "csc", "coo", "bsr", "dia"])
        return getattr(sp, format + random.choice(["_matrix", "_array"]))(array)
    if array.ndim == 1 and random.random() < 0.5:
        return un.pack(np.nonzero(array), array[np.nonzero(array)], array.shape, "sv")
    if array.ndim == 3 and random.random() < 0.5:
        return un.pack(np.nonzero(array), array[np.nonzero(array)], array.shape, random.choice(["csf3", "coo3"]))
    return np.asfortranarray(array) if random.random() < 0.3 else array


@pytest.mark.parametrize("seed", range(10))
def test_random_expressions(seed):
    random = np.random.default_rng(seed)
    options = un.Options(budget_seconds=0.2, machine="portable")
    for _ in range(20):
        expression, text, operands = random_expression(random)
        sizes = dict(zip(LETTERS, random.integers(1, 8, 4)))
        dtype = random.choice(["f8", "f4", "i4", "i8"])
        dense = []
        for modes in operands:
            values = random.integers(-4, 5, [sizes[mode] for mode in modes])
            dense.append((values * (random.random(values.shape) < random.choice([0.3, 1]))).astype(dtype))
        arrays = {name: as_some_layout(random, array) for name, array in zip("ABC", dense)}
        expected = np.einsum(text, *dense)
        layouts = [[], ["sv"], ["csr", "csc", "coo", "dcsr"], ["csf3", "coo3"]][expected.ndim]
        formats = {"y": random.choice(layouts)} if layouts and random.random() < 0.4 else {}
        try:
            found = un.compute(expression, options=options, **arrays, **formats)
        except un.Error as refusal:
            pytest.fail(f"{expression} {formats}: {refusal}")
        is_sum = expected.ndim == 0 and any(operands)  # of integers into a scalar: int64, as NumPy's sums
        assert found.dtype == ("i8" if is_sum and dtype == "i4" else dtype)
        np.testing.assert_array_equal(found.toarray() if formats else found, expected, expression)


@pytest.mark.parametrize("page", ["python.md"])
def test_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(PAGES / page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert failed == 0 and tried > 10


@pytest.mark.parametrize("module", ["_kernel", "_tensor"])
def test_docstrings(module):
    import importlib
    failed, tried = doctest.testmod(importlib.import_module("unravel." + module))
    assert failed == 0 and tried > 0


def test_options_that_are_changed_later(random):
    A, x = matrix(random), random.random(20)
    options = un.Options(threads=1)
    kernel = un.kernel("y(i) = 3 * A(i,j) * x(j)", options=options)
    options.schedules, options.threads = ("nonsense",), -5
    kernel.options.threads = -5
    assert kernel.options.threads == 1
    np.testing.assert_allclose(kernel(A=A, x=x), 3 * A @ x)
    again = un.kernel("y(i) = 3 * A(i,j) * x(j)", options=un.Options(threads=1))
    np.testing.assert_allclose(again(A=A.tocsc(), x=x), 3 * A @ x)


def test_numbers_take_the_dtype_of_the_arrays_beside_them():
    k = un.kernel("y(i) = a * x(i)")
    for dtype, number, expected in [("f4", 2, "f4"), ("f4", 2.5, "f4"), ("i4", 2, "i4"), ("i4", 2.5, "f8"),
                                    ("f4", np.float64(2), "f8"), ("f4", np.float32(2), "f4"), ("c8", 2.0, "c8"),
                                    ("f4", 2j, "c8"), ("f8", 2, "f8"), ("i8", 2, "i8")]:
        x = np.arange(1, 4).astype(dtype)
        for _ in range(3):
            y = k(a=number, x=x)
            np.testing.assert_array_equal(y, number * x)
            assert y.dtype == np.dtype(expected), (dtype, number)
    x = np.arange(3)
    for number in (2**62 + 1, -2**63 + 1, 3):  # not by way of a double
        np.testing.assert_array_equal(un.compute("y(i) = a + 0 * x(i)", a=number, x=x), np.full(3, number))
    x = np.ones(3, np.float32)
    known = len(k._bindings)
    for number in range(20):
        np.testing.assert_array_equal(k(a=number / 4, x=x), x * number / 4)
    assert len(k._bindings) <= max(known, k._most_bindings)
    assert k(a=2**70, x=x).tolist() == [2.0**70] * 3
    double = un.kernel("y(i) = a * x(i)", a="dense f64")
    assert double(a=2, x=x).dtype == np.float64


def test_coordinates_that_are_no_integers():
    for bad in ([0, 1.7], np.array([0, 2**63], np.uint64)):
        with pytest.raises(un.Error, match="integers below 2.63 are expected"):
            un.pack([bad, [1, 2]], [1.0, 2.0], (5, 6), "csr")
    assert un.pack([[], []], [], (5, 6), "csr").toarray().sum() == 0


def test_shapes_that_no_result_can_have():
    for layout in ("packed_lower", "symmetric_csr", "skyline"):
        for _ in range(2):
            with pytest.raises(un.Error, match="are equal, but the tensor is 5 x 6"):
                un.compute("C(i,j) = A(i,j)", A=np.ones((5, 6)), C=layout)


def test_explanations_with_numbers(random, tmp_path):
    expression, operands = "y(i) = a * A(i,j) * x(j)", {"A": matrix(random), "x": random.random(20)}
    for a in (2, 2.0, np.float32(2), True):
        assert "\n== program" in un.explain(expression, a=a, **operands)
        assert un.emit_c(expression, a=a, **operands) == un.emit_c(expression, **operands)
    un.report(expression, tmp_path / "page.html", a=2.0, **operands)
    assert (tmp_path / "page.html").stat().st_size > 1000


BACKWARDS = """layout dense(i: M) {
  value val[M];
  stored { [a] -> [i] : i = M - 1 - a and 0 <= a < M } at val(a);
}"""

BY_COLUMNS = """layout csr(i: M, j: N) {
  index rowptr[N + 1], col[NNZ];
  count NNZ = rowptr(N);
  value val[NNZ];
  stored { [c, p] -> [i, j] : j = c and 0 <= c < N and rowptr(c) <= p < rowptr(c + 1) and i = col(p) } at val(p);
  property rowptr(0) = 0;
  property increasing rowptr;
  property range col in [0, M);
  property strictly increasing col within rowptr;
}"""


def test_layouts_that_are_called_like_others(random, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.layout").write_text(BACKWARDS)
    (tmp_path / "other.layout").write_text(BY_COLUMNS)
    x, A = random.random(5), matrix(random)
    for format in (BACKWARDS, "./mine.layout", "mine.layout", "mine.layout:dense"):
        kernel = un.kernel("y(i) = 2 * x(i)", y=format)
        for _ in range(2):
            y = kernel(x=x)
            assert y.layout == "dense"
            np.testing.assert_array_equal(y.arrays["val"], 2 * x[::-1])
            np.testing.assert_array_equal(y.toarray(), 2 * x)
        z = un.compute("z(i) = 2 * y(i)", y=y, z="like:y")
        np.testing.assert_array_equal(z.toarray(), 4 * x)
    for format in (BY_COLUMNS, "./other.layout:csr"):
        kernel = un.kernel("C(i,j) = 2 * A(i,j)", C=format)
        for _ in range(2):
            np.testing.assert_array_equal(kernel(A=A).toarray(), 2 * A.toarray())


def test_tensors_of_many_modes(random):
    T, x = random.random((2, 3, 2, 2, 3)), random.random(3)
    for given in (T, np.asfortranarray(T)):
        np.testing.assert_allclose(un.compute("y(i) = T(i,j,k,l,m) * x(m)", T=given, x=x), np.einsum("ijklm,m->i", T, x))
    kernel = un.kernel("D(i,j,k,l,m) = T(i,j,k,l,m) * x(m)")
    for _ in range(3):
        D = kernel(T=T, x=x)
        assert isinstance(D, np.ndarray)
        np.testing.assert_allclose(D, T * x)
    assert kernel(T=T, x=x, D=D) is D
    S = un.pack(np.nonzero(T), T[np.nonzero(T)], T.shape, "sssss")
    np.testing.assert_allclose(un.compute("y(i,j,k,l,m,n) = S(i,j,k,l,m) * x(n)", S=S, x=x), T[..., None] * x)
    assert "ddddd" in un.explain("D(i,j,k,l,m) = T(i,j,k,l,m) * x(m)", T=T)
    V = random.random((2,) * 9)  # more modes than `dense` is for
    np.testing.assert_allclose(un.compute("y(i) = V(i,j,k,l,m,n,o,p,q)", V=V), V.reshape(2, -1).sum(axis=1))
    with pytest.raises(un.Error, match="`dense` is for tensors of order"):
        un.kernel("y(i) = V(i,j,k,l,m,n,o,p,q)", V="dense")


def test_layout_files_that_change(tmp_path):
    path = tmp_path / "mine.layout"
    backwards = BACKWARDS.replace("dense", "mine")
    forwards = backwards.replace("i = M - 1 - a", "i = a")
    kernel = un.kernel("y(i) = 5 * x(i)")
    tensors = []
    for text in (backwards, forwards, backwards):
        path.write_text(text)
        x = un.tensor(f"{path}:mine", (3,), {"val": np.array([1.0, 2, 3])})
        tensors.append(x)
        for _ in range(2):
            for given in tensors:
                np.testing.assert_array_equal(un.compute("y(i) = 5 * x(i)", x=given), 5 * given.toarray())
                np.testing.assert_array_equal(kernel(x=given), 5 * given.toarray())
    assert tensors[0].toarray().tolist() == [3, 2, 1] and tensors[1].toarray().tolist() == [1, 2, 3]


def test_results_with_gaps_leave_what_lies_in_them():
    A = sp.csc_matrix(np.eye(2))
    z = np.array([1 + 2j, 3 + 4j])
    un.compute("y(i) = A(i,j) * x(j)", A=A, x=np.array([8.0, 9.0]), y=z.real)
    assert z.tolist() == [8 + 2j, 9 + 4j]
    buffer = np.arange(6.0)
    un.compute("y(i) = 2 * x(i)", x=np.ones(3), y=buffer[::2])
    assert buffer.tolist() == [2, 1, 2, 3, 2, 5]
    columns = np.zeros((6, 2))
    columns[:, 0] = 3
    un.compute("y(i) = 2 * x(i)", x=columns[:5, 0], y=columns[:5, 1])
    assert columns[:, 1].tolist() == [6, 6, 6, 6, 6, 0]


def test_later_calls_see_that_an_array_is_read_only():
    y, x = np.zeros(3), np.ones(3)
    kernel = un.kernel("y(i) = 2 * x(i)")
    kernel(x=x, y=y)
    y.flags.writeable = False
    with pytest.raises(un.Error):
        kernel(x=x, y=y)


def test_results_that_no_memory_holds():
    x = un.pack([[5]], [1.0], (2**31,), "sv")
    with pytest.raises(MemoryError):
        un.compute("C(i,j) = x(i) * z(j)", x=x, z=x)


def test_infinite_imaginary_parts_and_scalars_as_arrays():
    made = un.pack([[0, 1]], np.array([1, complex(2, np.inf)]), (3,), "sv").toarray()
    assert made[1].real == 2 and np.isinf(made[1].imag)
    assert un.pack(np.zeros((0, 1), int), [5.0], (), "dense").toarray() == 5
