#!/usr/bin/python3
"""Reading a Matrix Market file and packing CSR: `unravel run` against SciPy's mmread and tocsr.

    read_pack.py [--tool FILE] [--entries N] [--rounds N] [--file FILE.mtx] [--quick] [--json FILE]

Both read the same file, in turns, each time in a fresh process; the ratio is the median over the pairs. SciPy's
time is that of the two calls, without starting Python and importing SciPy; Unravel's is what `--json` calls
`read` and `pack`, and the two whole processes are printed too. Needs SciPy (Debian: python3-scipy).
Target: Unravel at least 5 times faster, on 5 million entries; --quick takes 1 million.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import report

SCIPY = """
import sys, time, json, scipy, scipy.io
start = time.perf_counter()
coo = scipy.io.mmread(sys.argv[1])
read = time.perf_counter()
csr = coo.tocsr()
end = time.perf_counter()
print(json.dumps({"read": 1e3 * (read - start), "pack": 1e3 * (end - read), "entries": int(csr.nnz),
                  "version": scipy.__version__}))
"""


def timed(command, environment):
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    whole = 1e3 * (time.perf_counter() - start)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout), whole


def unravel(tool, file, environment):
    out, whole = timed([tool, "run", "y(i) = A(i,j) * x(j)", "-f", "A=csr", "-i", f"A={file}", "-i", "x=random",
                        "--json"], environment)
    entries = next(operand["entries"] for operand in out["operands"] if operand["name"] == "A")
    return {"read": out["times_ms"]["read"], "pack": out["times_ms"]["pack"], "entries": entries, "whole": whole}


def scipy(file, environment):
    out, whole = timed([sys.executable, "-c", SCIPY, file], environment)
    return {**out, "whole": whole}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tool", default="unravel", help="the program unravel")
    options.add_argument("--entries", type=int, help="of the generated matrix")
    options.add_argument("--rounds", type=int)
    options.add_argument("--quick", action="store_true", help="fewer entries and rounds")
    options.add_argument("--json", metavar="FILE", help="the results go there too")
    options.add_argument("--file", help="an existing .mtx file instead of a generated one")
    chosen = options.parse_args()
    entries = chosen.entries or (1_000_000 if chosen.quick else 5_000_000)
    rounds = chosen.rounds or (3 if chosen.quick else 5)
    table = report.Table("read_pack", "Reading a Matrix Market file and packing CSR", "ms of wall clock",
                         os.cpu_count())
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "UNRAVEL_CACHE_DIR": folder}
        file = chosen.file
        if not file:
            file = str(pathlib.Path(folder) / "matrix.mtx")
            size = entries // 10
            subprocess.run([chosen.tool, "generate", f"random:{size}x{size},entries={entries}", "-o", file],
                           check=True, stdout=subprocess.DEVNULL)
        print(f"{os.path.getsize(file) / 1e6:.1f} MB")
        pairs = []
        for turn in range(rounds):
            if turn % 2:
                theirs = scipy(file, environment)
                ours = unravel(chosen.tool, file, environment)
            else:
                ours = unravel(chosen.tool, file, environment)
                theirs = scipy(file, environment)
            if ours["entries"] != theirs["entries"]:
                sys.exit(f"{ours['entries']} entries were packed, but {theirs['entries']} by SciPy")
            pairs.append((ours, theirs))
            print(f"  unravel read {ours['read']:8.0f} pack {ours['pack']:6.0f} (process {ours['whole']:8.0f})   "
                  f"SciPy {theirs['version']} read {theirs['read']:8.0f} pack {theirs['pack']:6.0f} "
                  f"(process {theirs['whole']:8.0f})", flush=True)
        name = pathlib.Path(file).name if chosen.file else f"random, {entries} entries"
        for turn, (ours, theirs) in enumerate(pairs):
            figures = {f"{part}, {who}": times[part] for who, times in (("ours", ours), ("SciPy", theirs))
                       for part in ("read", "pack", "whole")}
            work = (theirs["read"] + theirs["pack"]) / (ours["read"] + ours["pack"])
            table.row(f"{name}, round {turn + 1}", ours["entries"], figures,
                      {"SciPy / ours": work, "SciPy / ours, whole processes": theirs["whole"] / ours["whole"]})
    table.compare("SciPy / ours", "higher", [("median", 5)])
    table.compare("SciPy / ours, whole processes", "higher")
    if chosen.json:
        report.write(chosen.json, "read_pack", [table])


main()
