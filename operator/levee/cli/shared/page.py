"""The sheet that tables are printed on: width, colour and characters that the reader's terminal can show.

Why: the same table goes to a terminal, a pipe and a test, and must be readable on each.
Called by: the renderers of tables.
"""

import io
import sys
from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

PIPE_WIDTH = 110  # Nobody folds a pipe; COLUMNS says otherwise.
BAR_CELLS = 10


def sheet(terminal: bool, width: int | None) -> Console:
    """A console that writes into memory, for a terminal (colour, its width) or for anything else (plain)."""
    return Console(file=io.StringIO(), force_terminal=terminal, no_color=None if terminal else True, width=width, highlight=False)


def printed(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    return "\n".join(line if console.is_terminal else line.rstrip() for line in lines) + "\n"


def reader_width(terminal: bool, columns: str | None) -> int | None:
    """None lets the console ask the terminal."""
    if columns and columns.isdecimal() and int(columns) > 0:
        return max(40, int(columns))
    return None if terminal else PIPE_WIDTH


def grid(*columns: str, headers: bool = True) -> Table:
    """A table without lines; a column whose name ends in '>' is set to the right, in '*' takes the rest of the width."""
    table = Table(box=None, show_header=headers, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for column in columns:
        name = column.rstrip(">*")
        table.add_column(
            name,
            justify="right" if column.endswith(">") else "left",
            overflow="fold",
            no_wrap=not column.endswith("*"),
        )
    return table


def facts(rows: Sequence[tuple[str, RenderableType]]) -> Table:
    """Labels and what they say, indented."""
    table = grid("", "*", headers=False)
    for label, value in rows:
        table.add_row(Text(f"  {label}", style="dim"), value)
    return table


def bar(load_share: float, style: str) -> Text:
    full, rest = ("█", "░") if can_show("█░") else ("#", ".")
    cells = min(BAR_CELLS, round(load_share * BAR_CELLS))
    return Text(full * cells, style=style).append(rest * (BAR_CELLS - cells), style="dim")


def can_show(characters: str) -> bool:
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
