"""The account of a run's service level as people and scripts see it.

Called by: `levee status`, and `kubectl levee status`.
"""

from dataclasses import dataclass

from levee.control.account import Statement
from levee.plans.amounts import hours

HUNDRED = 100


@dataclass(frozen=True, slots=True)
class Service:
    """The shape that docs/local-run.md promises."""

    window_s: float
    covered_s: float  # of it, in which the run was looked at
    promised: float | None
    achieved: float | None
    rows_in_time: int
    rows_late: int
    rows_lost: int
    rows_overdue: int
    cost: float | None
    replica_s: float
    static_s: float
    input_kept: bool | None
    above_s: float


def service_of(account: Statement) -> Service:
    sums = account.sums
    return Service(
        *(account.window_s, round(sums.seconds, 1), account.promised, account.achieved),
        *(sums.in_time, sums.late, sums.lost, account.overdue),
        account.cost,
        *(round(sums.replica_s, 1), round(sums.static_s, 1)),
        account.input_kept,
        round(sums.above_s, 1),
    )


def in_words(window_s: float, promised: float | None, achieved: float | None, cost: float | None, kept: bool | None) -> str:
    """over 1 h: 99.2 % of rows in time (promised: 70 %), 75 % of the cost of static replication, input as declared"""
    if achieved is None:
        return ""
    promise = "" if promised is None else f" (promised: {HUNDRED * promised:g} %)"
    told = [f"{floored(achieved)} % of rows in time{promise}"]
    told += [] if cost is None else [f"{HUNDRED * cost:.0f} % of the cost of static replication"]
    told += {None: [], True: ["input as declared"], False: ["input above what is declared"]}[kept]
    return f"over {hours(window_s)}: {', '.join(told)}"


def floored(share: float) -> str:
    """What is not all is not 100."""
    return f"{int(1000 * share + 1e-9) / 10:g}"
