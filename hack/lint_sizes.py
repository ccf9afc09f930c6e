"""Hold module and function sizes where they are: the 90th percentile may fall, never rise.

Why: a hard limit is argued with one case at a time; a ratchet lets a long function stay where it must be long,
and still says when the house as a whole grows heavier. Below the goals nothing is asked for.
Called by: `make lint`; `make ratchet` records what has been reached in sizes.json.
"""

import ast
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECORD = Path(__file__).with_name("sizes.json")
FOLDERS = ("operator", "spark_jobs", "chaos", "benchmarks", "hack")
GOALS = {"module": 150, "function": 10}
SHOWN = 5  # offenders per complaint


@dataclass(frozen=True, slots=True, order=True)
class Size:
    lines: int
    where: str


def main(arguments: list[str]) -> int:
    measured = {folder: measure(ROOT / folder) for folder in FOLDERS}
    reached = {folder: {kind: p90(sizes) for kind, sizes in kinds.items()} for folder, kinds in measured.items()}
    if arguments == ["--record"]:
        RECORD.write_text(json.dumps(reached, indent=2) + "\n", encoding="utf-8")
        return 0
    recorded: dict[str, dict[str, int]] = json.loads(RECORD.read_text(encoding="utf-8"))
    worse = [line for folder in FOLDERS for line in complaints(folder, measured[folder], recorded.get(folder, {}))]
    print("\n".join(worse) if worse else verdict(reached, recorded))
    return 1 if worse else 0


def verdict(reached: dict[str, dict[str, int]], recorded: dict[str, dict[str, int]]) -> str:
    better = [
        f"{folder}/ {kind} p90 {lines} < {recorded[folder][kind]}"
        for folder, kinds in reached.items()
        for kind, lines in kinds.items()
        if lines < recorded.get(folder, {}).get(kind, 0)
    ]
    return (
        f"lint_sizes: smaller than recorded ({'; '.join(better)}): run `make ratchet` to record it" if better else "lint_sizes: as recorded"
    )


def complaints(folder: str, kinds: dict[str, list[Size]], recorded: dict[str, int]) -> Iterator[str]:
    for kind, sizes in kinds.items():
        limit = max(recorded.get(kind, 0), GOALS[kind])
        if p90(sizes) > limit:
            yield f"{folder}/: nine of ten {kind}s must have at most {limit} lines, now it is {p90(sizes)}: split by concept. The largest:"
            yield from (f"  {size.where}: {size.lines} lines" for size in sorted(sizes, reverse=True)[:SHOWN])


def measure(folder: Path) -> dict[str, list[Size]]:
    """Lines of every module, and of every function without its docstring."""
    kinds: dict[str, list[Size]] = {"module": [], "function": []}
    for path in sorted(folder.rglob("*.py")):
        text, where = path.read_text(encoding="utf-8"), str(path.relative_to(folder.parent))
        kinds["module"].append(Size(len(text.splitlines()), where))
        kinds["function"].extend(Size(function_lines(node), f"{where}:{node.lineno} {node.name}") for node in functions(text))
    return kinds


def functions(text: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []  # ruff has said so already
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def function_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if documented else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - docstring


def p90(sizes: list[Size]) -> int:
    """The smallest size that at least nine of ten do not exceed; 0 of nothing."""
    ordered = sorted(size.lines for size in sizes)
    return ordered[-(-9 * len(ordered) // 10) - 1] if ordered else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
