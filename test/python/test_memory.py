"""Whose memory arrays are, and how long it lives."""
import copy
import gc
import pickle
import sys
import weakref

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


def test_tensors_that_are_made_while_another_one_is_keep_their_arrays():
    from unravel import _tensor
    made = []

    def vector():
        array = np.ones(3)
        made.append((un.tensor("dense", (3,), {"val": array}), weakref.ref(array)))

    def trace(frame, event, argument):
        def between(frame, event, argument):  # nothing is traced in here
            vector()
            return between
        return between if frame.f_code is _tensor.over.__code__ else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        vector()
    finally:
        sys.settrace(before)
    gc.collect()
    assert len(made) > 10 and all(array() is not None for _, array in made)


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


SQUARE = """layout square(i: M, j: M) {
  count L;
  value val[L, M, M];
  stored { [a, b] -> [i, j] : i = a and j = b and 0 <= a < M and 0 <= b < M and 0 < L } at val(0, a, b);
}"""


def some_tensors():
    yield un.pack([[0, 1, 1], [1, 0, 2]], [1.0, 2.0, 3.0], (4, 4), "csr")
    yield un.pack([[0, 1, 1], [1, 0, 2]], np.array([1, 2j, 3], "c8"), (4, 4), "bcsr<2, 2>")
    yield un.pack([[0], [1], [2]], [5], (2, 2, 3), "csf3", index=np.int64)
    yield un.pack([[0, 1], [1, 0]], np.array([1, 2], "i4"), (2, 2), "csr int32 fill 7")
    yield un.pack(np.zeros((0, 1), int), [5.0], (), "dense")
    yield un.tensor(SQUARE, (2, 2), {"val": np.arange(4.0)}, {"L": 1})
    S = un.pack([[0, 1], [1, 0]], [1.0, 2.0], (2, 2), "dcsr")
    yield S
    yield un.compute("D(i,j) = 2 * S(i,j)", S=S, D="like:S")


def test_tensors_are_copied_and_pickled():
    for tensor in some_tensors():
        shared = copy.copy(tensor)
        for name, array in tensor.arrays.items():
            assert array.size == 0 or np.shares_memory(shared.arrays[name], array)
        for made in (shared, copy.deepcopy(tensor), pickle.loads(pickle.dumps(tensor))):
            assert made is not tensor and repr(made) == repr(tensor)
            assert made.numbers == tensor.numbers and made.fill == tensor.fill
            for name, array in tensor.arrays.items():
                assert made.arrays[name].dtype == array.dtype
                assert made is shared or not np.shares_memory(made.arrays[name], array)
            expected = tensor.toarray()
            del made
            gc.collect()
            np.testing.assert_array_equal(tensor.toarray(), expected)
    both = copy.deepcopy([tensor, tensor])
    assert both[0] is both[1]
    double = un.compute("C(i,j) = 2 * A(i,j)", A=both[0])
    np.testing.assert_array_equal(double, 2 * tensor.toarray())


def test_what_is_neither_copied_nor_pickled_says_so():
    S = un.pack([[0, 1], [1, 0]], [1.0, 2.0], (2, 2), "dcsr")
    for result in ("D(j,i)", "D(i)"):
        tensor = un.compute(result + " = 2 * S(i,j)", S=S, D="like:S")
        np.testing.assert_array_equal(copy.copy(tensor).toarray(), tensor.toarray())
        for function in (copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="layout dcsr_.* has no text"):
                function(tensor)
    kernel = un.kernel("y(i) = A(i,j) * x(j)")
    kernel(A=S, x=np.ones(2))
    for function in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="`un.kernel` makes another one"):
            function(kernel)
    machine = next(iter(kernel._machines._machines.values()))
    with pytest.raises(TypeError):
        copy.copy(machine)
    np.testing.assert_array_equal(copy.copy(kernel)(A=S, x=np.ones(2)), [1, 2])


def test_compute_keeps_no_arrays_alive():
    A, x, y, T = sp.csr_array(np.eye(4)), np.ones(4), np.zeros(4), un.pack([[0, 2]], np.ones(2), (4,), "sv")
    calls = [lambda: un.compute("y(i) = A(i,j) * x(j)", A=A, x=x),
             lambda: un.compute("y(i) = A(i,j) * x(j)", A=A, x=x, y=y),
             lambda: un.compute("s = t(i) * x(i)", t=T, x=x, s="dense f64"),
             lambda: un.compute("B(i,j) = A(i,j) * x(j)", A=A, x=x, B="csr")]
    lent, known = len(un._tensor._lent), len(un._kernel._computed)
    for call in calls:
        for _ in range(3):
            call()
    assert len(un._kernel._computed) == known + 4
    watched = [weakref.ref(each) for each in (A, A.indptr, A.indices, A.data, x, y, T)]
    del A, x, y, T, calls, call
    gc.collect()
    assert [each() for each in watched] == [None] * 7
    assert len(un._kernel._computed) == known and len(un._tensor._lent) == lent


def test_other_arrays_come_in_the_place_of_those_of_the_last_call():
    A, k = sp.csr_array(np.diag([1.0, 2.0, 3.0])), un.kernel("y(i) = A(i,j) * x(j)")
    x, y = np.ones(3), np.zeros(3)
    k(A=A, x=x), k(A=A, x=x, y=y)
    known = list(k._bindings)
    assert len(known) == 2
    first = weakref.ref(x)
    del x
    gc.collect()
    assert first() is None  # the kernel has no need of it
    for number in range(50):
        x, y = np.full(3, float(number)), np.full(3, np.nan)
        np.testing.assert_array_equal(k(A=A, x=x), [number, 2 * number, 3 * number])
        assert k(A=A, x=x, y=y) is y
        np.testing.assert_array_equal(y, [number, 2 * number, 3 * number])
    assert list(k._bindings) == known
    with pytest.raises(un.Error, match="share memory") as error:
        k(A=A, x=y, y=y)
    assert error.value.kind == "result-is-operand"
    y.flags.writeable = False
    with pytest.raises(un.Error, match="const"):
        k(A=A, x=x, y=y)
    np.testing.assert_array_equal(k(A=A, x=y), [49, 196, 441])  # an operand that may only be read
    bytes_of = np.zeros(25, np.uint8)
    apart = bytes_of[1:].view(np.float64)  # not at a multiple of eight
    apart[:] = [1, 2, 3]
    for _ in range(2):
        np.testing.assert_array_equal(k(A=A, x=apart), [1, 4, 9])
        assert k(A=A, x=np.ones(3), y=apart) is apart
        np.testing.assert_array_equal(apart, [1, 2, 3])
    many = np.arange(12.0).reshape(4, 3)
    for row in many:
        np.testing.assert_array_equal(k(A=A, x=row), row * [1, 2, 3])
    for column in many.T[:, :3]:  # elements lie apart
        np.testing.assert_array_equal(k(A=A, x=column), column * [1, 2, 3])
    C = un.kernel("C(i,j) = A(i,j) * X(i,j)", C="csr")
    for order in "CFCF":
        X = np.asarray(np.arange(9.0).reshape(3, 3) + 1, order=order)
        np.testing.assert_array_equal(C(A=A, X=X).toarray(), A.toarray() * X)


def test_compute_sees_what_has_changed_since_its_last_call():
    expression = "y(i) = A(i,j) * x(j)"
    A, x = sp.csr_array(np.diag([1.0, 2.0, 3.0])), np.ones(3)

    def expect(*numbers):
        for _ in range(2):
            np.testing.assert_array_equal(un.compute(expression, A=A, x=x), numbers)

    expect(1, 2, 3)
    x[0] = 5
    expect(5, 2, 3)
    A.data[1] = 4
    expect(5, 4, 3)
    A.data = np.array([1.0, 1.0, 1.0])
    expect(5, 1, 1)
    A.indptr[3] = 2  # one entry less
    expect(5, 1, 0)
    for number in range(50):  # arrays come and go in the same memory
        x = np.full(3, float(number))
        expect(number, number, 0)
    x = np.array([1, 2, 3], np.float32)
    expect(1, 2, 0)
    with pytest.raises(un.Error) as error:
        un.compute(expression, A=A, x=np.ones(4))
    assert error.value.kind == "size-mismatch"
    y = np.zeros(3)
    for _ in range(3):
        assert un.compute(expression, A=A, x=x, y=y) is y
    y.flags.writeable = False
    with pytest.raises(un.Error):
        un.compute(expression, A=A, x=x, y=y)
    first = un.compute(expression, A=A, x=x)
    un.compute(expression, A=A, x=x)[:] = 7
    np.testing.assert_array_equal(first, [1, 2, 0])
    assert un.compute(expression, A=A, x=x, y="dense f32").dtype == np.float32
    assert un.compute(expression, A=A, x=x, y="dense f64").dtype == np.float64
