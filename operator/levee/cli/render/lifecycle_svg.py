"""A lifecycle as a picture: its states from top to bottom, arcs for where one leads to another, and every transition in words beside them.

Why: drawn as text, by arithmetic, it is the same bytes everywhere, so that a test can say whether the picture in docs/ is the document's.
Called by: cli.commands.lifecycle.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from levee.cli.render.lifecycle_text import goal, traits
from levee.lifecycle.machine import Machine, State, Transition
from levee.lifecycle.names import ENDING, OURS, RECOVER, Kind, Speaker, StateName

LINE, GAP, TOP = 15, 20, 76
BOX_X, BOX_WIDTH, BOX_HEIGHT = 240, 128, 30
WORDS_X, WIDTH = BOX_X + BOX_WIDTH + 16, 1000
INK, FAINT = "#222222", "#777777"
BLUE, GREEN, RED, GREY = "#0072b2", "#2e8b57", "#c0202f", "#9a9a9a"
LEGEND = ((BLUE, "by itself"), (GREEN, "its user"), (RED, "after a failure"), (GREY, "after a crash of whoever manages it"))


@dataclass(frozen=True, slots=True)
class Row:
    state: State
    top: int
    exits: tuple[Transition, ...]

    @property
    def middle(self) -> float:
        return self.top + BOX_HEIGHT / 2

    @property
    def height(self) -> int:
        return max(BOX_HEIGHT, LINE * (len(self.exits) + 1))


def draw(machine: Machine) -> bytes:
    rows = list(rows_of(machine))
    height = rows[-1].top + rows[-1].height + GAP
    parts = [*_head(machine, height), *_arcs(machine, rows), *(part for row in rows for part in _row(machine, row)), "</svg>"]
    return ("\n".join(parts) + "\n").encode()


def rows_of(machine: Machine) -> Iterator[Row]:
    top = TOP
    for state in machine.states.values():
        row = Row(state, top, machine.leaving(state.name))
        yield row
        top += row.height + GAP


def _head(machine: Machine, height: int) -> Iterator[str]:
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="DejaVu Sans, sans-serif" font-size="11">'
    yield f'<rect width="{WIDTH}" height="{height}" fill="white"/>'
    yield _words(16, 26, f"Lifecycle {machine.name}", INK, 'font-size="17" font-weight="bold"')
    yield _words(16, 46, f"{machine.about} A thick frame: stored before anything is done there. A double one: final.", FAINT)
    for index, (colour, text) in enumerate(LEGEND):
        yield _words(WORDS_X + 150 * index, 26, text, colour)


def colour(machine: Machine, one: Transition) -> str:
    if one.when == RECOVER:
        return GREY
    if one.when in OURS:
        return RED
    return GREEN if machine.events[one.when].by is Speaker.USER else BLUE


def _row(machine: Machine, row: Row) -> Iterator[str]:
    state, thick = row.state, 2.4 if row.state.persist else 1
    yield _box(BOX_X, row.top, BOX_WIDTH, BOX_HEIGHT, thick, "#eef5fa" if state.kind is Kind.RESTING else "white")
    if state.kind is Kind.FINAL:
        yield _box(BOX_X + 4, row.top + 4, BOX_WIDTH - 8, BOX_HEIGHT - 8, 1, "none")
    yield _words(BOX_X + BOX_WIDTH / 2, row.middle + 4, state.name, INK, 'text-anchor="middle" font-weight="bold" font-size="12"')
    yield _words(WORDS_X, row.top + 10, traits(state) or state.about, FAINT, 'font-style="italic"')
    for index, one in enumerate(row.exits):
        y = row.top + 10 + LINE * (index + 1)
        yield _words(WORDS_X, y, one.when, colour(machine, one))
        yield _words(WORDS_X + 82, y, f"→ {goal(one)}", INK)
        yield _words(WORDS_X + 245, y, ", ".join(one.do), FAINT)


def _arcs(machine: Machine, rows: list[Row]) -> Iterator[str]:
    """One for each pair of states, in the colour of the first transition between them; left of the boxes, the wider the farther."""
    places = {row.state.name: index for index, row in enumerate(rows)}
    drawn: set[tuple[StateName, StateName]] = set()
    for one in machine.transitions:
        if one.to not in (ENDING, one.origin) and (one.origin, one.to) not in drawn:
            drawn.add((one.origin, one.to))
            yield _arc(rows[places[one.origin]], rows[places[one.to]], abs(places[one.origin] - places[one.to]), colour(machine, one))


def _arc(origin: Row, to: Row, distance: int, ink: str) -> str:
    down = to.top > origin.top
    begin, end = origin.middle + (6 if down else -6), to.middle + (-6 if down else 6)
    left = BOX_X - 24 - 26 * distance**0.75
    path = f"M{BOX_X},{begin:g} C{left:.1f},{begin:g} {left:.1f},{end:g} {BOX_X - 6},{end:g}"
    tip = f"M{BOX_X},{end:g} l-7,-3 l0,6 z"
    return f'<path d="{path}" fill="none" stroke="{ink}" stroke-width="1.1" opacity="0.75"/><path d="{tip}" fill="{ink}"/>'


def _box(x: float, y: float, width: float, height: float, thick: float, fill: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{INK}" stroke-width="{thick}"/>'


def _words(x: float, y: float, text: str, ink: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="{ink}" {more}>{escape(text)}</text>'.replace(" >", ">")
