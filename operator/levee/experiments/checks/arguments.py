"""What an action or a probe is given: known, complete, of the right kind, and of one mind about whom it means.

Called by: checks.alone.
"""

from collections.abc import Iterator, Mapping

from levee.experiments.catalog import IN_A_JOB, Known
from levee.topology.complaint import Complaint
from levee.topology.scalars import kind_of
from levee.topology.wording import close_to, listed, shortened

Value = str | int | float | bool
ROLES = ("primary", "secondary", "any")
FITTING: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "a whole number": (int,),
    "a number": (int, float),
    "true or false": (bool,),
}


def arguments(where: str, name: str, known: Known, given: Mapping[str, Value]) -> Iterator[Complaint]:
    for argument, value in given.items():
        if argument not in known.arguments:
            yield unknown(f"{where}.{argument}", name, argument, tuple(known.arguments))
        elif not fits(value, wanted := known.arguments[argument].type):
            told = f"'{shortened(value)}'" if isinstance(value, str) else kind_of(value)
            yield Complaint(f"{where}.{argument}", f"is {told}, but must be {wanted}", f"write {wanted}")
    for argument, one in known.arguments.items():
        if one.required and argument not in given:
            yield Complaint(where, f"{name} needs {argument}", f"add {argument}: {one.type}")
    yield from lasting(where, given)
    yield from foreign(where, given)
    yield from contradictions(where, given)


def unknown(where: str, name: str, argument: str, known: tuple[str, ...]) -> Complaint:
    near = close_to(argument, known)
    takes = f"{name} takes {listed(known, 'and')}" if known else f"{name} takes none"
    return Complaint(where, f"{name} has no argument '{argument}'", f"use '{near}'" if near else f"remove it; {takes}")


def fits(value: Value, wanted: str) -> bool:
    """To Python true is a number."""
    return isinstance(value, FITTING[wanted]) and (wanted == "true or false") == isinstance(value, bool)


def lasting(where: str, given: Mapping[str, Value]) -> Iterator[Complaint]:
    if "for_s" in given and fits(given["for_s"], "a number") and float(given["for_s"]) <= 0:
        yield Complaint(f"{where}.for_s", f"{given['for_s']} s is no time", "say for how many seconds it lasts")


def foreign(where: str, given: Mapping[str, Value]) -> Iterator[Complaint]:
    """What the Job would run with its rights is not for whoever may write an experiment to say."""
    for name in ("command", "revive_command"):
        if given.get(name):
            yield Complaint(f"{where}.{name}", "an experiment on a cluster runs no commands of yours", "remove it, and say driver: sysrq")
    if given.get("driver", IN_A_JOB) not in {"", IN_A_JOB}:
        wrong = f"'{given['driver']}' crashes nodes from outside of the cluster, where no Job is"
        yield Complaint(f"{where}.driver", wrong, "say driver: sysrq, or use chaos run")


def contradictions(where: str, given: Mapping[str, Value]) -> Iterator[Complaint]:
    """A replica is of a task, and a task of an operator: who says both must say the same."""
    said = {name: str(given.get(name, "")) for name in ("operator", "task", "replica", "role")}
    for narrow, wide in (("replica", "task"), ("replica", "operator"), ("task", "operator")):
        if said[narrow] and said[wide] and not said[narrow].startswith(f"{said[wide]}/"):
            wrong = f"{narrow} '{said[narrow]}' is not of {wide} '{said[wide]}', and nothing is both"
            yield Complaint(f"{where}.{narrow}", wrong, f"remove {wide}, or name another {narrow}")
    if said["role"] and said["role"] not in ROLES:
        yield Complaint(f"{where}.role", f"'{said['role']}' is none", f"use one of {listed(ROLES)}")
