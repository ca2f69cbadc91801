"""Integers of 64 bits are exact, also beyond 2^53, where doubles are not."""
import numpy as np
import pytest
import scipy.sparse as sp

import unravel as un

LARGE = 2**53 + 1
SHAPE = (3, 4)


def numbers(dtype):
    """A matrix of numbers that no double holds, and of some that are small."""
    made = np.zeros(SHAPE, dtype)
    made[0, 1], made[0, 3], made[2, 2], made[1, 0] = LARGE, 5, 2**62 + 3, np.iinfo(dtype).max
    if dtype == "i8":
        made[1, 1], made[2, 0], made[2, 3] = -LARGE, np.iinfo(dtype).min, -1
    return made


@pytest.mark.parametrize("dtype", ["i8", "u8"])
@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "dcsr", "ell", "bcsr<2,2>", "dia", "dense", "dense<1,0>"])
def test_conversions(dtype, layout):
    expected = numbers(dtype)
    where = np.nonzero(expected)
    packed = un.pack(where, expected[where], SHAPE, layout)
    assert packed.dtype == expected.dtype
    np.testing.assert_array_equal(packed.toarray(), expected)
    for other in ("csr", "dense", "coo_unsorted"):
        converted = packed.to(other)
        assert converted.dtype == expected.dtype
        np.testing.assert_array_equal(converted.toarray(), expected)
    coordinates, values = packed.coordinates()
    assert values.dtype == expected.dtype
    np.testing.assert_array_equal(values[values != 0], expected[tuple(coordinates)][values != 0])


def test_kernels_that_convert_their_operands():
    expected = numbers("i8")
    A = sp.csc_matrix(expected)
    assert A.dtype == np.int64
    for x in ([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]):
        x = np.array(x)
        np.testing.assert_array_equal(un.compute("y(i) = A(i,j) * x(j)", A=A, x=x), expected @ x)
        np.testing.assert_array_equal(un.kernel("y(i) = A(i,j) * x(j)", A="csr")(A=A, x=x), expected @ x)


def test_sums_and_operators_of_equal_coordinates():
    where, values = [[1, 0, 1, 1]], np.array([2**53, 7, 1, 1])
    assert un.pack(where, values, (2,), "sv").toarray().tolist() == [7, 2**53 + 2]
    assert un.pack(where, np.array([2**53, 7, 1, 0]), (2,), "sv").toarray().tolist() == [7, LARGE]
    where, values = [[1, 0, 1]], np.array([LARGE + 1, 7, LARGE])
    for combine, made in ("min", LARGE), ("max", LARGE + 1), ("first", LARGE + 1), ("second", LARGE), ("+", 2 * LARGE + 1):
        assert un.pack(where, values, (2,), "sv", combine=combine).toarray().tolist() == [7, made]
    apart = un.pack(where, values, (2,), "sv", combine="min").to("dense")
    assert apart.arrays["val"].tolist() == [7, LARGE]


def test_fills():
    T = un.pack([[1]], np.array([LARGE]), (3,), "dense int64 fill inf")
    assert T.toarray().tolist() == [2**63 - 1, LARGE, 2**63 - 1]
    assert un.pack([[1]], np.array([LARGE]), (3,), "sv fill inf").toarray().tolist() == [2**63 - 1, LARGE, 2**63 - 1]
    assert un.pack([[1]], np.array([4], "i4"), (3,), "sv fill -inf").toarray().tolist() == [-2**31, 4, -2**31]
    assert un.pack([[1]], np.array([LARGE]), (3,), "sv").to("dense fill -3").toarray().tolist() == [-3, LARGE, -3]


def test_other_types_are_asked_for():
    T = un.pack([[1]], np.array([LARGE]), (3,), "sv")
    assert T.to("sv f64").toarray().tolist() == [0, 2.0**53, 0]
    with pytest.raises(un.Error) as thrown:
        T.to("sv int32")
    assert thrown.value.kind == "value-width"
    with pytest.raises(un.Error) as thrown:
        un.pack([[1]], np.array([-LARGE]), (3,), "sv uint64")
    assert thrown.value.kind == "value-width"
    with pytest.raises(un.Error) as thrown:
        un.pack([[1, 1]], np.array([2**63 - 1, 1]), (3,), "sv")
    assert thrown.value.kind == "value-width"


def test_sizes_and_extents():
    program = un.kernel("tensor x(n), y(n); size k; for i in [k,n) { y(i) = x(i); }")
    x = np.ones(3)
    assert program(x=x, k=1).tolist() == [0, 1, 1]
    shifted = un.kernel("y(i) = x(i+1)")
    for k in (LARGE, 2**53, 2**63, 2**70, -2**70, 1e300, float("nan"), 1.5):
        with pytest.raises(un.Error, match="an integer below 2.53 is expected") as thrown:
            program(x=x, k=k)
        assert thrown.value.kind == "bad-option"
    for i in (LARGE, 2**70):
        with pytest.raises(un.Error, match="`i` is the extent of an index, for which an integer below 2.53 is expected"):
            shifted(x=x, i=i)
    assert un.compute("y(i) = a * x(i)", x=x, a=2**70).tolist() == [2.0**70] * 3
    with pytest.raises(un.Error, match="fewer than 2.31"):
        un.Options(threads=2**32)
    for make in (lambda: un.pack([[0]], [1.0], (2**64 + 3,), "sv"),
                 lambda: un.tensor("sv", (2**63,), {"idx": np.array([0]), "val": np.ones(1)}),
                 lambda: un.tensor("sv", (3,), {"idx": np.array([0]), "val": np.ones(1)}, {"NNZ": 2**64 + 1})):
        with pytest.raises(un.Error, match="2.63 is too large"):
            make()
