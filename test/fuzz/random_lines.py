"""Random lines, each with what NumPy computes for it: one generator makes both, without Unravel's parser. The same seed,
the same.

A line's operands are square, of one extent and different values. Its NumPy text is evaluated where a tensor's name is a
function of index letters: `A('ij') * x('j')` has an axis for each index of the line. Operands are converted to the type that
the statement is computed in first (docs/operators.md, "Types of values")."""

import dataclasses
import random

import numpy as np

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
TYPES = ["bool"] + INTEGERS + ["f32", "f64", "complex64", "complex128"]
DTYPES = {"bool": "?", "f32": "f4", "f64": "f8", **{name: name for name in INTEGERS + ["complex64", "complex128"]}}
OPERANDS = {0: ["dense"], 1: ["dense", "dense", "sv", "bitmap", "hash_vector<2>"],
            2: ["dense", "dense<1,0>", "csr", "csr", "csc", "coo", "coo_unsorted", "dcsr", "dcsc", "csf", "csf<1,0>",
                "hash_matrix<4>", "bitmap"], 3: ["dense", "csf", "coo3", "csf<1,0,2>"]}
PADDED = ["bcsr<2,2>", "ell", "dia", "sell<2>", "coo_dup", "banded"]  # slots without an entry, or several for one
RESULTS = {0: ["dense"], 1: ["dense", "dense", "sv"],
           2: ["dense", "csr", "csr", "csc", "coo", "dcsr", "dcsc"], 3: ["dense", "csf", "coo3"]}
RINGS = ["min.+", "max.+", "max.*", "min.max", "max.min", "or.and", "xor.and", "plus.pair", "any.pair", "min.first",
         "min.second", "plus.first", "plus.second", "plus.times"]
EQUAL_RINGS = ["max.max", "min.min", "or.or", "xor.xor", "and.and", "plus.plus", "times.times"]
TRUTHS = {"or", "and", "xor"}


def promoted(name):
    return "int32" if name == "bool" or name in INTEGERS and np.dtype(name).itemsize < 4 else name


def common(names):
    """C's common type; of complex and real numbers as docs/operators.md says."""
    kinds = [np.dtype(DTYPES[promoted(name)]) for name in names]
    if any(kind.kind == "c" for kind in kinds):
        wide = any(kind in (np.dtype("f8"), np.dtype("c16")) for kind in kinds)
        return "complex128" if wide else "complex64"
    if any(kind.kind == "f" for kind in kinds):
        return "f64" if np.dtype("f8") in kinds else "f32"
    for name in ("uint64", "int64", "uint32"):
        if np.dtype(name) in kinds:
            return name
    return "int32"


@dataclasses.dataclass
class Tensor:
    array: np.ndarray  # all elements
    kind: str
    layout: str
    stored: np.ndarray  # whether they are stored; a mask asks for it, and rings


@dataclasses.dataclass
class Result:
    indices: str
    layout: str
    kind: str  # of its own, or ""
    numpy: str
    fill: str = "0"
    computed: str = ""  # the type of its statement
    mask: str = ""  # as NumPy's text, over the result's indices
    operator: str = "plus"


@dataclasses.dataclass
class Line:
    text: str
    tensors: dict
    results: dict
    schedule: str = ""
    indices: str = "ijk"
    extent: int = 1

    def used(self):
        return {name: tensor for name, tensor in self.tensors.items() if name + "(" in self.text or name == "a"}


class LineGenerator:
    """Half of the lines are drawn from two types, and rings of equal operators."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(self.random.getrandbits(32))
        self.is_narrow = self.chance(50)
        self.types = self.random.sample(TYPES, 2) if self.is_narrow else TYPES
        if self.chance(25):
            self.types = [self.one(["int64", "uint64", "f64"])]
        self.layouts = self.random.sample(OPERANDS[2], 2) if self.is_narrow else OPERANDS[2]
        self.extent = self.random.choice([1, 2, 3, 4, 5, 7])
        self.tensors = {}
        self.is_padded = True
        self.allowed = None
        self.most = 4
        self.is_positive = False

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def one(self, among):
        return self.random.choice(list(among))

    # -- operands

    def tensor(self, name, order, kind=None):
        if name in self.tensors:
            return
        kind = kind or self.one(self.allowed or self.types)
        if order == 3 and kind.startswith("complex"):  # .tns files have none
            kind = "f64"
        dtype, shape = np.dtype(DTYPES[kind]), (self.extent,) * order
        low = 0 if self.is_positive or dtype.kind in "ub" else -self.most
        draw = lambda: self.numbers.integers(low, (1 if kind == "bool" else self.most) + 1, shape)
        array = (draw() + 1j * draw() if dtype.kind == "c" else draw()).astype(dtype)
        if kind in ("int64", "uint64") and self.is_wide and 0 < order < 3:  # scalars and .tns files are read as doubles
            array = array * dtype.type(2**57 + 1)
        layouts = self.layouts if order == 2 else OPERANDS[order]
        layout = self.one(layouts)
        if order == 2 and self.is_padded and self.chance(15):
            layout = self.one(PADDED)
        stored = np.ones(shape, bool)
        if not layout.startswith("dense"):
            array = np.asarray(array) * (self.numbers.random(shape) < self.one([0, 0.3, 0.6, 1])).astype(array.dtype)
            stored = np.asarray(array) != 0
        self.tensors[name] = Tensor(np.asarray(array, dtype), kind, layout, np.asarray(stored))

    def operand(self, indices):
        """(text, NumPy's text) of a tensor over some of these indices, and those that it has."""
        if self.chance(6) and not self.is_ring:
            self.tensor("a", 0)
            return "a", "a('')", ""
        order = min(len(indices), self.one([1, 2, 2, 2, 3] if self.has_order_3 else [1, 2, 2]))
        own = "".join(self.random.sample(indices, order))
        if order == 2 and self.chance(5) and not self.is_ring:
            own = own[0] * 2
        name = self.one({1: "xzw", 2: "ABD", 3: "T"}[order])
        self.tensor(name, order)
        return f"{name}({','.join(own)})", f"{name}('{own}')", own

    def product(self, indices, count):
        parts = [self.operand(indices) for _ in range(count)]
        return " * ".join(p[0] for p in parts), " * ".join(p[1] for p in parts), set("".join(p[2] for p in parts))

    def computed(self):
        return common([tensor.kind for name, tensor in self.tensors.items() if name != "M"])

    # -- lines

    def line(self):
        self.has_order_3, self.is_ring = self.chance(12), False
        self.is_wide = self.chance(40)
        kind = self.one(["sum", "sum", "sum", "ring", "ring", "reduction", "function", "several"])
        return getattr(self, kind)()

    def shape_of_line(self):
        indices = "".join(self.random.sample("ijk", self.one([1, 2, 2, 3])))
        free = indices[:self.random.randint(0, min(len(indices), 2))]
        return indices, free

    def left(self, free, name=None):
        name = name or {0: "s", 1: "y", 2: "C"}[len(free)]
        return name, f"{name}({','.join(free)})" if free else name

    def finish(self, text, name, result, mask_of=""):
        line = Line(text, self.tensors, {name: result}, extent=self.extent)
        if mask_of and self.chance(25):
            said, numpy = self.mask(mask_of)
            line.text += f" mask {said}"
            result.mask = numpy
        if result.layout != "dense" and self.chance(30):
            line.schedule = "reuse"
        elif self.chance(10):
            line.schedule = "serial"
        return line

    def mask(self, indices):
        self.tensor("M", 2, "f64") if len(indices) > 1 else self.tensor("m", 1, "f64")
        name, order = ("M", 2) if len(indices) > 1 else ("m", 1)
        tensor = self.tensors[name]
        if tensor.layout.startswith("dense") or tensor.layout in PADDED:
            tensor.layout = "csr" if order == 2 else "sv"
            tensor.stored = np.asarray(tensor.array) != 0
        own = "".join(self.random.sample(indices, order))
        said, numpy = f"{name}({','.join(own)})", f"stored.{name}('{own}')"
        if self.chance(40):
            said, numpy = "!" + said, f"~{numpy}"
        if order == 2 and self.chance(30):
            operator = self.one(["<", "<=", "!="])
            joined = self.one(["and", "or"])
            said += f" {joined} {own[0]} {operator} {own[1]}"
            numpy = f"({numpy} {'&' if joined == 'and' else '|'} (index('{own[0]}') {operator} index('{own[1]}')))"
        return said, numpy

    def type_of_result(self, text):
        """One of its own, into which each value goes without loss of what C leaves open; or "" for none."""
        computed = self.computed()
        if self.chance(50):
            is_unsigned = computed.startswith("uint") and "-" in text
            return computed if is_unsigned else ""
        wide = self.is_wide and any(t.kind in ("int64", "uint64") for t in self.tensors.values())
        if computed.startswith("complex"):
            return self.one(["complex64", "complex128"])
        if computed.startswith("f"):
            return self.one(["f32", "f64", "complex128"]) if not wide else computed
        if computed.startswith("uint") or wide:
            return computed
        return self.one(["int8", "int16", "int32", "int64", "uint32", "f64", "f64", "complex128"])

    def sum(self):
        """Sums of products."""
        indices, free = self.shape_of_line()
        texts, numpys = [], []
        for term in range(self.one([1, 1, 1, 2, 2, 3])):
            text, numpy, own = self.product(indices, self.one([1, 2, 2, 3]))
            if term == 0:
                for index in free:
                    if index not in own:
                        self.tensor("u", 1)
                        text, numpy = f"{text} * u({index})", f"{numpy} * u('{index}')"
            if self.chance(15) and not self.is_wide:
                text, numpy = f"{self.one(['2', '3'])} * {text}", None if numpy is None else numpy
                numpy = f"{text[0]} * {numpy}"
            texts.append((self.one("++-") if term else "", text))
            numpys.append((texts[-1][0], f"total({numpy}, '{free}')"))
        text = " ".join(f"{sign} {part}".strip() for sign, part in texts)
        numpy = " ".join(f"{sign} {part}".strip() for sign, part in numpys)
        name, left = self.left(free)
        result = Result(free, self.one(RESULTS[len(free)]), self.type_of_result(text), numpy)
        result.computed = self.computed()
        return self.finish(f"{left} = {text}", name, result, free)

    def ring(self):
        """A product in another ring; entries alone are reduced."""
        reducing, _, making = self.one(EQUAL_RINGS if self.is_narrow else RINGS + EQUAL_RINGS).partition(".")
        self.is_ring, self.is_padded = True, False
        self.allowed = [t for t in self.types if t in ("int32", "int64", "uint32", "uint64", "f32", "f64")] or ["f64"]
        if TRUTHS & {reducing, making}:
            self.most, self.is_positive = 1, True
        self.is_wide = False
        indices, free = self.shape_of_line()
        if reducing in ("times", "any") and making != "pair":
            self.most = 2
        name, left = self.left(free)
        words = {"+": "plus", "*": "times"}
        making = words.get(making, making)
        factors = [self.operand(indices) for _ in range(self.one([1, 2, 2]) if making not in ("pair",) else 2)]
        missing = [index for index in free if index not in "".join(f[2] for f in factors)]
        for index in missing:
            self.tensor("u", 1)
            factors.append((f"u({index})", f"u('{index}')", index))
        text = " * ".join(f[0] for f in factors)
        places = " & ".join("stored." + f[1] for f in factors)
        numpy = f"reduced('{reducing}', made('{making}', [{', '.join(f[1] for f in factors)}]), {places}, '{free}')"
        result = Result(free, self.one(RESULTS[len(free)]), "", numpy, operator=reducing)
        result.fill, result.computed = f"identity('{reducing}')", self.computed()
        short = {"plus": "+", "times": "*"}
        ring = f"{short.get(reducing, reducing)}.{short.get(making, making)}"
        return self.finish(f"{left} = {text} in {ring}", name, result, free)

    def reduction(self):
        """`max=` and the like, of all elements."""
        operator = self.one(["max", "min", "or", "and", "xor"])
        self.is_padded = self.chance(50)
        self.allowed = [t for t in self.types if t in ("int32", "int64", "uint32", "uint64", "f32", "f64")] or ["int64"]
        if operator in TRUTHS:
            self.allowed, self.is_wide = None if not any("complex" in t for t in self.types) else ["bool", "int8"], False
            if self.allowed is None and "complex64" in self.types:
                self.allowed = ["bool"]
            self.most, self.is_positive = 1, True
        indices, free = self.shape_of_line()
        text, numpy, own = self.product(indices, self.one([1, 1, 2]))
        for index in free:
            if index not in own:
                self.tensor("u", 1)
                text, numpy = f"{text} * u({index})", f"{numpy} * u('{index}')"
        kind = "" if operator not in TRUTHS else self.one(["bool", "int32", "f64"])
        name, left = self.left(free)
        result = Result(free, "dense", kind, f"reduced('{operator}', {numpy}, True, '{free}')", operator=operator)
        result.fill, result.computed = f"identity('{operator}')", self.computed()
        return self.finish(f"{left} {operator}= {text}", name, result)

    def function(self):
        """Values by other operators, of each element, added up where an index isn't the result's."""
        self.allowed = [t for t in self.types if t in ("int32", "int64", "f32", "f64")] or ["f64"]
        self.is_wide, self.is_padded = False, self.chance(50)
        indices, free = self.shape_of_line()
        part = lambda: self.product(indices, self.one([1, 1, 2]))
        (a, p, own), (b, q, other) = part(), part()
        text, numpy = self.one([
            (f"max({a}, {b})", f"np.maximum({p}, {q})"), (f"min({a}, {b})", f"np.minimum({p}, {q})"),
            (f"abs({a})", f"abs({p})"), (f"select({a} > {b}, {a}, {b})", f"np.where({p} > {q}, {p}, {q})"),
            (f"select({a} != 0, {b}, 2)", f"np.where({p} != 0, {q}, typed(2))"),
            (f"abs({a}) * {b}", f"abs({p}) * ({q})"), (f"max({a}, 0) - min({b}, 0)", None)])
        if numpy is None:
            numpy = f"total(np.maximum({p}, 0), '{free}') - total(np.minimum({q}, 0), '{free}')"
        else:
            numpy = f"total({numpy}, '{free}')"
        if any(index not in own | other for index in free) or any(i not in own for i in free):
            self.tensor("u", 1)
            shown = "".join(f" + u({index})" for index in free)
            text, numpy = text + shown, numpy + "".join(f" + total(u('{index}'), '{free}')" for index in free)
        name, left = self.left(free)
        result = Result(free, self.one(RESULTS[len(free)]) if self.chance(30) else "dense", "", numpy)
        result.computed = self.computed()
        return self.finish(f"{left} = {text}", name, result, "")

    def several(self):
        """Two results of one program, in the same loops."""
        self.is_padded = True
        results, statements = {}, []
        for name, free in (("y", "i"), ("r", "j")) if self.chance(50) else (("C", "ij"), ("y", "i")):
            before = set(self.tensors)
            text, numpy, own = self.product("ij", self.one([1, 2]))
            used = [tensor for tensor in self.tensors if tensor + "(" in text or tensor == "a" and "a" in text.split()]
            computed = common([self.tensors[tensor].kind for tensor in used])
            result = Result(free, "dense", computed, f"total(({numpy}) * ones('ij'), '{free}')", computed=computed)
            results[name] = result
            statements.append(f"{name}({','.join(free)}) += {text};")
        text = f"for i {{ for j {{ {' '.join(statements)} }} }}"
        extents = ", ".join(f"{name}({', '.join('n' * len(result.indices))})" for name, result in results.items())
        inputs = [f"{name}({', '.join('n' * tensor.array.ndim)})" for name, tensor in self.tensors.items() if tensor.array.ndim]
        if not inputs:
            return self.sum()
        line = Line(f"tensor {extents}, {', '.join(inputs)}; {text}", self.tensors, results, extent=self.extent)
        return line
