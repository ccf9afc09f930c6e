"""One `levee verify`, from its flags to its exit code.

Called by: levee_chaos.commands.verify.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import click

from levee.cli.local.ready import Ask
from levee.plans.ending import Exit, Refused, use_instead
from levee.topology.complaint import Complaint
from levee.worlds.local.opening import WORKER
from levee_chaos import refusals
from levee_chaos.verifying import telling
from levee_chaos.verifying.campaign import Campaign
from levee_chaos.verifying.judging import ENDS, Outcome, Scale, worst
from levee_chaos.verifying.page import page
from levee_chaos.verifying.promises import Promised
from levee_chaos.verifying.subject import Subject, attached, on_cluster, own
from levee_chaos.verifying.taking import Terms
from levee_chaos.verifying.trials import Kind, Trial, trials
from levee_chaos.worlds.world import Where

REPORT = "report.html"


@dataclass(frozen=True, slots=True)
class Asked:
    """The flags."""

    file: str | None = None
    directory: str | None = None
    only: tuple[str, ...] = ()
    listing: bool = False
    nodes: str | None = None
    workers_per_node: int | None = None
    anyway: bool = False
    for_s: float = 20.0
    before_s: float = 10.0
    time_limit_s: float | None = None
    tolerance: float = 0.02
    place: str = "levee-verify"
    as_json: bool = False
    command: tuple[str, ...] = field(default=tuple(WORKER))
    where: Where | None = None  # on a cluster
    ask_first: bool = False
    driver: Mapping[str, str] = field(default_factory=dict)  # of its nodes
    look_s: float = 0.2

    @property
    def at(self) -> Path:
        return Path(self.place).absolute()

    def say(self, text: str) -> None:
        click.echo(text, err=self.as_json)


def run(asked: Asked) -> Exit:
    try:
        return run_all(asked)
    except refusals.Refused as wrong:
        raise Refused(str(wrong)) from None


def run_all(asked: Asked) -> Exit:
    subject = subject_of(asked)
    scale = Scale(subject.promised.replicated is not None, asked.tolerance)
    chosen = chosen_of(subject, asked.only)
    if asked.listing:
        show_list(asked, subject.promised, chosen)
        return Exit.OK
    if asked.ask_first:
        show_list(asked, subject.promised, chosen)
        click.confirm(f"\nDo all this to {subject.promised.topology.name}?", abort=True, err=asked.as_json)
    return verified(asked, subject, chosen, scale)


def subject_of(asked: Asked) -> Subject:
    if asked.where is not None:
        return on_cluster(asked.where)
    ask = Ask(asked.file or "", asked.nodes, str(asked.at / "run"), None, asked.workers_per_node, asked.anyway, command=asked.command)
    try:
        return attached(ask, asked.directory) if asked.directory else own(ask, asked.at)
    except Refused as wrong:
        raise Refused(wrong.heading.replace("levee run:", "levee verify:", 1), wrong.complaints, wrong.code) from None


def chosen_of(subject: Subject, only: tuple[str, ...]) -> tuple[Trial, ...]:
    """In the order of the plan, whatever the order of the flags. Where nobody is to die for good, workers stay as they are."""
    every = trials(subject.promised, subject.workers_at)
    for pattern in only:
        if not any(one.is_asked((pattern,)) for one in every):
            known = [one.name for one in every]
            complaint = Complaint("--only", f"the plan promises nothing of a fault '{pattern}'", use_instead(pattern, known))
            raise Refused("levee verify: there is no such fault.", [complaint], Exit.USAGE)
    chosen = tuple(one for one in every if one.is_asked(only))
    if any(one.kind is Kind.WORST for one in chosen):
        return chosen
    return tuple(one for one in trials(subject.promised, lambda _: subject.workers) if one.is_asked(only))


def show_list(asked: Asked, promised: Promised, chosen: tuple[Trial, ...]) -> None:
    if asked.as_json:
        click.echo(json.dumps({"topology": promised.topology.name, "faults": [telling.trial_document(one) for one in chosen]}, indent=2))
        return
    click.echo("\n".join(telling.heading(promised)))
    click.echo("\n" + telling.table(telling.LISTED, telling.listed(chosen)))


def verified(asked: Asked, subject: Subject, chosen: tuple[Trial, ...], scale: Scale) -> Exit:
    terms = Terms(asked.for_s, asked.before_s, look_s=asked.look_s, driver=asked.driver, scale=scale)
    until_s = None if asked.time_limit_s is None else time.monotonic() + asked.time_limit_s
    asked.say("\n".join(telling.heading(subject.promised)))
    outcomes: list[Outcome] = []
    try:
        for one in Campaign(subject.promised, subject.stage, terms, asked.say, until_s).outcomes(chosen):
            outcomes.append(one)
            asked.say(telling.line(one, scale))
    finally:  # also of what was done before Ctrl-C
        report(asked, subject.promised, outcomes, scale)
    return ENDS[worst(outcomes)]


def report(asked: Asked, promised: Promised, outcomes: list[Outcome], scale: Scale) -> None:
    if not outcomes:
        return
    path = asked.at / REPORT
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(promised, outcomes, scale), encoding="utf-8")
    asked.say("\n" + telling.table(telling.HEAD, [telling.row(one, scale) for one in outcomes]))
    asked.say(f"\n{telling.summary(outcomes)}\nThe same with plots: {path.as_uri()}")
    if asked.as_json:
        click.echo(json.dumps(telling.document(promised, outcomes, scale), indent=2))
