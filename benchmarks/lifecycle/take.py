"""One measurement, in this process: `python -m benchmarks.lifecycle.take PART KEY WORK RESULT`.

Why: asked to end by SIGTERM, it removes what it has made on the cluster; if it does not come to its end, it says why, for the page.
Called by: runner.
"""

import importlib
import json
import os
import signal
import sys
from pathlib import Path

KUBECONFIG = Path(__file__).parents[2] / "build" / "cluster" / "kubeconfig"
PARTS = {
    "turn": "benchmarks.lifecycle.turn",
    "failover": "benchmarks.lifecycle.failover",
    "jobs": "benchmarks.lifecycle.jobs",
}
WHY = ".why"  # instead of .json
SAID = 500  # characters


def main(part: str, key: str, work: str, result: str) -> None:
    signal.signal(signal.SIGTERM, interrupt)
    os.environ["KUBECONFIG"] = str(KUBECONFIG)  # the client reads it when it is imported
    try:
        row = importlib.import_module(PARTS[part]).take(Path(work), *json.loads(key))
    except Exception as why:
        Path(result).with_suffix(WHY).write_text(explained(why), encoding="utf-8")
        raise
    Path(result).write_text(json.dumps(row), encoding="utf-8")


def interrupt(*_: object) -> None:
    """Once: what follows is cleaning up."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def explained(why: Exception) -> str:
    """On one line. What was foreseen needs no name."""
    from benchmarks.cluster.waiting import Unfinished  # noqa: PLC0415  (it imports the client)

    text = " ".join(str(why).split())[:SAID]
    return text if isinstance(why, Unfinished) else f"{type(why).__name__}: {text}"


if __name__ == "__main__":
    main(*sys.argv[1:])
