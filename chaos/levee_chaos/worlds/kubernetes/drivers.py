"""How a node is crashed here, and brought back: nobody knows that but who runs the machines.

Why: a cloud's instances, a rack's power switch and a test cluster have nothing in common but crash and revive. More drivers come by the
entry point group `levee_chaos.node_drivers`: a name, and a function that makes a driver of the action's own words.
Called by: nodes.
"""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Protocol

from levee.plans.ending import use_instead
from levee.topology.complaint import Complaint
from levee_chaos.refusals import NOTHING, NotUndone, Refused

GROUP = "levee_chaos.node_drivers"
TIMEOUT_S = 300.0


class NodeDriver(Protocol):
    def without_means(self, node: str) -> Iterator[Complaint]:
        """What is missing here; asked before anything is done."""

    def crash(self, node: str) -> None:
        """At once, and without a word to anybody. Called once for each node."""

    def revive(self, node: str) -> None:
        """Called by the dead man's process, too: by its own, with the same words. NotUndone: it cannot now."""


@dataclass(frozen=True, slots=True)
class Command:
    """Command lines, with {node} in them."""

    command: str
    revive_command: str = ""

    def words(self, line: str, node: str) -> list[str]:
        return [word.replace("{node}", node) for word in shlex.split(line)]

    def without_means(self, node: str) -> Iterator[Complaint]:
        for name, line in (("command", self.command), ("revive_command", self.revive_command)):
            if not line and name == "command":
                yield Complaint(name, "none is said", "say how a node is crashed, with {node} for its name")
            elif line and "{node}" not in line:
                yield Complaint(name, "does not say {node}, so it would hit the same whatever is meant", "write {node} for the node's name")
            elif line and shutil.which(self.words(line, node)[0]) is None:
                yield Complaint(name, f"there is no program '{self.words(line, node)[0]}' here", "install it, or name it by its path")

    def crash(self, node: str) -> None:
        code, said = self.run(self.command, node)
        if code:
            raise Refused(f"levee-chaos: '{self.command}' ended with exit code {code}: {said}")

    def revive(self, node: str) -> None:
        if not self.revive_command:
            return
        code, said = self.run(self.revive_command, node)
        if code:
            raise NotUndone(f"'{self.revive_command}' ended with exit code {code}: {said}")

    def run(self, line: str, node: str) -> tuple[int, str]:
        try:
            words = self.words(line, node)
            ended = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as wrong:
            return 1, str(wrong)
        return ended.returncode, (ended.stderr or ended.stdout).strip()[-500:]


def command(how: Mapping[str, Any]) -> Command:
    return Command(str(how.get("command") or ""), str(how.get("revive_command") or ""))


def cluster(_how: Mapping[str, Any]) -> Command:
    """Of the test cluster of Levee's repository, from a copy of it."""
    program = f"{shlex.quote(sys.executable)} -m hack.cluster"
    return Command(f"{program} crash {{node}}", f"{program} reboot {{node}}")


BUILT_IN = {"command": command, "cluster": cluster}


def driver(how: Mapping[str, Any]) -> NodeDriver:
    """By its name; Refused, where there is none of that name."""
    name = str(how.get("driver") or ("command" if how.get("command") else ""))
    if name in BUILT_IN:
        return BUILT_IN[name](how)
    plugged = {one.name: one for one in entry_points(group=GROUP)}
    if name in plugged:
        made: NodeDriver = plugged[name].load()(how)
        return made
    there = [*BUILT_IN, "sysrq", *plugged]
    wrong = f"there is no driver '{name}'" if name else "it is not said how a node is crashed here"
    raise Refused(NOTHING, [Complaint("driver", wrong, use_instead(name, there))])
