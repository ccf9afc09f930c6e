"""The nodes of the test cluster that a measurement is made on: so many simulated ones, or the real ones alone.

Called by: watched; benchmarks.lifecycle, benchmarks.chaos.
"""

import subprocess
import sys
from pathlib import Path

from benchmarks.cluster.waiting import Unfinished
from levee.worlds.kubernetes.api import Api, Object
from levee.worlds.kubernetes.seen import condition

ROOT = Path(__file__).parents[2]
WITHIN_S = 600.0


def simulate(count: int) -> None:
    """Their pods are chosen by the plan, not by chance."""
    cluster("simulate", str(count))


def put_images() -> None:
    """Of the code as it is now, into the real nodes; a second or two, where nothing has changed."""
    cluster("load-image")


def cluster(*words: str) -> None:
    command = [sys.executable, "-m", "hack.cluster", *words]
    try:
        subprocess.run(command, check=True, cwd=ROOT, stdout=sys.stderr, timeout=WITHIN_S)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as why:
        raise Unfinished(f"hack.cluster {' '.join(words)}: {why}") from why


def ready(api: Api) -> list[str]:
    """Real ones, by name: simulated ones bear a taint."""
    return sorted(one["metadata"]["name"] for one in api.ask("GET", "/api/v1/nodes")["items"] if is_open(one))


def is_open(node: Object) -> bool:
    return condition(node, "Ready").get("status") == "True" and not node["spec"].get("taints")
