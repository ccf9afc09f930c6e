"""What of a query keeps state, as text: two queries whose texts differ must not go on with one another's state.

Why: Spark compares the types of what is kept, not its meaning: sum(n) goes on with the state of count without a word, and is wrong from
then on. So a lane keeps this text with its checkpoint, and a function that says another is refused. What lies before and after the
state (filters, projections, names of columns) may change; what groups rows, and what is kept for a group, may not.
Called by: query, when it starts.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from pyspark.sql import DataFrame

from levee_spark.lane.trouble import Failed

KEEPS = re.compile(r"Aggregate|Distinct|Deduplicate\w*|Join|GlobalLimit|FlatMapGroups\w*WithState|TransformWithState\w*")
DEFINES = ("projectList",)
OBJECT = re.compile(r"@[0-9a-f]{4,}")  # Java's name of something that has no other
LEFT_OUT = ("class", "num-children", "child", "left", "right", "hint", "functionExpr", "isStreaming")
AGGREGATES = "aggregateExpressions"
NOTHING = "nothing more that keeps state"
WHOLE, AROUND, MORE = 120, 50, "..."  # characters

Node = dict[str, Any]


@dataclass
class Tree:
    """Spark writes a tree as the list of its nodes, each before its children."""

    node: Node
    children: list["Tree"] = field(default_factory=list)

    @property
    def name(self) -> str:
        return str(self.node["class"]).rpartition(".")[2]

    def all(self) -> Iterator["Tree"]:
        yield self
        for child in self.children:
            yield from child.all()


def tree(nodes: list[Node]) -> Tree:
    rest = iter(nodes)

    def one() -> Tree:
        node = next(rest)
        return Tree(node, [one() for _ in range(node["num-children"])])

    return one()


def operators_of(frame: DataFrame) -> list[str]:
    """In the order of the plan."""
    return operators_in(json.loads(frame._jdf.queryExecution().analyzed().toJSON()))  # noqa: SLF001  # there is no other way to a plan


def operators_in(plan: list[Node]) -> list[str]:
    root = tree(plan)
    defined = dict(definitions(root))
    return [described(one, defined) for one in root.all() if keeps_state(one)]


def keeps_state(one: Tree) -> bool:
    """A join does where both of its sides stream."""
    return KEEPS.fullmatch(one.name) is not None and all(any("Streaming" in leaf.name for leaf in child.all()) for child in one.children)


def definitions(root: Tree) -> Iterator[tuple[int, Tree]]:
    """Columns that are made on the way, by their number: a window is one."""
    for one in root.all():
        for expression in (made for name in DEFINES for made in one.node.get(name, ())):
            if (found := tree(expression)).name == "Alias":
                yield found.node["exprId"]["id"], found.children[0]


def described(one: Tree, defined: dict[int, Tree]) -> str:
    parts = [(name, said(value, {} if name == AGGREGATES else defined, only_kept=name == AGGREGATES)) for name, value in one.node.items()]
    return f"{one.name}({', '.join(f'{name}: {text}' for name, text in parts if text and name not in LEFT_OUT)})"


def said(value: Any, defined: dict[int, Tree], *, only_kept: bool = False) -> str:
    """Of a field. Of what an aggregation emits only what it keeps: its keys stand elsewhere."""
    if isinstance(value, list) and value and isinstance(value[0], list):
        found = [tree(one) for one in value]
        return ", ".join(term(one, defined) for one in found if not only_kept or is_kept(one)).join("[]")
    if isinstance(value, list) and value and isinstance(value[0], dict) and "class" in value[0]:
        return term(tree(value), defined)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {said(one, defined)}" for name, one in value.items() if name != "class").join("{}")
    return OBJECT.sub("", str(value)) if value not in (None, [], False) else ""


def is_kept(expression: Tree) -> bool:
    return any(one.name == "AggregateExpression" for one in expression.all())


def term(one: Tree, defined: dict[int, Tree]) -> str:
    inner = [term(child, defined) for child in one.children]
    match one.name:
        case "Alias":
            return inner[0]
        case "AggregateExpression":
            return ("distinct " if one.node.get("isDistinct") else "") + " where ".join(inner)
        case "AttributeReference":
            made = defined.get(one.node["exprId"]["id"])
            return term(made, defined) if made is not None else str(one.node["name"])
        case "Literal":
            return str(one.node["value"])
        case name:
            return f"{one.node.get('name', name)}({', '.join(inner)})"


def check(before: list[str] | None, after: list[str]) -> None:
    """Whether a query may go on with a state; what has made it is not known of very old ones."""
    if before is None or before == after:
        return
    was, now = where_they_differ(before, after)
    raise Failed(
        f"its state cannot be kept: it was made by\n  {was}\nand the function now has\n  {now}\n"
        "Spark would not always notice, and go on with wrong values. Say `state: discard` and give the function another name, "
        "and it begins with an empty state; or leave what groups rows and what is kept for a group as they were."
    )


def where_they_differ(before: list[str], after: list[str]) -> tuple[str, str]:
    """Of the first that differ, around the first difference: a plan of many columns is pages long."""
    was, now = next(pair for pair in zip_longest(before, after, fillvalue=NOTHING) if pair[0] != pair[1])
    at = next((place for place, (one, other) in enumerate(zip(was, now, strict=False)) if one != other), min(len(was), len(now)))
    return excerpt(was, at), excerpt(now, at)


def excerpt(text: str, at: int) -> str:
    """With the name of the operator, and its beginning where that is near."""
    if len(text) <= WHOLE:
        return text
    name, first, last = text.partition("(")[0], at - AROUND, at + AROUND
    start = text[:last] if first <= len(name) + len(MORE) else f"{name}({MORE}{text[first:last]}"
    return start if last >= len(text) else f"{start}{MORE}"
