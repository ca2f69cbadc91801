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
