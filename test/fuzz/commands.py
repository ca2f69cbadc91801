#!/usr/bin/env python3
"""Tries random commands: expressions and programs, layouts, types, schedules, finds, data, threads.

    commands.py --tool build/release/unravel --seconds 300 [--seed 1] [--commands N] [--jobs 2] [--compile]

`unravel run --check` compares each result with the reference evaluator's. A command fails where a result is wrong, where
the tool crashes, hangs, is misused, or reports an error of its own (exit codes 2, 3, signals). A refusal with a message is
no failure; the summary counts them by kind, since a tester whose commands are all refused would find nothing.
A command that fails is shrunk to the least one that fails in the same way, which is printed as it would be typed. Exit
code 1 where one failed. The same seed tries the same commands.

With --compile nothing is run: each command's C, with and without a program around it, goes through the compilers of C and
C++ that are here. Of N commands an eighth are tried then, all with UNRAVEL_TEST_ALL=1.
"""

import argparse
import collections
import concurrent.futures
import copy
import dataclasses
import itertools
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from random_commands import WEAKER, Generator, simpler_values


# ---- running one

@dataclasses.dataclass
class Outcome:
    failure: str = ""  # what failed, in a few words; the same words: the same failure
    kind: str = ""     # of a refusal
    output: str = ""
    text: str = ""     # of it what isn't an error


def run(tool, command, seconds):
    """`seconds`: of CPU time, after which it hangs; other programs may make it wait for long."""
    return call(tool, command.arguments(), seconds)


def call(tool, arguments, seconds):
    arguments = [tool] + arguments
    environment = dict(os.environ, UNRAVEL_BUDGET="0.5")
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    try:
        done = subprocess.run(arguments, capture_output=True, timeout=20 * seconds, env=environment,
                              stdin=subprocess.DEVNULL, cwd=run.folder, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return Outcome(failure="hangs")
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Outcome(failure="hangs")
    output = done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")
    if done.returncode == 0:
        return Outcome(output=output, text=done.stdout.decode("utf-8", "replace"))
    kinds = re.findall(r"error: .*\[([a-z-]+)\]", output) or re.findall(r"\[([a-z-]+)\]", output)
    if done.returncode < 0:
        return Outcome(failure=f"signal {-done.returncode}", output=output)
    if done.returncode == 1 and kinds:
        return Outcome(kind=kinds[0], output=output)
    if done.returncode == 1:
        return Outcome(failure="wrong result" if "check" in output else "exit code 1 without a kind", output=output)
    if "Sanitizer" in output:
        return Outcome(failure="sanitizer", output=output)
    first = next((line for line in output.splitlines() if "error" in line), "")
    return Outcome(failure=f"exit code {done.returncode}: " + re.sub(r"[`'\"].*?[`'\"]|\d+", "_", first)[:120], output=output)


# ---- compiling one's C

COMPILERS = [["gcc", "-x", "c", "-std=c99"], ["clang-19", "-x", "c", "-std=c99"], ["g++", "-x", "c++", "-std=c++17"],
             ["clang++-19", "-x", "c++", "-std=c++17"]]
STRICT = ["-Wall", "-Wextra", "-Wincompatible-pointer-types", "-Wno-unknown-pragmas", "-Werror", "-fsyntax-only", "-"]


def compiled(tool, command, seconds):
    other = copy.deepcopy(command)
    other.verb = "compile"
    for more in ([], ["--main"]):
        outcome = call(tool, other.arguments() + more, seconds)
        if outcome.failure:
            return outcome
        if outcome.kind or "<cblas.h>" in outcome.output:
            continue
        for compiler in COMPILERS:
            if not shutil.which(compiler[0]):
                continue
            done = subprocess.run(compiler + STRICT, input=outcome.text, capture_output=True, text=True)
            if done.returncode:
                first = next((line for line in done.stderr.splitlines() if "error" in line), "")
                said = re.sub(r"\x1b.*?m|[`'\"‘].*?[`'\"’]|\d+", "_", first.split("error:")[-1])[:120]
                return Outcome(failure=f"{compiler[0]} refuses it:{said}", output=done.stderr)
    return outcome


# ---- shrinking

def simpler_commands(command):
    """Commands that are simpler in one thing, the greatest steps first."""
    def changed(change):
        other = copy.deepcopy(command)
        change(other)
        return other

    for place in range(len(command.statements)):
        if len(command.statements) > 1:
            yield changed(lambda c: c.statements.pop(place))
    for place in range(len(command.schedule)):
        yield changed(lambda c: c.schedule.pop(place))
    for place in range(len(command.options)):
        yield changed(lambda c: c.options.pop(place))
    if command.threads > 1:
        yield changed(lambda c: setattr(c, "threads", 1))
    if command.rounds:
        yield changed(lambda c: setattr(c, "rounds", 0))
    for place, statement in enumerate(command.statements):
        for field in ("mask", "semiring", "condition"):
            if getattr(statement, field):
                yield changed(lambda c: setattr(c.statements[place], field, ""))
        for loop in statement.loops:
            rest = tuple(other for other in statement.loops if other != loop)
            if not re.search(rf"\b{loop.split()[0]}\b", statement.text() + statement.condition + " ".join(rest)):
                yield changed(lambda c: setattr(c.statements[place], "loops", rest))
        if statement.operator not in ("=", "+="):
            yield changed(lambda c: setattr(c.statements[place], "operator", "+=" if command.is_program else "="))
        for value in simpler_values(statement.value):
            yield changed(lambda c: setattr(c.statements[place], "value", value))
    for name in sorted(command.used() & set(command.tensors)):
        tensor = command.tensors[name]
        if tensor.kind:
            yield changed(lambda c: setattr(c.tensors[name], "kind", ""))
        if ".layout:" in tensor.layout:
            yield changed(lambda c: setattr(c.tensors[name], "layout", tensor.layout.split(":", 1)[1]))
        for layout in ["dense"] + {1: ["sv"], 2: ["csr"], 3: ["csf"]}.get(len(tensor.shape), []):
            if tensor.layout == layout:
                break
            yield changed(lambda c: setattr(c.tensors[name], "layout", layout))
        if tensor.density not in (0.0, 1.0):
            yield changed(lambda c: setattr(c.tensors[name], "density", 1.0))
            yield changed(lambda c: setattr(c.tensors[name], "density", 0.0))
    for size in sorted({extent for tensor in command.tensors.values() for extent in tensor.shape}, reverse=True):
        for less in (size // 2, size - 1):
            if 0 <= less < size:
                yield changed(lambda c: shrink_extent(c, size, less))


def shrink_extent(command, size, less):
    for tensor in command.tensors.values():
        tensor.shape = tuple(less if extent == size else extent for extent in tensor.shape)
    command.sizes = {index: less if extent == size else extent for index, extent in command.sizes.items()}


def shrunk(tried, tool, command, failure, timeout, seconds=120):
    end = time.monotonic() + seconds
    found = True
    while found and time.monotonic() < end:
        found = False
        for simpler in simpler_commands(command):
            if time.monotonic() > end:
                break
            if tried(tool, simpler, timeout).failure == failure:
                command, found = simpler, True
                break
    return command


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="the program unravel")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--commands", type=int, default=10**9, help="no more commands than so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=int, default=40, help="seconds of CPU time after which a command hangs")
    parser.add_argument("--show", action="store_true", help="print each command")
    parser.add_argument("--compile", action="store_true", help="try what C compilers say of its C")
    options = parser.parse_args()
    trial = compiled if options.compile else run
    if options.compile and "UNRAVEL_TEST_ALL" not in os.environ:
        options.commands = -(-options.commands // 8)
    tool = os.path.abspath(options.tool)
    run.folder = tempfile.mkdtemp(prefix="unravel-fuzz-")
    lacks = {}  # by file
    for file, what, text in itertools.chain.from_iterable(WEAKER.values()):
        lacks[file] = what
        pathlib.Path(run.folder, file).write_text(text)
    end = time.monotonic() + options.seconds
    kinds, failures, tried = collections.Counter(), collections.Counter(), 0

    def attempt(number):
        if time.monotonic() > end:
            return None
        command = Generator(f"{options.seed}/{number}").command()
        return number, command, trial(tool, command, options.timeout)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        pending = collections.deque()
        numbers = iter(range(options.commands))
        while True:
            while len(pending) < 50 * options.jobs and time.monotonic() < end:
                number = next(numbers, None)
                if number is None:
                    break
                pending.append(pool.submit(attempt, number))
            if not pending:
                break
            done = pending.popleft().result()
            if done is None:
                continue
            number, command, outcome = done
            tried += 1
            if options.show:
                print(outcome.failure or outcome.kind or "right", shlex.join(["unravel"] + command.arguments()), flush=True)
            kinds[outcome.failure and "failed" or outcome.kind or "right"] += 1
            if outcome.failure:
                failures[outcome.failure] += 1
            if 0 < failures[outcome.failure] <= 4:  # they may have different causes
                least = shrunk(trial, tool, command, outcome.failure, options.timeout)
                again = trial(tool, least, options.timeout)
                print(f"\n{outcome.failure} (seed {options.seed}, command {number}):\n  "
                      + shlex.join(["unravel"] + least.arguments()) + "\n" + again.output, flush=True)
                for file in re.findall(r"[\w-]+\.layout(?=:)", " ".join(least.arguments())):
                    print(f"{file} lacks: {lacks[file]}", flush=True)
    shutil.rmtree(run.folder, ignore_errors=True)
    print(f"\n{tried} commands: " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
