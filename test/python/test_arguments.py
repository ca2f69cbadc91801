"""Arguments of calls: what is taken, in which type, and what is refused."""
import numpy as np
import pytest

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
