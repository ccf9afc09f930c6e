"""One life after another, each in a process of its own, and each fault's row kept as it comes.

Why: a fault that does not come to its end ends that life, and the next one goes on with the rest; what was tried in vain is on the page
with its reason, and the next run tries it again.
Called by: __main__.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chaos.golden import Golden
from benchmarks.cluster.rows import Key, Row
from benchmarks.lifecycle.runner import LifecycleBench, cleaned
from benchmarks.lifecycle.settings import CORES_USED_MAX
from benchmarks.streams.runner import read

ROOT = Path(__file__).parents[2]
Told = tuple[str, Row]  # of a key, as text


@dataclass(frozen=True, slots=True)
class ChaosBench(LifecycleBench):
    undisturbed: Golden

    def take_all(self, part: str, todo: list[str]) -> Iterator[Told]:
        left = list(todo)
        while left:
            self.settled()
            before = len(left)
            for key, row in self.life(part, left):
                left.remove(key)
                if "why" in row:
                    self.note(part, key, row["why"])
                else:
                    print(f"{part} {key}: {row['gap_ms']:.0f} ms; {len(left)} left", file=sys.stderr, flush=True)
                    yield key, row | {"busy": row["cores_used"] > CORES_USED_MAX}
            if len(left) == before:
                raise SystemExit(f"{part}: nothing could be measured; see above")

    def of_faults(self, part: str, keys: Iterable[Key]) -> dict[str, list[Row]]:
        """What is known of each fault."""
        known, found = read(self.path(part)), dict[str, list[Row]]()
        for key in keys:
            if (text := json.dumps(key)) in known:
                found.setdefault(str(key[0]), []).append(known[text])
        return found

    def life(self, part: str, keys: list[str]) -> Iterator[Told]:
        work = (self.work / part).absolute()
        work.mkdir(parents=True, exist_ok=True)
        told = json.dumps([json.loads(key) for key in keys])
        words = [sys.executable, "-m", "benchmarks.chaos.take", part, told, str(work), str(self.undisturbed.folder.absolute())]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, start_new_session=True)
        try:
            assert process.stdout is not None
            for line in process.stdout:
                key, row = json.loads(line)
                yield json.dumps(key), row
        finally:
            cleaned(process)
