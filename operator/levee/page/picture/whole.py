"""From what is known to the picture: of one topology, and of all that there are.

Why: pure, with the time as an argument, so that what the page shows can be tested without a browser. Each field is in docs/page.md.
Called by: cli.local.paged, serve.paged.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from levee.control.space import covers
from levee.page.picture.replicas import boxes, streams
from levee.page.picture.values import share, short, text
from levee.page.picture.view import Brief, Promised, View
from levee.plans.ending import did_you_mean
from levee.worlds.local.rows import RunSummary, rows_of, summary_of

VERSION = 1  # of the picture's shape; the page reads this one only
EVENTS_MAX = 50
CONFIGURATIONS_MAX = 20


def picture(
    at: str, shown: View | None, listed: Sequence[Brief] = (), *, asked: str = "", count: int = 1, note: str = ""
) -> dict[str, Any]:
    """`asked`: the topology that was asked for, and is not there; `count`: how many there are; `at`: the time of day."""
    return {
        "version": VERSION,
        "at": at,
        "asked": text(asked),
        "wrong": text(missing(asked, [one.name for one in listed])) if asked else "",
        "note": note,
        "count": count,
        "topologies": [brief(one) for one in listed],
        "shown": None if shown is None else topology(shown),
    }


def missing(asked: str, known: Sequence[str]) -> str:
    return f"There is no topology '{asked}' here. {did_you_mean(asked, known) if known else 'There is none at all.'}"


def brief(one: Brief) -> dict[str, Any]:
    return {
        "name": one.name,
        "state": one.state,
        "ready": one.ready,
        "met": one.met,
        "configuration": one.configuration,
        "replicas": {"active": one.active, "desired": one.desired},
        "lagEpochs": one.lag_epochs,
    }


def topology(view: View) -> dict[str, Any]:
    table, seen = view.table, view.seen
    rows, known = rows_of(table, seen), list(configurations(view))
    return {
        "name": table.topology,
        "state": view.state,
        "ready": table.ready,
        "reason": table.reason,
        "text": text(table.text),
        "conditions": [condition(one) for one in view.conditions],
        "guarantee": guarantee(view.promised),
        "record": table.record,
        "summary": summary(summary_of(table, rows)),
        "configuration": seen.configuration,
        "configurations": known,
        "configurationsLeftOut": len(view.graph.configurations) - len(known),
        "rates": None if seen.rates is None else {name: short(rate) for name, rate in seen.rates.items()},
        "ratesMissing": text(seen.rates_missing),
        "nodes": [{"node": one.node, "alive": one.alive, "accepts": one.accepts} for one in seen.nodes],
        "boxes": list(boxes(view, rows)),
        "streams": list(streams(view.graph)),
        "events": [{"at": one.at, "subject": text(one.subject), "text": text(one.text), "grave": one.grave} for one in told(view)],
    }


def condition(one: Mapping[str, Any]) -> dict[str, str]:
    return {name: text(one.get(name, "")) for name in ("type", "status", "reason", "message")}


def guarantee(promised: Promised | None) -> dict[str, Any] | None:
    if promised is None:
        return None
    return {"wanted": share(promised.wanted), "now": share(promised.now), "holds": promised.holds}


def summary(one: RunSummary) -> dict[str, Any]:
    return {
        "epoch": one.epoch,
        "lagEpochs": one.lag_epochs,
        "working": one.working,
        "replicas": one.replicas,
        "rowsPerS": short(one.rows_per_s),
    }


def configurations(view: View) -> Iterator[dict[str, Any]]:
    """Of thousands the first ones, and in any case the one in force."""
    known, in_force = view.graph.configurations, view.seen.configuration
    for one in (one for place, one in enumerate(known) if place < CONFIGURATIONS_MAX or one.name == in_force):
        rates = view.seen.rates
        yield {
            "name": one.name,
            "probability": one.probability,
            "rates": {name: short(rate) for name, rate in one.rows_per_s.items()},
            "inForce": one.name == in_force,
            "covers": None if rates is None or not rates.keys() <= one.rows_per_s.keys() else covers(one.rows_per_s, rates),
        }


def told(view: View) -> Sequence[Any]:
    """The newest first."""
    return view.table.events[: -EVENTS_MAX - 1 : -1]
