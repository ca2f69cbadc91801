#!/usr/bin/python3
"""Kernels that assemble sparse results: Unravel against the best of Eigen, GraphBLAS and SciPy, on the same arrays,
in turns.

    sparse_results.py [--bench FILE] [--rounds N] [--kernels NAMES] [--data FOLDER] [--quick | --large] [--json FILE]

FILE is bench_sparse_results; it brings the best of its own peers. CPU time of one thread; the ratio is the median over
the rounds. Needs SciPy (Debian: python3-scipy). The targets are those of bench_sparse_results.
"""

import argparse
import ctypes
import functools
import json
import operator
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import report

try:
    import numpy
    import scipy.sparse
except ImportError:
    sys.exit("SciPy is not here (Debian: python3-scipy)")


def keep_memory():
    """Freed memory stays with the process, as bench/contest.h has it."""
    libc, trim_threshold, mmap_max = ctypes.CDLL("libc.so.6"), -1, -4
    libc.mallopt(mmap_max, 0)
    libc.mallopt(trim_threshold, -1)


def with_sorted_rows(matrix):
    matrix.sort_indices()
    return matrix


# What a user of SciPy would write; of several ways the fastest counts.
WAYS = {
    "spgemm": [lambda a, b: with_sorted_rows(a @ b)],
    "unsorted": [lambda a, b: a @ b],
    "sums": [lambda *all: functools.reduce(operator.add, all)],
    "elementwise": [lambda a, b: a.multiply(b)],
    "galerkin": [lambda r, a, p: with_sorted_rows((r @ a) @ p), lambda r, a, p: with_sorted_rows(r @ (a @ p))],
    "transpose": [lambda a: a.tocsc()],
}


def milliseconds(work):
    """CPU time of a run, the median of three; of short ones several at once."""
    def once(repetitions):
        start = time.thread_time_ns()
        for _ in range(repetitions):
            work()
        return (time.thread_time_ns() - start) / repetitions / 1e6

    work()
    repetitions = max(1, int(0.5 / max(once(1), 1e-4)))
    return statistics.median(once(repetitions) for _ in range(3))


def read(folder, name):
    return numpy.load(pathlib.Path(folder) / f"{name}.npy")


def operands(folder, described):
    made = {}
    for one in described:
        k = one["number"]
        if k not in made:
            arrays = (read(folder, f"{k}_val"), read(folder, f"{k}_crd"), read(folder, f"{k}_pos"))
            made[k] = scipy.sparse.csr_matrix(arrays, shape=(one["lines"], one["length"]))
            made[k].has_canonical_format = True  # it is; so SciPy needn't look
    return [made[one["number"]] for one in described]


def entries(matrix):
    """Sorted, without zeros: SciPy's sums and elementwise products store none."""
    coo = matrix.tocoo()
    kept = coo.data != 0
    row, column, value = coo.row[kept], coo.col[kept], coo.data[kept]
    order = numpy.lexsort((column, row))
    return row[order], column[order], value[order]


def check(case, folder, theirs):
    row, column, value = (read(folder, part) for part in ("row", "column", "value"))
    ours = scipy.sparse.coo_matrix((value, (row, column)), shape=theirs.shape)
    for mine, other in zip(entries(ours), entries(theirs)):
        # Where the terms of a sum cancel, its error is relative to them.
        allowed = 1e-12 * abs(other).max(initial=0)
        if len(mine) != len(other) or not numpy.allclose(mine, other, rtol=1e-9, atol=allowed):
            sys.exit(f"{case['table']}, {case['input']}: ours and SciPy disagree")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default="./bench_sparse_results", help="the program bench_sparse_results")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--kernels", default=",".join(WAYS), help="some of " + ", ".join(WAYS))
    parser.add_argument("--data", help="a folder of .mtx files")
    parser.add_argument("--quick", action="store_true", help="fewer inputs and rounds, no files")
    parser.add_argument("--large", action="store_true", help="larger inputs as well")
    parser.add_argument("--json", metavar="FILE", help="the results go there too")
    options = parser.parse_args()
    rounds = options.rounds or (3 if options.quick else 5)
    keep_memory()
    tables, targets = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        command = [options.bench, "--turns", folder, "--kernels", options.kernels]
        command += ["--data", options.data] if options.data else []
        command += [f"--{size}" for size in ("quick", "large") if getattr(options, size)]
        bench = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

        def ask(word):
            print(word, file=bench.stdin)
            return json.loads(bench.stdout.readline())

        while line := bench.stdout.readline():
            case = json.loads(line)
            if case["table"] not in tables:
                title = case["title"] + ", SciPy as well"
                tables[case["table"]] = report.Table(case["table"], title, "ms of CPU time", 1)
                targets[case["table"]] = case["targets"]
                print(f"\n{case['title']}")
            given = operands(folder, case["operands"])
            ways = [functools.partial(way, *given) for way in WAYS[case["kernel"]]]
            ask("result")
            for way in ways:
                check(case, folder, way())
            peers, ours = [], []
            for _ in range(rounds):
                times = ask("run")
                ours.append(times.pop("ours"))
                peers.append({**times, "SciPy": min(milliseconds(way) for way in ways)})
            print("next", file=bench.stdin)
            figures = {name: statistics.median(times[name] for times in peers) for name in peers[0]}
            best = min(figures, key=figures.get)
            ratio = lambda name: statistics.median(a / times[name] for a, times in zip(ours, peers))
            tables[case["table"]].row(case["input"], case["entries"], {"ours": statistics.median(ours), **figures},
                                      {"ours / best peer": ratio(best), "ours / SciPy": ratio("SciPy")},
                                      {"best peer": best})
            others = "  ".join(f"{name} {time:8.3f}" for name, time in figures.items())
            print(f"{case['input']:<42} {case['entries']:>9}  ours {statistics.median(ours):8.3f}  {others}"
                  f"  ours / best {ratio(best):.2f}", flush=True)
        if bench.wait() != 0:
            sys.exit("bench_sparse_results failed")
    for name, table in tables.items():
        print(f"\n{table.json['title']}")
        table.compare("ours / best peer", "lower", targets[name])
        table.compare("ours / SciPy", "lower")
    if options.json:
        report.write(options.json, "sparse_results", list(tables.values()))


if __name__ == "__main__":
    main()
