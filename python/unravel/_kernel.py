"""Kernels: expressions with layouts, called with NumPy's and SciPy's arrays."""
import collections
import copy
import ctypes
import operator
import pathlib
import re
import threading
import warnings
import weakref

import numpy as np

from ._library import Argument, CSource as _CSource, Error, TYPES, call, lib, take_text, text_of
from ._options import checked
from ._tensor import (ATTRIBUTES, Pattern, Tensor, as_result, as_tensor, is_sparse, is_sparse_array, is_users, native,
                      sparse, tight, without_type)


def _double(number):
    """A number as the C interface has it. Raises Error for others than real ones that a float64 holds."""
    if isinstance(number, (complex, np.complexfloating)):
        raise Error(f"{number} is a complex number: a size or an extent is an integer", "bad-option")
    try:
        return float(number)
    except OverflowError:
        raise Error("a number is given that is beyond the range of float64", "value-width") from None


def _arguments(tensors):
    made = (Argument * len(tensors))()
    for slot, (name, value) in zip(made, tensors.items()):
        slot.name = text_of(name)
        if isinstance(value, Tensor):
            slot.tensor = value._handle
        else:
            slot.number = _double(value)
            slot.is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    return made


class _Machine:
    """A kernel of the C interface, and the names of its arguments."""

    def __init__(self, expression, options, formats, tensors, later=False):
        c, keep = options._as_c(formats, later)
        given = _arguments(tensors)
        handle = ctypes.c_void_p()
        call(lib.unravel_kernel_make, text_of(expression), ctypes.byref(c), len(given), given, ctypes.byref(handle))
        del keep
        self.handle = handle.value
        count = lib.unravel_kernel_argument_count(self.handle)
        self.names = [lib.unravel_kernel_argument(self.handle, k).decode() for k in range(count)]
        self.results = self.names[:lib.unravel_kernel_result_count(self.handle)]
        self.sizes = self.names[count - lib.unravel_kernel_size_count(self.handle):]
        self.tensors = self.names[:count - len(self.sizes)]

    def __del__(self):
        if getattr(self, "handle", None):
            lib.unravel_kernel_free(self.handle)

    def __reduce__(self):
        raise TypeError("a kernel can't be pickled, nor copied with all it has; `un.kernel` makes another one")

    def call(self, arguments):
        """Tensors of all results, by name."""
        given = _arguments(arguments)
        made = (ctypes.c_void_p * len(self.results))()
        call(lib.unravel_kernel_call, self.handle, len(given), given, made)
        return {name: Tensor(handle, None) for name, handle in zip(self.results, made)}


def _is_number(value):
    return isinstance(value, (int, float, complex, np.number, np.bool_)) and not isinstance(value, np.timedelta64)


def _dtypes_beside(arguments, results):
    """Of the arrays among the operands: those that a number beside them adapts to, bools, integers, floats or complex ones."""
    found = [value.dtype for name, value in arguments.items()
             if name not in results and getattr(value, "dtype", None) is not None and not _is_number(value)]
    kinds = ["biufc".find(dtype.kind) for dtype in found]
    most = max(kinds, default=0)
    return [dtype for dtype, kind in zip(found, kinds) if kind == most or kind + most == 3 and kind > 0]


def _as_array(number, dtypes):
    """The number as an array of no modes: NumPy's keep their dtype, Python's take that of the arrays if it holds them."""
    if isinstance(number, np.generic) and number.dtype in TYPES:
        return np.asarray(number)
    if isinstance(number, int) and not -2**63 <= number < 2**64:
        number = _double(number)
    try:
        return np.array(number, np.result_type(*dtypes, number) if dtypes else None)
    except OverflowError:
        return np.asarray(number)


def _has_gaps(value):
    """Whether it is a vector whose elements lie apart."""
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.size > 1 and not value.flags.c_contiguous


def _needs_copy(value):
    """Whether a kernel can't write to the memory of a result: elements lie apart, at odd addresses, or bytes in another order."""
    return (isinstance(value, np.ndarray) and value.flags.writeable
            and (not value.flags.aligned or _has_gaps(value) or not value.dtype.isnative))


def _has_in_gaps(vector, tensor, results):
    """Whether a result lies between the elements of the vector, where the library takes it for a part of the tensor."""
    if not results or not _has_gaps(vector):
        return False
    whole = tensor.arrays["val"]
    return any(isinstance(result, np.ndarray) and np.may_share_memory(result, whole)
               and not np.shares_memory(result, vector) for result in results)


def _stretch_of(tensor):
    """The memory of a vector with gaps, from an address to one."""
    whole = tensor.arrays["val"]
    begin = whole.__array_interface__["data"][0]
    return begin, begin + whole.nbytes


_PARTS = {"csr": ("indptr", "indices", "data"), "csc": ("indptr", "indices", "data"),
          "bsr": ("indptr", "indices", "data"), "coo": ("row", "col", "data"), "dia": ("offsets", "data", "data")}


def _sort(value):
    """What a binding is looked up by: of arrays how they lie in memory, of numbers the type, else which object it is."""
    if type(value) is np.ndarray:
        return value.shape, value.strides, value.dtype.num
    return type(value) if _is_number(value) else id(value)


def _stands_in(value, tensor):
    """Whether another array of the same shape, strides and dtype may come in its place."""
    return type(value) is np.ndarray and (value.flags.c_contiguous or without_type(tensor.format).startswith("dense"))


def _look_of_arrays_like(value, others=()):
    """A function of an argument: an address of elements like the array's, or None if they lie in memory otherwise.

    others: stretches of memory, each from an address to one, in which they may not lie.
    """
    shape, strides, dtype, is_writable = value.shape, value.strides, value.dtype, value.flags.writeable
    step, size = dtype.alignment, value.nbytes

    def look(given):
        if type(given) is np.ndarray and given.shape == shape and given.strides == strides and given.dtype is dtype:
            address, is_const = given.__array_interface__["data"]
            if is_const != is_writable and address % step == 0 and (
                    not others or all(address + size <= begin or end <= address for begin, end in others)):
                return address
        return None

    return look


def _look_of_numbers_like(array, dtypes):
    """A function of an argument: an array with the number, or None if its dtype would be another one."""

    def look(given):
        made = _as_array(given, dtypes)
        return made if made.dtype is array.dtype else None

    return look


def _look_of(value, forget=None):
    """A function of an argument: whether it is that object, as it was; None where that can't be told.

    forget: called once an array of it dies; without it the function keeps them alive.
    """
    hold = (lambda each: weakref.ref(each, forget)) if forget else (lambda each: lambda: each)
    if isinstance(value, str):
        return lambda given: given is value or isinstance(given, str) and given == value
    if isinstance(value, Tensor):
        known = hold(value)
        return lambda given: known() is given
    if isinstance(value, np.ndarray):
        known, shape, strides, dtype = hold(value), value.shape, value.strides, value.dtype
        memory = value.__array_interface__["data"]  # its address, and whether it may be written to
        return lambda given: (known() is given and given.shape == shape and given.strides == strides
                              and given.dtype is dtype and given.__array_interface__["data"] == memory)
    if not is_sparse(value) or value.format not in _PARTS:
        return None
    parts, shape = operator.attrgetter(*_PARTS[value.format]), value.shape
    known, (first, second, third) = hold(value), map(hold, parts(value))
    entries = value.indptr[-1] if hasattr(value, "indptr") else None

    def check(given):
        if known() is not given:
            return False
        a, b, c = parts(given)
        return (a is first() and b is second() and c is third() and given.shape == shape
                and (entries is None or bool(a[-1] == entries)))

    return check


# Results of fewer bytes lie in memory that ctypes has, whose address is known sooner.
_SMALL = 1 << 16


class _Binding:
    """The arguments of a call as the C interface takes them, for later calls with the same objects."""

    __slots__ = ("machine", "handle", "tensors", "pointers", "addresses", "looks", "places", "shape", "dtype", "bytes",
                 "memory", "given", "pattern")

    def arrays_of(self, values):
        """Of arguments that fit: the addresses of arrays that come in the place of others, by tensor. Else None."""
        arrays = self.addresses()
        for look, place, value in zip(self.looks, self.places, values):
            found = look(value)
            if type(found) is np.ndarray:  # of a number: nobody else has it
                arrays.kept = getattr(arrays, "kept", ()) + (found,)
                found = found.__array_interface__["data"][0]
            if not found:
                return None
            if found is not True:
                arrays[place] = found
        return arrays

    def run(self, arguments, arrays):
        if self.given is not None:
            if _run(self.handle, self.pointers, arrays, None, None, None) != 0:
                call(_run, self.handle, self.pointers, arrays, None, None)  # again, to hear why
            return arguments[self.given]
        if self.pattern is not None:
            made = (ctypes.c_void_p * 1)()
            if _run(self.handle, self.pointers, arrays, None, made, None) != 0:
                call(_run, self.handle, self.pointers, arrays, None, made)  # again, to hear why
            return self.pattern.made(made[0])
        if self.memory is not None:
            memory = self.memory()
            result = np.ndarray(self.shape, self.dtype, memory)
        else:
            result = np.empty(self.shape, self.dtype)
            memory = result.__array_interface__["data"][0]
        if _run_into(self.handle, self.pointers, arrays, None, memory, self.bytes, None) != 0:
            call(_run_into, self.handle, self.pointers, arrays, None, memory, self.bytes)  # again, to hear why
        return result if self.shape else result[()]


_run, _run_into = lib.unravel_kernel_run, lib.unravel_kernel_run_into


def _with_dense(formats, make):
    """(what `make` makes of formats, these): tensors of more modes than `dense` is for, without a format, get `ddddd`."""
    formats = dict(formats)
    while True:
        try:
            return make(formats), formats
        except Error as refusal:
            found = re.match(r"format of (\w+):.* layout `dense` is for .* but the tensor has order (\d+) ", str(refusal))
            if not found or found.group(1) in formats:
                raise
            formats[found.group(1)] = "d" * int(found.group(2))


class _Machines:
    """An expression with formats, and kernels of the C interface for the layouts that its operands have come in."""

    def __init__(self, expression, formats, options):
        self.expression, self.formats, self.options = expression, dict(formats), options
        self._machines = {}
        self._lock = threading.Lock()
        # Mistakes are told at once.
        first, self._all_formats = _with_dense(
            self.formats, lambda formats: _Machine(expression, options, formats, {}, later=True))
        self.arguments, self.results, self.sizes = tuple(first.names), tuple(first.results), tuple(first.sizes)

    __reduce__ = _Machine.__reduce__

    def machine_for(self, operands, instead_of=None):
        key = tuple((name, tensor.format, tensor.fill) for name, tensor in sorted(operands.items()))
        with self._lock:
            machine = self._machines.get(key)
            if machine is instead_of:
                formats = {name: text for name, text in self._all_formats.items() if name not in operands}
                for name, text in self.formats.items():
                    if name in operands and without_type(text) != tight(text):
                        formats[name] = text
                given = {name: tensor for name, tensor in operands.items() if name not in formats}
                unknown = next((name for name in given if name not in self.arguments), None)
                if unknown is not None:
                    raise Error(f"the expression has no tensor `{unknown}`: it has `" + "`, `".join(self.arguments)
                                + "`", "unknown-tensor")
                machine = _Machine(self.expression, self.options, formats, given, later=True)
                self._machines[key] = machine
        return machine


class Kernel:
    """A kernel to be called again and again; `un.kernel` makes it.

    It is called with its tensors by name, `k(A=A, x=x)`: NumPy arrays, SciPy's sparse matrices and arrays, un.Tensor, and
    numbers for scalars and a program's sizes. Operands are not copied where a layout fits them; an operand with a format
    is not copied if its array has that format. Results that aren't given are made and returned, several as a tuple.
    Results that are given (`y=y`) are filled in place and returned. Types are those of the arguments; machine code for
    new types is made when they first occur. A call releases Python's lock.

    A kernel remembers the arguments of its last calls, and so keeps SciPy's matrices alive. If the same ones come again,
    with the same shapes, dtypes and parts, it doesn't check them again; of NumPy's arrays any others will do that have the
    same shapes, strides and dtypes. If you change index arrays in place in between, they must still be sorted and in range.
    """

    _most_bindings = 8

    def __init__(self, machines):
        self.expression, self.formats = machines.expression, machines.formats
        self.arguments, self.results = machines.arguments, machines.results
        self._machines = machines
        self._bindings = collections.OrderedDict()
        self._lock = threading.Lock()

    @property
    def options(self):
        """A copy of the options that it was made with."""
        return copy.copy(self._machines.options)

    def __repr__(self):
        return f"<unravel.Kernel {self.expression!r} of {', '.join(self.arguments)}>"

    def __call__(self, /, **arguments):
        key = (*arguments, *map(_sort, arguments.values()))
        binding = self._bindings.get(key)
        arrays = binding and binding.arrays_of(arguments.values())
        if arrays is not None:
            return binding.run(arguments, arrays)
        return self._call(key, arguments)

    def _call(self, key, arguments, computed=None):
        """computed: all arguments of `compute`, which doesn't keep them alive."""
        tensors, shares = {}, True
        operands, copies, numbers = {}, {}, {}
        dtypes = _dtypes_beside(arguments, self.results)
        given = [arguments[name] for name in self.results if name in arguments]
        for name, value in arguments.items():
            if _is_number(value):
                if name in self.results:
                    raise Error(f"`{name}` is a tensor that the kernel computes, not a number", "order-mismatch")
                if name not in self.arguments or name in self._machines.sizes:
                    tensors[name] = value
                    continue
                if self._says_type(name):
                    made = as_tensor(_as_array(value, ()))[0].to(self.formats[name])
                    tensors[name], operands[name], shares = made, made, False
                    continue
                value = numbers[name] = _as_array(value, dtypes)
            if name in self.results and _needs_copy(value):
                copies[name] = native(value.copy())
            made, is_view = as_tensor(copies.get(name, value))
            if name in self.results:
                if not is_view:
                    raise Error(f"the result `{name}` can't be filled in place: no layout fits the given array",
                                "bad-structure")
            else:
                if _has_in_gaps(value, made, given):
                    made, is_view = as_tensor(value.copy())[0], False
                made, is_view = self._in_format(name, made, is_view)
            if name not in self.results or name not in self.formats:
                operands[name] = made
            shares = shares and is_view and name not in copies
            tensors[name] = made
        machine = self._machines.machine_for(operands)
        try:
            results = machine.call(tensors)
        except Error as refusal:
            texts = (*self.formats.values(), *(tensor.format for tensor in operands.values()))
            if refusal.kind != "unknown-layout" or not any(is_users(text) for text in texts):
                raise
            machine = self._machines.machine_for(operands, instead_of=machine)  # a layout's file may have changed
            results = machine.call(tensors)
        for name, filled in copies.items():
            arguments[name][...] = filled
        wants_arrays = not any(is_sparse(value) and not is_sparse_array(value) for value in arguments.values())
        made = []
        for name in self.results:
            if name in arguments:
                made.append(arguments[name])
                self._refill(arguments[name], results[name])
                continue
            result = results[name]
            result.format = self.formats.get(name, "dense")
            if result.format.startswith("like:"):
                like, *fill = result.format.split(None, 1)
                result.format = " ".join([like, without_type(operands[like[5:]].format), *fill])
            made.append(as_result(result, wants_arrays))
        if key is not None and shares and len(self.results) == 1:
            looks = {name: _look_of_numbers_like(array, dtypes) for name, array in numbers.items()}
            self._bind(key, arguments, computed, tensors, looks, machine, made[0], results[self.results[0]])
        return made[0] if len(made) == 1 else tuple(made)

    @staticmethod
    def _refill(given, result):
        """Of SciPy's: their arrays may be new ones."""
        if not is_sparse(given):
            return
        if result.fill != 0:
            warnings.warn(f"elements that aren't stored are {result.fill}, which SciPy takes as 0: leave the result out, and "
                          "it comes as an un.Tensor", stacklevel=4)
        arrays, shape = result.arrays, (-1,)
        if given.format == "bsr":
            shape = (-1, *given.blocksize)
        elif given.format == "dia":
            shape = (len(arrays["off"]), result.numbers["L"])
        for attribute, name in ATTRIBUTES[given.format].items():
            setattr(given, attribute, arrays[name].reshape(shape) if attribute == "data" else arrays[name])

    def _in_format(self, name, tensor, is_view):
        """The operand in the layout that the kernel's formats say."""
        wanted = self.formats.get(name)
        if wanted is None:
            return tensor, is_view
        if without_type(wanted) == without_type(tensor.format or ""):
            return tensor, is_view
        if " fill " in wanted and tensor.format != wanted:
            return tensor.to(wanted), False
        return tensor.to(without_type(wanted)), False

    def _says_type(self, name):
        """Whether the tensor's format says a type of values."""
        return name in self.formats and without_type(self.formats[name]) != tight(self.formats[name])

    def _bind(self, key, arguments, computed, tensors, looks, machine, result, tensor):
        """Later calls with arguments alike are fast. looks: of the numbers; tensor: what the result was made of."""
        if machine.sizes or not all(isinstance(each, Tensor) for each in tensors.values()):
            return
        is_given = self.results[0] in arguments
        is_dense = isinstance(result, (np.ndarray, np.generic))
        if not is_given and is_dense and self.formats.get(self.results[0], "dense").split(" ")[0] != "dense":
            return
        if not is_dense and (is_given or not Pattern.fits(tensor, result)):
            return
        if not is_dense and computed is not None and tensor.format.startswith("like:"):
            return  # it needs the arrays of an operand, which `compute` doesn't keep
        bindings, most, forget = self._bindings, self._most_bindings, None
        if computed is not None:
            bindings, most, forget = _computed, _most_computed, lambda _: _computed.pop(key, None)
        given = arguments if computed is None else computed
        # Another result might lie in the gaps of an operand.
        gaps = [_stretch_of(made) for name, made in tensors.items()
                if name not in self.results and _has_gaps(given[name])]
        looks = looks | {name: _look_of_arrays_like(given[name], gaps if name in self.results else ())
                         for name, made in tensors.items() if _stands_in(given[name], made)}
        others = set(looks)
        looks = [looks[name] if name in looks else _look_of(value, forget) for name, value in given.items()]
        if None in looks or any(name not in machine.tensors for name in tensors):
            return
        binding = _Binding()
        binding.looks = looks
        binding.places = [machine.tensors.index(name) if name in others else None for name in given]
        binding.addresses = ctypes.c_void_p * len(machine.tensors)
        binding.machine, binding.handle = machine, machine.handle
        binding.tensors = tensors
        binding.pointers = (ctypes.c_void_p * len(machine.tensors))(
            *(tensors[name]._handle if name in tensors else None for name in machine.tensors))
        for name, made in tensors.items():
            if name in others or computed is not None and made is not arguments[name]:
                made._let_go()
        if computed is not None:
            binding.tensors = [made for name, made in tensors.items() if made is not arguments[name]]
        binding.given = self.results[0] if is_given else None
        binding.pattern = None if is_dense else Pattern(tensor, result)
        if is_dense:
            binding.shape, binding.dtype, binding.bytes = result.shape, result.dtype, result.nbytes
            binding.memory = ctypes.c_char * result.nbytes if result.nbytes <= _SMALL else None
        with self._lock if computed is None else _known_lock:
            bindings[key] = binding
            while len(bindings) > most:
                bindings.popitem(last=False)


def _split(tensors):
    """(formats, tensors): texts say layouts."""
    formats = {name: value for name, value in tensors.items() if isinstance(value, str)}
    return formats, {name: value for name, value in tensors.items() if not isinstance(value, str)}


_known = collections.OrderedDict()
_known_lock = threading.Lock()

# The last calls of `compute`, by expression and arguments; one is forgotten with the first array of it that dies.
_computed = collections.OrderedDict()
_most_computed = 256


def _machines_for(expression, options, formats):
    """Kept per expression, formats and options, the last 256."""
    options = copy.copy(checked(options))  # the caller may change theirs
    key = (expression, options._key(), tuple(sorted(formats.items())))
    with _known_lock:
        known = _known.get(key)
        if known is not None:
            _known.move_to_end(key)
            return known
    made = _Machines(expression, formats, options)
    with _known_lock:
        made = _known.setdefault(key, made)
        while len(_known) > 256:
            _known.popitem(last=False)
    return made


def kernel(expression, /, *, options=None, **formats):
    """Makes a kernel for an expression, to be called again and again.

    expression: index notation, 'y(i) = A(i,j) * x(j)', or a program (docs/index-notation.md, docs/programs.md). formats:
    for each tensor its layout as text: S='csr', C='csr int32', D='like:S' (the structure of S), M='csr fill inf'. Operands
    without a format get the layout of the arrays in the call; results are dense by default. Raises Error.

    >>> import numpy as np, unravel as un
    >>> k = un.kernel('y(i) = A(i,j) * x(j)')
    >>> k(A=np.eye(2), x=np.array([3., 4.]))
    array([3., 4.])
    """
    formats, tensors = _split(formats)
    if tensors:
        raise Error(f"`{next(iter(tensors))}` is a tensor: a kernel is made for layouts, as in A='csr', and called with "
                    "tensors", "bad-option")
    return Kernel(_machines_for(expression, options, formats))


def compute(expression, /, *, options=None, **tensors):
    """Computes an expression. The kernel is kept for later calls.

    tensors: by name NumPy arrays of any strides, SciPy's sparse matrices and arrays, un.Tensor, numbers; texts are formats
    as for `un.kernel`: C='csr'. Returns the result, several as a tuple: a dense result as a NumPy array; csr, csc, coo, bsr
    and dia as a sparse array of SciPy's, or a sparse matrix if an operand is one; others as un.Tensor. dtypes are those
    that C computes with. Raises Error.

    >>> import numpy as np, scipy.sparse as sp, unravel as un
    >>> A = sp.csr_array(np.array([[1., 0.], [2., 3.]]))
    >>> un.compute('y(i) = A(i,j) * x(j)', A=A, x=np.array([1., 10.]))
    array([ 1., 32.])
    """
    key = None
    if options is None:
        key = (expression, *tensors, *map(_sort, tensors.values()))
        binding = _computed.get(key)
        arrays = binding and binding.arrays_of(tensors.values())
        if arrays is not None:
            return binding.run(tensors, arrays)
    formats, operands = _split(tensors)
    return Kernel(_machines_for(expression, options, formats))._call(key, operands, tensors)


def _make_texts(function, made, expression, options, tensors):
    """Calls a function of the C interface that explains a kernel. Numbers have no layout and are left out."""
    formats, operands = _split(tensors)
    operands = {name: as_tensor(value)[0] for name, value in operands.items() if not _is_number(value)}

    def make(formats):
        c, keep = checked(options)._as_c(formats, False)
        call(function, text_of(expression), ctypes.byref(c), len(operands), _arguments(operands), ctypes.byref(made))
        del keep

    _with_dense(formats, make)
    return made


def explain(expression, /, *, options=None, **tensors):
    """The compiler's stages as text: iteration space, order of loops, dependences, finds, loops, C.

    tensors: arrays, or their layouts as texts. Raises Error.
    """
    return take_text(_make_texts(lib.unravel_explain, ctypes.c_void_p(), expression, options, tensors))


CSource = collections.namedtuple("CSource", "function source header")


def emit_c(expression, /, *, options=None, **tensors):
    """A kernel as C: a tuple (function, source, header); the source includes the header as "<function>.h".

    tensors: arrays, or their layouts as texts. Options(name=...) names the function. Raises Error.
    """
    made = _make_texts(lib.unravel_make_c, _CSource(), expression, options, tensors)
    return CSource(*map(take_text, (made.function, made.source, made.header)))


def report(expression, path, /, *, options=None, **tensors):
    """Writes all that `explain` says to one HTML page, with the arrays drawn.

    tensors: arrays, or their layouts as texts. Raises Error, and OSError where the file can't be written.
    """
    page = _make_texts(lib.unravel_explain_as_html, ctypes.c_void_p(), expression, options, tensors)
    path = pathlib.Path(path)
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(take_text(page), encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
