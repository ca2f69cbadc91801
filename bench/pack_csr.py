#!/usr/bin/python3
"""Packing CSR from coordinates in no order: Unravel against SciPy's tocsr, on the same numbers, in turns.

    pack_csr.py [--bench FILE] [--rounds N] [--data FOLDER]

FILE is bench_packing. Wall clock; the ratio is the median over the rounds. Without SciPy (Debian: python3-scipy)
nothing is measured. Target: Unravel no slower, geometric mean.
"""

import argparse
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import scipy.sparse
except ImportError:
    print("SciPy is not here: skipped")
    sys.exit(0)


def scipy_milliseconds(entries, shape):
    matrix = scipy.sparse.coo_matrix(entries, shape=shape)
    start = time.perf_counter()
    matrix.tocsr().sort_indices()
    return 1e3 * (time.perf_counter() - start)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bench", default="./bench_packing", help="the program bench_packing")
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--data", help="a folder of .mtx files")
    options = options.parse_args()
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        command = [options.bench, "--turns", folder] + (["--data", options.data] if options.data else [])
        bench = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        while line := bench.stdout.readline():
            name, rows, columns = line.rstrip("\n").split("\t")
            load = lambda part: numpy.load(pathlib.Path(folder) / f"{part}.npy")
            index = (load("row").astype(numpy.int32), load("column").astype(numpy.int32))
            entries = (load("value"), index)
            ours, theirs = [], []
            for _ in range(options.rounds):
                print("pack", file=bench.stdin)
                ours.append(float(bench.stdout.readline()))
                theirs.append(scipy_milliseconds(entries, (int(rows), int(columns))))
            print("next", file=bench.stdin)
            ratios.append(statistics.median(a / b for a, b in zip(ours, theirs)))
            print(f"{name:<42} {len(entries[0]):>9}  ours {statistics.median(ours):8.2f} ms"
                  f"  SciPy {statistics.median(theirs):8.2f} ms  ratio {ratios[-1]:.2f}", flush=True)
        if bench.wait() != 0 or not ratios:
            sys.exit("bench_packing failed")
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"ours / SciPy: geometric mean {mean:.2f}, greatest {max(ratios):.2f} (target 1)")


if __name__ == "__main__":
    main()
