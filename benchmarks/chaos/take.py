"""One life of a way, in this process: `python -m benchmarks.chaos.take WAY KEYS WORK GOLDEN`; a line for each fault, as it comes.

Why: asked to end by SIGTERM, it removes what it has made on the cluster; what does not come to its end says why, for the page.
Called by: runner, in the repository's folder: the test cluster is told what to do from there.
"""

import importlib
import json
import os
import signal
import sys
from pathlib import Path

from benchmarks.lifecycle.take import KUBECONFIG, explained, interrupt

WAYS = {"active": "benchmarks.chaos.replicas", "checkpoint": "benchmarks.chaos.replicas", "plain": "benchmarks.chaos.plain"}


def main(way: str, told: str, work: str, undisturbed: str) -> None:
    signal.signal(signal.SIGTERM, interrupt)
    os.environ["KUBECONFIG"] = str(KUBECONFIG)  # the client reads it when it is imported
    from benchmarks.chaos.golden import Golden  # noqa: PLC0415  (after that)

    left = [tuple(key) for key in json.loads(told)]
    try:
        for key, row in importlib.import_module(WAYS[way]).rows(Path(work), way, [*left], Golden(Path(undisturbed))):
            tell(key, row)
            left.remove(key)
    except Exception as why:
        tell(left[0], {"why": explained(why)})
        raise


def tell(key: object, row: object) -> None:
    print(json.dumps([key, row]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
