"""What the resource definition says may not be changed: a real API server refuses it, and nobody has to run for that."""

import json
from typing import Any

import pytest

from tests.e2e.cluster.chart import CHART
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.trades import NAME, resource

pytestmark = pytest.mark.e2e

AT_REST = "epoch.hold can be changed only while suspend is true: workers read it when they start"


@pytest.fixture
def applied(kube: Kube) -> Kube:
    """By nobody who would act on it."""
    kube.run("apply", "--server-side", "--force-conflicts", f"--filename={CHART / 'files' / 'crds'}")
    kube.run("wait", "--for=condition=Established", f"--filename={CHART / 'files' / 'crds'}")
    kube.create(resource({"uri": "s3://bucket/here", "secret": "store"}, "s3://bucket/out"))
    return kube


def patched(kube: Kube, **spec: Any) -> str:
    """What the API server says against it; nothing: it is taken."""
    done = kube.asked("patch", "ftt", NAME, "--type=merge", f"--patch={json.dumps({'spec': spec})}")
    return done.stderr if done.returncode else ""


def test_the_store_and_the_clock_of_epochs_stay_as_they_were_applied(applied: Kube) -> None:
    before = applied.get("ftt", NAME)
    moved = patched(applied, store={"uri": "s3://bucket/there"})
    assert "spec.store: Invalid value" in moved
    assert "store cannot be changed: streams and checkpoints are kept there" in moved
    slower = patched(applied, epoch={"period": "10s"})
    assert "spec.epoch: Invalid value" in slower
    assert "epoch.period cannot be changed: epochs are numbered by it" in slower
    assert applied.get("ftt", NAME) == before


def test_what_workers_read_when_they_start_is_changed_only_where_none_run(applied: Kube) -> None:
    assert AT_REST in patched(applied, epoch={"hold": "200ms"})
    assert patched(applied, suspend=True) == ""
    assert patched(applied, epoch={"hold": "200ms"}) == ""
    assert applied.get("ftt", NAME)["spec"]["epoch"]["hold"] == "200ms"
