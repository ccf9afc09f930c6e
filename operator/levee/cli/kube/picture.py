"""A topology on a cluster as a table: what its conditions say, and then the same graph as of a local run.

Called by: cli.kube.status.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from levee.cli.kube.looking import Looked
from levee.cli.local.picture import UNKNOWN, failures, graph, happened
from levee.cli.local.service import in_words
from levee.cli.shared.page import grid
from levee.control.seen import Phase
from levee.worlds.local.rows import ReplicaRow, RunSummary, rows_of, summary_of

COLOURS = {"True": "green", "False": "red"}
MINUTE_S, HOUR_S, DAY_S = 60, 3_600, 86_400


def rows_in(looked: Looked) -> tuple[ReplicaRow, ...]:
    """What a worker that could not be asked does is not known, other than that it is ready."""
    rows = rows_of(looked.table, looked.seen)
    return tuple(replace(one, role=UNKNOWN, status=Phase.READY.value) if one.replica in looked.unheard else one for one in rows)


def summary_in(looked: Looked, rows: tuple[ReplicaRow, ...]) -> RunSummary:
    """What cannot be asked is taken from the resource."""
    found = summary_of(looked.table, rows)
    if not looked.unheard:
        return found
    told = looked.status.get("replicas") or {}
    return replace(found, working=int(told.get("active") or 0), lag_epochs=int(looked.status.get("lagEpochs") or 0))


def picture(looked: Looked, rows: tuple[ReplicaRow, ...], summary: RunSummary, events: int, now: datetime) -> RenderableType:
    parts: list[RenderableType] = [heading(looked, summary, now), *account(looked), Text(), conditions(looked), Text()]
    if rows:
        parts += [graph(looked.table, rows), Text(), *failures(rows)]
    parts += happened(looked.table.events[-events:])
    return Group(*parts, *(Text(f"({note})", style="yellow") for note in looked.notes))


def heading(looked: Looked, summary: RunSummary, now: datetime) -> Text:
    status, table = looked.status, looked.table
    since = status.get("since")
    state = f"{table.topology}: {status.get('state') or 'submitted'}" + (f" for {age(since, now)}" if since else "")
    if table.ended:
        return Text(state, style="bold")
    configuration = f", configuration {table.configuration}" if table.configuration else ""
    if looked.unheard:
        known = f", lag {summary.lag_epochs}, {summary.working} active replicas work{configuration}"
    else:
        far = f", epoch {summary.epoch}, lag {summary.lag_epochs}"
        known = f"{far}, {summary.working} of {summary.replicas} replicas work{configuration}, {summary.rows_per_s:.0f} rows/s"
    return Text(state + known, style="bold")


def account(looked: Looked) -> list[Text]:
    told = looked.status.get("account") or {}
    shares = told.get("promised"), told.get("achieved"), told.get("cost")
    words = in_words(float(told.get("window") or 0), *shares, told.get("inputKept"))
    return [Text(words)] if words else []


def conditions(looked: Looked) -> Table:
    shown = grid("  condition", "", "reason", "*")
    for one in looked.conditions:
        colour = COLOURS.get(one["status"], "dim")
        shown.add_row(f"  {one['type']}", Text(one["status"], style=colour), one["reason"], Text(str(one.get("message") or "")))
    if not looked.conditions:
        shown.add_row("  Ready", Text("Unknown", style="dim"), "NotSeen", Text("no operator has looked at it yet"))
    return shown


def age(stamp: str, now: datetime) -> str:
    """As kubectl has it: 77s, 5m, 3h, 2d."""
    seconds = max(timedelta(), now - datetime.fromisoformat(stamp)) // timedelta(seconds=1)
    for unit, size in (("d", DAY_S), ("h", HOUR_S), ("m", MINUTE_S)):
        if seconds >= 2 * size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
