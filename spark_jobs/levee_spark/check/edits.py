"""A dry run of edited functions: would each go on with the state that is there, or begin on the rows that are?

Why: Spark may refuse a state only when the query starts, and may accept one that it should refuse; neither may happen to a topology that
runs. So a function that was edited computes one epoch in a lane of its own, on the newest published checkpoint, and nothing is committed;
one that begins anew, since its operator was added or discards its state, does so from an empty state.
No Spark in this process. Called by: the worlds, before a record names another function (`tried`).
"""

import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from levee_spark.check import finding
from levee_spark.check.finding import Finding
from levee_spark.check.running import Broken, process

LAST_LINES = 5


@dataclass(frozen=True, slots=True)
class Edited:
    """Operators whose functions have yet to be seen to work: on the states that are there, and from none."""

    kept: tuple[str, ...] = ()
    anew: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return *self.kept, *self.anew


@dataclass(frozen=True, slots=True)
class EditOrder:
    """What the process that has Spark is told."""

    resource: str
    folder: str
    uid: str  # of the streams
    edited: Edited
    answer: str = ""  # where a few bytes are kept of what is found; empty: all of it, in the folder

    @classmethod
    def parse(cls, text: str) -> "EditOrder":
        told = json.loads(text)
        return cls(**told | {"edited": Edited(**{how: tuple(names) for how, names in told["edited"].items()})})


def tried(resource: bytes, uid: str, edited: Edited, environment: Mapping[str, str]) -> tuple[Finding, ...]:
    """What is wrong with these operators' functions as the resource names them; they are found as a worker finds them."""
    with tempfile.TemporaryDirectory(prefix="levee-edit-") as place:
        file, order = Path(place, "topology.yaml"), Path(place, "order.json")
        file.write_bytes(resource)
        order.write_text(json.dumps(asdict(EditOrder(str(file), place, uid, edited))))
        with process([sys.executable, "-m", "levee_spark.check.trying", str(order)], dict(environment)) as running:
            _, errors = running.communicate()
        if running.returncode != 0:
            raise Broken("\n".join(errors.decode(errors="replace").strip().splitlines()[-LAST_LINES:]))
        return finding.read(Path(place, "findings.json"))
