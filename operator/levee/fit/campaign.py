"""A campaign: files of FIT documents, refused as a whole or tried one after the other, each with a verdict.

Why: it can be ended at any time and gone on with, and each of its trials can be repeated alone: nothing depends on what was tried before.
Called by: `levee fit`, tests.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from levee.fit import stage
from levee.fit.checks import check
from levee.fit.library import LIBRARY
from levee.fit.load import load
from levee.fit.rows import Row
from levee.fit.trial import Trial
from levee.fit.values import Fit
from levee.fit.verdicts import Outcome, Told, judged
from levee.lifecycle.machine import Machine
from levee.topology.complaint import Complaint
from levee.topology.wording import close_to, listed
from levee.worlds.simulated.living.life import Say


@dataclass(frozen=True, slots=True)
class Experiment:
    """One file: its documents are injected into one life."""

    file: str
    fits: tuple[Fit, ...]
    machine: Machine
    digest: str  # of the text, and of the lifecycle: what was tried is known again by it


@dataclass(frozen=True, slots=True)
class Read:
    experiments: tuple[Experiment, ...]
    complaints: tuple[Complaint, ...] = ()


# ---- before anything happens


def read(files: Mapping[str, str], machines: Mapping[str, Machine]) -> Read:
    """`files`: texts by their names. One mistake anywhere, and nothing is tried."""
    found = [one_file(file, text, machines) for file, text in files.items()]
    complaints = [complaint for one in found for complaint in one.complaints]
    experiments = tuple(experiment for one in found for experiment in one.experiments)
    complaints += [*twice(experiments)]
    return Read((), tuple(complaints)) if complaints else Read(experiments)


def one_file(file: str, text: str, machines: Mapping[str, Machine]) -> Read:
    loaded = load(text)
    complaints = loaded.complaints or lifecycle_mistakes(loaded.fits, machines)
    if complaints:
        return refused(file, complaints)
    machine = machines[loaded.fits[0].lifecycle]
    if complaints := check(machine, stage.place(), loaded.fits):
        return refused(file, complaints)
    digest = sha256(f"{text}\n{machine}".encode()).hexdigest()[:16]
    return Read((Experiment(file, loaded.fits, machine, digest),))


def refused(file: str, complaints: Sequence[Complaint]) -> Read:
    return Read((), tuple(Complaint(f"{file}: {one.where}", one.wrong, one.fix) for one in complaints))


def lifecycle_mistakes(fits: Sequence[Fit], machines: Mapping[str, Machine]) -> tuple[Complaint, ...]:
    strange = [one for one in fits if one.lifecycle not in machines]
    if strange:
        given = strange[0].lifecycle
        meant = close_to(given, machines)
        fix = f"use '{meant}'" if meant else f"use {listed(machines)}, or name its file with --document"
        return (Complaint(f"{strange[0].name}: lifecycle", f"there is no lifecycle '{given}'", fix),)
    others = [one for one in fits if one.lifecycle != fits[0].lifecycle]
    if not others:
        return ()
    wrong = f"is {others[0].lifecycle}, and {fits[0].name} is in a life by {fits[0].lifecycle}"
    return (Complaint(f"{others[0].name}: lifecycle", wrong, "write them into two files: one file is one life"),)


def twice(experiments: Sequence[Experiment]) -> Iterator[Complaint]:
    """Verdicts are told by name."""
    known: dict[str, str] = {}
    for one in experiments:
        for fit in one.fits:
            if fit.name in known:
                yield Complaint(
                    f"{one.file}: {fit.name}", f"is the name of a document in {known[fit.name]}, too", "give one of them another name"
                )
            known.setdefault(fit.name, one.file)


# ---- trials


@dataclass(slots=True)
class Campaign:
    seed: int
    known: Mapping[str, Row] = field(default_factory=dict)  # by digest: what was tried before with this seed
    calm: dict[object, Told] = field(default_factory=dict)  # undisturbed lives: many documents have the same
    say: Say = lambda _: None

    def rows(self, experiments: Sequence[Experiment]) -> Iterator[Row]:
        return (self.known.get(one.digest) or self.row(one) for one in experiments)

    def row(self, one: Experiment) -> Row:
        found = self.tried(one)
        return Row(one.file, tuple(fit.name for fit in one.fits), one.digest, self.seed, found.verdict, found.why, found.took_s)

    def tried(self, one: Experiment) -> Outcome:
        return judged(self.undisturbed(one), Trial(one.machine, one.fits, self.seed, real=True, say=self.say).run())

    def undisturbed(self, one: Experiment) -> Told:
        """The same for all that differ in nothing but the fault."""
        strictly = not any(LIBRARY[fit.fault].is_of_ground for fit in one.fits)
        key = (one.machine.name, strictly, tuple((fit.moment, fit.target.topology) for fit in one.fits))
        if key not in self.calm:
            self.calm[key] = Trial(one.machine, one.fits, self.seed, real=False).run()
        return self.calm[key]
