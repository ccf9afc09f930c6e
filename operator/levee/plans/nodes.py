"""The nodes to plan for: from --nodes, from the topology, or three assumed ones.

Why: a plan is needed before there is a cluster, and "three nodes" is how people say it.
Called by: cli.commands.plan.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from levee.plans.ending import Exit, Refused, use_instead
from levee.plans.reading import read_file
from levee.topology.complaint import Complaint
from levee.topology.documents import decode, read_documents
from levee.topology.graph import Node, Topology
from levee.topology.names import NodeName, ZoneName
from levee.topology.units import UnitError, parse_cores

ASSUMED = 3
NODES_MAX = 1000
HOW = "give a number, name=cores,... or a YAML file of nodes"
UNUSABLE = "levee plan: the nodes cannot be used."


@dataclass(frozen=True, slots=True)
class Chosen:
    nodes: tuple[Node, ...]
    whence: str  # "from the topology"


def choose(text: str | None, topology: Topology) -> Chosen:
    """Nodes as wanted on the command line, or else as declared, or else assumed; pinned replicas must find theirs."""
    if text is not None:
        chosen = Chosen(_parse(text, topology.capacity_cores), "from --nodes")
    elif topology.nodes:
        chosen = Chosen(topology.nodes, "from the topology")
    else:
        each = f"{topology.capacity_cores:g} cores each"
        chosen = Chosen(numbered(ASSUMED, topology.capacity_cores), f"assumed: the topology names none; {each}, in {ASSUMED} zones")
    _check_pinned(topology, chosen.nodes)
    return chosen


def numbered(count: int, capacity_cores: float) -> tuple[Node, ...]:
    return tuple(Node(NodeName(f"node-{n}"), ZoneName(f"zone-{(n - 1) % ASSUMED + 1}"), capacity_cores) for n in range(1, count + 1))


def _parse(text: str, capacity_cores: float) -> tuple[Node, ...]:
    if not text.strip():
        raise _refusal("--nodes", "names no nodes", HOW, Exit.USAGE)
    if text.removeprefix("-").isdecimal():
        if not 1 <= int(text) <= NODES_MAX:
            raise _refusal("--nodes", f"{text} is not between 1 and {NODES_MAX}", "give a number of nodes, such as 3", Exit.USAGE)
        return numbered(int(text), capacity_cores)
    if "=" in text and not Path(text).exists():
        return _unique(tuple(_named(part, capacity_cores) for part in text.split(",")))
    if not Path(text).exists():
        raise _refusal("--nodes", f"'{text}' is neither a number of nodes nor a file that exists", HOW, Exit.USAGE)
    return _unique(tuple(_from_file(Path(text), capacity_cores)))


def _named(part: str, capacity_cores: float) -> Node:
    name, _, cores = part.strip().partition("=")
    if not name:
        raise _refusal("--nodes", f"'{part}' has no name", "write node-a=4,node-b=4")
    return _node({"name": name, **({"capacity": cores} if cores else {})}, f"--nodes {name}", capacity_cores)


def _from_file(path: Path, capacity_cores: float) -> Iterator[Node]:
    document = _only_document(path)
    entries = document.get("items", document.get("nodes")) if isinstance(document, dict) else document
    if not isinstance(entries, list) or not entries:
        raise _refusal("--nodes", f"'{path}' holds no list of nodes", "write a list of {name, zone, capacity}")
    for index, entry in enumerate(entries[: NODES_MAX + 1]):
        yield _node(_flat(entry), f"{path}[{index}]", capacity_cores)


def _only_document(path: Path) -> object:
    try:
        text = decode(read_file(path))
    except OSError as problem:
        raise _refusal("--nodes", f"cannot read '{path}': {problem.strerror}", HOW) from None
    if isinstance(text, Complaint):
        raise Refused(UNUSABLE, [replace(text, where=f"{path}, {text.where}")])
    document = read_documents(text)[0]
    if document.complaints:
        raise Refused(UNUSABLE, [replace(complaint, where=f"{path}, {complaint.where}") for complaint in document.complaints])
    return document.value


def _flat(entry: object) -> object:
    """A node as `kubectl get nodes -o yaml` prints it, in our words."""
    if not isinstance(entry, dict) or not isinstance(entry.get("metadata"), dict):
        return entry
    labels, status = entry["metadata"].get("labels") or {}, entry.get("status") or {}
    flat = {"name": entry["metadata"].get("name"), "zone": labels.get("topology.kubernetes.io/zone")}
    return flat | {"capacity": (status.get("allocatable") or {}).get("cpu")}


def _node(entry: object, where: str, capacity_cores: float) -> Node:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise _refusal(where, "is not a node", "write {name: node-1, zone: zone-1, capacity: 4}")
    if unknown := [key for key in entry if key not in ("name", "zone", "capacity")]:
        raise _refusal(where, f"there is no field '{unknown[0]}'", use_instead(str(unknown[0]), ("name", "zone", "capacity")))
    try:
        cores = capacity_cores if entry.get("capacity") is None else parse_cores(entry["capacity"])
    except UnitError as problem:
        raise _refusal(where, f"capacity {problem.wrong}", problem.fix) from None
    return Node(NodeName(entry["name"]), ZoneName(str(entry.get("zone") or entry["name"])), cores)


def _unique(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    if len(nodes) > NODES_MAX:
        raise _refusal("--nodes", f"names more than {NODES_MAX} nodes", "plan for the nodes that this topology may use")
    names = [node.name for node in nodes]
    for name in names:
        if names.count(name) > 1:
            raise _refusal("--nodes", f"node '{name}' is named twice", "give every node a name of its own")
    return nodes


def _check_pinned(topology: Topology, nodes: tuple[Node, ...]) -> None:
    known = [node.name for node in nodes]
    complaints = [
        Complaint(f"spec.placement.assignment.{of}", f"names node '{name}', which is not planned for", use_instead(name, known))
        for of, names in topology.pinned.items()
        for name in names
        if name not in known
    ]
    if complaints:
        raise Refused("levee plan: replicas are assigned to nodes that are not there.", complaints)


def _refusal(where: str, wrong: str, fix: str, code: Exit = Exit.REFUSED) -> Refused:
    return Refused(UNUSABLE, [Complaint(where, wrong, fix)], code)
