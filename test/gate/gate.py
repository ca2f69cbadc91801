"""Compares the C that two builds of Unravel write, function by function: scripts/gate --help."""
import argparse
import collections
import concurrent.futures
import difflib
import gzip
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from corpus import corpus  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = ROOT / "test/gate/allowed.txt"
MAIN = "// ---- a program around the kernel"
KINDS = ("kernel", "pack", "main", "helpers")


def functions_of(text):
    """(kind, name, text) of each function, and of what stands before it: declarations, macros, functions of one line.

    Kernels are the functions with a comment `/** ... */`; those of an inspector and of a conversion are such, too.
    """
    of_main, before, rest = False, [], text.splitlines()
    at = 0
    while at < len(rest):
        line = rest[at]
        of_main = of_main or line.startswith(MAIN)
        if not re.match(r"[A-Za-z_].*\)\s*\{$", line) and not (re.match(r"[A-Za-z_][^;]*[(,]$|[A-Za-z_][^;{]*,$", line)):
            before.append(line)
            at += 1
            continue
        end = at
        while end < len(rest) and rest[end] != "}" and not (end > at and rest[end] == "") and not rest[end].endswith(";"):
            end += 1
            if rest[end - 1].endswith("{") and not rest[end - 1].startswith("}"):
                while end < len(rest) and rest[end] != "}":
                    end += 1
                break
        body = rest[at : end + 1]
        name = (re.search(r"([A-Za-z_]\w*)\s*\(", line) or re.search(r"(\w+)", line)).group(1)
        comment = "\n".join(before)
        kind = ("main" if of_main else "pack" if re.match(r"(pack|free)_", name)
                else "kernel" if " */" in comment.rsplit("}", 1)[-1] and not line.startswith("static") else "helpers")
        if comment.strip():
            yield "main" if of_main else "helpers", f"before {name}", comment.strip()
        yield kind, name, "\n".join(body)
        before = []
        at = end + 1
    if before:
        yield "main" if of_main else "helpers", "the end", "\n".join(before).strip()


def compile_one(tool, command, seconds):
    """The command's C, or why there is none."""
    words = [tool, *command, "--machine", "portable", "--budget", "0"]
    try:
        made = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=seconds,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
    except subprocess.TimeoutExpired:
        return None, f"takes over {seconds} s"
    if made.returncode != 0:
        return None, (re.findall(r"\[([a-z-]+)\]", made.stderr) or [f"exit {made.returncode}"])[0]
    return made.stdout, None


def layouts_of(tool):
    listed = subprocess.run([tool, "layout", "list", "--json"], capture_output=True, text=True, check=True).stdout
    return [(each["name"], order) for each in json.loads(listed)["layouts"] for order in each["orders"]]


def record(options):
    commands = corpus(ROOT, layouts_of(options.tool))
    if options.every > 1:
        commands = [each for each in commands
                    if int(hashlib.sha256(shlex.join(each).encode()).hexdigest(), 16) % options.every == 0]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        made = list(pool.map(lambda each: compile_one(options.tool, each, options.seconds), commands))
    functions, left_out = [], []
    for command, (text, why) in zip(commands, made):
        if text is None:
            left_out.append([shlex.join(command), why])
            continue
        times = collections.Counter()
        for kind, name, body in functions_of(text):
            times[name] += 1
            numbered = name if times[name] == 1 else f"{name} {times[name]}"
            functions.append({"command": shlex.join(command), "kind": kind, "name": numbered,
                              "sha256": hashlib.sha256(body.encode()).hexdigest(), "text": body})
    with gzip.open(options.file, "wt") as file:
        json.dump({"functions": functions, "left out": left_out}, file)
    kernels = sum(each["kind"] == "kernel" for each in functions)
    print(f"{len(commands) - len(left_out)} commands, {kernels} kernels, {len(functions)} functions")
    late = [command for command, why in left_out if why.startswith("takes")]
    print(f"left out: {len(left_out)} commands that are refused or need files" + "".join(f"\n  too slow: {each}" for each in late))


def read(path):
    with gzip.open(path, "rt") as file:
        return json.load(file)


def allowed():
    """(kind, text in the command) of differences that have a reason: `kind: text # reason`."""
    lines = ALLOWED.read_text().splitlines() if ALLOWED.exists() else []
    for line in lines:
        if found := re.match(r"(\w+): (.*?)\s+# \S", line):
            yield found.group(1), found.group(2)
        elif line and not line.startswith("#"):
            sys.exit(f"{ALLOWED}: `{line}`: expected `kind: text of the command # reason`")


def compare(options):
    before, after = read(options.before), read(options.after)
    commands = [{each["command"] for each in made["functions"]} for made in (before, after)]
    both = commands[0] & commands[1]
    by_function = [{(each["command"], each["name"]): each for each in made["functions"] if each["command"] in both}
                   for made in (before, after)]
    taken, differing, shown = list(allowed()), {kind: 0 for kind in KINDS}, set()
    for key in sorted(by_function[0].keys() | by_function[1].keys()):
        one, other = (made.get(key) for made in by_function)
        if one and other and one["sha256"] == other["sha256"]:
            continue
        kind = (one or other)["kind"]
        if any(kind == of and text in key[0] for of, text in taken):
            continue
        differing[kind] += 1
        texts = [made["text"].splitlines() if made else [] for made in (one, other)]
        diff = "\n".join(list(difflib.unified_diff(*texts, "before", "after", lineterm="", n=2))[2:])
        if diff not in shown and len(shown) < options.most:
            print(f"== {kind} {key[1]}: unravel {key[0]}\n{diff}\n")
        shown.add(diff)
    lost = commands[0] & {each for each, _ in after["left out"]}
    for command in sorted(lost):
        print(f"== no longer compiled: unravel {command}")
    print(f"{len(both)} commands are in both, {len(commands[0] ^ commands[1])} in one alone")
    print("differ: " + ", ".join(f"{kind} {count}" for kind, count in differing.items()) +
          f"; {len(shown)} differences in all, as one diff counts once")
    return 1 if sum(differing.values()) or lost else 0


def main():
    parser = argparse.ArgumentParser(prog="scripts/gate", description=__doc__.split(":")[0] + ".",
                                     epilog="Allowed differences: test/gate/allowed.txt, `kind: text of the command # reason`.")
    what = parser.add_subparsers(required=True, metavar="record | compare")
    made = what.add_parser("record", help="compile the corpus, and write its functions to a file")
    made.add_argument("file")
    made.add_argument("--tool", default=str(ROOT / "build/release/unravel"))
    made.add_argument("--jobs", type=int, default=os.cpu_count())
    made.add_argument("--seconds", type=float, default=10, help="a command that takes longer is left out")
    made.add_argument("--every", type=int, default=1, metavar="N", help="a seeded sample: one command in N")
    made.set_defaults(run=record)
    made = what.add_parser("compare", help="show as diffs which functions differ; exit code 1 where some do")
    made.add_argument("before")
    made.add_argument("after")
    made.add_argument("--most", type=int, default=20, help="diffs that are shown (20)")
    made.set_defaults(run=compare)
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
