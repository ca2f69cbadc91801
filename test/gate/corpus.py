"""The commands whose C the gate compares: those of tests, docs and examples, and kernels of all layouts."""
import ast
import re
import shlex

# What `compile` takes, with a value; other options of `run` and `explain` are left out.
KEPT = {"-f", "--format", "-s", "--schedule", "--find", "--index", "--type", "-F", "--file", "--from", "--name", "--prefix"}
FLAGS = {"--main", "--const", "--trust"}
OF_VALUE = KEPT | {"-i", "--input", "-o", "--output", "--repeat", "--threads", "--machine", "--budget", "--max-memory",
                   "--tune-seconds", "--html", "--stage", "--size"}

# By order of the layout: what benchmarks compute with one tensor in it.
LINES = {
    1: ["s = T(i) * x(i)", "y(i) = T(i) + x(i)", "y(i) = A(i,j) * T(j)"],
    2: ["y(i) = T(i,j) * x(j)", "y(j) = T(i,j) * x(i)", "Y(i,k) = T(i,j) * X(j,k)", "C(i,j) = T(i,j) * B(i,j)",
        "C(i,j) = T(i,j) + B(i,j)", "C(i,j) = T(i,k) * B(k,j)", "C(i,j) = T(j,i)", "D(i,j) = T(i,j) * U(i,r) * V(j,r)",
        "s = T(i,j) * B(i,j)", "y(i) max= T(i,j)", "y(i) = (T(i,j) - z(i)) * x(j)", "y(i) = b(i) - T(i,j) * x(j)"],
    3: ["Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", "Y(i,j,r) = T(i,j,k) * U(k,r)", "y(i,j) = T(i,j,k) * x(k)",
        "Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)", "s = T(i,j,k) * S(i,j,k)"],
    4: ["Y(i,r) = T(i,j,k,l) * U(j,r) * V(k,r) * W(l,r)"],
}
# Of the layouts that can't do without.
PARAMETERS = {"bcsc": "<2,3>", "bcsr": "<2,2>", "csb": "<2>", "hash_matrix": "<4>", "hash_vector": "<2>", "hicoo": "<2>",
              "hyb": "<1>", "mode_generic": "<2,1,2>", "sell": "<4>", "sellcs": "<4>", "ubcsr": "<2,2>"}
FORMATS = [["-f", "A=csr"], ["-f", "B=csr"], ["-f", "C=csr"], ["-f", "D=csr"], ["-f", "S=csf"]]


def compiled(words):
    """The words of a run, compile or explain as those of a compile; None where it has no expression."""
    made, expression, at = [], None, 1
    while at < len(words):
        word = words[at]
        name, _, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if name in OF_VALUE and not value:
            at += 1
            value = words[at] if at < len(words) else ""
        if name in KEPT:
            made += [name, value]
        elif word in FLAGS:
            made.append(word)
        elif not word.startswith("-") and expression is None:
            expression = word
        at += 1
    if expression is None and not {"-F", "--file", "--from"} & set(made):
        return None
    return ["compile", *([expression] if expression else []), *made]


def commands_of_shell(text):
    """The tool's commands in a text for people: lines `unravel run ...`, continued by a backslash."""
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        line = re.sub(r"^\s*(\$\s*)?", "", line)
        if not line.startswith(("unravel ", "run ", "compile ", "explain ")):
            continue
        try:
            words = shlex.split(line.removeprefix("unravel "), comments=False)
        except ValueError:
            continue
        ends = [k for k, word in enumerate(words) if word in ("|", ">", "&&", ";", "#", "2>", "2>&1")]
        yield words[: ends[0]] if ends else words


LITERALS = r'(?:"(?:[^"\\]|\\.)*"\s*)+'


def text_of(literals):
    return ast.literal_eval("(" + literals + ")")


def commands_of_tests(text):
    """What is in a C++ file as literals, or as constants that it defines as literals: lists of arguments, and problems,
    a line with pairs of a tensor and its format."""
    constants = {name: value for name, value in re.findall(r"\b(\w+)(?:\[\])?\s*=\s*(" + LITERALS + ");", text)}
    word = r"(?:" + LITERALS + r"|\w+)"
    for found in re.finditer(r'\{\s*"(?:run|compile|explain)"\s*(?:,\s*' + word + r"\s*)*\}", text):
        parts = re.findall(word, found.group()[1:-1])
        values = [part if part.startswith('"') else constants.get(part.strip()) for part in parts]
        if None not in values:
            yield list(map(text_of, values))
    pair = r'\{\s*("\w+")\s*,\s*(' + LITERALS + r")\}"
    for found in re.finditer("(" + word + r")\s*,\s*\{(\s*(?:" + pair + r"\s*,?\s*)+)\}", text):
        line = found[1] if found[1].startswith('"') else constants.get(found[1].strip())
        if line and "=" in line:
            formats = [f"{text_of(name)}={text_of(layout)}" for name, layout in re.findall(pair, found[2])]
            yield ["compile", text_of(line), *(word for each in formats for word in ("-f", each))]


def command_of_golden(text):
    """Of a golden file, whose head is a line and its options."""
    line, *options = text.split("\n----")[0].splitlines()
    return ["compile", line, *(word for each in options for word in each.split(" ", 1))]


def corpus(root, layouts):
    """All commands, each once, in an order that doesn't change; `layouts`: (name, order) of those that Unravel has."""
    found = {}
    texts = [*sorted(root.glob("docs/**/*.md")), root / "README.md", *sorted(root.glob("examples/*.md")),
             root / "test/tool/once_wrong.txt"]
    for path in texts:
        for words in commands_of_shell(path.read_text()):
            found.setdefault(tuple(words))
    for path in sorted(root.glob("test/*/*.cpp")):
        for words in commands_of_tests(path.read_text()):
            found.setdefault(tuple(words))
    for path in sorted(root.glob("test/golden/pipeline/*.txt")):
        found.setdefault(tuple(command_of_golden(path.read_text())))
    for path in sorted(root.glob("examples/*.unravel")):
        found.setdefault(("compile", "-F", str(path.relative_to(root))))
    made = {}
    for words in found:
        if words and words[0] in ("run", "compile", "explain") and (command := compiled(list(words))):
            made.setdefault(tuple(command))
    for name, order in layouts:
        for line in LINES.get(order, []):
            others = [word for pair in FORMATS if pair[1][0] + "(" in line for word in pair]
            command = ["compile", line, "-f", f"T={name}{PARAMETERS.get(name, '')}", *others]
            made.setdefault(tuple(command))
            if line == LINES[order][0]:
                made.setdefault((*command, "--main"))
    return [list(command) for command in made]
