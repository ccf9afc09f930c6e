"""One after another, the lives that it is told: `python -m benchmarks.sweep.job NUMBER GOLDEN`.

Why: each job has an API server of its own and a thread that must not wait for others, so several are several processes.
Called by: campaign, with trials on its standard input, one a line; for each it answers with one row.
"""

import json
import logging
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.sweep import bench, looks
from benchmarks.sweep.bench import Bench
from benchmarks.sweep.life import Life, Wrong
from benchmarks.sweep.points import Trial, parse

KEPT = Path("build/bench/sweep/failed")
UNDISTURBED = "undisturbed"


def main(number: str, golden: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the campaign ends it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # and it what it has started
    logging.getLogger("levee").setLevel(logging.CRITICAL)  # what follows pods is here, too, and loses its thread when a life ends
    known = json.loads(Path(golden).read_text(encoding="utf-8")) if Path(golden).exists() else None
    with bench.opened(int(number)) as opened:
        for line in sys.stdin:
            told = line.strip()
            row = lived(opened, None if told == UNDISTURBED else parse(told), known)
            print(json.dumps(row), flush=True)


def lived(opened: Bench, trial: Trial | None, golden: Mapping[str, Any] | None) -> dict[str, Any]:
    began_s = time.monotonic()
    life = Life.of(opened, trial, None if golden is None else golden["snapshots"])
    try:
        life.run()
        wrong = judged(life, golden)
    except Wrong as why:
        wrong = [str(why)]
    except Exception as mistake:  # noqa: BLE001  (of the sweep itself: a life that was not judged has not passed)
        wrong = [f"the sweep is at fault: {type(mistake).__name__}: {mistake}"]
    row = row_of(life, wrong) | {"took_s": round(time.monotonic() - began_s, 1)}
    if wrong:
        keep(life, row)
    shutil.rmtree(life.place, ignore_errors=True)
    return row


def row_of(life: Life, wrong: list[str]) -> dict[str, Any]:
    gate = life.gate
    name = UNDISTURBED if gate.trial is None else str(gate.trial)
    row: dict[str, Any] = {
        "trial": name,
        "verdict": verdict(life, wrong),
        "wrong": wrong,
        "struck": gate.struck,
        "starts": life.starts,
        "phases_s": life.took_s,
    }
    if gate.trial is None:
        row |= {"counts": gate.counted(), "snapshots": life.snapshots, "born": sorted(life.kubelet.born)}
        row["writes"] = list(map(str, gate.writes))
    return row


def verdict(life: Life, wrong: list[str]) -> str:
    if wrong:
        return "failed"
    return "passed" if life.gate.done else "unreached"


def judged(life: Life, golden: Mapping[str, Any] | None) -> list[str]:
    """What a snapshot cannot show: what was created on the way, and what came out."""
    wrong = [*life.outputs, *looks.delivered(life.place)]
    if golden is not None:
        wrong += births(life, Counter(golden["born"]))
    return wrong


def births(life: Life, golden: Counter[str]) -> list[str]:
    """The same pods are made, each as often; where workers die, others take their place, under names that are new."""
    born = Counter(life.kubelet.born)
    if life.kills_workers:
        born = Counter({name: count for name, count in born.items() if count > 1 or name in golden})
    more, fewer = born - golden, Counter[str]() if life.kills_workers else golden - born
    told = (("more", more), ("never", fewer))
    return [f"pods that were created {how}: {', '.join(sorted(found.elements()))}" for how, found in told if found]


def keep(life: Life, row: Mapping[str, Any]) -> None:
    """Its logs and writes, for whoever looks for the reason."""
    place = KEPT / str(row["trial"]).replace("/", "-")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(life.place / "logs", place)
    (place / "writes.txt").write_text("\n".join(map(str, life.gate.writes)) + "\n", encoding="utf-8")
    (place / "evidence.json").write_text(json.dumps(life.evidence, indent=1) + "\n", encoding="utf-8")
    (place / "row.json").write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
