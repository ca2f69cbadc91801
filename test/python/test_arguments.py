"""Arguments of calls: what is taken, in which type, and what is refused."""
import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import unravel as un

SPMV = "y(i) = A(i,j) * x(j)"
x = np.array([1.0, 2.0, 3.0])


def refusal(work):
    with pytest.raises(un.Error) as thrown:
        work()
    assert not thrown.value.is_bug
    return f"{thrown.value} {thrown.value.kind}"


def test_numbers_for_scalars_of_a_type():
    def scaled(format, a, dtype):
        return un.kernel("y(i) = a * x(i)", a=format)(a=a, x=np.array([1, 3], dtype))

    made = scaled("dense f32", 1.5, "f4")
    assert made.dtype == np.float32 and made.tolist() == [1.5, 4.5]
    assert scaled("dense f32", np.float64(0.1), "f4").tolist() == (np.float32(0.1) * np.array([1, 3], "f4")).tolist()
    made = scaled("dense int64", 2**60 + 1, "i8")
    assert made.dtype == np.int64 and made.tolist() == [2**60 + 1, 3 * 2**60 + 3]
    for a in (1j, 2 + 1j, complex(2, 0), 2):
        assert scaled("dense complex128", a, "f8").tolist() == [a, 3 * a]
    assert "can't be stored in array `val` of int64" in refusal(lambda: scaled("dense int64", 1.5, "i8"))
    assert "can't be stored in array `val` of int8" in refusal(lambda: scaled("dense int8", 300, "i8"))
    assert "the entries are complex" in refusal(lambda: scaled("dense f64", 1j, "f8"))


def repeated(dtype, format="csr"):
    """Of rows [0 200 0], [0 0 0], [0 0 1] where the dtype holds that, by two entries of 100."""
    made = getattr(sp, format + "_array")
    if format == "bsr":
        return made((np.array([100, 100, 1], dtype).reshape(3, 1, 1), np.array([1, 1, 2]), np.array([0, 2, 2, 3])), shape=(3, 3))
    return made((np.array([100, 100, 1], dtype), np.array([1, 1, 2]), np.array([0, 2, 2, 3])), shape=(3, 3))


@pytest.mark.parametrize("format", ["csr", "bsr"])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "f4"])
def test_repeated_entries_whose_sum_the_dtype_may_not_hold(format, dtype):
    for _ in range(2):
        assert un.compute(SPMV, A=repeated(dtype, format), x=x).tolist() == [400, 0, 3]
    assert un.compute(SPMV, A=repeated(bool, format), x=x).tolist() == [4, 0, 3]  # as `A @ x` has it
    kernel = un.kernel(SPMV, A="csr")
    if dtype == "i1":
        assert "value 200 can't be stored" in refusal(lambda: kernel(A=repeated(dtype, format), x=x))
    else:
        assert kernel(A=repeated(dtype, format), x=x).tolist() == [400, 0, 3]


@pytest.mark.parametrize("format", ["csr", "csc", "bsr"])
def test_operands_stay_as_they_are(format):
    made, room = getattr(sp, format + "_array"), np.arange(5.0) + 1
    for columns in ([2, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 2, 1, 0, 0]):  # unsorted, repeated, in order
        A = made((3, 3), blocksize=(1, 1)) if format == "bsr" else made((3, 3))
        A.data = room.reshape(5, 1, 1) if format == "bsr" else room.copy()
        A.indices, A.indptr = np.array(columns, "i4"), np.array([0, 2, 2, 3], "i8")  # of two types, and with room to spare
        before = {name: (value, np.copy(value)) for name, value in vars(A).items()}
        y = un.compute(SPMV, A=A, x=x)
        assert vars(A).keys() == before.keys()
        for name, (value, copied) in before.items():
            assert vars(A)[name] is value and np.array_equal(value, copied), name
        np.testing.assert_array_equal(y, A @ x)


@pytest.mark.parametrize("format", ["csr", "csc", "bsr", "coo", "dia"])
def test_arrays_of_matrices_that_no_layout_takes_are_converted(format):
    A = sp.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0]]))
    for first, second in [("i4", "i8"), ("i8", "i4"), ("i2", "i2"), ("u4", "u4"), ("u8", "i8"), ("i4", "i4")]:
        B = A.asformat(format).copy()
        for attribute, dtype in [("indptr", first), ("indices", second), ("row", first), ("col", second), ("offsets", first)]:
            if hasattr(B, attribute) and (attribute != "offsets" or dtype[0] == "i"):
                setattr(B, attribute, getattr(B, attribute).astype(dtype))
        memory = np.zeros(B.data.nbytes + 1, "u1")
        apart = memory[1:].view(float).reshape(B.data.shape)  # not at a multiple of eight
        apart[...] = B.data
        B.data = apart
        np.testing.assert_array_equal(un.compute(SPMV, A=B, x=x), A @ x, f"{first} {second}")
    for attribute in ("indices", "row", "offsets"):
        if hasattr(B, attribute):
            setattr(B, attribute, getattr(B, attribute) + 0.5)
    assert "int32 or int64 is expected" in refusal(lambda: un.compute(SPMV, A=B, x=x))


def test_masked_elements_are_refused():
    masked, whole = np.ma.masked_array([1, 2], [0, 1]), np.ma.masked_array([0.5, 2], [0, 0])
    for work in (lambda: un.pack([[0, 1]], masked, (3,), "sv"), lambda: un.pack([masked], [1.0, 2.0], (3,), "sv"),
                 lambda: un.tensor("dense", (2,), {"val": masked}), lambda: un.compute("y(i) = 2 * x(i)", x=masked),
                 lambda: un.tensor("sv", (3,), {"idx": masked, "val": np.ones(2)})):
        assert "masked elements" in refusal(work)
    assert un.pack([[0, 1]], whole, (3,), "sv").toarray().tolist() == [0.5, 2, 0]
    assert un.tensor("dense", (2,), {"val": whole}).toarray().tolist() == [0.5, 2]


def test_layout_files_in_folders_with_spaces(tmp_path):
    folder = tmp_path / "my f32 folder"
    folder.mkdir()
    path = str(folder / "a layout")
    with open(path + ".layout", "w", encoding="utf-8") as file:
        file.write("layout mine(i: M) { value v[M]; stored { [a] -> [i] : i = M - 1 - a and 0 <= a < M } at v(a); }")
    for format in (path + ".layout", path + ".layout:mine", path + ".layout f64", path + ".layout fill 0"):
        T = un.tensor(format, (3,), {"v": np.array([3.0, 2.0, 1.0])})
        for made in (T, copy.deepcopy(T), pickle.loads(pickle.dumps(T))):
            assert made.toarray().tolist() == x.tolist()
            for _ in range(2):
                assert un.kernel("y(i) = 2 * e(i)", e=format)(e=made).tolist() == [2, 4, 6]
        assert un.kernel("y(i) = 2 * e(i)", e=format)(e=x).tolist() == [2, 4, 6]
        assert un.compute("y(i) = 2 * e(i)", e=x, y=format).toarray().tolist() == [2, 4, 6]


def test_results_in_the_gaps_of_operands():
    kernel = un.kernel("y(i) = 2 * x(i)")
    apart = np.zeros((4, 4))
    for call in (kernel, lambda **given: un.compute("y(i) = 2 * x(i)", **given)):
        M = np.arange(16.0).reshape(4, 4)
        column = M[:3, 0]
        for y in (apart[0, 1:4], M[0, 1:4], M[1, 1:4], apart[1, 1:4], M[0, 1:4]):
            assert call(x=column, y=y) is y
            assert y.tolist() == [0, 8, 16]
        assert column.tolist() == [0, 4, 8]
        b = np.arange(10.0)
        assert call(x=b[0:6:2], y=b[5:8]).tolist() == [0, 4, 8]
        assert b.tolist() == [0, 1, 2, 3, 4, 0, 4, 8, 8, 9]
        for _ in range(2):
            assert "share memory" in refusal(lambda: call(x=b[0:6:2], y=b[4:7]))
            assert "share memory" in refusal(lambda: call(x=M[:3, 0], y=M[0, 0:3]))


def test_other_results_beside_operands_with_gaps_are_no_news(monkeypatch):
    M, kernel, arrays = np.arange(12.0).reshape(4, 3), un.kernel("y(i) = 2 * x(i)"), np.zeros((3, 4))
    for column in range(3):
        x = M[:, column]
        kernel(x=x, y=np.zeros(4))
        with monkeypatch.context() as only:
            only.setattr(un.Kernel, "_call", None)  # what is done with arguments that are news
            for y in arrays:
                kernel(x=x, y=y)
                assert y.tolist() == (2 * x).tolist()


def test_names_of_tensors():
    assert un.kernel("y(i) = 2 * self(i)")(self=x).tolist() == [2, 4, 6]
    assert un.compute("y(i) = 2 * self(i)", self=x).tolist() == [2, 4, 6]
    assert un.kernel("y(i) = 2 * options(i)")(options=x).tolist() == [2, 4, 6]
    for options in (x, {"threads": 1}, "serial", 3, {}):
        for function in (un.compute, un.kernel, un.explain, un.emit_c):
            text = refusal(lambda: function("y(i) = 2 * x(i)", options=options, x="dense"))
            assert f"is of type {type(options).__name__}, but un.Options is expected" in text


def test_numbers_that_are_none_of_an_operand():
    scaled = un.kernel("y(i) = a * x(i)")
    for _ in range(2):
        assert scaled(a=2, x=x).tolist() == [2, 4, 6]
        assert "beyond the range of float64" in refusal(lambda: scaled(a=10**400, x=x))
        assert "timedelta64" in refusal(lambda: scaled(a=np.timedelta64(1), x=x))
    program = "tensor x(n), y(n); size k; for i in [k,n) { y(i) = x(i); }"
    assert "complex" in refusal(lambda: un.compute(program, x=x, k=1j))
    assert "beyond the range" in refusal(lambda: un.compute(program, x=x, k=10**400))
    for result in (0.0, np.float64(0), 1):
        assert "the kernel computes, not a number" in refusal(lambda: un.compute("s = x(i)", x=x, s=result))


def test_subclasses_of_arrays_are_filled_in_place(tmp_path):
    kernel = un.kernel("y(i) = 2 * x(i)")
    mapped = np.memmap(tmp_path / "y", dtype=float, mode="w+", shape=(3,))
    for factor in (1, 2):
        assert kernel(x=factor * x, y=mapped) is mapped
        assert np.fromfile(tmp_path / "y").tolist() == [2 * factor, 4 * factor, 6 * factor]
        assert kernel(x=mapped).tolist() == [4 * factor, 8 * factor, 12 * factor]
    masked = np.ma.masked_array([1.0, 2, 3])
    assert kernel(x=masked).tolist() == [2, 4, 6]
    masked[1] = np.ma.masked
    assert "masked elements" in refusal(lambda: kernel(x=masked))
    assert "can't be filled in place" in refusal(lambda: kernel(x=x, y=np.ma.masked_array(np.zeros(3))))


def test_of_unsorted_indices_the_arrays_alone_are_sorted(monkeypatch):
    """As SciPy's products have them; only repeated entries have to be added up."""
    a = sp.random(40, 40, density=0.2, format="csr", random_state=0)
    x = np.arange(40.0)
    unsorted = a @ a
    unsorted.has_sorted_indices = False
    unsorted.indices[:2], unsorted.data[:2] = unsorted.indices[1::-1].copy(), unsorted.data[1::-1].copy()
    monkeypatch.setattr(un._tensor, "_by_entries", None)
    before = unsorted.indices.copy()
    for matrix in (unsorted, unsorted.T):
        np.testing.assert_allclose(un.compute("y(i) = A(i,j) * x(j)", A=matrix, x=x), matrix @ x)
    np.testing.assert_array_equal(unsorted.indices, before)
