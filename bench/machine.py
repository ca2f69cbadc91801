"""What a benchmark's figures depend on: the machine, and the versions of what was built and compared."""

import os
import pathlib
import platform
import re
import subprocess


def output(*command):
    """The first line that a program prints, or nothing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip().split("\n")[0] if done.returncode == 0 else ""


def read(file):
    try:
        return pathlib.Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def field(name, text):
    found = re.search(rf"^{name}\s*[:=]\s*\"?([^\"\n]*)", text, re.MULTILINE)
    return found.group(1).strip() if found else ""


def caches():
    """As "L1 data 48 KiB", of the first core."""
    found = []
    for folder in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (read(folder / part).strip() for part in ("level", "type", "size"))
        if kind == "Instruction" or not size:
            continue
        kib = int(size.rstrip("K")) if size.endswith("K") else 0
        text = f"{kib // 1024} MiB" if kib >= 1024 and kib % 1024 == 0 else f"{kib} KiB"
        found.append(f"L{level}{' data' if kind == 'Data' else ''} {text if kib else size}")
    return found


def cores():
    return len(os.sched_getaffinity(0))


def facts():
    cpu = read("/proc/cpuinfo")
    flags = field("flags", cpu).split()
    vectors = [name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("asimd", "NEON")) if flag in flags]
    memory = field("MemTotal", read("/proc/meminfo")).split()
    return {"processor": field("model name", cpu) or platform.machine(),
            "family": field("cpu family", cpu), "model": field("model", cpu),
            "vectors": vectors[0] if vectors else "", "cores": cores(), "caches": caches(),
            "memory": f"{int(memory[0]) / 2**20:.0f} GiB" if memory else "",
            "virtual": "hypervisor" in flags,
            "system": f"{field('PRETTY_NAME', read('/etc/os-release'))}, Linux {platform.release()}"}


def kind(machine):
    """A name for files: what the processor calls itself, and its family where that isn't in the name."""
    name = re.sub(r"\(R\)|\(TM\)|CPU|Processor|@.*", " ", machine["processor"])
    words = re.findall(r"[a-z0-9]+", name.lower())
    if not re.search(r"\d", name) and machine["family"]:
        words += ["family", machine["family"], "model", machine["model"]]
    return "-".join(words) or "unknown"


def package(name):
    """The upstream version of an installed Debian package, or nothing."""
    status, _, version = output("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", name).partition(" ")
    upstream = re.sub(r"^\d+:|-[^-]*$", "", version)
    return re.sub(r"\+(dfsg|ds).*", "", upstream) if status == "installed" else ""


def versions(build, root):
    """By name."""
    compiler = field("CMAKE_CXX_COMPILER:[A-Z]*", read(build / "CMakeCache.txt")) or "c++"
    # As "c++ (Debian 12.2.0-14) 12.2.0".
    name, _, version = re.sub(r"\s*\(.*?\)", "", output(compiler, "--version")).partition(" ")
    found = {name or compiler: version, "Clang for kernels": package("llvm-19-dev"), "isl": package("libisl-dev"),
             "Z3": package("libz3-dev"), "CMake": package("cmake")}
    unravel = re.search(r"project\(unravel VERSION (\S+)", read(root / "CMakeLists.txt"))
    return {"Unravel": unravel.group(1) if unravel else "", **found}


def peers(build):
    """What takes part, by name: what the build found, and what Debian's Python has. The version of a peer that is
    missing is None, and "unknown" where no package has it."""
    cache = read(build / "CMakeCache.txt")

    def built(*variables):
        values = [field(f"{variable}:[A-Z]*", cache) for variable in variables]
        return all(value and not value.endswith("NOTFOUND") for value in values)

    eigen = built("Eigen3_DIR") and not built("CMAKE_DISABLE_FIND_PACKAGE_Eigen3")
    here = {"Eigen": (eigen, "libeigen3-dev"),
            "GraphBLAS": (built("GRAPHBLAS_INCLUDE", "GRAPHBLAS_LIBRARY"), "libgraphblas-dev"),
            "librsb": (built("LIBRSB_INCLUDE", "LIBRSB_LIBRARY"), "librsb-dev")}
    found = {name: (package(debian) or "unknown") if is_here else None for name, (is_here, debian) in here.items()}
    found["SciPy"] = output("/usr/bin/python3", "-c", "import numpy, scipy; print(scipy.__version__)") or None
    return found


def commit(root):
    """The commit, and whether files differ from it. Nothing where this is no repository."""
    name = output("git", "-C", str(root), "log", "-1", "--format=%h %cs")
    return name + (", changed since" if name and output("git", "-C", str(root), "status", "--porcelain", "-uno") else "")
