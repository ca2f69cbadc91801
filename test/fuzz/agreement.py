#!/usr/bin/env python3
"""Random lines through `unravel run`, a C program of `compile --main`, and the library by Python: all take a line or all
refuse it, and each result is NumPy's.

    PYTHONPATH=python UNRAVEL_LIBRARY=build/release/libunravel.so \\
      agreement.py --tool build/release/unravel [--lines 300] [--seconds 300] [--seed 1] [--jobs 2] [--line N]

The library in C++ is behind Python's; the tool's kernels are compiled by the same module of Clang, in this process, which has
loaded it once. A line that fails is printed as it would be typed, with NumPy's text. Exit code 1 where one failed. The same
seed tries the same lines; `--line N` tries that one alone."""

import argparse
import collections
import ctypes
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import types
import warnings

import numpy as np
import scipy.sparse as sp

import unravel as un
from random_lines import DTYPES, LineGenerator

SECONDS = 60  # of CPU time for each process of a line
BATCH = 25  # lines of one process of Python


# ---- what NumPy computes

def identity(operator, dtype):
    ends = np.iinfo(dtype) if dtype.kind in "iu" else types.SimpleNamespace(max=np.inf, min=-np.inf)
    if dtype.kind == "b":
        ends = types.SimpleNamespace(max=True, min=False)
    return {"min": ends.max, "max": ends.min, "times": 1, "and": 1}.get(operator, 0)


TRUTHS = {"or": np.logical_or, "and": np.logical_and, "xor": np.logical_xor}
UFUNCS = {"plus": np.add, "times": np.multiply, "min": np.minimum, "max": np.maximum, **TRUTHS}


def made(operator, factors):
    if operator == "pair":
        return np.ones_like(factors[0] * factors[-1])
    if operator in ("first", "second"):
        return (factors[0] if operator == "first" else factors[-1]) + 0 * sum(factors)
    value = factors[0]
    for factor in factors[1:]:
        value = UFUNCS[operator](value, factor).astype(value.dtype)
    return value


def type_of(result):
    """The type that was asked for, or its statement's; what integers add up to without a type of its own has 64 bits."""
    dtype = np.dtype(DTYPES[result.kind or result.computed])
    is_wide = not result.kind and not result.indices and result.operator == "plus" and dtype.kind in "iu"
    return np.dtype(dtype.kind + "8") if is_wide else dtype


class Namespace(dict):
    """What the NumPy text of a result means: each tensor's name gives its elements with an axis for each index."""

    def __init__(self, line, result):
        indices, n = line.indices, line.extent
        computed = np.dtype(DTYPES[result.computed])
        target = type_of(result)

        def placed(array, own):
            array = np.asarray(array)
            if len(set(own)) < len(own):
                array, own = np.diagonal(array), own[0]
            shape = [n if index in own else 1 for index in indices]
            return np.transpose(array, np.argsort([indices.index(index) for index in own])).reshape(shape)

        def others(free):
            return tuple(axis for axis, index in enumerate(indices) if index not in free)

        def total(value, free):
            wide = not free or target.itemsize > value.dtype.itemsize  # what several points add up is
            dtype = value.dtype.kind + "8" if wide and others(free) and value.dtype.kind in "iu" else value.dtype
            return np.add.reduce(value, axis=others(free), keepdims=True, dtype=dtype)

        def reduced(operator, value, stored, free):
            value, stored = np.broadcast_arrays(value, stored)
            if operator == "any":  # of equal values; what it begins with is neither the greatest nor the least
                some = np.logical_or.reduce(stored, axis=others(free), keepdims=True)
                return np.where(some, reduced("max", value, stored, free), np.asarray(identity(operator, target), target))
            value = np.where(stored, value.astype(target), np.asarray(identity(operator, target), target))
            return UFUNCS[operator].reduce(value, axis=others(free), keepdims=True).astype(target)

        self["stored"] = types.SimpleNamespace()
        for name, tensor in line.tensors.items():
            self[name] = lambda own, array=tensor.array: placed(array.astype(computed), own)
            setattr(self["stored"], name, lambda own, stored=tensor.stored: placed(stored, own))
        self.update(np=np, total=total, reduced=reduced, made=made, typed=computed.type,
                    identity=lambda operator: identity(operator, target),
                    ones=lambda own: placed(np.ones((n,) * len(own), computed), own),
                    index=lambda own: placed(np.arange(n), own))


def expected(line, result):
    """All elements, and how far a sum of floating point may be off."""
    space = Namespace(line, result)
    target = type_of(result)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = np.asarray(eval(result.numpy, space))
        value = value.astype(target)
        if result.mask:
            value = np.where(eval(result.mask, space), value, np.asarray(eval(result.fill, space)).astype(target))
    shape = [line.extent if index in result.indices else 1 for index in line.indices]
    value = np.broadcast_to(value, shape).reshape([line.extent] * len(result.indices))
    own = sorted(result.indices)
    value = np.transpose(value, [own.index(index) for index in result.indices])
    largest = [float(np.abs(t.array).max(initial=1)) for t in line.tensors.values()]
    parts = [np.dtype(DTYPES[kind]) for kind in (result.computed, result.kind or result.computed)]
    rounding = 0 if all(p.kind in "iub" for p in parts) else 2e-6 if any(p in ("f4", "c8") for p in parts) else 1e-13
    return value, rounding * float(np.prod(largest)) * line.extent ** 2


# ---- the ways

class Refused(Exception):
    """With the kind of the message."""


class Failed(Exception):
    """With what failed."""


def require(code, program, said):
    kinds = re.findall(r"error: .*\[([a-z-]+)\]", said)
    if code == 1 and kinds:
        raise Refused(f"{kinds[0]}: {said.strip().splitlines()[0][:200]}")
    if code != 0:
        raise Failed(f"exit code {code} of {pathlib.Path(program).name}: {said.strip()[-600:]}")


def call(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    require(done.returncode, arguments[0], done.stderr)


class Tool:
    """The program unravel, in a process of its own each time, to which this one lends its in-process compiler
    (lent_compiler.c)."""

    def __init__(self, program, module):
        self.program, self.compiler = program, Compiler()
        self.environment = {**os.environ, "UNRAVEL_JIT_MODULE": module}

    def __call__(self, arguments):
        ours, theirs = socket.socketpair()
        with ours, open("said.txt", "wb") as said:
            with theirs:
                running = subprocess.Popen(
                    [self.program] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
                    pass_fds=[theirs.fileno()], env={**self.environment, "UNRAVEL_LENT_COMPILER": str(theirs.fileno())})
            with ours.makefile("rwb") as stream:
                while size := stream.read(8):
                    answer = self.compiler.answer(stream.read(struct.unpack("q", size)[0]))
                    stream.write(struct.pack("q", len(answer)) + answer)
                    stream.flush()
        require(running.wait(), self.program, pathlib.Path("said.txt").read_text(errors="replace"))


class Compiler:
    """The module of the library that is loaded here, by its C interface (src/build/clang/interface.h)."""

    class Table(ctypes.Structure):
        message = ctypes.POINTER(ctypes.c_void_p)
        _fields_ = [("version", ctypes.c_int),
                    ("compile", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, message)),
                    ("find_symbol", ctypes.c_void_p), ("openmp_runtime", ctypes.c_void_p),
                    ("link", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, message)),
                    ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]

    def __init__(self):
        un.compute(f"y(i) = {os.getpid()} * x(i)", x=np.ones(3))  # not in the cache: it loads the module
        loaded = {text.split()[-1] for text in pathlib.Path("/proc/self/maps").read_text().splitlines()}
        module = ctypes.CDLL(next(name for name in loaded if name.endswith("/libunravel-clang.so")))
        module.unravel_clang.restype = ctypes.POINTER(self.Table)
        self.table, self.count = module.unravel_clang().contents, 0

    def answer(self, text):
        message = ctypes.c_void_p()
        failed = lambda: b"e" + (ctypes.string_at(message.value) if message.value else b"no shared object can be made")
        kernel = self.table.compile(text, len(text), ctypes.byref(message))
        if not kernel:
            return failed()
        self.count += 1
        path = os.path.abspath(f"kernel{self.count}.so").encode()
        linked = self.table.link(kernel, path, ctypes.byref(message))
        self.table.release(kernel)
        return b"o" + path if linked else failed()


def write(name, tensor):
    """The entries of a tensor as a file, or a scalar's number."""
    array = tensor.array
    if array.ndim == 0 and array.dtype.kind != "c":
        return str(array.item() if array.dtype.kind != "b" else int(array.item()))
    array = array.reshape(1) if array.ndim == 0 else array
    file, where = f"{name}.{'tns' if array.ndim > 2 else 'mtx'}", np.argwhere(array != 0)
    kind = {"c": "complex", "f": "real"}.get(array.dtype.kind, "integer")
    number = lambda value: (f"{value.real!r} {value.imag!r}" if kind == "complex" else repr(float(value)) if kind == "real"
                            else str(int(value)))
    shape = array.shape if array.ndim > 1 else (len(array), 1)
    head = (f"%%MatrixMarket matrix coordinate {kind} general\n{shape[0]} {shape[1]} {len(where)}\n" if array.ndim < 3
            else f"# shape: {' '.join(map(str, shape))}\n")
    lines = [" ".join(str(c + 1) for c in at) + (" 1 " if array.ndim == 1 else " ") + number(array[tuple(at)].item())
             for at in where]
    pathlib.Path(file).write_text(head + "".join(text + "\n" for text in lines))
    return file


def read(file, shape, dtype):
    """All elements of what a program wrote."""
    lines = pathlib.Path(file).read_text().splitlines()
    fill, rows, head = 0.0, [], lines[0].split()
    if file.endswith(".mtx"):
        is_complex, is_integer = head[3] == "complex", head[3] == "integer"
    else:
        is_complex, is_integer = False, False
    for text in lines:
        if text.startswith("%fill") or text.startswith("# fill:"):
            fill = float(text.split()[-1])
        elif text[:1] not in "%#":
            rows.append(text.split())
    value = lambda words: complex(*map(float, words)) if is_complex else int(words[0]) if is_integer else float(words[0])
    if file.endswith(".mtx"):
        counts, rows = rows[0], rows[1:]
        if head[2] == "array":
            values = np.array([value(row) for row in rows], object)
            return values.reshape(tuple(map(int, counts))[:2], order="F").reshape(shape)
    if is_integer and np.isinf(fill):
        fill = identity("min" if fill > 0 else "max", dtype)
    result = np.full(shape, fill, object)
    order = len(shape)
    for row in rows:
        result[tuple(int(c) - 1 for c in row[:order])] = value(row[2 if file.endswith(".mtx") else order:])
    return result


def formats(line):
    said = {name: f"{tensor.layout} {tensor.kind}" for name, tensor in line.used().items()}
    for name, result in line.results.items():
        if result.layout != "dense" or result.kind:
            said[name] = f"{result.layout} {result.kind}".strip()
    return said


def words(line, verb):
    result = [verb, line.text]
    for name, said in formats(line).items():
        result += ["-f", f"{name}={said}"]
    return result + (["-s", line.schedule] if line.schedule else [])


def by_run(line, tool):
    arguments = words(line, "run")
    for name, tensor in line.used().items():
        arguments += ["-i", f"{name}={write(name, tensor)}"]
    for name in line.results:
        arguments += ["-o", f"{name}={name}.npy"]
    tool(arguments)
    return {name: np.load(f"{name}.npy") for name in line.results}


def by_program(line, tool):
    tool(words(line, "compile") + ["--main", "-o", "program.c"])
    call(["gcc", "-O0", "-w", "-fPIC", "-shared", "-nostdlib", "program.c", "-o", "program.so"])
    files = {name: f"{name}.{'tns' if len(result.indices) > 2 else 'mtx'}" for name, result in line.results.items()}
    arguments = [f"{name}={write(name, tensor)}" for name, tensor in line.used().items()]
    for name, file in files.items():
        arguments += ["-o", f"{name}=result_{file}"]
    call([START, "./program.so"] + arguments)
    return {name: read(f"result_{file}", (line.extent,) * len(line.results[name].indices), type_of(line.results[name]))
            for name, file in files.items()}


def as_operand(tensor, by_scipy):
    array = tensor.array
    if tensor.layout == "dense":
        return array
    if tensor.layout == "dense<1,0>":
        return np.asfortranarray(array)
    if by_scipy and tensor.layout in ("csr", "csc", "coo"):
        return {"csr": sp.csr_array, "csc": sp.csc_array, "coo": sp.coo_array}[tensor.layout](array)
    where = np.nonzero(array)
    return un.pack([part.astype(np.int64) for part in where], array[where], array.shape, tensor.layout)


def by_python(line, number):
    arguments = {name: as_operand(tensor, number % 2) for name, tensor in line.used().items()}
    arguments.update((name, said) for name, said in formats(line).items() if name in line.results)
    try:
        values = un.compute(line.text, options=un.Options(schedules=line.schedule), **arguments)
    except un.Error as error:
        if error.is_bug:
            raise Failed(str(error)) from None
        raise Refused(f"{error.kind}: {str(error).splitlines()[0][:200]}") from None
    values = values if isinstance(values, tuple) else (values,)
    return {name: np.asarray(value.toarray() if hasattr(value, "toarray") else value)
            for name, value in zip(line.results, values)}


# ---- judging

def differs(got, wanted, tolerance):
    if got.shape != wanted.shape:
        return f"shape {got.shape}, not {wanted.shape}"
    for a, b in zip(got.ravel().tolist(), wanted.ravel().tolist()):
        if a != b and not (np.isnan(b) and np.isnan(a)) and not abs(a - b) <= tolerance:
            return f"{got.tolist()}, not {wanted.tolist()}"
    return ""


def judge(line, number, tool):
    """(What failed, or "", the kind of a refusal.) All in the current folder."""
    ways = {"run": lambda: by_run(line, tool), "--main": lambda: by_program(line, tool), "Python": lambda: by_python(line, number)}
    values, refusals, failures, dtypes = {}, {}, [], {}
    for way, take in ways.items():
        try:
            values[way] = take()
        except Refused as error:
            refusals[way] = str(error)
        except Failed as error:
            failures.append(f"{way}: {error}")
    if refusals and len(refusals) < len(ways):
        failures += [f"{way} refuses it: {said}" for way, said in refusals.items()]
    for name, result in line.results.items():
        wanted, tolerance = expected(line, result)
        for way, got in values.items():
            what = differs(got[name], wanted, tolerance)
            if what:
                failures.append(f"{way}: {name} is {what}")
            if way != "--main":
                dtypes.setdefault(name, set()).add(got[name].dtype)
    failures += [f"{name} has different types: {kinds}" for name, kinds in dtypes.items() if len(kinds) > 1]
    return "\n  ".join(failures), next(iter(refusals.values()), "").split(":")[0]


def shown(line):
    command = ["unravel"] + words(line, "run")
    for name, tensor in line.used().items():
        command += ["-i", f"{name}={write(name, tensor)}"]
    text = "  " + shlex.join(command)
    for name, result in line.results.items():
        text += f"\n  {name}({result.indices}) in {result.computed} = {result.numpy}" + (f" mask {result.mask}" if result.mask else "")
    return text + "".join(f"\n  {name} = {tensor.array.tolist()}" for name, tensor in line.used().items())


def try_line(seed, number, tool, report):
    line = LineGenerator(f"{seed}/{number}").line()
    outcome = {"failure": "the process of Python ended", "kind": "", "text": shown(line)}
    report(outcome)
    outcome["failure"], outcome["kind"] = judge(line, number, tool)
    report(outcome)


def worker(seed, numbers, program, folder):
    """Tries lines one after the other in a process of its own, which has loaded LLVM once. What is known of line N goes to
    N.json; it is missing for those that were not begun."""
    made = os.fork()
    if made:
        return made
    try:
        try_lines(seed, numbers, program, folder)
    except BaseException:
        traceback.print_exc()
        os._exit(1)  # the folder of all is the first process's to delete
    os._exit(0)


def try_lines(seed, numbers, program, folder):
    os.mkdir(folder)
    tool = Tool(program, f"{pathlib.Path(folder).parent}/lent_compiler.so")
    for number in numbers:
        here = pathlib.Path(folder, str(number))
        here.mkdir()
        os.chdir(here)
        spent = resource.getrusage(resource.RUSAGE_SELF)
        most = int(spent.ru_utime + spent.ru_stime) + SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))  # those that it starts have it, too
        try_line(seed, number, tool, lambda outcome: pathlib.Path(f"{here}.json").write_text(json.dumps(outcome)))
        shutil.rmtree(here)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="the program unravel")
    parser.add_argument("--seconds", type=float, default=10**9)
    parser.add_argument("--lines", type=int, default=300, help="no more lines than so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--line", type=int, help="only the one with this number")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="unravel-lines-") as folder:
        return 1 if try_all(options, folder) else 0


def try_all(options, folder):
    """How many failed."""
    os.environ.setdefault("UNRAVEL_BUDGET", "0.5")
    os.environ["UNRAVEL_CACHE_DIR"] = folder + "/cache"  # kernels of other days don't count
    beside, program = pathlib.Path(__file__).parent, os.path.abspath(options.tool)
    call(["gcc", "-O1", "-shared", "-fPIC", str(beside / "lent_compiler.c"), "-o", folder + "/lent_compiler.so"])
    call(["gcc", "-O1", str(beside / "start.c"), "-o", folder + "/start", "-Wl,--no-as-needed", "-lm"])
    global START
    START = folder + "/start"
    numbers = [options.line] if options.line is not None else range(options.lines)
    end = time.monotonic() + options.seconds
    waiting = collections.deque(numbers[k:k + BATCH] for k in range(0, len(numbers), BATCH))
    counts, running, failed, started = collections.Counter(), {}, 0, 0
    while True:
        while len(running) < options.jobs and waiting and time.monotonic() < end:
            started += 1
            batch, own = waiting.popleft(), f"{folder}/{started}"
            running[worker(options.seed, batch, program, own)] = batch, own
        if not running:
            break
        ended, status = os.wait()
        batch, own = running.pop(ended)
        for k, number in enumerate(batch):
            try:
                outcome = json.loads(pathlib.Path(own, f"{number}.json").read_text())
            except OSError:
                if k == 0:
                    outcome = {"failure": "no line was made", "kind": "", "text": ""}
                else:
                    waiting.appendleft(batch[k:])
                    break
            if outcome["failure"] == "the process of Python ended":
                how = "signal" if os.WIFSIGNALED(status) else "exit code"
                outcome["failure"] += f" by {how} {abs(os.waitstatus_to_exitcode(status))}"
            counts[outcome["failure"] and "failed" or outcome["kind"] or "right"] += 1
            if outcome["failure"]:
                failed += 1
                print(f"\nseed {options.seed}, line {number}:\n{outcome['text']}\n  {outcome['failure']}", flush=True)
        shutil.rmtree(own, ignore_errors=True)
    print(f"\n{sum(counts.values())} lines: " + ", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    return failed


if __name__ == "__main__":
    sys.exit(main())
