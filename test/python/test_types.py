"""Values in the types that statements are computed in, as NumPy has them of operands that are converted first."""

import itertools
import os
import random

import numpy as np
import pytest
import scipy.sparse as sp

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


ALL = {"bool": np.bool_, "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64, "uint8": np.uint8,
       "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64, "f32": np.float32, "f64": np.float64,
       "complex128": np.complex128}


def promoted(type_):
    return np.int32 if np.dtype(type_).kind in "biu" and np.dtype(type_).itemsize < 4 else type_


def quotient(x, z):
    """As C divides, but that a quotient by an integer 0 is 0."""
    if x.dtype.kind not in "iu":
        return x / z
    least = np.iinfo(x.dtype).min
    made = [0 if b == 0 else least if (a, b) == (least, -1) else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            for a, b in zip(x.tolist(), z.tolist())]
    return np.array(made, x.dtype)


def converted(values, type_):
    """C's conversion, but that what an integer doesn't hold becomes its end, and NaN 0."""
    if type_ == np.bool_ or values.dtype.kind != "f" or np.dtype(type_).kind not in "iu":
        return values.astype(type_)
    ends = np.iinfo(type_)
    return np.array([0 if np.isnan(v) else ends.max if v >= ends.max else ends.min if v <= ends.min else int(v)
                     for v in values.tolist()], type_)


# What is computed of x and z, and the same by NumPy.
COMPUTED = {"x(i) + z(i)": np.add, "x(i) - z(i)": np.subtract, "x(i) * z(i)": np.multiply, "x(i) / z(i)": quotient,
            "min(x(i), z(i))": np.minimum, "max(x(i), z(i))": np.maximum,
            "x(i) / z(i) * x(i)": lambda x, z: quotient(x, z) * x, "z(i) * (x(i) / z(i))": lambda x, z: z * quotient(x, z),
            "z(i) / (x(i) / z(i))": lambda x, z: quotient(z, quotient(x, z)),
            "-x(i) / z(i)": lambda x, z: quotient(-x, z), "z(i) - x(i) / z(i)": lambda x, z: z - quotient(x, z),
            "(x(i) - z(i)) / (x(i) * 3)": lambda x, z: quotient(x - z, x * x.dtype.type(3))}
LARGE_SAMPLE = os.environ.get("UNRAVEL_TEST_ALL")


def operands(type_):
    if type_ == np.bool_:
        return np.array([0, 1, 1, 0, 1, 1], bool)
    if np.dtype(type_).kind in "iu":
        return np.array([1, 5, 0, np.iinfo(type_).max, 100, 7 if np.iinfo(type_).min == 0 else -7]).astype(type_)
    return np.array([1, 2.5, 0, 300, -7.25, 1e3]).astype(type_)


def expected(made, one, other, target):
    wanted = common(promoted(ALL[one]), promoted(ALL[other]))
    with np.errstate(all="ignore"):
        computed = made(operands(ALL[one]).astype(wanted), np.roll(operands(ALL[other]), 2).astype(wanted))
        return converted(computed, ALL[target])


def table():
    """Each target with each two types of operands; real ones take no complex numbers."""
    for target, one, other in itertools.product(ALL, ALL, ALL):
        if target == "complex128" or "complex128" not in (one, other):
            yield target, one, other


@pytest.mark.parametrize("target,one,other", [
    row for number, row in enumerate(table()) if LARGE_SAMPLE or random.Random(number).random() < 0.06])
def test_table(target, one, other):
    """All operators in one program; each by itself as a line, of a sample."""
    texts = [text for text in COMPUTED if not ("complex128" in (one, other) and ("m" in text or "/" in text))]
    results = ", ".join(f"y{number}(n) {target}" for number in range(len(texts)))
    statements = " ".join(f"y{number}(i) = {text};" for number, text in enumerate(texts))
    x, z = operands(ALL[one]), np.roll(operands(ALL[other]), 2)
    got = un.compute(f"tensor x(n) {one}, z(n) {other}, {results}; for i {{ {statements} }}", x=x, z=z)
    line = random.Random(target + one + other).choice(texts)
    as_line = un.compute("y(i) = " + line, x=x, z=z, y=f"dense {target}")
    for number, text in enumerate(texts):
        right = expected(COMPUTED[text], one, other, target)
        for made in [got[number]] + ([as_line] if text == line else []):
            assert np.asarray(made).dtype == ALL[target]
            # The compiler may multiply before it divides, which rounds otherwise.
            is_exact = np.dtype(common(promoted(ALL[one]), promoted(ALL[other]))).kind in "iu"
            np.testing.assert_allclose(np.asarray(made), right, 0 if is_exact else 3e-7, err_msg=text)


def test_converted_once():
    """What a line reduces is converted after it is reduced; in loops each value is, when it is added."""
    halves, x = np.full((3, 3), .5), np.array([1., 1, 2])
    for A in (halves, sp.csr_matrix(halves), sp.coo_matrix(halves), sp.csc_matrix(halves)):
        assert un.compute("y(i) = A(i,j) * x(j)", A=A, x=x, y="dense int64").tolist() == [2, 2, 2]
        assert un.compute("y(i) = A(i,j) * x(j) + x(i)", A=A, x=x / 4, y="dense int32").tolist() == [0, 0, 1]
        assert un.compute("y(i) += A(i,j) * x(j)", A=A, x=x, y=np.array([1, 2, 3])).tolist() == [3, 4, 5]
        assert un.compute("s = A(i,j) - x(i)", A=A, x=x / 5, s="dense int64") == 3
        for C in ("csr int64", "dense int64", "coo int64"):
            for text in ("C(i,j) = A(i,j) + B(i,j)", "C(i,j) = A(i,j) + B(j,i)", "C(i,j) = A(i,j) - B(i,j) + 2*A(j,i)"):
                made = un.compute(text, A=A, B=sp.csr_matrix(halves), C=C)
                assert (made.toarray() if hasattr(made, "toarray") else made).tolist() == [[1] * 3] * 3, (text, C)
            made = un.compute("C(i,j) = A(i,k) * B(k,j)", A=A, B=sp.csr_matrix(2 * halves), C=C)
            assert (made.toarray() if hasattr(made, "toarray") else made).tolist() == [[1] * 3] * 3, C
    assert un.compute("for i { s += x(i); }", x=x / 4, s="dense int64") == 0
    with pytest.raises(un.Error, match="is converted to int64 as a whole") as thrown:
        un.compute("y(i) = a(i+1) + b(i)", a=np.ones(4) / 2, b=x, y="dense int64")
    assert "f64" in str(thrown.value)


def test_sums():
    assert un.compute("s = x(i)", x=np.full(50, 2**30, np.int32)) == 50 * 2**30
    np.testing.assert_array_equal(np.asarray(un.compute("y(i) = A(i,j)", A=np.ones((3, 50), bool))), [50, 50, 50])
    assert np.asarray(un.compute("y(i) = A(i,j)", A=np.ones((3, 50), bool))).dtype == np.int64
