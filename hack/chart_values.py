"""Write the table of the chart's values into its README, from the comments in values.yaml.

Why: one text for those who read the file and for those who read the page; a value without a comment is a mistake.
Called by: people, after they changed values.yaml; a test keeps the page current.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

CHART = Path(__file__).parent.parent / "helm" / "levee"
BEGIN, END = "<!-- values -->\n", "<!-- end of values -->\n"


@dataclass(frozen=True, slots=True)
class Value:
    path: str
    default: str
    meaning: str  # empty: nobody has said


def main() -> int:
    found = tuple(values((CHART / "values.yaml").read_text(encoding="utf-8")))
    missing = [value.path for value in found if not value.meaning]
    if missing:
        print(f"values.yaml: no comment says what these mean; write one line above each: {', '.join(missing)}", file=sys.stderr)
        return 1
    page = CHART / "README.md"
    page.write_text(filled(page.read_text(encoding="utf-8"), found), encoding="utf-8")
    return 0


def values(text: str) -> Iterator[Value]:
    """In the order of the file."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    yield from below(root, "", text.splitlines())


def below(node: yaml.MappingNode, prefix: str, lines: Sequence[str]) -> Iterator[Value]:
    """What has a comment is one value, with all that is in it."""
    for key, value in node.value:
        path, meaning = prefix + key.value, comment_above(key.start_mark.line, lines)
        if isinstance(value, yaml.MappingNode) and value.value and not meaning:
            yield from below(value, f"{path}.", lines)
        else:
            yield Value(path, json.dumps(yaml.SafeLoader("").construct_object(value, deep=True)), meaning)


def comment_above(line: int, lines: Sequence[str]) -> str:
    found: list[str] = []
    while line and lines[line - 1].strip().startswith("# "):
        line -= 1
        found.insert(0, lines[line].strip().removeprefix("# "))
    return " ".join(found)


def filled(page: str, found: Sequence[Value]) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table(found) + END + after


def table(found: Sequence[Value]) -> str:
    rows = [f"| `{value.path}` | `{value.default}` | {value.meaning} |" for value in found]
    return "\n".join(["", "| value | default | |", "|---|---|---|", *rows, "", ""])


if __name__ == "__main__":
    sys.exit(main())
