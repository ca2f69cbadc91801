"""Random commands: expressions and programs, layouts, types, schedules, finds, data, threads. The same seed, the same."""

import dataclasses
import pathlib
import random
import re


INDICES = ["i", "j", "k", "l"]
DENSE = {0: ["dense"], 1: ["dense"], 2: ["dense", "dense<1,0>"], 3: ["dense", "dense<2,0,1>"], 4: ["dense"]}
SPARSE = {
    1: ["sv", "bitmap", "hash_vector<2>", "coo_dup"],
    2: ["csr", "csc", "coo", "dcsr", "dcsc", "coo_unsorted", "coo_dup", "coo_aos", "bcsr<2,2>", "bcsr<2,3>", "bcsc<2,2>",
        "ubcsr<2,2>", "csb<4>", "dia", "ell", "ellr", "sell<2>", "sellcs<2>", "hyb<2>", "csr4", "csf", "csf<1,0>",
        "hash_matrix<4>", "bitmap", "banded", "run_length"],
    3: ["csf", "csf3", "coo3", "csf<2,1,0>", "coo_dup", "hicoo<2>", "csf<1,0,2>"],
    4: ["csf", "coo4", "csf4", "coo_dup"],
}
SQUARE = ["symmetric_csr", "packed_lower", "packed_upper", "csr_lower", "lower_diagonal", "skyline", "skew_csr"]
GROWING = {1: ["sv", "bitmap"], 2: ["csr", "csc", "coo", "dcsr", "dcsc", "csf", "csr4", "bcsr<2,2>", "ell", "ellr",
                                              "coo_unsorted", "dia", "hyb<2>"], 3: ["csf", "csf3", "coo3"], 4: ["csf", "coo4"]}
TYPES = ["f32", "complex128", "complex64", "int32", "int64", "bool", "uint8", "int16"]
REDUCTIONS = ["min", "max", "or", "and", "xor", "*", "any"]
SEMIRINGS = ["min.+", "max.+", "max.*", "or.and", "xor.and", "min.max", "max.min", "plus.pair", "any.pair", "min.first",
             "min.second", "plus.first", "plus.second", "plus.times"]
BINARY = ["min", "max", "and", "or", "first", "second", "pair", "xor"]
UNARY = ["abs", "sqrt", "not", "f32", "int32", "exp", "sin", "tanh"]
COMPARISONS = ["<", "<=", ">", ">=", "!="]
OWN = {  # operators of the user's own, in front of the text that uses them; of integers, too
    "larger": "larger(a, b) = select(abs(a) < abs(b), b, select(abs(b) < abs(a), a, max(a, b)))"
              " : associative, commutative, idempotent, identity 0",
    "lower": "lower(a, b) = min(a, b) : associative, commutative, idempotent, identity inf",
    "joined": "joined(a, b) = a + b : associative, commutative, identity 0",
    "scaled": "scaled(a, b) = a * 3 + b * b",
    "halfway": "halfway(a, b) = (a + b) / 2",
    "positive": "positive(a) = max(a, 0)",
}
OWN_REDUCTIONS, OWN_BINARY = ["larger", "lower", "joined"], ["larger", "lower", "joined", "scaled", "halfway"]


def weaker_layouts():
    """Shipped layouts, each without one of its properties, or with one that isn't strict: name to (file, what it lacks,
    text). Other ways must be chosen for them, and the same tensors come out."""
    layouts = {}
    for path in sorted((pathlib.Path(__file__).resolve().parents[2] / "layouts").glob("*.layout")):
        text = path.read_text()
        properties = [match[0] for match in re.finditer(r"\n  property [^;]*;", text)]
        weaker = [(stated.strip(), text.replace(stated, "", 1)) for stated in properties]
        weaker += [("`strictly` of " + stated.strip(), text.replace(stated, stated.replace("strictly ", "", 1), 1))
                   for stated in properties if "strictly" in stated]
        layouts[path.stem] = [(f"{path.stem}-{number}.layout",) + each for number, each in enumerate(weaker, 1)]
    return layouts


WEAKER = weaker_layouts()


# ---- values: ("number", text), ("read", tensor, [subscripts]), ("index", name), ("call", operator, [values]),
#      ("infix", operator, [left, right]), ("minus", [value])

def text_of(value):
    kind = value[0]
    if kind in ("number", "index"):
        return value[1]
    if kind == "read":
        return value[1] + ("(" + ",".join(value[2]) + ")" if value[2] else "")
    if kind == "call":
        return value[1] + "(" + ", ".join(map(text_of, value[2])) + ")"
    if kind == "minus":
        return "-" + bracketed(value[1][0])
    return f"{bracketed(value[2][0])} {value[1]} {bracketed(value[2][1])}"


def bracketed(value):
    return "(" + text_of(value) + ")" if value[0] in ("infix", "minus") else text_of(value)


def parts_of(value):
    return value[2] if value[0] in ("call", "infix") else value[1] if value[0] == "minus" else []


def simpler_values(value):
    """Each value that has a part in place of the whole, or is simpler in one part."""
    parts = parts_of(value)
    yield from parts
    if value[0] != "number":
        yield ("number", "1")
    if value[0] == "read":
        for place, subscript in enumerate(value[2]):
            plain = subscript.split("+")[0].split("-")[0]
            if plain != subscript:
                yield ("read", value[1], value[2][:place] + [plain] + value[2][place + 1:])
    for place, part in enumerate(parts):
        for simpler in simpler_values(part):
            fewer = parts[:place] + [simpler] + parts[place + 1:]
            yield ("minus", fewer) if value[0] == "minus" else (value[0], value[1], fewer)


def reads_in(value):
    if value[0] == "read":
        yield value
    for part in parts_of(value):
        yield from reads_in(part)


def calls_in(value):
    if value[0] == "call":
        yield value
    for part in parts_of(value):
        yield from calls_in(part)


def may_compute_nan(statement):
    """Is a product given to another operator than +, or is anything subtracted? Whether 0 times infinity is NaN where
    nothing is stored is not specified there, nor is what infinities that cancel leave (docs/index-notation.md,
    "Numbers")."""
    multiplied = "*" in statement.text() and (statement.operator not in ("=", "+=") or any(calls_in(statement.value)))
    return multiplied or "-" in statement.text().replace("-inf", "")


@dataclasses.dataclass
class Statement:
    """An assignment, inside of its loops and conditions in a program; alone in index notation."""
    target: tuple
    operator: str
    value: tuple
    semiring: str = ""
    mask: str = ""
    loops: tuple = ()
    condition: str = ""

    def text(self):
        ending = (f" in {self.semiring}" if self.semiring else "") + (f" mask {self.mask}" if self.mask else "")
        return f"{text_of(self.target)} {self.operator} {text_of(self.value)}{ending}"

    def in_loops(self):
        text = self.text() + ";"
        if self.condition:
            text = f"if {self.condition} {{ {text} }}"
        for loop in reversed(self.loops):
            text = f"for {loop} {{ {text} }}"
        return text


@dataclasses.dataclass
class Tensor:
    shape: tuple
    layout: str = "dense"
    kind: str = ""  # a type of values, a fill
    density: float = 1.0
    seed: int = 1
    is_given: bool = True  # it has data

    def is_integer(self):
        return "int" in self.kind or "bool" in self.kind


@dataclasses.dataclass
class Command:
    statements: list
    is_program: bool
    tensors: dict
    verb: str = "run"
    rounds: int = 0
    sizes: dict = dataclasses.field(default_factory=dict)
    schedule: list = dataclasses.field(default_factory=list)
    options: list = dataclasses.field(default_factory=list)
    threads: int = 1

    def used(self):
        names = {name for s in self.statements for value in (s.target, s.value) for _, name, _ in reads_in(value)}
        return names | {name for s in self.statements for name in re.findall(r"[A-Z]\d?(?=\()", s.mask)}

    def text(self):
        text = " ".join(s.in_loops() for s in self.statements) if self.is_program else self.statements[0].text()
        text = f"repeat {self.rounds} {{ {text} }}" if self.rounds else text
        return "".join(f"operator {own}; " for name, own in OWN.items() if re.search(rf"\b{name}\b", text)) + text

    def arguments(self):
        words = [self.verb, self.text()]
        used = self.used()
        for name, tensor in self.tensors.items():
            if name not in used:
                continue
            said = " ".join(part for part in (tensor.layout, tensor.kind) if part)
            if said != "dense":
                words += ["-f", f"{name}={said}"]
            if self.verb == "run" and tensor.is_given:
                words += ["-i", f"{name}={self.data_of(tensor, is_truth=name in self.truths())}"]
        if self.schedule:
            words += ["-s", "; ".join(self.schedule)]
        for option in self.options:
            words += list(option)
        if self.verb == "run":
            for name, size in self.sizes.items():
                words += ["--size", f"{name}={size}"]
            words += ["--threads", str(self.threads), "--check"]
        return words

    def truths(self):
        """The tensors that an operator of truth reduces into: what other numbers become is not specified."""
        return re.findall(r"(\w+)(?:\([^=]*\))? (?:and|or|xor)=", self.text())

    @staticmethod
    def data_of(tensor, is_truth):
        if not tensor.shape:
            return "1" if is_truth or tensor.is_integer() else "1.5"
        if is_truth:
            return f"integers:{'x'.join(map(str, tensor.shape))},density={tensor.density:g},most=1,seed={tensor.seed}"
        generator, more = ("integers", f",most={1 if 'bool' in tensor.kind else 5}") if tensor.is_integer() else ("random", "")
        return f"{generator}:{'x'.join(map(str, tensor.shape))},density={tensor.density:g}{more},seed={tensor.seed}"


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.extents = {}
        self.tensors = {}
        self.types = None

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def one(self, among):
        return self.random.choice(among)

    def command(self):
        if self.chance(50):  # all indices have one extent, so that tensors can be used in every way
            self.extents = dict.fromkeys(INDICES, self.one([0, 1, 2, 3, 4, 5, 6, 7, 9, 17]))
        else:
            self.extents = {index: self.one([1, 2, 3, 4, 5, 6, 7, 8, 13, 0]) for index in INDICES}
        self.types = self.one(TYPES) if self.chance(20) else None
        self.has_own = self.chance(12)  # operators
        is_program = self.chance(35)
        self.given_results = 90 if is_program else 10
        number = self.random.randint(1, 4) if is_program else 1
        statements = [self.statement(is_program) for _ in range(number)]
        command = Command(statements, is_program, self.tensors)
        if is_program and self.chance(10):
            command.rounds = self.random.randint(1, 3)
        used = [index for index in INDICES if re.search(rf"\b{index}\b", command.text())]
        command.sizes = {} if is_program else {index: self.extents[index] for index in used if self.needs_size(command, index)}
        self.choose_layouts(command)
        self.choose_schedule(command, used)
        if self.chance(12):
            command.verb = self.one(["explain", "deps", "tile", "compile"] if command.schedule else ["explain", "deps", "compile"])
        if not is_program and self.chance(2):
            command.verb, command.schedule = "plan", []
        return command

    def needs_size(self, command, index):
        """No operand's mode has the index by itself."""
        values = [command.statements[0].value]
        subscripts = [s for value in values for _, _, all_ in reads_in(value) for s in all_]
        return index not in subscripts and index not in re.findall(r"\w+", command.statements[0].mask)

    # -- statements

    def statement(self, is_program):
        free = self.random.sample(INDICES, self.random.randint(1, 3))
        order = min(self.one([0, 1, 1, 2, 2, 2, 3]), len(free))
        inner = self.random.sample(free, order)
        target = self.read(self.one(["y", "Y", "z"] if not self.chance(2) else ["A"]), inner, is_target=True)
        operator = "="
        semiring = mask = condition = ""
        if is_program:
            operator = self.one(["=", "+=", "+=", "-=", "*="])
        elif self.chance(15):
            operator = "+="
        if self.chance(12):
            operator = self.one(OWN_REDUCTIONS if self.has_own else REDUCTIONS) + "="
        elif not is_program and self.chance(12):
            operator, semiring = "=", self.one(SEMIRINGS)
            if self.has_own:
                semiring = f"{self.one(OWN_REDUCTIONS)}.{self.one(['*', '+', 'second', 'scaled'])}"
        if order < len(free) and self.chance(3):
            return self.argmin(target, inner, [index for index in free if index not in inner], is_program)
        value = self.product(free) if semiring or self.chance(45) else self.value(free, 0)
        if not is_program and self.chance(12) and len(free) >= 1:
            mask = self.mask(inner or free)
        loops = ()
        if is_program:
            loops = tuple(self.random.sample(free, len(free)))
            if self.chance(20) and len(free) > 1:
                condition = f"{free[0]} {self.one(['<', '<=', '!=', '='])} {free[1]}"
            if self.chance(10) and len(free) > 1 and self.extents[free[0]] == self.extents[free[1]]:
                loops = (free[0], f"{free[1]} in [0, {free[0]})") + tuple(free[2:])
        return Statement(target, operator, value, semiring, mask, loops, condition)

    def argmin(self, target, inner, others, is_program):
        """The coordinate of the least or greatest product; the index has a loop of its own."""
        index, name, value = self.one(others), self.one(["argmin", "argmax"]), None
        while value is None or index not in {s for _, _, all_ in reads_in(value) for s in all_}:
            value = self.product(inner + [index])
        semiring = f"{name[3:]}.{self.one(['*', '+', 'first'])}" if self.chance(50) else ""
        value = ("call", name, [("index", index), value])
        self.tensors[target[1]].is_given = False  # integers, where nothing says another type
        return Statement(target, "=", value, semiring, "", tuple(inner) if is_program else ())

    def mask(self, indices):
        case = lambda: (text_of(self.read("M", self.random.sample(indices, min(len(indices), self.random.randint(1, 2)))))
                        if self.chance(70) or len(indices) < 2 else f"{indices[0]} {self.one(['<', '<=', '=', '!='])} {indices[1]}")
        text = case()
        if self.chance(30):
            text = "!" + text if "(" in text else f"not {text}"
        if self.chance(25):
            text += self.one([" and ", " or "]) + case()
        return text

    def product(self, free):
        factors = [self.operand(free) for _ in range(self.random.randint(1, 4))]
        value = factors[0]
        for factor in factors[1:]:
            value = ("infix", "*", [value, factor])
        return value

    def value(self, free, depth):
        roll = self.random.random() * 100
        if depth > 3 or roll < 30:
            return self.operand(free)
        part = lambda: self.value(free, depth + 1)
        if roll < 50:
            return ("infix", "*", [part(), part()])
        if roll < 75:
            return ("infix", self.one(["+", "-"]), [part(), part()])
        if roll < 78:
            return ("infix", "/", [part(), ("number", self.one(["2", "4", "0.5"]))])
        if roll < 81:
            return ("minus", [part()])
        if roll < 86:
            op = self.one(["positive"] if self.has_own else UNARY)
            return ("call", op, [("call", "abs", [part()]) if op == "sqrt" else part()])  # NaN hides what is wrong
        if roll < 91:
            return ("call", self.one(OWN_BINARY if self.has_own else BINARY), [part(), part()])
        if roll < 95:
            return ("call", "select", [("infix", self.one(COMPARISONS), [part(), part()]), part(), part()])
        if roll < 97:
            return ("index", self.one(free))
        return ("number", self.one(["2", "0", "-1", "0.25", "3"]))

    def operand(self, free):
        order = min(self.one([0, 1, 1, 2, 2, 2, 2, 3, 4]), len(free))
        if order == 0:
            return self.read("a", []) if self.chance(60) else ("number", self.one(["2", "0.5", "3"]))
        names = {1: ["x", "v"], 2: ["A", "B", "C"], 3: ["T", "U"], 4: ["S"]}[order]
        subscripts = self.random.sample(free, order)
        if self.chance(6):
            subscripts[0] = subscripts[-1]  # a diagonal
        return self.read(self.one(names), subscripts)

    def read(self, name, indices, is_target=False):
        shape = tuple(self.extents[index] for index in indices)
        subscripts = list(indices)
        if len(indices) and self.chance(4):
            place = self.random.randrange(len(indices))
            subscripts[place] += self.one(["+1", "-1", "+2"])
        for number in range(9):  # the first of this name that has such a shape
            full = name + (str(number) if number else "")
            known = self.tensors.get(full)
            if known is None:
                kind = (self.one(TYPES) if self.chance(30) else self.types) if self.types else ""
                self.tensors[full] = Tensor(shape, kind=kind or "", density=self.one([0.0, 0.1, 0.3, 0.3, 0.6, 1.0]),
                                            seed=self.random.randint(1, 99), is_given=not is_target or self.chance(self.given_results))
                return ("read", full, subscripts)
            if known.shape == shape:
                known.is_given = known.is_given or not is_target
                return ("read", full, subscripts)
        raise AssertionError("a name has no more than nine shapes")

    # -- layouts and schedules

    def choose_layouts(self, command):
        targets = {s.target[1] for s in command.statements}
        for name, tensor in self.tensors.items():
            order = len(tensor.shape)
            if order == 0:
                continue
            if name in targets:
                if not self.chance(30) or order not in GROWING:
                    tensor.layout = self.one(DENSE[order])
                elif self.chance(15) and self.like(name):
                    tensor.layout = f"like:{self.one(self.like(name))}"
                else:
                    tensor.layout = self.one(GROWING[order])
            elif self.chance(25):
                tensor.layout = self.one(DENSE[order])
            elif order == 2 and tensor.shape[0] == tensor.shape[1] and self.chance(15):
                tensor.layout, tensor.density = self.one(SQUARE), 0.0 if self.chance(70) else tensor.density
            else:
                tensor.layout = self.one(SPARSE[order])
            if self.chance(4):
                fills = ["1", "-1"] if any(map(may_compute_nan, command.statements)) else ["1", "inf", "-1"]
                tensor.kind = (tensor.kind + " fill " + self.one(fills)).strip()
            weaker = WEAKER.get(re.match(r"\w+", tensor.layout)[0], [])
            if self.chance(7) and weaker and ":" not in tensor.layout:
                tensor.layout = f"{self.one(weaker)[0]}:{tensor.layout}"
        # a product that is computed at every point, as a result with a fill needs it: the same question
        if any("fill" in self.tensors[s.target[1]].kind and "*" in s.text() for s in command.statements):
            for tensor in self.tensors.values():
                tensor.kind = tensor.kind.replace("fill inf", "fill -1")

    def like(self, name):
        return sorted(other for other, tensor in self.tensors.items()
                      if other != name and len(tensor.shape) >= len(self.tensors[name].shape))

    def conversion(self, sparse):
        if not sparse:
            return "serial"
        name = self.one(sparse)
        return f"convert {name} to {self.one(SPARSE[len(self.tensors[name].shape)] if self.tensors[name].shape else ['dense'])}"

    def workspace(self, command):
        """Of some factors of a product, over some of their indices."""
        factors = re.findall(r"\w+\([\w, ]+\)", text_of(command.statements[0].value))
        if len(factors) < 2 or any(other in text_of(command.statements[0].value) for other in "+-/"):
            return "serial"
        inside = self.random.sample(factors, self.random.randint(1, min(3, len(factors))))
        indices = sorted(set(re.findall(r"\b[a-z]\b", " ".join(factor.split("(")[1] for factor in inside))))
        kept = self.random.sample(indices, self.random.randint(0, min(2, len(indices))))
        return f"workspace w{'(' + ', '.join(kept) + ')' if kept else ''} for {' * '.join(inside)}"

    def choose_schedule(self, command, used):
        sparse = [name for name, tensor in self.tensors.items() if "dense" not in tensor.layout and "like:" not in tensor.layout]
        loops = used + [f"{name}.p" for name in sparse if self.chance(20)]
        number = self.one([0, 0, 0, 1, 1, 2, 3])
        said = set()
        for _ in range(number if loops else 0):
            v = self.one(loops)
            target = command.statements[0].target[1]
            request = self.one([
                f"tile {v} by {self.one([1, 2, 3, 64])}", f"split {v} by {self.one([2, 3])}", "serial", f"parallel {v}",
                f"parallel {v} {self.one(['static', 'dynamic', 'guided', 'balanced'])}; chunk 2",
                "order " + ", ".join(self.random.sample(used, len(used))) if used else "serial",
                f"reduce {target} by {self.one(['private', 'atomic', 'scalar', 'auto'])}", f"unroll {v} by 2",
                f"vectorise {v}", f"jam {v} by 2", f"skew {v} by {self.one(used)}" if used else "serial", f"shift {v} by 1",
                f"fuse {v}, {self.one(loops)}", "drop zeros", f"plan {self.random.randint(1, 4)}", "plan none",
                f"bound {v} in [0, 3)", f"bound {v} = {self.extents.get(v, 2)}", f"wavefront {v}", "reuse", "blas", f"unroll {v}",
                self.conversion(sparse), self.workspace(command),
                f"find {self.one(sparse or [target])} by {self.one(['seq', 'binary', 'gallop', 'hash', 'scan', 'map', 'direct'])}"])
            what = "parallel" if "parallel" in request or "serial" in request or "fuse" in request else request.split()[0]
            if what not in said or what in ("tile", "split", "skew", "shift", "find"):
                command.schedule.append(request)
            said.add(what)
        if self.chance(8):
            command.options.append(("--index", "int64"))
        command.threads = self.one([1, 1, 2, 3, 4])
