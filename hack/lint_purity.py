"""Refuse clocks, randomness, the environment and files in the pure layers.

Why: planning and deciding must give the same answer twice, so that a plan can be replayed, verified and trusted.
ruff's banned-api knows no folders, so this small walk over the syntax tree does, and names the replacement.
Called by: `make lint`.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PURE = ("topology", "experiments", "planning", "lifecycle", "control", "worlds/simulated", "fit", "page/picture")
LEVEE = Path(__file__).parent.parent / "operator" / "levee"
LOG = Path(__file__).parent.parent / "spark_jobs" / "levee_spark" / "log"  # the protocol: its time and its answers are sent to it
CHAOS = tuple(Path(__file__).parent.parent / "chaos" / "levee_chaos" / f"{name}.py" for name in ("aim", "fault", "journal"))

CLOCK = "take the time (or a `Stop`) as an argument"
RANDOM = "take a `random.Random` as an argument"
WORLD = "take what it would read as an argument; the edge (levee.cli, levee.worlds) reads it"

BANNED = {  # a name, or a module with all that is in it
    "time": CLOCK,
    "datetime.datetime.now": CLOCK,
    "datetime.datetime.today": CLOCK,
    "datetime.datetime.utcnow": CLOCK,
    "datetime.date.today": CLOCK,
    "random": RANDOM,
    "numpy.random": "take a `numpy.random.Generator` as an argument",
    "secrets": RANDOM,
    "uuid": "derive the name from what it names",
    "os": WORLD,
    "io.open": WORLD,
    "shutil": WORLD,
    "socket": WORLD,
    "subprocess": WORLD,
    "tempfile": WORLD,
    "urllib.request": WORLD,
    "sys.argv": WORLD,
    "sys.stdin": WORLD,
    "open": WORLD,
    "input": WORLD,
    "print": "return it; the edge (levee.cli) prints",
}
ALLOWED = {  # inside a banned module, yet pure; the first two still want a seed when they are called
    "random.Random",
    "numpy.random.default_rng",
    "numpy.random.Generator",
    "numpy.random.SeedSequence",
    "os.cpu_count",
    "os.PathLike",
    "os.fspath",
}
SEEDED = {"random.Random", "numpy.random.default_rng"}
FILE_METHODS = {"read_text", "read_bytes", "write_text", "write_bytes"}  # of a Path, whatever it is called


def main() -> int:
    layers = [layer for layer in PURE if (LEVEE / layer).exists()]
    folders = [*(LEVEE / layer for layer in layers), LOG]
    paths = [*(path for folder in folders for path in sorted(folder.rglob("*.py"))), *CHAOS]
    complaints = [line for path in paths for line in complaints_in(path)]
    where = ", ".join([*layers, "the epoch log", "the aim of faults"])
    print("\n".join(complaints) if complaints else f"lint_purity: no clock, randomness or I/O in {where}")
    return 1 if complaints else 0


def complaints_in(path: Path) -> list[str]:
    """One line per impurity: `file:line: name: what to do instead`."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        return [f"{shown(path)}:{error.lineno}: {error.msg}: cannot be read, so nothing is known of it"]
    found = sorted({(line, name, fix) for line, name, fix in impurities(tree)})
    return [f"{shown(path)}:{line}: {name}: {fix}" for line, name, fix in found]


def shown(path: Path) -> Path:
    """The path as one would type it at the root of the repository."""
    root = LEVEE.parent.parent
    return path.relative_to(root) if path.is_relative_to(root) else path


def impurities(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    imported = dict(imports(tree))
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from impure_call(node, imported)
        elif isinstance(node, ast.Name | ast.Attribute) and id(node) not in inner:  # the whole of a.b.c, not its parts
            name = full_name(node, imported)
            if fix := remedy(name):
                yield node.lineno, name, fix
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if fix := remedy(f"{node.module}.{alias.name}"):
                    yield node.lineno, f"{node.module}.{alias.name}", fix


def imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What each imported name of the module stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (top(alias.name), top(alias.name))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def top(module: str) -> str:
    return module.partition(".")[0]


def impure_call(call: ast.Call, imported: dict[str, str]) -> Iterator[tuple[int, str, str]]:
    name = full_name(call.func, imported)
    if name in SEEDED and not call.args and not call.keywords:
        yield call.lineno, f"{name}()", "give it a seed, or take it as an argument"
    if isinstance(call.func, ast.Attribute) and call.func.attr in FILE_METHODS:
        yield call.lineno, f".{call.func.attr}()", WORLD


def full_name(node: ast.expr, imported: dict[str, str]) -> str:
    """`dt.now` as `datetime.datetime.now`, by the module's imports; empty where it is no plain name."""
    if isinstance(node, ast.Attribute):
        owner = full_name(node.value, imported)
        return f"{owner}.{node.attr}" if owner else ""
    if not isinstance(node, ast.Name):
        return ""
    if node.id in imported:
        return imported[node.id]
    return node.id if node.id in BUILTINS else ""


BUILTINS = {"open", "input", "print"}


def remedy(name: str) -> str | None:
    """What to do instead; None where the name is pure."""
    if any(name == allowed or name.startswith(f"{allowed}.") for allowed in ALLOWED):
        return None
    return next((fix for banned, fix in BANNED.items() if name == banned or name.startswith(f"{banned}.")), None)


if __name__ == "__main__":
    sys.exit(main())
