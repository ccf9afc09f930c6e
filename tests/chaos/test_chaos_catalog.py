"""What the validator of experiments knows of this extension is what there is."""

from pathlib import Path

from levee.experiments import catalog as known
from levee_chaos import actions, catalog, probes

FILE = Path(known.__file__).with_name("catalog.json")


def test_the_written_file_is_current() -> None:
    assert FILE.read_text(encoding="utf-8") == catalog.text(), "run `make crds`"


def test_the_validator_knows_every_action_and_probe() -> None:
    found = known.catalog()
    assert (list(found.actions), list(found.probes)) == (actions.__all__, probes.__all__)


def test_only_what_needs_no_privileged_pod_is_said_to_need_none() -> None:
    assert known.OF_PODS.keys() | known.OF_NODES <= known.catalog().actions.keys()
    assert known.reach_of("crash_replica", {}) is known.Reach.PODS
    assert known.reach_of("crash_replica", {"by": "container"}) is known.Reach.NODES
    assert known.reach_of("pause_replica", {}) is known.Reach.NODES
    assert known.reach_of("what_comes_next", {}) is known.Reach.NODES
    assert known.reach_of(None, {}) is known.Reach.LOOKS
