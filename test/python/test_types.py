"""Values in the types that statements are computed in, as NumPy has them of operands that are converted first."""

import itertools

import numpy as np
import pytest

import unravel as un

TYPES = [np.int32, np.int64, np.uint32, np.uint64, np.float32, np.float64, np.complex128]
# What C makes of two types where NumPy takes a wider one.
C_TYPES = {frozenset([np.int32, np.uint32]): np.uint32, frozenset([np.int64, np.uint64]): np.uint64,
           frozenset([np.int32, np.uint64]): np.uint64,
           frozenset([np.int64, np.float32]): np.float32, frozenset([np.uint64, np.float32]): np.float32,
           frozenset([np.int32, np.float32]): np.float32, frozenset([np.uint32, np.float32]): np.float32}
OPERATORS = {"+": np.add, "-": np.subtract, "*": np.multiply}


def common(one, other):
    return C_TYPES.get(frozenset([one, other]), np.result_type(one, other).type)


@pytest.mark.parametrize("text", ["y(i) = x(i) {} z(i)", "for i {{ y(i) = x(i) {} z(i); }}"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_two_operands(text, operator):
    for one, other in itertools.product(TYPES, TYPES):
        x, z = np.array([1, 5, 7]).astype(one), np.array([5, 1, 7]).astype(other)
        wanted = common(one, other)
        got = un.compute(text.format(operator), x=x, z=z)
        got = np.asarray(got["y"] if isinstance(got, dict) else got)
        assert got.dtype == wanted, (one, other)
        np.testing.assert_array_equal(got, OPERATORS[operator](x.astype(wanted), z.astype(wanted)), str((one, other)))


def test_sums():
    assert un.compute("s = x(i)", x=np.full(50, 2**30, np.int32)) == 50 * 2**30
    np.testing.assert_array_equal(np.asarray(un.compute("y(i) = A(i,j)", A=np.ones((3, 50), bool))), [50, 50, 50])
    assert np.asarray(un.compute("y(i) = A(i,j)", A=np.ones((3, 50), bool))).dtype == np.int64
