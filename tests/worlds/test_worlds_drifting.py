"""A run on this machine tells what is otherwise than it was planned for, once."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from levee.control.names import Instant
from levee.control.seen import Observation
from levee.topology.names import OperatorName
from levee.worlds.local.drifting import drifting
from levee.worlds.stretches import EVERY_MS
from tests.worlds.toy import toy

SEEN = Observation(anchored=True, rates={OperatorName("numbers"): 36.0})  # as declared, in mean
TEXT = toy("file:///tmp")


@dataclass
class Worker:
    """Of `double`, that is declared with a microsecond a row."""

    cost_s: float = 1e-6
    rows: float = 0.0
    cpu_s: float = 0.0

    def told(self) -> dict[str, dict[str, Any]]:
        self.rows, self.cpu_s = self.rows + 1000, self.cpu_s + 1000 * self.cost_s
        one = {"replica": "double/0/0", "operator": "double", "busy_s": self.cpu_s, "read": {"numbers": self.rows}, "emitted": self.rows}
        return {"node-1-0": {"attempt": 1, "cpu_s": self.cpu_s, "replicas": [one]}}


def events(worker: Worker, *, text: str = TEXT, seen: Observation = SEEN) -> Iterator[list[str]]:
    """Of each half minute."""
    found = drifting(text.encode())
    for number in range(200):
        yield [one.text for one in found.events(seen, worker.told, Instant(number * EVERY_MS))]


def test_what_is_otherwise_is_told_once() -> None:
    worker = Worker(cost_s=3e-6)
    each = events(worker)
    assert [text for _ in range(60) for text in next(each)] == [
        "cost of double is 3 times what is declared; levee profile tells what to declare"
    ]


def test_what_is_as_declared_is_no_news() -> None:
    assert not [text for _, told in zip(range(60), events(Worker()), strict=False) for text in told]


def test_whoever_does_not_want_to_know_is_not_asked() -> None:
    worker = Worker(cost_s=3e-6)
    off = TEXT.replace("  placement:", '  adaptation: {policy: "off"}\n  placement:')
    assert not [text for _, told in zip(range(60), events(worker, text=off), strict=False) for text in told]
    assert worker.rows == 0


def test_before_it_has_begun_nobody_is_asked() -> None:
    worker = Worker()
    assert not [text for _, told in zip(range(60), events(worker, seen=Observation()), strict=False) for text in told]
    assert worker.rows == 0
