"""Traces as people give them: stretches of declared configurations, or a CSV file of measured rates.

Why: "60:calm,30:peak" is typed in a moment, and what Black Friday was like last year lies in a file.
Called by: cli.simulate_run.
"""

import csv
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from levee.control.following import up
from levee.control.space import Space
from levee.plans import amounts, words
from levee.plans.ending import Exit, Refused, use_instead
from levee.plans.reading import read_file
from levee.topology.complaint import Complaint
from levee.topology.graph import Configuration
from levee.topology.names import OperatorName
from levee.topology.wording import listed
from levee.worlds.simulated.trace import Stretch, Trace, usual

WHERE = "--trace"
SECONDS_MAX = 86_400.0
EXAMPLE = "write 60:calm,30:peak, or name a CSV file"
TIME = "time_s"


def trace_of(text: str | None, configurations: Sequence[Configuration]) -> Trace:
    """None: every configuration for its share of five minutes."""
    if text is None:
        return usual(configurations)
    in_file = text.lower().endswith(".csv") or Path(text).exists()
    trace = Trace(tuple(from_file(text, configurations) if in_file else from_text(text, configurations)))
    if trace.seconds > SECONDS_MAX:
        raise refusal(WHERE, f"lasts {trace.seconds:.0f} s", f"simulate at most {SECONDS_MAX:.0f} s, a day")
    return trace


def refusal(where: str, wrong: str, fix: str) -> Refused:
    return Refused("levee simulate: the trace cannot be played.", [Complaint(where, wrong, fix)], Exit.USAGE)


# ---- 60:calm,30:peak


def from_text(text: str, configurations: Sequence[Configuration]) -> Iterator[Stretch]:
    known = {str(one.name): one for one in configurations}
    for part in text.split(","):
        length, colon, name = part.strip().partition(":")
        if not colon:
            raise refusal(WHERE, f"'{part}' is not a time and a configuration", EXAMPLE)
        if name.strip() not in known:
            raise refusal(WHERE, f"there is no configuration '{name.strip()}'", use_instead(name.strip(), known))
        configuration = known[name.strip()]
        yield Stretch(seconds_in(length.strip()), configuration.name, configuration.rows_per_s)


def seconds_in(text: str) -> float:
    try:
        found = amounts.seconds(text)
    except ValueError:
        raise refusal(WHERE, f"'{text}' is not a duration", "write seconds, or a number with its unit, such as 2m") from None
    return found


# ---- a file


def from_file(name: str, configurations: Sequence[Configuration]) -> Iterator[Stretch]:
    """Each line holds until the next one; the last as long as the one before."""
    lines = read_lines(name)
    sources = sorted({source for one in configurations for source in one.rows_per_s})
    columns = columns_of(lines[0], sources, f"{name}, line 1")
    rows = [numbers(line, len(lines[0]), f"{name}, line {number}") for number, line in enumerate(lines[1:], 2) if any(line)]
    times = [row[columns[TIME]] for row in rows]
    if len(rows) < 2:
        raise refusal(name, f"holds {words.plural(len(rows), 'line')} of rates", "give at least two: each holds until the next")
    for number, (before, after) in enumerate(pairwise(times), 3):
        if after <= before:
            raise refusal(f"{name}, line {number}", f"{TIME} does not rise: {after:g} after {before:g}", "sort the lines by their time")
    space = Space(tuple(configurations))
    for row, lasts in zip(rows, [*(after - before for before, after in pairwise(times)), times[-1] - times[-2]], strict=True):
        rates = {OperatorName(source): row[columns[source]] for source in sources}
        yield Stretch(lasts, up(space, rates).name, rates)


def read_lines(name: str) -> list[list[str]]:
    try:
        text = read_file(Path(name)).decode("utf-8-sig")
    except OSError as problem:
        raise refusal(WHERE, f"cannot read '{name}': {problem.strerror or problem}", EXAMPLE) from None
    except UnicodeDecodeError:
        raise refusal(WHERE, f"'{name}' is no text", "give a CSV file in UTF-8") from None
    try:
        lines = [[cell.strip() for cell in line] for line in csv.reader(text.splitlines())]
    except csv.Error as problem:
        raise refusal(WHERE, f"'{name}' is no CSV file: {problem}", "separate its columns by commas") from None
    if not lines:
        raise refusal(WHERE, f"'{name}' is empty", "give a line of names, then lines of numbers")
    return lines


def columns_of(header: Sequence[str], sources: Sequence[str], where: str) -> dict[str, int]:
    wanted = [TIME, *sources]
    if missing := [name for name in wanted if name not in header]:
        raise refusal(where, f"has no column {listed(map(repr, missing), 'and')}", f"name the columns {','.join(wanted)}")
    if unknown := [name for name in header if name not in wanted]:
        wrong = f"there is no source {listed(map(repr, unknown), 'or')}"
        raise refusal(where, wrong, use_instead(unknown[0], sources) if len(unknown) == 1 else f"name the columns {','.join(wanted)}")
    return {name: header.index(name) for name in wanted}


def numbers(line: Sequence[str], width: int, where: str) -> list[float]:
    if len(line) != width:
        raise refusal(where, f"has {len(line)} cells, and the first line has {width}", "give each line as many cells as there are names")
    return [number(cell, where) for cell in line]


def number(cell: str, where: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        raise refusal(where, f"'{cell}' is not a number", "write rows per second, such as 512.5") from None
    if not math.isfinite(value) or value < 0:
        raise refusal(where, f"{cell} is no rate and no time", "write a number of 0 or more")
    return value
