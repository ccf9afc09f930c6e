"""What is said below a frontier: where its knee is or why there is none, and what becomes of the target that was asked for.

Why: a table of levels answers no question by itself; these sentences do, in whatever form the table is printed.
Called by: cli.frontier.search.
"""

from collections.abc import Sequence

from levee.planning.completeness.model import TOLERANCE
from levee.plans.amounts import floor4, number
from levee.plans.report import Level
from levee.topology.graph import Target

NOTHING_FITS = "No plan fits these nodes, not even one replica of every task: run it without --frontier to see why."


def guarantee(level: Level, fidelity: bool) -> float:
    return level.fidelity if fidelity else level.completeness


def paid(level: Level, fidelity: bool) -> float:
    return level.budget if fidelity else round(level.cores, 9)


def knee_at(levels: Sequence[Level], at: int, fidelity: bool) -> str:
    level, last = levels[at], levels[-1]
    more = f"{last.budget - level.budget} replicas" if fidelity else f"{number(last.cores - level.cores)} cores"
    gain = guarantee(last, fidelity) - guarantee(level, fidelity)
    name = _name(fidelity)
    return (
        f"The knee is at {name} {floor4(guarantee(level, fidelity))} for {_price(level, fidelity)}: "
        f"beyond it, {number(gain)} more {name} costs {more} more."
    )


def no_knee(levels: Sequence[Level], interrupted: bool) -> str | None:
    if not levels:
        return None
    if interrupted:
        return "No knee is told, since levels are missing."
    if len(levels) < 3:
        return f"There is no knee: that takes three levels, and there {'is one' if len(levels) == 1 else 'are two'}."
    return "There is no knee: no level lies above the straight line from the first to the last."


def no_levels(seconds: float, infeasible: bool) -> str:
    if infeasible:
        return NOTHING_FITS
    return f"No plan was found in {number(seconds)} s, nor is it proven that there is none: allow more --time-limit."


def of_target(target: Target, levels: Sequence[Level], fidelity: bool) -> str | None:
    """Which level the target of the command line is."""
    if not levels:
        return None
    if target.budget is not None:
        within = [level for level in levels if level.budget <= target.budget]
        return f"The target of {target.budget} active replicas is enough for {_level(within[-1], fidelity)}." if within else None
    wanted = target.fidelity if target.fidelity is not None else target.planned
    assert wanted is not None
    name = "fidelity" if target.fidelity is not None else "completeness"
    reaching = [level for level in levels if guarantee(level, target.fidelity is not None) >= wanted - TOLERANCE]
    if not reaching:
        return f"The target of {name} {wanted:g} is reached by none of these levels."
    return f"The target of {name} {wanted:g} is first reached by {_level(reaching[0], fidelity)}."


def _level(level: Level, fidelity: bool) -> str:
    return f"{_name(fidelity)} {floor4(guarantee(level, fidelity))}, for {_price(level, fidelity)}"


def _price(level: Level, fidelity: bool) -> str:
    return f"{level.budget} active replicas" if fidelity else f"{number(level.cores)} cores"


def _name(fidelity: bool) -> str:
    return "fidelity" if fidelity else "completeness"
