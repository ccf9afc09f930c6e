"""Which ways a life may take: by the words of its document alone, without the engine that follows it.

Called by: `living`, at every record that is stored.
"""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import yaml

from levee.lifecycle.documents import text_of
from levee.lifecycle.position import Passage, Record

ENDING = "ending"


class Illegal(AssertionError):
    """A passage that the document does not have."""


@cache
def edges() -> frozenset[tuple[str, str, str]]:
    return frozenset(edge for one in yaml.safe_load(text_of("job"))["transitions"] for edge in of_line(one))


def of_line(line: dict[str, str | list[str]]) -> Iterator[tuple[str, str, str]]:
    for origin in line["from"] if isinstance(line["from"], list) else [line["from"]]:
        yield str(origin), str(line["when"]), str(line["to"])


def check_passages(before: Record | None, after: Record) -> None:
    """From what was stored last to what is stored now, by what the record itself says of its way."""
    if before is None:
        must(after.state == "submitted", f"a life begins as {after.state}")
        return
    last = before.history[-1]
    must(last in after.history, f"{after.state} does not follow from {before.state}, where it was")
    for one, other in pairwise(after.history[after.history.index(last) :]):
        must(is_legal(one, other, after), f"from {one.state} nothing leads to {other.state} by {other.why}")
    must(after.history[-1].state == after.state, f"its way ends in {after.history[-1].state}, and it is in {after.state}")


def is_legal(one: Passage, other: Passage, after: Record) -> bool:
    known = edges()
    direct = (str(one.state), str(other.why), str(other.state)) in known
    return direct or (other.state == after.ending and (str(one.state), str(other.why), ENDING) in known)


def must(holds: bool, text: str) -> None:
    if not holds:
        raise Illegal(text)
