#!/usr/bin/python3
"""Builds the benchmarks, runs them one after the other and writes results.json and results.html. What scripts/bench
calls; bench/README.md says what is measured."""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import machine
import page
import record

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"


@dataclasses.dataclass
class Benchmark:
    program: str
    about: str
    arguments: list = dataclasses.field(default_factory=list)
    threads: tuple = ()  # it is run once for each, with --threads
    takes_data: bool = True
    environment: dict = dataclasses.field(default_factory=dict)

    def command(self, build):
        """The program, and what tells it where others are."""
        beside = {"read_pack.py": ["--tool", str(build / "unravel")],
                  "pack_csr.py": ["--bench", str(build / "bench_packing")],
                  "sparse_results.py": ["--bench", str(build / "bench_sparse_results")]}
        if self.program in beside:
            # Debian's Python has Debian's SciPy; another one that is found first may not.
            return ["/usr/bin/python3", str(ROOT / "bench" / self.program), *beside[self.program], *self.arguments]
        return [str(build / self.program), *self.arguments]


BENCHMARKS = [
    Benchmark("bench_spmv", "y = A x, against Eigen, GraphBLAS and librsb", threads=(1, 2)),
    Benchmark("bench_spmspv", "y = A x with a sparse x, against a merge by hand"),
    Benchmark("bench_coiteration", "Kernels over several sparse operands, against merges, Eigen and GraphBLAS",
              threads=(1, 2)),
    Benchmark("bench_sparse_results", "Kernels that assemble sparse results, against Eigen and GraphBLAS",
              threads=(1, 2)),
    Benchmark("bench_graphs", "Graph algorithms and their kernels, against GraphBLAS", threads=(1, 2)),
    Benchmark("sparse_results.py", "The same on one thread, against SciPy as well"),
    Benchmark("bench_templates", "The choice of a template for finds, against each template"),
    Benchmark("bench_layouts", "y = A x in other layouts, against CSR", ["spmv"], threads=(1, 2)),
    Benchmark("bench_operators", "y = A x in every semiring, against the same loop by hand"),
    Benchmark("bench_tensors", "Tensors of order 3 and dense factors, against loops by hand", threads=(1, 2)),
    Benchmark("bench_plans", "Products of several tensors by plans, against the nest as written", threads=(1, 2),
              takes_data=False),
    Benchmark("bench_schedules", "Tiles, against the untiled loops", threads=(1, 2)),
    Benchmark("bench_schedules", "Rows shared out among threads", ["--sharing"], threads=(2,)),
    # Barriers of threads that sleep would cost ten times more.
    Benchmark("bench_solves", "Triangular solves in wavefronts, against a loop by hand", threads=(2,),
              environment={"OMP_WAIT_POLICY": "active"}),
    Benchmark("bench_packing", "Packing and converting, against Eigen"),
    Benchmark("pack_csr.py", "Packing CSR, against SciPy"),
    Benchmark("read_pack.py", "Reading a Matrix Market file and packing CSR, against SciPy", takes_data=False),
    Benchmark("bench_latency", "From an expression to C, and whole processes of the tool", takes_data=False),
    Benchmark("build_latency", "From C to a callable function", takes_data=False),
]


def names_of(program):
    """As --only has it."""
    return {program, program.removeprefix("bench_"), program.removesuffix(".py")}


def parse_arguments():
    names = sorted({min(names_of(benchmark.program), key=len) for benchmark in BENCHMARKS})
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="Builds the benchmarks, runs them against the peers that Debian has, and "
        "writes results.json and results.html.")
    parser.add_argument("--quick", action="store_true",
                        help="small generated inputs and few rounds: 7 minutes on two quiet cores, after the build")
    parser.add_argument("--tiny", action="store_true",
                        help="as --quick, and each measured once: says whether they run, and nothing of times")
    parser.add_argument("--built", metavar="FOLDER", type=pathlib.Path,
                        help="where they are built already: nothing is installed or built")
    parser.add_argument("--data", metavar="FOLDER", type=pathlib.Path,
                        help="of .mtx, .mtx.gz and .tns files, used besides generated inputs (or $UNRAVEL_DATA)")
    parser.add_argument("--only", metavar="NAME", action="append", default=[],
                        help=f"only this benchmark; may be given several times: {', '.join(names)}")
    parser.add_argument("-o", "--output", metavar="FOLDER", type=pathlib.Path, default=BUILD / "results",
                        help="where the results go (build/bench/results)")
    parser.add_argument("--record", metavar="MACHINE", nargs="?", const="",
                        help="also writes bench/results/DATE-MACHINE.json and .md; a name is made up without MACHINE")
    chosen = parser.parse_args()
    chosen.quick = chosen.quick or chosen.tiny
    known = set().union(*(names_of(benchmark.program) for benchmark in BENCHMARKS))
    for name in chosen.only:
        if name not in known:
            parser.error(f"there is no benchmark `{name}`; there are {', '.join(names)}")
    if chosen.record and not record.is_name(chosen.record):
        parser.error(f"`{chosen.record}` is no name for a machine: small letters, digits and dashes")
    if chosen.data is None and os.environ.get("UNRAVEL_DATA"):
        chosen.data = pathlib.Path(os.environ["UNRAVEL_DATA"])
    if chosen.data and not chosen.data.is_dir():
        parser.error(f"there is no folder {chosen.data} of input files")
    try:
        chosen.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"can't write to {chosen.output}: {error.strerror}")
    return chosen


def build():
    """Installs what is missing, and builds. Returns remarks for the page; ends the program where nothing can be
    built."""
    if subprocess.run([ROOT / "scripts" / "setup"], check=False).returncode != 0:
        sys.exit("bench: what a build needs is missing")
    remarks = []
    if subprocess.run([ROOT / "scripts" / "setup", "--bench"], check=False).returncode != 0:
        remarks.append("Some of the peers' packages could not be installed.")
    configure = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DUNRAVEL_BENCH=ON",
                 "-DUNRAVEL_TESTS=OFF"]
    for command in (configure, ["cmake", "--build", BUILD, "--target", "unravel_benchmarks"]):
        if subprocess.run(command, check=False).returncode != 0:
            sys.exit("bench: the build failed")
    return remarks


def error_of(stderr, code):
    """Its last lines, without where things are on this machine."""
    lines = stderr.strip().split("\n")[-5:]
    text = "\n".join(lines).replace(str(ROOT), ".")
    return text or (f"ended by signal {-code}" if code < 0 else f"ended with {code}")


def run(command, environment, limit, folder):
    """What the program wrote as JSON (nothing, or the part before it failed), and why it failed, if it did."""
    results, errors = folder / "run.json", folder / "stderr.txt"
    results.unlink(missing_ok=True)
    try:
        with open(errors, "w", encoding="utf-8") as stderr:
            done = subprocess.run([*command, "--json", str(results)], stdin=subprocess.DEVNULL, stderr=stderr,
                                  env={**os.environ, **environment}, timeout=limit, check=False)
        text = errors.read_text(encoding="utf-8", errors="replace")
        sys.stderr.write(text)
        error = error_of(text, done.returncode) if done.returncode != 0 else None
    except subprocess.TimeoutExpired:
        error = f"stopped after {limit} seconds"
    except OSError as failure:
        error = f"{command[0]} can't be started: {failure.strerror}".replace(str(ROOT), ".")
    try:
        return json.loads(results.read_text(encoding="utf-8"))["tables"], error
    except (OSError, ValueError, KeyError):
        return [], error or "it wrote no results"


def absent(benchmark, peers):
    """Why it can't be run at all, or nothing."""
    needs = {"bench_packing": ["Eigen"], "pack_csr.py": ["Eigen", "SciPy"], "read_pack.py": ["SciPy"],
             "sparse_results.py": ["SciPy"]}
    missing = [peer for peer in needs.get(benchmark.program, []) if not peers[peer]]
    return f"not run: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing" if missing else None


def measure(benchmark, chosen, peers, folder):
    """The benchmark as a section of the results."""
    section = {"program": benchmark.program, "about": benchmark.about, "seconds": 0, "errors": [], "left_out": [],
               "tables": []}
    if reason := absent(benchmark, peers):
        print(f"\n== {benchmark.program}: {reason}", flush=True)
        section["left_out"].append(reason)
        return section
    command = benchmark.command(chosen.built or BUILD)
    if chosen.quick:
        command.append("--quick")
        if chosen.tiny and not benchmark.program.endswith(".py"):
            command += ["--budget", "1", "--pairs", "1", "--rounds", "1", "--runs", "1"]
    elif chosen.data and benchmark.takes_data:
        command += ["--data", str(chosen.data)]
    # Two threads on one core would say nothing.
    counts = [count for count in benchmark.threads if count <= machine.cores()]
    if benchmark.threads and not counts:
        section["left_out"].append(f"not run: it needs {min(benchmark.threads)} cores")
    for arguments in [["--threads", str(count)] for count in counts] if benchmark.threads else [[]]:
        print(f"\n== {' '.join([benchmark.program, *benchmark.arguments, *arguments])}", flush=True)
        start = time.monotonic()
        tables, error = run([*command, *arguments], benchmark.environment, 900 if chosen.quick else 7200, folder)
        section["seconds"] += round(time.monotonic() - start, 1)
        section["tables"] += tables
        if error:
            # Records shall not say where files are on this machine.
            error = error.replace(str(chosen.data), "FOLDER") if chosen.data else error
            section["errors"].append(" ".join([*arguments, error]))
            print(f"bench: {benchmark.program} failed; the others go on", file=sys.stderr)
    return section


def main():
    chosen = parse_arguments()
    remarks = [] if chosen.built else build()
    peers = machine.peers(chosen.built or BUILD)
    remarks += [f"{peer} is missing: what is compared with it is left out." for peer in peers if not peers[peer]]
    if chosen.quick:
        remarks.append("A quick run: small generated inputs, few rounds. For targets, run without --quick.")
    elif not chosen.data:
        remarks.append("There was no folder of files (--data or $UNRAVEL_DATA): generated inputs only.")
    now = datetime.datetime.now().astimezone()
    facts = machine.facts()
    results = {"date": now.isoformat(timespec="minutes"), "commit": machine.commit(ROOT), "quick": chosen.quick,
               "machine": facts, "versions": machine.versions(chosen.built or BUILD, ROOT), "peers": peers, "remarks": remarks,
               "programs": []}
    wanted = [benchmark for benchmark in BENCHMARKS
              if not chosen.only or names_of(benchmark.program) & set(chosen.only)]
    start, interrupted = time.monotonic(), False
    with tempfile.TemporaryDirectory() as folder:
        try:
            for benchmark in wanted:
                results["programs"].append(measure(benchmark, chosen, peers, pathlib.Path(folder)))
        except KeyboardInterrupt:
            interrupted = True
            remarks.append("The run was interrupted: the benchmarks after that are missing.")
    results["seconds"] = round(time.monotonic() - start)
    file = chosen.output / "results.json"
    file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (chosen.output / "results.html").write_text(page.page(results), encoding="utf-8")
    written = [file, chosen.output / "results.html"]
    if chosen.record is not None:
        name = f"{now.date()}-{chosen.record or machine.kind(facts)}"
        written += record.write(results, ROOT / "bench" / "results", name)
    print(f"\n{record.counts(results)}, in {results['seconds']} s. Written:")
    for each in written:
        print(f"  {each}")
    sys.exit(1 if interrupted or any(program["errors"] for program in results["programs"]) else 0)


if __name__ == "__main__":
    main()
