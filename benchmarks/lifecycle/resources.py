"""The topologies that are started: jobs as in the paper's experiment, and wide ones for the cost of a turn.

Why: a job there had 31 processing elements, one of them a source and 13 sinks; what they compute is not told and does not matter here,
since nothing computes.
Called by: turn, jobs, rws.
"""

from collections.abc import Iterable
from typing import Any

from levee.topology.spec import API_VERSION, KIND

SINKS, OPERATORS = 13, 17
TASKS = 1 + OPERATORS + SINKS
SIMULATED = "levee.dev/simulated"
FUNCTION = "levee_spark.examples.pipeline:clean"
RATE = 10
STAGES = 9  # of a wide topology, each as wide as its source


def job(name: str, namespace: str, store: str) -> dict[str, Any]:
    """A source, a trunk of four operators, and thirteen branches of one operator and one sink."""
    trunk = [operator(f"trunk{number}", "source" if number == 0 else f"trunk{number - 1}") for number in range(OPERATORS - SINKS)]
    last = trunk[-1]["name"]
    branches = [operator(f"branch{number}", last) for number in range(SINKS)]
    sinks = [{"name": f"sink{number}", "from": f"branch{number}", "spark": {"format": "console"}} for number in range(SINKS)]
    return resource(name, namespace, store, [source(1)], [*trunk, *branches], sinks)


def jobs(count: int, namespace: str, store: str) -> list[dict[str, Any]]:
    return [job(f"job-{number:03d}", namespace, store) for number in range(count)]


def tasks_of(made: Iterable[dict[str, Any]]) -> int:
    """A sink is one task; a source that imports is one, too."""
    specs = [told["spec"] for told in made]
    return sum(one.get("parallelism", 1) for spec in specs for part in ("sources", "operators", "sinks") for one in spec[part])


def wide(name: str, namespace: str, store: str, tasks: int) -> dict[str, Any]:
    """As many tasks, in stages of equal width, and one sink."""
    width = max(1, (tasks - 1) // (STAGES + 1))
    stages = [operator(f"stage{number}", "source" if number == 0 else f"stage{number - 1}", width) for number in range(STAGES)]
    sink = {"name": "sink", "from": f"stage{STAGES - 1}", "spark": {"format": "console"}}
    return resource(name, namespace, store, [source(width)], stages, [sink])


def source(width: int) -> dict[str, Any]:
    return {"name": "source", "spark": {"format": "rate"}, "configurations": [{"rate": RATE * width}], "parallelism": width}


def operator(name: str, origin: str, width: int = 1) -> dict[str, Any]:
    return {"name": name, "function": FUNCTION, "parallelism": width, "inputs": [{"from": origin, "cost": "1us"}]}


def resource(
    name: str, namespace: str, store: str, sources: list[dict[str, Any]], operators: list[dict[str, Any]], sinks: list[dict[str, Any]]
) -> dict[str, Any]:
    spec = {
        "store": {"uri": store},
        "epoch": {"period": "1s"},
        "sources": sources,
        "operators": operators,
        "sinks": sinks,
        "faultTolerance": {"strategy": "none", "replicas": 1},  # the paper's elements have no copies
        "placement": {"capacity": "32", "nodeSelector": {SIMULATED: "true"}},
        "podTemplate": {"spec": {"tolerations": [{"key": SIMULATED, "operator": "Exists"}]}},
    }
    return {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": name, "namespace": namespace}, "spec": spec}
