"""A run as a table: for the live view and for `levee status`.

Called by: cli.local.shown, cli.commands.status; cli.kube.picture, for the graph of a topology on a cluster.
"""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from levee.cli.local.service import in_words
from levee.cli.shared.page import grid
from levee.control.seen import Status
from levee.worlds.local.rows import TRIES_AGAIN, ReplicaRow, RunSummary
from levee.worlds.local.table import RunTable, Told

UNKNOWN = "unknown"  # whose worker could not be asked
ROLES = {"primary": "green", "deliverer": "green", "secondary": "cyan", "standby": "dim", "none": "red", UNKNOWN: "dim"}


def picture(table: RunTable, rows: tuple[ReplicaRow, ...], summary: RunSummary, events: int, *, whole: bool = False) -> RenderableType:
    """`whole`: with all that failures say, which a live view has no room for."""
    failed = failures(rows) if whole else []
    return Group(heading(table, summary), Text(), graph(table, rows), Text(), *failed, *happened(table.events[-events:]))


def heading(table: RunTable, summary: RunSummary) -> Text:
    working = f"{summary.working} of {summary.replicas} replicas work"
    configuration = f", configuration {table.configuration}" if table.configuration else ""
    far = f"{table.topology}: epoch {summary.epoch}, lag {summary.lag_epochs}"
    account = accounted(table)
    if table.ended:
        return Text("\n".join(filter(None, (f"{far}; {table.ended}", account))), style="bold")
    line = f"{far}, {working}{configuration}, {summary.rows_per_s:.0f} rows/s\n"
    told = f"{table.reason}: {table.text}" if table.text else table.reason
    return Text(line, style="bold").append("\n".join(filter(None, (told, account))), style="not bold")


def accounted(table: RunTable) -> str:
    one = table.account
    return "" if one is None else in_words(one.window_s, one.promised, one.achieved, one.cost, one.input_kept)


def graph(table: RunTable, rows: tuple[ReplicaRow, ...]) -> Table:
    shown = grid("task", "reads", "replica>", "node", "role", "was" if table.ended else "status", "epoch>", "lag>", "rows/s>")
    reads = {task.task: ", ".join(task.reads) for task in table.tasks}
    for index, row in enumerate(rows):
        is_first = index == 0 or rows[index - 1].task != row.task
        number = row.replica.rpartition("/")[2]
        shown.add_row(
            row.task if is_first else "",
            Text(reads[row.task] if is_first else "", style="dim"),
            number,
            row.node,
            Text(row.role, style=ROLES[row.role]),
            row.status,
            *(("?", "?", "?") if row.role == UNKNOWN else (str(row.epoch), str(row.lag_epochs), f"{row.rows_per_s:.0f}")),
        )
    return shown


def happened(events: tuple[Told, ...]) -> list[Text]:
    return [
        Text(line_of(one).partition("\n")[0], style="yellow" if one.grave else "dim", no_wrap=True, overflow="ellipsis") for one in events
    ]


def failures(rows: tuple[ReplicaRow, ...]) -> list[Text]:
    """Each once for its task, whole."""
    told = {row.task: f"tries again: {row.error.strip()}" for row in rows if row.status == TRIES_AGAIN and row.error}
    told |= {row.task: f"failed after epoch {row.epoch}: {row.error.strip()}" for row in rows if row.status == Status.FAILED}
    return [Text(f"{task} {text}\n", style="red") for task, text in told.items()]


def line_of(one: Told) -> str:
    return f"{one.at[11:23]} {one.subject}: {one.text}"
