"""The files of `levee fit`: documents, lifecycles, and the journal of a campaign.

Called by: cli.commands.fit.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import click

from levee.cli.commands.lifecycle import found
from levee.cli.shared.output_file import remedy
from levee.fit.campaign import Experiment, read
from levee.fit.rows import Row, row_of
from levee.fit.values import Fit
from levee.fit.writing import fit_text
from levee.lifecycle.documents import NAMES, machine
from levee.lifecycle.handlers import missing_handlers
from levee.lifecycle.machine import Machine
from levee.lifecycle.names import MethodName
from levee.plans.ending import Refused
from levee.plans.reading import read_file
from levee.topology.complaint import Complaint
from levee.topology.documents import decode
from levee.topology.wording import COMPLAINTS_MAX
from levee.worlds.simulated.living.deeds import METHODS

SUFFIXES = {".yaml", ".yml", ".json"}
REFUSED = "levee fit: refused, and nothing was tried."


def machines(document: Path | None) -> dict[str, Machine]:
    known = {name: machine(name) for name in NAMES}
    if document is None:
        return known
    own = found(str(document))
    if complaints := missing_handlers(own, [MethodName(name) for name in METHODS]):
        raise Refused(f"levee fit: the simulated world cannot do what {document} calls.", complaints)
    return {**known, own.name: own}


def experiments(paths: Sequence[Path], known: dict[str, Machine]) -> tuple[Experiment, ...]:
    texts, complaints = dict[str, str](), list[Complaint]()
    for file in files(paths):
        text = read_text(file)
        if isinstance(text, Complaint):
            complaints.append(Complaint(f"{file}: {text.where}", text.wrong, text.fix))
        else:
            texts[str(file)] = text
    all_of_it = read(texts, known)
    if complaints := [*complaints, *all_of_it.complaints]:
        more = len(complaints) - COMPLAINTS_MAX
        heading = f"{REFUSED} Of {len(complaints)} mistakes these are the first {COMPLAINTS_MAX}:" if more > 0 else REFUSED
        raise Refused(heading, complaints[:COMPLAINTS_MAX])
    return all_of_it.experiments


def files(paths: Sequence[Path]) -> list[Path]:
    """Of a folder those that are named like documents, by name."""
    found = [
        file for path in paths for file in (sorted(one for one in path.iterdir() if one.suffix in SUFFIXES) if path.is_dir() else [path])
    ]
    if not found:
        wrong = "holds no file that ends with .yaml, .yml or .json"
        raise Refused(REFUSED, [Complaint(str(paths[0]), wrong, f"write some: levee fit generate -o {paths[0]}")])
    return list(dict.fromkeys(found))


def documents_in(folder: Path) -> list[Path]:
    return sorted(one for one in folder.iterdir() if one.suffix in SUFFIXES)


def read_text(file: Path) -> str | Complaint:
    try:
        return decode(read_file(file))
    except OSError as problem:
        return Complaint("the file", f"cannot be read: {problem.strerror or problem}", "name a file that can be read, or a folder")


def write_documents(folder: Path, fits: Sequence[Fit]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in fits:
            (folder / f"{one.name}.yaml").write_text(fit_text(one), encoding="utf-8")
    except OSError as problem:
        wrong = f"cannot be written to: {problem.strerror or problem}"
        raise Refused("levee fit: nowhere to write to.", [Complaint(str(folder), wrong, remedy(problem))]) from None


@dataclass(frozen=True, slots=True)
class Journal:
    """A line for each verdict, written as it is found; without a file it forgets."""

    file: Path | None
    seed: int

    def known(self) -> dict[str, Row]:
        if self.file is None or not self.file.exists():
            return {}
        rows = [row for number, line in enumerate(self.lines(self.file), start=1) if (row := self.row(number, line)) is not None]
        return {row.digest: row for row in rows if row.seed == self.seed}

    def lines(self, file: Path) -> list[str]:
        text = read_text(file)
        if isinstance(text, Complaint):
            raise Refused(REFUSED, [Complaint(str(file), text.wrong, "name another journal")])
        return text.split("\n")

    def row(self, number: int, line: str) -> Row | None:
        """Whoever was killed may have left half a line, without an end: that trial is made again."""
        try:
            return row_of(json.loads(line)) if line.endswith("}") else None
        except (ValueError, TypeError, AttributeError) as problem:
            complaint = Complaint(f"{self.file}, line {number}", f"is no verdict: {problem}", "name another journal, or remove the line")
            raise Refused(REFUSED, [complaint]) from None

    def keep(self, row: Row) -> None:
        if self.file is None:
            return
        try:
            with self.file.open("a+b") as journal:
                journal.write(f"{line_end(journal)}{json.dumps(row.fields())}\n".encode())
        except OSError as problem:
            raise click.UsageError(f"--journal: cannot write {self.file}: {problem.strerror or problem}; {remedy(problem)}.") from None


def line_end(journal: IO[bytes]) -> str:
    """What half a line lacks."""
    if not journal.seek(0, os.SEEK_END):
        return ""
    journal.seek(-1, os.SEEK_END)
    return "" if journal.read() == b"\n" else "\n"
