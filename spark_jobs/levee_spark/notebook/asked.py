"""The options of the format `levee`, read once.

Why: a name that is written wrongly must be told before a query runs for hours with a default in its place.
Called by: `source`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from levee_spark.notebook.trouble import CannotUse

READING = ("store", "topology", "uid", "stream", "task", "startingEpoch", "endingEpoch", "maxEpochsPerTrigger", "failOnDataLoss", "pollMs")
WRITING = ("store", "topology", "uid", "stream", "takeOver")
SPARKS = frozenset({"checkpointlocation", "path", "queryname"})  # Spark hands its own options on
EARLIEST, LATEST = "earliest", "latest"
TRUTHS = {"true": True, "false": False}
POLL_LOCAL_MS, POLL_REMOTE_MS = 100, 1_000
WHERE = 'format("levee")'


@dataclass(frozen=True, slots=True)
class Asked:
    store: str
    topology: str  # "shop/clicks"
    uid: str | None  # None: there is only one
    streams: tuple[str, ...]  # one, unless epochs of several are read together
    tasks: tuple[int, ...]  # none: all of them
    starting: str  # earliest, latest, or a number
    ending: int | None
    max_epochs: int | None
    fails_on_loss: bool
    poll_ms: int
    takes_over: bool

    @property
    def stream(self) -> str:
        """Which one is written."""
        (only,) = self.streams
        return only

    @property
    def where(self) -> str:
        return f"stream{'s' * (len(self.streams) > 1)} {', '.join(map(repr, self.streams))} of {self.topology}"


def asked(options: Mapping[str, str], known: tuple[str, ...], default_start: str = EARLIEST) -> Asked:
    told = {name.lower(): value for name, value in options.items()}
    if unknown := sorted(set(told) - {name.lower() for name in known} - SPARKS):
        raise CannotUse(WHERE, f"has no option {', '.join(unknown)}", f"use {', '.join(known)}")
    ending = number("endingEpoch", told["endingepoch"]) if told.get("endingepoch", LATEST) != LATEST else None
    store, topology = needed(told, "store", "file:///… or s3://…"), needed(told, "topology", "namespace/name")
    return Asked(
        store,
        topology if "/" in topology else f"default/{topology}",
        told.get("uid"),
        streams(needed(told, "stream", "the name of a source or an operator"), known),
        tuple(number("task", one) for one in told["task"].split(",")) if "task" in told else (),
        starting(told.get("startingepoch", default_start), ending),
        ending,
        number("maxEpochsPerTrigger", told["maxepochspertrigger"], 1) if "maxepochspertrigger" in told else None,
        truth("failOnDataLoss", told.get("failondataloss", "true")),
        number("pollMs", told.get("pollms", str(POLL_LOCAL_MS if store.startswith("file:") else POLL_REMOTE_MS))),
        truth("takeOver", told.get("takeover", "false")),
    )


def needed(told: Mapping[str, str], name: str, like: str) -> str:
    if not told.get(name):
        raise CannotUse(WHERE, f"is not told its {name}", f'.option("{name}", "{like}")')
    return told[name]


def streams(text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if len(names) > 1 and known is WRITING:
        raise CannotUse(WHERE, f"stream is {text!r}, and a query writes one", "start a query for each of them")
    if not all(names) or len(set(names)) < len(names):
        raise CannotUse(WHERE, f"stream is {text!r}", "name each stream once, with a comma between them")
    return names


def number(name: str, text: str, least: int = 0) -> int:
    if not text.strip().isdecimal() or int(text) < least:
        raise CannotUse(WHERE, f"{name} is {text!r}", f"write a whole number from {least} on")
    return int(text)


def starting(text: str, ending: int | None) -> str:
    if text not in {EARLIEST, LATEST} and not (text.isdecimal() and int(text) >= 1):
        raise CannotUse(WHERE, f"startingEpoch is {text!r}", f"write {EARLIEST}, {LATEST}, or the number of an epoch (the first is 1)")
    if ending is not None and text.isdecimal() and int(text) > ending:
        raise CannotUse(
            WHERE, f"startingEpoch is {text}, and endingEpoch {ending}", f"end at {text} or later, or begin at {ending} or before"
        )
    return text


def truth(name: str, text: str) -> bool:
    if text.lower() not in TRUTHS:
        raise CannotUse(WHERE, f"{name} is {text!r}", "write true or false")
    return TRUTHS[text.lower()]
