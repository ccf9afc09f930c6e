"""What holds for all tests.

Why: no test may fail because a machine is slow, a failing example must say how to replay it, and CI must not take a test that
could not run for one that passed; and what takes longest must begin first.
Called by: pytest.
"""

import os
from collections.abc import Generator

import pytest
from hypothesis import settings

settings.register_profile("levee", deadline=None, print_blob=True)
settings.load_profile("levee")

LONG = ("faults", "worlds", "chaos")  # folders whose tests start workers: minutes each on a busy machine
REQUIRED = os.environ.get("LEVEE_E2E") == "required"  # set by `make e2e` and in CI


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long ones first, so that at the end no core waits for the one that has them."""
    items.sort(key=lambda item: item.path.parent.name not in LONG)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if REQUIRED and report.skipped and not hasattr(report, "wasxfail"):
        fail(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A file that skips itself as a whole hides its marks, so it counts as one that has to run."""
    report = yield
    if REQUIRED and report.skipped:
        fail(report)
    return report


def fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"It could not run, and here it has to. {reason}"
