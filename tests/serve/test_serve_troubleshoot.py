"""docs/troubleshoot.md explains every reason that a person can read in a condition or an event."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from levee.control.actions import Reason
from levee.lifecycle.documents import machine

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshoot.md").read_text(encoding="utf-8")
WORD = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)*")
NO_REASONS = {  # words of Kubernetes, names of conditions, and names of our own types
    *("True", "False", "Unknown", "Warning", "Normal", "Event", "Reconcile", "Lease", "ConfigMap", "PodDisruptionBudget", "Pod", "Secret"),
    *("Ready", "Planned", "Healthy", "Complete", "Settings", "Denied", "Life", "Role", "Namespace", "Node", "Succeeded"),
    *("GuaranteeMet", "DescriptorHolds"),
}


def explained(word: str) -> bool:
    return f"`{word}`" in PAGE


def constants(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and WORD.fullmatch(node.value):
                yield node.value


def test_every_reason_of_a_condition_that_the_operator_writes_is_explained() -> None:
    words = set(constants(ROOT / "operator" / "levee" / "serve")) - NO_REASONS
    assert {"Invalid", "NoPlan", "CannotChange", "Retrying", "ReplicasMissing"} <= words, "the words are found where they stand"
    assert [word for word in sorted(words) if not explained(word)] == []


def test_every_reason_of_a_decision_is_explained() -> None:
    assert [reason.value for reason in Reason if not explained(reason.value)] == []


def test_every_state_and_every_event_of_its_life_is_explained() -> None:
    names = {name for document in ("job", "bounded") for one in (machine(document),) for name in (*one.states, *one.events)}
    words = {str(name).title().replace("_", "") for name in names}
    assert [word for word in sorted(words) if not explained(word)] == []


def test_the_page_explains_nothing_that_nobody_says() -> None:
    """Words in the first columns of its tables of reasons."""
    said = {*constants(ROOT / "operator" / "levee" / "serve"), *(reason.value for reason in Reason)}
    said |= {str(name).title().replace("_", "") for document in ("job", "bounded") for name in machine(document).states}
    said |= {str(name).title().replace("_", "") for document in ("job", "bounded") for name in machine(document).events}
    rows = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]
    told = {word for row in rows for word in re.findall(r"`([A-Z][A-Za-z]+)`", row)}
    assert told - said - NO_REASONS == set()


def test_no_table_explains_the_same_twice() -> None:
    for section in PAGE.split("\n## "):
        first = [line.split("|")[1] for line in section.splitlines() if line.startswith("| ")]
        words = [word for column in first for word in re.findall(r"`([A-Z][A-Za-z]+)`", column)]
        assert [word for word in sorted(set(words)) if words.count(word) > 1] == [], section.splitlines()[0]
