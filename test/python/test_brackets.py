"""Brackets are computed as they are written: judged by NumPy, with values of which almost all cancels in brackets."""

import numpy as np
import pytest
import scipy.sparse as sp

import unravel as un

LAYOUTS = ["csr", "csc", "coo", "dcsr"]



def far_matrix(rng, shape, density, center):
    """Entries near `center`, and elsewhere nothing."""
    stored = rng.random(shape) < density
    return np.where(stored, center + rng.standard_normal(shape), 0)


def given(dense, layout):
    if layout == "dense":
        return dense
    rows, columns = np.nonzero(dense)
    return un.pack((rows, columns), dense[rows, columns], dense.shape, layout)


def test_values_by_hand():
    x, u = np.array([1.0, 2, 3, 4]), np.ones(4)
    assert un.compute("v = (x(i)-1)*(x(i)-1)", x=x) == 14
    np.testing.assert_array_equal(un.compute("y(i) = (x(i)-x(j))*(x(i)-x(j))", x=x), [14, 6, 6, 14])
    assert un.compute("s = (x(i)+u(j))*(x(i)-u(j))", x=x, u=u) == 104
    assert un.compute("s = x(i) - 1", x=x) == 9
    assert un.compute("s = ((x(i))) - (1)", x=x) == 9


@pytest.mark.parametrize("text", ["v = (x(i)-mu)*(x(i)-mu)", "for i { v += (x(i)-mu)*(x(i)-mu); }"])
def test_variance(text):
    x = 1e8 + np.random.default_rng(1).standard_normal(1000)
    got = un.compute(text, x=x, mu=1e8)
    got = float(got["v"] if isinstance(got, dict) else got)
    assert got == pytest.approx(((x - 1e8) ** 2).sum(), rel=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("density", [1, 0.3])
@pytest.mark.parametrize("text", ["v(j) = (A(i,j)-mu(j))*(A(i,j)-mu(j))", "v(j) = pow(A(i,j)-mu(j), 2)"])
def test_variance_by_columns(layout, density, text):
    A = far_matrix(np.random.default_rng(2), (1000, 3), density, 1e8)
    mu = A.mean(axis=0)
    got = un.compute(text, A=given(A, layout), mu=mu)
    np.testing.assert_allclose(got, ((A - mu) ** 2).sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize("one", LAYOUTS)
@pytest.mark.parametrize("other", LAYOUTS)
def test_distance(one, other):
    rng = np.random.default_rng(3)
    A = far_matrix(rng, (30, 40), 0.3, 1e8)
    B = np.where(A != 0, A + 1e-3 * rng.standard_normal(A.shape), 0)
    B[rng.random(A.shape) < 0.05] = 2
    got = un.compute("s = (A(i,j)-B(i,j))*(A(i,j)-B(i,j))", A=given(A, one), B=given(B, other))
    assert got == pytest.approx(((A - B) ** 2).sum(), rel=1e-12)
    both = (A != 0) & (B != 0)  # all that is in both cancels but for its rounding
    A, B = np.where(both, A, 0), np.where(both, B, 0)
    got = un.compute("s = (A(i,j)-B(i,j))*(A(i,j)-B(i,j))", A=given(A, one), B=given(B, other))
    assert got == pytest.approx(((A - B) ** 2).sum(), rel=1e-12)


def test_bracket_times_vector():
    """csr and csr have a common order: rows are walked together, and what cancels there is exact."""
    rng = np.random.default_rng(4)
    A = far_matrix(rng, (30, 40), 0.3, 1e8)
    B, x = np.where(A != 0, -A + rng.standard_normal(A.shape), 0), rng.random(40)
    got = un.compute("y(i) = (A(i,j)+B(i,j))*x(j)", A=sp.csr_matrix(A), B=sp.csr_matrix(B), x=x)
    np.testing.assert_allclose(got, (A + B) @ x, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("layout", LAYOUTS + ["coo_dup"])
def test_what_is_not_stored(layout):
    rng = np.random.default_rng(5)
    A = np.where(rng.random((30, 40)) < 0.2, -rng.random((30, 40)), 0)
    A[3] = -1  # a row without zeros, and one without entries
    A[5] = 0
    T, y, x = given(A, layout), rng.standard_normal(30), rng.random(40)
    np.testing.assert_allclose(un.compute("y(i) = exp(A(i,j))", A=T), np.exp(A).sum(axis=1))
    np.testing.assert_allclose(un.compute("y(i,k) = exp(A(i,j)) * x(k)", A=T, x=x), np.outer(np.exp(A).sum(axis=1), x))
    np.testing.assert_allclose(un.compute("s = exp(A(i,j))", A=T), np.exp(A).sum())
    np.testing.assert_allclose(un.compute("y(i) = A(i,j)*x(j) + exp(A(i,j)) + 2", A=T, x=x),
                               A @ x + np.exp(A).sum(axis=1) + 2)
    np.testing.assert_array_equal(un.compute("y(i) max= A(i,j)", A=T, y=y.copy()), np.maximum(y, A.max(axis=1)))
    np.testing.assert_array_equal(un.compute("z(j) min= A(i,j) + 0.5", A=T, z=np.full(40, 9.0)), A.min(axis=0) + 0.5)


def test_quotients_of_integers():
    x, y, z = np.array([3, 5, -7]), np.array([4, 5, 2]), np.array([2, 3, 4])
    expected = [3, 3, -1]
    np.testing.assert_array_equal(un.compute("q(i) = (x(i)+y(i))/z(i)", x=x, y=y, z=z), expected)
    got = un.compute("for i { q(i) = (x(i)+y(i))/z(i); }", x=x, y=y, z=z)
    np.testing.assert_array_equal(got["q"] if isinstance(got, dict) else got, expected)
