"""The C interface of Unravel (unravel_c.h), by ctypes."""
import ctypes
import os
import pathlib
import sysconfig

import numpy as np

LIBRARY_NAME = "libunravel.so.0.1"


class Error(ValueError):
    """What Unravel has against an input.

    str(error) is the whole message, with the place underlined where there is one. `kind` is its stable name, such as
    "size-mismatch" (docs/errors.md). `is_bug`: a failure of the compiler itself; otherwise the input is at fault, or
    not supported yet.
    """

    def __init__(self, message, kind, is_bug=False):
        super().__init__(message)
        self.kind = kind
        self.is_bug = is_bug

    def __reduce__(self):
        return Error, (str(self), self.kind, self.is_bug)


def _candidates():
    """Files that may be the library: what UNRAVEL_LIBRARY names, else one above this package (an installed tree, which
    may have been moved), else one that the dynamic linker finds."""
    chosen = os.environ.get("UNRAVEL_LIBRARY")
    if chosen:
        return [chosen]
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    found = []
    for folder in list(pathlib.Path(__file__).resolve().parents)[1:6]:
        for inner in ("", "lib", os.path.join("lib", multiarch), "lib64", "build/release"):
            path = folder / inner / LIBRARY_NAME
            if path.exists():
                found.append(str(path))
    return found + [LIBRARY_NAME]


def _load():
    refusals = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as refusal:
            refusals.append(str(refusal))
    raise ImportError(
        "Unravel's shared library can't be loaded: " + "; ".join(refusals)
        + ". Install Unravel as a whole (cmake --install), or name the file with UNRAVEL_LIBRARY")


class CError(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_char_p), ("message", ctypes.c_char_p), ("is_bug", ctypes.c_int)]


class Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("data", ctypes.c_void_p),
                ("count", ctypes.c_size_t), ("writable", ctypes.c_int)]


class Number(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_int64)]


class Format(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("text", ctypes.c_char_p)]


class Options(ctypes.Structure):
    _fields_ = [("format_count", ctypes.c_size_t), ("formats", ctypes.POINTER(Format)),
                ("schedule_count", ctypes.c_size_t), ("schedules", ctypes.POINTER(ctypes.c_char_p)),
                ("find_count", ctypes.c_size_t), ("finds", ctypes.POINTER(ctypes.c_char_p)),
                ("name", ctypes.c_char_p), ("index", ctypes.c_int), ("has_value", ctypes.c_int),
                ("value", ctypes.c_int), ("threads", ctypes.c_int), ("budget_seconds", ctypes.c_double),
                ("machine", ctypes.c_char_p), ("trust", ctypes.c_int), ("later", ctypes.c_int),
                ("prefix", ctypes.c_char_p), ("const_operands", ctypes.c_int)]


class Argument(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("tensor", ctypes.c_void_p), ("number", ctypes.c_double),
                ("is_integer", ctypes.c_int)]


class CSource(ctypes.Structure):
    _fields_ = [("function", ctypes.c_void_p), ("source", ctypes.c_void_p), ("header", ctypes.c_void_p)]


RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

lib = _load()


def _declare(name, result, *arguments):
    function = getattr(lib, name)
    function.restype = result
    function.argtypes = arguments


_pointer, _text, _size, _int = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int
_error = ctypes.POINTER(CError)
_declare("unravel_error_free", None, _error)
_declare("unravel_version", _text)
_declare("unravel_free", None, _pointer)
_declare("unravel_tensor_over", _int, _text, _size, _pointer, _size, _pointer, _size, _pointer, _int, _pointer,
         _pointer, _pointer, _error)
_declare("unravel_tensor_pack_combined", _int, _text, _size, _pointer, _size, _pointer, _int, _pointer, _int, _text,
         _pointer, _error)
_declare("unravel_tensor_read_combined", _int, _text, _text, _int, _text, _pointer, _error)
_declare("unravel_tensor_convert", _int, _pointer, _text, _pointer, _error)
_declare("unravel_tensor_same_arrays", _int, _pointer, _pointer, _error)
_declare("unravel_tensor_free", None, _pointer)
_declare("unravel_tensor_layout", _text, _pointer)
_declare("unravel_tensor_order", _size, _pointer)
_declare("unravel_tensor_shape", ctypes.POINTER(ctypes.c_int64), _pointer)
_declare("unravel_tensor_fill", ctypes.c_double, _pointer)
_declare("unravel_tensor_value_type", _int, _pointer, _pointer)
_declare("unravel_tensor_array_count", _size, _pointer)
_declare("unravel_tensor_array", Array, _pointer, _size)
_declare("unravel_tensor_number_count", _size, _pointer)
_declare("unravel_tensor_number", Number, _pointer, _size)
_declare("unravel_tensor_coordinates", _int, _pointer, _pointer, _pointer, _pointer, _error)
_declare("unravel_tensor_imaginary", _int, _pointer, _pointer, _pointer, _error)
_declare("unravel_tensor_integers", _int, _pointer, _pointer, _pointer, _error)
_declare("unravel_options_new", Options)
_declare("unravel_kernel_make", _int, _text, _pointer, _size, _pointer, _pointer, _error)
_declare("unravel_kernel_free", None, _pointer)
_declare("unravel_kernel_argument_count", _size, _pointer)
_declare("unravel_kernel_result_count", _size, _pointer)
_declare("unravel_kernel_size_count", _size, _pointer)
_declare("unravel_kernel_argument", _text, _pointer, _size)
_declare("unravel_kernel_call", _int, _pointer, _size, _pointer, _pointer, _error)
_declare("unravel_kernel_run", _int, _pointer, _pointer, _pointer, _pointer, _pointer, _error)
_declare("unravel_kernel_run_into", _int, _pointer, _pointer, _pointer, _pointer, _pointer, _size, _error)
_declare("unravel_make_c", _int, _text, _pointer, _size, _pointer, _pointer, _error)
_declare("unravel_explain", _int, _text, _pointer, _size, _pointer, _pointer, _error)
_declare("unravel_explain_as_html", _int, _text, _pointer, _size, _pointer, _pointer, _error)


def fail(error):
    """Raises what the C interface has reported."""
    message, kind, is_bug = error.message.decode(errors="replace"), error.kind.decode(), bool(error.is_bug)
    lib.unravel_error_free(ctypes.byref(error))
    if kind == "no-memory":
        raise MemoryError(message)
    raise Error(message.rstrip("\n"), kind, is_bug)


def call(function, *arguments):
    """Calls a function whose last argument is an error."""
    error = CError()
    if function(*arguments, ctypes.byref(error)) != 0:
        fail(error)


# In the order of unravel_type.
DTYPES = [np.dtype(name) for name in ("float32", "float64", "bool", "int8", "int16", "int32", "int64", "uint8",
                                      "uint16", "uint32", "uint64", "complex64", "complex128")]
TYPES = {dtype: number for number, dtype in enumerate(DTYPES)}


def type_of(dtype, what):
    """The number of a dtype. Raises Error for those that Unravel doesn't have."""
    number = TYPES.get(dtype)
    if number is None:
        raise Error(f"{what} has elements {dtype}, but arrays have elements of one of the types "
                    + ", ".join(str(each) for each in DTYPES) + "; its method `astype` converts it", "value-width")
    return number


def text_of(text, errors="strict"):
    """A text, or a path's bytes, for the C interface. Raises Error for what no such text can hold."""
    try:
        made = text if isinstance(text, bytes) else text.encode(errors=errors)
    except UnicodeEncodeError as refusal:
        raise Error(f"the text has half of a character at {refusal.start}, a lone surrogate: {text!r}",
                    "stray-character") from None
    if b"\0" in made:
        raise Error(f"the text has a NUL, which would end it: {text!r}", "stray-character")
    return made


def take_text(pointer):
    """A text that the C interface has allocated."""
    text = ctypes.string_at(pointer).decode()
    lib.unravel_free(pointer)
    return text
