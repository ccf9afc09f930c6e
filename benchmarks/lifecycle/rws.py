"""Row 6 of the paper's Figure 8, its "real world systems": 104 topologies with 737 tasks together, that share streams.

Why: there, 104 jobs had 737 processing elements, some of them shared by several jobs, and streams from job to job; which, and how large
each job was, the paper does not tell. Here a shared element is a task of one topology whose stream others import. Half of the topologies
import: all of a group's from its first one, and all but one from their neighbour besides. An imported stream is a source of its own here,
and counts as a task.
Called by: jobs.
"""

from typing import Any

from benchmarks.lifecycle.resources import RATE, operator, resource, source

TOPOLOGIES, TASKS = 104, 737
GROUP: tuple[tuple[int, tuple[int, ...]], ...] = (  # tasks of each topology, and the members of its group that it imports from
    *((12, ()), (3, (0,)), (9, ()), (4, (0, 2))),
    *((7, ()), (5, (0, 4)), (11, ()), (5, (0, 6))),
)
GROUPS = TOPOLOGIES // len(GROUP)
LARGER = TASKS - GROUPS * sum(size for size, _ in GROUP)  # first members of groups, by one task each
SINK_OF = 4  # one in so many tasks is a sink
EXPORTED = "stage0"


def rws(namespace: str, store: str) -> list[dict[str, Any]]:
    return [member(group, place, namespace, store) for group in range(GROUPS) for place in range(len(GROUP))]


def member(group: int, place: int, namespace: str, store: str) -> dict[str, Any]:
    """Sources, a row of operators, and sinks of the last of them."""
    size, origins = GROUP[place]
    tasks = size + (place == 0 and group < LARGER)
    sources = [imported(number, name(group, one)) for number, one in enumerate(origins)] or [source(1)]
    sinks = max(1, tasks // SINK_OF)
    stages = row(tasks - len(sources) - sinks, [one["name"] for one in sources])
    delivered = [{"name": f"sink{number}", "from": stages[-1]["name"], "spark": {"format": "console"}} for number in range(sinks)]
    return resource(name(group, place), namespace, store, sources, stages, delivered)


def name(group: int, place: int) -> str:
    return f"rws-{len(GROUP) * group + place:03d}"


def imported(number: int, origin: str) -> dict[str, Any]:
    return {"name": f"import{number}", "import": {"topology": origin, "stream": EXPORTED}, "configurations": [{"rate": RATE}]}


def row(count: int, sources: list[str]) -> list[dict[str, Any]]:
    first = operator(EXPORTED, sources[0])
    first["inputs"] = [{"from": one, "cost": "1us"} for one in sources]
    return [first, *(operator(f"stage{number}", f"stage{number - 1}") for number in range(1, count))]
