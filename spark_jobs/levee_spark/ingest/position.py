"""Where an epoch of a Spark source ended: what a manifest carries, so that any other ingestor can go on.

Why: Spark's own offsets are a file of some thousand bytes, most of it settings and clocks of the machine that wrote it; these are the
few that say where the source is.
Called by: `streaming`.
"""

import json
from dataclasses import dataclass
from typing import Any

from levee_spark.ingest.seen import Seen


@dataclass(frozen=True, slots=True)
class Position:
    offset: str | None  # as the source writes it; None: it has never had anything
    notes: tuple[tuple[str, str], ...] = ()  # what the source keeps beside its offset, by name: when a rate began, Kafka's first offsets
    seen: Seen | None = None  # the files that a file source has read; these are its notes, in fewer words
    ended: bool = False  # of a bounded source: what comes from here on does not count

    def text(self) -> str:
        told: dict[str, Any] = {"offset": self.offset, "notes": dict(self.notes)}
        if self.seen is not None:
            told["seen"] = self.seen.plainly()
        if self.ended:
            told["ended"] = True
        return json.dumps(told, sort_keys=True, separators=(",", ":"))

    @classmethod
    def of(cls, text: str) -> "Position":
        told = json.loads(text)
        seen = Seen.of(told["seen"]) if "seen" in told else None
        return cls(told["offset"], tuple(told["notes"].items()), seen, told.get("ended", False))
