"""A lifecycle as text: for a terminal, for the table in docs/, for Graphviz, for other programs.

Called by: cli.commands.lifecycle.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace

from levee.lifecycle.machine import Machine, State, Transition
from levee.lifecycle.names import Kind
from levee.topology.units import shown_duration


def text(machine: Machine) -> str:
    head = f"Lifecycle {machine.name}: {machine.about}\n* stored before what its transitions do\n"
    return head + "".join("\n" + "\n".join(_lines(machine, state)) + "\n" for state in machine.states.values())


def _lines(machine: Machine, state: State) -> Iterator[str]:
    yield f"{state.name}{'*' if state.persist else ''}  {traits(state)}".rstrip()
    yield f"    {state.about}"
    for one in machine.leaving(state.name):
        yield f"    {one.when:<11} -> {goal(one):<24} {', '.join(one.do)}".rstrip()


def traits(state: State) -> str:
    parts = ["" if state.kind is Kind.PASSING else state.kind.value]
    parts.append(f"at most {shown_duration(state.timeout_ms / 1000)}" if state.timeout_ms else "")
    parts.append(f"fails on {', '.join(state.fails_on)}" if state.fails_on else "")
    parts.append(f"after a crash: {state.after_crash}" if state.persist and state.kind is not Kind.FINAL else "")
    return "; ".join(filter(None, parts))


def goal(one: Transition) -> str:
    return f"{one.to} ({one.ending})" if one.ending and one.ending != one.to else one.to


def table(machine: Machine) -> str:
    """What a crash leaves behind in each stored state, and what recovery does; Markdown."""
    rows = [f"| `{one.name}` | {one.leaves} | {one.after_crash} | {one.recovery} |" for one in machine.states.values() if one.persist]
    return "\n".join(["| stored | a crash leaves behind | recovery | which is |", "|---|---|---|---|", *rows]) + "\n"


def dot(machine: Machine) -> str:
    """For Graphviz; what recovery does within a state is not drawn."""
    lines = [f'digraph "{machine.name}" {{', "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    for state in machine.states.values():
        pen, rings = 2 if state.persist else 1, 2 if state.kind is Kind.FINAL else 1
        lines.append(f'  "{state.name}" [penwidth={pen}, peripheries={rings}];')
    lines += [f'  "{one.origin}" -> "{one.to}" [label="{one.when}"];' for one in machine.transitions if one.origin != one.to]
    return "\n".join([*lines, "}"]) + "\n"


def as_json(machine: Machine) -> str:
    whole = asdict(replace(machine))
    del whole["kept"]
    whole |= {name: list(whole[name].values()) for name in ("states", "methods", "events")}
    return json.dumps(whole, indent=2) + "\n"
