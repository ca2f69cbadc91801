"""Tensors: Unravel's own, and NumPy's and SciPy's arrays as such."""
import copy
import ctypes
import itertools
import os
import re
import weakref

import numpy as np

from ._library import (Array, DTYPES, Error, Number, RELEASE, call, lib, text_of, type_of)

try:
    import scipy.sparse as sparse
except ImportError:  # NumPy alone will do
    sparse = None

# SciPy's diagonals have a slot for each column.
_SCIPY_DIA = """layout scipy_dia(i: M, j: N) {
  index off[ND];
  count ND, L;
  value val[ND, L];
  stored { [d, c] -> [i, j] : 0 <= d < ND and 0 <= c < N and c < L and j = c and i = c - off(d) and 0 <= i < M } at val(d, c);
  property range off in [1 - M, N);
  property strictly increasing off;
}"""

# Whose elements lie apart by a fixed distance; the second number is that less 1.
_STRIDED = """layout strided{0}(i: M) {{
  value val[{0} * M - {1}];
  stored {{ [a] -> [i] : i = a and 0 <= a < M }} at val({0} * a);
}}"""


# What memory of NumPy's the C interface still needs: by a number, which it gives back.
_lent = {}
_loans = itertools.count(1)  # each once, also where threads take turns


@RELEASE
def _release(number):
    _lent.pop(number, None)


class _Memory:
    """What NumPy asks to make an array over a tensor's memory, which lives as long as this does."""

    __slots__ = ("tensor", "__array_interface__")

    def __init__(self, tensor, array, dtype):
        self.tensor = tensor
        self.__array_interface__ = {"version": 3, "shape": (array.count,), "typestr": dtype.str,
                                    "data": (array.data, not array.writable)}


def _array_of(given):
    """A NumPy array of what is like one. Raises Error where elements are masked."""
    if np.ma.is_masked(given):
        raise Error("the array has masked elements, which tensors don't have; its method `filled` replaces them",
                    "value-width")
    return native(np.asarray(given))


def native(array):
    """The array, or a copy of it in this machine's byte order."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _taken(count, memory, dtype):
    """An array of elements that the C interface has allocated."""
    try:
        made = np.empty(count.value, dtype)
        ctypes.memmove(made.ctypes.data, memory, made.nbytes)
        return made
    finally:
        lib.unravel_free(memory)


def _fill_of(fill, dtype):
    """The fill as an element; of integers an infinity is the greatest or least one."""
    if dtype.kind in "iu" and np.isinf(fill):
        return np.iinfo(dtype).max if fill > 0 else np.iinfo(dtype).min
    return fill


def _int64s(numbers, what):
    """An array of int64 for the C interface, which would have others wrap around."""
    numbers = [int(number) for number in numbers]
    for number in numbers:
        if not -2**63 <= number < 2**63:
            raise Error(f"{what} is {number}, but 2^63 is too large", "wrong-shape")
    return (ctypes.c_int64 * len(numbers))(*numbers)


# What may follow a layout, whose file's name may have spaces.
_VALUES = re.compile(r"(\s+(f32|f64|bool|u?int(8|16|32|64)|complex(64|128)))?(\s+fill\s+\S+)?$")


def tight(format):
    """A layout's text without spaces between the parameters of its name."""
    return format if "{" in format else re.sub(r"<[^<>]*>", lambda found: "".join(found.group().split()), format)


def without_type(format):
    """A layout's text without what it says of the values."""
    format = tight(format)
    return format[:format.rindex("}") + 1] if "{" in format else _VALUES.sub("", format.strip())


class Tensor:
    """A tensor in a layout: its shape, and arrays by the layout's own names.

    Made by `un.tensor` (your own arrays, without a copy), `un.pack` (coordinates), `un.read` (a file), by `to`, and by
    kernels as results in layouts that neither NumPy nor SciPy has.
    """

    __slots__ = ("_handle", "format", "_loan", "__weakref__")

    def __init__(self, handle, format, loan=None):
        self._handle = handle
        self.format = format
        self._loan = loan

    def __del__(self):
        handle = getattr(self, "_handle", None)
        if handle:
            lib.unravel_tensor_free(handle)

    def __copy__(self):
        return self._same_arrays()

    def __reduce__(self):
        like = self.format.startswith("like:")
        text = without_type(self.format[self.format.index(" ") + 1:] if like else self.format)
        parts = text + (f" fill {self.fill}" if self.fill != 0 else ""), self.shape, self.arrays, self.numbers
        if like and not self._is_as(parts):
            raise TypeError(f"layout {self.layout} was made for a result and has no text, so that the tensor can't be "
                            "pickled or copied; `to` converts it to another layout")
        return _rebuilt, parts

    def _is_as(self, parts):
        try:
            return _rebuilt(*parts).layout == self.layout
        except Error:
            return False

    @property
    def layout(self):
        """The layout's name, with parameters: "bcsr<4, 4>"."""
        return lib.unravel_tensor_layout(self._handle).decode()

    @property
    def shape(self):
        """The extents of the modes, as a tuple."""
        return tuple(lib.unravel_tensor_shape(self._handle)[:self.ndim])

    @property
    def ndim(self):
        """The number of modes."""
        return lib.unravel_tensor_order(self._handle)

    @property
    def fill(self):
        """The value of elements that aren't stored."""
        return lib.unravel_tensor_fill(self._handle)

    @property
    def numbers(self):
        """Sizes and counts by the layout's names: {"M": 3, "N": 3, "NNZ": 4}."""
        all = (lib.unravel_tensor_number(self._handle, k) for k in range(lib.unravel_tensor_number_count(self._handle)))
        return {number.name.decode(): number.value for number in all}

    @property
    def arrays(self):
        """The arrays by the layout's names, flat: the tensor's own memory, not copies of it.

        They stay as they are where a kernel makes new arrays for the tensor.
        """
        found, owner = {}, self._same_arrays()
        for k in range(lib.unravel_tensor_array_count(self._handle)):
            array = lib.unravel_tensor_array(self._handle, k)
            found[array.name.decode()] = owner._view(array)
        return found

    def _let_go(self):
        """Its arrays may die before it, which is then of no use."""
        if self._loan in _lent:
            _lent[self._loan] = None

    def _same_arrays(self):
        """Another tensor, which keeps the arrays that this one has now."""
        made = ctypes.c_void_p()
        call(lib.unravel_tensor_same_arrays, self._handle, ctypes.byref(made))
        return Tensor(made.value, self.format)

    def _view(self, array):
        dtype = DTYPES[array.type]
        if array.count == 0:
            return np.empty(0, dtype)
        return np.asarray(_Memory(self, array, dtype))

    @property
    def dtype(self):
        """The type of the values, or None where the layout stores none."""
        type = ctypes.c_int()
        found = lib.unravel_tensor_value_type(self._handle, ctypes.byref(type)) == 0
        return DTYPES[type.value] if found else None

    def to(self, layout):
        """The tensor in another layout, with arrays of its own of the same types.

        layout: a name ("csr"), a file ("./mine.layout:name") or the text of a layout. Raises Error where entries have no
        place in it.
        """
        made = ctypes.c_void_p()
        call(lib.unravel_tensor_convert, self._handle, text_of(layout), ctypes.byref(made))
        return Tensor(made.value, layout)

    def coordinates(self):
        """All entries, in the order of the arrays, with zeros that are stored: (coordinates, values).

        coordinates: int64, of shape (ndim, entries); values: of shape (entries,), complex128 of a complex tensor, int64
        or uint64 of one of that dtype, else float64.
        """
        entries, indices, values = ctypes.c_size_t(), ctypes.c_void_p(), ctypes.c_void_p()
        call(lib.unravel_tensor_coordinates, self._handle, ctypes.byref(entries), ctypes.byref(indices),
             ctypes.byref(values))
        try:
            where = np.empty((self.ndim, entries.value), np.int64)
            ctypes.memmove(where.ctypes.data, indices, where.nbytes)
        finally:
            lib.unravel_free(indices)
        what = _taken(entries, values, np.float64)
        if self.dtype is not None and self.dtype.kind == "c":
            real, what = what, np.empty(len(what), complex)  # 1j * inf has a real part that is no number
            what.real, what.imag = real, self._values_by(lib.unravel_tensor_imaginary, np.float64)
        elif self.dtype in (np.dtype(np.int64), np.dtype(np.uint64)):
            exact = self._values_by(lib.unravel_tensor_integers, self.dtype)
            what = what if exact is None else exact
        return where, what

    def _values_by(self, function, dtype):
        """What else the C interface says of the values; None where it says nothing."""
        entries, values = ctypes.c_size_t(), ctypes.c_void_p()
        call(function, self._handle, ctypes.byref(entries), ctypes.byref(values))
        return _taken(entries, values, dtype) if values else None

    def toarray(self):
        """A NumPy array of all elements, of the tensor's dtype; entries of equal coordinates are added up."""
        where, what = self.coordinates()
        dtype = self.dtype or np.dtype(float)
        if dtype.kind in "iu" and dtype.itemsize < 8:
            what = what.astype(np.int64)  # sums wrap around, which those of float64 don't
        if not self.shape:
            return what.sum().astype(dtype)
        made = np.zeros(self.shape, what.dtype)
        stored = np.zeros(self.shape, bool)
        np.add.at(made, tuple(where), what)
        stored[tuple(where)] = True
        made = made.astype(dtype)
        made[~stored] = _fill_of(self.fill, dtype)
        return made

    def __repr__(self):
        shape = " x ".join(map(str, self.shape)) or "scalar"
        return f"<unravel.Tensor {shape} in layout {self.layout}, {self.dtype}>"


def tensor(layout, shape, arrays, counts=None, check=True):
    """A tensor over your own arrays, which aren't copied.

    layout: "csr", "./mine.layout:name" or the text of a layout; shape: the extents of the modes; arrays: by the layout's
    names, NumPy arrays that are C-contiguous, index arrays of int32 or int64. counts: those that follow neither from
    the layout nor from an array's length. check: whether the layout's properties are checked, in linear time; without
    the check, arrays that break a property may crash a kernel. Raises Error.

    >>> import numpy as np, unravel as un
    >>> T = un.tensor('sv', (5,), {'idx': np.array([1, 3]), 'val': np.array([2., 4.])})
    >>> T.toarray()
    array([0., 2., 0., 4., 0.])
    """
    shape = tuple(int(extent) for extent in shape)
    given = {}
    for name, array in arrays.items():
        array = _array_of(array)
        if not array.flags.c_contiguous:
            raise Error(f"array `{name}` is not C-contiguous", "extent-mismatch")
        given[name] = array
    return over(layout, shape, given, counts or {}, check)


def over(layout, shape, arrays, counts=(), check=True):
    """The same, for arrays that are contiguous in some order."""
    described = (Array * len(arrays))()
    for slot, (name, array) in zip(described, arrays.items()):
        slot.name = text_of(name)
        slot.type = type_of(array.dtype, f"array `{name}`")
        slot.data = array.__array_interface__["data"][0]
        slot.count = array.size
        slot.writable = array.flags.writeable
    numbers = (Number * len(counts))()
    for slot, name in zip(numbers, counts):
        slot.name, slot.value = text_of(name), _int64s([counts[name]], f"the count `{name}`")[0]
    text, extents = text_of(layout), _int64s(shape, "an extent")
    made = ctypes.c_void_p()
    number = next(_loans)
    _lent[number] = arrays  # the C interface gives it back, also where it refuses
    call(lib.unravel_tensor_over, text, len(shape), extents, len(arrays), described, len(counts), numbers,
         0 if check else 1, ctypes.cast(_release, ctypes.c_void_p), number, ctypes.byref(made))
    return Tensor(made.value, layout, number)


def _rebuilt(layout, shape, arrays, numbers):
    """A tensor from what `Tensor.__reduce__` has. numbers: sizes, then counts."""
    for sizes in range(len(shape), -1, -1):  # modes may have a size in common
        try:
            return over(layout, shape, arrays, dict(list(numbers.items())[sizes:]))
        except Error:
            if sizes == 0:
                raise


# Index arrays that were looked at, by what they are of: SciPy's come again and again.
_good = {}


def _over_indices(layout, shape, arrays, indices, counts=()):
    """`over`, without looking at index arrays again that are the same objects as before."""
    names = [name for name in arrays if name != "val"]
    key = (layout, shape, *(id(each) for each in indices))
    known = _good.get(key)
    if known is not None and all(reference() is each for reference, each in zip(known, indices)):
        return over(layout, shape, arrays, counts, check=False)
    made = over(layout, shape, arrays, counts)
    if all(arrays[name] is each for name, each in zip(names, indices)):
        if len(_good) > 1000:
            _good.clear()
        _good[key] = [weakref.ref(each) for each in indices]
    return made


def _coordinates_of(given, mode):
    """Coordinates as int64. Raises Error for what isn't an integer, or is too large."""
    array = _array_of(given)
    if array.size == 0:
        return np.ascontiguousarray(array, np.int64)
    if array.dtype.kind not in "iub" or array.dtype == np.uint64 and array.max() >= 2**63:
        raise Error(f"the coordinates of mode {mode} have elements {array.dtype}, but integers below 2^63 are expected",
                    "wrong-shape")
    return np.ascontiguousarray(array, np.int64)


def pack(coordinates, values, shape, layout, index=np.int32, combine=None):
    """A tensor from its entries.

    coordinates: of shape (ndim, n), integers from 0 on, or ndim arrays of n; values: of shape (n,), of any dtype that
    Unravel supports, which the tensor keeps; shape: the extents; layout: a name, a file or a text; index: int32 or int64, of
    index arrays. Entries of equal coordinates add up; or combine names an operator that makes one value of them, in their
    order: 'min', 'or', 'first', 'second', '+'. Raises Error.

    >>> import unravel as un
    >>> un.pack([[0, 2], [1, 0], [3, 1]], [1., 2.], (3, 2, 4), 'csf3')
    <unravel.Tensor 3 x 2 x 4 in layout csf3, float64>
    """
    shape = tuple(int(extent) for extent in shape)
    values = np.ascontiguousarray(_array_of(values))
    if values.dtype == object or values.ndim != 1:
        raise Error("expected values in an array of one dimension", "entry-count")
    indices = [_coordinates_of(each, mode) for mode, each in enumerate(coordinates)]
    if len(indices) != len(shape):
        raise Error(f"the shape has {len(shape)} modes, but coordinates are given for {len(indices)}", "order-mismatch")
    for mode, each in enumerate(indices):
        if each.shape != values.shape:
            raise Error(f"there are {values.size} values, but mode {mode} has coordinates of shape {each.shape}",
                        "entry-count")
    pointers = (ctypes.c_void_p * len(shape))(*(each.ctypes.data for each in indices))
    made = ctypes.c_void_p()
    call(lib.unravel_tensor_pack_combined, text_of(layout), len(shape), _int64s(shape, "an extent"), values.size, pointers,
         type_of(values.dtype, "values"), values.ctypes.data, type_of(np.dtype(index), "index"),
         combine and text_of(combine), ctypes.byref(made))
    return Tensor(made.value, layout)


def read(path, layout=None, ndim=None, combine=None):
    """A tensor from a file (.mtx, .tns, .npy) or a folder of arrays.

    layout: a name, a file or a text; without one dense, or the folder's. ndim: that is wanted: 1 for a matrix of one
    column that is to be a vector. combine: as for pack, of files alone. Raises Error.
    """
    made = ctypes.c_void_p()
    call(lib.unravel_tensor_read_combined, text_of(os.fspath(path), "surrogateescape"), layout and text_of(layout),
         -1 if ndim is None else ndim, combine and text_of(combine), ctypes.byref(made))
    made = Tensor(made.value, layout)
    if layout is None:
        made.format = made.layout
    return made


def is_sparse(value):
    """Is it one of SciPy's?"""
    return sparse is not None and sparse.issparse(value)


def is_sparse_array(value):
    """Is it one of SciPy's sparse arrays, and not of its matrices?"""
    return is_sparse(value) and type(value).__name__.endswith("_array")


def _dense(array):
    """(tensor, whether it shares the memory)."""
    name = "dense" if array.ndim <= 4 else "d" * array.ndim
    if not array.flags.aligned:
        return _dense(array.copy())[0], False
    if array.flags.c_contiguous:
        return over(name, array.shape, {"val": array}), True
    if array.ndim <= 4:
        order = sorted(range(array.ndim), key=lambda mode: (-abs(array.strides[mode]), mode))
        if array.transpose(order).flags.c_contiguous:
            return over("dense<" + ",".join(map(str, order)) + ">", array.shape, {"val": array}), True
    if array.ndim == 1 and array.size > 1 and array.strides[0] > 0 and array.strides[0] % array.itemsize == 0:
        stride = array.strides[0] // array.itemsize
        if stride <= 64:
            whole = _with_gaps(array, stride)
            if whole is not None:
                return over(_STRIDED.format(stride, stride - 1), array.shape, {"val": whole}), True
    return _dense(np.ascontiguousarray(array))[0], False


def _with_gaps(array, stride):
    """The memory of a strided array from its first element to its last one, where one owner has it."""
    elements = (array.size - 1) * stride + 1
    begin = array.__array_interface__["data"][0]
    owner = array.base
    while isinstance(owner, np.ndarray) and isinstance(owner.base, np.ndarray):
        owner = owner.base
    if not isinstance(owner, np.ndarray) or not (owner.flags.c_contiguous or owner.flags.f_contiguous):
        return None
    first = owner.__array_interface__["data"][0]
    if begin < first or begin + elements * array.itemsize > first + owner.nbytes:
        return None
    return np.lib.stride_tricks.as_strided(array, (elements,), (array.itemsize,),
                                           writeable=array.flags.writeable)


def _index_dtype(indices):
    """What a tensor's index arrays become, which are all of int32 or all of int64. None where some aren't of integers."""
    if any(each.dtype.kind not in "iu" for each in indices):
        return None
    return np.dtype(np.int32 if all(np.can_cast(each.dtype, np.int32) for each in indices) else np.int64)


def _over_parts(layout, matrix, counts=()):
    """(a tensor over the arrays of one of SciPy's, whether it shares the memory)."""
    given = {name: getattr(matrix, attribute) for attribute, name in ATTRIBUTES[matrix.format].items()}
    arrays = {name: native(array) for name, array in given.items()}
    indices = [array for name, array in arrays.items() if name != "val"]
    index = _index_dtype(indices)
    arrays = {name: np.require(array, None if name == "val" else index, "CA") for name, array in arrays.items()}
    if index is not None and matrix.format in ("csr", "csc", "bsr") and matrix.indptr[-1] < len(matrix.data):
        # SciPy allows more room than there are entries.
        for name, array in given.items():
            if array is not matrix.indptr:
                arrays[name] = arrays[name][:matrix.indptr[-1]]
    shares = all(np.shares_memory(arrays[name], array) or array.size == 0 for name, array in given.items())
    return _over_indices(layout, matrix.shape, arrays, indices, counts), shares


def _by_entries(matrix, layout):
    """A tensor whose indices are sorted, and equal entries added up; of a matrix whose indices are in range."""
    tensor = _sparse(matrix.tocoo(copy=False))[0]
    try:
        return tensor.to(layout)
    except Error as refusal:
        if refusal.kind != "value-width":
            raise
        return tensor  # the dtype doesn't hold a sum


def _sparse(matrix):
    """(tensor, whether it shares the memory)."""
    kind = matrix.format
    if kind == "coo":
        for layout in ("coo", "coo_unsorted", "coo_dup"):
            try:
                return _over_parts(layout, matrix)
            except Error as refusal:
                if refusal.kind != "property-violated" or layout == "coo_dup":
                    raise
    if kind not in ("csr", "csc", "bsr", "dia"):
        return _sparse(matrix.tocsr())[0], False
    layout, counts = kind, ()
    if kind == "bsr":
        layout = "bcsr<%d,%d>" % matrix.blocksize
    elif kind == "dia":
        layout, counts = _SCIPY_DIA, {"ND": len(matrix.offsets), "L": matrix.data.shape[1]}
    try:
        return _over_parts(layout, matrix, counts)
    except Error as refusal:
        if refusal.kind != "property-violated":
            raise
        if kind == "dia":
            return _sparse(matrix.tocsr())[0], False
        checked = copy.copy(matrix)  # SciPy's check changes what it checks
        try:
            checked.check_format(full_check=True)
        except ValueError:
            raise refusal from None
        ordered = checked.copy()
        ordered.sort_indices()
        try:
            return _over_parts(layout, ordered, counts)[0], False
        except Error as repeated:
            if repeated.kind != "property-violated":
                raise
        return _by_entries(checked, layout), False


def as_tensor(value):
    """(a tensor, whether it shares the value's memory)."""
    if isinstance(value, Tensor):
        return value, True
    if is_sparse(value):
        type_of(value.dtype.newbyteorder("="), "the matrix")
        if len(value.shape) != 2:
            raise Error(f"SciPy's sparse array is of shape {value.shape}, but only matrices are taken; "
                        f"`un.pack(x.coords, x.data, x.shape, layout)` of `x = array.tocoo()` makes a tensor of it, in the "
                        f"layout '{'sv' if len(value.shape) == 1 else 'coo3'}', say", "order-mismatch")
        return _sparse(value)
    array = _array_of(value)
    type_of(array.dtype, "the array")
    made, shares = _dense(array)
    # What a masked array masks may change.
    return made, shares and isinstance(value, np.ndarray) and value.dtype.isnative and not isinstance(value, np.ma.MaskedArray)


def _permuted(flat, shape, layout):
    found = re.fullmatch(r"dense<(.*)>", layout)
    if not found:
        return flat.reshape(shape)
    order = [int(mode) for mode in found.group(1).split(",")]
    return flat.reshape([shape[mode] for mode in order]).transpose(np.argsort(order))


# Of SciPy's formats: their attributes, and the arrays of the layout that they are taken in.
ATTRIBUTES = {"csr": {"indptr": "rowptr", "indices": "col", "data": "val"},
              "csc": {"indptr": "colptr", "indices": "row", "data": "val"},
              "coo": {"row": "row", "col": "col", "data": "val"},
              "bsr": {"indptr": "rowptr", "indices": "bcol", "data": "val"},
              "dia": {"offsets": "off", "data": "val"}}

# Those whose arrays are the layout's, as flat as these.
_FLAT = ("csr", "csc", "coo")


def is_users(format):
    """Whether it names a layout in a file or is the text of one: its name may be one of Unravel's, with other arrays."""
    return "{" in format or "/" in format or ".layout" in format


class Pattern:
    """Makes SciPy's matrices like one that `as_result` has made, without looking at their arrays again."""

    def __init__(self, tensor, matrix):
        places = {lib.unravel_tensor_array(tensor._handle, k).name.decode(): k
                  for k in range(lib.unravel_tensor_array_count(tensor._handle))}
        attributes = ATTRIBUTES[tensor.layout]
        self.kind, self.format = type(matrix), tensor.format
        self.places = [(attribute, places[array]) for attribute, array in attributes.items()]
        self.rest = {name: value for name, value in vars(matrix).items() if name not in attributes}

    @staticmethod
    def fits(tensor, matrix):
        """Whether there can be one: the matrix keeps what it is in attributes."""
        known = getattr(matrix, "__dict__", {})
        return tensor.layout in _FLAT and all(attribute in known for attribute in ATTRIBUTES[tensor.layout])

    def made(self, handle):
        tensor = Tensor(handle, self.format)
        matrix = self.kind.__new__(self.kind)
        matrix.__dict__.update(self.rest)
        for attribute, place in self.places:
            matrix.__dict__[attribute] = tensor._view(lib.unravel_tensor_array(handle, place))
        return matrix


def as_result(tensor, wants_arrays):
    """A tensor as NumPy or SciPy has it, else itself. wants_arrays: SciPy's sparse arrays rather than matrices."""
    layout, shape = tensor.layout, tensor.shape
    if is_users(tensor.format):
        return tensor
    is_dense = layout == "dense" or layout.startswith("dense<") or len(shape) > 4 and layout == "d" * len(shape)
    if is_dense and lib.unravel_tensor_array_count(tensor._handle) == 1:
        flat = tensor.arrays["val"]
        return flat[0] if not shape else _permuted(flat, shape, layout)
    if sparse is None or len(shape) != 2 or tensor.fill != 0:
        return tensor
    blocks = re.fullmatch(r"bcsr<(\d+), (\d+)>", layout)
    if layout not in ("csr", "csc", "coo", "dia") and not blocks:
        return tensor
    arrays = tensor.arrays
    make = lambda kind: getattr(sparse, kind + ("_array" if wants_arrays else "_matrix"))

    def over_arrays(kind, parts, **indices):
        made = make(kind)(parts, shape=shape, copy=False)
        for name, array in indices.items():  # SciPy copies int64 ones whose numbers int32 holds
            if getattr(made, name) is not array:
                setattr(made, name, array)
        return made

    if layout in ("csr", "csc"):
        pointers, indices = arrays[ATTRIBUTES[layout]["indptr"]], arrays[ATTRIBUTES[layout]["indices"]]
        return over_arrays(layout, (arrays["val"], indices, pointers), indptr=pointers, indices=indices)
    if layout == "coo":
        return over_arrays("coo", (arrays["val"], (arrays["row"], arrays["col"])), row=arrays["row"], col=arrays["col"])
    if blocks:
        rows, columns = int(blocks.group(1)), int(blocks.group(2))
        if shape[0] % rows or shape[1] % columns:
            return tensor
        data = arrays["val"].reshape(-1, rows, columns)
        return over_arrays("bsr", (data, arrays["bcol"], arrays["rowptr"]), indptr=arrays["rowptr"],
                           indices=arrays["bcol"])
    off, stored = arrays["off"], arrays["val"].reshape(len(arrays["off"]), shape[0])
    data = np.zeros((len(off), shape[1]), stored.dtype)
    for d, offset in enumerate(off):
        first, last = max(0, offset), min(shape[1], shape[0] + offset)
        data[d, first:last] = stored[d, first - offset:last - offset]
    return make("dia")((data, off.copy()), shape=shape)
