"""What is wrong with the fault of a FIT document, and with whom it is to hit.

Called by: checks.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from levee.fit.library import LIBRARY
from levee.fit.values import Fit
from levee.lifecycle.names import MethodName
from levee.topology.complaint import Complaint
from levee.topology.wording import close_to, listed


@dataclass(frozen=True, slots=True)
class Place:
    """What there is to hit."""

    topology: str
    homes: Mapping[str, str]  # of each replica the node that it is planned on
    zones: Mapping[str, str]  # of each node
    divisible: Collection[MethodName] = field(default=())  # the methods that do more than one thing

    def known(self, noun: str) -> list[str]:
        found = {
            "task": dict.fromkeys(one.rpartition("/")[0] for one in self.homes),
            "replica": self.homes,
            "node": self.zones,
            "zone": dict.fromkeys(self.zones.values()),
        }
        return list(found[noun])


def of_fault(fit: Fit) -> Iterator[Complaint]:
    offer = LIBRARY[fit.fault]
    if fit.for_ms > offer.for_ms_max:
        most = f"{offer.for_ms_max // 1000} s"
        fix = f"write at most {most}" if offer.for_ms_max else "remove it"
        wrong = f"is {fit.for_ms / 1000:g} s, and {fit.fault} lasts {'at most ' + most if offer.for_ms_max else 'no time'}"
        yield Complaint("options.for", wrong, fix)
    for noun in fit.target.said():
        if noun not in offer.aims:
            yield too_much(fit, noun)


def too_much(fit: Fit, noun: str) -> Complaint:
    offer = LIBRARY[fit.fault]
    whom = f"use one of {listed(offer.aims)}" if offer.aims else "remove it"
    other = close_to(f"{fit.fault.partition('_')[0]}_{noun}", LIBRARY)
    fix = f"{whom}, or the fault '{other}'" if other and other != fit.fault else whom
    return Complaint(f"target.{noun}", f"is said, and {fit.fault} hits {offer.hits}", fix)


def of_target(place: Place, fit: Fit) -> Iterator[Complaint]:
    target = fit.target
    if target.topology not in {"", place.topology, place.topology.rpartition("/")[2]}:
        wrong = f"'{target.topology}' does not live here, {place.topology} does"
        yield Complaint("target.topology", wrong, f"use '{place.topology}', or leave it out")
    strange = [noun for noun, said in target.said().items() if said not in place.known(noun)]
    for noun in strange:
        yield unknown(f"target.{noun}", getattr(target, noun), f"there is no {noun}", place.known(noun))
    if not strange:
        yield from at_odds(place, fit)


def at_odds(place: Place, fit: Fit) -> Iterator[Complaint]:
    """Nouns that are all there, and do not go together."""
    target = fit.target
    if target.replica and target.task and target.replica.rpartition("/")[0] != target.task:
        yield Complaint("target.replica", f"'{target.replica}' is none of {target.task}", "keep the replica, or the task")
    homes = [place.homes[one] for one in replicas_of(place, fit)]
    if (target.task or target.replica) and target.node and target.node not in homes:
        whom = target.replica or target.task
        yield Complaint(
            "target.node", f"'{target.node}' is not where {whom} is planned", f"use {listed(sorted(set(homes)))}, or leave it out"
        )
    nodes = [target.node] if target.node else homes if target.task or target.replica else list(place.zones)
    if target.zone and target.zone not in {place.zones[node] for node in nodes}:
        yield Complaint(
            "target.zone", f"'{target.zone}' is not where {target.node or target.replica or target.task} is", "keep one of them"
        )


def replicas_of(place: Place, fit: Fit) -> list[str]:
    target = fit.target
    mine = [one for one in place.homes if target.task in {"", one.rpartition("/")[0]}]
    return [one for one in mine if target.replica in {"", one}]


def unknown(where: str, given: str, wrong: str, known: Sequence[str]) -> Complaint:
    meant = close_to(given, known)
    return Complaint(where, f"{wrong} '{given}'", f"use '{meant}'" if meant else f"use {listed(known)}" if known else "remove it")
