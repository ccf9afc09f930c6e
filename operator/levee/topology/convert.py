"""From the validated resource to the frozen topology that planning works on.

Why: behind this line nothing is checked again, and nothing knows YAML, pydantic or Kubernetes.
Called by: topology.load, only with a resource about which topology.check has nothing to complain.
"""

from collections.abc import Mapping

from levee.topology import graph
from levee.topology.configurations import configurations, normalised, rate_levels
from levee.topology.names import NodeName, OperatorName, ZoneName
from levee.topology.partitioning import partitioning
from levee.topology.spec import Resource, Spec
from levee.topology.streams import Input, Operator, Source
from levee.topology.timing import period_s
from levee.topology.wanted import FaultTolerance, Placement


def convert(resource: Resource) -> graph.Topology:
    spec = resource.spec
    return graph.Topology(
        name=resource.metadata.name,
        namespace=resource.metadata.namespace,
        sources=tuple(_source(spec, source) for source in spec.sources),
        operators=_operators(spec),
        sinks=tuple(graph.Sink(OperatorName(sink.name), OperatorName(sink.origin)) for sink in spec.sinks),
        configurations=configurations(spec),
        wanted=_wanted(spec.fault_tolerance),
        nodes=_nodes(spec.placement),
        capacity_cores=spec.placement.capacity,
        pinned={task: tuple(NodeName(n) for n in nodes) for task, nodes in spec.placement.assignment.items()},
        timing=_timing(spec),
    )


def _timing(spec: Spec) -> graph.Timing:
    promised = spec.fault_tolerance
    return graph.Timing(period_s(spec), promised.checkpoint.every, spec.epoch.retention, promised.failure_timeout)


def _shares(given: list[float] | None, parallelism: int) -> tuple[float, ...]:
    return normalised(given if given is not None else [1.0] * parallelism)


def _source(spec: Spec, source: Source) -> graph.Source:
    return graph.Source(
        name=OperatorName(source.name),
        levels=rate_levels(spec, source),
        parallelism=source.parallelism,
        shares=_shares(source.shares, source.parallelism),
        late=source.late,
    )


def _operators(spec: Spec) -> tuple[graph.Operator, ...]:
    counts = {stream.name: stream.parallelism for stream in spec.streams}
    return tuple(_operator(operator, counts) for operator in in_topological_order(spec))


def in_topological_order(spec: Spec) -> tuple[Operator, ...]:
    """Always the first declared of those whose inputs are all known, so that the order is the user's where it can be."""
    known = {source.name for source in spec.sources}
    waiting, ordered = list(spec.operators), list[Operator]()
    while waiting:
        ready = next(operator for operator in waiting if all(edge.origin in known for edge in operator.inputs))
        waiting.remove(ready)
        ordered.append(ready)
        known.add(ready.name)
    return tuple(ordered)


def _operator(operator: Operator, counts: Mapping[str, int]) -> graph.Operator:
    return graph.Operator(
        name=OperatorName(operator.name),
        inputs=tuple(_input(edge, counts[edge.origin], operator.parallelism) for edge in operator.inputs),
        parallelism=operator.parallelism,
        shares=_shares(operator.shares, operator.parallelism),
        correlated=operator.correlated,
        late=operator.late,
        repeatable=operator.repeatable,
    )


def _input(edge: Input, producers: int, consumers: int) -> graph.Input:
    wiring = partitioning(producers, consumers, keyed=bool(edge.partition_by))
    assert wiring is not None, "the check lets only counts through that fit"
    return graph.Input(OperatorName(edge.origin), wiring, edge.selectivity, edge.cost, tuple(edge.partition_by or ()))


def _wanted(wanted: FaultTolerance) -> graph.FaultTolerance:
    target = wanted.target
    return graph.FaultTolerance(
        strategy=wanted.strategy,
        replicas=wanted.replicas,
        target=graph.Target(target.completeness, target.fidelity, target.budget, target.penalty, target.reserve),
        failures=wanted.failures,
        window_s=wanted.window,
    )


def _nodes(placement: Placement) -> tuple[graph.Node, ...]:
    """A node whose zone is not named fails alone: its zone is itself."""
    return tuple(
        graph.Node(
            NodeName(node.name), ZoneName(node.zone or node.name), node.capacity if node.capacity is not None else placement.capacity
        )
        for node in placement.nodes
    )
