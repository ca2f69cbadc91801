"""Options of a kernel besides its expression and layouts."""
import ctypes
import operator

import numpy as np

from ._library import Error, Format, lib, text_of, type_of


class Options:
    """Options of a kernel besides its expression and layouts.

    schedules: texts as in docs/schedules.md ("tile j by 4096"); finds: "x=binary"; threads: the number of threads of
    parallel loops; name: the name of the C function; index: np.int32 or np.int64, the default type of index arrays; dtype:
    the default type of values; budget_seconds: CPU time to spend on making the kernel faster, 0: no limit; machine:
    "here", "portable" or a file; trust: accept layouts that aren't proved to stay inside their arrays. Only of emit_c:
    prefix, what the names of functions and structs begin with; const_operands: the structs of operands hold pointers to
    const arrays.
    """

    def __init__(self, schedules=(), finds=(), threads=None, name="kernel", index=np.int32, dtype=None,
                 budget_seconds=2.0, machine="", trust=False, prefix="", const_operands=False):
        self.schedules = (schedules,) if isinstance(schedules, str) else tuple(schedules)
        self.finds = (finds,) if isinstance(finds, str) else tuple(finds)
        if threads is not None:
            try:
                threads = operator.index(threads)
            except TypeError:
                raise Error(f"`threads` is {threads!r}, but an integer is expected", "bad-option") from None
        if threads is not None and not 1 <= threads < 2**31:
            raise Error(f"a kernel can't run on {threads} threads: it takes at least one, and fewer than 2^31", "bad-option")
        self.threads = threads
        for word, text in (("name", name), ("machine", machine), ("prefix", prefix)):
            if not isinstance(text, str):
                raise Error(f"`{word}` is {text!r}, but a str is expected", "bad-option")
        self.name = name
        self.index = np.dtype(index)
        self.dtype = None if dtype is None else np.dtype(dtype)
        self.budget_seconds = budget_seconds
        self.machine = machine
        self.trust = trust
        self.prefix = prefix
        self.const_operands = const_operands

    def _key(self):
        return tuple(vars(self).values())

    def _as_c(self, formats, later):
        """The struct, and what must live as long as it."""
        c = lib.unravel_options_new()
        texts = lambda all: (ctypes.c_char_p * len(all))(*(text_of(text) for text in all))
        pairs = (Format * len(formats))(*((text_of(name), text_of(text)) for name, text in formats.items()))
        schedules, finds = texts(self.schedules), texts(self.finds)
        c.format_count, c.formats = len(pairs), pairs
        c.schedule_count, c.schedules = len(schedules), schedules
        c.find_count, c.finds = len(finds), finds
        name, machine, prefix = text_of(self.name), text_of(self.machine), text_of(self.prefix)
        c.name, c.machine, c.prefix = name, machine, prefix
        c.const_operands = bool(self.const_operands)
        c.index = type_of(self.index, "index")
        if self.dtype is not None:
            c.has_value, c.value = 1, type_of(self.dtype, "dtype")
        c.threads = self.threads or 0
        c.budget_seconds = self.budget_seconds
        c.trust, c.later = bool(self.trust), later
        return c, (pairs, schedules, finds, name, machine, prefix)


def checked(options):
    """The options, or those by default. Raises Error for what is none: a tensor that is called so, say."""
    if options is None:
        return Options()
    if not isinstance(options, Options):
        raise Error(f"`options` is of type {type(options).__name__}, but un.Options is expected, as in "
                    "un.Options(threads=1); a tensor of that name is given to a kernel: un.kernel(...)(options=...)",
                    "bad-option")
    return options
