"""The rules about the sources' rates: the configuration follows them, up and down at once; and whether they are what was declared.

Why: too few rows planned for is an overload, and too many leave replicas off that the promise counts on. A lower one covers the rates with
half the slack and is nearer; and who has just gone down in vain waits for a while, so that rates that flap do not flap records.
Called by: `decide`; `up` also by plans.traces, which names the configuration of a measured rate.
"""

from collections.abc import Mapping

from levee.control import ranks
from levee.control.actions import Decision, Reason
from levee.control.course import taken_back
from levee.control.findings import AND
from levee.control.names import Instant, ReplicaName
from levee.control.rules import writing
from levee.control.seen import Observation
from levee.control.space import SLACK, Rates, Space, covers, distance
from levee.control.wanted import Wanted
from levee.topology.graph import Configuration
from levee.topology.names import OperatorName
from levee.topology.wording import count
from levee_spark.log import control
from levee_spark.log.values import ControlRecord

REMEDY = "Declare what comes as another configuration (levee profile measures it), or let the source send less"
SLACK_DOWN = SLACK / 2  # what comes as declared is measured a little above it at times; between the two nothing changes


def follow_rates(wanted: Wanted, seen: Observation, now: Instant) -> Decision | None:
    """An absent metric is not a zero: without all rates the configuration stays."""
    if seen.rates is None or seen.record is None or not seen.anchored or seen.order_to_stop():
        return None
    chosen = next_one(wanted, seen, seen.rates, now)
    if chosen.name == seen.configuration:
        return None
    live = ranks.ranks(wanted, seen, now, ranks.active(wanted, seen, now, chosen.name))
    record = control.successor(seen.record, "", live=live)
    return writing(record, chosen.name, Reason.RATES_CHANGED, reasoning(seen, record, seen.rates, chosen))


def next_one(wanted: Wanted, seen: Observation, rates: Rates, now: Instant) -> Configuration:
    """Also the one in force."""
    in_force = configuration_in_force(wanted, seen)
    if in_force is None or not covers(in_force.rows_per_s, rates):
        return up(wanted.space, rates)
    better = wanted.space.nearest(rates, SLACK_DOWN)
    if better is None or not is_apart(better, in_force) or distance(better, rates) >= distance(in_force, rates):
        return in_force
    return better if may_go_down(wanted, seen, now) else in_force


def is_apart(one: Configuration, other: Configuration) -> bool:
    """Of two whose rates are nearly the same now the one is nearer, now the other, and none of them is the better one."""
    pairs = ((one.rows_per_s, other.rows_per_s), (other.rows_per_s, one.rows_per_s))
    return not all(covers(declared, rates, SLACK_DOWN) for declared, rates in pairs)


def may_go_down(wanted: Wanted, seen: Observation, now: Instant) -> bool:
    """At once; but not before a dwell after a step down that had to be taken back, nor after a time of which nothing is known."""
    events = (seen.known_since, taken_back(seen.course, wanted.configurations))
    return seen.known_since is not None and all(now - at >= wanted.patience.dwell_ms for at in events if at is not None)


def configuration_in_force(wanted: Wanted, seen: Observation) -> Configuration | None:
    return next((one for one in wanted.configurations if one.name == seen.configuration), None)


def up(space: Space, rates: Rates) -> Configuration:
    return space.nearest(rates, SLACK) or space.highest(rates)


def say_what_is_above(wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    """The promise was made for what is declared; beyond it nobody has planned."""
    in_force = configuration_in_force(wanted, seen)
    if (
        seen.rates is None
        or in_force is None
        or covers(in_force.rows_per_s, seen.rates)
        or wanted.space.nearest(seen.rates, SLACK) is not None
    ):
        return None
    highest = wanted.space.highest(seen.rates)
    above = {name: rate for name, rate in seen.rates.items() if not covers(highest.rows_per_s, {name: rate})}
    each_one = (
        f"{name} offers {shown(rate)}, and configuration {highest.name} declares {shown(highest.rows_per_s[name])}"
        for name, rate in above.items()
    )
    beyond = f"no configuration covers that, and {highest.name}, which is in force, cannot keep its promise"
    return Decision(Reason.INPUT_ABOVE_CONTRACT, f"{AND.join(each_one)}: {beyond}. {REMEDY}", above=above)


# ---- in words


def reasoning(seen: Observation, record: ControlRecord, rates: Rates, chosen: Configuration) -> str:
    """market 512/s -> configuration High (800/s), 3 replicas off, record 12"""
    switched = changes(seen.ranks(), dict(record.live.ranks))
    return ", ".join((f"{each(rates)} -> configuration {chosen.name} ({declared(chosen)})", *switched, f"record {record.number}"))


def changes(before: Mapping[ReplicaName, int], after: Mapping[str, int]) -> tuple[str, ...]:
    off, on = before.keys() - after.keys(), after.keys() - before.keys()
    told = ((len(off), "off"), (len(on), "on"))
    return tuple(f"{count(number, 'replica')} {what}" for number, what in told if number)


def declared(one: Configuration) -> str:
    """Of a single source nobody needs the name twice."""
    rates = one.rows_per_s
    return shown(next(iter(rates.values()))) if len(rates) == 1 else each(rates)


def each(rates: Mapping[OperatorName, float]) -> str:
    return ", ".join(f"{name} {shown(rate)}" for name, rate in rates.items())


def shown(rate: float) -> str:
    return f"{rate:.0f}/s" if rate >= 10 or rate == round(rate) else f"{rate:.1f}/s"
