"""Unravel: tensor computations over any layout, compiled.

    import unravel as un
    y = un.compute('y(i) = A(i,j) * x(j)', A=scipy_csr, x=numpy_array)

compute, kernel    a result, or a kernel to call again
pack, tensor, read un.Tensor from coordinates, from your own arrays, from a file
explain, report, emit_c   how an expression is compiled: as text, as a page of HTML, as C
Options            schedules, finds, threads, and more
Error              a ValueError, with the place underlined

docs/tutorial/3-python.md is the beginning, docs/python.md the rest.
"""
from ._kernel import CSource, Kernel, compute, emit_c, explain, kernel, report
from ._library import Error, lib as _lib
from ._options import Options
from ._tensor import Tensor, pack, read, tensor

__all__ = ["CSource", "Error", "Kernel", "Options", "Tensor", "compute", "emit_c", "explain", "kernel", "pack", "read",
           "report", "tensor"]
__version__ = _lib.unravel_version().decode()
