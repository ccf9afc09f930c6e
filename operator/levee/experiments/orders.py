"""What a Job is told to do, and how it says what has become of it.

Why: who starts a Job and who runs in it are different programs, and both must read the same.
Called by: worlds.kubernetes.experiments, which gives the order and reads the answer; levee_chaos.job, which carries it out.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

ORDER, BY, HERE = "LEVEE_EXPERIMENT", "LEVEE_EXPERIMENT_UID", "LEVEE_NODE"  # of the container's environment
MADE_BY = "levee.dev/experiment-uid"  # a label of whatever it makes, so that it is found again
ORDER_MAX = 100_000  # characters; a process takes no longer one
LAST_WORDS, LAST_WORDS_MAX = "/dev/termination-log", 4_000  # bytes; the kubelet keeps no more
EVENT = "event"
VERDICT, JOURNAL = "verdict", "journal"  # the events that the report is made of


@dataclass(frozen=True, slots=True)
class Order:
    topology: str
    namespaces: Sequence[str]  # that may be touched, the topology's first; none: it is one of this machine
    steps: Sequence[str]
    experiment: Mapping[str, Any]  # as Chaos Toolkit has it

    @property
    def namespace(self) -> str:
        return next(iter(self.namespaces), "")

    def text(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def of(text: str) -> "Order":
        return Order(**json.loads(text))


def last_words(verdict: Mapping[str, Any]) -> str:
    """As much as the kubelet keeps: without the steps, where they are too many; they stand in the output, too."""
    for told in (verdict, {**verdict, "steps": []}, {**verdict, "steps": [], "message": str(verdict.get("message", ""))[:200]}):
        text = json.dumps(told, ensure_ascii=True)
        if len(text) <= LAST_WORDS_MAX:
            return text
    return json.dumps({name: verdict.get(name) for name in ("phase", "reason", "undone")})


def events_in(output: str) -> list[dict[str, Any]]:
    """What of the output was meant for us; the rest is for people."""
    return [found for line in output.splitlines() if (found := event_in(line)) is not None]


def event_in(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        found = json.loads(line)
    except ValueError:
        return None  # cut off, or somebody else's
    return found if isinstance(found, dict) and EVENT in found else None
