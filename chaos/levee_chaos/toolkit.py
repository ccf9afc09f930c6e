"""`chaos run` in a process of its own: started, listened to, and told to end.

Called by: job.
"""

import itertools
import json
import re
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from levee.experiments.orders import Order

KEPT_LINES = 40  # of what Chaos Toolkit says
DOCUMENT, SETTINGS, WRITTEN = Path("experiment.json"), Path("settings.yaml"), Path("journal.json")
HEAD = re.compile(r"\[[-0-9: ]+ ([A-Z]+)\] ")  # of what is logged
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
WORDS_MAX = 1_000
CHAOS = (sys.executable, "-m", "chaostoolkit", "--no-version-check", "--no-log-file", "--settings", str(SETTINGS))


@dataclass(slots=True)
class Running:
    process: "subprocess.Popen[str]"
    last: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))
    stopped: bool = False

    def hear(self) -> None:
        for line in self.process.stdout or ():
            self.last.append(COLOURS.sub("", line.rstrip()))
            print(self.last[-1], file=sys.stderr, flush=True)

    def stop(self) -> None:
        """It undoes what it has done, and ends."""
        self.stopped = True
        self.process.terminate()

    @property
    def last_words(self) -> str:
        return last_words(list(self.last))


def started(order: Order) -> Running:
    DOCUMENT.write_text(json.dumps(order.experiment))
    command = [*CHAOS, "run", "--journal-path", str(WRITTEN), str(DOCUMENT)]
    running = Running(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))  # noqa: S603
    signal.signal(signal.SIGTERM, lambda *_: running.stop())
    Thread(target=running.hear, daemon=True).start()
    return running


def last_words(lines: Sequence[str]) -> str:
    """The last that was critical, or else an error, with all lines of it; or else the last of all."""
    for level in ("CRITICAL", "ERROR"):
        found = [at for at, line in enumerate(lines) if (head := HEAD.match(line)) and head[1] == level]
        if found:
            rest = itertools.takewhile(lambda line: not HEAD.match(line), lines[found[-1] + 1 :])
            return " ".join([HEAD.sub("", lines[found[-1]]), *map(str.strip, rest)])[:WORDS_MAX]
    return HEAD.sub("", lines[-1])[:WORDS_MAX] if lines else ""
