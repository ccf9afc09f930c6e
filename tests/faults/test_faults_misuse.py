"""The user's function is changed under its name into one that cannot be used, and back again."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from levee.control.names import ReplicaName
from levee.control.seen import Status
from levee.worlds.local.faults import Kind
from levee.worlds.local.run import Turn
from tests.faults.chain import LABELLED, SOURCE, TOTAL, Wish, value
from tests.faults.plant import Plant, check_undisturbed, planted
from tests.faults.points import LIMIT

REPLICA, CONSUMER = ReplicaName(f"{LABELLED}/0"), ReplicaName(f"{TOTAL}/0")
LIMIT_S = "4"
GOOD = """
import time
from tests.faults import chain

def labelled(inputs):
    return chain.labelled(inputs)
"""


@dataclass(frozen=True, slots=True)
class Misuse:
    name: str
    instead: str  # of what the function returns
    told: str
    place: str  # in the user's own lines

    def is_told(self, error: str) -> bool:
        return self.told in error and self.place in error


MISUSES = (
    Misuse("wrong type", "[chain.labelled(inputs)]", "the function returned list, not a DataFrame", "mine.py:5 in labelled"),
    Misuse(
        "other columns",
        "chain.labelled(inputs).withColumnRenamed('double', 'twice')",
        "it emits other columns than it did before: 'double' is missing, 'twice' is new.",
        "mine.py:5 in labelled",
    ),
    Misuse("never returns", "[time.sleep(0.05) for _ in iter(int, 1)]", f"has not returned within {LIMIT_S} s", "mine.py:6 in labelled"),
)
IN_ITS_ROWS = (  # in a run of its own: a worker that is killed too often is given up
    Misuse(
        "never returns in its rows",
        "chain.labelled(inputs).mapInPandas(lambda frames: iter([time.sleep(600)]), 'key string, double long, epoch long')",
        f"has not returned within {LIMIT_S} s",
        "mine.py:6 in <lambda>: return chain.labelled(inputs).mapInPandas(",
    ),
)


@pytest.mark.parametrize("misuses", [MISUSES, IN_ITS_ROWS], ids=["in its definition", "in its rows"])
def test_a_function_that_cannot_be_used_fails_its_task_alone_and_the_corrected_one_goes_on(
    tmp_path: Path, misuses: tuple[Misuse, ...]
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(GOOD)
    with planted(tmp_path, Wish(nodes=1, replicas=1, labelled="mine:labelled")) as plant:
        limit = plant.arm(f"{LIMIT}-labelled", LIMIT_S)
        for misuse in misuses:
            mine.write_text(GOOD.replace("chain.labelled(inputs)", misuse.instead))
            plant.inflict(Kind.KILL_REPLICA, REPLICA)
            turn = plant.until(f"the task fails: {misuse.name}", lambda turn, misuse=misuse: misuse.is_told(error_of(turn)))  # type: ignore[misc]
            stands_still(plant, turn, misuse)
            mine.write_text(GOOD)
            limit.unlink(missing_ok=True)
            plant.inflict(Kind.KILL_REPLICA, REPLICA)
            plant.is_whole()
            limit = plant.arm(f"{LIMIT}-labelled", LIMIT_S)
    check_undisturbed(tmp_path, plant.streams())


def error_of(turn: Turn) -> str:
    state = turn.seen.states().get(REPLICA)
    return state.error if state is not None and state.status is Status.FAILED else ""


def stands_still(plant: Plant, turn: Turn, misuse: Misuse) -> None:
    """Its task says what is wrong, where, and on which rows; the others wait, and its stream ends where it was."""
    error = error_of(turn)
    begins = re.match(r"epoch (\d+): ", error)
    assert begins, error
    epoch, ends = int(begins[1]), plant.streams()[LABELLED][-1].epoch
    assert epoch <= ends + 1  # where it left its checkpoint
    assert misuse.is_told(error) and "site-packages" not in error
    assert f"""rows of 'numbers' in this epoch:\n  {{"key": "a", "value": {value(epoch, 0)}}}""" in error
    plant.until("the source goes on", lambda _: plant.streams()[SOURCE][-1].epoch > ends + 4)
    turn = plant.until("what was there is delivered", lambda turn: plant.delivered_epoch() == ends and error_of(turn) != "")
    assert turn.seen.states()[CONSUMER].status is not Status.FAILED
    assert plant.streams()[LABELLED][-1].epoch == ends
