#!/usr/bin/python3
"""Packing CSR from coordinates in no order: Unravel against SciPy's tocsr, on the same numbers, in turns.

    pack_csr.py [--bench FILE] [--rounds N] [--data FOLDER] [--quick] [--json FILE]

FILE is bench_packing. Wall clock; the ratio is the median over the rounds. Needs SciPy (Debian: python3-scipy).
Target: Unravel no slower, geometric mean; also of the inputs below 400,000 entries.
"""

import argparse
import os
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


SMALL = 400_000  # entries


def scipy_milliseconds(entries, shape):
    matrix = scipy.sparse.coo_matrix(entries, shape=shape)
    start = time.perf_counter()
    matrix.tocsr().sort_indices()
    return 1e3 * (time.perf_counter() - start)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bench", default="./bench_packing", help="the program bench_packing")
    options.add_argument("--rounds", type=int)
    options.add_argument("--data", help="a folder of .mtx files")
    options.add_argument("--quick", action="store_true", help="fewer inputs and rounds, no files")
    options.add_argument("--json", metavar="FILE", help="the results go there too")
    options = options.parse_args()
    rounds = options.rounds or (5 if options.quick else 9)
    table = report.Table("pack_csr", "Packing CSR from coordinates in no order", "ms of wall clock", os.cpu_count())
    with tempfile.TemporaryDirectory() as folder:
        command = [options.bench, "--turns", folder] + (["--data", options.data] if options.data else [])
        command += ["--quick"] if options.quick else []
        bench = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        while line := bench.stdout.readline():
            name, rows, columns = line.rstrip("\n").split("\t")
            load = lambda part: numpy.load(pathlib.Path(folder) / f"{part}.npy")
            index = (load("row").astype(numpy.int32), load("column").astype(numpy.int32))
            entries = (load("value"), index)
            ours, theirs = [], []
            for _ in range(rounds):
                print("pack", file=bench.stdin)
                ours.append(float(bench.stdout.readline()))
                theirs.append(scipy_milliseconds(entries, (int(rows), int(columns))))
            print("next", file=bench.stdin)
            ratio = statistics.median(a / b for a, b in zip(ours, theirs))
            ratios = {"ours / SciPy": ratio}
            if len(entries[0]) < SMALL:
                ratios["ours / SciPy, small"] = ratio
            table.row(name, len(entries[0]),
                      {"ours": statistics.median(ours), "SciPy": statistics.median(theirs)}, ratios)
            print(f"{name:<42} {len(entries[0]):>9}  ours {statistics.median(ours):8.2f} ms"
                  f"  SciPy {statistics.median(theirs):8.2f} ms  ratio {ratio:.2f}", flush=True)
        if bench.wait() != 0:
            sys.exit("bench_packing failed")
    for ratio in ("ours / SciPy", "ours / SciPy, small"):
        table.compare(ratio, "lower", [("geometric mean", 1)])
    if options.json:
        report.write(options.json, "pack_csr", [table])


if __name__ == "__main__":
    main()
