"""Minimal complete trees: the smallest sets of tasks that, alive together, contribute to the output (Su and Zhou, definition 1).

Why: they are what the dynamic programme joins to plans; within a part of the topology they are the segments of the structured algorithm.
Called by: fidelity.dynamic, fidelity.units.

A task with correlated inputs needs one substream of every input stream, an independent one a single substream of any. A task that is
reached twice chooses once.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product

from levee.planning.fidelity.problem import FidelityProblem

Follows = Callable[[int, int], bool]  # (consuming task, producing task): does the tree go on there?


def _everywhere(_consumer: int, _producer: int) -> bool:
    return True


def mc_trees(problem: FidelityProblem) -> Iterator[frozenset[int]]:
    """All of the topology's, lazily, each set of tasks once."""
    return trees(problem, problem.sinks)


def trees(problem: FidelityProblem, roots: Iterable[int], follows: Follows = _everywhere) -> Iterator[frozenset[int]]:
    """Those below these roots, along the streams that `follows` allows; where it allows none, the tree ends."""
    seen: set[frozenset[int]] = set()
    for root in roots:
        for tree in _grown(problem, frozenset({root}), (root,), follows):
            if tree not in seen:
                seen.add(tree)
                yield tree


def first_trees(problem: FidelityProblem, most: int) -> tuple[tuple[frozenset[int], ...], bool]:
    """At most so many trees, and whether these are all."""
    found = tuple(islice(mc_trees(problem), most + 1))
    return found[:most], len(found) <= most


def _grown(problem: FidelityProblem, tree: frozenset[int], unfed: tuple[int, ...], follows: Follows) -> Iterator[frozenset[int]]:
    if not unfed:
        yield tree
        return
    task, *rest = unfed
    for chosen in _choices(problem, task, follows):
        new = tuple(dict.fromkeys(producer for producer in chosen if producer not in tree))
        yield from _grown(problem, tree | frozenset(new), (*rest, *new), follows)


def _choices(problem: FidelityProblem, task: int, follows: Follows) -> Iterator[tuple[int, ...]]:
    streams = problem.tasks[task].streams
    inside = [[producer for producer, _ in stream.substreams if follows(task, producer)] for stream in streams]
    kept = [producers for producers in inside if producers]
    if problem.correlated(task):
        yield from product(*kept)  # of nothing: one empty choice, the tree ends here
        return
    if len(kept) < len(streams) or not streams:
        yield ()  # fed from outside, or a source
    for producers in kept:
        yield from ((producer,) for producer in producers)
