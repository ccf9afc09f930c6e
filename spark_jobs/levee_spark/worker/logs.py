"""Structured logs: one line of JSON an event, with topology, task, replica and epoch.

Called by: everything in a worker that has something to say.
"""

import json
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO


@dataclass(frozen=True, slots=True)
class Log:
    topology: str
    worker: str
    out: IO[str] = sys.stderr

    def say(self, event: str, *, level: str = "info", **more: object) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"time": now, "level": level, "event": event, "topology": self.topology, "worker": self.worker, **more}
        self.out.write(json.dumps(line, default=str) + "\n")
        self.out.flush()
